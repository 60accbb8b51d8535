"""`softstride view`: a trial in 3D in the browser, or a bench for forward walking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.files import DegreesOption, ModelOption, MotionOption
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.viewer.server import Address

LOOPBACK = "127.0.0.1"


def command(
    study: Annotated[
        Path | None,
        typer.Argument(metavar="STUDY", help="A study (.study.nc), or the folder of an analysis."),
    ] = None,
    ghost: Annotated[
        Path | None, typer.Option(metavar="STUDY", help="A second study, shown as a ghost.")
    ] = None,
    model: ModelOption = None,
    motion: MotionOption = None,
    recording: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="With --motion: markers and forces beside it (.c3d, .trc, .mot, .xml)."
        ),
    ] = None,
    degrees: DegreesOption = None,
    walk: Annotated[
        bool, typer.Option("--walk", help="A bench for forward walking: change joint moments, see the step.")
    ] = False,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="With --walk: A, B, natural, or a file (.toml). B unless given."
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="Frames a second at most; all of them unless given.")
    ] = None,
    muscles: Annotated[
        bool,
        typer.Option("--muscles/--no-muscles", help="Whether muscles are shown; they take time to draw."),
    ] = True,
    dark: Annotated[bool, typer.Option("--dark", help="A dark page to begin with.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to serve; this machine alone unless given.")
    ] = LOOPBACK,
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Port; the first free one from 8080 unless given.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--open/--no-browser", help="Whether to open the page in the browser.")
    ] = True,
    json: JsonOption = False,
) -> None:
    """Show a trial in 3D in the browser, or try what a changed joint moment does to a step.

    The page is served on this machine until Ctrl-C; nothing leaves it. Its address holds a key, without which nobody
    sees anything. In the page space plays and pauses, 1 to 5 are cameras.

    For example:

    softstride view results/walk.study.nc

    softstride view before.study.nc --ghost after.study.nc

    softstride view --model subject.osim --motion ik.mot --recording walk.c3d

    softstride view --walk
    """
    _check(study, motion, model, walk, {"--ghost": ghost, "--recording": recording, "--recipe": recipe})
    from softstride.viewer.server import find_address, viser

    viser()
    address = find_address(host, port)

    def tell(url: str) -> None:
        _warn(address)
        if json:
            print_json({"url": url, "host": address.host, "port": address.port})
        else:
            _say(address, browser)

    options: dict[str, Any] = {"dark": dark, "browser": browser, "tell": tell}
    if walk:
        _walk(address, recipe, options)
    else:
        _trial(address, study, ghost, (model, motion, recording, degrees), (rate, muscles), options)


def _check(
    study: Path | None, motion: Path | None, model: str | None, walk: bool, others: dict[str, object]
) -> None:
    """Refuse what does not go together."""
    asked = [name for name, given in (("STUDY", study), ("--motion", motion), ("--walk", walk)) if given]
    if len(asked) != 1:
        what = f"however {' and '.join(asked)} were given" if asked else "however nothing was named"
        raise InputError(
            f"give one of: a study, --model with --motion, or --walk for the bench; {what}. "
            "`softstride analyze` writes studies, and `softstride demo` makes one to try"
        )
    if motion is not None and model is None:
        raise InputError("--motion needs its model: give --model too")
    needs = {"--ghost": study or motion, "--recording": motion, "--recipe": walk}
    owners = {"--ghost": "a study or --motion", "--recording": "--motion", "--recipe": "--walk"}
    for name, given in others.items():
        if given is not None and not needs[name]:
            raise InputError(f"{name} goes with {owners[name]}, however {asked[0]} was given")


def _walk(address: Address, recipe: str | None, options: dict[str, Any]) -> None:
    from softstride.viewer.show import show_walk
    from softstride.viewer.walk_bench import Settings, WalkBench

    show_walk(WalkBench(Settings(recipe or "B")), address, **options)


def _trial(
    address: Address,
    study: Path | None,
    ghost: Path | None,
    motion: tuple[str | None, Path | None, Path | None, bool | None],
    drawn: tuple[float | None, bool],
    options: dict[str, Any],
) -> None:
    from softstride.cli.view_sources import from_motion, from_study
    from softstride.viewer.show import show_scene

    model, moved, recording, degrees = motion
    rate, muscles = drawn
    if study is not None:
        shown = from_study(study, rate, muscles)
    else:
        shown = from_motion(str(model), Path(str(moved)), recording, degrees, rate, muscles)
    other = None if ghost is None else from_study(ghost, rate, muscles=False).scene
    if shown.note:
        typer.echo(f"softstride: {shown.note}", err=True)
    show_scene(shown.scene, address, plots=shown.plots, ghost=other, **options)


def _warn(address: Address) -> None:
    """Say so if others can see the page, and who."""
    if address.open_to_others:
        everywhere = address.host in ("0.0.0.0", "::", "")
        where = "in any network that this one is in" if everywhere else f"that reaches {address.host}"
        typer.echo(
            f"softstride: warning: --host {address.host} lets others on the network see this page and use its "
            f"controls: everybody on a machine {where} who has its whole address, or listens in, since nothing is "
            "encrypted; leave --host out to keep it on this machine",
            err=True,
        )


def _say(address: Address, browser: bool) -> None:
    """Print where the page is."""
    from softstride.viewer.show import has_screen

    opens = browser and has_screen()
    typer.echo(f"the page is at {address.url}{'' if opens else ': open it in a browser'}")
    typer.echo("Ctrl-C ends it")
