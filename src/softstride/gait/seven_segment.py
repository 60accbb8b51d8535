"""`SevenSegment`: a walker of seven segments that is given moments and walks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.fields import Choice, Frozen, Whole, checked, declared
from softstride.fields import Limits as Bounds
from softstride.gait.body import Body
from softstride.gait.feedback import Impedance
from softstride.gait.maps import OLD_TOE
from softstride.gait.moments import MomentHistory
from softstride.gait.options import Integration, Limits
from softstride.gait.passive import Ligaments, ToeSpring
from softstride.gait.perturbation import Perturbation
from softstride.gait.recipe import FOOT_FLAT, Recipe, load_recipe
from softstride.gait.start import Start
from softstride.gait.states import DAMPER, SPRING, walker_of

if TYPE_CHECKING:
    from softstride.gait.kernels.walker import Walker
    from softstride.gait.walk import Walk


@dataclass(frozen=True, eq=False)
class SevenSegment(Frozen):
    """The model of [Onyshko1980]: four phases, events between them, steps that follow one another.

    Attributes:
        body: Lengths, masses and inertias; those of Table A1 unless given.
        spring: Stiffness between the hips in double support [N/m].
        damper: Damping there [N s/m].
        rff: What happens at foot flat: "impulse", a plastic impact of the sole; "keep", the foot alone stops; None:
            what the recipe says, "impulse" without one.
        old_toe: What the toe that stood does as the other heel strikes: "pinned", the impact holds it to the floor, and
            a double support follows; "free", it is let go, and single support follows at once. A toe that is let go and
            would move down is held all the same, with a note.
        ligaments: Passive moments at the ends of the joints' ranges; None: none, as in the paper.
        toe_spring: A spring under the toes in phase 4; None: none.
        feedback: Joint impedance about a nominal; None: the moments alone.
        limits: When the walker has fallen.
    """

    body: Body = declared(Body())
    spring: float = declared(SPRING, unit="N/m", above=0.0)
    damper: float = declared(DAMPER, unit="N s/m", least=0.0)
    rff: str | None = declared(None, rule=Choice(FOOT_FLAT))
    old_toe: str = declared("pinned", rule=Choice(OLD_TOE))
    ligaments: Ligaments | None = declared(None)
    toe_spring: ToeSpring | None = declared(None)
    feedback: Impedance | None = declared(None)
    limits: Limits = declared(Limits())

    @property
    def walker(self) -> Walker:
        """The body as kernels take it."""
        return walker_of(self.body, self.spring, self.damper)

    def simulate(
        self,
        start: str | Recipe | Start = "B",
        moments: MomentHistory | None = None,
        *,
        steps: int = 1,
        perturb: str | Perturbation | Iterable[str | Perturbation] = (),
        rate: float = 500.0,
        times: ArrayLike | None = None,
        method: str = "dop853",
        step: float | None = None,
        rtol: float = 1e-10,
        atol: float = 1e-12,
        max_step: float = 2e-3,
        locate: bool | None = None,
    ) -> Walk:
        """Walk.

        Args:
            start: A recipe, its name ("A" or "B"), or a `Start` as the right heel strikes.
            moments: Joint moments in every step, time counted from its heel strike; None: those of the recipe.
            steps: How many steps; every second one is mirrored.
            perturb: Changes of moments such as "left_ankle:1=+20%"; see `Perturbation.parse`.
            rate: Frames a second [Hz]; the last instant is a frame of its own.
            times: Instants of the frames [s], increasing, instead; those that are not reached are left out.
            method: "dop853" (order 8), "rk4" or "euler"; see `Integration` for the rest.
            step: Fixed step [s]; None: the error is controlled, by "dop853" alone.
            rtol: Relative tolerance.
            atol: Absolute tolerance.
            max_step: Longest step [s].
            locate: Whether events are located inside steps.

        Returns:
            The walk. One that ends in a fall, or in a phase that does not end, has `completed` False and says in
            `reason` when and how; what was simulated is there.

        Raises:
            InputError: A start that cannot be, options that do not fit, or a fixed step that cannot hold the spring.
        """
        from softstride.gait.simulate import Plan, walk

        given: Recipe | Start = load_recipe(start) if isinstance(start, str) else start
        if not isinstance(given, (Recipe, Start)):
            raise InputError(f"start must be a Recipe, its name or a Start, however it is {start!r}")
        history = given.moments if moments is None and isinstance(given, Recipe) else moments
        if not isinstance(history, MomentHistory):
            raise InputError(f"moments must be a MomentHistory, however they are {history!r}")
        steps = checked(Whole(Bounds(least=1)), steps, "steps")
        each = [perturb] if isinstance(perturb, (str, Perturbation)) else list(perturb)
        plan = Plan(
            start=given,
            moments=history,
            steps=steps,
            perturbations=tuple(Perturbation.parse(p) if isinstance(p, str) else p for p in each),
            rff=self.rff or (given.rff if isinstance(given, Recipe) else "impulse"),
            integration=Integration(method, step, rtol, atol, max_step, locate),
            rate=rate,
            times=times,
        )
        return walk(self, plan)
