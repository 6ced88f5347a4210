"""Options, steps and what follows from the entries of a run."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.common.text_files import read_toml
from samuel.learning.fitting.reading import default_model
from samuel.learning.generations.run import (
    Run,
    baselines_of,
    seed_of,
)
from samuel.learning.generations.settings import checked, options_text
from samuel.learning.options import LearnOptions

SMALL = checked(LearnOptions(game="tic_tac_toe", games=64, depth=1, model="ridge"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(
    start=TEXTS,
    seed=st.integers(0, 2**32 - 1),
    epsilon=st.floats(0, 1),
    nodes=st.none() | st.integers(1, 10**9),
    baselines=st.lists(TEXTS, max_size=3).map(tuple),
    sprt=st.tuples(st.floats(-9, 9), st.integers(10, 99)),
    augment=st.booleans(),
)
def test_settings_come_back_from_toml(**changed):
    settings = LearnOptions(game="othello", **changed)
    text = options_text(settings, "two\nlines")
    assert text.startswith("# two\n# lines\n")
    assert LearnOptions.of(tomllib.loads(text), "it") == settings


@pytest.mark.parametrize(
    "text, message",
    [
        ("games = 'many'", "games must be an integer (got 'many')"),
        ("games = 2.5", "games must be an integer (got 2.5)"),
        ("games = true", "games must be an integer (got True)"),
        ("epsilon = '1'", "toml: epsilon must be a number"),
        ("epsilon = nan", "toml: epsilon must be a number from 0 to 1"),
        (f"epsilon = {10**400}", "toml: epsilon cannot be"),
        ("augment = 1", "augment must be true or false (got 1)"),
        ("sprt = 5", "sprt"),
        ("sprt = [1, 2, 3]", "sprt"),
        ("sprt = ['a', 2]", "sprt cannot be ['a', 2]; write it like \"0,10\""),
        ("baselines = [1, 2]", 'baselines cannot be [1, 2]; write it like "classic,wpc"'),
        ("parameters = 3", 'parameters cannot be 3; write it like "alpha=1e-6,max_iter=200"'),
        ("baselines = 5", "toml: baselines must be a list"),
        ("model = 3", "model must be text (got 3)"),
        ("epsilom = 3", "no setting called 'epsilom'; did you mean epsilon?"),
        ("zzz = 3", "no setting called 'zzz'; there are game, start"),
        ("[training]\nmodel = 'ridge'", "no setting called 'training'"),
        ("[fit]\ndepth = 3", "[fit] has no setting called 'depth'"),
        ("fit = 3", "fit must be a table, [fit] (got 3)"),
    ],
)
def test_what_a_file_cannot_say_gets_one_sentence(tmp_path, text, message):
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        LearnOptions.of(read_toml(path), str(path))
    assert str(error.value).startswith(str(path)) and message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"games": 0}, "games must be"),
        ({"depth": 0}, "depth must be"),
        ({"epsilon": 1.5}, "epsilon must be"),
        ({"last": 0}, "last must be"),
        ({"held_out": 1.0}, "held_out must be"),
        ({"gate_pairs": -1}, "gate_pairs must be"),
        ({"curve_pairs": -1}, "curve_pairs must be"),
        ({"match_depth": 0}, "match_depth must be"),
        ({"seed": -1}, "seed must be"),
        ({"target": "luck"}, "no target called 'luck'"),
        ({"blend": 2.0}, "blend"),
        ({"model": "magic"}, "no recipe called 'magic'"),
        ({"stages": 999}, "stages"),
        ({"sprt": (5.0, 0.0)}, "elo0"),
        ({"alpha": 0.7}, "alpha"),
        ({"sprt_model": "bayesian"}, "no model of Elo called 'bayesian'"),
        ({"game": "shogi"}, "no game called 'shogi'"),
        ({"baselines": ("a/x", "b/x")}, "each baseline needs its own name, and none may be called"),
        (
            {"baselines": ("runs/first",)},
            "each baseline needs its own name, and none may be called",
        ),
        ({"baselines": ("..",)}, "each baseline needs its own name, and none may be called"),
    ],
)
def test_settings_out_of_range_are_refused(changed, message):
    with pytest.raises(UserError, match=message):
        checked(replace(SMALL, **changed))


@pytest.mark.parametrize(
    "game, first, model, exact_from, depth, match_depth",
    [
        ("othello", "wpc", "logistello-tables", 12, 2, 4),
        ("othello_6x6", "zero", "logistello-tables", 10, 4, 4),
        ("connect_four", "zero", "ridge", 20, 4, 4),
        ("tic-tac-toe", "zero", "ridge", 0, 4, 4),
    ],
)
def test_what_the_game_decides(game, first, model, exact_from, depth, match_depth):
    found = checked(LearnOptions(game=game))
    assert (found.start, found.model, found.selfplay.exact_from) == (first, model, exact_from)
    assert (found.selfplay.depth, found.gate.match_depth) == (depth, match_depth)
    assert found.gate.baselines == ("classic",)
    assert checked(found) == found
    assert default_model(found.rules) == model


def test_a_baseline_that_is_the_first_evaluator_is_none_besides():
    found = checked(replace(SMALL, start="classic", baselines=("classic",)))
    assert found.gate.baselines == () and baselines_of(found) == {"first": "classic"}


def run_of(*entries, settings=SMALL):
    log = tuple({"seconds": 1.0, **entry} for entry in entries)
    return Run(Path("runs/x"), settings, dict.fromkeys(baselines_of(settings), "digest"), 3, log)


def gate(generation, promoted):
    figures = dict.fromkeys(("score", "score_low", "score_high", "elo", "elo_low", "elo_high"), 1.0)
    test = {"llr": 3.0, "lower": -3.0, "upper": 3.0, "decision": "H1"}
    counts = {"games": 2, "wins": 2, "draws": 0, "losses": 0}
    entry = {"generation": generation, "step": "gate", "promoted": promoted, "b": "zero"}
    return entry | figures | counts | {"opponent": 0, "sprt": test}


def test_seeds_differ_by_purpose_and_are_the_same_again():
    found = {
        seed_of(replace(SMALL, seed=seed), generation, purpose)
        for seed in range(3)
        for generation in range(9)
        for purpose in range(3)
    }
    assert len(found) == 81 and max(found) < 2**32
    assert seed_of(SMALL, 1, 2) == seed_of(SMALL, 1, 2)


def test_a_frame_has_a_row_a_generation():
    match = {"score": 0.8, "score_low": 0.7, "score_high": 0.9, "elo": 241.0}
    run = run_of(
        {"generation": 0, "step": "against classic", **match},
        {"generation": 1, "step": "play", "player": "zero", "games": 64, "positions": 300},
        {"generation": 1, "step": "train", "rows": 200, "r2": 0.4, "log_loss": 0.5},
        gate(1, True) | {"b": "zero", "sprt": {"llr": 3.1, "decision": "H1"}, "score": 0.9},
        {"generation": 1, "step": "against first", **match},
    )
    frame = run.frame().set_index("generation")
    assert list(frame.index) == [0, 1]
    assert frame.loc[1, ["player", "games", "rows", "pairs"]].tolist() == ["zero", 64, 200, 1]
    assert frame.loc[1, ["llr", "decision", "promoted"]].tolist() == [3.1, "H1", True]
    assert frame.loc[1, "score_first_low"] == 0.7 and frame.loc[0, "elo_classic"] == 241.0
    assert pd.isna(frame.loc[1, "elo_classic"]) and frame.loc[1, "seconds"] == 4.0


def test_a_state_comes_back_and_a_damaged_one_is_refused(tmp_path):
    run = replace(run_of(gate(1, True)), folder=tmp_path)
    run.write()
    assert Run.open(tmp_path) == run
    path = tmp_path / "state.json"
    text = path.read_text()
    for damaged in (
        text[:-20],
        text.replace('"format": 1', '"format": 99'),
        text.replace('"generation": 1', '"generation": "1"'),
        text.replace('"first": "digest"', '"first": 3'),
        text.replace('"goal": 3', '"goal": null'),
        text.replace('"games": 64', '"games": "64"'),
        text.replace('"goal": 3', '"goal": 1000000000000000000'),
        text.replace('"promoted": true', '"promoted": 1'),
        text.replace('"promoted": true,', ""),
        text.replace('"llr": 3.0', '"llr": NaN'),
        text.replace('"score": 1.0', '"score": 1e300'),
        "[" * 100_000,
        "[]",
    ):
        assert damaged != text
        path.write_text(damaged)
        with pytest.raises(UserError, match=r"state\.json"):
            Run.open(tmp_path)
    with pytest.raises(UserError, match="is not the folder of samuel learn"):
        Run.open(tmp_path / "nowhere")


def test_another_method_has_its_own_usual_options_and_what_was_given() -> None:
    given = LearnOptions(game="checkers", games=77, epsilon=0.3)
    found = given.but({"algorithm": "samuel"})
    assert (found.model, found.start, found.games) == ("samuel", "pieces", 77)
    assert (found.depth, found.selfplay.epsilon) == (3, 0.3)
    assert given.but({"algorithm": "tdlambda"}).online.learning_rate == 0.1
    assert given.but({"games": 5}).games == 5
