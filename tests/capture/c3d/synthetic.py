"""C3D files made from nothing, with numbers that their storage holds exactly."""

from dataclasses import fields

import numpy as np

from softstride.capture.c3d import (
    C3DFile,
    GroupHeader,
    HeaderEvent,
    Parameter,
    number_parameter,
    text_parameter,
)

POINT_SCALE = 0.125  # of integers: a power of two, so that products are exact


def make_file(
    processor: str = "intel",
    storage: str = "real",
    n: int = 12,
    m: int = 4,
    k: int = 3,
    c: int = 5,
    seed: int = 0,
    first_frame: int = 1,
    unsigned: bool = False,
    float_offset: bool = False,
) -> C3DFile:
    """Walking-like points with gaps, channels with scale and offset, events, and parameters of every kind and rank."""
    rng = np.random.default_rng(seed)
    scale = POINT_SCALE if storage == "integer" else -POINT_SCALE
    points = np.rint(rng.normal(0.0, 500.0, (n, m, 3)) / POINT_SCALE) * POINT_SCALE
    points[(points == 0).all(axis=-1)] = POINT_SCALE
    if storage == "real":
        points = rng.normal(0.0, 900.0, (n, m, 3)).astype(np.float32).astype(float)
    missing = rng.random((n, m)) < 0.1
    points[missing] = np.nan
    residuals = np.where(missing, np.nan, rng.integers(0, 256, (n, m)) * POINT_SCALE)
    cameras = np.where(missing, 0, rng.integers(0, 128, (n, m))).astype(np.uint8)
    offset = rng.integers(0, 60000 if unsigned else 2000, c).astype(float)
    if float_offset:
        offset += 0.5
    channel_scale = 2.0 ** rng.integers(-6, 6, c)
    raw = rng.integers(0, 65536, (n * k, c)) if unsigned else rng.integers(-32768, 32768, (n * k, c))
    groups: dict[str, dict[str, Parameter]] = {
        "POINT": {
            "SCALE": number_parameter("SCALE", scale),
            "UNITS": text_parameter("UNITS", "mm", description="Unité"),
            "X_SCREEN": text_parameter("X_SCREEN", "+X", locked=True),
        },
        "ANALOG": {
            "GEN_SCALE": number_parameter("GEN_SCALE", 0.25),
            "SCALE": number_parameter("SCALE", channel_scale),
            "OFFSET": number_parameter("OFFSET", offset, 4 if float_offset else 2),
        },
        "FORCE_PLATFORM": {
            "USED": number_parameter("USED", 2, 2),
            "CORNERS": number_parameter("CORNERS", rng.normal(0, 300, (2, 4, 3))),
            "CHANNEL": number_parameter("CHANNEL", np.arange(12).reshape(2, 6) + 1, 2),
        },
        "ODD": {
            "BYTES": number_parameter("BYTES", [0, 127, 128, 255], 1),
            "NEGATIVE": number_parameter("NEGATIVE", [-32768, -1, 32767], 2),
            "EMPTY": number_parameter("EMPTY", np.empty((2, 0)), 4),
            "LATIN": text_parameter("LATIN", ("µV", "", "naïve  "), description="tab\tand µ"),
        },
    }
    if unsigned:
        groups["ANALOG"]["FORMAT"] = text_parameter("FORMAT", "UNSIGNED")
    return C3DFile(
        processor=processor,  # type: ignore[arg-type]
        storage=storage,  # type: ignore[arg-type]
        first_frame=first_frame,
        rate=100.0,
        groups=groups,
        point_labels=tuple(f"M{i}" for i in range(m)),
        point_descriptions=tuple(f"marker {i}" if i % 2 else "" for i in range(m)),
        point_units="mm",
        points=points,
        residuals=residuals,
        cameras=cameras,
        analog=(raw - offset) * 0.25 * channel_scale,
        analog_labels=tuple(f"A{i}" for i in range(c)),
        analog_units=tuple("N" if i % 2 else "V" for i in range(c)),
        analog_rate=100.0 * k,
        header_events=(HeaderEvent("RHS", 0.25, True), HeaderEvent("LTO", 1.5, False)),
        group_headers={"ODD": GroupHeader("odd ones", locked=True)},
        max_gap=7,
    )


def same_parameter(a: Parameter, b: Parameter) -> bool:
    """Whether two parameters are equal in everything."""
    if (a.name, a.kind, a.dims, a.description, a.locked) != (b.name, b.kind, b.dims, b.description, b.locked):
        return False
    if isinstance(a.values, tuple) or isinstance(b.values, tuple):
        return a.values == b.values
    return a.values.dtype == b.values.dtype and np.array_equal(a.values, b.values, equal_nan=a.kind == 4)


def differences(a: C3DFile, b: C3DFile, ignore: tuple[str, ...] = ()) -> list[str]:
    """Return the names of all attributes and parameters in which two files differ, notes aside."""
    found = []
    for name in (field.name for field in fields(C3DFile)):
        if name in ("notes", "groups", *ignore):
            continue
        x, y = getattr(a, name), getattr(b, name)
        equal = (
            x.dtype == y.dtype and np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
            if isinstance(x, np.ndarray)
            else x == y
        )
        if not equal:
            found.append(name)
    names = {(g, p) for file in (a, b) for g, group in file.groups.items() for p in group}
    for group, name in sorted(names):
        one, two = a.groups.get(group, {}).get(name), b.groups.get(group, {}).get(name)
        if f"{group}:{name}" in ignore:
            continue
        if one is None or two is None or not same_parameter(one, two):
            found.append(f"{group}:{name}")
    return found
