"""The README is true: its Python prints what the text block after it says, its links lead somewhere."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", README, flags=re.DOTALL)


def test_every_python_block_shows_its_output() -> None:
    assert len(BLOCKS) == README.count("```python") >= 1


@pytest.mark.parametrize(("code", "output"), BLOCKS)
def test_python_blocks_print_what_they_promise(code: str, output: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert printed.getvalue().split() == output.split()


def test_set_up_is_two_commands_of_the_makefile() -> None:
    (shell,) = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in shell.splitlines()]
    assert commands == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{command.split()[1]}:", makefile, flags=re.MULTILINE) for command in commands)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda p: p.name
)
def test_links_lead_to_files(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
