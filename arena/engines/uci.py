"""Outside engines that speak UCI (S. Meyer-Kahlen, 2006) or UCCI (the protocol of Chinese chess).

`position startpos moves h3e3 ...` tells the whole game before each move (`position fen ...` where
it starts elsewhere), `go depth 4` asks for one, which comes as `bestmove h10g8 ponder ...` after
lines of `info`. Words are separated by white space of any kind. The two dialects differ in how
options and clocks are told. The variant is the game's name (`UCI_Variant`, as Fairy-Stockfish has
it); an engine that knows none plays chess or Chinese chess. Positions of Chess960 need
`UCI_Chess960`.

In Chinese chess UCCI counts ranks from 0, and so do some programs of UCI (Pikafish), while those
with variants count from 1 (Fairy-Stockfish). The first move of an engine in the initial position
shows which: no move is legal there in both ways.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from samuel.arena.engines.engine import RESIGNATION, Engine, count_in, number_in, timeout_of
from samuel.common.errors import UserError, unknown
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.search.limits import Limits
from samuel.search.score import MOST_DEPTH, score_of_mate

USUAL_DEPTH = 8
"""An engine without a limit searches on for ever; this one where the clock has none."""
VARIANT, CHESS960 = "UCI_Variant", "UCI_Chess960"
_LAST_FIELDS = ("-", "-", "0", "1")
"""The fields of a FEN behind the side to move, where a game's text has none."""
_NO_MOVES = ("(none)", "0000", "null")
_NAMES = {"chess": ("chess", "standard", "normal")}
"""Names of a variant, where they are more than that of the game."""
_XIANGQI = "xiangqi"
_WITHOUT_VARIANTS = ("chess", _XIANGQI)
"""Games of engines that name no variants."""
RANKS = "ranks"
"""Setting of this project's own: number of the first rank in Chinese chess, 0 or 1."""
_BUTTON = "button"
_MOST_OPTIONS = 1000
_VALUES = re.compile(r" var (\S+)")
_SQUARE = re.compile(r"([a-i])(\d{1,2})")
_OVERRUN = 2
"""Times its limit of nodes that a program may visit before it is told to stop."""
_BOUNDS = {"lowerbound", "upperbound"}
_QUOTED = 40


def with_ranks(move: str, shift: int) -> str:
    """Return a move with its ranks counted from so much more."""
    return _SQUARE.sub(lambda found: f"{found[1]}{int(found[2]) + shift}", move)


def fen_of(position: Position) -> str:
    """Return `fen` and a position with all its fields, the half-move clock by its past."""
    fields = position.text.split()
    fields += _LAST_FIELDS[len(fields) - 2 :]
    fields[4] = str(len(position.past))
    return " ".join(["fen", *fields])


