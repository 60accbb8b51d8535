"""Frames in lanes: formulas traced into vector code, one processor lane a frame.

A kernel is a Numba function that walks the tree. What it does at one node is a *straight* function: plain Python
on :class:`Lane` scalars, run once while the kernel is compiled. Every ``+ - *`` then emits one LLVM instruction on
a vector ``<LANES x double>`` that holds the same quantity of ``LANES`` consecutive frames, so the code is
vectorised by construction, and zeros and ones known beforehand cost nothing. A straight function has no branches
on data and its Python loops unroll.

Its arguments are wrapped by their annotation:

    Rows     float64 (n_rows, LANES)    scratch: ``m[i]`` is the vector of row i
    Frames   float64 (n_frames, n)      frame-major data: ``x[f, j]`` gathers column j of frames f .. f + LANES - 1
    Params   float64 (n,)               constants of the model: ``c[i]`` is the same in every lane
    Index    int64                      a position in one of these
    any named tuple                     its fields, wrapped by their own types; integer tables give `Index`
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, get_type_hints

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba.core import cgutils, types
from numba.extending import intrinsic

from softstride.errors import InputError


def _lanes() -> int:
    wanted = os.environ.get("SOFTSTRIDE_LANES") or ("8" if get_host_cpu_features().get("avx512f") else "4")
    if wanted not in ("2", "4", "8", "16"):
        raise InputError(f"SOFTSTRIDE_LANES must be 2, 4, 8 or 16, however it is {wanted!r}")
    return int(wanted)


LANES = _lanes()
"""Frames handled at once: one register of this processor, unless SOFTSTRIDE_LANES says otherwise."""

BOUNDSCHECK = os.environ.get("SOFTSTRIDE_BOUNDSCHECK", "") not in ("", "0")
"""Whether every access of a kernel is checked (slow; for tests)."""

# Reassociation is left out: it lets LLVM change the result with the surrounding code.
FLAGS = ("contract", "nsz", "arcp")

_DOUBLE = ir.DoubleType()
_INT = ir.IntType(64)
_VECTOR = ir.VectorType(_DOUBLE, LANES)
_ALIGNMENT = min(64, 8 * LANES)  # bytes; scratch begins at a multiple of 64

Number = float | int


class _Site:
    """Where instructions go: the function being compiled."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        self.context = context
        self.builder = builder

    def splat(self, scalar: ir.Value) -> Lane:
        one = self.builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0)
        )
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return Lane(self, self.builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), mask))

    def constant(self, value: Number) -> ir.Constant:
        return ir.Constant(_VECTOR, [float(value)] * LANES)

    def call(self, name: str, *operands: ir.Value) -> Lane:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(operands))
        function = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.{name}.v{LANES}f64")
        return Lane(self, self.builder.call(function, operands))

    def check(self, index: ir.Value, size: ir.Value) -> None:
        if BOUNDSCHECK:
            cgutils.do_boundscheck(self.context, self.builder, index, size)


