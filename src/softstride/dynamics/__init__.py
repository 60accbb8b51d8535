"""Forces in a body from its motion: inverse dynamics with measured external forces."""

from softstride.dynamics.inverse import solve_id
from softstride.dynamics.loads import AppliedWrench, Loads, Wrench
from softstride.dynamics.loads_files import read_loads
from softstride.dynamics.options import IdOptions

__all__ = ["AppliedWrench", "IdOptions", "Loads", "Wrench", "read_loads", "solve_id"]
