"""Networks over features as other programs read them: arrays, C, ONNX."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline

from examples.read_exports import network_scores
from samuel.common.errors import UserError
from samuel.features import Features, column_names, extract
from samuel.games import Game, game_named
from samuel.games.playing import random_positions
from samuel.models import OutcomeNetworks, Staged, evaluate, load_evaluator, save
from samuel.models.compiled.layers import layers_in
from samuel.models.export import export_model
from samuel.models.named import folder_of
from samuel.models.saved.loading import load_compiled
from tests.networks import forward

BACKGAMMON, SMALL = game_named("backgammon"), game_named("othello_4x4")
FEATURES = ["pips", "tesauro", "phase"]
OUTCOMES = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])


def positions_of(game: Game, count: int, seed: int) -> NDArray[np.uint64]:
    rows = random_positions(game, count, seed)
    return rows[[not game.is_over(row) for row in rows]]


ROWS = {game.name: positions_of(game, 2000, 3) for game in (BACKGAMMON, SMALL)}


def outcome_networks(classes: str | None) -> OutcomeNetworks:
    model = OutcomeNetworks(
        FEATURES, BACKGAMMON.name, classes=classes, outcomes=OUTCOMES, units=8, epochs=5
    )
    rows = ROWS[BACKGAMMON.name]
    random = np.random.default_rng(1)
    return model.set_params(random_state=1).fit(rows, random.choice(OUTCOMES, len(rows)))


def perceptron(activation: str, *hidden: int) -> Any:
    network = MLPRegressor(
        hidden_layer_sizes=hidden, activation=activation, max_iter=5, random_state=1
    )
    rows, random = ROWS[SMALL.name], np.random.default_rng(1)
    model = make_pipeline(Features(["squares", "mobility"], SMALL.name), network)
    return model.fit(rows, random.normal(0, 5, len(rows)))


def learned_chances() -> NDArray[np.float64]:
    model, rows = load_compiled(folder_of("learned", BACKGAMMON)), ROWS[BACKGAMMON.name]
    features, classes = extract(model.features, rows), model.counts_of(rows)
    found = np.zeros((len(rows), 5))
    for k, block in enumerate(model.blocks):
        made = forward(layers_in(block), block.parameters, features[classes == k])
        found[classes == k] = made[-2]
    return found


MODELS = {
    "classes": lambda: outcome_networks("phase"),
    "one": lambda: outcome_networks(None),
    "relu": lambda: perceptron("relu", 8, 4),
    "tanh": lambda: perceptron("tanh", 8),
    "logistic": lambda: perceptron("logistic", 8),
    "identity": lambda: perceptron("identity", 3, 2),
    "linear": lambda: perceptron("relu"),
}


class Exported(NamedTuple):
    """A model to export, the features of positions, and their scores and chances by the model."""

    model: str
    game: Game
    features: NDArray[np.float32]
    scores: NDArray[np.float32]
    chances: NDArray[Any] | None


@pytest.fixture(scope="module", params=["learned", *MODELS])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    game, name, folder, chances = BACKGAMMON, "learned", folder_of("learned", BACKGAMMON), None
    if request.param == "learned":
        chances = learned_chances()
    else:
        model, folder = MODELS[request.param](), tmp_path_factory.mktemp("exported") / "model"
        save(folder, model, name="model")
        name = str(folder)
        if isinstance(model, OutcomeNetworks):
            chances = model.chances(ROWS[game.name])
        else:
            game = SMALL
    rows, features = ROWS[game.name], load_compiled(folder).features
    scores = evaluate(load_evaluator(name, game), game, rows)
    assert len(np.unique(scores)) > 100
    return Exported(name, game, extract(features, rows), scores, chances)


def close_to(expected: NDArray[Any]) -> Any:
    return pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_a_reader_in_numpy_gives_the_same_scores(exported: Exported, tmp_path: Path) -> None:
    model, game, features, scores, chances = exported
    export_model(model, game, "numpy", tmp_path / "model.npz")
    file = dict(np.load(tmp_path / "model.npz"))
    found, of_outcomes = network_scores(file, features)
    assert found == close_to(scores)
    if chances is None:
        assert not len(file["outcomes"])
    else:
        assert file["outcomes"].tolist() == OUTCOMES.tolist()
        assert of_outcomes == close_to(chances)
        assert OUTCOMES[0] + of_outcomes @ np.diff(OUTCOMES) == close_to(scores)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_function_in_c_gives_the_same_scores(exported: Exported, tmp_path: Path) -> None:
    model, game, features, scores, chances = exported
    export_model(model, game, "c", tmp_path / "model.h")
    header = (tmp_path / "model.h").read_text()
    assert ("float *chances" in header) == (chances is not None)
    name, more = Path(model).name, "" if chances is None else ", chances ? chances + 5 * i : 0"
    (tmp_path / "model.c").write_text(
        '#include "model.h"\n'
        "void score(int n, int k, const float *features, float *found, float *chances)\n"
        f"{{ (void)chances; for (int i = 0; i < n; i++)\n"
        f"found[i] = {name}_score(features + i * k{more}); }}\n"
    )
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, "model.c", "-o", "model.so", "-lm"], cwd=tmp_path, check=True)
    score = ctypes.CDLL(str(tmp_path / "model.so")).score
    found, of_outcomes = np.zeros((2, len(features)), np.float32), np.zeros((len(features), 5), "f")

    def pointer(array: NDArray[np.float32]) -> Any:
        return array.ctypes.data_as(ctypes.c_void_p)

    given = len(features), features.shape[1], pointer(features)
    score(*given, pointer(found[0]), None)
    score(*given, pointer(found[1]), pointer(of_outcomes))
    assert found[0] == close_to(scores) and found[1] == close_to(scores)
    assert chances is None or of_outcomes == close_to(chances)


def test_the_graph_of_onnx_gives_the_same_scores(exported: Exported, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    reference = pytest.importorskip("onnx.reference")
    model, game, features, scores, chances = exported
    export_model(model, game, "onnx", tmp_path / "model.onnx")
    graph = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(graph, full_check=True)
    found = reference.ReferenceEvaluator(graph).run(None, {"features": features})
    assert [one.name for one in graph.graph.output] == ["score", "chances"][: len(found)]
    assert found[0].shape == (len(features), 1) and found[0].dtype == np.float32
    assert found[0][:, 0] == close_to(scores)
    assert (len(found) == 1) == (chances is None)
    if chances is not None:
        assert found[1].dtype == np.float32 and found[1] == close_to(chances)


def test_a_header_says_what_it_reads_and_returns(tmp_path: Path) -> None:
    export_model("learned", BACKGAMMON, "c", tmp_path / "model.h")
    said = (tmp_path / "model.h").read_text().partition("*/")[0]
    columns = column_names(load_compiled(folder_of("learned", BACKGAMMON)).features)
    assert "the chances of at least -2, -1, 1, 2, 3" in said
    assert f"features[{columns.index('plan')}], plan, 0 to 10" in said
    assert f"{len(columns)} numbers" in said and all(column in said for column in columns)


def test_what_no_file_holds_is_refused(tmp_path: Path) -> None:
    for format in ("edax", "bullet", "json", "csv"):
        with pytest.raises(UserError, match="over features; use --format numpy, c or onnx"):
            export_model("learned", BACKGAMMON, format, tmp_path / "out")
    network = make_pipeline(
        Features(["mobility"], SMALL.name), MLPRegressor(hidden_layer_sizes=2, max_iter=2)
    )
    staged, rows = Staged(network, (2, 8), SMALL.name), ROWS[SMALL.name]
    save(tmp_path / "staged", staged.fit(rows, np.arange(len(rows))), name="staged")
    for format in ("c", "numpy", "onnx"):
        with pytest.raises(UserError, match="staged has networks of several stages or sizes"):
            export_model(str(tmp_path / "staged"), SMALL, format, tmp_path / "out")
    assert not (tmp_path / "out").exists()
