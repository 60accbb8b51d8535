"""Damaged C3D files, the same ones in every run."""

import random
from collections.abc import Callable

BLOCK = 512
Change = Callable[[bytearray, random.Random], bytearray]


def _parameter_start(data: bytearray) -> int:
    return (max(data[0], 2) - 1) * BLOCK


def flip_bytes(data: bytearray, rng: random.Random) -> bytearray:
    """Some bytes anywhere, or among header and parameters only."""
    end = min(len(data), rng.choice([24, BLOCK, 6000, len(data)]))
    for _ in range(rng.choice([1, 1, 2, 4, 16, 64])):
        data[rng.randrange(end)] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
    return data


def flip_bits(data: bytearray, rng: random.Random) -> bytearray:
    """Single bits, mostly in the parameters."""
    start = rng.choice([0, _parameter_start(data)])
    for _ in range(rng.choice([1, 2, 8])):
        data[min(start + rng.randrange(8 * BLOCK), len(data) - 1)] ^= 1 << rng.randrange(8)
    return data


def lie_in_header(data: bytearray, rng: random.Random) -> bytearray:
    """Any count, scale, rate or address of the first block."""
    at = rng.choice([0, 2, 4, 6, 8, 12, 14, 16, 18, 20, 22, 300])
    data[at : at + 2] = (
        rng.randbytes(2) if rng.random() < 0.7 else rng.choice([b"\0\0", b"\xff\xff", b"\x01\0"])
    )
    return data


def lie_in_offsets(data: bytearray, rng: random.Random) -> bytearray:
    """The links from one parameter to the next: loops, jumps, ends."""
    links = parameter_links(data)
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.choice(links)
        data[at : at + 2] = rng.choice([b"\0\0", b"\x01\0", b"\xff\xff", b"\xfe\xff", rng.randbytes(2)])
    return data


def lie_in_parameter(data: bytearray, rng: random.Random) -> bytearray:
    """Type, number of dimensions, dimensions or first values of a parameter."""
    at = rng.choice(parameter_links(data)) + 2
    for _ in range(rng.choice([1, 2])):
        place = min(at + rng.randrange(8), len(data) - 1)
        data[place] = rng.choice([0, 1, 2, 4, 255, rng.randrange(256)])
    return data


def cut(data: bytearray, rng: random.Random) -> bytearray:
    """The end is missing."""
    return data[
        : rng.choice([rng.randrange(len(data)), rng.randrange(6000), len(data) - rng.randrange(1, 600)])
    ]


def insert(data: bytearray, rng: random.Random) -> bytearray:
    """Bytes that do not belong there: what follows moves."""
    at = rng.randrange(min(len(data), rng.choice([BLOCK, 6000, len(data)])))
    return data[:at] + rng.randbytes(rng.choice([1, 2, 4, BLOCK])) + data[at:]


def remove(data: bytearray, rng: random.Random) -> bytearray:
    """Bytes are missing in the middle."""
    at = rng.randrange(min(len(data), rng.choice([BLOCK, 6000, len(data)])))
    return data[:at] + data[at + rng.choice([1, 2, 4, BLOCK]) :]


def swap_blocks(data: bytearray, rng: random.Random) -> bytearray:
    """Two blocks change places."""
    n_blocks = len(data) // BLOCK
    i, j = (rng.randrange(min(n_blocks, rng.choice([4, 20, n_blocks]))) * BLOCK for _ in range(2))
    data[i : i + BLOCK], data[j : j + BLOCK] = data[j : j + BLOCK], data[i : i + BLOCK]
    return data


def swap_order(data: bytearray, rng: random.Random) -> bytearray:
    """Another processor than the one that wrote the file."""
    data[min(_parameter_start(data) + 3, len(data) - 1)] = rng.choice([84, 85, 86, rng.randrange(256)])
    return data


def poison(data: bytearray, rng: random.Random) -> bytearray:
    """Floats that are no numbers, infinite or huge, in one stretch of the data."""
    at = rng.randrange(len(data) // 2, len(data) - 8) // 4 * 4
    pattern = rng.choice(
        [
            b"\0\0\xc0\x7f",
            b"\x01\0\xa0\x7f",
            b"\0\0\x80\x7f",
            b"\x7f\x80\0\0",
            b"\xff\xff\x7f\x7f",
            b"\0\x80\0\0",
        ]
    )
    length = min(rng.choice([1, 10, 1000]), (len(data) - at) // 4)
    data[at : at + 4 * length] = pattern * length
    return data


CHANGES: list[Change] = [
    flip_bytes,
    flip_bits,
    lie_in_header,
    lie_in_offsets,
    lie_in_parameter,
    cut,
    insert,
    remove,
    swap_blocks,
    swap_order,
    poison,
]


def parameter_links(data: bytearray) -> list[int]:
    """Return where the links between parameters are, as far as the chain can be followed."""
    links = []
    at = min(_parameter_start(data), len(data) - 5) + 4
    order = "big" if data[at - 1] == 86 else "little"
    while at + 2 < len(data) and data[at]:
        link = at + 2 + min(data[at], 256 - data[at])
        step = int.from_bytes(data[link : link + 2], order)  # type: ignore[arg-type]
        links.append(min(link, len(data) - 3))
        if step < 2:
            break
        at = link + step
    return links or [min(BLOCK, len(data) - 3)]


def mutate(data: bytes, seed: int) -> bytes:
    """Return a damaged copy; the seed says how. One in four is damaged twice."""
    rng = random.Random(seed)
    changed = bytearray(data)
    changed = CHANGES[seed % len(CHANGES)](changed, rng)
    if rng.random() < 0.25 and len(changed) > 2 * BLOCK:
        changed = rng.choice(CHANGES)(changed, rng)
    return bytes(changed)
