"""What every game and every evaluator must keep to; `check_game` and `check_evaluator` say whether.

For those of the package and for your own:

    from tests.contract import check_evaluator, check_game

    def test_my_game():
        check_game(MY_GAME)
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numba import int32, int64, types
from numpy.testing import assert_array_equal

from samuel.errors import UserError
from samuel.games import PASS, Evaluator, Game, Position
from samuel.games.abi import MAX_MOVE, ORDER, ROW
from samuel.games.perft import perft
from samuel.games.pointers import at
from samuel.games.symmetry import canonical_keys, images
from samuel.kernels.jit import jit
from samuel.models import evaluate
from samuel.search import new_memory, search
from samuel.search.score import MAX_PLY
from tests.oracle import minimax

PLAYOUTS = 20
"""Random games that each check plays."""
SAMPLED = 16
"""Positions of them that the costlier checks look at."""
SMALL_TREE = 3000
"""Endings of at most this many positions are compared with a plain full-depth search."""
ENDINGS = 12
"""Games whose endings are so compared."""
PLAIN_LEAVES = 400
"""Perft is compared with a plain count up to about this many leaves."""


@dataclass(frozen=True)
class Playout:
    """A random game: every position from the start to the end, and the moves between them."""

    positions: list[Position]
    moves: list[int]


def random_playout(game: Game, random: np.random.Generator) -> Playout:
    """Play uniformly random moves to the end of a game."""
    positions, moves = [Position.start(game)], []
    while len(legal := game.moves_in(positions[-1].row)) > 0:
        moves.append(int(random.choice(legal)))
        positions.append(positions[-1].play(moves[-1]))
        assert len(moves) <= game.max_plies, f"a game is longer than max_plies ({game.max_plies})"
    return Playout(positions, moves)


def check_game(game: Game, seed: int = 0) -> None:
    """Assert that a game's rules and what it says of itself agree.

    Random games are played to the end. At every position: the moves are at most `max_moves`,
    all different and in range; a pass is the only move where it is one; there are none exactly
    when `is_terminal`; `remaining` starts at `max_remaining`, never grows and is never negative;
    `play` leaves its position as it was and turns the board over; a finished game's `utility` is
    finite and within `max_utility`. Texts of positions and moves and transcripts read back;
    symmetries are a group of permutations, the identity first, and commute with the rules;
    `order` rates the moves it is given and touches nothing else; perft equals a plain count; and
    near the end the exact search (the game's `solve`, where it has one) equals a plain minimax
    over the negated utilities of the children, which is what zero-sum means here.
    """
    random = np.random.default_rng(seed)
    playouts = [random_playout(game, random) for _ in range(PLAYOUTS)]
    for playout in playouts:
        for place, move in zip(playout.positions, [*playout.moves, None], strict=True):
            check_rules_at(place, move)
        check_notation(playout)
    every = [position for playout in playouts for position in playout.positions]
    chosen = [every[i] for i in random.choice(len(every), min(SAMPLED, len(every)), replace=False)]
    check_symmetries(game, [*chosen, *(playout.positions[-1] for playout in playouts[:3])])
    for position in chosen:
        check_order(position)
        check_perft(position)
    check_perft(Position.start(game))
    check_endings(playouts)


def check_rules_at(position: Position, move: int | None) -> None:
    """Check a position of a random game, and the move played there (None at its end)."""
    game, row = position.game, position.row
    where = f"{game.name}: {position.text}"
    moves = [int(m) for m in game.moves_in(row)]
    assert len(moves) <= game.max_moves, f"{where}: more than max_moves moves"
    assert len(set(moves)) == len(moves), f"{where}: a move is listed twice: {moves}"
    assert moves == [PASS] or all(0 <= m <= MAX_MOVE for m in moves), (
        f"{where}: moves are 0 to {MAX_MOVE}, or a pass alone, not {moves}"
    )
    assert position.is_terminal == (not moves), (
        f"{where}: is_terminal is {position.is_terminal}, with {len(moves)} moves"
    )
    left = game.remaining_in(row)
    assert 0 <= left <= game.max_remaining, f"{where}: remaining is {left}"
    assert_array_equal(row, position.row, f"{where}: the rules changed the position")
    if move is None:
        utility = position.utility()
        assert math.isfinite(utility), f"{where}: utility is {utility}"
        assert abs(utility) <= game.max_utility, f"{where}: utility {utility} is out of range"
        return
    child = game.child_of(row, move)
    assert_array_equal(row, position.row, f"{where}: play changed the position it was given")
    assert_array_equal(child, game.child_of(row, move), f"{where}: play is not deterministic")
    assert game.remaining_in(child) <= left, f"{where}: remaining grew with move {move}"
    assert position.play(move).side == 1 - position.side, f"{where}: the sides do not alternate"


def check_notation(playout: Playout) -> None:
    """Check that the texts of a game's positions and moves, and its transcript, read back."""
    game = playout.positions[0].game
    notation = game.notation
    for position in playout.positions:
        text = position.text
        assert "\n" not in text, f"{game.name}: the text of a position is one line, not {text!r}"
        assert Position.parse(text, game) == position, f"{game.name}: {text} does not read back"
        assert str(position).strip(), f"{game.name}: the drawing of {text} is empty"
        for move in game.moves_in(position.row):
            name = notation.write_move(int(move))
            assert notation.read_move(name) == move, f"{game.name}: move {name} does not read back"
    names = [notation.write_move(move) for move in playout.moves]
    transcript = " ".join(names)
    end = playout.positions[-1]
    assert notation.read_moves(transcript) == playout.moves, f"{game.name}: {transcript}"
    assert Position.from_transcript(transcript, game) == end, f"{game.name}: {transcript}"
    passes_left_out = " ".join(
        name for name, move in zip(names, playout.moves, strict=True) if move != PASS
    )
    shorter = Position.from_transcript(passes_left_out, game)
    if playout.moves and playout.moves[-1] != PASS:
        assert shorter == end, f"{game.name}: {passes_left_out} leaves out passes"


def check_symmetries(game: Game, positions: list[Position]) -> None:
    """Check that the symmetries are a group of permutations that commute with the rules."""
    symmetries = game.symmetries
    assert symmetries.ndim == 2 and symmetries.shape[1] == 64, f"{game.name}: symmetries (S, 64)"
    assert_array_equal(symmetries[0], np.arange(64), f"{game.name}: the first is the identity")
    known = {tuple(row) for row in symmetries.tolist()}
    assert len(known) == len(symmetries), f"{game.name}: a symmetry is listed twice"
    for one in symmetries:
        assert_array_equal(np.sort(one), np.arange(64), f"{game.name}: not a permutation: {one}")
        for other in symmetries:
            assert tuple(other[one].tolist()) in known, f"{game.name}: symmetries are no group"
    for position in positions:
        expected = _facts(position)
        pictures = images(game, position.words)
        assert tuple(pictures[0].tolist()) == position.words
        assert len(np.unique(canonical_keys(game, pictures))) == 1, (
            f"{game.name}: the images of {position.text} have different canonical keys"
        )
        for picture in pictures:
            image = replace(position, words=tuple(picture.tolist()))
            assert _facts(image) == expected, (
                f"{game.name}: {position.text} and its image {image.text} differ in "
                f"(end, utility, remaining, moves, canonical children, perft 2)"
            )


def _facts(position: Position) -> tuple[Any, ...]:
    """Return what a symmetry leaves as it is."""
    game, over = position.game, position.is_terminal
    moves = game.moves_in(position.row)
    children = [game.child_of(position.row, int(move)) for move in moves]
    keys = sorted(canonical_keys(game, np.stack(children)).tolist()) if children else []
    utility = position.utility() if over else None
    return over, utility, game.remaining_in(position.row), len(moves), keys, perft(position, 2)


_INTS = types.Array(int32, 1, "C")


@jit(types.void(types.FunctionType(ORDER), ROW, _INTS, int64, _INTS))
def _order(order: Any, position: Any, moves: Any, n: int, hints: Any) -> None:
    order(at(position, 0), at(moves, 0), n, at(hints, 0))


def check_order(position: Position) -> None:
    """Check that `order` rates exactly the moves it is given, and the same whenever asked."""
    game, row = position.game, position.row
    listed = game.moves_in(row)
    moves = np.full(game.max_moves, 7, np.int32)
    moves[: len(listed)] = listed
    hints = [np.full(game.max_moves, unset, np.int32) for unset in (-(2**31), 2**31 - 1)]
    kept = moves.copy()
    for filled in hints:
        _order(game.rules.order, row, moves, len(listed), filled)
    where = f"{game.name}: {position.text}"
    assert_array_equal(moves, kept, f"{where}: order changed the moves")
    assert_array_equal(row, position.row, f"{where}: order changed the position")
    n = len(listed)
    assert_array_equal(hints[0][:n], hints[1][:n], f"{where}: order left a hint out")
    for filled, unset in zip(hints, (-(2**31), 2**31 - 1), strict=True):
        assert (filled[n:] == unset).all(), f"{where}: order wrote more than {n} hints"


def plain_perft(game: Game, row: Any, depth: int) -> int:
    """Count leaves as the definition says: a finished game is a leaf at whatever depth."""
    moves = game.moves_in(row)
    if depth == 0 or len(moves) == 0:
        return 1
    return sum(plain_perft(game, game.child_of(row, int(move)), depth - 1) for move in moves)


def check_perft(position: Position) -> None:
    """Check perft 0 to 3 against a plain count, as deep as that is quick."""
    for depth in range(4):
        leaves = perft(position, depth)
        if leaves > PLAIN_LEAVES:
            break
        plain = plain_perft(position.game, position.row, depth)
        assert leaves == plain, f"perft {depth} of {position.text}: {leaves}, counted {plain}"


def check_endings(playouts: list[Playout]) -> None:
    """Check exact search against plain minimax, for the last positions of random games."""
    game = playouts[0].positions[0].game
    nothing = Evaluator("nothing", game.name, _nothing, game.words)
    memory = new_memory(game, 8, 8)
    for playout in playouts[:ENDINGS]:
        for position in reversed(playout.positions):
            value = minimax(position, nothing, MAX_PLY, budget=SMALL_TREE)
            if value is None:
                break
            found = search(position, nothing, depth=1, exact_from=game.max_remaining, memory=memory)
            where = f"{game.name}: {position.text}"
            assert found.exact, f"{where} was not solved"
            assert found.score == value, f"{where} is worth {value}, solved: {found.score}"
            if found.move is None:
                assert position.is_terminal, f"{where}: solved without a move"
            else:
                after = minimax(position.play(found.move), nothing, MAX_PLY, ply=1)
                assert after == -value, f"{where}: {found.move} is worth {after}, best {value}"


@jit
def _nothing(position: Any, integers: Any, floats: Any) -> float:
    return np.float32(0)


def check_evaluator(evaluator: Evaluator, game: Game, seed: int = 0) -> None:
    """Assert that an evaluator gives numbers that the search can trust.

    On positions of random games: the scores are finite, the same at every call, one by one and
    in batches, in whatever order and in two threads at once; finished games score their utility;
    two `evaluation()` share no floats with each other or with the evaluator; a search one ply deep
    finds the best of the children's scores; and another game is refused.
    """
    evaluator.require_game(game)
    if evaluator.game != "any":
        with pytest.raises(UserError, match=evaluator.name):
            evaluator.require_game(replace(game, name="some_other_game"))
    random = np.random.default_rng(seed)
    playouts = [random_playout(game, random) for _ in range(PLAYOUTS)]
    every = [position for playout in playouts for position in playout.positions]
    rows = np.stack([position.row for position in every])

    scores = evaluate(evaluator, game, rows)
    assert scores.shape == (len(rows),)
    assert np.isfinite(scores).all(), f"{evaluator.name} gives {scores[~np.isfinite(scores)][0]}"
    _assert_same(evaluator, scores, evaluate(evaluator, game, rows), "at a second call")
    _assert_same(evaluator, scores, evaluate(evaluator, game, rows[::-1])[::-1], "in reverse order")
    few = slice(0, 50)
    singly = [evaluate(evaluator, game, row[None])[0] for row in rows[few]]
    _assert_same(evaluator, scores[few], np.array(singly), "one by one")
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda _: evaluate(evaluator, game, rows), range(2)):
            _assert_same(evaluator, scores, found, "in two threads at once")

    for position, score in zip(every, scores, strict=True):
        if position.is_terminal:
            assert score == np.float32(position.utility()), (
                f"{evaluator.name}: the finished {position.text} scores {score}, "
                f"its utility is {position.utility()}"
            )
    _check_separate(evaluator)
    for i in random.choice(len(every), min(SAMPLED, len(every)), replace=False):
        _check_search_of_one_ply(evaluator, every[i])


