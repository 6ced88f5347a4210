"""`samuel play`: games by lines of text."""

from __future__ import annotations

import pytest

from samuel.games import Position, game_named
from samuel.play.engine import EnginePlayer
from samuel.play.session import Session
from samuel.play.terminal import TerminalGame, board_of
from tests.rarely import rarely


def game_of(name, people=(0,), level=2, **given):
    game = game_named(name)
    engine = EnginePlayer("zero" if name != "othello" else "classic", game, level=level)
    return TerminalGame(engine, Session(Position.start(game)), people, seed=1, **given)


def said(lines):
    return "\n".join(lines)


@pytest.mark.parametrize(
    "name", ["othello", "checkers", "pig_20", *map(rarely, ("backgammon", "nim"))]
)
def test_a_whole_game(name):
    """People always play the first move that is listed."""
    game = game_of(name)
    heard = said(game.begin())
    for _ in range(2000):
        if game.session.position.is_terminal:
            break
        heard = said(game.answer(game.session.position.legal_moves()[0]))
    assert game.session.position.is_terminal
    assert " wins" in heard or "you win" in heard or "draw" in heard


def test_commands():
    game = game_of("othello")
    assert "●" in said(game.begin())
    assert "f5" in said(game.answer("moves"))
    assert said(game.answer("hint")).count("+") + said(game.answer("hint")).count("-") >= 3
    assert "nothing to take back" in said(game.answer("undo"))
    assert "plays" in said(game.answer("f5"))
    played = game.session.moves
    assert len(played) == 2
    said(game.answer("undo"))
    assert game.session.moves == []
    said(game.answer("redo"))
    assert game.session.moves == played
    assert said(game.answer("transcript")) == "".join(played)
    assert "is not legal here" in said(game.answer("a1"))
    assert "no move" in said(game.answer("\x1b[2J")) or "help" in said(game.answer("\x1b[2J"))
    assert "level 5" in said(game.answer("level 5")) and "type level" in said(
        game.answer("level 99")
    )
    assert "plays" in said(game.answer("swap"))
    said(game.answer("new"))
    assert len(game.session.moves) == 1
    assert said(game.answer("help")).startswith("a move") and said(game.answer("")) == ""
    said(game.answer("quit"))
    assert game.is_over


def test_chess_has_figurines_and_black_sees_its_own_side():
    position = Position.parse("r3k3/8/8/8/8/8/8/4K2B b - - 0 1", "chess")
    lines = board_of(position).splitlines()
    assert lines[1] == "8 ♜ · · · ♚ · · ·" and lines[8] == "1 · · · · ♔ · · ♗"
    assert lines[0] == "  a b c d e f g h" and lines[-1] == "Black to move"
    turned = board_of(position, viewer=1).splitlines()
    assert turned[:2] == ["  h g f e d c b a", "1 ♗ · · ♔ · · · ·"]
    assert board_of(position, unicode=False).splitlines()[1] == "8 r . . . k . . ."
    assert board_of(Position.start(), viewer=1) == board_of(Position.start())


@pytest.mark.parametrize(
    ("game", "said"),
    [("xiangqi", "Red"), ("backgammon", "Black (X)"), ("tic_tac_toe", "X"), ("checkers", "Black")],
)
def test_sides_are_called_as_the_game_calls_them(game, said):
    start = Position.start(game)
    last = board_of(start).splitlines()[-1]
    assert last.startswith(f"{said} to move")
