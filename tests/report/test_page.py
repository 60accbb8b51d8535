"""What people see: the page in a browser, offline, clicked, scrubbed, switched and printed."""

import re
from pathlib import Path

import pytest
from tests.report.conftest import odd_studies

from softstride.report import render_report

pytestmark = pytest.mark.slow

READY = "() => document.readyState === 'complete'"
FITS = """() => {
    const width = part => document.querySelector("#ground-forces " + part).getBoundingClientRect().width;
    return width(".main-svg") <= width(".plot") + 1;
}"""
SCREEN = ".replay canvas:first-child"


def opened(page, file: Path):
    page.goto(file.as_uri())
    page.wait_for_function(READY)
    return page


def shown(page, selector: str) -> None:
    """Bring a figure into view, and wait until it is drawn."""
    page.locator(selector).first.scroll_into_view_if_needed()
    page.wait_for_function("s => document.querySelector(s).querySelector('.main-svg')", arg=selector)


def seconds(page) -> float:
    return float(page.locator("#replay .clock").inner_text().split()[0])


def picture(page) -> str:
    return page.evaluate(f"document.querySelector('{SCREEN}').toDataURL()")


def lines(page, selector: str) -> list[str]:
    """Return the paths of the curves of the first such panel."""
    every = page.locator(selector).first.locator(".js-line")
    return every.evaluate_all("each => each.map(line => line.getAttribute('d'))")


def test_it_draws_only_what_is_seen(page, report_file):
    opened(page, report_file)
    drawn = page.locator(".plot .main-svg").count()
    shown(page, "#angles .plot")
    assert drawn < page.locator(".plot .main-svg").count() < page.locator(".plot").count()


def test_the_replay_plays_pauses_and_scrubs(page, report_file):
    opened(page, report_file)
    start, first = seconds(page), picture(page)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "t => parseFloat(document.querySelector('#replay .clock').textContent) !== t", arg=start
    )
    page.get_by_role("button", name="Pause").click()
    rest = seconds(page)
    assert rest != start and picture(page) != first
    page.wait_for_timeout(150)
    assert seconds(page) == rest
    page.get_by_label("Time of the replay").fill("0")
    assert seconds(page) == 0.0
    page.get_by_label("Time of the replay").fill("1000")
    assert seconds(page) == pytest.approx(1.74, abs=0.02)


def test_the_replay_works_by_keyboard(page, report_file):
    opened(page, report_file)
    page.locator(SCREEN).focus()
    start, view = seconds(page), picture(page)
    page.keyboard.press("ArrowRight")
    assert seconds(page) > start
    page.keyboard.press("ArrowLeft")
    assert seconds(page) == pytest.approx(start, abs=2e-3)
    page.keyboard.press("d")
    assert picture(page) != view
    page.keyboard.press("Space")
    assert page.locator("#replay .play").get_attribute("aria-pressed") == "true"


def test_every_layer_switches(page, report_file):
    opened(page, report_file)
    before = picture(page)
    for layer in ("body", "bones", "muscles", "markers", "measured forces", "estimated forces"):
        page.get_by_role("checkbox", name=layer).click()
        assert picture(page) != before, layer
        page.get_by_role("checkbox", name=layer).click()
        assert picture(page) == before, layer


def test_the_camera_turns_by_dragging_and_by_its_buttons(page, report_file):
    opened(page, report_file)
    views = [picture(page)]
    box = page.locator(SCREEN).bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 220)
    page.mouse.up()
    views.append(picture(page))
    for name in ("side", "front", "above"):
        page.get_by_role("button", name=name).click()
        views.append(picture(page))
    assert len(set(views)) == len(views)


def test_figures_switch_from_the_cycle_to_time_and_back(page, report_file):
    opened(page, report_file)
    shown(page, "#ground-forces .plot")
    cycle, at = lines(page, "#ground-forces .plot"), page.evaluate("scrollY")
    assert cycle and "gait cycle [%]" in page.locator("#ground-forces .plot").first.inner_text()
    page.get_by_text("over time", exact=True).click()
    page.wait_for_function(
        "() => document.querySelector('#ground-forces .plot').textContent.includes('time [s]')"
    )
    over_time = lines(page, "#ground-forces .plot")
    assert page.evaluate("scrollY") == at  # the reader stays there
    assert over_time and over_time != cycle
    page.get_by_text("over the gait cycle", exact=True).click()
    page.wait_for_function(
        "() => document.querySelector('#ground-forces .plot').textContent.includes('gait cycle')"
    )
    assert lines(page, "#ground-forces .plot") == cycle


