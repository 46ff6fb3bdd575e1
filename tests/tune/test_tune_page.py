"""The page in a real browser: nothing is asked of the network, nothing goes wrong, marks are where numbers say."""

from __future__ import annotations

import io
import json
import math
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import made_up
import pytest

from jitffi.tune.reports import wording
from jitffi.tune.reports.page import page
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Scale, tag

ALL = pytest.mark.parametrize("name", made_up.ALL)
WIDTHS = (360, 1600)


# -- the text of the page ---------------------------------------------------------------------------------------------


class Checked(HTMLParser):
    """All elements are closed, in their order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append((name, dict(attributes)))
        if name not in ("meta", "link", "br"):
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, words: str) -> None:
        self.words.append(words)


@ALL
def test_the_page_is_well_formed_and_refers_to_nothing(name: str) -> None:
    content = page(made_up.ALL[name]())
    parsed = Checked()
    parsed.feed(content)
    assert not parsed.open
    assert sum(name == "script" for name, _ in parsed.seen) == 1
    allowed = {"href": "data:,"}
    for element, attributes in parsed.seen:
        assert element not in ("img", "iframe", "object", "embed", "base", "form"), element
        for key, value in attributes.items():
            assert not key.startswith("on") and (key not in ("src", "href", "style") or value == allowed.get(key))
    style = next(words for words in parsed.words if "--ground" in words)
    assert "url(" not in style and "@import" not in style
    assert len(content) < 400_000


def test_the_first_words_are_the_answer_how_sure_and_why() -> None:
    parsed = Checked()
    parsed.feed(page(made_up.words()).split("<body>", 1)[1].split("</header>")[0])
    said = " ".join(parsed.words)
    order = [
        "words.py",
        "2.44 times as fast",
        "95 % confidence, 2.41 to 2.46",
        "differs from itself",
        "93 % of the strings",
    ]
    assert [said.index(part) for part in order] == sorted(said.index(part) for part in order)


def test_text_of_users_is_never_markup() -> None:
    assert tag("p", "<b>", title="\"'<") == '<p title="&quot;&#x27;&lt;">&lt;b&gt;</p>'
    content = page(made_up.hostile())
    assert (
        "<script>window" not in content and "<img" not in content and "\u202e" not in content and "\x1b" not in content
    )
    assert "&lt;script&gt;window.hit = 1&lt;/script&gt;" in content and "x" * 700 not in content
    content.encode()  # no halves of pairs


def test_tables_have_the_numbers_of_the_charts() -> None:
    content = page(made_up.words())
    assert "<td>pruned: predicted 1.30 of the default</td>" in content
    assert "<td>failed, MemoryError: 1.2 GiB asked for</td>" in content
    assert '<td class="number">0.436 to 0.444</td>' in content
    total = sum(count for _, count in made_up.HISTOGRAM)
    fit = sum(count for length, count in made_up.HISTOGRAM if length <= 64)
    row = f'>7</th><td class="number">63</td><td class="number">16</td><td class="number">{fit:,}</td>'
    assert f'{row}<td class="number">{100 * fit / total:.1f} %</td>' in content


@pytest.mark.parametrize("low, high", [(0.38, 1.35), (0.95, 1.05), (0, 1.2e6), (1e-9, 3e-9), (0.999, 1.001)])
def test_ticks_are_few_round_and_within(low: float, high: float) -> None:
    for most in (3, 5, 8):
        ticks = Scale(low, high, 0, 100).ticks(most)
        assert 1 <= len(ticks) <= most + 1 and low * (1 - 1e-9) <= ticks[0] and ticks[-1] <= high * (1 + 1e-9)
        assert all(len(f"{tick:g}") <= 8 for tick in ticks)


# -- in a browser -----------------------------------------------------------------------------------------------------

_PREPARE = "document.querySelectorAll('details').forEach(each => each.open = arguments[0])"

#: Boxes of all words that can be seen, whatever element they are in, and what of them lies over each other.
_OVERLAPS = """
const seen = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || !parent.checkVisibility() || parent.closest("title, script")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    let clip = {left: -1e9, top: -1e9, right: 1e9, bottom: 1e9};
    for (let up = parent; up; up = up.parentElement) {
      if (!["auto", "hidden", "scroll"].includes(getComputedStyle(up).overflowX)) continue;
      const own = up.getBoundingClientRect();
      clip = {left: Math.max(clip.left, own.left), top: Math.max(clip.top, own.top),
              right: Math.min(clip.right, own.right), bottom: Math.min(clip.bottom, own.bottom)};
    }
    const part = {left: Math.max(box.left, clip.left), top: Math.max(box.top, clip.top),
                  right: Math.min(box.right, clip.right), bottom: Math.min(box.bottom, clip.bottom)};
    // Lines of text are higher than their letters.
    const spare = (part.bottom - part.top) * 0.2;
    if (part.right - part.left < 2 || part.bottom - part.top < 2) continue;
    seen.push({...part, top: part.top + spare, bottom: part.bottom - spare, text: node.data.trim().slice(0, 30), node});
  }
}
const found = [];
for (let i = 0; i < seen.length; i++) for (let j = i + 1; j < seen.length; j++) {
  const a = seen[i], b = seen[j];
  if (a.node !== b.node && a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom)
    found.push([a.text, b.text]);
}
const wide = seen.filter(each => each.left < -1 || each.right > innerWidth + 1).map(each => each.text);
return {overlaps: found, outside: wide, words: seen.length, scrolls: document.documentElement.scrollWidth > innerWidth};
"""

#: Of the chart that is shown in the section of that title: centres and boxes of marks, ticks with their numbers.
_CHART = """
const sections = [...document.querySelectorAll("section")];
const section = sections.find(each => each.querySelector("h2").textContent === arguments[0]);
const svg = [...section.querySelectorAll("figure > svg")].find(each => each.checkVisibility());
const box = node => {
  const {left, right, top, bottom} = node.getBoundingClientRect();
  return {left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2};
};
const whisker = line => ({x1: +line.getAttribute("x1"), x2: +line.getAttribute("x2")});
const all = (name) => [...svg.querySelectorAll(name)];
const marks = {};
for (const mark of all("[data-candidate]")) {
  const parts = marks[mark.dataset.candidate] = {title: mark.querySelector("title").textContent};
  for (const kind of ["dot", "guess", "bar", "whisker"]) {
    const part = mark.querySelector("." + kind);
    if (part) parts[kind] = kind === "whisker" ? whisker(part) : box(part);
  }
  const value = mark.querySelector(".value");
  if (value) parts.value = value.textContent;
}
const words = name => all("text." + name).map(each => [each.textContent, box(each)]);
const bar = each => [+each.dataset.length, each.getAttribute("class"), box(each.querySelector(".bar"))];
const first = name => all(name).map(box)[0];
return {marks, x: words("tick.x"), y: words("tick.y"), limits: words("limit"), lengths: all("[data-length]").map(bar),
  lines: all("line.limit").map(box), line: first(".default-line"), noise: first("rect.noise"),
  front: all("path.front").map(each => each.getAttribute("d"))[0],
  scale: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width};
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser without a window; skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("there is no chromium with its chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, make in made_up.ALL.items():
        make().plot(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in made_up.ALL}


def show(browser: Any, place: Path, width: int = 1600, scheme: str = "light", media: str = "") -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.get(place.as_uri())


def chart(browser: Any, title: str) -> dict[str, Any]:
    found: dict[str, Any] = browser.execute_script(_CHART, title)
    return found


@ALL
def test_nothing_is_asked_of_the_network_nor_goes_wrong(browser: Any, pages: dict[str, Path], name: str) -> None:
    browser.get_log("performance"), browser.get_log("browser")
    show(browser, pages[name])
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [each["params"]["request"]["url"] for each in asked if each["method"] == "Network.requestWillBeSent"]
    assert [url for url in urls if not url.startswith("data:")] == [pages[name].as_uri()]
    assert browser.get_log("browser") == []
    assert browser.execute_script("return window.hit") is None


@ALL
@pytest.mark.parametrize("width", WIDTHS)
def test_no_words_lie_over_others(browser: Any, pages: dict[str, Path], name: str, width: int) -> None:
    show(browser, pages[name], width)
    for are_open in (False, True):
        browser.execute_script(_PREPARE, are_open)
        found = browser.execute_script(_OVERLAPS)
        assert found["words"] > 10
        assert (found["overlaps"], found["outside"], found["scrolls"]) == ([], [], False)


@pytest.mark.parametrize("width", [500, 700, 1000, 1250])
def test_widths_between_are_readable(browser: Any, pages: dict[str, Path], width: int) -> None:
    show(browser, pages["words"], width)
    found = browser.execute_script(_OVERLAPS)
    assert (found["overlaps"], found["outside"], found["scrolls"]) == ([], [], False)
    sizes = browser.execute_script("""return [...document.querySelectorAll("svg text")].filter(e => e.checkVisibility())
        .map(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)""")
    assert min(sizes) > 8.5


def _interpolated(ticks: list[Any], value: float, axis: str, is_logarithmic: bool = False) -> float:
    """Where *value* is, by the first and the last number of the axis."""
    numbers = [float(re.sub("[kM]$", lambda unit: {"k": "e3", "M": "e6"}[unit[0]], label)) for label, _ in ticks]
    places = [box[axis] for _, box in ticks]
    first, last = (0, len(ticks) - 1)
    a, b, at = (math.log(n) if is_logarithmic else n for n in (numbers[first], numbers[last], value))
    found: float = places[first] + (at - a) / (b - a) * (places[last] - places[first])
    return found


@pytest.mark.parametrize(
    "name, is_logarithmic", [("words", False), ("one_pad", False), ("flat", False), ("extreme", True)]
)
@pytest.mark.parametrize("width", WIDTHS)
def test_times_are_where_their_numbers_say(
    browser: Any, pages: dict[str, Path], name: str, is_logarithmic: bool, width: int
) -> None:
    show(browser, pages[name], width)
    report = made_up.ALL[name]()
    found = chart(browser, "Time")
    x = lambda value: pytest.approx(_interpolated(found["x"], value, "x", is_logarithmic), abs=0.8)  # noqa: E731
    assert found["line"]["x"] == x(1.0) and found["marks"]["default"]["dot"]["x"] == x(1.0)
    measured = [trial for trial in report.trials if trial.relative and math.isfinite(trial.relative.median)]
    for trial in measured:
        mark = found["marks"][str(trial.pads.everywhere)]
        assert mark["dot"]["x"] == x(trial.relative.median)
    if name != "extreme":
        assert report.noise is not None
        assert found["noise"]["left"] == x(report.noise.low) and found["noise"]["right"] == x(report.noise.high)
        for trial in measured:
            whisker = found["marks"][str(trial.pads.everywhere)]["whisker"]
            drawn = (whisker["x2"] - whisker["x1"]) * found["scale"]
            ends = [_interpolated(found["x"], end, "x") for end in (trial.relative.low, trial.relative.high)]
            assert drawn == pytest.approx(ends[1] - ends[0], abs=0.8)
    for number, trial in enumerate(report.refined, 1):
        assert found["marks"][f"finer {number}"]["dot"]["x"] == x(trial.relative.median)
    predicted = [trial for trial in report.trials if trial.seconds is None and trial.predicted is not None]
    for trial in predicted:
        mark = found["marks"][str(trial.pads.everywhere)]
        assert mark["guess"]["x"] == x(trial.predicted) and "dot" not in mark
    labels = ["default", *(str(trial.pads.everywhere) for trial in report.trials)]
    heights = [found["marks"][label]["dot"]["y"] for label in labels if "dot" in found["marks"][label]]
    assert heights == sorted(set(heights))


@pytest.mark.parametrize("width", WIDTHS)
def test_failures_are_shown_where_others_have_times(browser: Any, pages: dict[str, Path], width: int) -> None:
    show(browser, pages["words"], width)
    mark = chart(browser, "Time")["marks"]["14"]
    assert mark == {"title": "pad 14; failed: MemoryError: 1.2 GiB asked for", "value": "failed"}


@pytest.mark.parametrize("width", WIDTHS)
def test_bars_of_memory_are_as_long_as_their_numbers(browser: Any, pages: dict[str, Path], width: int) -> None:
    show(browser, pages["words"], width)
    found = chart(browser, "Memory")
    report = made_up.words()
    for trial in (report.default, *report.trials):
        label = "default" if trial.pads.is_default else str(trial.pads.everywhere)
        if trial.peak_bytes is not None:
            end = _interpolated(found["x"], trial.peak_bytes / 1024, "x")
            assert found["marks"][label]["bar"]["right"] == pytest.approx(end, abs=0.8)
            assert found["marks"][label]["bar"]["left"] == pytest.approx(found["x"][0][1]["x"], abs=0.8)
    assert found["line"]["x"] == pytest.approx(found["marks"]["default"]["bar"]["right"], abs=0.8)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_front_joins_what_is_on_it(browser: Any, pages: dict[str, Path], width: int) -> None:
    show(browser, pages["one_pad"], width)
    found = chart(browser, "Time and memory")
    report = made_up.one_pad()
    for trial in report.trials:
        dot = found["marks"][str(trial.pads.everywhere)]["dot"]
        assert dot["x"] == pytest.approx(_interpolated(found["x"], trial.peak_bytes / 1024, "x"), abs=0.8)
        assert dot["y"] == pytest.approx(_interpolated(found["y"], trial.relative.median, "y"), abs=0.8)
    assert [trial.pads.everywhere for trial in report.pareto] == [None, 1, 2, 3, 4]
    assert found["front"].count("H") == found["front"].count("V") == 4


@pytest.mark.parametrize("name", ["words", "one_pad"])
@pytest.mark.parametrize("width", WIDTHS)
def test_lengths_have_the_limit_of_each_pad(browser: Any, pages: dict[str, Path], name: str, width: int) -> None:
    show(browser, pages[name], width)
    found = chart(browser, "Lengths of text")
    report = made_up.ALL[name]()
    assert [label for label, _ in found["limits"]] == [str(pad) for pad in range(16)]
    in_bytes = [8 + 8 * pad if name == "words" else 7 + 8 * pad for pad in range(16)]
    unit = 4 if name == "words" else 1  # the axis counts characters
    for line, (_, label), end in zip(found["lines"], found["limits"], in_bytes, strict=True):
        x = _interpolated(found["x"], end / unit, "x")
        assert line["x"] == pytest.approx(x, abs=0.8) and label["x"] == pytest.approx(x, abs=0.8)
    assert len(found["lengths"]) == len(report.histogram)
    bottom = _interpolated(found["y"], 0, "y")
    for (length, classes, bar), (expected, count) in zip(found["lengths"], report.histogram, strict=True):
        assert length == expected and bar["bottom"] == pytest.approx(bottom, abs=0.8)
        assert bar["top"] == pytest.approx(_interpolated(found["y"], count, "y"), abs=0.8)
        assert bar["right"] <= _interpolated(found["x"], length / unit, "x") + 0.8
        assert ("inline" in classes) == (length <= in_bytes[report.best])


# -- how it is used ---------------------------------------------------------------------------------------------------


def test_marks_tell_their_story_to_mouse_and_keys(browser: Any, pages: dict[str, Path]) -> None:
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    show(browser, pages["words"])
    story = "return document.querySelector('figure .story').textContent"
    lit = "return [...document.querySelectorAll('.lit')].map(e => e.dataset.candidate)"
    first = browser.execute_script("const e = document.querySelector('svg.wide .mark'); e.focus(); return e")
    assert browser.execute_script(story).startswith("default; 192 ns an item")
    first.send_keys(keys.END)
    last = browser.switch_to.active_element
    assert browser.execute_script(story).startswith("finer 2; pad 7, shouted: *=0; 0.430 (0.426..0.434)")
    last.send_keys(keys.ARROW_UP)
    assert "winner" in browser.execute_script(story)
    assert set(browser.execute_script(lit)) == {"finer 1"} and len(browser.execute_script(lit)) >= 3
    tabbable = "return document.querySelector('svg.wide').querySelectorAll('[tabindex=\"0\"]').length"
    assert browser.execute_script(tabbable) == 1


def _pixels(browser: Any) -> Any:
    image = pytest.importorskip("PIL.Image", reason="no library that reads pictures is installed")
    with image.open(io.BytesIO(browser.get_screenshot_as_png())) as picture:
        return picture.convert("RGB")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["words", "empty"])
