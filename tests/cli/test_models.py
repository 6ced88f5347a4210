"""`samuel models`: cards of evaluators, stores, files for other programs, checks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samuel.common.displayable import with_error
from samuel.games import game_named
from samuel.models import save
from samuel.models.bullet_file import bullet_bytes
from samuel.models.named import folder_of, learned_names
from samuel.models.nnue.estimators import regressor_of
from samuel.models.weights import HALF_WIDTH, INTERVALS
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.cli.conftest import Run
from tests.networks import random_network

RESULTS = Path(__file__).parents[2] / "docs" / "results"
MEASURED = "".join(page.read_text() for page in sorted(RESULTS.glob("*.md")))
LEARNED = [
    (game, name)
    for game in ("othello", "checkers", "connect_four", "backgammon")
    for name in learned_names(game)
]


@pytest.mark.parametrize(("game", "name"), LEARNED)
def test_a_card_has_runs_with_seeds_data_time_a_curve_and_matches(
    game: str, name: str, run: Run
) -> None:
    card = run.json(f"models {name} --game {game}")
    files = folder_of(name, game_named(game)).iterdir()
    assert card["bytes"] == sum(file.stat().st_size for file in files)
    assert all("seed" in settings and "model" in settings for settings in card["runs"].values())
    assert "games against itself" in card["data"] and "of" in card["time"]
    for score in card["curve"] + card["match"]:
        assert score["score_low"] <= score["score"] <= score["score_high"] <= 1
        assert score["games"] >= 100
    assert all("generation" in score["after"] for score in card["curve"])
    shown = " ".join(run.done(f"models {name} --game {game}").split())
    assert (
        f"samuel learn --settings {game}/{name}/recipe-1.toml" in shown
        and "Earlier generations" in shown
    )
    assert f"{100 * card['match'][0]['score']:.1f} % (" in shown and "seed" in shown
    cited = card["match"] + (card["curve"] if game == "othello" else [])
    for score in cited if name == "learned" else []:
        low, high = (100 * score[key] for key in ("score_low", "score_high"))
        assert f"({low:.1f} to {high:.1f}" in MEASURED or f"({low:.1f} to {high:.0f}" in MEASURED


def test_what_was_made_by_hand_has_a_line(run: Run) -> None:
    card = run.json("models classic")
    assert (card["name"], card["game"]) == ("classic", "othello")
    assert card["about"] in " ".join(run("models classic")[1].split())
    assert "leave out the name" in run.misused("models classic --features")
    err = run.refused("models ridge")
    assert "ridge is a recipe" in err and "--model ridge --out" in err


def test_of_a_network_the_shape_is_shown_and_it_has_no_table_of_weights(
    run: Run, tmp_path: Path
) -> None:
    chess = game_named("chess")
    network = random_network(chess, 32, (8, 4), buckets=3, king="K", areas=3)
    save(tmp_path / "model", regressor_of(network), name="mine")
    shown = " ".join(run.done(f"models {tmp_path}/model").split())
    said = "units 32, activation screlu, buckets 3, king K, hidden 8 and 4, areas 3"
    assert f"network {said}" in shown and "pieces on squares" in shown
    card = run.json(f"models {tmp_path}/model")["card"]
    assert (card["units"], card["hidden"], card["buckets"]) == (32, [8, 4], 3)
    err = run.refused(f"models {tmp_path}/model --report {tmp_path}/page.html")
    assert "is not linear in features, so it has no table of weights" in err
    out = run.json(f"models export {tmp_path}/model --format c --out {tmp_path}/model.h")
    assert out["bytes"] == (tmp_path / "model.h").stat().st_size
    assert "has 3 buckets" in run.refused(
        f"models export {tmp_path}/model --format bullet --out {tmp_path}/out.bin"
    )


def test_a_network_of_bullet_is_imported_and_exported_alike(run: Run, tmp_path: Path) -> None:
    file, again = tmp_path / "quantised.bin", tmp_path / "again.bin"
    file.write_bytes(bullet_bytes(random_network(game_named("chess"), 32)))
    content = run.json(f"models import {file} --out {tmp_path}/model")
    assert content == {
        **{"model": f"{tmp_path}/model", "game": "chess"},
        **{"units": [768, 32, 1], "activation": "screlu"},
    }
    run.json(f"models export {tmp_path}/model --format bullet --out {again}")
    assert again.read_bytes() == file.read_bytes()
    line = f"models import {file} --activation x --out {tmp_path}/other"
    assert "no activation called" in run.refused(line)
    file.write_bytes(file.read_bytes()[:-64])
    err = run.refused(f"models import {file} --out {tmp_path}/other")
    assert "so it is not a whole quantised.bin" in err and not (tmp_path / "other").exists()


def test_of_a_folder_the_card_says_what_the_model_was_fitted_to(run: Run, tmp_path: Path) -> None:
    run.done("selfplay --games 64 --depth 1 --epsilon 0.2 --out data")
    run.done("train data --model ridge --features mobility --out ridge")
    card = run.json("models ridge")["card"]
    assert card["data"]["games"] == 64 and card["recipe"] == "ridge" and card["features"]
    shown = " ".join(run.done("models ridge").split())
    assert card["reads"] == ["mobility"] and "reads" in shown and "mobility" in shown
    assert "games 64" in shown and f"r2 {card['metrics']['r2']:.4g}" in shown
    assert "Ridge" in shown and "weights" not in shown
    (tmp_path / "ridge" / "model.json").write_text("{")
    assert "model.json" in run.refused("models ridge")


@pytest.mark.slow
def test_a_model_is_exported(run: Run, tmp_path: Path) -> None:
    generate(SelfplayPlan("othello_4x4", "classic", 2, seed=3), 60, tmp_path / "data")
    run.done("train data --model tuples2 --out model")
    made = run.json("models export model --format numpy --out a.npz")
    assert made["bytes"] == (tmp_path / "a.npz").stat().st_size
    assert "weights" in np.load(tmp_path / "a.npz")
    line = "models export model --format edax --out eval.dat"
    assert "dat is for othello, and the model is for othello_4x4" in run.refused(line)


BROKEN = """
from dataclasses import replace
from samuel import jit, register_game
from samuel.games.tic_tac_toe.rules import GAME as ORIGINAL, plies_left

