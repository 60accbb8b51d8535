"""Which analog channels hold EMG: those whose label names a muscle or says EMG."""

import re

from softstride.capture.series import Channels

# Muscle names as laboratories shorten them. Long ones may go on (gastroc, tibant); short ones must stand alone.
BEGINNINGS = re.compile(
    r"gastr?|(med|lat|medial_|lateral_)?gas|sol|tib|peron|fib|ham|(med|lat|medial_|lateral_)?ham|semi(mem|ten)|bi(cep|fem)|vas"
    r"|rect|rec$|quad|glut|g(max|med|min)|add|grac|sart|ilio|psoas|erec|lat|delt|trap|tri(c|s)|pec|rhom|obli|abd"
)
WHOLE = re.compile(r"ta|tp|sm|st|bf|rf|vl|vm|vi|tfl|gm|mh|lh|mg|lg|re|ti|ga|ha|per[lb]?")

_EMG = re.compile(r"(?<![a-z])emg", re.IGNORECASE)
_SIDES = ("left", "right", "lt", "rt", "l", "r")
_VOLTS = {"v", "mv", "uv", "µv", "microvolt", "millivolt", "volt", "volts", ""}


def names_muscle(label: str) -> bool:
    """Whether a label names a muscle.

    >>> (
    ...     names_muscle("Voltage.L Tib Ant"),
    ...     names_muscle("RTGA"),
    ...     names_muscle("goniometer"),
    ...     names_muscle("CH13"),
    ... )
    (True, True, False, False)
    """
    text = re.sub(r"^(voltage|analog|emg)[ ._:-]+", "", label.strip(), flags=re.IGNORECASE).lower()
    candidates = (text, *(text[len(side) :].lstrip(" ._-") for side in _SIDES if text.startswith(side)))
    return any(BEGINNINGS.match(word) or WHOLE.fullmatch(word) for word in candidates)


def find_emg(channels: Channels, taken: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the labels of the channels that hold EMG.

    Args:
        channels: All analog channels.
        taken: Labels already spoken for, by force plates.

    Returns:
        Labels in their order: channels in volts (or without a unit) whose label says EMG or names a muscle.
    """
    return tuple(
        label
        for label, unit in zip(channels.labels, channels.units, strict=True)
        if label not in taken
        and unit.strip().lower() in _VOLTS
        and (_EMG.search(label) or names_muscle(label))
    )
