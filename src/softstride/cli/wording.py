"""Errors of the library in the words of the command line: options of Python by the names that they have there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from softstride.errors import CaptureError, InputError

WORDS = (
    (r"links=\{'(right|left)': \.\.\.\}", r"--foot \1=LINK"),
    (r"\blinks gives\b", "--foot gives"),
    (r"bodies=\{(['\"])(.+?)\1: \.\.\.\}", r'--body "\2=LINK"'),
    (r"\bbodies names\b", "--body names"),
    (r"Give it with (soles=.*)$", r"That needs Python: estimate_loads(model, motion, \1)"),
    (r"Use solve_id\b", "Use softstride id"),
    (r"\btime_range\b", "--time"),
    (r"^frame must be\b", "--in must be"),
    (r"\bmvc=\{'(.+?)': value(.*?)\}", r'--mvc "\1=VALUE"\2'),
    (r"\bmvc=1\b", "--mvc 1"),
    (r"\bmvc='trial'", "--mvc trial"),
    (r"for example \{'(.+?)': '(.+?)'\}", r'for example --emg-muscle "\1=\2"'),
    (r"make one with emg_envelopes\b", "give --emg-raw"),
    (r"^(weights|reserve|smoothness) (of|needs|must)\b", r"--\1 \2"),
    (r"^emg_weight (of|must)\b", r"--emg-weight \1"),
    (r"^(weights|reserve)\['(.+?)'\] must\b", r"--\1 of '\2' must"),
    (r"^emg_weight\['(.+?)'\] must\b", r"--emg-weight of '\1' must"),
    (r"^as_opensim means\b", "--opensim means"),
    (r"\bgive lowpass here too\b", "give --lowpass here too"),
    (r"^('.*') is no (perturbation|recipe);", r"--\2 \1:"),
    (r"^--perturbation ", "--perturb "),
    (r"^(rff|steps|rate|method) must be\b", r"--\1 must be"),
    (r"^old_toe must be\b", "--old-toe must be"),
    (
        r"^method '(\w+)' needs a step, for example step=(\S+) \[s\]",
        r"--method \1 needs --dt, for example --dt \2",
    ),
    (r"^step must be\b", "--dt must be"),
    (r"\(method 'dop853', no step\)", "(leave out --method and --dt)"),
    (r"^phase_time of the limits\b", "--phase-time"),
    (r"^(stiffness|damping) of the feedback\b", r"--\1 of the feedback"),
    (r"^stiffness of a toe spring\b", "--toe-spring"),
    (r"\bsee old_toe='free'", "see --old-toe free"),
    (r"^height of a hop\b", "--drop"),
    (r"^push of a hop\b", "--push"),
    (r"\btake dt=None\b", "give --dt auto"),
    (r"Give medial=\(x, y, z\) and lateral=.*, or width= in metres", "Give --knee-width in metres"),
    (r"give medial and lateral, or width$", "give --knee-width"),
    (r"^width must be\b", "--knee-width must be"),
    (r"\bdegrees=True or False\b", "--degrees or --radians"),
)
"""What the library says, as a pattern, and what is said instead."""


def shell_words(message: str) -> str:
    """Return a message with options of Python replaced by those of the commands."""
    for pattern, instead in WORDS:
        message = re.sub(pattern, instead, message)
    return message


def without_none(message: str) -> str:
    """Return a refusal without the None that it allows: in a shell such an option is left away."""
    message = re.sub(r", ([^,]+) or None, however\b", r" or \1, however", message)
    return re.sub(r",? or None, however\b", ", however", message)


@contextmanager
def in_shell_words() -> Iterator[None]:
    """Reword what is refused inside.

    Raises:
        InputError: As raised inside, reworded.
        CaptureError: Likewise.
    """
    try:
        yield
    except CaptureError as error:
        raise CaptureError(
            error.path, error.field, shell_words(error.problem), shell_words(error.fix)
        ) from error
    except InputError as error:
        told = shell_words(str(error))
        if type(error) is not InputError or told == str(error):
            raise
        raise InputError(told) from error
