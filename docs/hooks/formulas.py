"""TeX between dollars becomes MathML when the site is built: no script, no font, nothing from the network.

`pymdownx.arithmatex` finds the formulas and wraps them; here they are replaced by what `latex2mathml` makes of them.
Every current browser draws MathML itself.
"""

import html
import re
from typing import Any

from latex2mathml.converter import convert

WRAPPED = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<kind>[(\[])(?P<tex>.*?)\\[)\]]</(?P=tag)>', flags=re.DOTALL
)

NAMES = "sin|cos|tan|exp|log"
BEFORE = re.compile(rf"(</(?:mi|mn|msub|msup)>)(<mi>(?:{NAMES})</mi>)")
AFTER = re.compile(rf"(<mi>(?:{NAMES})</mi>)(<m(?:i|n|sup|sub)\b)")
THIN = r'\1<mspace width="0.167em" />\2'
"""Functions without brackets: TeX leaves a thin space before and after their names."""


def on_page_content(content: str, **_: Any) -> str:
    """Return the page with its formulas as MathML."""
    return WRAPPED.sub(_draw, content)


def _draw(found: re.Match[str]) -> str:
    display = "block" if found["kind"] == "[" else "inline"
    drawn = convert(html.unescape(found["tex"]).strip(), display=display)
    drawn = AFTER.sub(THIN, BEFORE.sub(THIN, drawn))
    return drawn.replace("<mover>", '<mover accent="true">')
