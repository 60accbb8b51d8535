"""Force plates: channels to wrenches, wrenches to forces, forces to feet."""

from softstride.capture.plates.doubts import FeetDoubt, FeetNote
from softstride.capture.plates.feet import assign_feet
from softstride.capture.plates.forces import plate_force
from softstride.capture.plates.plates import read_plates
from softstride.capture.plates.zero import PlateZero

__all__ = ["FeetDoubt", "FeetNote", "PlateZero", "assign_feet", "plate_force", "read_plates"]
