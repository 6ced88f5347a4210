"""How strong an evaluator plays when others' boards ask it for moves: levels, depths, clocks."""

from __future__ import annotations

import math
import random
import threading
from dataclasses import asdict, dataclass, replace
from typing import Any

from samuel.errors import UserError, require_number
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.kernels.jit import make_ready
from samuel.models import evaluator_names, game_of_folder, load_evaluator
from samuel.search import Result, search, stop
from samuel.search.alphabeta.exact import solve_at_root
from samuel.search.method import score_moves_at_root, think_at_root
from samuel.search.methods import method_named
from samuel.search.score import MOST_DEPTH, require_limits


@dataclass(frozen=True)
class Level:
    """A strength.

    Attributes
    ----------
    depth
        plies, or None where time alone is the limit.
    exact_from
        positions are solved from so many empty squares on; None for what the game usually does.
    random
        share of moves made at random.
    """

    depth: int | None = None
    exact_from: int | None = None
    random: float = 0.0


LEVELS = (
    Level(1, 0, 0.4),
    Level(1, 0, 0.15),
    Level(1, 4),
    Level(2, 6),
    Level(3, 8),
    Level(4, 10),
    Level(6, 12),
    Level(8, 14),
    Level(10, 18),
    Level(14, 20),
)
"""From a beginner's, 1, to the strongest, 10, which takes a few seconds a move."""
USUAL_LEVEL = 8
"""Where nothing else is asked for, and there is no clock."""

_SOLVED_IN_A_SECOND = 20
_GROWTH = 2.3
"""Time of an exact endgame: its median is 0.3 s from 20 empty squares, and so many times that for
each further one (from 1.1 ms at 14 to 290 ms at 20, measured on one core)."""
_MOST_SOLVED = 26
_TABLE_BITS = 20


