"""Random openings: drawn all at once, or as the pairs of an event come to them."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samuel.common.displayable import counted
from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.games.rows import canonical_keys
from samuel.models import find_evaluator, usual_evaluator
from samuel.search import AlphaBeta
from samuel.selfplay.kernel import new_position_buffer
from samuel.selfplay.openings.kernel import draw_lines
from samuel.selfplay.openings.openings import Line, Opening, Openings
from samuel.selfplay.plan import search_buffer

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


def random_lines(game: Game, plies: int, seed: int, balance: float | None) -> Iterator[Line]:
    """Yield lines of uniformly random moves, all different up to symmetry, or the balanced ones."""
    lines = _different(game, plies, seed)
    return lines if balance is None else _balanced(game, lines, balance)


def _different(game: Game, plies: int, seed: int) -> Iterator[Line]:
    """Draw rounds of as many lines as are known, and yield those that are new."""
    known, drawn, fruitless = np.zeros(0, np.uint64), 0, 0
    has_dice = game.chance is not None
    # where there are dice, each line has room for a whole game
    most = _LEAST_DRAWN if has_dice else _MOST_DRAWN
    while fruitless < _FRUITLESS_ROUNDS:
        size = min(most, max(_LEAST_DRAWN, len(known)))
        lines, positions = _drawn(game, plies, seed, drawn, size)
        drawn += size
        keys = np.concatenate([known, canonical_keys(game, positions)])
        first = np.arange(len(keys))
        if not has_dice:
            first = np.sort(np.unique(keys, return_index=True)[1])
        new = first[len(known) :] - len(known)  # those before are different already
        known, fruitless = keys[first], 0 if len(new) else fruitless + 1
        if not len(known) and drawn >= _PATIENCE:
            raise UserError(
                f"random games of {game.name} rarely last {plies} plies or more; "
                "give fewer opening plies"
            )
        yield from ((lines[k], positions[k]) for k in new)


def _balanced(game: Game, lines: Iterator[Line], balance: float) -> Iterator[Line]:
    """Yield the lines after which a search finds neither side better than `balance`."""
    searched = last = 0
    while searched - last <= _MOST_UNBALANCED:
        some = list(itertools.islice(lines, _SEARCHED_AT_ONCE))
        if not some:
            break
        scores = _scores(game, np.array([position for _, position in some]))
        for k in np.flatnonzero(np.abs(scores) <= balance).tolist():
            last = searched + k + 1
            yield some[k]
        searched += len(some)
    if not last:
        raise UserError(
            f"none of {searched:,} random openings is that balanced; give a larger --balance"
        )


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

    def __init__(
        self, pairs: int, known: Openings, lines: Iterator[Line] | None, *, is_asked: bool
    ) -> None:
        self._pairs, self._known, self._lines = pairs, known, lines
        self._lock, self._is_said = threading.Lock(), False
        self._draw_to(_AT_FIRST)
        if self._lines is None and (is_asked or len(self._known) < FEW):
            self._say(pairs if is_asked else min(pairs, FEW))

    @property
    def name(self) -> str:
        """Name of the openings in tables."""
        return self._known.name

    @property
    def pairs(self) -> int:
        """Number of pairs that can be played, as far as it is known."""
        return self._pairs if self._lines is not None else min(self._pairs, len(self._known))

    def opening(self, number: int) -> Opening | None:
        """Return the opening of a pair; None where there are no more."""
        with self._lock:
            if len(self._known) <= number < self._pairs:
                self._draw_to(max(number + 1, 2 * len(self._known)))
                if number >= len(self._known):
                    self._say(self._pairs)
        return self._known.opening(number)

    def _draw_to(self, n: int) -> None:
        """Draw until n openings are known, of those that the pairs need."""
        if self._lines is not None:
            n = min(n, self._pairs)
            self._known = self._known.with_lines(self._lines, n - len(self._known))
            if len(self._known) < n:
                self._lines = None

    def _say(self, wanted: int) -> None:
        if not self._is_said:
            warn_of_fewer(self._known, wanted)
            self._is_said = True


class RepeatedOpenings(OpeningSupply):
    """Openings that begin again behind the last, where no two pairs have the same players."""

    def opening(self, number: int) -> Opening:
        """Return the opening of a pair."""
        found = super().opening(number) or super().opening(number % self.pairs)
        assert found is not None
        return found

    def _say(self, wanted: int) -> None:
        """Say nothing: there are enough."""


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
    method, evaluator = AlphaBeta(), find_evaluator(usual_evaluator(game), game)
    memory = method.new_memory(game, 6 + 2 * _DEPTH, 1)
    buffer = new_position_buffer(len(positions), game.words)  # of one game, which fills one table
    buffer.words[:] = positions
    search_buffer(method, (game, evaluator), memory, (_DEPTH, 0, False), buffer)
    return buffer.score
