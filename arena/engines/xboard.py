"""Outside engines for chess that speak XBoard's protocol (CECP), versions 1 and 2.

Its description is "Chess Engine Communication Protocol" of T. Mann and H.G. Muller, which comes
with XBoard. The engine is in `force` mode, where it follows the moves of both sides, except between
`go` and its answer, `move e7e5` (`My move is: e7e5` in old ones). After `protover 2` it tells its
features; one that knows no such command, as those of version 1, is asked for none of them. `ping
N`, answered by `pong N` or as an unknown command, shows that all before it is done.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from samuel.arena.engines.engine import RESIGNATION, Clock, Engine
from samuel.arena.engines.uci import USUAL_DEPTH, fen_of, score_of_mate
from samuel.common.errors import UserError, unknown
from samuel.games.interface import Game
from samuel.games.position import Position

VARIANT_960 = "fischerandom"
_HELLO = "protover 2"
_AGAIN = 0.5
"""Seconds without a word after which `ping` is repeated: GNU Chess overlooks commands that come
right after others until there are more."""
_MATE = 100_000
"""Scores from here on are mates, in so many moves more."""
_MOST_FEATURES = 1000
_SIZES = {"memory": "memory", "cores": "smp"}
"""Settings that have a command of their own, and the features that announce it."""
_FEATURE = re.compile(r'\b(\w++)=("[^"]*"|[^\s"]\S*)')
_NEEDS_NO_VALUE = re.compile(r" -(?:button|save|reset)\b")
_REFUSAL = re.compile(r"\W*(?:error|illegal|invalid|unknown|unrecogni[sz]ed|bad)\b", re.I)
_BAD_POSITION = re.compile(
    r"tellusererror|\W*(?:error|illegal|invalid)\b.*(?:position|setboard)", re.I
)
_MOVE = re.compile(r"\s*+(?:move|my move is(?:\s*+:)?+)\s++(\S+)", re.I)
_THOUGHT = re.compile(r"\s*(\d{1,3})[.&+]?\s+([+-]?\d{1,9})\s+\d+\s+(\d{1,18})(?!\S)")
_RESULT = re.compile(r"\s*(1-0|0-1)\b")
_WINS = ("1-0", "0-1")


class XboardEngine(Engine):
    """An engine that speaks XBoard's protocol; see Engine."""

    score_unit: ClassVar[str] = "pawns"
    _takes_positions: ClassVar[bool] = True

    @classmethod
    def require_game(cls, game: Game) -> None:  # noqa: D102
        if game.name != "chess":
            raise UserError(f"XBoard's protocol is for chess here, not for {game.name}")

    @property
    def knows_fractions(self) -> bool:
        """False: `st`, and the base and increment of `level`, are whole seconds."""
        return False

    def _greet(self) -> None:
        self._features: dict[str, str] = {}
        self._options: dict[str, str] = {}
        self._told: list[str] = []
        self._limits: list[str] = []
        self._pings = 0
        self._has_played = self._is_960 = self._is_placed = self._has_resigned = False
        self._process.send("xboard")
        self._process.send(_HELLO)
        self._synchronise(is_greeting=True)
        self._synchronise()  # some answer the first before they tell their features
        for name, value in self._settings:
            self._set(name, value)

    def _set(self, name: str, value: str) -> None:
        lower = name.lower()
        if lower in _SIZES and self._feature(_SIZES[lower]) == "1":
            self._process.send(f"{lower} {value}")
            return
        known = {option.lower(): option for option in self._options}
        if lower not in known:
            sizes = [size for size, feature in _SIZES.items() if self._feature(feature) == "1"]
            self.close()
            raise unknown(f"option of {self.name}", name, (*self._options, *sizes))
        option = known[lower]
        has_value = not _NEEDS_NO_VALUE.search(self._options[option])
        self._process.send(f"option {option}{f'={value}' * has_value}")

    def _feature(self, name: str) -> str:
        return self._features.get(name, "")

    def _synchronise(self, *, is_greeting: bool = False) -> None:
        """Wait until it has done all that it was told; at once where it does not know `ping`."""
        if self._feature("ping") == "0":
            return
        first, until = self._pings + 1, self._process.deadline
        is_answered = False
        self._ping()
        while not is_answered or self._feature("done") == "0":
            while (left := until - time.monotonic()) > 0:
                if self._process.has_line(min(_AGAIN, left)):
                    break
                self._ping()
            line = self._process.receive(until)
            words = line.split()
            if line.strip() == _HELLO or words[:1] == ["ping"]:
                raise self._process.nonsense("only repeats what it is told")
            self._heed(line)
            if words[:1] == ["pong"] and words[1:] in self._numbers(first):
                is_answered = True
            elif _REFUSAL.match(line) and "ping" in words:
                self._features["ping"] = "0"
            if self._feature("ping") == "0" or (
                self._feature("done") == "1" and "ping" not in self._features
            ):
                self._features["ping"], is_answered = "0", True
            if is_greeting:
                until = min(until, time.monotonic() + self._nonsense)

    def _ping(self) -> None:
        self._pings += 1
        self._process.send(f"ping {self._pings}")

    def _numbers(self, first: int) -> list[list[str]]:
        return [[str(number)] for number in range(first, self._pings + 1)]

    def _heed(self, line: str) -> None:
        """Take what a line tells beside the answer that is waited for.

        Raises
        ------
        EngineProtocolError
            It refuses a legal move.
        UserError
            It refuses the position at which the game begins.
        """
        words = line.split()
        if words[:1] == ["feature"]:
            for name, text in _FEATURE.findall(line):
                value = text.strip('"')
                if name == "option" and len(self._options) < _MOST_FEATURES:
                    option = value.partition(" -")[0].strip()
                    self._options[option] = value
                elif name == "myname":
                    self._call(value)
                if len(self._features) + len(self._options) < _MOST_FEATURES:
                    self._features[name] = value
        elif words[:1] == [RESIGNATION]:
            self._has_resigned = True
        elif self._is_placed and _BAD_POSITION.match(line):
            raise UserError(f"engine {self.command!r} does not play from this position: {line}")
        elif _REFUSAL.match(line) and words[-1] in self._told:
            raise self._process.nonsense(f"refused the move {words[-1]}, which is legal")

    def _claims_to_lose(self, line: str) -> bool:
        """Return whether a line is a result by which the side to move has lost."""
        found = _RESULT.match(line)
        return found is not None and found[1] == _WINS[1 - self.position.side]

    def _set_up(self, game: Game, moves: Sequence[int]) -> None:
        if self._has_played and self._feature("reuse") == "0":
            start = self.position
            self.restart()
            self.position = start
        self._has_played = True
        self._told, self._limits = [], []
        self._process.send("new")
        self._place(self.position)
        for command in ("post", "easy"):
            self._process.send(command)
        self._synchronise()
        self._is_placed = False
        for move in moves:
            self._tell(move)
            self.position = self.position.play(move)
        self._synchronise()
        self._has_resigned = False  # what it said of its last game

    def _place(self, position: Position) -> None:
        """Let it begin a game at a position."""
        notation: Any = position.game.notation
        self._is_960 = notation.castles_elsewhere(position.words)
        if self._is_960:
            if VARIANT_960 not in re.split(r"[,\s]+", self._feature("variants")):
                raise UserError(
                    f"engine {self.command!r} does not play Chess960: it has no variant "
                    f"{VARIANT_960}"
                )
            self._process.send(f"variant {VARIANT_960}")
        self._process.send("force")
        if position == Position.start(position.game):
            return
        if self._feature("setboard") != "1":
            raise UserError(
                f"engine {self.command!r} can only play from the initial position: it does not "
                "know the command setboard"
            )
        self._is_placed = True
        self._process.send(f"setboard {fen_of(position).removeprefix('fen ')}")

    def _tell(self, move: int) -> None:
        written = self._written(move)
        self._told.append(written)
        self._process.send(f"{'usermove ' * (self._feature('usermove') == '1')}{written}")

    def _written(self, move: int) -> str:
        notation: Any = self.position.game.notation
        name = str(notation.name_of(move, self.position)).rstrip("+#")
        if self._feature("san") == "1" or (self._is_960 and name.startswith("O-O")):
            return name
        return str(notation.write_move(move))

    def _confirm(self, move: int) -> None:
        self._process.send("force")

    def _think(self, clock: Clock) -> Iterator[str]:
        self.depth = 0
        self._tell_limits(clock)
        self._synchronise()
        if self._has_resigned:
            yield RESIGNATION
        self._process.send("go")
        depth, nodes = _most(clock)
        stopped = False
        for line in self._thoughts():
            self._heed(line)
            if self._has_resigned or self._claims_to_lose(line):
                yield RESIGNATION
            elif found := _MOVE.match(line):
                yield found[1]
            elif found := _THOUGHT.match(line):
                plies, score, visited = (int(number) for number in found.groups())
                self._listen(plies, score)
                if not stopped and (plies > depth or visited > nodes):
                    self._process.send("?")  # some know no limit of depth, and none one of nodes
                    stopped = True

    def _tell_limits(self, clock: Clock) -> None:
        """Tell the time for the game or the move, and the depth, where it does not know them."""
        limits = []
        if clock.own is not None:
            limits.append("level")
            if "level" not in self._limits:
                minutes, seconds = divmod(max(1, math.ceil(clock.own)), 60)
                base = f"{minutes}:{seconds:02}" if seconds else f"{minutes}"
                self._process.send(f"level 0 {base} {clock.increment:g}")
            if self._feature("time") != "0":
                self._process.send(f"time {_hundredths(clock.own)}")
                if clock.other is not None:
                    self._process.send(f"otim {_hundredths(clock.other)}")
        elif clock.seconds is not None:
            limits.append(f"st {max(1, math.ceil(clock.seconds))}")
        depth, _ = _most(clock)
        if depth != math.inf:
            limits.append(f"sd {depth}")
        for limit in limits:
            if limit not in self._limits and limit != "level":
                self._process.send(limit)
        self._limits = limits

    def assess(self, position: Position, clock: Clock) -> tuple[float | None, int]:
        """Return its score of a position, and its depth."""
        score, _ = super().assess(position, clock)
        return score, self.depth

    def _listen(self, plies: int, score: int) -> None:
        """Take depth and score from a line of thinking; those of books have no depth."""
        if plies < 1:
            return
        self.depth = plies
        most = self.position.game.max_utility
        moves = abs(score) - _MATE
        if moves >= 0:
            self.score = score_of_mate(moves if score > 0 else -moves, self.position.game)
        else:
            self.score = max(-most, min(most, score / 100))


def _most(clock: Clock) -> tuple[float, float]:
    """Return the depth and the nodes to search; one of them where nothing else is a limit."""
    is_endless = clock.depth is clock.nodes is clock.seconds is clock.own is None
    depth = USUAL_DEPTH if is_endless else clock.depth
    return depth or math.inf, clock.nodes or math.inf


def _hundredths(seconds: float) -> int:
    return max(1, round(100 * seconds))
