"""`softstride demo`: a running blade on a swinging leg, as numbers and as a picture."""

from pathlib import Path
from typing import Annotated

import typer

from softstride.cli.output import JsonOption, print_json, print_table
from softstride.errors import InputError

ROWS = (  # figure, words, unit, format
    ("duration_s", "simulated time", "s", ".2f"),
    ("dof", "degrees of freedom", "", ".0f"),
    ("mass_kg", "mass of leg and blade", "kg", ".2f"),
    ("peak_kinetic_energy_J", "peak kinetic energy", "J", ".2f"),
    ("energy_drift_J", "largest drift of the total energy", "J", ".1e"),
    ("max_tip_deflection_mm", "largest deflection of the toe", "mm", ".2f"),
    ("peak_blade_moment_Nm", "peak bending moment in the blade", "N·m", ".2f"),
)


def command(
    out: Annotated[Path, typer.Option(help="Folder for the picture; made if missing.")] = Path("demo"),
    json: JsonOption = False,
) -> None:
    """Simulate a running blade on a swinging leg; print the key numbers and draw them."""
    from softstride.cli.swing import simulate_swing
    from softstride.cli.swing_figure import draw_swing

    picture = out / "swing.png"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make the folder {out}: {error.strerror}; choose another with --out"
        ) from error
    typer.echo(
        "simulating a leg with a running blade (the first run compiles, for about half a minute) ...",
        err=True,
    )
    swing = simulate_swing()
    draw_swing(swing, picture)
    figures = swing.figures()
    if json:
        print_json(figures | {"picture": str(picture)})
        return
    print_table(
        ("", "value", "unit"),
        [(words, format(figures[name], layout), unit) for name, words, unit, layout in ROWS],
        title="A running blade on a swinging leg, let go at rest",
        numbers=(1,),
    )
    typer.echo(f"picture: {picture}")
