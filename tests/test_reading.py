"""The path through the code (docs/reading.md): its size, and what it imports."""

import ast
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reading.md").read_text()
MOST_FILES, MOST_LINES = 25, 5_000
MOST_LOADED = 30_600
"""Lines that the README's example loads; lower this number when they become fewer."""


def listed(heading: str) -> list[str]:
    """Return the names in the first column of the table below a heading."""
    table = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall("`([^`]+)`", cell)]


SPINE = listed("The spine")


def lines_in(files) -> int:
    return sum(len(Path(file).read_text().splitlines()) for file in files)


def imported_by(name: str) -> list[str]:
    """Return the files of the package that a file imports, for types alone as well."""
    tree, found = ast.parse((ROOT / name).read_text()), []
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        for module in modules:
            place = ROOT.joinpath(*module.split(".")[1:]) if module.startswith("samuel.") else None
            if place is not None and place.with_suffix(".py").is_file():
                found.append(str(place.with_suffix(".py").relative_to(ROOT)))
            elif place is not None and (place / "__init__.py").is_file():
                found.append(str((place / "__init__.py").relative_to(ROOT)))
    return found


def test_the_spine_is_short():
    assert len(SPINE) == len(set(SPINE)) <= MOST_FILES
    assert lines_in(ROOT / name for name in SPINE) <= MOST_LINES


def test_the_spine_imports_no_layer_over_it():
    around = listed("Around the spine")
    for name in SPINE:
        imported = imported_by(name)
        assert imported, name
        for other in imported:
            depth = other.count("/")
            allowed = (one for one in around if fnmatch(other, one) and one.count("/") == depth)
            assert other in SPINE or any(allowed), f"{name} imports {other}"


def test_what_is_around_the_spine_is_there():
    for pattern in listed("Around the spine"):
        assert any(ROOT.glob(pattern)), pattern


def test_the_example_of_the_readme_loads_few_lines(tmp_path):
    (example,) = re.findall(
        r"^```python\n(import samuel\n.*?)^```$", (ROOT / "README.md").read_text(), re.S | re.M
    )
    program = example.replace("games=300", "games=40").replace("pairs=50", "pairs=1") + (
        "import sys\n"
        "found = {getattr(m, '__file__', None) for n, m in sys.modules.items()"
        " if n.split('.')[0] == 'samuel'}\n"
        "print(*filter(None, found), sep='\\n', file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [line for line in done.stderr.splitlines() if line.endswith(".py")]
    assert len(files) > len(SPINE)
    assert lines_in(files) <= MOST_LOADED
