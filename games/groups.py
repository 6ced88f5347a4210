"""Groups of fields of a game that it may leave out: scores, turns, search, perft and defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from samuel.games.rules import MOST_PLIES
from samuel.games.wdl import WinDrawLoss

_LEAST_UTILITY, MOST_UTILITY = 0.125, 8388.0
"""Least and largest utility of a game.

The search counts in whole thousandths, less than 2**23 of them, and takes one from a win for each
ply.
"""
Rule: TypeAlias = Callable[..., Any]
Ranges: TypeAlias = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Scores:
    """Unit and range of scores.

    Attributes
    ----------
    unit
        Name of the unit.
    max_utility
        Largest utility.
    sooner_is_better
        True if a sooner win scores more (games whose unit is the result).
    scale
        Units of score per logit of the probability to win, which is 1 / (1 + exp(-score / scale)).
        0 if the unit is the result, or the final difference.
    """

    unit: str = "result"
    max_utility: float = 1.0
    sooner_is_better: bool = True
    scale: float = 0.0

    ranges: ClassVar[Ranges] = {
        "max_utility": (_LEAST_UTILITY, MOST_UTILITY),
        "scale": (0.0, MOST_UTILITY),
    }


@dataclass(frozen=True)
class Turns:
    """Order of the sides' turns.

    Attributes
    ----------
    alternates
        True if the sides move in turn. The value that `play` returns is then ignored, unless there
        are dice or draws by rule.
    side_word
        Number of the word that has the side to move, if there is one and only the names of moves
        depend on it; else None.
    """

    alternates: bool = True
    side_word: int | None = None


@dataclass(frozen=True)
class Progress:
    """Progress of a game, from which the stage of a position follows.

    Attributes
    ----------
    rule
        `rule(position)` counts from 0 to `most`.
    most
        Largest progress.
    """

    rule: Rule
    most: int

    ranges: ClassVar[Ranges] = {"most": (1, 1 << 30)}


@dataclass(frozen=True)
class Chance:
    """Dice, or other chance.

    Attributes
    ----------
    outcomes
        `outcomes(position, outcomes, weights) -> n` writes the n outcomes of chance and their
        weights (int32 arrays (max_moves,)). n is 0 if a side is to move.
    total
        Sum of the weights of all outcomes of a position.
    """

    outcomes: Rule
    total: int

    ranges: ClassVar[Ranges] = {"total": (1, 1 << 30)}


@dataclass(frozen=True)
class DrawRules:
    """Draws by the past of a game.

    Attributes
    ----------
    repetitions
        Number of times that a position with one side to move stands on the board before the game
        ends: as a draw, or as a loss of the side whose moves in between were all CHECK. 0 for no
        such rule.
    reversible_plies
        Number of reversible plies in a row that end the game as a draw; 0 for no such rule.
    """

    repetitions: int = 0
    reversible_plies: int = 0

    ranges: ClassVar[Ranges] = {"repetitions": (0, MOST_PLIES), "reversible_plies": (0, MOST_PLIES)}


@dataclass(frozen=True, eq=False)
class SearchRules:
    """Rules that only searches ask for.

    Attributes
    ----------
    order
        `order(position, moves, n, hints)` rates moves for the search: higher first, in
        thousandths of the unit, as evaluations are added to it.
    noisy
        `noisy(position, move, beyond, moves) -> n` writes the n noisy legal moves, such as
        captures, that quiescence search tries before it evaluates. 0 means that the position is
        quiet, or the game over. The side may decline noisy moves and take the evaluation. If n is
        negative, the -n moves are all legal moves, or all `candidates`, and it must play one.
        `move` led to the position (NO_MOVE at the root), and `beyond` is the number of plies beyond
        the depth. Every line of noisy moves must end. None if all positions are quiet.
    in_check
        `in_check(position)`, true if the side to move must meet a threat. Alpha-beta then neither
        evaluates the position nor passes, and may search deeper. None if there is no such threat.
    null_move
        `null_move(position, child) -> int` writes the position after a pass and returns 1, or
        returns 0 if passing says nothing: in check, or where each move may harm. None if a search
        must not pass.
    exchange
        `exchange(position, move) -> int`, what a move gains, in thousandths of the unit, if both
        sides go on capturing on its square. `order` then rates noisy moves above 0 and all others
        0. None if moves capture nothing on their square.
    margin
        Advantage of the least piece, in the unit. Alpha-beta measures by it what is worth a search
        (`SearchOptions.null_move` and others, which need it). 0 if it does not prune so.
    candidates
        `candidates(position, moves) -> n` writes the legal moves that are worth a search, at least
        one if there is any. Alpha-beta and trees look at no others, except when alpha-beta solves a
        position. None if all moves are worth a search.
    regions
        Parts of the position, uint64 (R, K), for which the search learns corrections of
        evaluations. By default each word is one.
    quiescence_rules
        Further quiescence rules by name.
    """

    order: Rule | None = None
    noisy: Rule | None = None
    in_check: Rule | None = None
    null_move: Rule | None = None
    exchange: Rule | None = None
    margin: float = 0.0
    candidates: Rule | None = None
    regions: NDArray[np.uint64] | None = None
    quiescence_rules: Mapping[str, Rule] = field(default_factory=dict)

    ranges: ClassVar[Ranges] = {"margin": (0.0, MOST_UTILITY)}

    @property
    def prunes(self) -> bool:
        """True if the rules that a margin needs are there."""
        return None not in (self.noisy, self.in_check, self.null_move, self.exchange)


@dataclass(frozen=True)
class Solver:
    """Solving of endgames.

    Attributes
    ----------
    exact_from
        Number of `plies_left` from which the game is solved by default.
    solve
        `solve(position, alpha, beta, table, rows, scratch, counters, evaluate, integers,
        floats, guided)` returns the exact utility as an integer, fail-soft, faster than a
        plain search would; or None. Its arguments are pointers; `table` has `rows` rows of
        two words, a power of two, and is the solver's alone; `scratch` has MAX_PLY rows of
        `max_moves`, and at first in scratch[0] the number of the thread among those that share the
        table, from 0 on; `counters` is as in kernels/budget.py. Where `guided` is not 0, the
        evaluation may order moves; it must not change the result. The best move is left in
        scratch[0]. A stopped solver returns 0, which is thrown away.
    second_from
        Number of `plies_left` from which that takes about a second.
    """

    exact_from: int = 0
    solve: Rule | None = None
    second_from: int = 22

    ranges: ClassVar[Ranges] = dict.fromkeys(("exact_from", "second_from"), (0, MOST_PLIES))


@dataclass(frozen=True)
class PerftRules:
    """Rules of counting.

    Attributes
    ----------
    count_replies
        `count_replies(position)`, the perft of two plies, faster than by listing the moves; or
        None.
    moves
        `moves(position, moves) -> n`, like `legal_moves`, for perft, which goes on where a
        position is drawn by rule; with None instead of `moves` it counts them. None if perft takes
        `legal_moves`.
    counts_ended
        True if perft counts a game that ends before the depth as one leaf, as for Othello. By
        default only sequences of exactly this length count.
    """

    count_replies: Rule | None = None
    moves: Rule | None = None
    counts_ended: bool = False


@dataclass(frozen=True)
class Handmade:
    """A linear evaluator that somebody made by hand."""

    about: str
    features: tuple[str, ...]
    weights: Mapping[str, tuple[float, ...]]
    wdl: WinDrawLoss | None = None


@dataclass(frozen=True)
class OutsideEngine:
    """A program of others that plays the game, and the levels at which it is measured."""

    name: str
    address: str
    install: str
    levels: Mapping[str, str] = field(default_factory=lambda: {"": ""})


@dataclass(frozen=True)
class Defaults:
    """Suggestions of a game to self-play, learning and play; a user's game need not make any."""

    title: str = ""  # in other people's programs, whatever its board's size; its name where empty
    sides: tuple[str, str] | None = None  # first and second player; None: the notation's signs
    features_in: str = ""  # the module whose import defines its features
    features: tuple[str, ...] = ()  # those that recipes read; all of them where empty
    classes: str = ""  # the feature that numbers classes of positions (models/outcome_networks.py)
    evaluators: Mapping[str, Handmade] = field(default_factory=dict)  # the first is meant by none
    first: str = "zero"  # the evaluator that learning starts from
    pieces: str = ""  # the evaluator that counts pieces: Samuel's fixed part; `first` where empty
    terms: tuple[str, ...] = ()  # of Samuel's polynomial, as they come in; `features` where empty
    shapes: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)
    """Sets of shapes of its own, by name: a line about each, and its lines (features.shapes)."""
    tables: tuple[tuple[str, ...], ...] = ()
    """Counts beside the patterns (the recipes SHAPES-tables): one or two numbers of features."""
    recipe: str = ""
    """Recipe of `samuel learn`; where empty ridge, or without features the largest pattern set."""
    target: str = "blend"  # of a fit where none is named and the dataset has scores
    opening_plies: int = 4  # random plies at the start of a game
    depth: int = 4  # plies of search where no other number is given
    generations: int = 3
    learn: Mapping[str, Any] = field(default_factory=dict)  # options of `samuel learn` that differ
    search: Mapping[str, Any] = field(default_factory=dict)  # options of alpha-beta that differ
    levels: tuple[tuple[int, float], ...] = ()  # plies and errors, the weakest first
    formats_in: tuple[str, ...] = ()  # modules with FORMATS (games/records.py); the first writable
    engines: tuple[OutsideEngine, ...] = ()

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"opening_plies": (0, MOST_PLIES)}
