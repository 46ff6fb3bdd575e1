"""The page in a real browser: nothing is asked of the network, nothing goes wrong, marks are where numbers say."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import made_up
import pytest

from jitffi.tune.formatting import candidate
from jitffi.tune.reports.page import Axis, page

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
    assert not any(name == "script" for name, _ in parsed.seen)
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
        "10 allocations instead of 1,000",
    ]
    assert [said.index(part) for part in order] == sorted(said.index(part) for part in order)


def test_text_of_users_is_never_markup() -> None:
    content = page(made_up.hostile())
    assert (
        "<script>window" not in content and "<img" not in content and "\u202e" not in content and "\x1b" not in content
    )
    assert "&lt;script&gt;window.hit = 1&lt;/script&gt;" in content and "x" * 700 not in content
    content.encode()  # no halves of pairs


def test_tables_have_the_numbers() -> None:
    content = page(made_up.words())
    assert "<td>unmeasured: there was no time for it</td>" in content
    assert "<td>failed: MemoryError: 1.2 GiB asked for</td>" in content
    assert '<td class="number">0.440 (0.436..0.444)</td><td class="number">84.7</td>' in content


@pytest.mark.parametrize("low, high", [(0.38, 1.35), (0.95, 1.05), (0, 1.2e6), (1e-9, 3e-9), (0.999, 1.001)])
def test_ticks_are_few_round_and_within(low: float, high: float) -> None:
    for most in (3, 5, 8):
        ticks = Axis(low, high).ticks(most)
        assert 1 <= len(ticks) <= most + 1 and low * (1 - 1e-9) <= ticks[0] and ticks[-1] <= high * (1 + 1e-9)
        assert all(len(f"{tick:g}") <= 8 for tick in ticks)


# -- in a browser -----------------------------------------------------------------------------------------------------

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

#: Of the section of that title: by row the boxes of what its strips have, and the axes with their numbers.
_STRIPS = """
const section = [...document.querySelectorAll("section")].find(e => e.querySelector("h2").textContent === arguments[0]);
const box = node => {
  const {left, right, top, bottom} = node.getBoundingClientRect();
  return {left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2};
};
const rows = {};
for (const row of section.querySelectorAll("tbody tr")) {
  const name = [...row.querySelectorAll("th bdi")].map(line => line.textContent).join("; ");
  const parts = rows[name] = {classes: row.className, cells: []};
  for (const cell of row.querySelectorAll("td")) parts.cells.push(cell.querySelector("svg") ? "" : cell.textContent);
  for (const kind of ["dot", "bar", "whisker", "noise"]) {
    const part = row.querySelector("." + kind);
    if (part) parts[kind] = box(part);
  }
  parts.lines = [...row.querySelectorAll(".default-line")].map(box);
}
const axes = [...section.querySelectorAll("svg.axis")].map(
  axis => [...axis.querySelectorAll("text")].map(each => [each.textContent, box(each)]));
return {rows, axes};
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


def strips(browser: Any, title: str) -> dict[str, Any]:
    found: dict[str, Any] = browser.execute_script(_STRIPS, title)
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


def _place(axis: list[Any], value: float) -> Any:
    """Where *value* is, by the first and the last number of the axis."""
    numbers = [float(label) for label, _ in axis]
    first, last = axis[0][1]["x"], axis[-1][1]["x"]
    return pytest.approx(first + (value - numbers[0]) / (numbers[-1] - numbers[0]) * (last - first), abs=0.8)


@pytest.mark.parametrize("name", ["words", "one_pad", "flat", "extreme"])
@pytest.mark.parametrize("width", WIDTHS)
def test_times_are_where_their_numbers_say(browser: Any, pages: dict[str, Path], name: str, width: int) -> None:
    show(browser, pages[name], width)
    report = made_up.ALL[name]()
    found = strips(browser, "Time and memory")
    axis = found["axes"][0]
    assert found["rows"]["default"]["lines"][0]["x"] == _place(axis, 1.0)
    assert found["rows"]["default"]["dot"]["x"] == _place(axis, 1.0)
    for trial in (*report.trials, *report.refined):
        row = found["rows"][candidate(trial.pads)]
        if trial.relative:
            # The axis of the extreme ones ends at four times the default's.
            assert row["dot"]["x"] == _place(axis, min(trial.relative.median, 4.0))
            if name != "extreme":
                assert report.noise is not None
                assert row["noise"]["left"] == _place(axis, report.noise.low)
                assert row["noise"]["right"] == _place(axis, report.noise.high)
                assert row["whisker"]["left"] == _place(axis, trial.relative.low)
                assert row["whisker"]["right"] == _place(axis, trial.relative.high)
        elif trial.seconds is None:
            assert "dot" not in row


def test_failures_are_shown_where_others_have_times(browser: Any, pages: dict[str, Path]) -> None:
    show(browser, pages["words"])
    row = strips(browser, "Time and memory")["rows"]["pad 14"]
    assert row["cells"][-1] == "failed: MemoryError: 1.2 GiB asked for" and row["classes"] == "failed"
    assert not {"dot", "bar"} & {*row}


@pytest.mark.parametrize("width", WIDTHS)
def test_bars_of_memory_are_as_long_as_their_numbers(browser: Any, pages: dict[str, Path], width: int) -> None:
    show(browser, pages["words"], width)
    found = strips(browser, "Time and memory")
    report, axis = made_up.words(), found["axes"][1]
    for trial in (report.default, *report.trials):
        row = found["rows"][candidate(trial.pads)]
        if trial.peak_bytes is not None:
            assert row["bar"]["left"] == _place(axis, 0)
            assert row["bar"]["right"] == _place(axis, trial.peak_bytes / 1024)
        assert row["lines"][1]["x"] == _place(axis, report.default.peak_bytes / 1024)


# -- how it looks -----------------------------------------------------------------------------------------------------


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
    assert len(counts) > 40 and most < 0.99 * picture.width * picture.height


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(browser: Any, pages: dict[str, Path], scheme: str) -> None:
    show(browser, pages["words"], 1600, scheme)
    colours = browser.execute_script("""const root = getComputedStyle(document.documentElement);
        return Object.fromEntries(["ground", "ink", "muted", "accent", "warm", "mark"].map(
            name => [name, root.getPropertyValue("--" + name).trim()]))""")
    for name, least in (("ink", 7), ("muted", 4.5), ("accent", 4.5), ("warm", 4.5), ("mark", 3)):
        assert _contrast(colours["ground"], colours[name]) >= least, name


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
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    found = browser.execute_script(_OVERLAPS)
    assert (found["overlaps"], found["scrolls"]) == ([], False)


def test_the_title_is_the_answer(browser: Any, pages: dict[str, Path]) -> None:
    show(browser, pages["flat"])
    assert browser.title == "numbers.py: No difference: nothing beats the default beyond the noise."
