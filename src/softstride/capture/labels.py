"""What a marker's label says: which side, which part of the body. Protocols differ; their words do not.

The words come from the common protocols (Plug-in Gait, Helen Hayes, Cleveland Clinic, the OpenSim examples) and are
matched on the label without its side, its subject prefix ("A22:") and its separators. A label that says nothing
known gives None; nothing is guessed from its position in the file. With several people in one file the prefix says
whose marker it is.
"""

import re
from collections.abc import Iterable
from functools import cache

from softstride.naming import Side, label_sides

# part -> what the label without its side may be; matched whole, case and separators ignored
WORDS: dict[str, str] = {
    "heel": r"heel?|hee|cal|calc|calcaneus|hindfoot|postheel",
    "toe": r"toe|toetip|hlx|hallux|mt[125]|mtp?[125]|[125]mtp?|[1-5]meta|toe(lat|med|lateral|medial)|d[15]m",
    "midfoot": r"midfoot(lat|med|sup|lateral|medial|superior)?|nav|p[15]m|pm[15]",
    "ankle": r"ank|ankle|(lat|med|l|m)?mal(leolus)?|[lm]ma|(lat|med|m)ankle|ankle(lat|med|lateral|medial)",
    "knee": r"kne|knee|[lm]fc|[lm]kn|(lat|med|m)knee|knee(lat|med|lateral|medial)",
    "asis": r"asis?",
    "psis": r"psis?",
    "sacrum": r"v?sac(r|ral|rum)?|s2|midpsis",
    "shoulder": r"sho|shoulder|acr|acromi(on|um)",
    "head": r"[fb]hd|temple|tophead|head",
    "neck": r"c7|neck",
    "sternum": r"clav|strn|sternum|xiphoid|clavicle",
}

# of several markers on one part of a foot, the one that stands for it: words, best first
BEST_WORDS: dict[str, tuple[str, ...]] = {
    "heel": (r"heel?|hee|cal|calc|calcaneus|postheel", r"hindfoot"),
    "toe": (r"toe|toetip", r"hlx|hallux", r"mtp?2|2mtp?|2meta", r"mtp?1|1mtp?|1meta|d1m|toemed(ial)?"),
    "ankle": (r"ank|ankle|l?mal(leolus)?|lma|lat(mal(leolus)?|ankle)|anklelat(eral)?",),
}

VIRTUAL = re.compile(
    r"^\*|^v_|[hkaes]jc(_?reg)?$|ground$|joint$|^mid[_ ]?(asis|psis|clavicle)", re.IGNORECASE
)

_PATTERNS = {part: re.compile(pattern) for part, pattern in WORDS.items()}
_BEST = {part: [re.compile(word) for word in words] for part, words in BEST_WORDS.items()}


@cache
def read_label(label: str) -> tuple[Side | None, str | None]:
    """Return the side and the part of the body that a label names, None where it names none.

    >>> read_label("RHEE"), read_label("L_5meta"), read_label("A22:LASI"), read_label("C7")
    (('right', 'heel'), ('left', 'toe'), ('left', 'asis'), (None, 'neck'))
    """
    text = label.rpartition(":")[2].strip()
    whole = _part(text)
    if whole is not None:
        return None, whole
    for side, rest, certain in label_sides(text):
        part = _part(rest)
        if certain or part is not None or _spells_side(text):
            return side, part
    return None, None


def _part(text: str) -> str | None:
    plain = re.sub(r"[ ._-]", "", text).lower()
    return next((part for part, pattern in _PATTERNS.items() if pattern.fullmatch(plain)), None)


def _spells_side(text: str) -> bool:
    """Whether L or R stands before another capital (RTHI, LShankLateral), and not at the start of a word (Rib)."""
    return text[0] in "LR" and len(text) > 1 and (text[1].isupper() or text[1].isdigit())


def subject_of(label: str) -> str:
    """Return whose marker a label says it is, the "A22" of "A22:LASI"; "" where it says nobody's."""
    return label.rpartition(":")[0].strip()


def subjects(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the people in a recording: the prefixes of labels that name a part of the body, in their order.

    >>> subjects(["A22:LASI", "A22:RASI", "wand:tip", "*12"]), subjects(["A:C7", "B:C7"]), subjects(["C7"])
    (('A22',), ('A', 'B'), ('',))
    """
    bodily = (label for label in labels if read_label(label)[1] is not None and not is_virtual(label))
    return tuple(dict.fromkeys(subject_of(label) for label in bodily))


def find_labels(
    labels: Iterable[str], part: str, side: Side | None = None, subject: str | None = None
) -> tuple[str, ...]:
    """Return the labels of one part of the body, in their order; virtual points are left out.

    Args:
        labels: Of a recording.
        part: One of `WORDS`.
        side: None for the parts in the middle of the body.
        subject: Whose; None takes those of everybody.
    """
    return tuple(
        label
        for label in labels
        if read_label(label) == (side, part)
        and subject in (None, subject_of(label))
        and not is_virtual(label)
    )


def preference(label: str, part: str) -> int:
    """Return how well a marker stands for its part of the foot, 0 best: RToe before RMT1 before RMT5."""
    word = _without_side(label)
    fits = (i for i, pattern in enumerate(_BEST.get(part, ())) if pattern.fullmatch(word))
    return next(fits, len(_BEST.get(part, ())))


def find_pairs(labels: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return (right, left) labels that differ in nothing but their side; both are of one person."""
    sides: dict[tuple[str, str, Side], str] = {}
    for label in labels:
        side = read_label(label)[0]
        if side is not None:
            sides.setdefault((subject_of(label), _without_side(label), side), label)
    return tuple(
        (label, sides[subject, rest, "left"])
        for (subject, rest, side), label in sides.items()
        if side == "right" and (subject, rest, "left") in sides
    )


def _without_side(label: str) -> str:
    text = label.rpartition(":")[2].strip()
    rest = next((rest for _, rest, _ in label_sides(text)), text)
    return re.sub(r"[ ._-]", "", rest).lower()


def is_virtual(label: str) -> bool:
    """Whether a point was computed, not seen: a joint centre, a projection, an unlabelled trajectory (*52)."""
    return VIRTUAL.search(label.rpartition(":")[2]) is not None