class UciEngine(Engine):
    """An engine that speaks UCI; see Engine."""

    protocol: ClassVar[str] = "uci"
    score_unit: ClassVar[str] = "pawns"
    _takes_positions: ClassVar[bool] = True
    _option: ClassVar[re.Pattern[str]] = re.compile(r"option name (.+?) type (.*)")

    def _greet(self) -> None:
        self._options: dict[str, str] = {}
        self._moves: list[str] = []
        self._from, self._variant, self._is_960 = "", "", False
        self._rank: int | None = None
        for line in self._answers(self.protocol, is_greeting=True):
            words = line.split()
            if words == [f"{self.protocol}ok"]:
                break
            if words[:2] == ["id", "name"]:
                self._call(" ".join(words[2:]))
            option = self._option.match(" ".join(words))
            if option is not None and len(self._options) < _MOST_OPTIONS:
                self._options[option[1]] = option[2]
        for name, value in self._settings:
            if name != RANKS:
                self._set(name, value)
        self._synchronise()

    def _set(self, name: str, value: str) -> None:
        option = self._option_named(name)
        is_button = self._options[option].split(maxsplit=1)[:1] == [_BUTTON]
        self._process.send(self._setting(option, "" if is_button else value))

    def _option_named(self, name: str) -> str:
        """Return the name of an option as the engine writes it, whatever the case."""
        known = {option.lower(): option for option in self._options}
        option = known.get(self._own_name(name).lower())
        if option is None:
            self.close()
            raise unknown(f"option of {self.name}", name, tuple(self._options))
        return option

    def numbers_of(self, name: str) -> tuple[str, tuple[float, float] | None]:
        """Return the name of an option, and the range of its integers; None for any text."""
        option = self._option_named(name)
        words = self._options[option].split()
        if words[:1] == ["string"]:
            return option, None
        told = dict(itertools.pairwise(words))
        least, most = number_in(told.get("min")), number_in(told.get("max"))
        if words[:1] != ["spin"] or least is None or most is None:
            raise UserError(f"option {option} of {self.name} is no number that can be tuned")
        return option, (least, most)

    def _own_name(self, name: str) -> str:
        """Return how the protocol writes the name of an option."""
        return name

    def _setting(self, name: str, value: str) -> str:
        return f"setoption name {name}" + f" value {value}" * bool(value)

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        self._choose_variant(game)
        self._rank = self._known_rank(game)
        self._begin_game()
        self._place(self.position)
        is_initial = self.position == Position.start(game)
        for move in moves:
            self._tell(move)
        self._synchronise()
        if moves or not is_initial:
            self._find_rank()

    def _choose_variant(self, game: Game) -> None:
        if VARIANT not in self._options:
            if game.name not in _WITHOUT_VARIANTS:
                raise UserError(
                    f"engine {self.command!r} does not play {game.name}: it has no option "
                    f"{VARIANT}, so it plays only chess (--game chess) or Chinese chess"
                )
        elif game.name != self._variant:
            known = _VALUES.findall(self._options[VARIANT])
            names = [name for name in _NAMES.get(game.name, (game.name,)) if name in known]
            if not names:
                raise UserError(f"engine {self.command!r} does not play {game.name}")
            self._set(VARIANT, names[0])
            self._variant = game.name

    def _known_rank(self, game: Game) -> int | None:
        """Return the number of the first rank, where it need not be found out."""
        told = dict(self._settings).get(RANKS)
        if told not in (None, "0", "1"):
            raise UserError(f"{RANKS} must be 0 or 1, the number of the first rank (got {told})")
        if game.name != _XIANGQI:
            return 1
        if told is not None:
            return int(told)
        return 1 if VARIANT in self._options else self._rank

    def _find_rank(self) -> None:
        """Let it move in the initial position, if it is not yet known how it counts ranks."""
        if self._rank is not None:
            return
        start = Position.start(self.position.game)
        self._process.send(f"position {self._start_of(start)}")
        self._process.send("go depth 1")
        lines = (line.split() for line in self._lines())
        said = " ".join(next(words for words in lines if words[:1] == ["bestmove"])[1:2])
        self._rank = _rank_of(said, start)
        if self._rank is None:
            raise UserError(
                f"engine {self.command!r} does not play {start.game.name}: its move in the initial "
                f"position is {said[:_QUOTED]!r}"
            )

    @property
    def _shift(self) -> int:
        """Number to add to the ranks in its moves."""
        return 0 if self._rank is None else 1 - self._rank

    def _begin_game(self) -> None:
        self._process.send("ucinewgame")

    def _place(self, position: Position) -> None:
        """Send a position as the start of the moves."""
        is_960 = position.game.notation.castles_elsewhere(position.words)
        if is_960 != self._is_960:
            if CHESS960 not in self._options:
                raise UserError(
                    f"engine {self.command!r} does not play Chess960: it has no option {CHESS960}"
                )
            self._set(CHESS960, "true" if is_960 else "false")
            self._is_960 = is_960
        self._from, self._moves = self._start_of(position), []

    def _start_of(self, position: Position) -> str:
        """Return the words of a position in UCI."""
        is_initial = position.side == 0 and position.words == position.game.start
        return "startpos" if is_initial else fen_of(position)

    def _synchronise(self) -> None:
        self._process.send("isready")
        for line in self._lines():
            if line.split() == ["readyok"]:
                return

    def _tell(self, move: int) -> None:
        notation = self.position.game.notation
        write = notation.king_takes_rook if self._is_960 else notation.write_move
        self._moves.append(write(move))

    def _think(self, limits: Limits, other: float | None) -> Iterator[str]:
        if self._moves:
            self._find_rank()
        named = [with_ranks(move, -self._shift) for move in self._moves]
        moves = ["moves", *named] if named else []
        self._process.send(" ".join(["position", self._from, *moves]))
        self._process.send(f"go {self._limits(limits, other) or f'depth {USUAL_DEPTH}'}")
        stopped = limits.nodes is None
        for line in self._thoughts():
            words = line.split()
            if words[:1] == ["info"]:
                told = _words_of(words)
                self._listen(told)
                # some programs know no limit of nodes; those that do are not hurried, so that what
                # they find does not depend on when they read this
                if not stopped and count_in(told.get("nodes")) > _OVERRUN * (limits.nodes or 0):
                    self._process.send("stop")
                    stopped = True
            elif words[:1] == ["bestmove"] and len(words) > 1:
                yield RESIGNATION if words[1].lower() in _NO_MOVES else self._read(words[1])
            elif words in (["bestmove"], ["nobestmove"], [RESIGNATION]):
                yield RESIGNATION

    def assess(
        self, position: Position, limits: Limits, timeout: float | None
    ) -> tuple[float | None, int]:
        """Return its score of a position, and its depth; what it remembers of others stays."""
        self.position, self.score, self.depth = position, None, 0
        with self._within(timeout_of(limits) if timeout is None else timeout):
            self._place(position)
            next(self._think(limits, None))
        return self.score, self.depth

    def _read(self, move: str) -> str:
        """Return its move with ranks from 1; its first move shows how it counts them."""
        is_first = self.position.game.name == _XIANGQI and not self._moves
        if is_first and RANKS not in dict(self._settings):
            found = _rank_of(move, self.position)
            self._rank = self._rank if found is None else found
        return with_ranks(move, self._shift)

    def _limits(self, limits: Limits, other: float | None) -> str:
        told = []
        if limits.depth is not None:
            told.append(f"depth {limits.depth}")
        if limits.nodes is not None:
            told.append(f"nodes {limits.nodes}")
        if limits.seconds is not None:
            told.append(f"movetime {_milliseconds(limits.seconds)}")
        if limits.clock is not None:
            both = (limits.clock, limits.clock if other is None else other)
            first, second = both[:: -1 if self.position.side else 1]
            told.append(f"wtime {_milliseconds(first)} btime {_milliseconds(second)}")
            told += [f"{side}inc {round(1000 * limits.added)}" for side in "wb"]
        return " ".join(told)

    def _listen(self, told: Mapping[str, str]) -> None:
        """Take the score from a line of thinking, in pawns; a mate is a win less its plies."""
        is_score = told.get("multipv", "1") == "1" and not told.keys() & _BOUNDS
        cp, mate = (number_in(told.get(unit)) if is_score else None for unit in ("cp", "mate"))
        if cp is not None:
            self.score = cp / 100
        elif mate is not None:
            self.score = float(score_of_mate(int(mate), self.position.game))
        else:
            return
        self.depth = min(count_in(told.get("depth")), MOST_DEPTH)


