"""What a check finds (`Finding`), and all that was found in one recording (`Quality`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from softstride.fields import Frozen
from softstride.frozen import Table

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True)
class Finding:
    """One thing that somebody who uses the recording should know.

    Attributes:
        severity: "error": results would be wrong; "warning": look before using it; "info": good to know.
        topic: What was checked: "gaps", "sides", "plates" and so on.
        subject: Marker, channel, plate or pair that it is about.
        message: The rest of the sentence, with numbers and units.
        start: Where it begins, in [s], on the clock of the recording; None where it has no place in time.
        stop: Where it ends, in [s].
        value: The number that was compared with a limit.
        unit: Unit of `value`.
    """

    severity: Severity
    topic: str
    subject: str
    message: str
    start: float | None = None
    stop: float | None = None
    value: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.severity}: {self.topic}: {self.subject}: {self.message}{self.when}"

    @property
    def when(self) -> str:
        """Say when, as " (1.20 to 1.35 s)"; "" where it has no place in time."""
        if self.start is None:
            return ""
        if self.stop is None or self.stop == self.start:
            return f" (at {self.start:.2f} s)"
        return f" ({self.start:.2f} to {self.stop:.2f} s)"


@dataclass(frozen=True)
class Quality(Frozen, of="a quality"):
    """Everything that the checks found in one recording.

    Attributes:
        findings: Errors first, then warnings, then remarks.
        figures: Numbers by name, the unit at the end of the name ("missing_percent", "noise_mm").
    """

    findings: tuple[Finding, ...] = ()
    figures: Mapping[str, float] = field(default_factory=Table)

    def check(self) -> None:
        """Put what is worst first."""
        ranked = sorted(self.findings, key=lambda finding: SEVERITIES.index(finding.severity))
        object.__setattr__(self, "findings", tuple(ranked))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that make results wrong."""
        return self._of("error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings to look at before the recording is used."""
        return self._of("warning")

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not self.errors

    def about(self, topic: str, subject: str | None = None) -> tuple[Finding, ...]:
        """Return the findings on one topic (and subject)."""
        return tuple(f for f in self.findings if f.topic == topic and subject in (None, f.subject))

    def _of(self, severity: Severity) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def to_dataframe(self) -> "pd.DataFrame":
        """Return a `pandas.DataFrame` with one row for each finding, one column for each of its attributes."""
        import pandas as pd

        columns: Iterable[str] = Finding.__dataclass_fields__
        rows = [[getattr(finding, name) for name in columns] for finding in self.findings]
        return pd.DataFrame(rows, columns=list(columns))