def test_screenshots_are_not_blank(browser: Any, pages: dict[str, Path], name: str, width: int, scheme: str) -> None:
    show(browser, pages[name], width, scheme)
    picture = _pixels(browser)
    assert picture.width == width
    ground = picture.getpixel((2, 2))
    assert (sum(ground) < 150) == (scheme == "dark")
    counts = {colour: count for count, colour in picture.getcolors(1 << 24)}
    most = sum(count for colour, count in counts.items() if colour == ground)
    assert len(counts) > 60 and most < 0.97 * picture.width * picture.height


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(browser: Any, pages: dict[str, Path], scheme: str) -> None:
    show(browser, pages["words"], 1600, scheme)
    colours = browser.execute_script("""const root = getComputedStyle(document.documentElement);
        return Object.fromEntries(["ground", "surface", "ink", "muted", "accent", "warm", "mark"].map(
            name => [name, root.getPropertyValue("--" + name).trim()]))""")
    for ground in ("ground", "surface"):
        for name, least in (("ink", 7), ("muted", 4.5), ("accent", 4.5), ("warm", 4.5), ("mark", 3)):
            assert _contrast(colours[ground], colours[name]) >= least, (ground, name)


def _contrast(one: str, other: str) -> float:
    """As the accessibility guidelines count it (WCAG 2.1, contrast ratio)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_paper_has_all_of_it(browser: Any, pages: dict[str, Path]) -> None:
    show(browser, pages["words"], 900, "dark", "print")
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    opened = browser.execute_script("return [...document.querySelectorAll('details')].every(each => each.open)")
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    shown = browser.execute_script("return document.querySelector('svg.wide').checkVisibility()")
    assert (opened, ground, shown) == (True, "rgb(255, 255, 255)", True)
    found = browser.execute_script(_OVERLAPS)
    assert (found["overlaps"], found["scrolls"]) == ([], False)


def test_the_title_is_the_answer(browser: Any, pages: dict[str, Path]) -> None:
    show(browser, pages["flat"])
    assert browser.title == f"numbers.py: {wording.brief(made_up.flat())}" == "numbers.py: no difference"
    assert isinstance(made_up.flat(), Report)
