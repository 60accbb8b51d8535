"""What the links and coordinates of models are called by the part of the body that they are: words of their names.

Words are those of `softstride.naming.words_of`; each table says what the words are looked for in.
"""

from __future__ import annotations

THIGH = {"femur", "thigh", "upperleg"}

SHANK = {"tibia", "shank", "shin", "lowerleg", "tibfib"}

FOOT = {"talus", "foot", "calcn", "calcaneus", "ankle", "hindfoot", "rearfoot"}
"""Links that hang on a shank."""

TOES = {"toes", "toe", "hallux", "forefoot"}
"""Links in front of the foot that the toes of a sole stand on."""

NO_SHANK = THIGH | FOOT | {"toes", "hallux", "patella", "pelvis", "torso", "trunk"}
"""Links that nobody can have meant by a shank."""

BEARING = ("blade", "calcn", "calcaneus", "foot", "hindfoot", "rearfoot", "talus", "ankle", "toes")
"""The link that carries a foot's load, the best first."""

ARTIFICIAL = {"amputated", "socket", "pylon", "prosthesis", "prosthetic", "blade"}
"""Links that show an amputation."""

CARRIED = {
    "hip": {"femur", "thigh", "hip"},
    "knee": {"tibia", "shank", "knee", "shin"},
    "ankle": {"talus", "ankle", "foot"},
}
"""Links by the joint that carries them."""

ARMS = {
    *("arm", "shoulder", "elbow", "pro", "sup", "forearm", "wrist", "hand", "finger", "thumb"),
    *("neck", "head", "clavicle", "scapula", "sternoclavicular", "acromial"),
}
"""Coordinates of arms, shoulders and neck."""

FLEXIONS = {"hip": ("hip_flexion", "hip"), "knee": ("knee_angle", "knee"), "ankle": ("ankle_angle", "ankle")}
"""How the names of coordinates that are the flexion of a joint begin, the best first."""
