"""Emitted modules in a page: examples/wasm, in a browser without a window, with somebody who types into it."""

from __future__ import annotations

import functools
import http.server
import queue
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from support.cross import run, wasm_libraries

import jitffi

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wasm"
BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
NODE = shutil.which("node") or shutil.which("nodejs") or "node"
SAID = """\
scale -192
scale 3
shout GRÜSSE!
shout A LONGER TEXT!!!
apply 4611686018427387905
OverflowError: scale: argument 2 'by': expected i8 (-128 to 127), got int 128
TypeError: scale: argument 1 'x': expected f64, got str '1.5'
ValueError: 101 marks are too many
TypeError: shout: expected 1 to 2 arguments, got 0
TypeError: apply: argument 1 'f': expected func[(i64) -> i64], got int 5
RangeError: of JavaScript, through native code
"""
#: Types into the page as somebody at its keyboard would, and reads what it shows then.
TYPING = """<!doctype html><meta charset="utf-8"><iframe src="index.html"></iframe>
<script type="module">
  const page = document.querySelector("iframe");
  const ready = () => page.contentDocument?.documentElement.dataset.ready === "yes";
  while (!ready()) await new Promise((next) => setTimeout(next, 20));
  const at = (id) => page.contentDocument.getElementById(id);
  const type = (id, text) => {
    at(id).value = text;
    at(id).dispatchEvent(new Event("input"));
    return [...at("pieces").children].map((each) => each.textContent).join(" ");
  };
  const lines = [type("learn", "die Grüße der Größe"), type("text", "Größe und Grüße 漢"), type("text", "")];
  await fetch("/found", { method: "POST", body: [...lines, at("said").textContent].join("\\n") });
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The example's files with what is emitted for them."""
    link = wasm_libraries()
    folder = tmp_path_factory.mktemp("site") / "wasm"
    shutil.copytree(EXAMPLE, folder)
    jitffi.emit(f"@{folder / 'text.sigs'}", folder / "text.wasm", js=folder / "functions.mjs", link=link)
    scripts = [f"{folder / 'tokenizer.py'}:{name}" for name in ("tokenize", "pieces")]
    jitffi.emit(scripts, folder / "tokenizer.wasm", js=folder / "tokenizer.mjs", link=link)
    return folder


def test_javascript_calls_javascript_through_wasm(site):
    assert run(NODE, site / "text.mjs") == SAID


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder, and takes what the page found."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.found: queue.Queue[str] = queue.Queue()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self) -> None:
        self.server.found.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


def found_by_a_browser(server: Server, profile: Path) -> list[str]:
    """The lines that the page posts; a browser that says nothing, as one at its first start may, is started again."""
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--enable-logging=stderr",
    ]
    said = profile / "said.txt"
    for attempt in range(3):
        options = [
            f"--user-data-dir={profile / str(attempt)}",
            "--remote-debugging-port=0",
        ]  # it stays until it is ended
        with said.open("w") as file:
            browser = subprocess.Popen([*command, *options, f"{server.address}/typing.html"], stdout=file, stderr=file)
        try:
            return server.found.get(timeout=60).splitlines()
        except queue.Empty:
            pass
        finally:
            browser.terminate()
            browser.wait(30)
    pytest.fail(f"three browsers posted nothing; the last said {said.read_text()[-4000:]}")


@pytest.mark.skipif(BROWSER is None, reason="no chromium")
def test_the_page_in_a_browser(site, tmp_path):
    (site / "typing.html").write_text(TYPING, encoding="utf-8")
    with Server(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            lines = found_by_a_browser(server, tmp_path)
        finally:
            server.shutdown()
    # What the vocabulary has no piece for is 0.
    assert lines[0].endswith("0")
    assert lines[1] == "größe18 u0 n0 d1 grüße11 漢0"
    assert lines[2] == ""
    assert "\n".join(lines[3:]) + "\n" == SAID
