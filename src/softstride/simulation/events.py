"""Events: what a user may watch for, instants where a function g(t, q, v) crosses zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.fields import Choice, Frozen, Function, declared

FloatArray = NDArray[np.float64]
Watch = Callable[[float, FloatArray, FloatArray], float]
Map = Callable[[float, FloatArray, FloatArray], tuple[ArrayLike, ArrayLike]]


@dataclass(frozen=True, eq=False)
class Event(Frozen, of="an event"):
    """Something to watch for.

    Attributes:
        function: g(t, q, v), one number; the event is where it crosses zero.
        name: Name in the results.
        direction: +1 only rising, -1 only falling, 0 both.
        terminal: Whether the simulation ends there.
        map: State map at the event, (t, q, v) -> (q, v), for example an impact; the simulation goes on from
            there. Of events at the same instant one happens after the other, in their order; a map whose
            event the maps before it undid (a body turned round before it passed) is left out.
    """

    function: Watch = declared(rule=Function("a function g(t, q, v)"))
    name: str = ""
    direction: int = declared(0, rule=Choice((-1, 0, 1)))
    terminal: bool = False
    map: Map | None = declared(None, rule=Function("a function (t, q, v)"))

    @property
    def cuts(self) -> bool:
        """Whether the step must end at the event."""
        return self.terminal or self.map is not None

    def value(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """Return g, a finite number; the function gets copies of the state."""
        found = np.asarray(self.function(t, q.copy(), v.copy()), dtype=np.float64)
        if found.size != 1:
            raise InputError(
                f"the function of event {self.name!r} must return one number, however {found.shape}."
            )
        g = float(found.reshape(()))
        if not np.isfinite(g):
            raise InputError(
                f"the function of event {self.name!r} is {g} at t = {t:.9g} s; it must be finite."
            )
        return g

    def crossed(self, before: float, after: float) -> bool:
        """Whether g crossed zero in the direction watched; a start on zero is no crossing."""
        rising = before < 0.0 <= after and self.direction >= 0
        return rising or (before > 0.0 >= after and self.direction <= 0)
