"""Compiled scalar code of the contact models, for right-hand sides that are compiled as a whole.

rolling     `roll_exponential`: s, h, h', ρ of a `RollingSurface` from its table
spline      `roll_spline`: the same of a `SplineSurface`
spheres     `sphere_force`: what the ground does to one sphere
laws        `bristle_force`: grip with a Coulomb limit

Each is a function of numbers and of one array that a `..._table` function makes from the Python object; call them from
functions that `softstride.engine.jit` compiles. Nothing is compiled before its first call.
"""
