"""A player that boards ask for moves: an evaluator, how strong it is to play, and its memory."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

from samuel.arena.players import warm_up
from samuel.common.errors import UserError, require_number
from samuel.common.options import Also, Range
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.models import evaluator_names, find_evaluator, game_of_folder
from samuel.play.levels import USUAL_LEVEL, Level, erring, levels_of, solved_within
from samuel.search import AlphaBeta, Limits, Result, analyse, stop
from samuel.search.analysis import MOST_THREADS
from samuel.search.lines import best_lines
from samuel.search.methods import Confidence, method_named, method_text, selective
from samuel.search.score import MOST_DEPTH, MOST_REMAINING, MOST_SECONDS
from samuel.search.trees.method import MOST_SEED

_TABLE_BITS = 20
MEGABYTES, MOST_MEGABYTES = 16, 4096
"""Size of that table, and the most that may be asked for."""
_ENTRY_BITS = 4
_SEED_BITS = 31
_ADVICE_SECONDS = 2.0
_FORCED_DEPTH, _FORCED_SECONDS = 2, 0.05
"""A clock is not spent on the only legal move: this is for its score."""
_CONFIDENCE = 1.0
"""Confidence of selective search where time alone is the limit (docs/decisions/012)."""


class EnginePlayer:
    """An evaluator that is asked for moves.

    Parameters
    ----------
    evaluator
        Evaluator, or its name or folder.
    game
        First game; `set_game` takes another.
    depth
        Search depth per move in plies, instead of a level.
    level
        Strength from 1 (a beginner) to 12. Default: 10, or with a clock what the time allows.
    seconds
        Wall time per move, in seconds.
    exact_from
        Plies left (Othello: empty squares) from which positions are solved exactly; 0 for never. By
        default the level's number.
    probcut
        Confidence of selective search (ProbCut) in standard deviations; 0 for full width. Default:
        1 if time is the only limit and the evaluator has the parameters, else 0.
    method
        Search method, with settings after a colon, such as uct:playouts=500.
    seed
        Seed of the errors that lower levels make.

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
        depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None,
        level: Annotated[int | None, Range(1)] = None,
        seconds: Annotated[
            float | None,
            Range(1e-9, MOST_SECONDS),
            Also("ms", 1e-3, about="Wall time per move, in milliseconds."),
        ] = None,
        exact_from: Annotated[int | None, Range(0, MOST_REMAINING)] = None,
        probcut: Confidence = None,
        method: str = "alphabeta",
        seed: Annotated[int, Range(0, MOST_SEED)] = 0,
    ) -> None:
        if depth is not None and level is not None:
            raise UserError("give a depth or a level, not both")
        require_number("seconds", seconds, 1e-9, MOST_SECONDS)
        self._wanted = evaluator
        self._exact_from = exact_from
        self._method = selective(method_named(method), probcut)
        if not self._method.deepens:
            Limits(depth, exact_from=exact_from).refuse_depth()
        self._probcut = probcut
        self._random = random.Random(seed)
        self.level: Level | None = None
        self.seconds = seconds
        self._threads, self._table_bits = 1, _TABLE_BITS
        self._warming: threading.Thread | None = None
        self._failures: list[BaseException] = []
        self._ready_for: tuple[Any, ...] = ()
        self.set_game(game)
        if depth is not None:
            self.set_depth(depth)
        elif level is not None:
            self.set_level(level)

    def set_game(self, game: Game) -> None:
        """Take up a game, with an empty table."""
        wanted = self._wanted
        evaluator = find_evaluator(wanted, game) if isinstance(wanted, str) else wanted
        evaluator.require_game(game)
        self.game, self.evaluator = game, evaluator
        self.forget()

    def can_play(self, game: Game) -> bool:
        """Return whether the evaluator is for that game as well."""
        wanted = self._wanted
        if isinstance(wanted, str):  # to load it may take long
            return wanted in evaluator_names(game.name) or game_of_folder(wanted) == game.name
        return wanted.game in (game.name, "any")

    def forget(self) -> None:
        """Empty the tables and draw new errors for a new game."""
        self._errs = self._random.getrandbits(_SEED_BITS)
        self._erring: tuple[float, Evaluator, Any] | None = None
        self._memory = self._new_memory()

    def _new_memory(self) -> Any:
        return self._method.new_memory(self.game, self._table_bits, _TABLE_BITS)

    def set_depth(self, depth: int) -> None:
        """Set the depth in plies; endgames are solved as usual in the game."""
        require_number("depth", depth, 1, MOST_DEPTH)
        self.level = Level(depth)

    def set_threads(self, threads: int) -> None:
        """Set the number of threads."""
        require_number("threads", threads, 1, MOST_THREADS)
        self._threads = len(self._method.shared(self._memory, self.game, threads))

    def set_table(self, megabytes: int) -> None:
        """Take a transposition table of at most so many megabytes; what it remembers goes."""
        require_number("megabytes", megabytes, 1, MOST_MEGABYTES)
        self._table_bits = (megabytes << 20).bit_length() - 1 - _ENTRY_BITS
        self.forget()

    def set_level(self, number: int) -> None:
        """Play at a level of the game, counted from 1."""
        levels = levels_of(self.game)
        require_number("level", number, 1, len(levels))
        self.level = levels[number - 1]

    def set_free(self) -> None:
        """Search as deep as the time allows, or at the usual level without one."""
        self.level = None

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self.evaluator.name

    def as_dict(self) -> dict[str, Any]:
        """Return the player and the levels of the game, for JSON."""
        return {
            "evaluator": self.name,
            "game": self.game.name,
            "levels": [asdict(level) for level in levels_of(self.game)],
        }

    def warm_up(self) -> None:
        """Compile what a move needs; doing so again for one game and strength does nothing."""
        errors = self._level(None).errors
        wanted = self.game, self.evaluator, errors
        if wanted == self._ready_for:
            return
        for evaluator in [self.evaluator, *([self._with_errors(errors)[0]] if errors else [])]:
            warm_up(self.game, evaluator, self._method)
        self._ready_for = wanted

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
        """Return when all that was set is ready for a move; raise what went wrong there."""
        if self._warming is not None:
            self._warming.join()
            self._warming = None
        if self._failures:
            raise self._failures[0]
        self.warm_up()

    def stop(self) -> None:
        """End a search that goes on in another thread; it returns what it has found."""
        stop(self._memory)
        if self._erring is not None:
            stop(self._erring[2])

    def think(
        self, position: Position, seconds: float | None = None, nodes: int | None = None
    ) -> Result:
        """Return a search of a position that is not over."""
        level, limit = self._level(seconds), self._seconds(seconds)
        if limit is not None and len(position.legal_moves()) == 1:
            level, limit = replace(level, depth=_FORCED_DEPTH), min(limit, _FORCED_SECONDS)
        return self._search(
            position,
            level,
            limit,
            errors=level.errors,
            probcut=self._selectivity(level, limit),
            nodes=nodes,
        )

    @property
    def has_lines(self) -> bool:
        """True if the method finds several lines of a position (`lines`)."""
        return type(self._method) is AlphaBeta

    def lines(
        self,
        position: Position,
        count: int,
        seconds: float | None = None,
        nodes: int | None = None,
        moves: Sequence[int] = (),
    ) -> Iterator[list[Result]]:
        """Yield the best lines of a position that is not over, depth after depth."""
        level, method = self._level(seconds), self._method
        limit = self._seconds(seconds)
        is_drawn = position.game.is_over(position.row)  # by rule, and play goes on
        if not isinstance(method, AlphaBeta) or not self.has_lines or is_drawn:
            if count > 1 and not is_drawn:
                raise UserError(f"{method_text(method)} finds one move and no further lines")
            found = self._search(position, level, limit, all_moves=True, nodes=nodes)
            yield [_best_among(found, position, moves)]
            return
        probcut = self._selectivity(level, limit)
        evaluator, memory = self._with_errors(level.errors)
        yield from best_lines(
            position,
            evaluator,
            count,
            limits=Limits(level.depth, nodes, limit),
            method=method if probcut is None else replace(method, probcut=probcut or None),
            memory=memory,
            moves=moves,
        )

    def evaluate(self, position: Position) -> Result:
        """Return a search of a position, however many moves it has, at full strength."""
        return self._search(position, self._level(None), self.seconds)

    def hints(
        self, position: Position, depth: int | None = None, seconds: float | None = None
    ) -> Result:
        """Return a search with a score for each legal move, to a depth or the level's own.

        It errs at no level, and takes at most so many seconds, or those of the player.
        """
        level = self._level(None)
        if depth is not None:
            level = replace(level, depth=depth)
        return self._search(position, level, self._seconds(seconds), all_moves=True)

    def advise(self, position: Position, seconds: float | None = None) -> Result:
        """Return a search for a person who asks what to play, with scores of other moves.

        It errs at no level, solves endings, and looks as deep as this player does at least, and as
        the usual level does. `moves_depth` tells how deep the scores of all moves are, for which
        there are two seconds more.
        """
        level, usual = self._level(None), levels_of(self.game)[:USUAL_LEVEL][-1]
        if level.depth is not None and usual.depth is not None:
            level = replace(level, depth=max(level.depth, usual.depth))
        if level.nodes is not None and usual.nodes is not None:
            level = replace(level, nodes=max(level.nodes, usual.nodes))
        if level.errors:
            level = replace(level, exact_from=self._exact_from)
        limit = self._seconds(seconds)
        if not self._method.deepens:
            return self._search(position, level, limit, all_moves=True)
        best = self._search(position, level, limit)
        every = self._search(position, level, _ADVICE_SECONDS, all_moves=True)
        return replace(best, moves=every.moves, moves_depth=every.moves_depth)

    def _search(
        self,
        position: Position,
        level: Level,
        seconds: float | None,
        *,
        errors: float = 0.0,
        probcut: float | None = None,
        all_moves: bool = False,
        nodes: int | None = None,
    ) -> Result:
        evaluator, memory = self._with_errors(errors)
        result = analyse(
            position,
            evaluator,
            depth=level.depth if self._method.deepens else None,
            nodes=nodes or (None if self._method.deepens else level.nodes),
            seconds=seconds,
            exact_from=level.exact_from if self._method.deepens else None,
            probcut=probcut,
            method=self._method,
            all_moves=all_moves,
            threads=self._threads,
            memory=memory,
        )
        if result.move is None and not position.is_terminal:  # stopped at once, or drawn by rule
            move = position.legal_moves()[0]
            return replace(result, move=move, pv=[move])
        return result

    def _selectivity(self, level: Level, seconds: float | None) -> float | None:
        """Return the confidence of a move's selective search, None for the method's own."""
        is_timed = seconds is not None and level.depth is None
        can_cut = isinstance(self._method, AlphaBeta) and self.evaluator.probcut is not None
        return _CONFIDENCE if self._probcut is None and is_timed and can_cut else None

    def _with_errors(self, errors: float) -> tuple[Evaluator, Any]:
        """Return the evaluator with errors, and a memory of what it thinks."""
        if errors == 0:
            return self.evaluator, self._memory
        if self._erring is None or self._erring[0] != errors:
            evaluator = erring(self.evaluator, self.game, errors, self._errs)
            self._erring = (errors, evaluator, self._new_memory())
        return self._erring[1:]

    def _seconds(self, clock: float | None) -> float | None:
        return min((x for x in (self.seconds, clock) if x is not None), default=None)

    def _level(self, clock: float | None) -> Level:
        """Return the level that applies, with the point from which to solve."""
        seconds = self._seconds(clock)
        level = self.level
        if level is None:
            level = Level() if seconds is not None else levels_of(self.game)[:USUAL_LEVEL][-1]
        exact_from = level.exact_from
        if self._exact_from is not None:
            exact_from = self._exact_from
        elif self.game.solver.solve is None:
            exact_from = None
        elif exact_from is None and seconds is not None and level.depth is None:
            exact_from = solved_within(seconds)
        return replace(level, exact_from=exact_from)


def _best_among(found: Result, position: Position, moves: Sequence[int]) -> Result:
    """Return a search with the best of some moves, or of all moves, by their scores."""
    write, scores = position.game.notation.write_move, found.moves or {}
    names = list(map(write, moves)) or position.legal_moves()
    best = max(names, key=lambda name: scores.get(name, -math.inf))
    line = found.pv if found.move == best else [best]
    return replace(found, move=best, pv=line, score=scores.get(best, found.score))
