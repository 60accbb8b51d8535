"""What tests of found steps need. CasADi is looked for, not loaded: beside OpenSim it cannot be."""

from importlib.util import find_spec

import pytest

needs_casadi = pytest.mark.skipif(find_spec("casadi") is None, reason="steps are found with CasADi")
