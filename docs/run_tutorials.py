"""Run the tutorials and store what their cells show: `python docs/run_tutorials.py [FILE...]`.

A tutorial is a notebook in docs/tutorials with its outputs, so that it can be read without being
run. Progress lines are not stored. The extra `docs` has what this script needs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3"},
    "language_info": {"name": "python", "pygments_lexer": "python"},
}
TUTORIALS = Path(__file__).parent / "tutorials"


def run(path: Path) -> None:
    """Run a notebook from its first cell, in a folder of its own, and store its outputs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": folder}})
        client.execute()
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    nbformat.write(notebook, path)


def main() -> None:
    """Run the notebooks that are named, or all."""
    for path in [Path(name) for name in sys.argv[1:]] or sorted(TUTORIALS.glob("*.ipynb")):
        print(path.stem, flush=True)
        run(path)


if __name__ == "__main__":
    main()