class Lane:
    """One scalar of LANES frames; arithmetic on it emits vector instructions."""

    __slots__ = ("site", "value")

    def __init__(self, site: _Site, value: ir.Value) -> None:
        self.site = site
        self.value = value

    def _operate(self, name: str, left: Lane | Number, right: Lane | Number) -> Lane:
        values = [x.value if isinstance(x, Lane) else self.site.constant(x) for x in (left, right)]
        return Lane(self.site, getattr(self.site.builder, name)(*values, flags=FLAGS))

    def __add__(self, other: Lane | Number) -> Lane:
        if not isinstance(other, Lane) and other == 0:
            return self
        return self._operate("fadd", self, other)

    __radd__ = __add__

    def __sub__(self, other: Lane | Number) -> Lane:
        if not isinstance(other, Lane) and other == 0:
            return self
        return self._operate("fsub", self, other)

    def __rsub__(self, other: Number) -> Lane:
        return -self if other == 0 else self._operate("fsub", other, self)

    def __neg__(self) -> Lane:
        return Lane(self.site, self.site.builder.fneg(self.value, flags=FLAGS))

    def __mul__(self, other: Lane | Number) -> Any:
        if not isinstance(other, Lane | float | int):
            return NotImplemented
        if not isinstance(other, Lane):
            if other == 0:
                return 0.0
            if other == 1:
                return self
            if other == -1:
                return -self
        return self._operate("fmul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Lane | Number) -> Lane:
        return self._operate("fdiv", self, other)

    def __rtruediv__(self, other: Number) -> Lane:
        return self._operate("fdiv", other, self)


def sqrt(x: Lane) -> Lane:
    """Return the square root of each lane."""
    return x.site.call("sqrt", x.value)


def fma(x: Lane, y: Lane | Number, z: Lane | Number) -> Lane:
    """Return x y + z with one rounding (needed where the rounding error is the point)."""
    site = x.site
    return site.call("fma", *(u.value if isinstance(u, Lane) else site.constant(u) for u in (x, y, z)))


def select(x: Lane, comparison: str, y: Number, then: Lane | Number, other: Lane | Number) -> Lane:
    """Return ``then`` where ``x comparison y`` holds, else ``other``; lane by lane."""
    site = x.site
    chosen = site.builder.fcmp_ordered(comparison, x.value, site.constant(y))
    values = [u.value if isinstance(u, Lane) else site.constant(u) for u in (then, other)]
    return Lane(site, site.builder.select(chosen, *values))


def where(chosen: ir.Value, then: Lane, other: Number) -> Lane:
    """Return ``then`` if a condition holds that is the same for all lanes, else ``other``."""
    return Lane(then.site, then.site.builder.select(chosen, then.value, then.site.constant(other)))


def _sincos_coefficients() -> tuple[list[float], list[float]]:
    """Return minimax coefficients of sin and cos on [-pi/4, pi/4] (Cephes, S. Moshier)."""
    sine = [1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6]
    sine += [-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1]
    cosine = [-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7]
    cosine += [2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2]
    return sine, cosine


def sincos(x: Lane) -> tuple[Lane, Lane]:
    """Return sine and cosine, to one unit in the last place for abs(x) < 1e6 rad (absolute error).

    Range reduction by pi/2 in three parts (Cody and Waite), then two polynomials and a choice by quadrant.
    """
    site = x.site
    turns = site.call("rint", (x * 0.6366197723675814).value)
    r = fma(turns, -1.5707963267948966, x)
    r = fma(turns, -6.123233995736766e-17, r)
    r = fma(turns, 1.4973849048591833e-33, r)
    z = r * r
    sine, cosine = _sincos_coefficients()
    ps: Any = sine[0]
    pc: Any = cosine[0]
    for s, c in zip(sine[1:], cosine[1:], strict=True):
        ps, pc = ps * z + s, pc * z + c
    sin_r = r + r * z * ps
    cos_r = 1.0 - 0.5 * z + z * z * pc
    # quadrant = turns mod 4 in {0, 1, 2, 3}
    quadrant = turns - 4.0 * site.call("floor", (turns * 0.25).value)
    odd = quadrant - 2.0 * site.call("floor", (quadrant * 0.5).value)
    sin_x = select(odd, "==", 1.0, cos_r, sin_r)
    cos_x = select(odd, "==", 1.0, sin_r, cos_r)
    sin_x = select(quadrant, ">=", 2.0, -sin_x, sin_x)
    middle = (quadrant - 1.0) * (quadrant - 2.0)  # zero in the quadrants where the cosine is negative
    return sin_x, select(middle, "==", 0.0, -cos_x, cos_x)


class Index:
    """An integer known when the kernel runs."""

    __slots__ = ("site", "value")

    def __init__(self, site: _Site, value: ir.Value) -> None:
        self.site = site
        self.value = value

    def _operand(self, other: Index | int) -> ir.Value:
        return other.value if isinstance(other, Index) else ir.Constant(_INT, int(other))

    def __add__(self, other: Index | int) -> Index:
        return Index(self.site, self.site.builder.add(self.value, self._operand(other)))

    __radd__ = __add__

    def __mul__(self, other: Index | int) -> Index:
        return Index(self.site, self.site.builder.mul(self.value, self._operand(other)))

    __rmul__ = __mul__

    def bit(self, k: int) -> ir.Value:
        """Return whether bit k is set."""
        builder = self.site.builder
        return builder.icmp_signed(
            "!=", builder.and_(self.value, ir.Constant(_INT, 1 << k)), ir.Constant(_INT, 0)
        )


class _View:
    """Base of the wrapped arrays: data pointer and shape."""

    def __init__(self, site: _Site, kind: types.Array, value: ir.Value) -> None:
        array = cgutils.create_struct_proxy(kind)(site.context, site.builder, value=value)
        self.site = site
        self.data = array.data
        self._sizes = cgutils.unpack_tuple(site.builder, array.shape, kind.ndim)
        self.shape = tuple(Index(site, size) for size in self._sizes)

    def _index(self, i: Index | int) -> ir.Value:
        return i.value if isinstance(i, Index) else ir.Constant(_INT, int(i))


class Rows(_View):
    """Scratch of shape (n_rows, LANES): ``m[i]`` loads a vector, ``m[i] = x`` stores one."""

    def _pointer(self, i: Index | int) -> ir.Value:
        builder, index = self.site.builder, self._index(i)
        self.site.check(index, self._sizes[0])
        pointer = builder.gep(self.data, [builder.mul(index, ir.Constant(_INT, LANES))])
        return builder.bitcast(pointer, _VECTOR.as_pointer())

    def __getitem__(self, i: Index | int) -> Lane:
        return Lane(self.site, self.site.builder.load(self._pointer(i), align=_ALIGNMENT, typ=_VECTOR))

    def __setitem__(self, i: Index | int, x: Lane | Number) -> None:
        value = x.value if isinstance(x, Lane) else self.site.constant(x)
        self.site.builder.store(value, self._pointer(i), align=_ALIGNMENT)


class Frames(_View):
    """Frame-major data of shape (n_frames, n): ``x[f, j]`` is column j of LANES frames from f."""

    def _pointers(self, key: tuple[Index, Index | int]) -> list[ir.Value]:
        builder = self.site.builder
        frame, column = self._index(key[0]), self._index(key[1])
        self.site.check(column, self._sizes[1])
        self.site.check(builder.add(frame, ir.Constant(_INT, LANES - 1)), self._sizes[0])
        first = builder.add(builder.mul(frame, self._sizes[1]), column)
        stride = self._sizes[1]
        offsets = [builder.add(first, builder.mul(stride, ir.Constant(_INT, k))) for k in range(LANES)]
        return [builder.gep(self.data, [offset]) for offset in offsets]

    def __getitem__(self, key: tuple[Index, Index | int]) -> Lane:
        builder = self.site.builder
        value: ir.Value = ir.Constant(_VECTOR, ir.Undefined)
        for lane, pointer in enumerate(self._pointers(key)):
            element = builder.load(pointer, typ=_DOUBLE)
            value = builder.insert_element(value, element, ir.Constant(ir.IntType(32), lane))
        return Lane(self.site, value)

    def __setitem__(self, key: tuple[Index, Index | int], x: Lane | Number) -> None:
        builder = self.site.builder
        value = x.value if isinstance(x, Lane) else self.site.constant(x)
        for lane, pointer in enumerate(self._pointers(key)):
            builder.store(builder.extract_element(value, ir.Constant(ir.IntType(32), lane)), pointer)

    def put_tile(self, f: Index, column: Index, tile: list[Lane | float] | Number) -> None:
        """Store LANES columns of LANES frames, given column by column (or one number); one contiguous run a frame."""
        builder = self.site.builder
        self.site.check(builder.add(column.value, ir.Constant(_INT, LANES - 1)), self._sizes[1])
        if isinstance(tile, list):
            values = _transposed(
                builder, [self.site.constant(x) if isinstance(x, float) else x.value for x in tile]
            )
        else:
            values = [self.site.constant(tile)] * LANES
        for pointer, value in zip(self._pointers((f, column)), values, strict=True):
            builder.store(value, builder.bitcast(pointer, _VECTOR.as_pointer()), align=8)


def _transposed(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """Transpose a square of vectors: exchange of one index bit at a time between rows and lanes."""
    bit = 1
    while bit < LANES:
        result = list(rows)
        for i in (i for i in range(LANES) if not i & bit):
            upper, lower = rows[i], rows[i + bit]
            low = [lane if not lane & bit else LANES + lane - bit for lane in range(LANES)]
            high = [lane + bit if not lane & bit else LANES + lane for lane in range(LANES)]
            mask = ir.VectorType(ir.IntType(32), LANES)
            result[i] = builder.shuffle_vector(upper, lower, ir.Constant(mask, low))
            result[i + bit] = builder.shuffle_vector(upper, lower, ir.Constant(mask, high))
        rows, bit = result, 2 * bit
    return rows


class Params(_View):
    """Constants of shape (n,): ``c[i]`` is broadcast to all lanes."""

    def __getitem__(self, i: Index | int) -> Lane:
        builder, index = self.site.builder, self._index(i)
        self.site.check(index, self._sizes[0])
        return self.site.splat(builder.load(builder.gep(self.data, [index]), typ=_DOUBLE))


class Ints(_View):
    """An integer table: ``t[i]`` or ``t[i, j]`` is an index."""

    def __getitem__(self, key: Index | int | tuple[Index | int, Index | int]) -> Index:
        builder = self.site.builder
        indices = [self._index(i) for i in (key if isinstance(key, tuple) else (key,))]
        for index, size in zip(indices, self._sizes, strict=True):
            self.site.check(index, size)
        position = indices[0]
        if len(indices) == 2:
            position = builder.add(builder.mul(position, self._sizes[1]), indices[1])
        return Index(self.site, builder.load(builder.gep(self.data, [position]), typ=_INT))


def _wrapped(site: _Site, kind: types.Type, value: ir.Value, wrapper: type | None = None) -> Any:
    """Return a traced argument, by its annotation or else by its type."""
    if isinstance(kind, types.BaseNamedTuple):  # type: ignore[attr-defined]
        parts = (site.builder.extract_value(value, i) for i in range(len(kind.fields)))
        fields = zip(kind.fields, kind, parts, strict=True)
        return SimpleNamespace(**{name: _wrapped(site, each, part) for name, each, part in fields})
    if isinstance(kind, types.Array):
        if wrapper is None:
            wrapper = Ints if isinstance(kind.dtype, types.Integer) else Params if kind.ndim == 1 else Frames
        return wrapper(site, kind, value)
    return Index(site, site.context.cast(site.builder, value, kind, types.int64))


def straight(function: Callable[..., None] | None = None, /, **variants: Any) -> Any:
    """Make a traced formula callable from a kernel.

    A keyword fixes one of its arguments at compile time: ``straight(step, n=3)`` is the variant for three columns. A
    keyword with a tuple of integers makes one variant for each and the kernel chooses: ``straight(step, n=(1, 2, 3))``
    takes n as its last argument, and does nothing for any other n.
    """
    if function is None:
        return lambda f: straight(f, **variants)
    choices = {name: values for name, values in variants.items() if isinstance(values, tuple)}
    fixed = {name: value for name, value in variants.items() if name not in choices}
    hints = {k: h for k, h in get_type_hints(function).items() if k not in variants and k != "return"}
    hints.update(dict.fromkeys(choices, Index))

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, values: list[ir.Value]) -> ir.Value:
        site = _Site(context, builder)
        given = zip(hints.items(), signature.args, values, strict=True)
        arguments = {name: _wrapped(site, kind, value, wrapper) for (name, wrapper), kind, value in given}
        _choose(builder, function, list(choices.items()), {**arguments, **fixed})
        return context.get_dummy_value()

    def definition(typingctx: Any, *kinds: types.Type) -> Any:
        return types.void(*kinds), emit

    parameters = [
        inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ["typingctx", *hints]
    ]
    definition.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    definition.__name__ = function.__name__
    return intrinsic(definition)


def _choose(
    builder: ir.IRBuilder, function: Callable[..., None], choices: list[Any], arguments: dict[str, Any]
) -> None:
    """Trace a function once for each combination of choices, behind a switch."""
    if not choices:
        function(**arguments)
        return
    (name, values), *others = choices
    end = builder.append_basic_block(f"{name}.end")
    switch = builder.switch(arguments[name].value, end)
    for value in values:
        block = builder.append_basic_block(f"{name}.{value}")
        switch.add_case(ir.Constant(_INT, value), block)
        builder.position_at_end(block)
        _choose(builder, function, others, {**arguments, name: value})
        builder.branch(end)
    builder.position_at_end(end)
