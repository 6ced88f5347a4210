"""A game against an evaluator by lines of text: what `samuel play` asks and answers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping

from samuel.common.displayable import with_unit
from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.drawing import side_names
from samuel.games.position import Position
from samuel.games.rules import PASS
from samuel.play.engine import EnginePlayer
from samuel.play.levels import levels_of
from samuel.play.session import Session

HELP = """a move as the board names it, or:
  moves       the legal moves
  hint        the best move as the opponent's evaluator sees it, its score and depth
  undo, redo  take back to your last choice, or play it again
  level N     set the opponent's level, from 1 to {levels}
  swap        change sides
  new         start a new game
  transcript  the moves so far
  board       show the board
  quit        end; with --out you can continue the game later"""
_SIGNS = ("●○", "◉◎")
"""Signs of pieces, for each kind the first player's and the second's."""
_EMPTY = "·"
_NAMED = ("X", "O", *_SIGNS[0])
"""Signs that are shown beside the name of a side."""
_HINTS = 3


class TerminalGame:
    """A game between people and an evaluator."""

    def __init__(
        self,
        engine: EnginePlayer,
        session: Session,
        people: Collection[int],
        *,
        seed: int | None = None,
        unicode: bool = True,
        saved: Callable[[Session], None] = lambda session: None,
    ) -> None:
        self.session = session
        self.is_over = False
        self._engine = engine
        self._people = frozenset(people)
        self._dice = random.Random(seed)
        self._unicode = unicode
        self._saved = saved
        levels = str(len(levels_of(session.game)))
        self._commands: dict[str, Callable[[], Iterator[str]]] = {
            "help": lambda: iter([HELP.format(levels=levels)]),
            "moves": lambda: iter([" ".join(_names(self.session.position)) or "none"]),
            "hint": self._hint,
            "undo": lambda: self._step(self.session.undo, "there is nothing to take back"),
            "redo": lambda: self._step(self.session.redo, "there is nothing to play again"),
            "swap": self._swap,
            "new": self._new,
            "transcript": lambda: iter([self.session.transcript]),
            "board": lambda: iter([self._board()]),
            "quit": self._quit,
        }

    @property
    def prompt(self) -> str:
        """Question to the person."""
        return "your move (or help): " if not self.session.position.is_terminal else "new or quit: "

    def begin(self) -> Iterator[str]:
        """Play on until a person is asked; yield what is to be read meanwhile."""
        position = self.session.position
        while not position.is_terminal:
            if position.is_chance:
                yield f"dice: {self.session.throw(self._dice)}"
            elif position.game.playable_in(position.row).tolist() == [PASS]:
                yield f"{self._who(position.side)} must pass"
                self.session.play(PASS)
            elif position.side not in self._people:
                move = self._engine.think(position).move
                assert move is not None
                self.session.play(move)
                yield f"{self._engine.name} plays {position.names_of([move])[0]}"
            else:
                break
            self._saved(self.session)
            position = self.session.position
        yield self._board()
        if position.is_terminal:
            yield self._ending(position)

    def answer(self, line: str) -> Iterator[str]:
        """Do what a person has typed; yield what is to be read."""
        words = line.split()
        if not words:
            return
        name = words[0].lower()
        if name == "level":
            yield from self._set_level(words[1:])
        elif name in self._commands:
            yield from self._commands[name]()
        else:
            try:
                self.session.play(" ".join(words))
            except UserError as error:
                yield f"{error} (help lists the commands)"
                return
            self._saved(self.session)
            yield from self.begin()

    def _who(self, side: int) -> str:
        if side not in self._people:
            return self._engine.name
        return "you" if len(self._people) == 1 else side_names(self.session.game)[side]

    def _ending(self, position: Position) -> str:
        result = position.utility()
        if result == 0:
            return "a draw"
        winner = self._who(position.side if result > 0 else 1 - position.side)
        wins = "win" if winner == "you" else "wins"
        by = with_unit(position.game.scores.unit, f" by {abs(result):g} {{}}")
        return f"{winner} {wins}{by}"

    def _board(self) -> str:
        viewer = int(self._people == {1})
        return board_of(self.session.position, self._unicode, viewer)

    def _step(self, step: Callable[[int | None], bool], nothing: str) -> Iterator[str]:
        side = next(iter(self._people)) if len(self._people) == 1 else None
        if not step(side):
            yield nothing
            return
        self._saved(self.session)
        yield from self.begin()

    def _hint(self) -> Iterator[str]:
        position = self.session.position
        if position.is_terminal:
            yield "the game is over"
            return
        found = self._engine.advise(position)
        depth = "solved" if found.exact else f"depth {found.depth}"
        best = position.names_of([found.move])[0] if found.move else found.move
        yield f"{best} {found.score:+z.2f} ({self._engine.name}, {depth})"
        ranked = sorted((found.moves or {}).items(), key=lambda pair: -pair[1])
        moves = [pair for pair in ranked if pair[0] != found.move][:_HINTS]
        others = [f"{position.names_of([move])[0]} {score:+z.2f}" for move, score in moves]
        if others:
            yield f"others at depth {found.moves_depth}: {', '.join(others)}"

    def _set_level(self, words: list[str]) -> Iterator[str]:
        levels = len(levels_of(self.session.game))
        if len(words) == 1 and words[0].isdecimal() and 1 <= int(words[0]) <= levels:
            self._engine.set_level(int(words[0]))
            yield f"level {int(words[0])} from now on"
        else:
            yield f"type level and a number from 1 to {levels}"

    def _swap(self) -> Iterator[str]:
        self._people = frozenset({0, 1}) - self._people
        yield from self.begin()

    def _new(self) -> Iterator[str]:
        self.session = Session(Position.start(self.session.game))
        self._engine.forget()
        self._saved(self.session)
        yield from self.begin()

    def _quit(self) -> Iterator[str]:
        self.is_over = True
        return iter(())


def _names(position: Position) -> list[str]:
    """Return the legal moves as people read them."""
    return [position.names_of([move])[0] for move in position.legal_moves()]


def board_of(position: Position, unicode: bool = True, viewer: int = 0) -> str:
    """Return a position's board as text, with discs or figurines where they are wanted."""
    drawn = position.game.notation.board_for(position.words, position.side, viewer)
    lines, sides = drawn.splitlines(), side_names(position.game)
    board = position.game.board
    figurines = position.game.notation.figurines
    if unicode and figurines:
        lines = _with_signs(lines, {".": _EMPTY, **figurines})
    elif unicode and board and len(board.pieces) <= len(_SIGNS) and tuple(board.pieces[0]) != sides:
        lines = _with_discs(lines, board)
    name, sign = sides[position.side], lines[-1].split()[0]
    shown = f"{name} ({sign})" if sign in _NAMED and sign != name else name
    lines[-1] = re.sub(r"^\S+(?= to move)", shown, lines[-1])
    return "\n".join(lines)


def _with_discs(lines: list[str], board: Board) -> list[str]:
    signs = {"-": _EMPTY, ".": _EMPTY}
    for pair, drawn in zip(board.pieces, _SIGNS, strict=False):
        if len(pair) == len(drawn):
            signs |= dict(zip(pair, drawn, strict=True))
    return _with_signs(lines, signs)


def _with_signs(lines: list[str], signs: Mapping[str, str]) -> list[str]:
    """Return a board and the line below it with other signs for those that stand alone."""
    alone = re.compile(rf"(?<![^\s(])[{re.escape(''.join(signs))}](?=\s|$)")
    return [
        alone.sub(lambda found: signs[found[0]], line)
        if line.strip()[:1].isdigit() or line is lines[-1]
        else line
        for line in lines
    ]
