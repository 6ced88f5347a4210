"""`samuel models NAME`: the card of an evaluator that comes with samuel."""

from pathlib import Path
from typing import Any

import pytest

from samuel.games import game_named
from samuel.models import learned
from samuel.models.learned import folder_of, learned_names

STRENGTH = (Path(__file__).parents[2] / "docs" / "strength.md").read_text()
LEARNED = [
    (game, name)
    for game in ("othello", "checkers", "connect_four", "backgammon")
    for name in learned_names(game)
]


@pytest.mark.parametrize(("game", "name"), LEARNED)
def test_a_card_has_runs_with_seeds_data_time_a_curve_and_matches(
    game: str, name: str, as_json: Any, run: Any
) -> None:
    card = as_json(f"models {name} --game {game}")
    files = folder_of(name, game_named(game)).iterdir()
    assert card["bytes"] == sum(file.stat().st_size for file in files)
    assert all("seed" in settings and "model" in settings for settings in card["runs"])
    assert "games against itself" in card["data"] and "of" in card["time"]
    for score in card["curve"] + card["match"]:
        assert score["score_low"] <= score["score"] <= score["score_high"] <= 1
        assert score["games"] >= 100
    assert all("generation" in score["after"] for score in card["curve"])
    status, out, _ = run(f"models {name} --game {game}")
    shown = " ".join(out.split())
    assert status == 0 and f"samuel learn again {name}" in shown and "On the way" in shown
    assert f"{100 * card['match'][0]['score']:.1f} (" in shown and "seed" in shown
    for score in card["match"] + (card["curve"] if game == "othello" else []):
        low, high = (100 * score[key] for key in ("score_low", "score_high"))
        assert f"({low:.1f} to {high:.1f}" in STRENGTH or f"({low:.1f} to {high:.0f}" in STRENGTH


def test_what_was_made_by_hand_has_a_line(as_json: Any, run: Any) -> None:
    card = as_json("models classic")
    assert (card["name"], card["game"]) == ("classic", "othello")
    assert card["about"] in " ".join(run("models classic")[1].split())
    assert run("models classic --features")[0] == 2
    status, _, err = run("models larned")
    assert status == 1 and "did you mean learned?" in err
    status, _, err = run("models ridge")
    assert status == 1 and "ridge is a recipe" in err and "--model ridge --out" in err
    status, _, err = run("models nothere.txt")
    assert status == 1 and "no evaluator called 'nothere.txt'" in err


@pytest.mark.parametrize(
    "recipe",
    [
        "",
        "about = 'x'\nrun = 5",
        "about = 'x'\nrun = []",
        "about = 'x'\n[[run]]\nseed = 1\n[probcut]\ncount = 2000\nmax_depth = 99",
        "about = 'x'\n[[run]",
    ],
)
def test_a_damaged_recipe_is_refused_in_a_sentence(
    recipe: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tic_tac_toe" / "mine").mkdir(parents=True)
    (tmp_path / "tic_tac_toe" / "mine" / "recipe.toml").write_text(recipe)
    monkeypatch.setattr(learned, "FOLDER", tmp_path)
    monkeypatch.setattr("samuel.learning.generations.again.learned_names", lambda game: ["mine"])
    line = "learn again mine --game tic_tac_toe --out it"
    status, _, err = run(line)
    assert status == 1 and "recipe.toml" in err and "Traceback" not in err
    assert not (tmp_path / "it").exists()


def test_of_a_folder_the_card_says_what_the_model_was_fitted_to(
    as_json: Any, run: Any, tmp_path: Path
) -> None:
    assert run("selfplay --games 64 --depth 1 --epsilon 0.2 --out data")[0] == 0
    assert run("train data --model ridge --features mobility --out ridge")[0] == 0
    card = as_json("models ridge")["card"]
    assert card["data"]["games"] == 64 and card["recipe"] == "ridge" and card["features"]
    status, out, err = run("models ridge")
    shown = " ".join(out.split())
    assert status == 0, err
    assert card["reads"] == ["mobility"] and "reads" in shown and "mobility" in shown
    assert "games 64" in shown and f"r2 {card['metrics']['r2']:.4g}" in shown
    assert "Ridge" in shown and "weights" not in shown
    (tmp_path / "ridge" / "model.json").write_text("{")
    status, out, err = run("models ridge")
    assert (status, out) == (1, "") and "model.json" in err
