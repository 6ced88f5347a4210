"""The package's folders, and its long description: README.md, whose links lead to the repository.

All other settings are those of pyproject.toml.
"""

import re
import tomllib
from pathlib import Path

from setuptools import find_packages, setup

_ROOT = Path(__file__).parent
_URLS = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
_RELATIVE = r"(!?)(\[[^]]*\]\()(?![a-z]+:|#)"
"""Begin of a link to a file, or of a picture, up to the file's name."""


def _absolute(link: re.Match[str]) -> str:
    return f"{link[0]}{_URLS['Source']}/{'raw' if link[1] else 'blob'}/main/"


setup(
    script_name="setup.py",  # a frontend hides it, and this file would be one of the package
    packages=["samuel", *(f"samuel.{one}" for one in find_packages(_ROOT, ["benchmarks*"]))],
    long_description=re.sub(_RELATIVE, _absolute, (_ROOT / "README.md").read_text("utf-8")),
    long_description_content_type="text/markdown",
)