def test_time_of_replay_and_figures_go_together(page, report_file):
    opened(page, report_file)
    page.get_by_text("over time", exact=True).click()
    shown(page, "#ground-forces .plot")
    cursor = page.locator("#ground-forces .plot .cursor").first
    cursor.wait_for(state="attached")
    before = cursor.evaluate("line => line.style.left")
    page.get_by_label("Time of the replay").fill("100")
    assert cursor.evaluate("line => line.style.left") != before
    start = seconds(page)
    shown(page, "#ground-forces .plot")
    plot = page.locator("#ground-forces .plot").first
    plot.evaluate("plot => plot.on('plotly_hover', () => { window.hovered = true; })")
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 80)
    page.wait_for_function("() => window.hovered")
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 80)
    page.wait_for_function(
        "t => parseFloat(document.querySelector('#replay .clock').textContent) > t + 0.3", arg=start
    )


def test_folded_figures_are_drawn_when_they_are_opened(page, report_file):
    opened(page, report_file)
    assert page.locator("#other-forces .main-svg").count() == 0
    page.get_by_text(re.compile(r"\d+ other muscles")).click()
    shown(page, "#other-forces .plot")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_reader(page, report_file, scheme):
    page.emulate_media(color_scheme=scheme)
    opened(page, report_file)
    shown(page, "#angles .plot")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}[scheme]
    line = page.locator("#angles .plot").first.locator(".js-line").last
    stroke = line.evaluate("line => getComputedStyle(line).stroke")
    assert stroke == {"light": "rgb(196, 80, 10)", "dark": "rgb(245, 154, 85)"}[scheme]


def test_nothing_sticks_out_of_the_page(page, report_file):
    opened(page, report_file)
    for width in (1280, 768, 360):
        page.set_viewport_size({"width": width, "height": 800})
        shown(page, "#ground-forces .plot")
        page.wait_for_function(FITS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_prints_with_all_figures(page, report_file, tmp_path):
    page.emulate_media(color_scheme="dark")
    opened(page, report_file)
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed = {"
        "drawn: document.querySelectorAll('.plot .main-svg:first-child').length,"
        "closed: document.querySelectorAll('details:not([open])').length,"
        "ink: getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()}; })"
    )
    file = tmp_path / "report.pdf"
    page.pdf(path=file, prefer_css_page_size=True, print_background=True)
    printed = page.evaluate("window.printed")
    assert printed == {"drawn": page.locator(".plot").count(), "closed": 0, "ink": "#1c2430"}
    content = file.read_bytes()
    assert content.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", content)) > 8
    page.wait_for_function("() => !document.documentElement.classList.contains('printing')")
    assert page.locator("details[open]").count() == 0


@pytest.mark.parametrize("case", ["motion", "events", "gaps", "one frame", "two frames", "nothing known"])
def test_pages_with_something_missing_open_too(page, study, tmp_path, case):
    file = tmp_path / "odd.html"
    file.write_text(render_report(odd_studies(study)[case][0]), encoding="utf-8")
    opened(page, file)
    high = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, high, 700):
        page.evaluate(f"scrollTo(0, {top})")
        page.wait_for_timeout(60)
    switch = page.locator("input[name=view]")
    assert switch.count() == (0 if case in ("events", "one frame", "two frames") else 2)
    page.get_by_role("button", name="Play").click()


def test_a_script_in_a_name_is_text(page, study, tmp_path):
    name = "<script>alert(1)</script>"
    file = tmp_path / "evil.html"
    file.write_text(render_report(study.changed(name=name), replay=False), encoding="utf-8")
    said = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    opened(page, file)
    assert page.locator("h1").inner_text() == name and page.title().startswith(name) and said == []
