"""Features of checkers, each counted again in plain Python or on positions made for it."""

from __future__ import annotations

import numpy as np
import pytest

from samuel.features import extract, feature_names, features_named
from samuel.games import Position, game_named
from samuel.models import evaluate, load_evaluator
from samuel.testing import check_evaluator
from tests.games.checkers.test_rules import some_positions

GAME = game_named("checkers")


def values_at(name: str, text: str) -> list[float]:
    row = Position.parse(text, GAME).row
    return extract(features_named([name], GAME.name), row.reshape(1, -1))[0].tolist()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("men", "B:W21,22,K3:B1,K2", [1, 2]),
        ("kings", "B:W21,22,K3:B1,K2", [1, 1]),
        ("adv", "B:W16,32:B9,17", [0, 1]),  # 9 is on its 3rd row, 17 on its 5th; 16 on White's 5th
        ("apex", "B:W7:B12", [-1, 0]),
        ("apex", "B:W7:B12,26", [0, 0]),
        ("apex", "B:W7:B12,K26", [0, 0]),
        ("back", "B:W30,32:B1,3,5", [1, 1]),
        ("back", "B:W30,32,K9:B1,3,5", [0, 1]),
        ("cent", "B:W18,K19:B14,15", [2, 1]),
        ("cntr", "B:W32:B14", [2, 0]),
        ("corn", "B:W20:BK31,K30", [0, 0]),
        ("corn", "B:WK27:BK9,K10", [0, 1]),
        ("cramp", "B:W17,21,22,25:B13,9", [2, 0]),
        ("cramp", "W:W20,24:B8,11,12,16", [2, 0]),
        ("dia", "B:W29:B1,6,12", [2, 0]),
        ("deny", "B:W23:B14", [1, 1]),
        ("diav", "B:WK4,32:B2,K3,5", [3, 1.5]),
        ("dyke", "B:W32:B9,14,18", [1, 0]),
        ("exch", "B:W22:B10,14", [1, 0]),
        ("expos", "B:W32:B15", [1, 0]),
        ("fork", "B:W18,19,32:B11", [1, 0]),
        ("fork", "B:W18,19:BK26", [1, 0]),
        ("fork", "B:W18,19,22:B11", [0, 0]),
        ("gap", "B:W32:B9,18", [3, 1]),
        ("guard", "B:W32:B2,3,7", [1, 0]),
        ("hole", "B:W32:B6,7,14", [1, 0]),
        ("kcent", "B:W32:BK10,15,K31", [1, 0]),
        ("mob", "B:W32:B1,K14", [6, 2]),
        ("mobil", "B:W23:B14", [1, 1]),
        ("move", "B:W32:B1", [1, 1]),
        ("has_move", "B:W32:B1", [1]),
        ("has_move", "B:W32:B5", [-1]),
        ("has_move", "B:W32:B1,2", [0]),
        ("node", "B:W32:B10,15", [2, 0]),
        ("oreo", "W:W26,30,31:B1", [1, 0]),
        ("pole", "B:W32:B10,15", [0, 0]),
        ("pole", "B:W32:B10", [1, 0]),
        ("thret", "B:W18:B9", [1, 1]),
        ("advancement", "B:W32:B1,9,28", [8, 0]),
        ("back_row", "B:W29,31,21:B1,2", [2, 2]),
        ("runaways", "B:W29:B20", [4, 0]),
        ("protected", "B:W32:B1,6,10", [2, 0]),
        ("trapped_kings", "B:W5,6,10:BK1", [1, 0]),
        ("crownings", "B:W18:B27,28", [2, 0]),
        ("takes", "B:W15:B11", [1, 1]),
        ("tempo", "B:W32:B1,9", [-2]),
        ("is_ahead", "B:W32:B1,9", [1]),
        ("exchange", "B:W32:B1,9", [np.float32(2 / 7)]),
        ("stuck", "W:W32:B27,28,23,24", [1, 0]),
    ],
)
def test_values(name: str, text: str, expected: list[float]) -> None:
    assert values_at(name, text) == expected


def test_of_a_pair_of_terms_one_connective_is_true() -> None:
    """A and B, A and not B, B and not A, neither; a term is true where the player leads in it."""
    names = ["deny", "mob", "mobil", "cent", "connective"]
    rows = np.array([position.row for position in some_positions(200)])
    found = extract(features_named(names, GAME.name), rows)
    deny, mob, mobil, cent = ((found[:, 2 * k] > found[:, 2 * k + 1]) for k in range(4))
    pairs = ((deny, mob), (mobil, deny), (mobil, cent))
    expected = [column for a, b in pairs for column in (a & b, a & ~b, ~a & b, ~a & ~b)]
    assert (np.array(expected) == found[:, 8:].T).all()
    assert found[:, 8:].any(axis=0).all()


def test_what_steps_lose_is_what_play_says() -> None:
    """Where the player has no jump, and nobody one of several."""
    read, compared = features_named(["deny", "exch"], GAME.name), 0
    for position in some_positions(300):
        moves = position.legal_moves()
        lost: set[int] = set()
        exchanged: set[int] = set()
        answers = {move: position.play(move).legal_moves() for move in moves}
        jumps = "x" in "".join(moves)
        if jumps or any(text.count("x") > 1 for texts in answers.values() for text in texts):
            continue
        for move, texts in answers.items():
            child, target = position.play(move), int(move.split("-")[1])
            for text in texts:
                origin, _, landing = text.partition("x")
                if not landing or target not in between(int(origin), int(landing)):
                    continue
                back = "x" in "".join(child.play(text).legal_moves())
                (exchanged if back else lost).add(target)
        found = extract(read, position.row.reshape(1, -1))[0]
        assert found[[0, 2]].tolist() == [len(lost), len(exchanged - lost)]
        compared += bool(lost or exchanged)
    assert compared > 20


def between(a: int, b: int) -> set[int]:
    """Return the square that a jump goes over."""
    (row, column), (other_row, other_column) = (divmod(n - 1, 4) for n in (a, b))
    middle = (row + other_row) // 2
    columns = [2 * c + (r % 2 == 0) for r, c in ((row, column), (other_row, other_column))]
    return {4 * middle + sum(columns) // 4 + 1}


def test_either_side_reads_the_same() -> None:
    """What the opponent reads is what the player reads when it is the opponent's turn."""
    features = features_named(feature_names(GAME.name), GAME.name)
    both = [f for f in features if len(f.columns) == 2]
    for position in some_positions(40):
        men, theirs, kings, their_kings, turn = position.words
        flip = lambda word: int(f"{word:035b}"[::-1], 2)  # noqa: E731
        other = [flip(theirs), flip(men), flip(their_kings), flip(kings), 1 - turn]
        rows = np.array([position.words, other], np.uint64)
        values = extract(both, rows).reshape(2, -1, 2)
        assert (values[0] == values[1][:, ::-1]).all()


@pytest.mark.parametrize(
    "name",
    ["classic", *(pytest.param(name, marks=pytest.mark.slow) for name in ("material", "pieces"))],
)
def test_evaluators(name: str) -> None:
    evaluator = load_evaluator(name, GAME)
    check_evaluator(evaluator, GAME)
    rows = np.array([Position.parse(f"B:W21,22,32:B1,{own}", GAME).words for own in ("2", "2,3,4")])
    fewer, more = evaluate(evaluator, GAME, rows)
    assert -1 < fewer < 0 < more < 1
