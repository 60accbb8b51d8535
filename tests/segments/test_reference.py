"""The reference limb at t = 0.3 s: every number to its printed digits, by all four methods."""

import numpy as np
import pytest
from numpy.typing import NDArray

from softstride.segments.components import express, segment_axes
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.jcs import joint_angles
from softstride.segments.methods import METHODS
from softstride.segments.reference import ReferenceLimb, reference_limb

Array = NDArray[np.float64]
RTOL = 1e-10  # twelve digits or more are printed

# fmt: off
BASIS = {
    "foot": [[1, -0.1364118090699, -0.2923717047227], [0, 0.03149314760814, -0.6477192842549], [0, 0, 0.7035470951413]],
    "shank": [[1, 0.02198110162204, 0.3907311284893], [0, 0.4194244045969, 0.3383824036258], [0, 0, 0.8560528804612]],
    "thigh": [[1, 0.007504534768032, 0.2419218955997], [0, 0.4299345089172, 0.4184598759586], [0, 0, 0.8754228284904]],
}
CENTRE = {
    "foot": [-0.02205926777601, -0.5648479853519, 0.00517378299923],
    "shank": [-0.0124163899853, -0.4133334339968, 0.003434367276956],
    "thigh": [-0.01821305441184, -0.444842044268, 0.01620930999077],
}
SECOND = {
    "foot": [[0.01142430655169, 0.07717367681657, 0.002193143674242],
             [0.07717367681657, 0.8022258552721, 0.01134559804635],
             [0.002193143674242, 0.01134559804635, 0.0007137465672457]],
    "shank": [[0.004331382448259, 0.0188898069386, -0.001467431871296],
              [0.0188898069386, 0.9492915871499, -0.01389614147631],
              [-0.001467431871296, -0.01389614147631, 0.0046669590478]],
    "thigh": [[0.03023101982762, 0.05169408978296, -0.006874521574864],
              [0.05169408978296, 2.665839912077, -0.06644424626856],
              [-0.006874521574864, -0.06644424626856, 0.02229028459876]],
}
COORDINATES = {
    "foot": [0.8999797612101, 0.3979395981076, 0.1779901841959, 0.6611754220852, 0.09674180910599, 0.1856798451945,
             0.7966036429092, 0.1221926162476, 0.210407429393, -0.1213690190397, -0.7506924409333, 0.6494077458291],
    "shank": [0.9535752784801, 0.3011400928734, -0.002971991890862, 0.5559280208945, 0.5027987615959, 0.1646861347749,
              0.6611754220852, 0.09674180910599, 0.1856798451945, 0.2603293524684, 0.4814199998272, 0.8369369223602],
    "thigh": [0.8670579762348, 0.4938758044705, -0.06555269335587, 0.3482442949542, 0.876451863516, 0.1183090994556,
              0.5559280208945, 0.5027987615959, 0.1646861347749, 0.004522750229984, 0.5891514361365, 0.8080099813917],
}
ACCELERATIONS = {
    "foot": [0.9794720875724, -13.64662706168, -9.241610705475, -14.21578585797, 0.08754351442779, -8.667898148418,
             -14.51542470718, -1.770007513154, -10.02307825245, -2.865810988963, 3.753759466646, 1.455162740335],
    "shank": [4.251192537014, -21.66526046902, 4.066549359091, -5.076763331492, 1.938229086364, -2.620833960439,
              -14.21578585797, 0.08754351442779, -8.667898148418, 10.62506041744, -20.68541167037, 6.608774498183],
    "thigh": [4.635319301182, -14.18527807773, 0.6397775232234, 1.856386532135, 3.718572663672, -0.7228142742664,
              -5.076763331492, 1.938229086364, -2.620833960439, 13.6822313347, -1.977982075167, 0.2137859428043],
}
FORCE = {
    "foot": [8.113128359861, -650.8286357339, -1.127673097577],
    "shank": [-25.94967228154, -607.8926668923, -20.89631055312],
    "thigh": [-36.67934427031, -480.3377652919, -36.39746143672],
}
MOMENT = {
    "foot": [-37.92947280487, -1.990676825944, 234.2565316122],
    "shank": [-20.17786731465, -1.349676741458, 163.4781767697],
    "thigh": [14.45611156459, 2.920466211543, 32.87840240573],
}
MULTIPLIERS = {
    "foot": [0.2864103042072, 10.07055991246, -0.198785364154, 65.48294424264, -1.03508763345, 0.02655371339346],
    "shank": [-0.08192641691012, -8.023922397158, -0.2490095197503, 30.04777928849, -0.3491236136946, 0.05177229279484],
    "thigh": [0.6208564418104, 18.76699849779, 0.1143964532547, 62.48102530085, -4.096974009874, -0.01330288900326],
}
KNEE_ANGLES = [-0.1654796413249, 0.5563276360115, -0.179841568786]
KNEE_AXES = [[0.004522750229984, 0.5891514361365, 0.8080099813917],
             [0.9545861207023, 0.2381681109138, -0.1790008075576],
             [-0.2505890504542, 0.9668022678332, -0.04998502480865]]
KNEE_MOMENTS = {
    ("joint", "projection"): [131.2055751251, -48.84568770362, -4.419978645422],
    ("joint", "component"): [185.1783117824, -48.84568770362, -102.2073108333],
    ("nonorthonormal", "projection"): [-28.8783882772, -9.058905612984, 131.2055751251],
    ("nonorthonormal", "component"): [-72.13170399882, -85.98152915248, 184.9931780815],
    ("orthonormal", "projection"): [-28.8783882772, -8.556211395955, 161.9472512076],
    ("orthonormal", "component"): [-28.8783882772, -8.556211395955, 161.9472512076],
}
# fmt: on


