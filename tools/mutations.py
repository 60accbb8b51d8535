"""Small changes of Python sources: where they can be made, which of them a seed chooses, how one is applied.

Places are found on the syntax tree and changed in the text, so that nothing else of a file moves. Left alone are
words: docstrings, f-strings, messages of errors, annotations, types, `__all__`, module-level tables that hold no more
numbers than words; and what no test should notice: decorators, the level of a warning, numbers below 1e-6 (a tenth of
a tolerance is nobody's difference).
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

PHYSICS = (
    "spatial", "signals", "solvers", "engine", "kinematics", "contact", "simulation",
    "dynamics", "muscles", "segments", "planar", "gait", "model", "capture", "kernels",
)  # fmt: skip
KINDS = ("sign", "index", "constant", "float", "comparison", "term", "factor", "logic", "arguments")

_LARGEST = 100  # integers above it are limits and sizes, not small constants
_SMALLEST = 1e-6  # floats below it are tolerances
_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<", ">=")),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
}
_SYMMETRIC = {"min", "max", "minimum", "maximum", "hypot", "isclose", "allclose", "logical_and", "logical_or"}
_WORDS = {"str", "repr", "join", "list", "tuple", "sorted"}  # calls whose sums join, not add
_SILENT = {"stacklevel", "maxsize", "indent"}


@dataclass(frozen=True)
class Mutation:
    """One change: `before` becomes `after` at a place that its line names even where others were added above it."""

    file: str
    """Path from the root of the project, with slashes."""
    line: int
    """The first line of the change, from 1."""
    column: int
    """Bytes of that line before the change."""
    kind: str
    before: str
    after: str
    text: str
    """The whole line."""
    occurrence: int
    """How many lines above it read the same."""

    @property
    def stratum(self) -> str:
        """The room of the file; `kernels` for those of all rooms, `softstride` for files of none."""
        folders = PurePosixPath(self.file).parent.parts[2:]
        if "kernels" in folders:
            return "kernels"
        return folders[0] if folders else "softstride"

    @property
    def physics(self) -> bool:
        """Whether the file is one of physics, readers or solvers."""
        return self.stratum in PHYSICS


def locate(mutation: Mutation, source: bytes) -> int | None:
    """Return the offset of the change in a source whose other lines may have moved; None where it is gone."""
    left = mutation.occurrence
    offset = 0
    for line in source.split(b"\n"):
        if line == mutation.text.encode():
            if left == 0:
                start = offset + mutation.column
                return start if source.startswith(mutation.before.encode(), start) else None
            left -= 1
        offset += len(line) + 1
    return None


def applied(mutation: Mutation, source: bytes) -> bytes | None:
    """Return the source with the change made; None where its place is gone."""
    start = locate(mutation, source)
    if start is None:
        return None
    return source[:start] + mutation.after.encode() + source[start + len(mutation.before.encode()) :]


def mutations(source: bytes, file: str) -> list[Mutation]:
    """Return all changes that can be tried in a source, in the order of their places."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    lines = source.decode().split("\n")
    seen: Counter[str] = Counter()
    above = []
    for line in lines:
        above.append(seen[line])
        seen[line] += 1
    made = []
    for start, end, kind, after in sorted(set(finder.found)):
        number = source.count(b"\n", 0, start)
        column = start - finder.starts[number]
        before = source[start:end].decode()
        made.append(Mutation(file, number + 1, column, kind, before, after, lines[number], above[number]))
    return made


def choose(
    sources: Mapping[str, bytes],
    seed: int,
    count: int,
    physics: int,
    common: Mapping[str, bytes] | None = None,
) -> list[Mutation]:
    """Return `count` changes, `physics` of them in the rooms of PHYSICS, in turn over rooms, kinds and files.

    All can be made in `common` too, the source of another checkout.
    """
    generator = random.Random(seed)
    rooms: dict[str, list[Mutation]] = defaultdict(list)
    for file in sorted(sources):
        for mutation in mutations(sources[file], file):
            if common is None or locate(mutation, common.get(file, b"")) is not None:
                rooms[mutation.stratum].append(mutation)
    used: Counter[str] = Counter()
    chosen = []
    for wanted, inside in ((physics, True), (count - physics, False)):
        turn = [room for room in sorted(rooms) if (room in PHYSICS) is inside]
        generator.shuffle(turn)
        part: list[Mutation] = []
        while turn and len(part) < wanted:
            room = turn.pop(0)
            drawn = _draw(generator, rooms[room], used, sources)
            if drawn is not None:
                part.append(drawn)
                turn.append(room)
        chosen += part
    return chosen


def _draw(
    generator: random.Random, shelf: list[Mutation], used: Counter[str], sources: Mapping[str, bytes]
) -> Mutation | None:
    """Take one change from a shelf: of the kind, then the file, that was used least so far."""
    while shelf:
        kind = _least(generator, used, {one.kind for one in shelf})
        file = _least(generator, used, {one.file for one in shelf if one.kind == kind})
        drawn = generator.choice([one for one in shelf if one.kind == kind and one.file == file])
        place = (drawn.file, drawn.line, drawn.column)
        shelf[:] = [one for one in shelf if (one.file, one.line, one.column) != place]
        if _is_another_program(drawn, sources[drawn.file]):
            used.update((kind, file))
            return drawn
    return None


def _least(generator: random.Random, used: Counter[str], names: set[str]) -> str:
    fewest = min(used[name] for name in names)
    return generator.choice(sorted(name for name in names if used[name] == fewest))


