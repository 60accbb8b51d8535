"""The checks that ship with the package pass here; each is an answer known from elsewhere."""

import pytest

from softstride.selfcheck import CHECKS, run_checks


@pytest.mark.parametrize("name", CHECKS)
def test_check_passes(name: str) -> None:
    (result,) = run_checks([name])
    assert result.ok, f"{result.what}: {result.value} instead of {result.reference} ± {result.tolerance}"
