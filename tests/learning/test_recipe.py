"""The runs by which an evaluator was learned, done again: going on, moved folders, bad input."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.learning.generations.loop import StepProgress
from samuel.learning.generations.recipe import ModelRecipe, learn_again
from samuel.learning.generations.run import Run
from samuel.models import load_evaluator

GAME = game_named("tic_tac_toe")
RUN = {"game": GAME.name, "model": "tuples3", "games": 60, "depth": 1, "generations": 1}
RUN |= {"curve_pairs": 0, "gate_pairs": 0, "explore": 0.2, "target": "outcome"}
TWO = ModelRecipe(GAME, "two runs", (RUN, RUN | {"games": 80}))


def test_changes_take_the_place_of_options_by_any_name() -> None:
    options, generations = TWO.changed({"epsilon": 0.5}).options_of(1)
    assert (options.selfplay.epsilon, options.fit.target, generations) == (0.5, "outcome", 1)


def weights(folder: Path) -> bytes:
    return (folder / "weights.npz").read_bytes()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `TWO`, which is changed in copies alone."""
    folder = tmp_path_factory.mktemp("unbroken") / "it"
    learn_again(TWO, folder)
    return folder


def test_a_run_begins_with_the_best_of_the_one_before(unbroken: Path) -> None:
    found = learn_again(TWO, unbroken)
    first, second = found.runs
    assert weights(second.folder / "first") == weights(Path(first.best))
    assert second.of(1)["train"]["begun"] == "going on from the earlier fit"
    assert weights(found.best) == weights(Path(second.best))


def test_it_goes_on_where_it_was_stopped_also_elsewhere(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(number: int, doing: StepProgress) -> None:
        if (number, doing.step) == (2, "train"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn_again(TWO, tmp_path / "it", progress=stop)
    shutil.move(tmp_path / "it", tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    found = learn_again(TWO, "moved")
    assert weights(found.best) == weights(unbroken / "best")
    written = (found.best / "model.json").stat().st_mtime_ns
    assert learn_again(TWO, tmp_path / "moved").runs[1].log == found.runs[1].log
    assert (found.best / "model.json").stat().st_mtime_ns == written
    shutil.rmtree(found.best)
    assert weights(learn_again(TWO, "moved").best) == weights(unbroken / "best")


def test_a_kill_before_a_run_has_its_beginning_and_a_damaged_end_are_mended(tmp_path: Path) -> None:
    unbroken = learn_again(TWO, tmp_path / "it")
    shutil.copytree(tmp_path / "it", tmp_path / "moved")
    run = tmp_path / "moved" / "run-2"
    state = json.loads((run / "state.json").read_text())
    shutil.rmtree(run)
    run.mkdir()
    (run / "state.json").write_text(json.dumps(state | {"log": []}))
    shutil.rmtree(tmp_path / "it" / "run-1")  # what the state calls the beginning is gone
    assert weights(learn_again(TWO, tmp_path / "moved").best) == weights(unbroken.best)
    (tmp_path / "moved" / "best" / "weights.npz").write_bytes(b"cut off")
    (tmp_path / "moved" / "best" / "weights.npz.9.partial").touch()
    assert weights(learn_again(TWO, tmp_path / "moved").best) == weights(
        unbroken.runs[1].folder / "best"
    )
    assert not list((tmp_path / "moved" / "best").glob("*.partial"))


def test_a_run_that_began_from_another_model_is_refused(unbroken: Path, tmp_path: Path) -> None:
    shutil.copytree(unbroken, tmp_path / "it")
    learn_again(TWO.changed({"seed": 5}), tmp_path / "other")
    shutil.rmtree(tmp_path / "it" / "run-1")
    shutil.copytree(tmp_path / "other" / "run-1", tmp_path / "it" / "run-1")
    crafted = replace(TWO, runs=(RUN | {"seed": 5}, TWO.runs[1]))
    with pytest.raises(UserError, match=r"run-2 began from another model than .*run-1/best"):
        learn_again(crafted, tmp_path / "it")


@pytest.mark.slow
def test_parameters_of_probcut_are_fitted_at_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    game = game_named("othello_4x4")
    run = RUN | {"game": game.name, "model": "tuples2"}
    less = ModelRecipe(game, "", (run,), {"count": 200, "max_depth": 4})
    best = learn_again(less, tmp_path, searched=lambda *at: told.append(at)).best
    assert load_evaluator(best).probcut is not None and 0 < told[-1][0] <= told[-1][1] == 200
    told.clear()
    assert learn_again(less, tmp_path, searched=lambda *at: told.append(at)).best == best
    assert not told

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    more = less.changed({"generations": 2})
    with pytest.raises(KeyboardInterrupt):
        learn_again(more, tmp_path, searched=stop)
    assert load_evaluator(best).probcut is not None  # what was there serves until the end
    assert load_evaluator(learn_again(more.changed({}, 0), tmp_path).best).probcut is None


def test_what_is_refused_leaves_the_folder_as_it_is(tmp_path: Path) -> None:
    learn_again(TWO, tmp_path / "it")
    before = sorted(str(path) for path in (tmp_path / "it").rglob("*"))
    changes: list[tuple[dict[str, Any], str]] = [
        ({"generations": 2}, "began from generation 1 of run-1"),
        ({"seed": 9}, "was started with seed = 0, not 9"),
        ({"target": "nonsense"}, "nonsense"),
    ]
    for change, message in changes:
        with pytest.raises(UserError, match=message):
            learn_again(TWO.changed(change), tmp_path / "it")
    assert sorted(str(path) for path in (tmp_path / "it").rglob("*")) == before
    for change in ({"first": "zero"}, {"game": "othello"}, {"method": "rote"}):
        with pytest.raises(UserError, match=r"--from cannot be used here|give another --method"):
            TWO.changed(change)


def test_a_later_run_that_promotes_nothing_keeps_what_it_began_with(tmp_path: Path) -> None:
    never = {"gate_pairs": 1, "sprt": [900.0, 999.0]}
    found = learn_again(replace(TWO, runs=(RUN, RUN | never)), tmp_path / "it")
    assert found.runs[1].best_generation == 0
    assert weights(found.best) == weights(Path(found.runs[0].best))
    with pytest.raises(UserError, match="no model was promoted, so zero stays the best; give more"):
        learn_again(replace(TWO, runs=(RUN | never | {"first": "zero"},)), tmp_path / "none")
    assert Run.open(tmp_path / "none" / "run-1").generations == 1
