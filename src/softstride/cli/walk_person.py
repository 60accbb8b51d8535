"""The person of `softstride walk`: Table A1 of the paper unless mass and height are given, and a step that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.cli.walk_study import WalkOptions
    from softstride.gait.body import Body
    from softstride.gait.recipe import Recipe


def person_of(options: WalkOptions) -> tuple[Body, Recipe]:
    """Return the body that walks, and a recipe for it.

    Packaged recipes are for the body of Table A1. For another person a step with the paper's times is found, unless a
    file has one.

    Raises:
        InputError: Mass or height is missing, the recipe is for another body, or no step was found.
    """
    from softstride.gait.body import Body
    from softstride.gait.recipe import RECIPES, load_recipe

    if options.mass is None and options.height is None:
        if options.sex is not None:
            raise InputError("--sex belongs to a person: give --mass and --height too")
        return Body(), load_recipe(options.recipe or "B")
    if options.mass is None or options.height is None:
        raise InputError("a person needs both --mass and --height")
    body = Body.from_person(options.mass, options.height, options.sex or "male")
    if options.recipe is None:
        return body, found_recipe(body, options)
    if options.recipe.lower() in {name.lower() for name in RECIPES}:
        raise InputError(
            f"--recipe {options.recipe} is for the body of the paper: leave it out, and a step is found for this "
            "person, or give the file of one"
        )
    return body, load_recipe(options.recipe)


def found_recipe(body: Body, options: WalkOptions) -> Recipe:
    """Find a step with the paper's times for a body."""
    from softstride.gait.optimise import WantedStep, find_step

    typer.echo("finding a step for this person, which takes some seconds ...", err=True)
    name = f"for {options.mass:g} kg and {options.height:g} m"
    found = find_step(body, WantedStep(rff=options.rff or "impulse"), name=name)
    if not found.converged:
        raise InputError(f"no step was found {name}: {found.status}; {found.violated}")
    return found.recipe
