"""Thousands of damaged files: each is read into something consistent, or refused by file, field, problem and fix."""

import sys
import time

import numpy as np
import pytest
from tests.capture.text.test_anc import ANC
from tests.capture.text.test_external_loads import document
from tests.capture.text.trc_samples import CSV, MOT, STO, TRC

from softstride.capture.text import parse_anc, parse_csv, parse_external_loads, parse_storage, parse_trc
from softstride.errors import CaptureError

NASTY = (
    b"\x00", b"\xff", b"\t", b"\n", b"\r", b",", b";", b'"', b"'", b"-", b"e", b".", b"nan", b"1e400", b"\x1a", b"#",
    b"1.#QNAN", b" ", b"=", b"9" * 400, b"e-99999", b"\xef\xbb\xbf", b"\xff\xfe", b"inf", b"0", b"\t\t\t", b"endheader",
)  # fmt: skip
LIES = (
    (b"nRows=", b"nRows=99999999999"), (b"nColumns=", b"nColumns=-"), (b"100.0\t", b"1e308\t"), (b"mm", b"parsec"),
    (b"inDegrees=", b"inDegrees=?"), (b"DataType=double", b"DataType=Vec3"), (b"version", b"versi\x00n"),
    (b"100.0\t100.0", b"0\t-1"), (b"Frame#", b"frame"), (b"time", b"TIME"), (b"0.01", b"1e300"), (b"0.02", b"0.00"),
    (b"3\t2\tmm", b"1000000000\t1000000000\tmm"), (b"endheader\n", b""), (b"Range", b"Rate"), (b"16", b"99"),
)  # fmt: skip


def flip(data, rng):
    spoilt = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        spoilt[rng.integers(len(spoilt))] ^= 1 << rng.integers(8)
    return bytes(spoilt)


def overwrite(data, rng):
    at = int(rng.integers(len(data)))
    return data[:at] + NASTY[rng.integers(len(NASTY))] + data[at + int(rng.integers(3)) :]


def cut(data, rng):
    return data[: int(rng.integers(len(data)))]


def drop_lines(data, rng):
    lines = data.split(b"\n")
    at = int(rng.integers(len(lines)))
    return b"\n".join(lines[:at] + lines[at + int(rng.integers(1, 4)) :])


def repeat_line(data, rng):
    lines = data.split(b"\n")
    lines.insert(int(rng.integers(len(lines))), lines[rng.integers(len(lines))])
    return b"\n".join(lines)


def drop_cell(data, rng):
    cells = data.split(b"\t")
    at = int(rng.integers(len(cells)))
    return b"\t".join(cells[:at] + cells[at + 1 :])


def repeat_cell(data, rng):
    cells = data.split(b"\t")
    cells.insert(int(rng.integers(len(cells))), cells[rng.integers(len(cells))])
    return b"\t".join(cells)


def lie(data, rng):
    old, new = LIES[rng.integers(len(LIES))]
    return data.replace(old, new, 1)


def splice(data, rng):
    one, two = sorted(int(i) for i in rng.integers(len(data), size=2))
    return data[:one] + data[two:] + data[one:two]


def line_ends(data, rng):
    return data.replace(b"\n", (b"\r", b"\r\n", b"\n\n", b" \n", b"\t\n")[rng.integers(5)])


DAMAGE = (
    flip,
    flip,
    overwrite,
    overwrite,
    cut,
    drop_lines,
    repeat_line,
    drop_cell,
    repeat_cell,
    lie,
    lie,
    splice,
    line_ends,
)


def longer(text, n=40):
    """The sample with its last row continued, so that tables are not tiny."""
    head, last = text.rstrip("\n").rsplit("\n", 1)
    columns = last.split("\t")
    at = 1 if text.startswith("Path") else 0
    rows = []
    for i in range(n):
        columns[at] = f"{0.5 + 0.01 * i:.2f}"
        rows.append("\t".join(columns))
    return head + "\n" + "\n".join(rows) + "\n"


def check_numbers(values, *shape):
    assert values.dtype == np.float64 and values.shape == shape
    assert not np.isinf(values).any()


def check_trc(data):
    file = parse_trc(data, "a.trc")
    n, m = len(file.time), len(file.labels)
    assert n > 0 and m == len(set(file.labels)) and all(file.labels)
    check_numbers(file.positions, n, m, 3)
    absent = np.isnan(file.positions)
    assert np.array_equal(absent.any(axis=2), absent.all(axis=2))
    assert np.isfinite(file.time).all() and file.rate > 0 and np.isfinite(file.rate)
    assert file.frame_numbers.shape == file.time_column.shape == (n,)


def check_storage(data):
    file = parse_storage(data, "a.mot")
    n, k = len(file.time), len(file.columns)
    assert n > 0 and k == len(set(file.columns)) and all(file.columns)
    check_numbers(file.values, n, k)
    assert (
        np.isfinite(file.time).all()
        and file.in_degrees in (True, False, None)
        and k % file.vector_size in (0, k)
    )


def check_csv(data):
    file = parse_csv(data, "a.csv")
    n = len(file.values)
    assert n > 0 and len(file.units) == len(file.columns) == len(set(file.columns))
    check_numbers(file.values, n, len(file.columns))
    assert all(len(cells) == n for cells in file.text_columns.values())


