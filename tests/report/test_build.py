"""The page has everything inside, says what is missing, escapes what files say, and is written whole or not at all."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from tests.report.conftest import NOTHING, odd_studies

from softstride.errors import CaptureError, InputError
from softstride.report import page as page_module
from softstride.report import render_report, write_report
from softstride.report.build import PARTS
from softstride.study import Stage

EVIL = "<script>alert(1)</script>"
CASES = (
    *("motion", "plates", "estimate", "muscles", "events", "events, with loads", "gaps", "nothing known"),
    *("one frame", "two frames", "knees", "failed"),
)
VOID = {"meta", "input", "br", "link"}


class Tags(HTMLParser):
    """Counts elements, and checks that all are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.count, self.attributes, self.idents = [], {}, [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.attributes += [(tag, *pair) for pair in attrs]
        self.idents += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def without_plotly(page):
    """The page without the script of Plotly, which is not ours to judge."""
    return max(re.split(r"<script>/\*\*\s*\* plotly.*?</script>", page, flags=re.DOTALL), key=len)


def embedded(page, ident):
    return json.loads(re.search(rf'<script type="application/json" id="{ident}">(.*?)</script>', page)[1])


def test_sections_come_in_their_order(report):
    places = [report.index(f">{name}</h2>") for name, _ in PARTS]
    assert places == sorted(places)


def test_the_page_is_well_formed_and_asks_for_nothing(report):
    tags = Tags(report)
    assert tags.open == [] and len(tags.idents) == len(set(tags.idents))
    for tag, name, value in tags.attributes:
        assert name not in ("src", "srcset", "data", "action", "onclick", "onload"), (tag, name)
        assert name != "href" or value.startswith("#"), value
    ours = without_plotly(report)
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttpRequest|WebSocket", ours)
    assert "default-src 'none'" in report
    for target in re.findall(r'href="#([^"]+)"', report):
        assert target in tags.idents


def test_the_page_is_small_enough_for_a_mail(report):
    assert len(report.encode("utf-8")) < 8e6


def test_every_panel_has_its_values_and_says_them(report):
    data = embedded(report, "figures")
    places = [int(n) for n in re.findall(r'data-panel="(\d+)"', report)]
    assert places == list(range(len(data["panels"]))) and len(places) > 60
    assert all(panel["unit"] for panel in data["panels"])
    said = re.findall(r'role="img" aria-label="([^"]+)" data-panel', report)
    assert len(said) == len(places) and all(" from " in words for words in said)


def test_the_tables_of_the_paper_are_there(report, study):
    strike = study.validation.strikes[0]
    for value in (*strike.rmse, *strike.rrmse):
        assert re.search(rf"<td>{value:.3g}|<td>{value:.2g}|<td>{value:.1f}", report)
    assert "single support" in report and "1. right" in report and "bflh r" in report


def test_the_replay_holds_all_layers(report, study):
    scene = embedded(report, "scene")
    assert len(scene["muscles"]["names"]) == len(study.model.muscles) and scene["ribbons"]
    assert {arrow["source"] for arrow in scene["arrows"]} == {"measured", "estimated"}
    assert scene["contacts"]["right"] and scene["palette"]


@pytest.mark.parametrize("case", CASES)
def test_what_is_missing_is_said(study, case):
    changed, words = odd_studies(study)[case]
    page = render_report(changed, replay=False)
    assert Tags(page).open == []
    for each in words:
        assert each in page, each


@pytest.mark.slow
def test_text_of_files_is_escaped(study):
    recording = study.recording.replace(name=EVIL, files=(f"{EVIL}.c3d",)).noted(EVIL)
    stages = (*study.stages, Stage(EVIL, "failed", EVIL))
    page = render_report(study.changed(name=EVIL, recording=recording, stages=stages), replay=True)
    assert EVIL not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5  # title, heading, file, note, step


@pytest.mark.slow
def test_norms_of_the_laboratory_lie_behind_the_curves(study, tmp_path):
    file = tmp_path / "our <norms>.csv"
    rows = [
        "pct_stride,knee_angle_deg_mean,knee_angle_deg_sd,hip_power_W_per_kg_mean",
        "0,5,3,0",
        "100,6,3,1",
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    page = render_report(study, norms=file, replay=False)
    panels = embedded(page, "figures")["panels"]
    assert [(p["title"], p["unit"]) for p in panels if "norm" in p] == [("knee angle", "°"), ("hip", "W/kg")]
    assert "Norm: our &lt;norms&gt;.csv." in page
    assert "norm" not in embedded(render_report(study, replay=False), "figures")["panels"][0]  # it is running


def test_a_report_is_written_whole_or_not_at_all(study, tmp_path):
    study = study.changed(**NOTHING)
    file = tmp_path / "läufer mit feder.html"
    write_report(study, file, replay=False)
    first = file.read_bytes()
    with pytest.raises(CaptureError, match="exists already"):
        write_report(study, file, replay=False)
    assert file.read_bytes() == first
    write_report(study, file, replay=False, overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    with pytest.raises(CaptureError, match="cannot be written"):
        write_report(study, tmp_path / "nowhere" / "x.html", replay=False)


def test_what_is_no_study_is_refused():
    with pytest.raises(InputError, match="made of a Study, however it was given str"):
        render_report("walk.study.nc")


def test_without_plotly_the_way_out_is_said(study, monkeypatch):
    monkeypatch.setattr(page_module, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install plotly"):
        render_report(study, replay=False)


def test_importing_the_room_imports_nothing_heavy():
    probe = "import sys, softstride.report; sys.exit('numpy' in sys.modules or 'plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0
