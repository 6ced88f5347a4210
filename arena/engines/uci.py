"""Outside engines that speak UCI (S. Meyer-Kahlen, 2006) or UCCI (the protocol of Chinese chess).

`position startpos moves h3e3 ...` tells the whole game before each move (`position fen ...` where
it starts elsewhere), `go depth 4` asks for one, which comes as `bestmove h10g8 ponder ...` after
lines of `info`. The two dialects differ in how options and clocks are told, and UCCI, which is for
Chinese chess alone, counts ranks from 0. The variant is the game's name (`UCI_Variant`, as
Fairy-Stockfish has it), where an engine knows any; positions of Chess960 need `UCI_Chess960`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from samuel.arena.engines.engine import RESIGNATION, Clock, Engine
from samuel.errors import UserError, unknown
from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.search.score import MAX_PLY, SCORE_UNIT

USUAL_DEPTH = 8
"""An engine without a limit searches on for ever; this one where the clock has none."""
VARIANT, CHESS960 = "UCI_Variant", "UCI_Chess960"
_LAST_FIELDS = ("-", "-", "0", "1")
"""The fields of a FEN behind the side to move, where a game's text has none."""
_NO_MOVES = ("(none)", "0000", "null")
_VALUES = re.compile(r" var (\S+)")
_SQUARE = re.compile(r"([a-i])(\d+)")
_SCORE = re.compile(r"\s(cp|mate)\s+(-?\d{1,9})(?!\S)")
_IS_NO_SCORE = re.compile(r"\s(?:string|lowerbound|upperbound|multipv\s+(?!1(?:\s|$))\S+)(?!\S)")
_OVERRUN = 2
"""Times its limit of nodes that a program may visit before it is told to stop."""
_NODES, _DEPTH = re.compile(r"\snodes\s+(\d{1,18})(?!\S)"), re.compile(r"\sdepth\s+(\d{1,9})(?!\S)")


def with_ranks(move: str, shift: int) -> str:
    """Return a move with its ranks counted from so much more."""
    return _SQUARE.sub(lambda found: f"{found[1]}{int(found[2]) + shift}", move)


def fen_of(position: Position) -> str:
    """Return `fen` and a position with all its fields, the half-move clock by its past."""
    fields = position.text.split()
    fields += _LAST_FIELDS[len(fields) - 2 :]
    fields[4] = str(len(position.past))
    return " ".join(["fen", *fields])


def score_of_mate(moves: int, game: Game) -> float:
    """Return the score of a mate in so many moves; that of the opponent's, where not positive."""
    plies = 2 * moves - 1 if moves > 0 else -2 * moves
    win = game.max_utility - min(plies, MAX_PLY) / SCORE_UNIT
    return win if moves > 0 else -win


