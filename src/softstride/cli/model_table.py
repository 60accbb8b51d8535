"""What `softstride info` says about a model: figures for programs, lines for people."""

from collections import Counter
from typing import Any

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.model.model import Model
from softstride.model.posture import height_of
from softstride.model.summary import COLUMNS, NUMBERS, contents, headline, tree_rows


def model_figures(model: Model) -> dict[str, Any]:
    """Return what a model holds as one flat mapping: mass in [kg], height of the default pose in [m]."""
    kinds = Counter(type(link.joint).__name__.lower() for link in model.links)
    return {
        "name": model.name,
        "links": len(model.links),
        "nq": model.nq,
        "nv": model.nv,
        "mass": model.mass,
        "height": height_of(model),
        "markers": len(model.markers),
        "muscles": len(model.muscles),
        "wraps": len(model.wraps),
        "ligaments": len(model.ligaments),
        "actuators": len(model.actuators),
        "contacts": len(model.contacts),
        **{f"joints_{kind}": count for kind, count in sorted(kinds.items())},
        "coordinates": list(model.coordinate_names),
        "notes": [shell_words(note) for note in model.notes],
    }


def print_model(model: Model) -> None:
    """Print the tree of a model with ranges and masses, what else it holds, and its notes."""
    numbers = [i for i, heading in enumerate(COLUMNS) if heading in NUMBERS]
    print_table(COLUMNS, tree_rows(model), title=headline(model), numbers=numbers)
    print_lines([(word, "", prose) for word, prose in contents(model)], title="\nContents")
    if model.notes:
        print_lines(
            [("-", "", shell_words(note)) for note in model.notes],
            title="\nNotes: what was assumed or changed",
        )
