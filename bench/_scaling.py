"""How cost grows: time against the number of frames and of links, measured, fitted and drawn."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench._timing import best_of, slope
from softstride import engine
from softstride.model import Model, ModelBuilder, Rod, Section, athlete

Array = NDArray[np.float64]

FRAMES = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
FITTED_FRAMES = 16384  # 72 MB: from here on inputs and results of RNEA come from memory and not from a cache
WHOLE_FRAMES = 512  # from here on a call costs far more than its preparation
LINKS = (16, 32, 64, 128, 256)
LINK_FRAMES = 256


@dataclass(frozen=True)
class Curve:
    """Seconds of one call against a size, and where the straight line begins."""

    label: str
    size: Array
    seconds: Array
    fitted_from: float = 0.0

    @property
    def slope(self) -> float:
        """Exponent of the growth where it is fitted: 1 is linear."""
        return self.slope_from(self.fitted_from)

    def slope_from(self, size: float) -> float:
        """Exponent of the growth from a size on."""
        chosen = self.size >= size
        return slope(self.size[chosen], self.seconds[chosen])


def measure_frames(quick: bool) -> list[Curve]:
    """Return the cost of RNEA and ABA of the athlete against the number of frames."""
    model = athlete(False)
    sizes = FRAMES[1:-1] if quick else FRAMES
    q, v, a = random_motion(model, sizes[-1])
    tau = np.empty_like(v)
    tasks: dict[str, Callable[[int], object]] = {
        "RNEA": lambda n: engine.inverse_dynamics(model, q[:n], v[:n], a[:n], threads=1, out=tau[:n]),
        "ABA": lambda n: engine.forward_dynamics(model, q[:n], v[:n], a[:n], threads=1),
    }
    return [
        _curve(f"{name}, 130 dof", {n: partial(task, n) for n in sizes}, quick, FITTED_FRAMES)
        for name, task in tasks.items()
    ]


def measure_links(quick: bool) -> list[Curve]:
    """Return the cost of chains of ball joints and of rods against the number of links or of segments."""
    sizes = LINKS[:-1] if quick else LINKS
    chains, rods = {n: chain(n) for n in sizes}, {n: rod(n) for n in sizes}
    return [
        _curve("RNEA, ball joints", {n: _inverse(chains[n]) for n in sizes}, quick),
        _curve("ABA, ball joints", {n: _forward(chains[n]) for n in sizes}, quick),
        _curve("RNEA, soft segments", {n: _inverse(rods[n]) for n in sizes}, quick),
    ]


def chain(n: int) -> Model:
    """Return n links on ball joints, one behind the other, 70 kg and 2 m together."""
    builder = ModelBuilder(f"chain of {n}")
    for i in range(n):
        builder.spherical(
            f"link{i}",
            "world" if i == 0 else f"link{i - 1}",
            position=(0.0, 0.0 if i == 0 else -2.0 / n, 0.0),
            mass=70.0 / n,
            com=(0.0, -1.0 / n, 0.0),
            inertia=(0.3 / n, 0.1 / n, 0.3 / n),
        )
    return builder.build()


def rod(n: int) -> Model:
    """Return a blade of n soft segments with bending and torsion free."""
    section = Section.rectangle(0.065, 0.009, density=1600.0, young=60e9, shear=5e9)
    builder = ModelBuilder(f"rod of {n}")
    builder.rod("blade", rod=Rod.uniform(0.6, n, section))
    return builder.build()


def random_motion(model: Model, frames: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return q, v and a of random frames about the neutral pose, in [rad], [rad/s], ..., about 0.3, 1 and 3."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((3, frames, model.nv))
    q = engine.integrate(model, np.tile(model.neutral(), (frames, 1)), 0.3 * steps[0])
    return q, steps[1], 3.0 * steps[2]


def draw(frames: list[Curve], links: list[Curve], file: Path) -> None:
    """Write both plots side by side, logarithmic both ways, beside lines of slope one."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    for ax, curves in zip(axes, (frames, links), strict=True):
        for curve, marker in zip(curves, "os^", strict=False):
            label = f"{curve.label}: slope {curve.slope:.2f}"
            (points,) = ax.loglog(curve.size, 1e3 * curve.seconds, marker, markersize=5, label=label)
            line = 1e3 * curve.seconds[-1] * curve.size / curve.size[-1]
            ax.loglog(curve.size, line, "-", color=points.get_color(), linewidth=0.8, alpha=0.6)
        shown = curves[0].size[1::2] if len(curves[0].size) > 6 else curves[0].size
        ax.set_xticks(shown, [f"{int(n)}" for n in shown])
        ax.minorticks_off()
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize=9, loc="upper left")
    axes[0].set_xlabel("number of frames")
    axes[0].set_ylabel("time of one call, one thread [ms]")
    note = (
        f"lines: slope 1; slopes fitted from {FITTED_FRAMES} frames on\nbelow the line: data still in a cache"
    )
    axes[0].text(0.97, 0.04, note, transform=axes[0].transAxes, fontsize=8, ha="right", va="bottom")
    axes[1].set_xlabel("number of links, or of segments of a rod")
    axes[1].set_ylabel(f"time for {LINK_FRAMES} frames, one thread [ms]")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=160)
    plt.close(figure)


def _curve(
    label: str, tasks: dict[int, Callable[[], object]], quick: bool, fitted_from: float = 0.0
) -> Curve:
    best = best_of(
        {str(n): task for n, task in tasks.items()},
        rounds=2 if quick else 9,
        clock=time.thread_time,
        least=0.01,
    )
    return Curve(label, np.array(list(tasks), dtype=float), np.array(list(best.values())), fitted_from)


def _inverse(model: Model) -> Callable[[], object]:
    q, v, a = random_motion(model, LINK_FRAMES)
    tau = np.empty_like(v)
    return lambda: engine.inverse_dynamics(model, q, v, a, threads=1, out=tau)


def _forward(model: Model) -> Callable[[], object]:
    q, v, tau = random_motion(model, LINK_FRAMES)
    return lambda: engine.forward_dynamics(model, q, v, tau, threads=1)