@jit
def growing(position):
    return 10 - plies_left(position)

GAME = register_game(replace(ORIGINAL, name="broken", plies_left=growing))
"""
OWN = """
from samuel import Evaluator, feature, jit
from samuel.kernels.bits import popcount

@feature(game="tic_tac_toe")
def stones(position):
    return popcount(position[0])

@jit
def half(position, integers, floats):
    return 0.5

HALF = Evaluator("half", "tic_tac_toe", half)
"""


def test_what_a_file_holds_is_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    found = run.json("models check own.py")["checked"]
    assert found == [
        {"kind": "feature", "name": "stones", "game": "tic_tac_toe", "notes": []},
        {"kind": "evaluator", "name": "half", "game": "tic_tac_toe", "notes": []},
    ]
    assert "feature stones of tic_tac_toe: passed all checks" in run.quiet("models check own.py")


def test_what_is_named_is_checked(run: Run) -> None:
    options = "--game tic_tac_toe --features corners,forks --evaluator zero"
    found = run.json(f"models check {options}")["checked"]
    assert [(f["kind"], f["name"]) for f in found] == [
        ("game", "tic_tac_toe"),
        ("feature", "corners"),
        ("feature", "forks"),
        ("evaluator", "zero"),
    ]


def test_what_never_came_up_is_said(run: Run) -> None:
    (found,) = run.json("models check --game connect_four")["checked"]
    assert found["never_met"] == ["a draw"]
    out = run.quiet("models check --game connect_four")
    assert out == "game connect_four: passed all checks; not covered by 20 random games: a draw\n"


def test_what_is_broken_is_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    for given in ("broken.py", "--game broken.py"):
        err = run.refused(f"models check {given}")
        assert err.startswith("samuel: broken: --------- X: plies_left grows from 1 to 2 with move")


def test_what_a_file_registers_is_checked_whatever_holds_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text(
        "from samuel import Evaluator, register_evaluator\n"
        "def even(position, integers, floats):\n    return floats[0]\n"
        "kept = Evaluator('kept', 'othello', even)\n"
        "register_evaluator(Evaluator('even', 'othello', even))\n"
        "register_evaluator(Evaluator('large', 'othello', even, floats=[1e6]))\n"
    )
    _, out, err = run("models check own.py")
    for name in ("kept", "even", "large"):
        assert f"evaluator {name} of othello: passed all checks" in out
    assert "kept is not registered" in err and "even is not" not in err
    assert "% of positions above 64 discs, up to 1e+06" in err
    assert out.count("but see the note") == 1 and "large of othello: passed all checks, but" in out
    monkeypatch.setattr("samuel.cli.main._shown", set())  # as in a process of its own
    assert (
        "Make the scores smaller" in run("match large even --plugin own.py --pairs 2 --depth 1")[2]
    )
    (tmp_path / "late.py").write_text(
        "from samuel import Evaluator, register_evaluator\n"
        "def adds(position, integers, floats):\n"
        "    floats[0] += 1.0\n    return floats[0]\n"
        "register_evaluator(Evaluator('adds', 'othello', adds, floats=[1e6]))\n"
    )
    status, _, err = run("models check late.py")  # the note of a check that fails
    assert status == 1 and "adds scores" in err and "scores 1000001.0 at first and" in err


@pytest.mark.parametrize("file", ["none", "text"])
def test_an_evaluator_without_its_file(run: Run, tmp_path: Path, file: str) -> None:
    (tmp_path / "text").write_text("no store")
    line = f"search --game checkers --evaluator classic+{file}"
    assert f"no evaluator called 'classic+{file}'" in run.refused(line)


def test_terms_of_another_program_are_tuned_by_game(run: Run) -> None:
    draw = np.random.default_rng(1)
    rows = [
        f"{a},{b},{int(a + draw.normal() > 0)},{k // 10}"
        for k, (a, b) in enumerate(draw.integers(-2, 3, (400, 2)))
    ]
    Path("terms.csv").write_text("\n".join(["pawns,knights,result,game", *rows]))
    found = run.json("models tune terms.csv --out tuned.h")
    assert (found["rows"], found["held_out"], found["group"]) == (360, 40, "game")
    assert [row["term"] for row in found["terms"]] == ["pawns", "knights"]
    said = " ".join(run.done("models tune terms.csv").split())
    assert "loss on 40 held-out rows of whole groups (column game):" in said
    _, value, error, *_ = found["terms"][0].values()
    assert INTERVALS in said and with_error(value, HALF_WIDTH * error) in said
    assert "--out must end in .csv, .h" in run.refused("models tune terms.csv --out tuned.txt")
