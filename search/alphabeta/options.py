"""Options of a search: each of its methods on or off, and the numbers that pruning goes by.

None of those that are on by default changes a score at full width, but for `candidates` in games
that name some, and for those of games that have a margin.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

from samuel.common.errors import UserError
from samuel.common.options import Range, hints_of, marks_of, require_ranges
from samuel.games.game import Game

_PRUNING = ("null_move", "check_extensions", "futility", "exchange")
_NOT_PRUNED = ("game_order", "evaluation_order", "enhanced_cutoffs")
"""Options that a search that prunes does not read."""
_SELECTIVE = ("late_moves", "deeper_rows")
"""Options of a search that is selective or prunes."""
_NO_MARGIN = "which has no margin to prune by"


@dataclass(frozen=True)
class Number(Range):
    """Range of a number that a search that prunes goes by."""

    usual: int = 0  # value in games that suggest no other
    of: str = ""  # option that reads it


@dataclass(frozen=True)
class SearchOptions:
    """Parts of alpha-beta, each on or off, and numbers; docs/searching.md describes them.

    The numbers are for searches that prune. None is the game's own value (`Defaults.search`).
    Margins are in hundredths of the game's `SearchRules.margin`.

    Attributes
    ----------
    table
        Transposition table: cutoffs, and the best move of an earlier search first.
    killers
        Last move that made a cutoff at this ply first, among moves that are not ordered otherwise.
    history
        Moves that made most cutoffs anywhere first, among moves that are not ordered otherwise. On
        by default in games with a `SearchRules.margin`, such as chess, where cutoffs after the same
        move of the other side count, too (continuation history).
    game_order
        Moves in the order of the game's own `order`.
    evaluation_order
        Moves in the order of a search one ply deep, far from the leaves. This, `game_order` and
        `enhanced_cutoffs` cannot be changed in games with a `SearchRules.margin`.
    deepening
        Iterative deepening. Without it the search goes to its depth at once.
    internal_deepening
        Shallower search for a first move, if the table has none. On by default in games with a
        `SearchRules.margin`, where the node itself is searched one ply less deep.
    pvs
        Principal variation search: all moves but the first with a null window.
    aspiration
        Window around the score of the last iteration at the root.
    enhanced_cutoffs
        Look up all moves in the table before any is searched.
    correction
        Static evaluations corrected by searches of similar positions. Changes scores.
    candidates
        Only moves that the game says are worth a search (`candidates`), unless a position is
        solved. Changes scores in such games.
    late_moves
        Late moves are first searched two plies less deep, in a selective search.
    deeper_rows
        Table entries of deeper searches count, in a search that is selective or prunes.
    null_move
        A side that may pass and still is above the window is cut off. This and the next options are
        for games with a `SearchRules.margin`, such as chess, where they change scores.
    check_extensions
        A side in check is searched one ply deeper.
    futility
        Near the leaves, sides far above the window are cut off, and quiet moves of sides far below
        it are left out.
    exchange
        Moves that lose material by captures on their square come last, and near the leaves are left
        out.
    reverse_futility_margin
        Reverse futility pruning: margin per ply above the window.
    futility_margin
        Futility pruning of quiet moves: margin per ply below the window.
    futility_base
        Futility pruning of quiet moves: margin at depth 0.
    exchange_margin
        Pruning by static exchange evaluation (SEE): loss per ply that a capture may have.
    delta_margin
        Delta pruning in quiescence search: margin below the window.
    null_move_reduction
        Null move: reduction, in hundredths of a ply.
    null_move_divisor
        Null move: plies of depth per further ply of reduction, in hundredths.
    null_move_surplus
        Null move: margin above the window per further ply of reduction, at most three.
    reduction_base
        Late move reductions: plies at first, in hundredths. ln(depth) ln(move) / divisor is added.
    reduction_divisor
        Late move reductions: divisor, in hundredths.
    history_divisor
        Late move reductions: points of history (at most 24,576) that change them by a ply.
    late_move_count
        Late move pruning: number of quiet moves that are searched at depth 0.
    late_move_growth
        Late move pruning: further moves per square of the depth, in hundredths.
    aspiration_window
        Aspiration window to either side, in thousandths of the game's margin.

    Examples
    --------
    >>> import samuel
    >>> plain = samuel.SearchOptions(table=False, killers=False)
    >>> samuel.AlphaBeta(options=plain).options.table
    False
    """

    table: bool = True
    killers: bool = True
    history: bool | None = None
    game_order: bool = True
    evaluation_order: bool = True
    deepening: bool = True
    internal_deepening: bool | None = None
    pvs: bool = True
    aspiration: bool = True
    enhanced_cutoffs: bool = False
    correction: bool = False
    candidates: bool = True
    late_moves: bool = True
    deeper_rows: bool = True
    null_move: bool = True
    check_extensions: bool = True
    futility: bool = True
    exchange: bool = True
    reverse_futility_margin: Annotated[int | None, Number(0, 1000, 80, "futility")] = None
    futility_margin: Annotated[int | None, Number(0, 1000, 90, "futility")] = None
    futility_base: Annotated[int | None, Number(0, 1000, 50, "futility")] = None
    exchange_margin: Annotated[int | None, Number(0, 1000, 90, "exchange")] = None
    delta_margin: Annotated[int | None, Number(0, 2000, 200, "exchange")] = None
    null_move_reduction: Annotated[int | None, Number(0, 1000, 300, "null_move")] = None
    null_move_divisor: Annotated[int | None, Number(100, 3000, 400, "null_move")] = None
    null_move_surplus: Annotated[int | None, Number(20, 2000, 200, "null_move")] = None
    reduction_base: Annotated[int | None, Number(0, 300, 60, "late_moves")] = None
    reduction_divisor: Annotated[int | None, Number(50, 1000, 210, "late_moves")] = None
    history_divisor: Annotated[int | None, Number(1024, 65536, 8192, "late_moves")] = None
    late_move_count: Annotated[int | None, Number(0, 64, 4, "late_moves")] = None
    late_move_growth: Annotated[int | None, Number(0, 400, 100, "late_moves")] = None
    aspiration_window: Annotated[int | None, Number(10, 4000, 333, "aspiration")] = None

    def __post_init__(self) -> None:
        require_ranges(SearchOptions, vars(self))

    @property
    def bits(self) -> int:
        """Options that are on or off, as a kernel reads them."""
        return sum(1 << k for k, name in enumerate(_on_off()) if getattr(self, name))

    def of_game(self, game: Game, is_selective: bool = True) -> SearchOptions:
        """Return the options as a search of a game reads them."""
        pruning = [getattr(self, name) for name in _PRUNING]
        prunes = bool(game.search.margin) and any(pruning)
        without: dict[str, str] = {}
        if not game.search.margin:
            without |= dict.fromkeys(_PRUNING, _NO_MARGIN)
        if game.search.candidates is None:
            without["candidates"] = "which names no moves that are worth a search"
        if not (prunes or is_selective):
            without |= dict.fromkeys(_SELECTIVE, "whose search is selective with ProbCut alone")
        off = [name for name in without if not getattr(self, name)]
        on = [name for name in without if getattr(self, name)]
        for name in off if prunes else min(off, on, key=len):
            raise UserError(f"{name} has no effect in {game.name}, {without[name]}; leave it out")
        for name in _NOT_PRUNED if prunes else ():
            if getattr(self, name) != getattr(SearchOptions, name):
                raise UserError(
                    f"{name} cannot be changed in {game.name}, whose search prunes: leave it out, "
                    f"or turn {', '.join(_PRUNING[:-1])} and {_PRUNING[-1]} off"
                )
        usual: dict[str, int] = dict.fromkeys(("history", "internal_deepening"), prunes)
        usual |= {name: number.usual for name, number in NUMBERS.items()}
        usual |= {name: its for name, its in game.defaults.search.items() if name in NUMBERS}
        self._require_readers(game, prunes)
        found: Any = {name: its for name, its in usual.items() if getattr(self, name) is None}
        return replace(self, **found)

    def _require_readers(self, game: Game, prunes: bool) -> None:
        """Raise UserError for a number that nothing reads in a search of a game."""
        for name, number in NUMBERS.items():
            reason = "" if getattr(self, number.of) else f"where {number.of} is off"
            if not prunes:
                reason = "where nothing is pruned" if game.search.margin else _NO_MARGIN
            if getattr(self, name) is not None and reason:
                raise UserError(f"{name} has no effect in {game.name}, {reason}; leave it out")

    @classmethod
    def none(cls) -> SearchOptions:
        """Return plain alpha-beta, with all options off."""
        return cls(**dict.fromkeys(_on_off(), False))


NUMBERS: dict[str, Number] = {
    name: mark for name, kind in hints_of(SearchOptions).items() for mark in marks_of(kind, Number)
}
"""Numbers of the options by name, with range and usual value."""


def _on_off() -> list[str]:
    return [field.name for field in fields(SearchOptions) if field.name not in NUMBERS]


def options_of(game: Game) -> SearchOptions:
    """Return the options that a game suggests (`Defaults.search`); the usual ones beside."""
    return SearchOptions(**game.defaults.search)


def _bit_of(name: str) -> int:
    return SearchOptions(**{**vars(SearchOptions.none()), name: True}).bits


TABLE = _bit_of("table")
KILLERS = _bit_of("killers")
HISTORY = _bit_of("history")
GAME_ORDER = _bit_of("game_order")
EVALUATION_ORDER = _bit_of("evaluation_order")
DEEPENING = _bit_of("deepening")
INTERNAL_DEEPENING = _bit_of("internal_deepening")
PVS = _bit_of("pvs")
ASPIRATION = _bit_of("aspiration")
ENHANCED_CUTOFFS = _bit_of("enhanced_cutoffs")
CORRECTION = _bit_of("correction")
CANDIDATES = _bit_of("candidates")
LATE_MOVES = _bit_of("late_moves")
DEEPER_ROWS = _bit_of("deeper_rows")
NULL_MOVE = _bit_of("null_move")
CHECK_EXTENSIONS = _bit_of("check_extensions")
FUTILITY = _bit_of("futility")
EXCHANGE = _bit_of("exchange")
PRUNING = NULL_MOVE | CHECK_EXTENSIONS | FUTILITY | EXCHANGE
"""Options of games with a `margin`; with one of them on, a search prunes (pruned.py)."""
