"""The planar walker of the rolling-foot paper: one stance with a foot that rolls, or one on spheres.

>>> from softstride.gait import planar_walk
>>> result = planar_walk.walk(contact="rolling")
>>> result.ankle_rms_deg, result.certificate
"""

from softstride.gait.planar_walk.actuation import Gains
from softstride.gait.planar_walk.body import Part, PlanarBody, table_body
from softstride.gait.planar_walk.default import PackagedStance, packaged_stance, walk
from softstride.gait.planar_walk.model import planar_model
from softstride.gait.planar_walk.person import planar_person
from softstride.gait.planar_walk.reference import StanceReference, reference_from_track
from softstride.gait.planar_walk.result import Certificate, StanceResult
from softstride.gait.planar_walk.rollover import Rollover, fit_rollover
from softstride.gait.planar_walk.stance import simulate_stance
from softstride.gait.planar_walk.track import SagittalTrack, sagittal_track

__all__ = [
    "Certificate",
    "Gains",
    "PackagedStance",
    "Part",
    "PlanarBody",
    "Rollover",
    "SagittalTrack",
    "StanceReference",
    "StanceResult",
    "fit_rollover",
    "packaged_stance",
    "planar_model",
    "planar_person",
    "reference_from_track",
    "sagittal_track",
    "simulate_stance",
    "table_body",
    "walk",
]
