"""Models on disk: what comes back, and what is refused."""

import hashlib
import io
import json
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostRegressor, GradientBoostingClassifier, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from samuel.common.errors import UserError
from samuel.common.files import in_turn
from samuel.features import Features, feature
from samuel.games import game_named
from samuel.games.feature import _known
from samuel.games.playing import random_positions
from samuel.learning.fitting.estimators import begin_from
from samuel.models import (
    OutcomeNetworks,
    PatternClassifier,
    PatternNetwork,
    PatternRegressor,
    SparseNetwork,
    load_evaluator,
    load_model,
    save,
)
from samuel.models.compiled.model import arrays_bytes, arrays_in
from samuel.models.convert import compile_model, predict
from samuel.models.evaluate import evaluate
from samuel.models.saved.card import CARD, ESTIMATOR, WARM_START, WEIGHTS
from samuel.models.saved.loading import load
from samuel.models.saved.saving import learner_of
from samuel.models.staged import Staged
from tests.processes import run

OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 1000, seed=1)
FRESH = random_positions(OTHELLO, 500, seed=2)
TARGET = Features(["mobility"]).fit(POSITIONS).transform(POSITIONS) @ [1.0, -1.0]
WON = (TARGET > 0).astype(int)

pytestmark = pytest.mark.filterwarnings(
    "ignore::samuel.models.compiled.slow.SlowEvaluatorWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


def pipeline(*steps: object) -> Any:
    return make_pipeline(Features(["mobility", "corners"]), *steps)


MODELS = {
    "linear": (pipeline(StandardScaler(), Ridge()), TARGET, None),
    "mlp": (pipeline(MLPRegressor(max_iter=5)), TARGET, None),
    "trees": (pipeline(RandomForestRegressor(3)), TARGET, None),
    "classifier": (pipeline(GradientBoostingClassifier(n_estimators=3)), WON, 8.0),
    "staged": (Staged(pipeline(LogisticRegression())), WON, 8.0),
    "slow": (pipeline(KernelRidge(kernel="rbf")), TARGET, None),
}
TREE = ["sklearn.tree._tree.Tree"]


@pytest.fixture(scope="module", params=list(MODELS))
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    model, y, scale = MODELS[request.param]
    model.fit(POSITIONS, y)
    folder = tmp_path_factory.mktemp("models") / request.param
    card = {"rows": len(y), "name": "other"}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the estimator of this model is read only if you trust")
        save(folder, model, name=request.param, scale=scale, card=card, keep_estimator=True)
    return folder, model, scale


def test_what_is_saved_comes_back(saved: Any) -> None:
    folder, model, scale = saved
    back = load_model(folder, trusted=TREE)
    before = evaluate(compile_model(model, "model", scale=scale), OTHELLO, FRESH)
    np.testing.assert_array_equal(back.predict(FRESH), before)
    np.testing.assert_array_equal(evaluate(load(folder), OTHELLO, FRESH), before)
    np.testing.assert_array_equal(
        predict(back.estimator, FRESH, scale), predict(model, FRESH, scale)
    )
    assert back.card["rows"] == len(POSITIONS)
    assert back.card["name"] == back.evaluator.name == folder.name
    assert back.card["columns"][:2] == ["mobility_player", "mobility_opponent"]


def test_loading_needs_no_scikit_learn(saved: Any) -> None:
    folder, model, scale = saved
    if folder.name not in ("linear", "trees"):
        pytest.skip("two forms will do")
    code = (
        "import json, sys, numpy as np; from samuel.games import game_named;"
        "from samuel.games.playing import random_positions; from samuel import models;"
        "game = game_named('othello'); evaluator = models.load_evaluator(sys.argv[1], game);"
        "scores = models.evaluate(evaluator, game, random_positions(game, 10, seed=2));"
        "print(json.dumps([scores.tolist(), 'sklearn' in sys.modules, 'skops' in sys.modules]))"
    )
    expected = predict(model, random_positions(OTHELLO, 10, seed=2), scale)
    # compiled, and once, where it is not too slow, as plain Python
    for disabled in ("0", "1") if folder.name == "trees" else ("0",):
        output = run("-c", code, str(folder), env={"NUMBA_DISABLE_JIT": disabled})
        scores, *imported = json.loads(output)
        assert imported == [False, False]
        np.testing.assert_allclose(scores, expected, atol=1e-3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    linear = MODELS["linear"][0].fit(POSITIONS, TARGET)
    save(tmp_path / "model", linear, name="model", keep_estimator=True)
    return tmp_path / "model"


def refused(folder: Path, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def edit_card(folder: Path, **entries: Any) -> None:
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | entries))


def replace(folder: Path, file: str, content: bytes) -> None:
    """Replace a file, and its digest on the card with it."""
    (folder / file).write_bytes(content)
    card = json.loads((folder / CARD).read_text())
    card["files"][file] = hashlib.sha256(content).hexdigest()
    (folder / CARD).write_text(json.dumps(card))


def replace_arrays(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    with np.load(folder / WEIGHTS) as arrays:
        content = dict(arrays)
    change(content)
    file = io.BytesIO()
    np.savez(file, **content)
    replace(folder, WEIGHTS, file.getvalue())


def test_missing_files(folder: Path) -> None:
    refused(folder / "nowhere", "nowhere does not exist, so there is no model in it")
    (folder / WEIGHTS).unlink()
    refused(folder, r"weights\.npz is missing")
    (folder / CARD).unlink()
    refused(folder, r"model\.json is missing")


@pytest.mark.parametrize("kept", [0, 10, -1])
def test_an_estimator_cut_off(folder: Path, kept: int) -> None:
    replace(folder, ESTIMATOR, (folder / ESTIMATOR).read_bytes()[:kept])
    with pytest.raises(UserError, match=r"estimator\.skops is damaged"):
        _ = load_model(folder).estimator


@pytest.mark.parametrize("kept", [0, 10, 200, -1])
def test_weights_cut_off(folder: Path, kept: int) -> None:
    content = (folder / WEIGHTS).read_bytes()[:kept]
    (folder / WEIGHTS).write_bytes(content)
    refused(folder, r"weights\.npz is cut off or altered")
    replace(folder, WEIGHTS, content)
    refused(folder, r"weights\.npz is damaged")


def test_one_altered_byte(folder: Path) -> None:
    for file in (WEIGHTS, ESTIMATOR):
        content = bytearray((folder / file).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / file).write_bytes(content)
    refused(folder, r"weights\.npz is cut off or altered")
    with pytest.raises(UserError, match=r"weights\.npz"):
        load_model(folder)


def test_a_damaged_card(folder: Path) -> None:
    text = (folder / CARD).read_text()
    for damaged in (text[: len(text) // 2], "", "[]", "\0"):
        (folder / CARD).write_text(damaged)
        refused(folder, r"model\.json is damaged")
    (folder / CARD).write_text(text)
    for entry in ("format", "name", "game", "kind", "features", "features_digest", "files"):
        (folder / CARD).write_text(json.dumps(json.loads(text) | {entry: 3.5}))
        refused(folder, r"model\.json is damaged")
    (folder / CARD).write_text(text)
    edit_card(folder, kind="oracle")
    refused(folder, r"model\.json is damaged")


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("name", "\x1b[2J"),
        ("name", "x" * 201),
        ("scale", True),
        ("files", {WEIGHTS: 3}),
        ("features", [["mobility"]]),
        ("format", 2**70),
    ],
)
def test_entries_of_no_card(folder: Path, entry: str, wrong: Any) -> None:
    edit_card(folder, **{entry: wrong})
    refused(folder, r"model\.json (is damaged|was written by a newer)")


def test_a_users_feature_that_changed(tmp_path: Path) -> None:
    @feature()
    def tides(position: Any) -> float:
        return np.float32(position[0] & np.uint64(7))

    model = make_pipeline(Features(["tides"]), Ridge()).fit(POSITIONS, TARGET)
    save(tmp_path, model, name="model")
    load(tmp_path)

    @feature()
    def tides(position: Any) -> float:  # noqa: F811
        return np.float32(position[0] & np.uint64(3))

    refused(tmp_path, "its features have changed: tides")
    del _known["othello", "tides"]
    refused(tmp_path, "needs the feature 'tides'")


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.pop("knots"),
        lambda a: a.update(knots=np.array([3, 2])),
        lambda a: a.pop("0_intercept"),
        lambda a: a.update({"0_weights": a["0_weights"][:-1]}),
        lambda a: a.update({"0_weights": a["0_weights"] * np.float32(np.nan)}),
    ],
)
def test_crafted_linear_arrays(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    replace_arrays(folder, change)
    refused(folder, r"weights\.npz is damaged")


@pytest.mark.parametrize("kind", ["mlp", "trees"])
def test_crafted_integers_are_refused_or_harmless(tmp_path: Path, kind: str) -> None:
    model, y, scale = MODELS[kind]
    save(tmp_path, model.fit(POSITIONS, y), name=kind, scale=scale)
    original = dict(np.load(tmp_path / WEIGHTS))
    random = np.random.default_rng(0)
    names = [name for name in original if name[0] == "0" and original[name].dtype != np.float32]
    accepted = 0
    for trial in range(60):
        name = names[trial % len(names)]
        crafted, size = original[name].copy(), original[name].size
        number = random.choice([-1, -(2**31), 2**31 - 1, size, 0, random.integers(size)])
        crafted.flat[random.integers(size)] = number
        replace_arrays(tmp_path, lambda a, one={name: crafted}: a.update(original | one))
        try:
            evaluator = load(tmp_path)
        except UserError as error:
            assert "weights.npz is damaged" in str(error)
        else:
            accepted += 1
            assert np.isfinite(evaluate(evaluator, OTHELLO, FRESH[:20])).all()
    assert accepted < 40


def test_types_are_read_where_a_person_names_them(tmp_path: Path) -> None:
    model = pipeline(AdaBoostRegressor(n_estimators=2)).fit(POSITIONS, TARGET)
    with pytest.warns(UserWarning, match="is read only if you trust .*Tree by name"):
        save(tmp_path, model, name="model")
    name = "sklearn.tree._tree.Tree"
    refused(tmp_path, f"If you trust the author of the file, add --trust {name} ")
    for read in (load_model, load_evaluator):
        assert read(tmp_path, trusted=[name])


def test_a_compiled_form_is_saved_without_an_estimator_that_cannot_be(tmp_path: Path) -> None:
    class Local(Ridge):
        pass

    model = pipeline(Local()).fit(POSITIONS, TARGET)
    with pytest.warns(UserWarning, match="saved without it"):
        save(tmp_path, model, name="model", keep_estimator=True)
    saved = load_model(tmp_path)
    np.testing.assert_allclose(saved.predict(FRESH), predict(model, FRESH), atol=1e-3)
    with pytest.raises(UserError, match="saved without its estimator"):
        _ = saved.estimator


def test_only_a_model_is_overwritten(tmp_path: Path, folder: Path) -> None:
    slow = MODELS["slow"][0].fit(POSITIONS, TARGET)
    save(folder, slow, name="slow")
    assert sorted(p.name for p in folder.iterdir()) == [ESTIMATOR, CARD]
    (folder / CARD).unlink()
    save(folder, slow, name="once more after a break")
    for name, other, held in (
        ("manifest.json", "data", "a dataset"),
        ("notes.txt", "home", r"other files than a model .notes.txt"),
    ):
        (tmp_path / other).mkdir()
        (tmp_path / other / name).write_text("{}")
        (tmp_path / other / ESTIMATOR).write_text("maybe of a model")
        with pytest.raises(UserError, match=f"contains {held}"):
            save(tmp_path / other, slow, name="model")
    with pytest.raises(UserError, match="a file stands where a folder is needed"):
        save(tmp_path / "data" / "manifest.json", slow, name="model")


def test_importing_models_is_light() -> None:
    assert (
        run("-c", "import sys; from samuel import models; print('sklearn' in sys.modules)")
        == "False\n"
    )


GAME = "othello_4x4"
SMALL = random_positions(game_named(GAME), 300, seed=1)
DISCS = np.bitwise_count(SMALL).astype(float) @ [1.0, -1.0]
LINEAR: dict[str, Any] = {"shapes": ["a1 b1", "b2"], "game": GAME, "stages": 2}
GOES_ON: dict[str, Callable[[], Any]] = {
    "regressor": lambda: PatternRegressor(**LINEAR, warm_start=True),
    "classifier": lambda: PatternClassifier(**LINEAR, warm_start=True),
    "network": lambda: PatternNetwork(
        PatternRegressor(**LINEAR), game=GAME, epochs=1, warm_start=True, random_state=0
    ),
    "outcomes": lambda: OutcomeNetworks(
        ["mobility"], GAME, outcomes=(-16, 0, 16), units=4, warm_start=True, random_state=0
    ),
    "sparse": lambda: make_pipeline(
        Features(["mobility"], GAME),
        StandardScaler(),
        SparseNetwork(4, epochs=1, warm_start=True, random_state=0),
    ),
}


@pytest.mark.parametrize("name", GOES_ON)
def test_a_fit_goes_on_from_a_folder_as_from_the_estimator(name: str, tmp_path: Path) -> None:
    """To the last digit, with no type of a file built."""
    y, scale = ((DISCS > 0).astype(int), 8.0) if name == "classifier" else (DISCS, None)
    first = GOES_ON[name]().fit(SMALL, y)
    save(tmp_path, first, name="first", scale=scale)
    assert {path.name for path in tmp_path.iterdir()} >= {CARD, WEIGHTS, WARM_START}
    assert not (tmp_path / ESTIMATOR).exists()
    further = GOES_ON[name]()
    assert begin_from(further, tmp_path, "mine") == "continues from the earlier fit"
    if name != "sparse":  # whose other steps are not fitted yet
        np.testing.assert_array_equal(further.predict(SMALL), first.predict(SMALL))
    there, here = (model.fit(SMALL[::2], y[::2]).predict(SMALL) for model in (further, first))
    np.testing.assert_array_equal(there, here)
    other = GOES_ON[name]()
    learner_of(other).set_params(
        **{"units": 8} if name in ("outcomes", "sparse") else {"game": "othello"}
    )
    assert "other parameters" in begin_from(other, tmp_path, "mine")


CRAFTED = [
    ("network", "squares", lambda squares: squares[1:]),
    ("network", "squares", lambda squares: squares * np.float32(np.inf)),
    ("network", "coef", lambda coef: coef[:, 1:]),
    ("regressor", "coef", lambda coef: coef * np.float32(np.nan)),
    ("regressor", "intercept", lambda intercept: intercept[:0]),
    ("sparse", "hidden", lambda hidden: hidden.ravel()),
]


@pytest.mark.parametrize(("name", "array", "change"), CRAFTED)
def test_what_a_fit_cannot_go_on_from_is_refused(
    name: str, array: str, change: Callable[[Any], Any], tmp_path: Path
) -> None:
    y, scale = ((DISCS > 0).astype(int), 8.0) if name == "classifier" else (DISCS, None)
    save(tmp_path, GOES_ON[name]().fit(SMALL, y), name="first", scale=scale)
    arrays = arrays_in((tmp_path / WARM_START).read_bytes())
    replace(tmp_path, WARM_START, arrays_bytes(arrays | {array: change(arrays[array])}))
    with pytest.raises(UserError, match=r"warm_start\.npz is damaged"):
        begin_from(GOES_ON[name](), tmp_path, "mine")


def test_readers_and_writers_of_one_folder_take_turns(tmp_path: Path) -> None:
    made = [clone(MODELS["linear"][0]).fit(POSITIONS, sign * TARGET) for sign in (1, -1)]
    folder = tmp_path / "model"
    save(folder, made[0], name="model")
    scores = [evaluate(compile_model(m, "m"), OTHELLO, POSITIONS[:1])[0] for m in made]
    failed: list[BaseException] = []

    def write() -> None:
        try:
            for k in range(12):
                save(folder, made[k % 2], name="model")
        except BaseException as error:
            failed.append(error)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        found = evaluate(load(folder), OTHELLO, POSITIONS[:1])[0]
        assert min(abs(found - score) for score in scores) < 1e-3
    assert not failed


def test_a_folder_that_others_hold_too_long_is_said_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.common.files._LONGEST_WAIT", 0.0)
    with in_turn(folder):
        refused(folder, "model for 0 s; wait for it to end")
    load(folder)
