"""Tables of bad input: each row says what is changed in a valid call, and how the change is refused."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

Changes = Mapping[str, Any] | Callable[..., Any]


@dataclass(frozen=True)
class Refusal:
    """One row of a table; the row without an error is the valid call itself, which must succeed."""

    changes: Changes
    error: type[BaseException] | None = None
    words: str = ""

    def __call__(self, call: Callable[..., Any], **valid: Any) -> None:
        """Make the call with its valid arguments and the changes of this row, and check how it ends."""
        if self.error is None:
            call(**valid)
            return
        changed = self.changed(valid)
        assert changed, "a row of bad input changes nothing"
        with pytest.raises(self.error, match=self.words):
            call(**valid | changed)

    def changed(self, valid: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that this row changes; what a function returns takes the place of what it takes."""
        if not callable(self.changes):
            return dict(self.changes)
        names = list(inspect.signature(self.changes).parameters)
        made = self.changes(*(valid[name] for name in names))
        made = [made] if len(names) == 1 else made
        return {name: value for name, value in zip(names, made, strict=True) if value is not valid[name]}

    @property
    def id(self) -> str:
        """The words of the message without the marks of a regular expression."""
        plain = re.sub(r"\\(.)|\.\*", lambda mark: mark[1] or "..", self.words)
        return plain[:60] if self.error else "nothing changed"


def bad_input(
    error: type[BaseException], *rows: tuple[Changes, str] | tuple[Changes, str, type[BaseException]]
) -> pytest.MarkDecorator:
    """Run the test below once with nothing changed and once for each row.

    A row holds the changed arguments, by name, the words of the message (a regular expression), and its class of
    error where that is another one than the table's. Changes that need valid arguments are a function of these that
    returns what takes their places. The test gets the row as `refuses` and gives it the valid call::

        @bad_input(
            InputError,
            ({"order": 0}, "order must be at least 1"),
            (lambda x: x[:2], "too few frames, 2"),
        )
        def test_what_is_refused(refuses):
            refuses(butterworth, x=np.zeros(100), rate=100.0, order=2)
    """
    table = [Refusal({})]
    for changes, words, *other in rows:
        table.append(Refusal(changes, *other or [error], words))
    return pytest.mark.parametrize("refuses", table, ids=[row.id for row in table])
