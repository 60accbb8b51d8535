"""Joint forces and moments straight from landmarks and force plates, without a multibody model.

Segments are two points and two unit vectors, whose axes need not be orthogonal; inverse dynamics runs in them, and by
three classical methods beside. See docs/segments.md.

    >>> import softstride as ss
    >>> limb = ss.segments.reference_limb([0.3])
    >>> loads = ss.segments.inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    >>> loads.moment_on("shank").round(3).tolist()
    [[-20.178, -1.35, 163.478]]
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.segments.analysis import analyze, four_methods
    from softstride.segments.body import BodySegment
    from softstride.segments.body_size import Size, normalise
    from softstride.segments.build import BuiltSegment, build_segment, build_segments
    from softstride.segments.calibration import carry_landmarks
    from softstride.segments.centres import chord_centre, joint_centres
    from softstride.segments.clusters import Poses, Solid, rigid_fit, solidify
    from softstride.segments.compare import ChannelComparison, compare_with_file, guessed_units, not_compared
    from softstride.segments.components import express, segment_axes
    from softstride.segments.cycle_sums import CycleWork, cycle_work
    from softstride.segments.cycles import study_cycles
    from softstride.segments.external import GroundLoads, ground_loads
    from softstride.segments.functional import (
        HelicalAxis,
        JointAxis,
        JointCentre,
        functional_joint,
        helical_axis,
        mean_helical_axis,
        sara,
        score,
        sphere_fit,
    )
    from softstride.segments.hip_centres import hip_offset
    from softstride.segments.inertia import SegmentInertia, segment_inertia
    from softstride.segments.inertia_table import InertiaTable, inertia_tables, read_inertia_table
    from softstride.segments.inverse import inverse_dynamics
    from softstride.segments.jcs import JointAngles, joint_angles
    from softstride.segments.joints import Joint
    from softstride.segments.landmark_definitions import definitions
    from softstride.segments.landmarks import Landmarks, find_landmarks
    from softstride.segments.loads import SegmentLoads
    from softstride.segments.methods import METHODS
    from softstride.segments.motion import SegmentMotion
    from softstride.segments.options import SegmentOptions
    from softstride.segments.placing import place_inertia
    from softstride.segments.power import JointPower, Work, joint_power, segment_energy, work
    from softstride.segments.protocol import Protocol, protocols, read_protocol
    from softstride.segments.quality import Excess, multiplier_excess
    from softstride.segments.reference import ReferenceLimb, reference_limb
    from softstride.segments.solid import Deformation, deformation, solidified
    from softstride.segments.study import SegmentStudy
    from softstride.segments.triad import Triad
    from softstride.segments.valgus import valgus_walk

__all__ = [
    "METHODS",
    "BodySegment",
    "BuiltSegment",
    "ChannelComparison",
    "CycleWork",
    "Deformation",
    "Excess",
    "GroundLoads",
    "HelicalAxis",
    "InertiaTable",
    "Joint",
    "JointAngles",
    "JointAxis",
    "JointCentre",
    "JointPower",
    "Landmarks",
    "Poses",
    "Protocol",
    "ReferenceLimb",
    "SegmentInertia",
    "SegmentLoads",
    "SegmentMotion",
    "SegmentOptions",
    "SegmentStudy",
    "Size",
    "Solid",
    "Triad",
    "Work",
    "analyze",
    "build_segment",
    "build_segments",
    "carry_landmarks",
    "chord_centre",
    "compare_with_file",
    "cycle_work",
    "definitions",
    "deformation",
    "express",
    "find_landmarks",
    "four_methods",
    "functional_joint",
    "ground_loads",
    "guessed_units",
    "helical_axis",
    "hip_offset",
    "inertia_tables",
    "inverse_dynamics",
    "joint_angles",
    "joint_centres",
    "joint_power",
    "mean_helical_axis",
    "multiplier_excess",
    "normalise",
    "not_compared",
    "place_inertia",
    "protocols",
    "read_inertia_table",
    "read_protocol",
    "reference_limb",
    "rigid_fit",
    "sara",
    "score",
    "segment_axes",
    "segment_energy",
    "segment_inertia",
    "solidified",
    "solidify",
    "sphere_fit",
    "study_cycles",
    "valgus_walk",
    "work",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
