"""The guide to the view runs, prints what it says, and names what there is: options, layers, fields."""

import contextlib
import io

import pytest
import typer
from tests.test_docs import BLOCK, ROOT

from softstride.cli.app import app
from softstride.cli.view_sources import MOST_FRAMES
from softstride.scene import Scene
from softstride.viewer.cameras import DIRECTIONS
from softstride.viewer.stage import ARROW, LAYERS

TEXT = (ROOT / "docs" / "view.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_guide_runs_from_top_to_bottom() -> None:
    blocks = list(BLOCK.finditer(TEXT))
    assert len(blocks) == TEXT.count("```python") == 2
    namespace = {"__name__": "guide"}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], "view.md", "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split()


def test_every_option_layer_and_camera_is_in_the_guide() -> None:
    command = typer.main.get_command(app).commands["view"]
    options = [name for each in command.params for name in (*each.opts, *each.secondary_opts)]
    for name in options:
        if name.startswith("--") and name != "--muscles":
            assert f"`{name}`" in TEXT, name
    for layer in LAYERS.values():
        assert f"| {layer} |" in TEXT, layer
    assert ", ".join(DIRECTIONS) in TEXT
    assert f"{ARROW:g} m for a body weight" in TEXT and f"or {MOST_FRAMES} of a longer trial" in TEXT


def test_every_field_of_a_packed_scene_is_in_the_guide(scene: Scene) -> None:
    page = scene.take(slice(0, 2)).to_json(hz=None)
    fields = set(page)
    for value in page.values():
        first = value[0] if isinstance(value, list) and value else value
        fields |= set(first) if isinstance(first, dict) else set()
    for name in fields:
        assert f"`{name}`" in TEXT or f'"{name}"' in TEXT, name