@pytest.fixture(scope="module")
def limb() -> ReferenceLimb:
    return reference_limb([0.3])


def same(found: Array, printed: list[float] | list[list[float]]) -> None:
    """To the printed digits: relative to each number, or to 1e-13 where rounding of the text is larger."""
    np.testing.assert_allclose(found, np.array(printed), rtol=RTOL, atol=1e-13)


def test_ground_reaction(limb: ReferenceLimb) -> None:
    (ground,) = limb.external
    same(ground.force[0], [-21.95773934819, 659.6306504184, -7.725424859374])
    same(ground.point[0], [0.31, 0.0, 0.129510565163])
    same(ground.moment[0], [0.0, 3.804226065181, 0.0])


@pytest.mark.parametrize("name", ["foot", "shank", "thigh"])
def test_constants_and_motion(limb: ReferenceLimb, name: str) -> None:
    segment = next(segment for segment in limb.segments if segment.name == name)
    same(segment.triad.basis, BASIS[name])
    same(segment.natural_com, CENTRE[name])
    same(segment.natural_inertia, SECOND[name])
    jet = limb.motion[name].jet()
    same(jet.x.ravel(), COORDINATES[name])
    same(jet.dd.ravel(), ACCELERATIONS[name])


@pytest.mark.parametrize("method", METHODS)
def test_loads(limb: ReferenceLimb, method: str) -> None:
    loads = inverse_dynamics(limb.segments, limb.motion, limb.external, method=method, gravity=limb.gravity)
    for name in ("foot", "shank", "thigh"):
        same(loads.force_on(name)[0], FORCE[name])
        same(loads.moment_on(name)[0], MOMENT[name])


def test_multipliers_and_the_full_system(limb: ReferenceLimb) -> None:
    loads = inverse_dynamics(
        limb.segments, limb.motion, limb.external, gravity=limb.gravity, multipliers=True
    )
    assert loads.multipliers is not None
    for i, name in enumerate(loads.names):
        same(loads.multipliers[0, i], MULTIPLIERS[name])
        same(loads.moment_on(name)[0], MOMENT[name])  # the 12 x 12 system and the closed form agree


def test_knee(limb: ReferenceLimb) -> None:
    loads = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    knee = joint_angles(limb.motion["thigh"], limb.motion["shank"])
    same(knee.angles[0], KNEE_ANGLES)
    same(knee.axes[0], KNEE_AXES)
    moment = loads.moment_on("shank")
    for (axes, kind), printed in KNEE_MOMENTS.items():
        frame = knee.axes if axes == "joint" else segment_axes(limb.motion["thigh"], axes)
        same(express(moment, frame, kind)[0], printed)


def test_the_printed_equations_are_wrong(limb: ReferenceLimb) -> None:
    """Eq. 9 with the inertia tensor, and eq. 12 with (-u, -v, -w): both give the wrong numbers that are known for them.

    So these tests can tell the corrected equations from the printed ones.
    """
    from softstride.segments.methods import prepare
    from softstride.segments.methods.nonorthonormal import generalized_forces
    from softstride.segments.natural import axes_of, constraint_jacobian, natural_mass, pseudo_interpolation
    from softstride.spatial.vectors import cross

    down = np.array(limb.gravity)
    (ground,) = limb.external
    about_hip = np.zeros(3)
    for segment in limb.segments:
        c, m = segment.com, segment.mass
        tensor = segment.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
        wrong = natural_mass(m, segment.natural_com, segment.triad.inverse @ tensor @ segment.triad.inverse.T)
        jet = limb.motion[segment.name].jet()
        u, v, w = (axis[0] for axis in axes_of(jet.x))
        p = (wrong - segment.natural_mass) @ jet.dd[0]
        about_hip += (
            np.cross(u, p[0]) - np.cross(v, p[2]) + np.cross(w, p[3])
        )  # and no force: p_P + p_D is the same
        assert np.abs(p[1] + p[2]).max() < 1e-12
    same(about_hip + MOMENT["thigh"], [12.73782366831, 5.989055482057, 32.23353448086])

    foot = limb.segments[0]
    prepared = prepare("nonorthonormal", foot, limb.motion["foot"], "spline")
    axes = axes_of(prepared.own.x)
    p = generalized_forces(foot, prepared.own.dd, down).reshape(1, 12)
    u, v, w = axes
    printed = pseudo_interpolation(*axes)
    couple = np.linalg.inv(np.stack([cross(w, u), cross(u, v), -cross(v, w)], axis=-1))
    printed[:, 3:6] = np.stack([-u, -v, -w], axis=-1) @ couple
    system = np.zeros((1, 12, 12))
    system[:, 3:6, :3] = np.eye(3)
    system[:, :, 3:6] = printed
    system[:, :, 6:] = -np.swapaxes(constraint_jacobian(*axes), -1, -2)
    distal = np.cross(ground.point[0] - limb.motion["foot"].proximal[0], ground.force[0]) + ground.moment[0]
    known = system[0, :, :3] @ ground.force[0] + printed[0] @ distal
    wrong_force = np.linalg.solve(system[0], p[0] - known)[:3]
    same(wrong_force, [7.505745309301, -650.9713242907, -1.24027869759])