def _is_another_program(mutation: Mutation, source: bytes) -> bool:
    changed = applied(mutation, source)
    try:
        return changed is not None and ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


class _Finder(ast.NodeVisitor):
    """Collects (start, end, kind, new text) of all changes of a source; offsets in bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0, *(match.end() for match in re.finditer(b"\n", source))]
        self.found: list[tuple[int, int, str, str]] = []
        self._index = False

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, start: int, end: int) -> str:
        return self.source[start:end].decode()

    def _between(self, left: ast.expr, right: ast.expr, operator: str) -> tuple[int, int]:
        """Return the span of an operator between two operands; brackets and comments may stand there, too."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = re.sub(rb"#[^\n]*", lambda match: b" " * len(match[0]), self.source[start:end])
        match = re.search(operator.encode(), gap)
        assert match is not None
        return start + match.start(), start + match.end()

    def _put(self, span: tuple[int, int], kind: str, after: str) -> None:
        self.found.append((*span, kind, after))

    # what is left alone

    def visit_Raise(self, node: ast.Raise) -> None: ...

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None: ...

    def visit_Module(self, node: ast.Module) -> None:
        for statement in node.body:
            if not _is_words(statement):
                self.visit(statement)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._each([*node.args.defaults, *(x for x in node.args.kw_defaults if x is not None), *node.body])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._each(node.body)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._each([node.target, node.value])

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func)
        if name.endswith(("Error", "Warning")) or name in ("warn", "TypeVar", "cast"):
            return
        if name not in _SYMMETRIC:
            self._arguments(node)
        inside, self._index = self._index, False
        keywords = [word.value for word in node.keywords if word.arg not in _SILENT]
        self._each([node.func, *node.args, *keywords])
        self._index = inside

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if _name(node.value) == "Literal":
            return
        inside, self._index = self._index, True
        self.visit(node.slice)
        self._index = inside

    def _each(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    # what is changed

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if type(value) is int and 0 <= value <= _LARGEST:
            self._put(self._span(node), "index" if self._index else "constant", str(value + 1))
        elif type(value) is float and (value == 0.0 or _SMALLEST <= value < float("inf")):
            self._put(self._span(node), "float", repr(float(f"{value * 1.1:.6g}")) if value else "1.0")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start, end = self._span(node)
        if isinstance(node.op, ast.USub):
            self._put((start, end), "sign", self._text(start + 1, end).lstrip())
        elif isinstance(node.op, ast.Not):
            self._put((start, end), "logic", self._text(start + 3, end).lstrip())
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        if _joins(node.left) or _joins(node.right):
            return
        span = start, end = self._span(node)
        if isinstance(node.op, ast.Add | ast.Sub):
            sign, other = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
            place = self._between(node.left, node.right, re.escape(sign))
            self._put(place, "sign", other)
            self._put(span, "term", self._text(start, place[0]).rstrip())
            self._put(span, "term", self._text(place[1] if sign == "+" else place[0], end).lstrip())
        elif isinstance(node.op, ast.Mult | ast.Div):
            product = isinstance(node.op, ast.Mult)
            place = self._between(node.left, node.right, r"\*" if product else "/")
            self._put(span, "factor", self._text(start, place[0]).rstrip())
            if product:
                self._put(span, "factor", self._text(place[1], end).lstrip())

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Sub) and not _joins(node.value):
            sign, other = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
            self._put(self._between(node.target, node.value, re.escape(sign)), "sign", other)
            self._put(self._span(node), "term", "pass")

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        for left, right, operator in zip(operands, operands[1:], node.ops, strict=False):
            before, others = _COMPARISONS[type(operator)]
            for after in others:
                self._put(self._between(left, right, before), "comparison", after)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.generic_visit(node)
        before, after = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._put(self._between(left, right, before), "logic", after)

    def _arguments(self, node: ast.Call) -> None:
        """Swap two neighbours among the positional arguments; words and unpacked lists stay."""
        for left, right in zip(node.args, node.args[1:], strict=False):
            pair = (left, right)
            if any(isinstance(x, ast.Starred) or next(_strings(x), None) is not None for x in pair):
                continue
            (start, stop), (go, end) = map(self._span, pair)
            self._put(
                (start, end),
                "arguments",
                self._text(go, end) + self._text(stop, go) + self._text(start, stop),
            )


def _name(node: ast.expr) -> str:
    """Return the last part of a dotted name; nothing of another expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.AST) -> Iterator[ast.AST]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.JoinedStr) or (
            isinstance(inner, ast.Constant) and isinstance(inner.value, str | bytes)
        ):
            yield inner


def _joins(node: ast.expr) -> bool:
    """Return whether sums of this operand join text or lists instead of adding numbers."""
    if isinstance(node, ast.BinOp):
        return _joins(node.left) or _joins(node.right)
    if isinstance(node, ast.Call):
        return _name(node.func) in _WORDS
    words = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return words or isinstance(node, ast.JoinedStr | ast.List | ast.ListComp | ast.Tuple)


def _is_words(statement: ast.stmt) -> bool:
    """Return whether a module-level statement holds names and words: `__all__`, a type, a table of words."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return False
    if any(_name(target).startswith("__") for target in targets) or statement.value is None:
        return True
    words = sum(1 for _ in _strings(statement.value))
    numbers = sum(
        isinstance(x, ast.Constant) and not isinstance(x.value, str) for x in ast.walk(statement.value)
    )
    return words > 0 and words >= numbers
