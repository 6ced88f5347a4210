"""Options of a search: each of its methods on or off.

None of those that are on by default changes a score at full width, but for `candidates` in games
that name some.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

TABLE = 1 << 0
KILLERS = 1 << 1
HISTORY = 1 << 2
GAME_ORDER = 1 << 3
EVALUATION_ORDER = 1 << 4
DEEPENING = 1 << 5
INTERNAL_DEEPENING = 1 << 6
PVS = 1 << 7
ASPIRATION = 1 << 8
ENHANCED_CUTOFFS = 1 << 9
CORRECTION = 1 << 10
CANDIDATES = 1 << 11
LATE_MOVES = 1 << 12
DEEPER_ROWS = 1 << 13


@dataclass(frozen=True)
class SearchOptions:
    """The methods of a search, each on or off; docs/searching.md says what each one is worth.

    Attributes
    ----------
    table
        a transposition table: cutoffs and the best move of an earlier search first.
    killers
        the last move that made a cutoff at the same ply first where moves are not rated
        otherwise: one ply above the leaves, and in games without an order the last two at
        any ply below those of `evaluation_order`.
    history
        where moves are not rated otherwise, those that made most cutoffs anywhere.
    game_order
        moves in the order that the game's own `order` gives them.
    evaluation_order
        far from the leaves, moves in the order of a search one ply deep.
    deepening
        iterative deepening; without it the search goes to its depth at once.
    internal_deepening
        where the table knows no move, it is found by a shallower search.
    pvs
        principal variation search: all moves but the first with a null window.
    aspiration
        at the root a window around the score of the last iteration.
    enhanced_cutoffs
        before the moves are searched, the table is asked about each of them.
    correction
        static evaluations corrected by what searches of like positions found. Changes
        scores.
    candidates
        only the moves that the game says are worth a search (`Game.candidates`), but where a
        position is solved. Changes scores in games that say so.
    late_moves
        in a selective search, moves that come late first searched two plies less deep.
    deeper_rows
        in a selective search, what the table has of deeper searches of a position counts.
    """

    table: bool = True
    killers: bool = True
    history: bool = False
    game_order: bool = True
    evaluation_order: bool = True
    deepening: bool = True
    internal_deepening: bool = False
    pvs: bool = True
    aspiration: bool = True
    enhanced_cutoffs: bool = False
    correction: bool = False
    candidates: bool = True
    late_moves: bool = True
    deeper_rows: bool = True

    @property
    def bits(self) -> int:
        """The switches as a kernel reads them."""
        return sum(1 << k for k, field in enumerate(fields(self)) if getattr(self, field.name))

    @classmethod
    def none(cls) -> SearchOptions:
        """Return plain alpha-beta: everything off."""
        return cls(**{field.name: False for field in fields(cls)})
