// Pinocchio in a compiled loop over frames, for the algorithms of which its Python interface has no such loop.
//
// Plain C interface (ctypes). Every loop walks n_frames rows of q, v, a (row-major) and writes row-major results in
// Pinocchio's own order of coordinates. A null result pointer leaves the result in pinocchio::Data, unstored.

#include <cstring>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace pin = pinocchio;

using Row3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Row4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
using Vectors = Eigen::Map<const Eigen::VectorXd>;
using Rows = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Rows6 = Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>>;

namespace {

enum Kind { REVOLUTE = 0, PRISMATIC = 1, SPHERICAL = 2, FREE = 3 };

struct Loop {
  pin::Model model;
  pin::Data data;
  std::vector<pin::FrameIndex> frames;

  Vectors q(const double* x, long f) const { return Vectors(x + f * model.nq, model.nq); }
  Vectors v(const double* x, long f) const { return Vectors(x + f * model.nv, model.nv); }

  // M is computed in its upper triangle; row i has entries in the columns of the subtree of i only.
  void symmetrise() {
    for (int i = 0; i < model.nv; ++i) {
      const int n = data.nvSubtree_fromRow[static_cast<size_t>(i)];
      data.M.col(i).segment(i, n) = data.M.row(i).segment(i, n).transpose();
    }
  }
};

pin::SE3 pose(const double* m) { return pin::SE3(Eigen::Matrix4d(Eigen::Map<const Row4>(m))); }

// An axis along x, y or z gets the joint that Pinocchio specialises for it.
pin::JointModel joint(int kind, const double* u) {
  const Eigen::Vector3d axis(u[0], u[1], u[2]);
  const bool x = axis == Eigen::Vector3d::UnitX(), y = axis == Eigen::Vector3d::UnitY(), z = axis == Eigen::Vector3d::UnitZ();
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

}  // namespace

extern "C" {

// Joint i + 1 of the model from row i: parents count from 0, the world. Inertias are mass, com (3), matrix (9).
Loop* loop_new(int n_joints, const int* kinds, const int* parents, const double* axes, const double* placements,
               const double* inertias, const double* gravity, int n_frames, const int* frame_joints,
               const double* frame_poses) {
  auto* loop = new Loop;
  pin::Model& model = loop->model;
  model.gravity.linear() = Eigen::Vector3d(gravity[0], gravity[1], gravity[2]);
  for (int i = 0; i < n_joints; ++i) {
    const auto id = model.addJoint(static_cast<pin::JointIndex>(parents[i]), joint(kinds[i], axes + 3 * i),
                                   pose(placements + 16 * i), "joint " + std::to_string(i));
    const double* body = inertias + 13 * i;
    const pin::Inertia inertia(body[0], Eigen::Vector3d(body[1], body[2], body[3]),
                               Eigen::Matrix3d(Eigen::Map<const Row3>(body + 4)));
    model.appendBodyToJoint(id, inertia, pin::SE3::Identity());
  }
  for (int i = 0; i < n_frames; ++i)
    loop->frames.push_back(model.addFrame(pin::Frame("frame " + std::to_string(i),
                                                     static_cast<pin::JointIndex>(frame_joints[i]), 0,
                                                     pose(frame_poses + 16 * i), pin::OP_FRAME)));
  loop->data = pin::Data(model);
  return loop;
}

void loop_delete(Loop* loop) { delete loop; }

int loop_nv(const Loop* loop) { return loop->model.nv; }

void loop_rnea(Loop* loop, long n, const double* q, const double* v, const double* a, double* tau) {
  for (long f = 0; f < n; ++f) {
    const auto& result = pin::rnea(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(a, f));
    if (tau) std::memcpy(tau + f * loop->model.nv, result.data(), sizeof(double) * loop->model.nv);
  }
}

void loop_aba(Loop* loop, long n, const double* q, const double* v, const double* tau, double* a) {
  for (long f = 0; f < n; ++f) {
    const auto& result = pin::aba(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(tau, f));
    if (a) std::memcpy(a + f * loop->model.nv, result.data(), sizeof(double) * loop->model.nv);
  }
}

void loop_aba_world(Loop* loop, long n, const double* q, const double* v, const double* tau, double* a) {
  for (long f = 0; f < n; ++f) {
    const auto& result = pin::aba(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(tau, f), pin::Convention::WORLD);
    if (a) std::memcpy(a + f * loop->model.nv, result.data(), sizeof(double) * loop->model.nv);
  }
}

// M (n, nv, nv), both triangles.
void loop_crba(Loop* loop, long n, const double* q, double* M) {
  const size_t size = static_cast<size_t>(loop->model.nv) * loop->model.nv;
  for (long f = 0; f < n; ++f) {
    pin::crba(loop->model, loop->data, loop->q(q, f));
    if (!M) continue;
    loop->symmetrise();
    std::memcpy(M + f * size, loop->data.M.data(), sizeof(double) * size);
  }
}
void loop_crba_world(Loop* loop, long n, const double* q, double* M) {
  const size_t size = static_cast<size_t>(loop->model.nv) * loop->model.nv;
  for (long f = 0; f < n; ++f) {
    pin::crba(loop->model, loop->data, loop->q(q, f), pin::Convention::WORLD);
    if (!M) continue;
    loop->symmetrise();
    std::memcpy(M + f * size, loop->data.M.data(), sizeof(double) * size);
  }
}

// J (n, n_frames, 6, nv): body-fixed Jacobians of all frames.
void loop_jacobians(Loop* loop, long n, const double* q, double* J) {
  const int nv = loop->model.nv;
  pin::Data::Matrix6x local = pin::Data::Matrix6x::Zero(6, nv);
  for (long f = 0; f < n; ++f) {
    pin::computeJointJacobians(loop->model, loop->data, loop->q(q, f));
    pin::updateFramePlacements(loop->model, loop->data);
    for (const auto frame : loop->frames) {
      if (J) {
        Rows6 out(J, 6, nv);
        out.setZero();
        pin::getFrameJacobian(loop->model, loop->data, frame, pin::LOCAL, out);
        J += 6 * nv;
      } else {
        pin::getFrameJacobian(loop->model, loop->data, frame, pin::LOCAL, local);
      }
    }
  }
}
// buffered
void loop_jacobians_b(Loop* loop, long n, const double* q, double* J) {
  const int nv = loop->model.nv;
  std::vector<pin::Data::Matrix6x> local(loop->frames.size(), pin::Data::Matrix6x::Zero(6, nv));
  for (long f = 0; f < n; ++f) {
    pin::computeJointJacobians(loop->model, loop->data, loop->q(q, f));
    pin::updateFramePlacements(loop->model, loop->data);
    for (size_t i = 0; i < loop->frames.size(); ++i) {
      pin::getFrameJacobian(loop->model, loop->data, loop->frames[i], pin::LOCAL, local[i]);
      if (J) {
        Rows6(J, 6, nv) = local[i];
        J += 6 * nv;
      }
    }
  }
}
// direct, prezeroed
void loop_jacobians_z(Loop* loop, long n, const double* q, double* J) {
  const int nv = loop->model.nv;
  for (long f = 0; f < n; ++f) {
    pin::computeJointJacobians(loop->model, loop->data, loop->q(q, f));
    pin::updateFramePlacements(loop->model, loop->data);
    for (const auto frame : loop->frames) {
        Rows6 out(J, 6, nv);
        pin::getFrameJacobian(loop->model, loop->data, frame, pin::LOCAL, out);
        J += 6 * nv;
    }
  }
}
// native column order (F,n,nv,6)
void loop_jacobians_c(Loop* loop, long n, const double* q, double* J) {
  const int nv = loop->model.nv;
  for (long f = 0; f < n; ++f) {
    pin::computeJointJacobians(loop->model, loop->data, loop->q(q, f));
    pin::updateFramePlacements(loop->model, loop->data);
    for (const auto frame : loop->frames) {
        Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>> out(J, 6, nv);
        out.setZero();
        pin::getFrameJacobian(loop->model, loop->data, frame, pin::LOCAL, out);
        J += 6 * nv;
    }
  }
}

// dtau/dq, dtau/dv, M (n, nv, nv) each, M with both triangles.
void loop_derivatives(Loop* loop, long n, const double* q, const double* v, const double* a, double* by_q, double* by_v,
                      double* M) {
  const size_t size = static_cast<size_t>(loop->model.nv) * loop->model.nv;
  for (long f = 0; f < n; ++f) {
    pin::computeRNEADerivatives(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(a, f));
    if (!M) continue;
    loop->symmetrise();
    std::memcpy(by_q + f * size, loop->data.dtau_dq.data(), sizeof(double) * size);
    std::memcpy(by_v + f * size, loop->data.dtau_dv.data(), sizeof(double) * size);
    std::memcpy(M + f * size, loop->data.M.data(), sizeof(double) * size);
  }
}
// prezeroed direct
void loop_derivatives_z(Loop* loop, long n, const double* q, const double* v, const double* a, double* by_q, double* by_v,
                      double* M) {
  const int nv = loop->model.nv;
  const size_t size = static_cast<size_t>(loop->model.nv) * loop->model.nv;
  for (long f = 0; f < n; ++f) {
    Rows A(by_q + f * size, nv, nv), B(by_v + f * size, nv, nv), C(M + f * size, nv, nv);
    pin::computeRNEADerivatives(loop->model, loop->data, loop->q(q, f), loop->v(v, f), loop->v(a, f), A, B, C);
  }
}

}  // extern "C"
