"""The table of a campaign of changes: one JSON file, and the lines that tell of it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tools.mutations import Mutation


@dataclass
class Record:
    """What came of one change."""

    number: int
    mutation: Mutation
    result: str = ""
    test: str = ""
    seconds: float = 0.0
    reason: str = ""


@dataclass
class Table:
    """All changes of a campaign with their results: one JSON file, written whole."""

    file: Path
    settings: dict[str, Any]
    records: list[Record]
    failing: list[str] = field(default_factory=list)
    """Tests that fail without any change: they prove nothing and are left out."""

    def save(self) -> None:
        """Write the file: the former one stays until the new one is complete."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "settings": self.settings,
            "failing": self.failing,
            "records": [
                asdict(record.mutation) | {k: v for k, v in asdict(record).items() if k != "mutation"}
                for record in self.records
            ],
        }
        new = self.file.with_suffix(f".{os.getpid()}.part")
        new.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        new.replace(self.file)

    @classmethod
    def read(cls, file: Path) -> Table:
        """Read what :meth:`save` wrote."""
        content = json.loads(file.read_text(encoding="utf-8"))
        names = [entry.name for entry in fields(Mutation)]
        records = []
        for row in content["records"]:
            mutation = Mutation(**{name: row.pop(name) for name in names})
            records.append(Record(mutation=mutation, **row))
        return cls(file, content["settings"], records, content["failing"])


def progress(record: Record, total: int) -> str:
    """Return one line on a change."""
    by = f"  by {record.test}" if record.test else ""
    one = record.mutation
    return (
        f"{record.number:3}/{total}  {record.result or 'not run':16}  {record.seconds:6.1f} s  "
        f"{one.file}:{one.line}  {one.kind}: {_short(one.before)} -> {_short(one.after) or 'nothing'}{by}"
    )


def _short(text: str, length: int = 50) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length // 2 - 1]} … {text[1 - length // 2 :]}"


def markdown(records: Sequence[Record]) -> str:
    """Return the table and its sums, physics apart from the rest."""
    lines = ["| no. | place | change | result | by | s |", "|---:|---|---|---|---|---:|"]
    for record in records:
        one = record.mutation
        change = f"{one.kind}: `{_short(one.before)}` → `{_short(one.after)}`".replace("|", "\\|")
        cells = [record.number, f"{one.file}:{one.line}", change, record.result or "not run"]
        by = record.test.replace("|", "\\|") or record.reason
        lines.append(f"| {' | '.join(map(str, cells))} | {by} | {record.seconds:.0f} |")
    lines.append("")
    for name, inside in (("physics, readers and solvers", True), ("the rest", False)):
        part = [record.result for record in records if record.mutation.physics is inside]
        sums = {
            word: sum(x.startswith(word) for x in part)
            for word in ("caught", "survived", "equivalent", "lost")
        }
        sums["not run"] = part.count("")
        told = ", ".join(f"{number} {word}" for word, number in sums.items() if number or word == "caught")
        lines.append(f"{name}: {len(part)} changes, {told}")
    return "\n".join(lines)
