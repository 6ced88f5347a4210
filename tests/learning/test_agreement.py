"""Agreement with players, successors and book moves, against plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel import SelfplayPlan, book, compare, generate, train
from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import successors
from samuel.learning.comparison.agreement import agreement
from samuel.models import evaluate, load_evaluator
from samuel.selfplay import Dataset
from tests.toys import DOTS_AND_BOXES

OTHELLO, TIC_TAC_TOE = game_named("othello"), game_named("tic_tac_toe")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    plan = SelfplayPlan(
        game="tic_tac_toe", evaluator="classic", depth=2, epsilon=0.2, opening_plies=1
    )
    return generate(plan, 60, tmp_path_factory.mktemp("games") / "data")


def test_a_book_in_many_shards_cuts_no_game_in_two(
    games: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.selfplay.data.derive.SHARD_ROWS", 50)
    monkeypatch.setattr("samuel.selfplay.data.book._AT_ONCE", 3)
    made = book(games, tmp_path / "book")
    owners = [set(table["game_id"].to_pylist()) for table in made.tables(["game_id"])]
    assert len(owners) > 5
    assert sum(map(len, owners)) == len(set().union(*owners)) == made.games


@pytest.mark.parametrize("game", [OTHELLO, DOTS_AND_BOXES], ids=lambda game: game.name)
def test_successors_are_what_moves_lead_to(game: Any) -> None:
    rows = random_positions(game, 30, 1)
    found = successors(game, rows)
    place = 0
    for i, row in enumerate(rows):
        for move in game.moves_in(row):
            child, turn = game.after(row, int(move))
            assert (found.positions[place] == child).all()
            assert (found.parents[place], found.moves[place]) == (i, move)
            assert found.signs[place] == (1 if turn & 1 else -1)
            place += 1
    assert place == len(found.positions) > 100


def test_agreement_counts_what_scores_lower_and_higher() -> None:
    rows = random_positions(OTHELLO, 200, 2)
    rows = rows[[not OTHELLO.is_over(row) for row in rows]]
    random, evaluator = np.random.default_rng(3), load_evaluator("classic", OTHELLO)
    moves = [int(random.choice(OTHELLO.moves_in(row))) for row in rows]
    found = agreement(evaluator, OTHELLO, rows, moves)
    lower = higher = first = choices = 0
    for i, (row, played) in enumerate(zip(rows, moves, strict=True)):
        scores = {}
        for move in OTHELLO.moves_in(row):
            child = OTHELLO.child_of(row, int(move))
            scores[int(move)] = -float(evaluate(evaluator, OTHELLO, child[None])[0])
        below = sum(score < scores[played] for score in scores.values())
        above = sum(score > scores[played] for score in scores.values())
        assert (found.lower[i], found.higher[i]) == (below, above)
        ties = sum(score == scores[played] for score in scores.values())
        lower, higher = lower + below, higher + above
        if len(scores) > 1:
            first, choices = first + (above == 0) / ties, choices + 1
    assert found.correlation == (lower - higher) / (lower + higher)
    assert found.first == pytest.approx(first / choices)


def test_dice_come_between() -> None:
    game = game_named("backgammon")
    with pytest.raises(UserError, match="dice are thrown between"):
        successors(game, [game.start])


def test_a_book_holds_what_could_have_been_played(games: Dataset, tmp_path: Path) -> None:
    made = book(games, tmp_path / "book")
    frame, told = games.frame(), made.frame()
    expected = []
    for k, row in frame.iterrows():
        position = games.positions[k]
        moves = [int(move) for move in TIC_TAC_TOE.moves_in(position)]
        if row["exploratory"] or len(moves) < 2:
            continue
        if TIC_TAC_TOE.is_over(TIC_TAC_TOE.child_of(position, int(row["move"]))):
            continue
        for move in moves:
            child = TIC_TAC_TOE.child_of(position, move)
            if not TIC_TAC_TOE.is_over(child):
                is_book = move == row["move"]
                weight = len(moves) - 1 if is_book else 1
                seen = (*map(int, child), row["game_id"], row["ply"] + 1, 1 - row["side"])
                expected.append((*seen, -1.0 if is_book else 1.0, float(weight)))
    names = ["word_0", "word_1", "game_id", "ply", "side", "outcome", "weight"]
    assert [tuple(row) for row in told[names].itertuples(index=False)] == expected
    assert told["score"].isna().all() and not told["exploratory"].any()
    again = book(games, tmp_path / "book")
    assert again.digest == made.digest
    with pytest.raises(UserError, match="is a book already"):
        book(made, tmp_path / "other")


@pytest.mark.parametrize("model", ["signatures", "linear"])
def test_what_learns_from_a_book_agrees_with_it(model: str, games: Dataset, tmp_path: Path) -> None:
    trained = train(book(games, tmp_path / "book"), model, out=tmp_path / "model")
    rows = np.flatnonzero(~games.frame()["exploratory"].to_numpy())
    moves = games.frame()["move"].to_numpy()[rows]
    found = agreement(trained.evaluator, TIC_TAC_TOE, games.positions[rows], moves)
    guess = agreement(
        load_evaluator("random", TIC_TAC_TOE), TIC_TAC_TOE, games.positions[rows], moves
    )
    assert found.correlation > guess.correlation + 0.2
    saved = load_evaluator(tmp_path / "model", TIC_TAC_TOE)
    again = agreement(saved, TIC_TAC_TOE, games.positions[rows], moves)
    assert again.correlation == found.correlation


def test_a_comparison_tells_it(games: Dataset) -> None:
    found = compare(games, ["classic", "zero"])
    by_name = {model.name: model.row for model in found.models}
    assert by_name["zero"]["agreement"] > 0.5  # it tells moves that win at once from others
    assert by_name["classic"]["agreement_low"] <= by_name["classic"]["agreement"] <= 1
    assert 0 < by_name["classic"]["first"] <= 1
