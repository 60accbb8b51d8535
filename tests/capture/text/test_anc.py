"""ANC: counts to volts by hand arithmetic, and what is refused."""

import numpy as np
import pytest

from softstride.capture.text import parse_anc
from softstride.errors import CaptureError
from softstride.notes import codes, sentences

ANC = (
    "File_Type:\tAnalog R/C ASCII\tGeneration#:\t2\n"
    "Board_Type:\tNI USB-6225\tPolarity:\tBipolar\n"
    "Trial_Name:\twalk\tTrial#:\t3\tDuration(Sec.):\t0.001000\t#Channels:\t2\n"
    "BitDepth:\t16\tPreciseRate:\t2000.000000\n\n\n\n\n"
    "Name\tF1X\tSOL\t\n"
    "Rate\t2000\t2000\t\n"
    "Range\t5000\t2500\t\n"
    "0.000000\t0\t-197\t\n"
    "0.000500\t-32768\t32767\t\n"
    "0.001000\t16384\t1\t\n"
)


def parse(text):
    return parse_anc(text.encode(), "walk.anc")


def test_counts_and_volts():
    """16 bits over ±5 V: 16384 counts are 2.5 V; over ±2.5 V one count is 2.5 / 32768 V."""
    file = parse(ANC)
    assert file.labels == ("F1X", "SOL") and file.rate == 2000 and file.bits == 16 and file.notes == ()
    assert np.array_equal(file.counts, [[0, -197], [-32768, 32767], [16384, 1]])
    assert np.array_equal(
        file.volts, [[0, -197 * 2.5 / 32768], [-5, 32767 * 2.5 / 32768], [2.5, 2.5 / 32768]]
    )
    assert np.array_equal(file.ranges, [5, 2.5]) and np.array_equal(file.time, [0, 0.0005, 0.001])
    assert file.header["Board_Type"] == "NI USB-6225"


def test_lies_are_noted():
    file = parse(ANC.replace("#Channels:\t2", "#Channels:\t9").replace("BitDepth:\t16", "BitDepth:\t12"))
    assert file.bits == 12
    assert sentences(file.notes) == ("header states 9 channels, but names 2", "3 counts are beyond 12 bits")


def test_bits_unsaid():
    file = parse(ANC.replace("BitDepth:\t16\t", ""))
    assert file.bits == 16 and codes(file.notes) == ("anc.no-bit-depth",)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("Bipolar", "Unipolar", "Polarity"),
        ("Name\t", "Nome\t", "row 'Name'"),
        ("Range\t5000\t2500", "Range\t5000", "row 'Range'"),
        ("Range\t5000", "Range\tx", "row 'Range'"),
        ("Rate\t2000\t2000", "Rate\t2000\t1000", "Rate"),
        ("16384", "16384a", "row 14, column 'F1X'"),
        ("BitDepth:\t16", "BitDepth:\tlots", "BitDepth"),
    ],
)
def test_what_is_refused(old, new, field):
    assert old in ANC
    with pytest.raises(CaptureError) as caught:
        parse(ANC.replace(old, new))
    assert caught.value.field == field and caught.value.problem and caught.value.fix
