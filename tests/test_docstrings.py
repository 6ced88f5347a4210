"""The docstrings of the reference are complete, and their examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from numpydoc.validate import validate

import samuel
from samuel.common.options import described

REFERENCE = Path(samuel.__file__).parent / "docs/reference.rst"
EXCLUDED = {
    "SA01": "the reference shows objects by topic, and texts name those that belong together",
    "ES01": "one sentence is enough for most methods",
    "EX01": "examples are wanted of the objects of the reference, not of each of their methods",
    "PR04": "annotations have the types, and the reference shows them",
}
WITHOUT_EXAMPLE = {
    "load_plugin": "reads a file",
    "export_model": "writes a file for another program",
    "import_model": "reads a file of another program",
    "register_game": "a game takes a page: examples/custom_game.py",
    "PatternNetwork": "a fit takes seconds",
    "fit_probcut": "searches hundreds of positions",
    "try_file": "plays hundreds of games",
    "Tried": "plays hundreds of games",
    "UserError": "errors are shown where they are raised",
}

CALLED_BY_THE_PACKAGE = {
    *("Game", "Evaluator", "AlphaBeta", "Openings", "Limits", "SearchOptions", "Board"),
    *("LearnOptions", "SelfplayPlan", "TrainingData", "Tried.as_dict"),
    *("Dataset.require_game", "Dataset.some", "Dataset.labelled", "Dataset.arrow_tables"),
    *("Position.along", "Position.number_of", "Position.meant"),
    *("Sprt.unit_bounds", "Sprt.probabilities_at", "Sprt.jumps"),
}
"""Classes that users make and ask nothing, and single methods: one line says what these do."""


@cache
def reference() -> dict[str, Any]:
    """Return the objects of the reference by the names that it has."""
    names = re.findall(r"^   ([\w.]+)$", REFERENCE.read_text("utf-8"), re.MULTILINE)
    found = {}
    for name in names:
        *modules, last = name.split(".")
        found[name] = getattr(importlib.import_module(".".join(["samuel", *modules])), last)
    return found


def with_members(one: Any) -> Iterator[str]:
    """Yield where an object is defined, and its public methods and properties."""
    place = f"{one.__module__}.{one.__qualname__}"
    yield place
    if not inspect.isclass(one) or one.__name__ in CALLED_BY_THE_PACKAGE:
        return
    for name, value in vars(one).items():
        inner = getattr(value, "__func__", value)
        is_method = isinstance(inner, FunctionType) and inner.__name__ == name
        is_public = f"{one.__name__}.{name}" not in CALLED_BY_THE_PACKAGE and name[0] != "_"
        inherits = is_method and not inner.__doc__ and bool(inspect.getdoc(inner))
        if is_public and not inherits and (is_method or isinstance(value, property)):
            yield f"{place}.{name}"


@pytest.mark.parametrize("name", reference())
def test_docstrings_are_complete(name: str) -> None:
    one, faults = reference()[name], []
    for place in with_members(one):
        bases = one.__mro__ if inspect.isclass(one) else ()
        ours = [base for base in bases if base.__module__.startswith("samuel.")]
        fields = {name: text for base in ours for name, text in described(base).items()}
        for code, text in validate(place)["errors"]:
            missing = set(re.findall(r"'(\w+)'", text))
            # the fields of a dataclass are described once, as its attributes
            is_described = code == "PR01" and inspect.isclass(one) and missing <= fields.keys()
            if code not in EXCLUDED and not is_described:
                faults.append(f"{place}: {code} {text}")
        faults += [f"{place}: {name}" for name, text in fields.items() if text[:1].islower()]
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the dataset and the model that the examples read."""
    made = tmp_path_factory.mktemp("docstrings")
    plan = samuel.SelfplayPlan(game="tic_tac_toe", depth=1, epsilon=0.2)
    samuel.train(samuel.generate(plan, 60, made / "data/games"), "ridge", out=made / "runs/ridge")
    return made


@pytest.mark.parametrize("name", [name for name in reference() if name not in WITHOUT_EXAMPLE])
def test_examples_run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    one = inspect.unwrap(reference()[name])
    (found,) = doctest.DocTestFinder(recurse=False).find(one, name, globs={})
    assert found.examples, f"{name} has no example, and is not among WITHOUT_EXAMPLE"
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert not runner.run(found, out=said.append).failed, "".join(said)
