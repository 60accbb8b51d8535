"""`softstride blade`: a virtual load test of a running blade, as numbers, a picture and an animation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.files import filled
from softstride.cli.output import JsonOption, print_json, print_table
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.model.blade import Blade
    from softstride.simulation.load_curve import LoadTest

STANDARD = 1000.0  # [N]
MOST_STEPS = 15


def command(
    blade: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME", help="A blade (.toml, .csv), or a packaged one such as c-medium."
        ),
    ],
    angles: Annotated[
        str,
        typer.Option(
            help="Angles of the clamp in degrees, with commas; positive turns the toe down.",
            metavar="A,B,...",
        ),
    ] = "0,10,25",
    max_load: Annotated[
        float | None,
        typer.Option(help="Largest force, in newtons; the blade's own unless given.", metavar="N"),
    ] = None,
    friction: Annotated[float, typer.Option(help="Coefficient of friction of the ground.")] = 0.0,
    duration: Annotated[
        float, typer.Option(help="Loading and unloading, in seconds; for the energy return.", metavar="S")
    ] = 0.12,
    category: Annotated[str | None, typer.Option(help="Category of a file that has several.")] = None,
    fit: Annotated[
        Path | None,
        typer.Option(
            help="Fit the stiffness to a measured table (.csv with columns such as deflection_mm, force_N, angle_deg).",
            metavar="TABLE",
        ),
    ] = None,
    unknown: Annotated[str, typer.Option(help="What --fit changes: young or thickness.")] = "young",
    out: Annotated[Path, typer.Option(help="Folder for picture and animation; made if missing.")] = Path(
        "blade"
    ),
    json: JsonOption = False,
) -> None:
    """Press a running blade against the ground: stiffness, deflection, energy return, and what it looks like.

    For example:

    softstride blade c-medium --angles 0,10,25

    softstride blade my_blade.toml --fit measured.csv --out my_blade
    """
    import numpy as np

    from softstride.cli.blade_animation import write_animation
    from softstride.cli.blade_figure import draw_load_test
    from softstride.simulation.load_test import fit_stiffness, load_test

    degrees = _angles(angles)
    if max_load is not None and not (np.isfinite(max_load) and max_load > 0.0):
        raise InputError(f"--max-load must be above zero, however it is {max_load:g} N.")
    found = _find(blade, category)
    measured = None
    if fit is not None:
        from softstride.model.blade_file import read_load_table

        if unknown not in ("young", "thickness"):
            raise InputError(f"--unknown must be young or thickness, however it is {unknown!r}.")
        measured = read_load_table(fit)
        found = fit_stiffness(found, measured, unknown=unknown)  # type: ignore[arg-type]
    loads = np.linspace(0.0, found.max_load if max_load is None else max_load, MOST_STEPS + 1)[1:]
    test = load_test(found, degrees, loads, friction=friction, duration=duration)
    _refuse_nothing(test)
    picture, film = out / "blade.png", out / "blade.html"
    with filled(out):
        draw_load_test(test, picture, measured)
        write_animation(test, film)
    figures = load_figures(test) | ({} if measured is None else _misfit(test, measured, found, unknown))
    if json:
        print_json(figures | {"picture": str(picture), "animation": str(film)})
        return
    _print(test, figures)
    typer.echo(f"picture: {picture}\nanimation: {film}")


def _refuse_nothing(test: LoadTest) -> None:
    """Refuse a test in which the blade gave way before the first load at some angle."""
    import numpy as np

    from softstride.simulation.load_press import carried

    for angle, ok, force in zip(test.angles, test.converged, test.force, strict=True):
        if ok.sum() < 2:
            most = carried(test.blade, float(angle), "ground", test.friction)
            raise InputError(
                f"blade {test.blade.name!r} gives way at about {most:.0f} N at {np.degrees(angle):g} degrees, before "
                f"the first load of {force[1]:.0f} N; choose a smaller --max-load"
            )


def load_figures(test: LoadTest) -> dict[str, Any]:
    """Return the key numbers by name; lists have one number for each angle."""
    import numpy as np

    fits = test.fits
    last = np.nanmax(np.where(test.converged, test.force, np.nan), axis=1)
    return {
        "blade": test.blade.name,
        "source": test.blade.source,
        "mass_kg": test.blade.mass,
        "length_m": test.blade.length,
        "height_m": test.blade.height(),
        "young_Pa": test.blade.material.get("young", np.nan),
        "angles_deg": np.degrees(test.angles).round(9).tolist(),
        "stiffness_N_per_m": [fit.linear for fit in fits],
        "secant_stiffness_N_per_m": test.stiffness.tolist(),
        "initial_stiffness_N_per_m": [fit.quadratic[0] for fit in fits],
        "quadratic_N_per_m2": [fit.quadratic[1] for fit in fits],
        "r2_linear": [fit.r2_linear for fit in fits],
        "r2_quadratic": [fit.r2_quadratic for fit in fits],
        "deflection_at_1000_N_mm": (1e3 * test.deflection_at(STANDARD)).tolist(),
        "largest_force_N": last.tolist(),
        "energy_J": np.nanmax(test.energy, axis=1).tolist(),
        "energy_return": test.energy_return.tolist(),
        "max_strain": np.nanmax(test.strain, axis=1).tolist(),
        "gives_way_at_N": test.gives_way.tolist(),
        "sticks": test.sticks.tolist(),
        "converged": bool(test.converged.all()),
    }


def _misfit(test: LoadTest, measured: Any, blade: Blade, unknown: str) -> dict[str, Any]:
    """Return how far the fitted blade is from the measured table."""
    import numpy as np

    from softstride.simulation.load_test import load_test

    degrees = measured[:, 2] if measured.shape[1] == 3 else np.zeros(len(measured))
    top = float(np.max(measured[:, 1]))
    kinds = np.unique(degrees)
    again = load_test(blade, tuple(kinds), np.linspace(0.0, top, 13)[1:])
    gaps = []
    for i, kind in enumerate(kinds):
        rows = measured[(degrees == kind) & (measured[:, 1] > 0.0)]
        ok = again.converged[i]
        gaps.append(np.interp(rows[:, 1], again.force[i][ok], again.deflection[i][ok]) - rows[:, 0])
    rms = float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))
    thickest = 1e3 * float(blade.thickness.max())
    return {"fitted": unknown, "fit_rms_mm": 1e3 * rms, "thickest_segment_mm": thickest}


def _print(test: LoadTest, figures: dict[str, Any]) -> None:
    heads: tuple[str, ...] = (
        "angle",
        "stiffness",
        "against 0",
        "at 1000 N",
        "energy",
        "returned",
        "max strain",
        "R² linear",
        "R² quadratic",
    )
    weak = not figures["converged"]
    if weak:
        heads = (*heads, "")
    first = figures["stiffness_N_per_m"][0]
    rows: list[tuple[str, ...]] = []
    for i, angle in enumerate(figures["angles_deg"]):
        k = figures["stiffness_N_per_m"][i]
        rows.append(
            (
                f"{angle:g}°",
                f"{k / 1e3:.1f} kN/m",
                f"{100.0 * (k / first - 1.0):+.0f} %" if i else "",
                f"{figures['deflection_at_1000_N_mm'][i]:.1f} mm",
                f"{figures['energy_J'][i]:.1f} J",
                f"{100.0 * figures['energy_return'][i]:.1f} %",
                f"{100.0 * figures['max_strain'][i]:.2f} %",
                f"{figures['r2_linear'][i]:.4f}",
                f"{figures['r2_quadratic'][i]:.4f}",
            )
        )
        if weak:
            load = figures["gives_way_at_N"][i]
            rows[-1] = (*rows[-1], f"gives way at {load:.0f} N" if load == load else "")
    title = (
        f"{figures['blade']}: {figures['mass_kg']:.2f} kg, {figures['length_m']:.2f} m along, "
        f"{figures['height_m']:.2f} m high, pressed with up to {test.force[:, -1].max():.0f} N"
    )
    print_table(heads, rows, title=title, numbers=range(1, 9))
    if figures["source"]:
        typer.echo(f"source: {figures['source']}")
    if "fitted" in figures:
        typer.echo(
            f"fitted {figures['fitted']}: E = {figures['young_Pa'] / 1e9:.2f} GPa, thickest segment "
            f"{figures['thickest_segment_mm']:.2f} mm, {figures['fit_rms_mm']:.2f} mm rms from the table"
        )
    if any(figures["sticks"]):
        held = ", ".join(
            f"{a:g}°" for a, one in zip(figures["angles_deg"], figures["sticks"], strict=True) if one
        )
        typer.echo(
            f"friction would hold the toe at {held}, however the test lets it slide: take less friction"
        )
    if not figures["converged"]:
        typer.echo(
            "not all loads were reached: the blade gives way, or touches the ground in two places; numbers of such "
            "rows are for the loads below"
        )


def _find(subject: str, category: str | None) -> Blade:
    from softstride.files import packaged
    from softstride.model.blade_file import read_blade
    from softstride.model.library.blades import blade, blade_names

    found = packaged(subject, blade_names(), "packaged blade")
    return blade(found) if isinstance(found, str) else read_blade(found, category)


def _angles(text: str) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--angles must be numbers with commas such as 0,10,25, not {text!r}") from None
    if len(set(values)) != len(values):
        raise InputError(f"--angles must be different, not {text!r}")
    return values
