"""The guide to joint reactions is true: its Python runs and prints what it says, and it names every option."""

import contextlib
import inspect
import io
import re
from pathlib import Path

from tests.shell import flags_of

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "reactions.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\s+```text\n(?P<output>.*?)```)?", flags=re.DOTALL)


def test_the_guide_runs_from_top_to_bottom():
    text = GUIDE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python") == 3
    namespace = {"__name__": "guide"}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(GUIDE), "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split()


def test_the_guide_names_every_option():
    from softstride.dynamics.loads_state import ASKED
    from softstride.muscles.reactions import joint_reactions
    from softstride.muscles.reactions.knee import SHARE

    text = GUIDE.read_text(encoding="utf-8")
    for flag in flags_of("reactions"):
        assert flag in text
    for name in list(inspect.signature(joint_reactions).parameters)[4:]:
        assert name == "threads" or f"`{name}`" in text, name
    assert f"forces of {ASKED} frames" in " ".join(text.split()) and SHARE == 0.5
