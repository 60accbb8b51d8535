"""Every kernel is vector code: a lost vectorisation changes no result, so the assembly is looked at."""

import re
from pathlib import Path

import pytest

import softstride
from softstride.engine.lanes import BOUNDSCHECK
from tools import kernels, vectors

PACKED = {
    "x86_64": "\tvfmadd231pd\t%zmm1, %zmm2, %zmm3\n\tvmulpd\t(%rax), %ymm0, %ymm0\n\tsubpd\t%xmm0, %xmm1\n",
    "aarch64": "\tfmla\tv0.2d, v1.2d, v2.2d\n\tfmul.2d\tv0, v1, v2\n\tfadd\tz0.d, z1.d, z2.d\n",
}
SCALAR = {
    "x86_64": "\tvfmadd231sd\t%xmm1, %xmm2, %xmm3\n\taddsd\t%xmm0, %xmm1\n",
    "aarch64": "\tfmadd\td0, d1, d2, d3\n\tfadd\td0, d1, d2\n",
}
NEITHER = "\tvmovupd\t(%rax), %zmm0\n\tldr\tq0, [x0]\n\taddq\t$8, %rax\n"


@pytest.mark.parametrize("processor", ["x86_64", "aarch64"])
def test_packed_and_scalar_arithmetic_is_told_apart(processor):
    text = PACKED[processor] + SCALAR[processor] + NEITHER
    counts = vectors.count(text, f"{processor}-unknown-linux-gnu", width=2)
    assert counts == (3, 2, 3)
    assert counts.share == 0.6


@pytest.mark.parametrize(("width", "wide"), [(8, 1), (4, 2), (2, 3)])
def test_half_a_register_does_not_count(width, wide):
    """A kernel of eight lanes on ymm registers is packed, and half as fast as it should be."""
    counts = vectors.count(PACKED["x86_64"] + SCALAR["x86_64"], "x86_64-unknown-linux-gnu", width)
    assert counts == (3, 2, wide)
    assert counts.share == wide / 5


def test_no_register_is_wider_than_the_lanes():
    assert [vectors.register_width(lanes) <= lanes for lanes in (2, 4, 8, 16)] == [True] * 4
    assert vectors.register_width(16) == vectors.register_width(8)


def test_code_without_arithmetic_does_not_pass():
    assert vectors.count(NEITHER, "x86_64-unknown-linux-gnu").share == 0.0


def test_an_unknown_processor_is_refused():
    with pytest.raises(vectors.UnknownProcessor, match="riscv64"):
        vectors.count("", "riscv64-unknown-linux-gnu")


@pytest.mark.skipif(BOUNDSCHECK, reason="kernels with bounds checks are other machine code")
def test_every_kernel_is_vectorised_across_lanes():
    """Counted where the kernel of these sources was compiled."""
    try:
        counts = kernels.vector_counts()
    except vectors.UnknownProcessor as error:
        pytest.skip(str(error))
    assert counts.keys() == kernels.registry().keys() - vectors.SCANS
    poor = {name: c.share for name, c in counts.items() if c.share < vectors.PACKED_SHARE}
    assert not poor, f"kernels that lost their vectors: {poor}"


def test_every_kernel_of_the_sources_is_known():
    """One that no room registered would be compiled by the tests, one by one, and never looked at."""
    package = Path(softstride.__file__).parent
    marked = re.compile(r"^@kernel\ndef (\w+)", re.MULTILINE)
    found = {
        name for file in package.rglob("*.py") for name in marked.findall(file.read_text(encoding="utf-8"))
    }
    assert found == kernels.registry().keys() and len(found) > 30


@pytest.mark.nightly
def test_every_kernel_compiled_anew_is_vectorised(tmp_path):
    kept = kernels.vector_counts()
    kernels.fill(tmp_path)
    assert kernels.vector_counts() == kept
