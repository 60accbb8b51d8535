"""Results as files: the rows of `to_dataframe`, as comma-separated values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from softstride.errors import InputError
from softstride.files import write_whole
from softstride.harmless import csv_text
from softstride.notes import Note

if TYPE_CHECKING:
    import pandas as pd


class Saved:
    """A result that can be written as the table that `to_dataframe` returns."""

    def to_dataframe(self) -> pd.DataFrame:
        """Return the table."""
        raise NotImplementedError

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write the table of `to_dataframe` (.csv), whole or not at all; numbers read back bit for bit.

        Args:
            path: Ending in .csv.
            overwrite: Whether an existing file may be replaced.

        Returns:
            Notes on what the file does not hold: none.

        Raises:
            CaptureError: The file exists already or cannot be written.
            InputError: The name of the file ends in something else.
        """
        target = Path(path)
        if target.suffix.lower() != ".csv":
            raise InputError(f"{target}: must end in .csv")
        frame = self.to_dataframe()
        text = csv_text(frame, index=frame.index.name is not None)
        write_whole(target, text.encode("utf-8"), overwrite=overwrite)
        return ()
