"""What not every system has."""

import os

import pytest

signals = pytest.mark.skipif(
    os.name != "posix", reason="processes are killed and interrupted by the signals of POSIX"
)
links = pytest.mark.skipif(os.name != "posix", reason="elsewhere links need rights that few have")
