"""`softstride info`: this installation, or what a model or a file holds."""

import os
import platform
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from softstride import __version__
from softstride.cli.output import JsonOption, print_json, print_table
from softstride.errors import InputError

PACKAGED = {"athlete": True, "athlete-rigid": False}  # name -> with a blade


def command(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A packaged model: athlete or athlete-rigid; without it, this installation. Files: not yet.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show this installation, or what a model holds."""
    if subject is None:
        _show_installation(json)
    elif subject in PACKAGED:
        _show_model(subject, json)
    else:
        raise InputError(_refusal(subject))


def _refusal(subject: str) -> str:
    suffix = Path(subject).suffix
    packaged = ", ".join(PACKAGED)
    if not suffix:
        return f"no packaged model {subject!r}; there are: {packaged}"
    return f"no reader for {suffix} files in this version; packaged models can be shown: {packaged}"


def _show_installation(json: bool) -> None:
    from softstride.engine import get_threads
    from softstride.engine.jit import cache_folder
    from softstride.engine.lanes import LANES

    folder = cache_folder()
    figures: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cores": os.cpu_count() or 1,
        "lanes": LANES,
        "threads": get_threads(),
        "cache_folder": str(folder),
        "cache_bytes": _size(folder),
    }
    if json:
        print_json(figures)
        return
    for name in ("version", "python", "platform", "cpu", "cores", "lanes", "threads"):
        typer.echo(f"{name:<13} {figures[name]}")
    typer.echo(f"{'kernel cache':<13} {folder}")
    typer.echo(f"{'':<13} {figures['cache_bytes'] / 1e6:.1f} MB of compiled kernels")


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0


def _show_model(name: str, json: bool) -> None:
    from softstride.model import athlete

    model = athlete(blade=PACKAGED[name])
    kinds = Counter(type(link.joint).__name__.lower() for link in model.links)
    if json:
        print_json(
            {
                "name": model.name,
                "links": len(model.links),
                "nq": model.nq,
                "nv": model.nv,
                "mass": model.mass,
                "markers": len(model.markers),
                "muscles": len(model.muscles),
            }
            | {f"joints_{kind}": count for kind, count in sorted(kinds.items())}
        )
        return
    rows = []
    for link in model.links:
        indices = model.v_indices(link.name)
        mass = link.inertia.mass + getattr(link.joint, "mass", 0.0)  # a rod has a mass of its own
        rows.append(
            (link.name, link.parent, type(link.joint).__name__.lower(), str(len(indices)), f"{mass:.3f}")
        )
    rows.append(("total", "", f"nq {model.nq}", str(model.nv), f"{model.mass:.3f}"))
    print_table(
        ("link", "parent", "joint", "dof", "mass [kg]"),
        rows,
        title=f"{model.name}: {len(model.links)} links",
        numbers=(3, 4),
    )
