"""Settings of the site that `make docs` builds: Sphinx, with numpydoc and MyST."""

from __future__ import annotations

import os
import re
import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib

import samuel

sys.path.insert(0, str(Path(__file__).parent))
import api_pages

matplotlib.use("agg")
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

project = "samuel"
author = "the samuel authors"
version = release = samuel.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
]
templates_path = ["_templates"]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "pydata_sphinx_theme"
html_title = "samuel"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_center": ["top-links"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"**": ["site-nav"]}
html_static_path = ["_static"]
html_css_files = ["site.css"]
numpydoc_show_class_members = False
autosummary_generate = True
autosummary_filename_map = {"samuel.feature": "samuel.feature_decorator"}
"""Pages whose names would differ from another's by case alone: some file systems see no case."""
maximum_signature_line_length = 64  # longer ones have a line for each parameter
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
autodoc_inherit_docstrings = True
suppress_warnings = ["config.cache"]
nb_execution_mode = "off"  # notebooks keep their outputs
os.environ.setdefault("COLUMNS", "100")


def _is_sklearns(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn adds to every estimator, whose pages lead elsewhere."""
    is_request = name.startswith("set_") and name.endswith("_request")
    return True if is_request or name in ("get_metadata_routing",) else None


def _keep_options_whole(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Mark the options of commands, so that no line is broken inside one."""

    def marked(block: re.Match[str]) -> str:
        return re.sub(r"(?<=[\s>])(--?[a-z][\w-]*)", r'<span class="option">\1</span>', block[0])

    body = context.get("body", "")
    context["body"] = re.sub(r'<div class="highlight-sh.*?</pre>', marked, body, flags=re.DOTALL)


def _name_pages(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Give templates the titles of pages."""
    context["title_of"] = lambda name: app.env.titles[name].astext()


def _list_features(app: Any, page: str, source: list[str]) -> None:
    if page == "feature_tables":
        made = runpy.run_path(str(Path(__file__).with_name("make_features.py")))
        source[0] += "\n" + made["tables"]()


def _list_keys(app: Any, page: str, source: list[str]) -> None:
    if page == "formats":
        lines = Path(__file__).with_name("json_keys.txt").read_text().splitlines()
        rows = [f"| {line.replace(': ', ' | ', 1)} |" for line in lines]
        source[0] += "\n".join(["", "| command | keys |", "|---|---|", *rows, ""])


def setup(app: Any) -> None:
    api_pages.connect(app)
    app.connect("source-read", _list_features)
    app.connect("source-read", _list_keys)
    app.connect("html-page-context", _keep_options_whole)
    app.connect("html-page-context", _name_pages)
    app.connect("autodoc-skip-member", _is_sklearns)
