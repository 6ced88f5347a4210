"""Perft against counts known from elsewhere."""

from dataclasses import replace

import pytest

from samuel.games import Game, PerftRules, Position, game_named
from samuel.games.othello.bits import PLAIN
from samuel.games.othello.rules import othello
from samuel.games.perft import divide, perft
from samuel.games.playing import random_positions
from samuel.games.rows import canonical
from tests.toys import PIG, RACE, TOYS

# Othello: A. Bik, aartbik.com/MISC/reversi.html (confirmed by J. Kreuzer). A pass is a ply and a
# finished game a leaf at once.
OTHELLO = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800]
# Othello 4 x 4: sequences of exactly n plies, and games that had ended before (by brute force).
OTHELLO_4X4 = [
    *(1, 4, 12, 44, 128, 424, 1256, 3624, 9112 + 4, 20032 + 12, 36412 + 128, 50268 + 436),
    *(55112 + 2324, 31396 + 28168, 12920 + 47060, 60060),
]
# Connect Four, 7 x 6: sequences of exactly n plies (J. Tromp's counts, recomputed by brute force).
CONNECT_FOUR = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]
# Tic-tac-toe: all 255,168 games, by length (recomputed by brute force).
TIC_TAC_TOE_GAMES = {5: 1440, 6: 5328, 7: 47952, 8: 72576, 9: 127872}
TIC_TAC_TOE_SEQUENCES = [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
# Othello positions after n moves, different up to symmetry: Egaroucid's technology page.
DISTINCT = [1, 1, 3, 14, 60, 322, 1773, 10649]


OTHELLO_GAME = othello()
FORMS = {
    "fastest": OTHELLO_GAME,
    "plain": othello(bits=PLAIN),
    "listing": replace(OTHELLO_GAME, perft=PerftRules(counts_ended=True)),
}
FORMS_4X4 = {"fastest": othello(4), "plain": othello(4, PLAIN)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(OTHELLO)))
def test_othello(form: str, depth: int, leaves: int) -> None:
    assert perft(Position.start(FORMS[form]), depth) == leaves


@pytest.mark.parametrize("form", FORMS_4X4)
@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(OTHELLO_4X4)))
def test_othello_4x4(form: str, depth: int, leaves: int) -> None:
    assert perft(Position.start(FORMS_4X4[form]), depth) == leaves


@pytest.mark.parametrize("size", [4, 6, 8])
def test_replies_counted_at_once_are_those_of_a_list(size: int) -> None:
    game = othello(size)
    plain, listing = othello(size, PLAIN), replace(game, perft=PerftRules(counts_ended=True))
    for row in random_positions(game, 300, seed=size):
        counts = {perft(Position(form, tuple(row.tolist())), 2) for form in (game, plain, listing)}
        assert len(counts) == 1


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(CONNECT_FOUR)))
def test_connect_four(depth: int, leaves: int) -> None:
    assert perft(Position.start("connect_four"), depth) == leaves


@pytest.mark.parametrize(("depth", "sequences"), list(enumerate(TIC_TAC_TOE_SEQUENCES)))
def test_tic_tac_toe(depth: int, sequences: int) -> None:
    assert perft(Position.start("tic_tac_toe"), depth) == sequences


def test_where_a_game_says_so_games_that_ended_before_count() -> None:
    counting = replace(game_named("tic_tac_toe"), perft=PerftRules(counts_ended=True))
    for depth, sequences in enumerate(TIC_TAC_TOE_SEQUENCES):
        ended = sum(games for length, games in TIC_TAC_TOE_GAMES.items() if length < depth)
        assert perft(Position.start(counting), depth) == sequences + ended
    assert perft(Position.start(counting), 20) == 255_168, "all games there are"


@pytest.mark.parametrize("game", ["othello", "othello_6x6", "connect_four", "tic_tac_toe"])
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_divide_has_each_move_and_sums_to_perft(game: str, depth: int) -> None:
    start = Position.start(game)
    counts = divide(start, depth)
    assert list(counts) == start.legal_moves()
    assert sum(counts.values()) == perft(start, depth)


def test_a_forced_pass_is_a_ply() -> None:
    position = Position.from_transcript("e6f6d3e7e8d8g7f8")
    assert position.legal_moves() == ["pass"]
    assert perft(position, 1) == 1
    assert divide(position, 3) == {"pass": perft(position.play("pass"), 2)}


@pytest.mark.parametrize("depth", [0, 1, 5, 12])
def test_a_finished_game_is_one_leaf_at_any_depth(depth: int) -> None:
    assert perft(Position.parse("X" * 64 + " O"), depth) == 1
    assert perft(Position.parse("XXX-O-O-- O", game_named("tic_tac_toe")), depth) == (depth == 0)


def test_distinct_positions_of_othello() -> None:
    game = game_named("othello")
    level = {game.start}
    for moves, expected in enumerate(DISTINCT):
        assert len(level) == expected, f"after {moves} moves"
        children = [
            game.child_of(game.row(words), int(move))
            for words in level
            for move in game.moves_in(game.row(words))
        ]
        level = set(map(tuple, canonical(game, children).tolist()))


def plain_perft(position: Position, depth: int) -> int:
    """Count as the definition says: chance branches, and takes no ply."""
    if depth == 0 or position.is_terminal:
        return int(depth == 0 or position.game.perft.counts_ended)
    outcomes = [outcome for outcome, _ in position.outcomes()]
    moves, below = (outcomes, depth) if outcomes else (position.legal_moves(), depth - 1)
    return sum(plain_perft(position.play(move), below) for move in moves)


@pytest.mark.parametrize("game", TOYS, ids=lambda game: game.name)
def test_what_chance_brings_is_a_branch(game: Game) -> None:
    for depth in range(5):
        assert perft(Position.start(game), depth) == plain_perft(Position.start(game), depth)
    assert sum(divide(Position.start(game), 4).values()) == perft(Position.start(game), 4)


def test_known_counts_with_dice() -> None:
    assert perft(Position.start(RACE), 1) == 4 * 2  # one move a man for each throw
    assert perft(Position.start(PIG), 2) == 1 + 2 * 2  # a one ends the turn: then there is a roll
