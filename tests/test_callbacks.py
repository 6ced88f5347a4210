"""`on_step`: the figures that it gets are those of docs/callbacks.md; its exceptions end a run."""

import json
import re

import pytest

import samuel
from samuel.common.errors import UserError
from tests.documented import DOCS
from tests.test_examples import load

OPTIONS = {"game": "tic_tac_toe", "games": 20, "gate_pairs": 2, "curve_pairs": 2}
DOCUMENTED = {
    event: set(re.findall("`([^`]+)`", keys))
    for event, keys in re.findall(
        r"^\| `(\w+)` \|.*\| (.*) \|$", (DOCS / "callbacks.md").read_text(), re.MULTILINE
    )
}


class Got(list):
    """The steps that a run sent."""

    def __call__(self, figures):
        self.append(json.loads(json.dumps(figures, allow_nan=False)))

    @property
    def events(self):
        return [one["event"] for one in self]

    def check(self):
        last = {}
        for one in self:
            event, step = one.pop("event"), one.pop("step")
            assert type(step) is int and step > last.get(event, -1)
            assert all(isinstance(value, int | float | str) for value in one.values())
            known = DOCUMENTED[event]
            plain = {re.sub("^(elo|score)_(first|classic)", r"\1_NAME", name) for name in one}
            assert plain <= known, event
            last[event] = step


class StopError(ValueError):
    """What a callback raises; fits turn a ValueError into a sentence."""


def stop_at(event, step):
    def on_step(figures):
        if (figures["event"], figures["step"]) == (event, step):
            raise StopError

    return on_step


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    plan = samuel.SelfplayPlan(game="tic_tac_toe", evaluator="zero", depth=1, epsilon=0.2, seed=1)
    return samuel.generate(plan, 60, tmp_path_factory.mktemp("games") / "data")


@pytest.mark.parametrize(
    ("model", "iterations"),
    [("ridge", 0), ("nnue", 4), ("network", 2), ("tuples2", 1), ("texel", 1)],
)
def test_a_fit_sends_its_iterations_and_its_figures(data, model, iterations):
    got = Got()
    parameters = {"epochs": 4} if model == "nnue" else {}
    trained = samuel.train(data, model, parameters=parameters, on_step=got)
    assert got.events[-1] == "train" and got.events.count("train") == 1
    assert got.events.count("iteration") >= iterations
    assert got[-1]["log_loss"] == trained.metrics["log_loss"]
    if model == "nnue":
        last = got[-2]
        assert last["loss"] == trained.estimator.loss_curve_[-1]
        assert last["validation_loss"] == -trained.estimator.validation_scores_[-1]
    if model == "ridge":
        assert set(got[0]) - {"event", "step"} == DOCUMENTED["train"]
    got.check()


def test_a_match_sends_its_figures(data):
    got = Got()
    result = samuel.match(
        "classic", "zero", game="tic_tac_toe", depth=1, pairs=10, sprt="0,50", on_step=got
    )
    assert (got[-1]["games"], got[-1]["score"]) == (
        result.statistics.games,
        result.statistics.score,
    )
    assert got[-1]["step"] == len(result.pairs) and got[-1]["llr"] == result.state.llr
    got.check()


def test_learning_sends_its_generations(tmp_path):
    got = Got()
    options = samuel.LearnOptions(**OPTIONS)
    run = samuel.learn(tmp_path / "run", options, generations=1, on_step=got)
    samuel.learn(tmp_path / "run", generations=2, on_step=got)
    assert [(one["event"], one["step"]) for one in got] == [("generation", n) for n in range(3)]
    assert got[1]["positions"] == run.frame()["positions"][1]
    got.check()


def test_learning_while_playing_sends_checkpoints(tmp_path):
    got = Got()
    options = samuel.LearnOptions(**OPTIONS, algorithm="tdlambda", start="classic")
    samuel.learn(tmp_path / "run", options, generations=1, on_step=got)
    assert [one["games"] for one in got if one["event"] == "checkpoint"] == list(range(1, 21))
    got.check()


def test_an_exception_of_the_callback_ends_a_fit(data, tmp_path):
    with pytest.raises(StopError):
        samuel.train(data, "nnue", out=tmp_path / "model", on_step=stop_at("iteration", 2))
    assert not (tmp_path / "model").exists()


def test_a_match_goes_on_after_an_exception_of_the_callback(tmp_path):
    given = {"game": "tic_tac_toe", "depth": 1, "pairs": 5, "out": tmp_path / "match"}
    with pytest.raises(StopError):
        samuel.match("classic", "zero", **given, on_step=stop_at("match", 1))
    found = samuel.match("classic", "zero", **given)
    assert (found.results == samuel.match("classic", "zero", **given | {"out": None}).results).all()


@pytest.mark.parametrize(("algorithm", "event"), [(None, "generation"), ("tdlambda", "checkpoint")])
def test_learning_goes_on_after_an_exception_of_the_callback(tmp_path, algorithm, event):
    online = {"algorithm": algorithm, "start": "classic"} if algorithm else {}
    options = samuel.LearnOptions(**OPTIONS, **online)
    with pytest.raises(StopError):
        samuel.learn(tmp_path / "run", options, generations=2, on_step=stop_at(event, 1))
    run = samuel.learn(tmp_path / "run", generations=2)
    whole = samuel.learn(tmp_path / "other", options, generations=2)
    assert run.repeatable() == whole.repeatable()


def test_errors_of_the_run_are_not_the_callbacks(data):
    with pytest.raises(UserError, match="no recipe"):
        samuel.train(data, "none", on_step=lambda figures: None)


@pytest.mark.filterwarnings("ignore:only")
def test_curves_in_tensorboard(tmp_path):
    pytest.importorskip("tensorboardX")
    load("log_tensorboard").main(str(tmp_path), games=10, generations=1)
    (file,) = tmp_path.glob("events*")
    assert b"generation/rows" in file.read_bytes()


def test_figures_in_mlflow(tmp_path):
    mlflow = pytest.importorskip("mlflow")
    load("log_mlflow").main(str(tmp_path), games=30)
    (run,) = mlflow.search_runs(output_format="list")
    assert run.data.metrics["train/rows"] > 100 and "iteration/validation_loss" in run.data.metrics