def _assert_same(evaluator: Evaluator, expected: Any, found: Any, when: str) -> None:
    assert_array_equal(found, expected, f"{evaluator.name} gives other scores {when}")


def _check_separate(evaluator: Evaluator) -> None:
    one, other = evaluator.evaluation(), evaluator.evaluation()
    arrays = [e.floats for e in (one, other, evaluator)]
    for i, array in enumerate(arrays):
        for later in arrays[i + 1 :]:
            assert not np.shares_memory(array, later), (
                f"{evaluator.name}: two evaluations share floats, so threads clash"
            )


def _check_search_of_one_ply(evaluator: Evaluator, position: Position) -> None:
    game = position.game
    if position.is_terminal:
        return
    children = np.stack([game.child_of(position.row, int(m)) for m in game.moves_in(position.row)])
    # the search clips: no evaluation may look like a result that is certain, or beyond all
    best = max(-np.clip(evaluate(evaluator, game, children), -game.max_utility, game.max_utility))
    found = search(position, evaluator, depth=1, exact_from=0, table_bits=4)
    slack = 0.122 if game.sooner_is_better else 0.001
    assert found.score == pytest.approx(best, abs=slack), (
        f"{evaluator.name}: one ply from {position.text} scores {found.score}, "
        f"the best child {best}"
    )
