"""The pages that name columns, features and keys name those that there are."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_features_are_documented_as_they_say_of_themselves():
    spec = importlib.util.spec_from_file_location("make_features", DOCS / "make_features.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    again = "run python docs/make_features.py"
    assert (DOCS / "features.md").read_text() == made.page(), again
    assert "|  |" not in made.page(), "a feature has no docstring"
