"""Force plates: channels to wrenches, wrenches to forces, forces to feet."""

from softstride.capture.plates.doubts import FeetDoubt, doubts_in
from softstride.capture.plates.feet import assign_feet
from softstride.capture.plates.forces import plate_force
from softstride.capture.plates.plates import read_plates
from softstride.capture.plates.zero import PlateZero

__all__ = ["FeetDoubt", "PlateZero", "assign_feet", "doubts_in", "plate_force", "read_plates"]
