"""Random openings: drawn all at once, or as the pairs of an event come to them."""

from __future__ import annotations

import functools
import threading
import warnings

import numpy as np
from numpy.typing import NDArray

from samuel.arena.openings.kernel import draw_lines
from samuel.arena.openings.openings import Opening, Openings
from samuel.common.errors import UserError
from samuel.common.units import counted, with_unit
from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.games.symmetry import canonical_keys
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.models import find_evaluator, usual_evaluator
from samuel.search import AlphaBeta
from samuel.search.limits import run_together
from samuel.selfplay.kernel import search_rows

FEW = 200
"""Below so many openings it is said that there are few, even if no number was asked for."""
_FRUITLESS_ROUNDS = 8
_LEAST_DRAWN = 4096
"""Lines of a round: so many that what eight rounds do not show is as good as not there."""
_MOST_DRAWN = 1 << 18
_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for openings is given up."""
_AT_FIRST = 1000
"""Openings that are drawn before the first game of an event."""
_DEPTH = 6
"""Plies of the search that scores random openings where they are to be balanced."""
_SEARCHED_AT_ONCE = 64
_MOST_UNBALANCED = 2048
"""Unbalanced openings in a row, before the search for balanced ones is given up."""


class RandomLines:
    """Openings of `plies` uniformly random moves, all different up to symmetry."""

    def __init__(self, game: Game, plies: int, seed: int, balance: float | None = None) -> None:
        self._game, self._plies, self._seed, self._balance = game, plies, seed, balance
        self._lines: list[tuple[int, ...]] = []
        self._positions = np.zeros((0, game.words), np.uint64)
        self._keys = np.zeros(0, np.uint64)
        self._drawn = self._fruitless = self._searched = 0
        self._balanced = np.zeros(0, np.int64)

    def first(self, n: int) -> Openings:
        """Return the first n openings, or all there seem to be after many tries."""
        name = f"random, {self._plies} plies"
        if self._balance is None:
            self._draw_to(n)
            return Openings(self._game, name, tuple(self._lines[:n]), self._positions[:n])
        places = self._balanced_to(n, self._balance)
        name += f", scores up to {self._balance:.3g}{with_unit(self._game.scores.unit)}"
        moves = tuple(self._lines[place] for place in places)
        return Openings(self._game, name, moves, self._positions[places])

    def _balanced_to(self, n: int, balance: float) -> NDArray[np.int64]:
        """Search lines until n are balanced; return the places of the first n."""
        while len(self._balanced) < n:
            begin, end = self._searched, self._searched + _SEARCHED_AT_ONCE
            self._draw_to(end)
            positions = self._positions[begin:end]
            if not len(positions):
                break
            self._searched += len(positions)
            found = begin + np.flatnonzero(np.abs(_scores(self._game, positions)) <= balance)
            self._balanced = np.concatenate([self._balanced, found])
            if self._searched - self._balanced.max(initial=0) > _MOST_UNBALANCED:
                break
        if not len(self._balanced):
            raise UserError(
                f"none of {self._searched:,} random openings is that balanced; give a larger "
                "--balance"
            )
        return self._balanced[:n]

    def _draw_to(self, n: int) -> None:
        while len(self._lines) < n and self._fruitless < _FRUITLESS_ROUNDS:
            self._draw()
            if not self._lines and self._drawn >= _PATIENCE:
                raise UserError(
                    f"random games of {self._game.name} rarely last {self._plies} plies or more; "
                    "give fewer opening plies"
                )

    def _draw(self) -> None:
        """Draw a round of lines, as many as are known, and keep those that are new."""
        game, has_dice = self._game, self._game.chance is not None
        # where there are dice, each line has room for a whole game
        most = _LEAST_DRAWN if has_dice else _MOST_DRAWN
        size = min(most, max(_LEAST_DRAWN, len(self._lines)))
        lines, positions = _drawn(game, self._plies, self._seed, self._drawn, size)
        self._drawn += size
        keys = np.concatenate([self._keys, canonical_keys(game, positions)])
        first = np.arange(len(keys))
        if not has_dice:
            first = np.sort(np.unique(keys, return_index=True)[1])
        known = len(self._keys)
        self._fruitless = self._fruitless + 1 if len(first) == known else 0
        self._keys = keys[first]
        new = first[known:] - known  # those before are different already
        self._lines += [lines[k] for k in new]
        self._positions = np.concatenate([self._positions, positions[new]])


def warn_of_fewer(openings: Openings, wanted: int) -> None:
    """Warn if there are fewer openings than a match wants."""
    n = len(openings)
    if n < wanted:
        warnings.warn(
            f"only {counted(n, 'different opening')} ({openings.name}): {counted(n, 'game pair')} "
            f"instead of {wanted:,}",
            stacklevel=4,
        )


class OpeningSupply:
    """Openings of an event by the numbers of its pairs; random ones are drawn when needed."""

    def __init__(self, pairs: int, source: Openings | RandomLines, *, is_asked: bool) -> None:
        self._pairs, self._lock = pairs, threading.Lock()
        self._lines = source if isinstance(source, RandomLines) else None
        self._known = self._drawn(_AT_FIRST) if isinstance(source, RandomLines) else source
        self._is_whole = self._lines is None or len(self._known) < min(_AT_FIRST, pairs)
        self._is_said = False
        if self._is_whole and (is_asked or len(self._known) < FEW):
            self._say(pairs if is_asked else min(pairs, FEW))

    @property
    def name(self) -> str:
        """Name of the openings in tables."""
        return self._known.name

    @property
    def pairs(self) -> int:
        """Number of pairs that can be played, as far as it is known."""
        return min(self._pairs, len(self._known)) if self._is_whole else self._pairs

    def opening(self, number: int) -> Opening | None:
        """Return the opening of a pair; None where there are no more."""
        with self._lock:
            if len(self._known) <= number < self._pairs:
                if not self._is_whole:
                    wanted = min(self._pairs, max(number + 1, 2 * len(self._known)))
                    self._known = self._drawn(wanted)
                    self._is_whole = len(self._known) < wanted
                if number >= len(self._known):
                    self._say(self._pairs)
        return self._known.opening(number)

    def _drawn(self, n: int) -> Openings:
        assert self._lines is not None
        return self._lines.first(min(n, self._pairs))

    def _say(self, wanted: int) -> None:
        if not self._is_said:
            warn_of_fewer(self._known, wanted)
            self._is_said = True


def _drawn(
    game: Game, plies: int, seed: int, first: int, n: int
) -> tuple[list[tuple[int, ...]], NDArray[np.uint64]]:
    """Return the lines with the numbers from `first` to `first + n`, and the positions after."""
    longest = plies if game.chance is None else game.max_plies
    lines, lengths = np.zeros((n, longest), np.int32), np.zeros(n, np.int64)
    positions = np.zeros((n, game.words), np.uint64)
    found = draw_lines(
        game.rules_of_play,
        game.row(game.start),
        np.uint64(seed % (1 << 64)),
        first,
        plies,
        new_game_state(game),
        lines,
        lengths,
        positions,
    )
    pairs = zip(lines, lengths[:found].tolist(), strict=False)
    return [tuple(line[:length].tolist()) for line, length in pairs], positions[:found]


def _scores(game: Game, positions: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return the score of each position by a search with the game's usual evaluator."""
    method, n = AlphaBeta(), len(positions)
    evaluator = find_evaluator(usual_evaluator(game), game)
    memory = method.new_memory(game, 6 + 2 * _DEPTH, 1)
    searcher = method.searcher(game, evaluator, memory, solves=False)
    make_ready([search_rows])
    scores = np.zeros(n, np.float32)
    kernel = functools.partial(
        search_rows,
        searcher,
        _DEPTH,
        0,
        game.rows(positions),
        np.zeros(n, np.int64),  # as if of one game: what one search finds serves the next
        scores,
        np.zeros(n, np.int8),
        np.zeros(n, np.bool_),
    )
    run_together([kernel], [memory], evaluator.check)  # hears Ctrl-C, which a kernel does not
    if memory.counters[budget.INTERRUPTED]:
        raise KeyboardInterrupt
    return scores
