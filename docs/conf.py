"""How `make docs` makes a site of this folder. Sphinx, since its one index and its search cover Python, C and the
command line, and work from a folder without a server; MyST, since the pages are Markdown, as a checkout shows them and
the tests run them; furo, since it fits a telephone and the dark, and fetches nothing.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "generators"))

project = "jitffi"
author = copyright = "The jitffi maintainers"
version = release = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "site_pages"]
exclude_patterns = ["generators"]
myst_heading_anchors = 4  # as a checkout's viewer names them
myst_links_external_new_tab = False
highlight_language = "text"
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
add_function_parentheses = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = c_maximum_signature_line_length = 88
maximum_signature_line_length = 88
nitpick_ignore_regex = [("c:identifier", ".*")]

html_theme = "furo"
html_title = f"jitffi {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}
