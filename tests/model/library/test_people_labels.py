"""The markers of the packaged people have labels that the readers of recordings understand."""

from softstride.capture.labels import read_label
from softstride.model.library.human import gait_person, human


def test_labels_are_understood():
    labels = list(human().markers)
    assert labels == list(gait_person().markers)
    sides = {"R": "right", "L": "left"}
    for label in labels:
        side, part = read_label(label)
        if label in ("C7", "T10", "CLAV", "STRN", "SACR"):
            assert side is None and (part or label == "T10")
        else:
            assert side == sides[label[0]]
    known = {
        "heel": 2,
        "toe": 8,
        "ankle": 4,
        "knee": 4,
        "asis": 2,
        "psis": 2,
        "sacrum": 1,
        "shoulder": 2,
        "head": 4,
    }
    known |= {"neck": 1, "sternum": 2}
    parts = [read_label(label)[1] for label in labels]
    assert {part: parts.count(part) for part in known} == known
