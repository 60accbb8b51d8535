"""Is a kernel vectorised across lanes? Count arithmetic on whole registers against the rest in its assembly.

A kernel that lost its vectors still gives right results, only several times later; nothing else would tell.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from llvmlite.binding import get_host_cpu_features, get_process_triple

PACKED_SHARE = 0.9
"""What every kernel must reach on the widest registers: a few scalar operations remain in loops over the terms of
custom joints."""

SCANS = frozenset(
    {"scan_finite", "scan_quaternions", "cone_definite", "locate_frames", "sample_force", "walk_paths"}
    | {"exponential_leg_rates", "spline_leg_rates", "sphere_leg_rates"}
    | {"march_phase", "walker_frames", "walker_matrices", "walker_drives"}
    | {"hill_curves", "hill_rigid", "hill_equilibrium", "hill_dynamics", "activation_steps", "share_frames"}
    | {"eliminate_chain", "solve_chain"}
)
"""Checks of the inputs, which stop at the first bad number; forces brought to frames, which go from sample to sample
and branch on what was measured; paths of muscles, which wrap in one frame and not in the next; Hill muscles, whose
curves branch on where each fibre is; forces shared among muscles, of which every frame runs into bounds of its own;
right-hand sides of one state at a time; and the walker of seven segments, whose integrator shares its equations with
its frames: they stay scalar. Frames that are smooth in time form a chain, one after the other: their vectors are
rows of a matrix, whose ends and scales are scalar."""

# x86: vfmadd231pd %zmm1, ... (packed doubles) or vfmadd231sd (one double); the same names without v before AVX. The
# last operand is the result: its register tells the width.
_X86 = re.compile(
    r"^\s+v?(?:add|sub|mul|div|sqrt|min|max|fn?m(?:add|sub)(?:132|213|231))(pd|sd)\s.*%([xyz])mm\d+",
    re.MULTILINE,
)
_WIDTHS = {"x": 2, "y": 4, "z": 8}  # doubles in a register
# aarch64: fmla v0.2d, v1.2d, v2.2d or fmla.2d v0, v1, v2 (packed), z0.d (SVE); fmadd d0, d1, d2, d3 (one double).
_ARM = re.compile(
    r"^\s+f(?:add|sub|mul|nmul|div|sqrt|min|max|minnm|maxnm|mla|mls|madd|msub|nmadd|nmsub|mad|msb)"
    r"(?:(\.2d)\s|\s+(v\d+\.2d|z\d+\.d)|\s+d\d+)",
    re.MULTILINE,
)


class UnknownProcessor(Exception):
    """The assembly is of a processor whose instructions are not known here."""


class Counts(NamedTuple):
    """Arithmetic instructions on doubles: of vectors, of single numbers, and how many of the first fill registers."""

    packed: int
    scalar: int
    wide: int  # packed, of registers as wide as the lanes ask for and the processor has

    @property
    def share(self) -> float:
        """Wide over all; 0 for a kernel without arithmetic, which is no kernel."""
        return self.wide / max(1, self.packed + self.scalar)


def register_width(lanes: int) -> int:
    """Return how many doubles the widest register of this x86 holds, at most the lanes: 8 for zmm, 4 ymm, 2 xmm."""
    features = get_host_cpu_features()
    return min(lanes, 8 if features.get("avx512f") else 4 if features.get("avx") else 2)


def count(assembly: str, triple: str | None = None, width: int | None = None) -> Counts:
    """Return how many arithmetic instructions are packed, how many scalar, and how many of the packed are wide.

    Args:
        assembly: Text as LLVM prints it.
        triple: The processor it is for, such as "x86_64-unknown-linux-gnu"; None: this one.
        width: Doubles in the registers to expect on x86; None: those of this processor, for the engine's lanes. The
            vectors of aarch64 have one width: there all packed instructions are wide.

    Raises:
        UnknownProcessor: Neither x86 nor aarch64.
    """
    processor = (triple or get_process_triple()).split("-")[0]
    if processor in ("x86_64", "i686", "amd64"):
        if width is None:
            from softstride.engine.lanes import LANES

            width = register_width(LANES)
        found = _X86.findall(assembly)
        packed = [_WIDTHS[register] for kind, register in found if kind == "pd"]
        return Counts(len(packed), len(found) - len(packed), sum(each >= width for each in packed))
    if processor in ("aarch64", "arm64"):
        kinds = [any(match) for match in _ARM.findall(assembly)]
        return Counts(sum(kinds), len(kinds) - sum(kinds), sum(kinds))
    raise UnknownProcessor(f"no mnemonics known for {processor}")


def compiled_counts() -> dict[str, Counts]:
    """Return the counts of the kernels that this process compiled; what comes from a cache has no assembly."""
    from softstride.engine.jit import Kernel

    counts = {}
    for kernel in Kernel.registry.values():
        if kernel.name not in SCANS and kernel.dispatcher.overloads and kernel.dispatcher.stats.cache_misses:
            texts = kernel.dispatcher.inspect_asm().values()
            counts[kernel.name] = Counts(*map(sum, zip(*(count(text) for text in texts), strict=True)))
    return counts


def worst(counts: Mapping[str, Counts]) -> tuple[str, float]:
    """Return the kernel with the least share of arithmetic on whole registers, and that share."""
    return min(((name, c.share) for name, c in counts.items()), key=lambda pair: pair[1])