class Thinker:
    """An evaluator that is asked for moves.

    Parameters
    ----------
    evaluator
        it, or its name or folder.
    game
        the first game; `set_game` takes another.
    depth, level
        the strength: plies, or a number of LEVELS; one of them at most. Where neither is given,
        level 8, or with a clock what the time allows.
    seconds
        at most so long for a move, or None.
    exact_from
        as of `search`; the level's where None.
    probcut
        as of `search`.
    method
        the name of what searches, with settings (search.methods.method_named); of one that samples
        levels say but how many moves are made at random.
    seed
        of the moves made at random, on the lower levels.

    Raises
    ------
    UserError
        There is no such evaluator, it is not for the game, or there is no such level.
    """

    def __init__(
        self,
        evaluator: str | Evaluator,
        game: Game,
        *,
        depth: int | None = None,
        level: int | None = None,
        seconds: float | None = None,
        exact_from: int | None = None,
        probcut: float | None = None,
        method: str = "alphabeta",
        seed: int = 0,
    ) -> None:
        if depth is not None and level is not None:
            raise UserError("give a depth or a level, not both")
        require_limits(None, None, seconds)
        self._wanted = evaluator
        self._exact_from = exact_from
        self._method = method_named(method, probcut)
        self._random = random.Random(seed)
        self.level: Level | None = None
        self.seconds = seconds
        self._warming: threading.Thread | None = None
        self._failures: list[BaseException] = []
        self.set_game(game)
        if depth is not None:
            self.set_depth(depth)
        elif level is not None:
            self.set_level(level)

    def set_game(self, game: Game) -> None:
        """Take up a game, with an empty table.

        Raises
        ------
        UserError
            The evaluator is not for it.
        """
        wanted = self._wanted
        evaluator = load_evaluator(wanted, game) if isinstance(wanted, str) else wanted
        evaluator.require_game(game)
        self.game, self.evaluator = game, evaluator
        self._memory = self._method.new_memory(game, _TABLE_BITS, _TABLE_BITS)

    def can_play(self, game: Game) -> bool:
        """Return whether the evaluator is for that game as well."""
        wanted = self._wanted
        if isinstance(wanted, str):  # to load it may take long
            return wanted in evaluator_names(game.name) or game_of_folder(wanted) == game.name
        return wanted.game in (game.name, "any")

    def forget(self) -> None:
        """Empty the table, for a new game."""
        self._memory = self._method.new_memory(self.game, _TABLE_BITS, _TABLE_BITS)

    def set_depth(self, depth: int) -> None:
        """Search so many plies, solving endgames as the game usually does."""
        require_number("depth", depth, 1, MOST_DEPTH)
        self.level = Level(depth)

    def set_level(self, number: int) -> None:
        """Play at a level of LEVELS, counted from 1."""
        require_number("level", number, 1, len(LEVELS))
        self.level = LEVELS[number - 1]

    def set_free(self) -> None:
        """Search as deep as the time allows, or at the usual level without one."""
        self.level = None

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.evaluator.name

    def as_dict(self) -> dict[str, Any]:
        """Return who plays, and the levels there are, for JSON."""
        return {
            "evaluator": self.name,
            "game": self.game.name,
            "levels": [asdict(level) for level in LEVELS],
        }

    def warm_up(self) -> None:
        """Compile, or read from disk, all that a move needs, so that the first one is as fast."""
        self._method.searcher(self.game, self.evaluator, self._memory, solves=True)
        make_ready([think_at_root, solve_at_root, score_moves_at_root])
        search(Position.start(self.game), self.evaluator, seconds=0.01, method=self._method)

    def begin_warm_up(self) -> None:
        """Do so in a thread of its own, which whoever comes first to need it waits for.

        The first time of all it takes half a minute; boards want a name before that.
        """
        failures = self._failures

        def work() -> None:
            try:
                self.warm_up()
            except BaseException as error:
                failures.append(error)

        self._warming = threading.Thread(target=work)
        self._warming.start()

    def wait(self) -> None:
        """Return when it is warmed up; raise what went wrong there."""
        if self._warming is not None:
            self._warming.join()
            self._warming = None
        if self._failures:
            raise self._failures[0]

    def stop(self) -> None:
        """End a search that goes on in another thread; it returns what it has found."""
        stop(self._memory)

    def think(self, position: Position, seconds: float | None = None) -> Result:
        """Return a search of a position that is not over.

        Parameters
        ----------
        position
            where.
        seconds
            what a clock allows for this move, or None without one.
        """
        legal = position.legal_moves()
        level = self._level(seconds)
        if len(legal) == 1 or self._random.random() < level.random:
            move = self._random.choice(legal)
            return Result(math.nan, move, [move], 0, 0, 0.0, False)
        return self._search(position, level, self._seconds(seconds))

    def evaluate(self, position: Position) -> Result:
        """Return a search of a position, however many moves it has, at full strength."""
        return self._search(position, self._level(None), self.seconds)

    def hints(self, position: Position, depth: int | None = None) -> Result:
        """Return a search with a score for each legal move, to a depth or the level's own."""
        level = self._level(None)
        if depth is not None:
            level = replace(level, depth=depth)
        return self._search(position, level, self.seconds, all_moves=True)

    def _search(
        self, position: Position, level: Level, seconds: float | None, all_moves: bool = False
    ) -> Result:
        result = search(
            position,
            self.evaluator,
            depth=level.depth if self._method.deepens else None,
            seconds=seconds,
            exact_from=level.exact_from,
            method=self._method,
            all_moves=all_moves,
            memory=self._memory,
        )
        if result.move is None and not position.is_terminal:  # it was stopped at once
            return replace(result, move=position.legal_moves()[0])
        return result

    def _seconds(self, clock: float | None) -> float | None:
        return min((x for x in (self.seconds, clock) if x is not None), default=None)

    def _level(self, clock: float | None) -> Level:
        """Return the level that applies, with the point from which to solve."""
        seconds = self._seconds(clock)
        usual = Level() if seconds is not None else LEVELS[USUAL_LEVEL - 1]
        level = usual if self.level is None else self.level
        exact_from = level.exact_from
        if self._exact_from is not None:
            exact_from = self._exact_from
        elif self.game.solve is None:
            exact_from = None
        elif exact_from is None and seconds is not None and level.depth is None:
            exact_from = solved_within(seconds)
        return replace(level, exact_from=exact_from)


def solved_within(seconds: float) -> int:
    """Return how many empty squares Othello's solver may take on, given so long."""
    further = math.log(max(seconds, 1e-9)) / math.log(_GROWTH)
    return max(0, min(_MOST_SOLVED, _SOLVED_IN_A_SECOND + math.floor(further)))
