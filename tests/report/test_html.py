"""Nothing from a file becomes markup or script."""

import json
import math

from softstride.report.html import bullets, folded, paragraph, script_json, table, text

EVIL = "</script><script>alert(1)</script>&\"'\u2028\x00"


def test_text_is_escaped_in_elements_and_attributes():
    shown = text(EVIL)
    assert not set('<>"') & set(shown)
    assert "&#x27;" in shown and "\x00" not in shown and "\ufffd" in shown


def test_lone_surrogates_do_not_stop_a_page():
    text("\ud800 name").encode("utf-8")
    script_json({"name": "\ud800"}).encode("utf-8")


def test_json_reads_back_and_cannot_end_its_script():
    value = {EVIL: [1.5, None, EVIL], "n": math.nan, "i": math.inf}
    plain = script_json(value)
    assert "<" not in plain and "\u2028" not in plain
    assert json.loads(plain) == {EVIL: [1.5, None, EVIL], "n": None, "i": None}


def test_cells_are_escaped_unless_they_are_html_already():
    assert "<b>" not in table([EVIL], [["<b>", "<b>"]], caption=EVIL)
    assert table(["a"], [["<b>x</b>"]], caption="c", raw=True).count("<b>x</b>") == 1
    assert "<b>" not in paragraph("<b>") + bullets(["<b>"]) + folded("<b>", "")
