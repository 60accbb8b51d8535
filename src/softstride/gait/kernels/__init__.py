"""Compiled mathematics of the walker: one source of the equations for single states, whole walks and the integrator."""