def check_anc(data):
    file = parse_anc(data, "a.anc")
    check_numbers(file.volts, len(file.time), len(file.labels))
    assert np.isfinite(file.time).all() and file.counts.shape == file.volts.shape


def check_loads(data):
    assert all(not entry.enabled or entry.body for entry in parse_external_loads(data, "a.xml").entries)


VECTORS = "v\nDataType=Vec3\nendheader\ntime\tf\n"
SAMPLES = {
    "trc": (check_trc, [TRC, longer(TRC), longer(TRC).replace("-4.2\t-5.2\t-6.2", "\t\t", 9)]),
    "mot": (check_storage, [MOT, longer(MOT), MOT.replace("\t", "\t      ")]),
    "sto": (check_storage, [STO, longer(STO), VECTORS + "0.5\t1,2,3\n0.6\t1,2,3\n" * 3]),
    "csv": (check_csv, [CSV, "a;b\n" + "1,5;2,5\n" * 5, "t x y\n" + "0.1 2 3\n" * 30]),
    "anc": (check_anc, [ANC]),
    "xml": (check_loads, [document()]),
}  # fmt: skip
RECORDED = {
    "trc": [
        "odd_text/exampleFormat.trc",
        "odd_text/dataWithEformat.trc",
        "odd_text/dataWithNaNsOfDifferentCases.trc",
    ],
    "mot": ["walk_opencap_s4/walking1_grf.mot", "run_hamner_s01/run500_grf.mot"],
    "sto": ["planar_gait/moco_2d_walk/referenceGRF.sto", "c3d_opensim_reference/std_walking2_analog.sto"],
    "csv": ["knee_gc5_ps/etibia_ss1.csv", "planar_gait/winter_table_a1/wn35b.txt"],
}


def is_read(parse, data):
    """Read a file within 5 s; return False where it is refused as it should be."""
    start = time.process_time()
    refusal = None
    try:
        parse(data)
    except CaptureError as error:
        refusal = error
    except Exception as error:
        raise AssertionError(f"{error!r} on {data[:3000]!r}") from error
    assert time.process_time() - start < 5.0, data[:3000]
    assert refusal is None or (refusal.path and refusal.field and refusal.problem and refusal.fix), data[
        :3000
    ]
    return refusal is None


def attack(check, originals, count, seed):
    """Damage files and read them; return how many were read and how many refused."""
    rng = np.random.default_rng(seed)
    read = 0
    for i in range(count):
        data = originals[i % len(originals)]
        for _ in range(rng.integers(1, 4)):
            data = DAMAGE[rng.integers(len(DAMAGE))](data or b"\n", rng)
        read += is_read(check, data)
    return read, count - read


@pytest.mark.parametrize("kind", SAMPLES)
def test_damaged_samples(kind):
    check, texts = SAMPLES[kind]
    originals = [text.encode() for text in texts]
    for original in originals:
        check(original)
    read, refused = attack(check, originals, 160, seed=3)
    assert read > 5 and refused > 5  # both outcomes are really met


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAMPLES)
def test_damaged_samples_at_length(kind):
    check, texts = SAMPLES[kind]
    resource = pytest.importorskip("resource", reason="this system does not say how much a process held")
    unit = 1024 if sys.platform == "darwin" else 1  # there in bytes, else in kB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    attack(check, [text.encode() for text in texts], 1500, seed=4)
    # Samples are a few kB: 200 MB more would be a table made from a header's word.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000 * unit


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECORDED)
def test_damaged_recordings(kind, shared_data):
    originals = [(shared_data / name).read_bytes() for name in RECORDED[kind]]
    read, refused = attack(SAMPLES[kind][0], originals, 500, seed=5)
    assert read > 20 and refused > 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"x" * 3_000_000,
        b" " * 3_000_000 + b"x",
        b"\t" * 3_000_000,
        b"\n" * 3_000_000 + b"x",
        b"Frame#\tTime" + b"\tA" * 300_000 + b"\n1" + b"\t1" * 300_000,
        b"name\nendheader\ntime" + b"\ta" * 300_000 + b"\n" + b"0\t" * 300_001,
        b"a=" + b" " * 1_000_000 + b"x\nendheader\ntime\tb\n0\t1\n",
        b"DataType=Vec3\nendheader\ntime\tb\n0\t" + b" " * 1_000_000 + b"x\n",
        b"a," * 300_000 + b"\n" + b"1," * 300_000 + b"\n",
        b'"' * 1_000_000,
        b"(" * 1_000_000 + b",b\n1,2\n",
        b"1" * 1_000_000 + b",2\n",
        b"x,1\n" * 300_000,
        b"\x00" * 3_000_000,
        b"Name\nRate\nRange\n" + b"0\n" * 300_000,
    ],
    ids=range(15),
)
def test_large_nonsense_ends_soon(data):
    """Megabytes of one character, of columns, of quotes: read or refused within 5 s each, by every reader."""
    for parse in (parse_trc, parse_storage, parse_csv, parse_anc, parse_external_loads):
        is_read(lambda content, parse=parse: parse(content, "x"), data)
