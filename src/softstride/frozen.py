"""A mapping that nobody can change: what frozen results keep their named parts in."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

V = TypeVar("V")


class Table(Mapping[str, V]):
    """Read-only, ordered, picklable mapping from names to parts."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, V] | None = None) -> None:
        """Copy `items`, keeping their order."""
        self._items: dict[str, V] = dict(items or {})

    def __getitem__(self, name: str) -> V:
        """Return the part of this name."""
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in order."""
        return iter(self._items)

    def __len__(self) -> int:
        """Return the number of parts."""
        return len(self._items)

    def __repr__(self) -> str:
        """Show the parts."""
        return f"{type(self).__name__}({self._items!r})"
