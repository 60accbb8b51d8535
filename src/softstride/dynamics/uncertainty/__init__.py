"""How well loads are known: errors of markers, inertia, plates and blades, propagated to bands."""

from softstride.dynamics.uncertainty.propagate import load_bands

__all__ = ["load_bands"]
