"""Numbers in perfect order, all at once: the fast path of `table`.

The bytes are first checked as a whole, by a few vectorised passes. They are then converted as a whole by SciPy's reader
of Matrix Market arrays, which is `fast_float` in C++: correctly rounded, and several times as fast as what NumPy has.
That reader ignores what follows a number on its line and does not survive a zero byte, hence the check comes first.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_DIGIT, _MINUS, _DOT, _EXPONENT, _END, _NAN, _PLUS = 1, 2, 4, 8, 16, 32, 64
_CLASSES = {
    b"0123456789": _DIGIT,
    b"-": _MINUS,
    b".": _DOT,
    b"eE": _EXPONENT,
    b"\t\n": _END,
    b"?": _NAN,
    b"+": _PLUS,
}
# What may follow each class. A leading plus is left to the slow path: the fast converter refuses it.
_FOLLOWERS = {
    _DIGIT: _DIGIT | _DOT | _EXPONENT | _END,
    _MINUS: _DIGIT | _DOT,
    _PLUS: _DIGIT,
    _DOT: _DIGIT | _EXPONENT | _END,
    _EXPONENT: _DIGIT | _MINUS | _PLUS,
    _END: _DIGIT | _MINUS | _DOT | _NAN,
    _NAN: _END,
    0: 0,
}
_CLASS_OF = bytes(next((c for text, c in _CLASSES.items() if byte in text), 0) for byte in range(256))
_FOLLOWERS_OF = bytes(_FOLLOWERS[kind] for kind in _CLASS_OF)
_NOT_ENDS = bytes(byte for byte in range(256) if byte not in b"\t\n")

_PIECE = 1 << 24  # bytes that are converted at once
_BLOCK = 1 << 16  # bytes that are checked at once: they stay in the cache

_PLAIN = b"0123456789+-.eE\t\n"


def read_clean(body: bytes, n_columns: int) -> FloatArray | None:
    """Return the values of a table in perfect order, else None; piece by piece, so that copies stay small.

    Args:
        body: Rows of tab-separated cells: numbers, blanks, NaN; blanks around them; a tab behind each row or none.
        n_columns: Cells of every row.
    """
    if b"?" in body:  # stands for NaN below
        return None
    if body.startswith(b"\n") or body.endswith(b"\n\n") or not body.endswith(b"\n"):
        body = body.strip(b"\n") + b"\n"
    pieces: list[FloatArray] = []
    start = 0
    while start < len(body):
        end = (body.find(b"\n", start + _PIECE) + 1 if len(body) > _PIECE else 0) or len(body)
        values = _read_clean_piece(body[start:end], n_columns)
        if values is None:
            return None
        pieces.append(values)
        start = end
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _read_clean_piece(body: bytes, n_columns: int) -> FloatArray | None:
    from scipy.io import mmread  # 0.15 s to import: only where numbers are read

    width, n_rows = _regular_shape(body)
    if width == n_columns + 1 and body.count(b"\t\n") == n_rows:
        body = body.replace(b"\t\n", b"\n")
    elif width != n_columns:
        return None
    if not _is_well_formed(body):
        tidy = _tidy(body)
        if tidy is None or not _is_well_formed(tidy):
            return None
        body = tidy
    head = b"%%%%MatrixMarket matrix array real general\n%d 1\n" % (n_rows * n_columns)
    text = head + body.replace(b"\t", b"\n").replace(b"?", b"nan")
    try:
        values = np.asarray(mmread(io.BytesIO(text)), dtype=np.float64)
    except (ValueError, OverflowError):
        return None
    _restore_negative_zeros(values.reshape(-1), np.frombuffer(text, dtype=np.uint8)[len(head) - 1 :])
    return values.reshape(n_rows, n_columns)


def _restore_negative_zeros(values: FloatArray, lines: NDArray[np.uint8]) -> None:
    """Give zeros their signs back: the converter adds each number to 0.0, and 0.0 + -0.0 is 0.0.

    Args:
        values: The numbers, shape (n,), changed in place.
        lines: The characters they came from, one number a line, with a line end before the first.
    """
    zeros = np.flatnonzero(values == 0.0)
    if zeros.size:
        first = np.flatnonzero(lines == ord("\n"))[zeros] + 1
        values[zeros[lines[first] == ord("-")]] = -0.0


def _tidy(body: bytes) -> bytes | None:
    """Return the body without padding and with `?` in the cells that are blank or NaN; None if it holds more."""
    odd = body.translate(None, _PLAIN)
    if odd.strip(b" naN") or (b" " in odd and not _blanks_are_padding(body)):
        return None
    if odd:
        body = body.translate(None, b" ").lower().replace(b"nan", b"?").replace(b"-?", b"?")
    body = b"\n" + body
    for _ in range(2):  # of three tabs in a row the first pass sees only one pair
        body = body.replace(b"\t\t", b"\t?\t")
    return body.replace(b"\n\t", b"\n?\t").replace(b"\t\n", b"\t?\n")[1:]


def _blanks_are_padding(body: bytes) -> bool:
    """Return whether every run of spaces touches a tab or the end of a line, so that dropping it joins nothing."""
    text = np.frombuffer(b"\n" + body, dtype=np.uint8)
    blanks = np.flatnonzero(text == ord(" "))
    first = blanks[np.flatnonzero(np.diff(blanks, prepend=-1) != 1)]
    last = blanks[np.flatnonzero(np.diff(blanks, append=text.size + 1) != 1)]
    before, after = text[first - 1], text[last + 1]
    return bool(np.all((before <= ord("\n")) | (after <= ord("\n"))))


def _regular_shape(body: bytes) -> tuple[int, int]:
    """Return the number of cells that every row has, -1 if they differ, and the number of rows."""
    ends = np.frombuffer(body.translate(None, _NOT_ENDS), dtype=np.uint8)
    widths = np.diff(np.flatnonzero(ends == ord("\n")), prepend=-1)
    return int(widths[0]) if np.all(widths == widths[0]) else -1, widths.size


def _is_well_formed(body: bytes) -> bool:
    """Return whether a body that ends with a line end is numbers and `?`, one between any two tabs or line ends."""
    text = b"\n" + body
    if not all(
        _neighbours_fit(text[start : start + _BLOCK + 2]) for start in range(0, len(text) - 1, _BLOCK)
    ):
        return False
    parts = np.frombuffer(body.translate(_CLASS_OF, b"0123456789+-?"), dtype=np.uint8)
    # A dot after a dot or an exponent of the same number, or an exponent after an exponent.
    second_dot = np.minimum(parts[:-1] & (_DOT | _EXPONENT), parts[1:] & _DOT)
    second_exponent = parts[:-1] & parts[1:] & _EXPONENT
    return not (np.max(second_dot, initial=0) or np.max(second_exponent, initial=0))


def _neighbours_fit(text: bytes) -> bool:
    """Return whether each byte may follow the one or two before it."""
    kind = np.frombuffer(text.translate(_CLASS_OF), dtype=np.uint8)
    followers = np.frombuffer(text.translate(_FOLLOWERS_OF), dtype=np.uint8)
    if np.min(followers[:-1] & kind[1:]) == 0:
        return False
    before, here, after = kind[:-2], kind[1:-1], kind[2:]
    # The smallest of three masks is not zero only where all three match: vectorised passes without a branch.
    bare_dot = np.minimum(np.minimum(before & (_END | _MINUS), after & (_END | _EXPONENT)), here & _DOT)
    dot_in_exponent = np.minimum(np.minimum(before & _EXPONENT, after & _DOT), here & _MINUS)
    return not (np.max(bare_dot, initial=0) or np.max(dot_in_exponent, initial=0))
