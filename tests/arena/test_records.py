"""The games that are kept: whole, legal, with the results and the players that they had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena.match import match
from samuel.arena.records import ENDINGS, GameRow, Pair
from samuel.arena.results import MatchResult
from samuel.games import Position, game_named
from samuel.games.game import Game
from samuel.games.rules import PASS
from samuel.models import load_evaluator
from samuel.search import analyse, new_memory
from samuel.search.limits import Limits
from samuel.selfplay.data.importing import import_games

OTHELLO = game_named("othello")
SMALL = game_named("othello_6x6")


def replayed(game: Game, moves: str) -> list[tuple[Position, str]]:
    """Return each position of a transcript and the move there, forced passes filled in, and the
    last position with no move. A move that is not legal raises UserError."""
    position, line = Position.start(game), []
    for move in game.notation.read_moves(moves):
        if position.legal_moves() == ["pass"]:
            line.append((position, "pass"))
            position = position.play(PASS)
        line.append((position, game.notation.write_move(move)))
        position = position.play(move)
    while position.legal_moves() == ["pass"] and not position.is_terminal:
        line.append((position, "pass"))
        position = position.play(PASS)
    return [*line, (position, "")]


def rows_of(frame: pd.DataFrame) -> Any:
    """Return the rows, as a type checker cannot know them."""
    return frame.itertuples()


def for_first(position: Position) -> float:
    return position.utility() * (1 if position.side == 0 else -1)


def require_whole_games(frame: pd.DataFrame, game: Game) -> None:
    for row in rows_of(frame):
        line = replayed(game, row.moves)
        end = line[-1][0]
        assert end.is_terminal
        assert for_first(end) == row.result
        assert row.opening_plies <= row.decided <= len(line) - 1
        assert row.ending == "solved" or row.decided == len(line) - 1


@pytest.mark.parametrize(
    ("name", "limits", "exact_from", "plies"),
    [
        ("othello", Limits(1), None, 8),
        ("othello", Limits(2), 12, 7),
        ("othello", Limits(None, 300), 6, 5),
        ("othello_6x6", Limits(6), 0, 4),
        ("othello_4x4", Limits(12), None, 2),
        ("connect_four", Limits(3), None, 4),
        ("connect_four", Limits(5), 12, 3),
        ("tic_tac_toe", Limits(1), 0, 2),
        ("tic_tac_toe", Limits(4), 9, 1),
    ],
)
def test_every_game_is_legal_to_its_end_and_ends_as_it_says(
    name: str, limits: Limits, exact_from: int | None, plies: int
) -> None:
    game = game_named(name)
    result = match(
        "classic",
        "zero",
        game=name,
        pairs=3,
        limits=limits,
        exact_from=exact_from,
        openings="random",
        opening_plies=plies,
        seed=5,
    )
    frame = result.frame()
    assert (frame["opening_plies"] == plies).all()
    require_whole_games(frame, game)
    of_a = np.where(frame["first"] == "classic", frame["result"], -frame["result"])
    assert np.array_equal(of_a, result.results.ravel())


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(0, 20), st.integers(1, 3))
def test_a_solved_game_ends_with_the_decided_result(
    seed: int, plies: int, exact_from: int, depth: int
) -> None:
    result = match(
        *("classic", "zero"),
        game=SMALL,
        pairs=2,
        limits=Limits(depth),
        exact_from=exact_from,
        openings="random",
        opening_plies=plies,
        seed=seed,
    )
    require_whole_games(result.frame(), SMALL)


@pytest.mark.parametrize("plies", [2, 3])
@pytest.mark.parametrize("name", ["othello_6x6", "connect_four"])
def test_who_is_first_made_the_first_moves(name: str, plies: int) -> None:
    """Search again: up to where a game is decided each move is the named player's."""
    game = game_named(name)
    evaluators = {who: load_evaluator(who, game) for who in ("classic", "zero")}
    result = match(
        *evaluators.values(),
        game=game,
        pairs=2,
        limits=Limits(2),
        exact_from=0,
        openings="random",
        opening_plies=plies,
        seed=9,
    )
    compared = 0
    for row in rows_of(result.frame()):
        memories = {who: new_memory(game, Limits(2).table_bits, 14) for who in evaluators}
        line = replayed(game, row.moves)
        for position, move in line[row.opening_plies : row.decided]:
            who = (row.first, row.second)[position.side]
            found = analyse(position, evaluators[who], depth=2, exact_from=0, memory=memories[who])
            assert found.move == move
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("plies", [2, 3])
def test_a_moves_first_in_the_first_game_of_a_pair(plies: int) -> None:
    frame = match(
        *("classic", "zero"),
        game=SMALL,
        pairs=2,
        limits=Limits(1),
        openings="random",
        opening_plies=plies,
    ).frame()
    mover = frame["first"] if plies % 2 == 0 else frame["second"]
    assert mover.tolist() == ["classic", "zero"] * 2
    openings = [[move for _, move in replayed(SMALL, moves)[:plies]] for moves in frame["moves"]]
    assert openings[0] == openings[1] != openings[2] == openings[3]


def played(out: Path, **more: Any) -> MatchResult:
    return match(
        *("classic", "zero"), pairs=6, limits=Limits(2), openings="random", out=out, **more
    )


@pytest.mark.parametrize(("game", "plies"), [("othello", 7), ("othello_6x6", 4)])
def test_ggf_reads_back_with_the_same_results(tmp_path: Path, game: str, plies: int) -> None:
    result = played(tmp_path / "event", game=game, opening_plies=plies)
    found = import_games([tmp_path / "event/games.ggf"], tmp_path / "data", game=game)
    assert found.manifest["counts"]["imported"] == 12
    assert found.manifest["counts"]["left_out"] == {}
    rows = found.frame()
    starts = rows[rows["ply"] == 0].sort_values("game_id")
    assert np.array_equal(starts["outcome"], result.frame()["result"])
    text = (tmp_path / "event/games.ggf").read_text()
    assert text.count("PB[classic]PW[zero]") == text.count("PB[zero]PW[classic]") == 6


two_counts = st.tuples(st.integers(0, 2**40), st.integers(0, 2**40))
games = st.builds(
    GameRow,
    pairing=st.integers(0, 10**6),
    number=st.integers(0, 10**6),
    opening=st.lists(st.integers(-1, 63), max_size=12).map(tuple),
    first=st.integers(0, 1),
    result=st.integers(-64, 64).map(float) | st.floats(-64, 64, width=32),
    moves=st.lists(st.integers(-1, 63), max_size=60).map(tuple),
    ending=st.sampled_from(ENDINGS),
    decided=st.integers(0, 60),
    fault=st.sampled_from([None, 0, 1]),
    note=st.text(max_size=30),
    nodes=two_counts,
    turns=two_counts,
    seconds=st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)),
)


@given(games, games)
def test_a_pair_goes_through_json_unchanged(one: GameRow, other: GameRow) -> None:
    line = msgspec.json.encode((one, other))
    assert b"\n" not in line
    assert msgspec.json.decode(line, type=Pair) == (one, other)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"pairing": 0},
        [],
        [{}, {}],
        [None, None],
    ],
)
def test_what_is_no_pair_is_refused(content: Any) -> None:
    with pytest.raises(ValueError):
        msgspec.convert(content, Pair)
