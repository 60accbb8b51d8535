"""`python -m softstride.digital_athlete FOLDER [TRIAL ...] [--keep-motion]`: make the files of the digital athlete.

With `--keep-motion` the packaged motion is taken, and only muscles and recording are made anew.
"""

import sys
import time
from pathlib import Path

from softstride.digital_athlete.generate import generate, save_trial
from softstride.digital_athlete.reference import GAITS
from softstride.digital_athlete.trial import packaged_curve

KEEP = "--keep-motion"


def main(arguments: list[str]) -> int:
    """Make all trials, or those that are named, in a folder."""
    given = [argument for argument in arguments if argument != KEEP]
    if not given or any(name not in GAITS for name in given[1:]):
        sys.stderr.write(
            f"usage: python -m softstride.digital_athlete FOLDER [{' | '.join(GAITS)}] [{KEEP}]\n"
        )
        return 2
    start = time.perf_counter()

    def tell(text: str) -> None:
        sys.stderr.write(f"{time.perf_counter() - start:6.1f} s  {text}\n")
        sys.stderr.flush()

    for name in given[1:] or GAITS:
        curve = packaged_curve(name) if KEEP in arguments else generate(GAITS[name], tell)
        for path in save_trial(GAITS[name], curve, Path(given[0]), tell):
            tell(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
