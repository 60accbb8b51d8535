"""What is made of a model once and found again as long as the model lives."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Hashable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from softstride.model import Model

V = TypeVar("V")


class _Entry(Generic[V]):
    __slots__ = ("used", "value")

    def __init__(self, value: V) -> None:
        self.value = value
        self.used = 0


class Kept(Generic[V]):
    """Values by model and key; of every model those `most` that were used last. Any thread may ask.

    What is kept may not hold the model itself, or neither would ever go.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: WeakKeyDictionary[Model, dict[Hashable, _Entry[V]]] = WeakKeyDictionary()
        self._clock = itertools.count(1)
        self._lock = threading.Lock()

    def get(self, model: Model, key: Hashable) -> V | None:
        """Return what is kept under a key; None if there is nothing."""
        with self._lock:
            known = self._of.get(model)
            entry = None if known is None else known.get(key)
            if entry is None:
                return None
            entry.used = next(self._clock)
            return entry.value

    def put(self, model: Model, key: Hashable, value: V) -> V:
        """Keep a value, or the one that another thread was quicker to make; return what is kept."""
        with self._lock:
            known = self._of.setdefault(model, {})
            entry = known.setdefault(key, _Entry(value))
            entry.used = next(self._clock)
            if len(known) > self._most:
                del known[min(known, key=lambda each: known[each].used)]
            return entry.value