class UciEngine(Engine):
    """An engine that speaks UCI; see Engine."""

    protocol: ClassVar[str] = "uci"
    score_unit: ClassVar[str] = "pawns"
    _takes_positions: ClassVar[bool] = True
    _option: ClassVar[re.Pattern[str]] = re.compile(r"option name (.+?) type \S+(.*)")

    def _greet(self) -> None:
        self._options: dict[str, str] = {}
        self._moves: list[str] = []
        self._from, self._variant, self._is_960 = "", "", False
        self._process.send(self.protocol)
        for line in self._lines(self._start, is_greeting=True):
            if line.strip() == self.protocol:
                raise self._process.nonsense("only repeats what it is told")
            if line.strip() == f"{self.protocol}ok":
                break
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip() or self.name
            if option := self._option.match(line):
                self._options[option[1]] = option[2]
        for name, value in self._settings:
            self._set(name, value)
        self._synchronise()

    def _set(self, name: str, value: str) -> None:
        known = {option.lower(): option for option in self._options}
        if self._own_name(name).lower() not in known:
            self.close()
            raise unknown(f"option of {self.name}", name, tuple(self._options))
        self._process.send(self._setting(known[self._own_name(name).lower()], value))

    def _own_name(self, name: str) -> str:
        """Return how the protocol writes the name of an option."""
        return name

    def _setting(self, name: str, value: str) -> str:
        return f"setoption name {name} value {value}"

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        if VARIANT in self._options and game.name != self._variant:
            if game.name not in _VALUES.findall(self._options[VARIANT]):
                raise UserError(f"engine {self.command!r} does not play {game.name}")
            self._set(VARIANT, game.name)
            self._variant = game.name
        self._begin_game()
        self._place(self.position)
        for move in moves:
            self._tell(move)
            self.position = self.position.play(move)
        self._synchronise()

    def _begin_game(self) -> None:
        self._process.send("ucinewgame")

    def _place(self, position: Position) -> None:
        """Let what it is told begin at a position."""
        castles_elsewhere = getattr(position.game.notation, "castles_elsewhere", None)
        is_960 = castles_elsewhere is not None and castles_elsewhere(position.words)
        if is_960 != self._is_960:
            if CHESS960 not in self._options:
                raise UserError(
                    f"engine {self.command!r} does not play Chess960: it has no option {CHESS960}"
                )
            self._set(CHESS960, "true" if is_960 else "false")
            self._is_960 = is_960
        self._from, self._moves = self._start_of(position), []

    def _start_of(self, position: Position) -> str:
        """Return the words that tell a position."""
        is_initial = position.side == 0 and position.words == position.game.start
        return "startpos" if is_initial else fen_of(position)

    def _synchronise(self) -> None:
        self._process.send("isready")
        for line in self._lines(self._start):
            if line.strip() == "readyok":
                return

    def _tell(self, move: int) -> None:
        notation: Any = self.position.game.notation
        write = notation.king_takes_rook if self._is_960 else notation.write_move
        self._moves.append(self._written(write(move)))

    def _confirm(self, move: int) -> None:
        self._tell(move)

    def _think(self, clock: Clock) -> Iterator[str]:
        moves = ["moves", *self._moves] if self._moves else []
        self._process.send(" ".join(["position", self._from, *moves]))
        self._process.send(f"go {self._limits(clock) or f'depth {USUAL_DEPTH}'}")
        stopped = clock.nodes is None
        for line in self._lines(clock.timeout):
            if line.startswith("info "):
                self._listen(line)
                # some programs know no limit of nodes; those that do are not hurried, so that what
                # they find does not depend on when they read this
                if not stopped and _number_in(_NODES, line) > _OVERRUN * (clock.nodes or 0):
                    self._process.send("stop")
                    stopped = True
                continue
            words = line.split()
            if words[:1] == ["bestmove"] and len(words) > 1:
                yield RESIGNATION if words[1] in _NO_MOVES else self._read(words[1])
            elif words in (["bestmove"], ["nobestmove"], [RESIGNATION]):
                yield RESIGNATION

    def assess(self, position: Position, clock: Clock) -> tuple[float | None, int]:
        """Return its score of a position, and its depth; what it remembers of others stays."""
        self.position, self.score, self.depth = position, None, 0
        with self._ending_on_failure():
            self._place(position)
            next(self._think(clock))
        return self.score, self.depth

    def _written(self, move: str) -> str:
        return move

    def _read(self, move: str) -> str:
        return move

    def _limits(self, clock: Clock) -> str:
        limits = []
        if clock.depth is not None:
            limits.append(f"depth {clock.depth}")
        if clock.nodes is not None:
            limits.append(f"nodes {clock.nodes}")
        if clock.seconds is not None:
            limits.append(f"movetime {_milliseconds(clock.seconds)}")
        if clock.own is not None:
            both = (clock.own, clock.own if clock.other is None else clock.other)
            first, second = both[:: -1 if self.position.side else 1]
            limits.append(f"wtime {_milliseconds(first)} btime {_milliseconds(second)}")
            limits += [f"{side}inc {round(1000 * clock.increment)}" for side in "wb"]
        return " ".join(limits)

    def _listen(self, line: str) -> None:
        """Take the score from a line of thinking, in pawns; a mate is a win less its plies.

        Bounds are no scores, and lines after the first (MultiPV) are not of the move chosen.
        """
        told = line.partition(" pv ")[0]
        found = _SCORE.search(told)
        if found is None or _IS_NO_SCORE.search(told):
            return
        number = int(found[2])
        if found[1] == "cp":
            self.score = number / 100
        else:
            self.score = score_of_mate(number, self.position.game)
        self.depth = _number_in(_DEPTH, told)


def _number_in(name: re.Pattern[str], line: str) -> int:
    """Return a number that a line of thinking tells; 0 where it does not."""
    found = name.search(line)
    return int(found[1]) if found else 0


class UcciEngine(UciEngine):
    """An engine that speaks UCCI; see Engine."""

    protocol: ClassVar[str] = "ucci"
    _option: ClassVar[re.Pattern[str]] = re.compile(r"option (\S+) type \S+(.*)")

    def _own_name(self, name: str) -> str:
        return name.replace(" ", "_")

    def _setting(self, name: str, value: str) -> str:
        return f"setoption {name} {value}"

    @classmethod
    def require_game(cls, game: Game) -> None:  # noqa: D102
        if game.name != "xiangqi":
            raise UserError(f"UCCI is for xiangqi, not for {game.name}")

    def _begin_game(self) -> None:
        if "newgame" in self._options:
            self._process.send("setoption newgame")
        if "usemillisec" in self._options:
            self._set("usemillisec", "true")

    def _start_of(self, position: Position) -> str:
        return fen_of(position)

    def _written(self, move: str) -> str:
        return with_ranks(move, -1)

    def _read(self, move: str) -> str:
        return with_ranks(move, 1)

    def _limits(self, clock: Clock) -> str:
        limits = [] if clock.depth is None else [f"depth {clock.depth}"]
        if clock.own is not None:
            limits.append(f"time {_milliseconds(clock.own)}")
            limits.append(f"increment {round(1000 * clock.increment)}")
            if clock.other is not None:
                limits.append(f"opptime {_milliseconds(clock.other)}")
                limits.append(f"oppincrement {round(1000 * clock.increment)}")
        elif clock.seconds is not None:
            limits.append(f"time {_milliseconds(clock.seconds)} movestogo 1")
        return " ".join(limits)


def _milliseconds(seconds: float) -> int:
    return max(1, round(1000 * seconds))
