"""Parameters of ProbCut in the folder of a model: what comes back, and what is refused."""

import hashlib
import io
import json
import pickle

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.common.files import PARTIAL
from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator, save
from samuel.models.probcut import parameters_in
from samuel.models.saved.card import CARD, PROBCUT
from samuel.models.saved.loading import load, load_model
from samuel.models.saved.saving import save_probcut

GAME = game_named("othello")
PARAMETERS = load_evaluator("classic", GAME).probcut


def save_model(folder):
    rows = random_positions(GAME, 200, seed=1)
    save(folder, make_pipeline(Features(["mobility"]), Ridge()).fit(rows, rows[:, 0] % 7), name="m")


@pytest.fixture
def folder(tmp_path):
    save_model(tmp_path / "model")
    return tmp_path / "model"


def changed(change):
    parameters = PARAMETERS.copy()
    parameters[3, 5, 0] = change
    return parameters


def test_what_is_saved_comes_back(folder):
    assert load(folder).probcut is None
    assert load_evaluator(folder).probcut is None
    save_probcut(folder, PARAMETERS, {"positions": 7})
    np.testing.assert_array_equal(load(folder).probcut, PARAMETERS)
    assert load_evaluator(folder).probcut is not None  # not the one loaded before
    assert load_model(folder).card["probcut"] == {"positions": 7}
    save_probcut(folder, PARAMETERS * np.float32(1))
    assert load(folder).probcut is not None
    assert not list(folder.glob(f"*{PARTIAL}"))


@pytest.mark.parametrize("file", [PROBCUT, CARD])
def test_interrupted_at_any_moment_the_model_still_loads(folder, monkeypatch, file):
    save_probcut(folder, PARAMETERS)
    import samuel.models.saved.saving

    original = samuel.models.saved.saving.whole

    def interrupted(path):
        if path.name == file:
            raise KeyboardInterrupt
        return original(path)

    monkeypatch.setattr(samuel.models.saved.saving, "whole", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_probcut(folder, changed([1, 1, 0, 5]))
    monkeypatch.undo()
    found = load(folder).probcut
    assert found is None or np.array_equal(found, PARAMETERS)


def refused(folder, message):
    with pytest.raises(UserError, match=message) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kept", [0, 10, 200, -1])
def test_cut_off_or_missing(folder, kept):
    save_probcut(folder, PARAMETERS)
    (folder / PROBCUT).write_bytes((folder / PROBCUT).read_bytes()[:kept])
    refused(folder, r"probcut\.npy is cut off or altered")
    (folder / PROBCUT).unlink()
    refused(folder, r"probcut\.npy is missing")


@pytest.mark.parametrize(
    "parameters",
    [
        changed([5, 1, 0, 1]),  # a search that asks for itself
        changed([-1, 1, 0, 1]),
        changed([1.5, 1, 0, 1]),
        changed([1, 0, 0, 1]),
        changed([1, 1, 0, -1]),
        changed([1, 1, np.nan, 1]),
        changed([1, np.inf, 0, 1]),
        PARAMETERS.astype(np.float64),
        PARAMETERS[..., :3],
        PARAMETERS[:, :, :1],
        PARAMETERS[0],
        PARAMETERS[:0],
    ],
)
def test_parameters_that_a_search_could_not_use(folder, parameters):
    save_probcut(folder, PARAMETERS)
    with pytest.raises(
        UserError, match="parameters of ProbCut must be finite: each pair needs a"
    ) as caught:
        save_probcut(folder, parameters)
    assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(load(folder).probcut, PARAMETERS)  # those of before

    file = io.BytesIO()
    np.save(file, parameters)
    (folder / PROBCUT).write_bytes(file.getvalue())
    card = json.loads((folder / CARD).read_text())
    card["files"][PROBCUT] = hashlib.sha256(file.getvalue()).hexdigest()
    (folder / CARD).write_text(json.dumps(card))
    refused(folder, r"probcut\.npy is damaged: not the parameters of ProbCut")


def test_no_code_runs():
    file = io.BytesIO()
    np.save(file, np.array([print], dtype=object), allow_pickle=True)
    for content in (b"", b"text", file.getvalue(), pickle.dumps(print)):
        with pytest.raises(ValueError, match="not an array"):
            parameters_in(content)


def test_no_link_is_written_through(folder, tmp_path):
    (tmp_path / "theirs").write_text("theirs")
    (folder / PROBCUT).symlink_to(tmp_path / "theirs")
    with pytest.raises(UserError, match="npy is a link to a place outside"):
        save_probcut(folder, PARAMETERS)
    assert (tmp_path / "theirs").read_text() == "theirs"
