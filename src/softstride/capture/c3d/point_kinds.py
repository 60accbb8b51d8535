"""Which points of a C3D file are positions, and which a model computed: angles, forces, moments, powers."""

from softstride.capture.c3d.file import Group, Groups

LISTS = {  # kind -> parameter of POINT that lists the labels of that kind
    "angle": "ANGLES",
    "force": "FORCES",
    "moment": "MOMENTS",
    "power": "POWERS",
    "scalar": "SCALARS",
    "reaction": "REACTIONS",
}


def point_kinds(groups: Groups) -> dict[str, str]:
    """Return the kind of every point that is no position, by its label.

    POINT:TYPE_GROUPS may name further lists, as pairs of a list and its kind; lists of other kinds (modelled markers)
    hold positions.
    """
    point = groups.get("POINT", {})
    lists = [(name, kind) for kind, name in LISTS.items()]
    pairs = texts_of(point, "TYPE_GROUPS")
    lists += [(name.upper(), kind.lower()) for name, kind in zip(pairs[::2], pairs[1::2], strict=False)]
    kinds: dict[str, str] = {}
    for name, kind in lists:
        if kind in LISTS:
            for label in texts_of(point, name):
                kinds.setdefault(label, kind)
    return kinds


def texts_of(group: Group, name: str) -> tuple[str, ...]:
    """Return a list of texts with its continuations (ANGLES, ANGLES2, ...), without blanks around; empty if none."""
    found: list[str] = []
    part, key = 1, name
    while key in group and group[key].is_text:
        found += [text.strip() for text in group[key].strings()]
        part += 1
        key = f"{name}{part}"
    return tuple(found)
