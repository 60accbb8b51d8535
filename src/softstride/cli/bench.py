"""`softstride bench`: us and the peers, side by side.

The benchmarks are scripts of the source checkout (`bench/<name>.py`), because they need peers that the
package itself never imports. Each offers `main(json: bool, quick: bool) -> dict[str, float]`.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

PEERS = frozenset({"pinocchio", "mujoco", "opensim", "elastica", "ezc3d"})


def command(
    name: Annotated[str | None, typer.Argument(help="One benchmark; without it, all of them.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions: a rough figure.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure softstride beside its peers; ratios above 1 mean that softstride is ahead."""
    scripts = find_benchmarks()
    if name is not None and name not in scripts:
        raise InputError(f"no benchmark {name!r}; there are: {', '.join(scripts)}")
    figures: dict[str, float] = {}
    for chosen in [name] if name else list(scripts):
        measured = run_benchmark(scripts[chosen], json=json, quick=quick)
        figures |= measured if name else {f"{chosen}.{key}": value for key, value in measured.items()}
    if json:
        print_json(figures)


def find_benchmarks() -> dict[str, Path]:
    """Return the benchmark scripts of the source checkout by name.

    Raises:
        InputError: Neither the package nor the working folder is in a checkout.
    """
    beside_package = Path(__file__).resolve().parents[3] / "bench"
    for folder in (beside_package, Path.cwd() / "bench"):
        scripts = {file.stem: file for file in sorted(folder.glob("[a-z]*.py"))}
        if scripts:
            return scripts
    raise InputError(
        "the benchmarks are part of the source checkout and not of the installed package: "
        "run this command in the folder that holds bench/"
    )


def run_benchmark(script: Path, *, json: bool = False, quick: bool = False) -> dict[str, float]:
    """Load a benchmark by its path and run its `main`.

    Args:
        script: The file.
        json: Ask it to keep quiet: the caller prints the figures.
        quick: Ask for fewer repetitions.

    Returns:
        Figures by name.

    Raises:
        InputError: A peer is not installed, or the script has no `main`.
    """
    sys.path.insert(0, str(script.parent))  # benchmarks share helpers that sit beside them
    try:
        return _load_main(script)(json=json, quick=quick)
    except ModuleNotFoundError as error:
        if error.name not in PEERS:
            raise
        raise InputError(
            f"benchmark {script.stem!r} needs {error.name}: pip install 'softstride[bench]'"
        ) from error
    finally:
        sys.path.remove(str(script.parent))


def _load_main(script: Path) -> Callable[..., dict[str, float]]:
    spec = importlib.util.spec_from_file_location(f"softstride_bench_{script.stem}", script)
    if spec is None or spec.loader is None:
        raise InputError(f"{script} cannot be loaded as a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    main: Callable[..., dict[str, float]] | None = getattr(module, "main", None)
    if main is None:
        raise InputError(f"{script} has no main(json, quick), so it is not a benchmark")
    return main
