// Pinocchio in a compiled loop over frames, for the algorithms of which its Python interface has no such loop.
//
// Plain C interface, called through ctypes. Every loop walks n rows of q, v, a (row-major) and writes row-major results
// in Pinocchio's own order of coordinates, every entry of every frame. A null result pointer leaves the result in
// pinocchio::Data, unstored. Everything is instantiated here, from Pinocchio's headers, for the processor at hand.

#include <cstring>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

namespace pin = pinocchio;

namespace {

using Rows3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Rows4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
using Rows6 = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Map<const Eigen::VectorXd>;

enum Kind { REVOLUTE, PRISMATIC, SPHERICAL, FREE };

pin::SE3 pose(const double* m) { return pin::SE3(Eigen::Matrix4d(Eigen::Map<const Rows4>(m))); }

// An axis along x, y or z gets the joint that Pinocchio specialises for it.
pin::JointModel joint(int kind, const double* u) {
  const Eigen::Vector3d axis(u[0], u[1], u[2]);
  const bool x = axis == Eigen::Vector3d::UnitX();
  const bool y = axis == Eigen::Vector3d::UnitY();
  const bool z = axis == Eigen::Vector3d::UnitZ();
  switch (kind) {
    case REVOLUTE:
      if (x) return pin::JointModelRX();
      if (y) return pin::JointModelRY();
      if (z) return pin::JointModelRZ();
      return pin::JointModelRevoluteUnaligned(axis);
    case PRISMATIC:
      if (x) return pin::JointModelPX();
      if (y) return pin::JointModelPY();
      if (z) return pin::JointModelPZ();
      return pin::JointModelPrismaticUnaligned(axis);
    case SPHERICAL:
      return pin::JointModelSpherical();
    default:
      return pin::JointModelFreeFlyer();
  }
}

struct Loop {
  pin::Model model;
  pin::Data data;
  std::vector<pin::FrameIndex> frames;
  size_t nq, nv;

  Vector q(const double* x, long f) const { return Vector(x + f * nq, nq); }
  Vector v(const double* x, long f) const { return Vector(x + f * nv, nv); }

  // Pinocchio computes the upper triangle of M; row i has entries in the columns of its subtree only.
  void symmetrise() {
    for (size_t i = 0; i < nv; ++i) {
      const int n = data.nvSubtree_fromRow[i];
      data.M.col(i).segment(i, n) = data.M.row(i).segment(i, n).transpose();
    }
  }

  template <typename Array>
  void store(const Array& result, double* out, long f) const {
    std::memcpy(out + f * result.size(), result.data(), sizeof(double) * result.size());
  }
};

}  // namespace

extern "C" {

// Row i makes joint i + 1; parents count joints, 0 is the world. Inertias are mass, com (3), matrix (9).
Loop* loop_new(int n_joints, const int* kinds, const int* parents, const double* axes, const double* placements,
               const double* inertias, const double* gravity, int n_frames, const int* frame_joints,
               const double* frame_poses) {
  auto* loop = new Loop;
  pin::Model& model = loop->model;
  model.gravity.linear() = Eigen::Vector3d(gravity[0], gravity[1], gravity[2]);
  for (int i = 0; i < n_joints; ++i) {
    const auto id = model.addJoint(parents[i], joint(kinds[i], axes + 3 * i), pose(placements + 16 * i),
                                   "joint " + std::to_string(i));
    const double* body = inertias + 13 * i;
    const pin::Inertia inertia(body[0], Eigen::Vector3d(body[1], body[2], body[3]),
                               Eigen::Matrix3d(Eigen::Map<const Rows3>(body + 4)));
    model.appendBodyToJoint(id, inertia, pin::SE3::Identity());
  }
  for (int i = 0; i < n_frames; ++i) {
    const pin::JointIndex parent = frame_joints[i];
    const pin::Frame frame("frame " + std::to_string(i), parent, 0, pose(frame_poses + 16 * i), pin::OP_FRAME);
    loop->frames.push_back(model.addFrame(frame));
  }
  loop->data = pin::Data(model);
  loop->nq = model.nq;
  loop->nv = model.nv;
  return loop;
}

void loop_delete(Loop* loop) { delete loop; }

// tau (n, nv)
void loop_rnea(Loop* loop, long n, const double* q, const double* v, const double* a, double* tau) {
  for (long f = 0; f < n; ++f) {
    pin::rnea(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(a, f));
    if (tau) loop->store(loop->data.tau, tau, f);
  }
}

// a (n, nv); local convention: in world convention errors grow along a chain of ball joints until nothing is right
void loop_aba(Loop* loop, long n, const double* q, const double* v, const double* tau, double* a) {
  for (long f = 0; f < n; ++f) {
    pin::aba(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(tau, f), pin::Convention::LOCAL);
    if (a) loop->store(loop->data.ddq, a, f);
  }
}

// M (n, nv, nv), both triangles
void loop_crba(Loop* loop, long n, const double* q, double* M) {
  for (long f = 0; f < n; ++f) {
    pin::crba(loop->model, loop->data, loop->q(q, f), pin::Convention::WORLD);
    if (!M) continue;
    loop->symmetrise();
    loop->store(loop->data.M, M, f);
  }
}

// J (n, n_frames, 6, nv), body-fixed, linear rows first
void loop_jacobians(Loop* loop, long n, const double* q, double* J) {
  const size_t nv = loop->nv;
  Rows6 unstored = Rows6::Zero(6, nv);
  for (long f = 0; f < n; ++f) {
    pin::computeJointJacobians(loop->model, loop->data, loop->q(q, f));
    for (size_t i = 0; i < loop->frames.size(); ++i) {
      double* target = J ? J + (f * loop->frames.size() + i) * 6 * nv : unstored.data();
      Eigen::Map<Rows6> out(target, 6, nv);
      if (J) out.setZero();  // Pinocchio writes the columns of the frame's ancestors only
      pin::getFrameJacobian(loop->model, loop->data, loop->frames[i], pin::LOCAL, out);
    }
  }
}

// dtau/dq, dtau/dv, M (n, nv, nv) each, M with both triangles
void loop_derivatives(Loop* loop, long n, const double* q, const double* v, const double* a, double* by_q, double* by_v,
                      double* M) {
  for (long f = 0; f < n; ++f) {
    pin::computeRNEADerivatives(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(a, f));
    if (!M) continue;
    loop->symmetrise();
    loop->store(loop->data.dtau_dq, by_q, f);
    loop->store(loop->data.dtau_dv, by_v, f);
    loop->store(loop->data.M, M, f);
  }
}

}  // extern "C"