def _words_of(words: Sequence[str]) -> dict[str, str]:
    """Return the words of a line of thinking, with the one behind each, up to free text."""
    words = words[: words.index("string")] if "string" in words else words
    return dict(zip(words, [*words[1:], ""], strict=True))


def _rank_of(move: str, position: Position) -> int | None:
    """Return the number of the first rank with which a move is legal; None of none or both."""
    legal = position.legal_moves()
    found = [rank for rank in (0, 1) if with_ranks(move, 1 - rank) in legal]
    return found[0] if len(found) == 1 else None


class UcciEngine(UciEngine):
    """An engine that speaks UCCI; see Engine."""

    protocol: ClassVar[str] = "ucci"
    _option: ClassVar[re.Pattern[str]] = re.compile(r"option (\S+) type (.*)")

    def _own_name(self, name: str) -> str:
        return name.replace(" ", "_")

    def _setting(self, name: str, value: str) -> str:
        return f"setoption {name} {value}".rstrip()

    @classmethod
    def require_game(cls, game: Game) -> None:  # noqa: D102
        if game.name != _XIANGQI:
            raise UserError(f"UCCI is for xiangqi, not for {game.name}")

    def _begin_game(self) -> None:
        if "newgame" in self._options:
            self._process.send("setoption newgame")
        if "usemillisec" in self._options:
            self._set("usemillisec", "true")

    def _known_rank(self, game: Game) -> int | None:
        return 0

    def _start_of(self, position: Position) -> str:
        return fen_of(position)

    def _limits(self, limits: Limits, other: float | None) -> str:
        told = [] if limits.depth is None else [f"depth {limits.depth}"]
        if limits.clock is not None:
            told.append(f"time {_milliseconds(limits.clock)}")
            told.append(f"increment {round(1000 * limits.added)}")
            if other is not None:
                told.append(f"opptime {_milliseconds(other)}")
                told.append(f"oppincrement {round(1000 * limits.added)}")
        elif limits.seconds is not None:
            told.append(f"time {_milliseconds(limits.seconds)} movestogo 1")
        return " ".join(told)


def _milliseconds(seconds: float) -> int:
    return max(1, round(1000 * seconds))
