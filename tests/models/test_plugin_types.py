"""Types and games of a person's own file: known where that file is named, and only there."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from samuel.cli.main import main
from samuel.common.errors import PluginNeededError, UserError
from samuel.games.catalog import game_named
from samuel.games.playing import random_positions
from samuel.games.plugins import _of_plugins, _plugins, load_plugin, own_games
from samuel.models import load_model
from samuel.models.saved.card import CARD
from samuel.models.saved.saving import save
from samuel.models.saved.skops_file import estimator_bytes, read_estimator

MINE = """
import functools
from dataclasses import replace
from os import system
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from samuel.features import feature
from samuel.games import game_named, register_game

GAME = register_game(replace(game_named("tic_tac_toe"), name="crosses"))


def cleanup(X=None):
    raise SystemExit("cleaned up")


class Cleaner:
    def __init__(self, X=None):
        cleanup()


class Halved(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X / 2


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.mean_ = float(np.mean(y)) * self.slope
        return self

    def predict(self, X):
        return self.mean_ + np.asarray(X)[:, 0] * self.slope

    @functools.cached_property
    def slope(self):
        return 1.0


@feature(game="tic_tac_toe")
def first(position):
    return float(position[0])
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "here" / "mine.py"
    path.parent.mkdir()
    path.write_text(MINE)
    return path


@pytest.fixture
def saved(file, tmp_path):
    """A slow model of the file's game, with its class and its function."""

    from samuel.features import Features

    mine = load_plugin(file)
    steps = mine.Halved(), mine.Mean()
    own = make_pipeline(Features(["squares"], "crosses"), *steps)
    positions = random_positions(mine.GAME, 40, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(tmp_path / "model", own.fit(positions, np.arange(40.0)), name="mine")
    return tmp_path / "model", positions, own.predict(positions)


def forget():
    """Be like a new process, which has not run any file of a person's own."""
    for known in (_plugins, own_games, _of_plugins):
        known.clear()
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_copy_of_the_file_will_do_wherever_it_lies(saved, file, tmp_path):
    folder, positions, expected = saved
    (tmp_path / "there").mkdir()
    copy = tmp_path / "there" / "mine.py"
    copy.write_bytes(file.read_bytes())
    file.unlink()
    code = (
        "import sys, json, warnings, numpy as np; warnings.simplefilter('ignore')\n"
        "from samuel.games import load_plugin; from samuel.models import load_model\n"
        "load_plugin(sys.argv[1]); model = load_model(sys.argv[2])\n"
        "print(json.dumps(model.predict(np.array(json.loads(sys.argv[3]), np.uint64)).tolist()))"
    )
    given = [str(copy), str(folder), json.dumps(positions.tolist())]
    command = [sys.executable, "-c", code, *given]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    np.testing.assert_allclose(json.loads(found.stdout), expected, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:.*compiled form")
@pytest.mark.parametrize("last", [Ridge(), KernelRidge()])
def test_the_card_names_the_files_of_what_is_read_alone(file, tmp_path, last):
    from samuel.features import Features

    load_plugin(file)
    positions = random_positions(game_named("tic_tac_toe"), 10, seed=1)
    for name, files in (("squares", []), ("first", ["mine.py"])):
        model = make_pipeline(Features([name], "tic_tac_toe"), last)
        save(tmp_path / name, model.fit(positions, np.arange(10.0)), name="model")
        card = json.loads((tmp_path / name / CARD).read_text())
        assert [origin["file"] for origin in card["plugins"]] == files


def test_without_the_file_the_message_says_what_to_type(saved, file, capsys, monkeypatch):
    folder, _, _ = saved
    card = json.loads((folder / CARD).read_text())
    assert [origin["file"] for origin in card["plugins"]] == ["mine.py"]
    forget()
    message = "game 'crosses', which is not known here; it was made with mine.py: add --plugin"
    with pytest.raises(PluginNeededError, match=message):
        load_model(folder)
    for place, path in ((file.parent, "mine.py"), (folder, "PATH/TO/mine.py")):
        monkeypatch.chdir(place)
        with pytest.raises(SystemExit):
            main(["search", "--evaluator", str(folder)])
        typed = f"type: samuel search --evaluator {folder} --plugin {path}\n"
        assert typed in capsys.readouterr().err
    # the type alone is missing where the card is silent
    (folder / CARD).write_text(json.dumps(card | {"game": "tic_tac_toe", "plugins": []}))
    with pytest.raises(PluginNeededError, match=r"contains \w+, which is not known; .* mine\.py"):
        load_model(folder)


@pytest.mark.filterwarnings("ignore:.*compiled form")
def test_an_edited_file_is_told_apart(saved, file):
    folder, positions, expected = saved
    forget()
    file.write_text(MINE + "\n# a remark\n")
    load_plugin(file)
    with pytest.warns(UserWarning, match=r"another version of mine\.py than the loaded mine\.py"):
        model = load_model(folder)
    np.testing.assert_allclose(model.predict(positions), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["cleanup", "Cleaner", "Mean", "system", "an instance"])
def test_of_the_file_only_its_estimators_are_known(saved, name):
    """Neither their functions nor their other classes, which scikit-learn would call."""
    plugin = next(plugin for plugin in _plugins.values() if plugin.path.endswith("mine.py"))
    mine = sys.modules[plugin.module]
    assert read_estimator(estimator_bytes(mine.Halved()), "x.skops").__class__ is mine.Halved
    held = FunctionTransformer(kw_args={"X": mine.Cleaner.__new__(mine.Cleaner)})
    if name == "system":  # which the file only imports
        mine.cleanup.__name__ = name
    if name != "an instance":
        held = FunctionTransformer(getattr(mine, "cleanup" if name == "system" else name))
    content = estimator_bytes(held)
    typed = f"{plugin.module}.{'Cleaner' if name == 'an instance' else name}"
    with pytest.raises(UserError, match=f"add --trust {typed} "):
        read_estimator(content, "x.skops")
    assert read_estimator(content, "x.skops", [typed])
