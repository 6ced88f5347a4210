"""Suggestions of a game to those who learn it and talk of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Handmade:
    """A linear evaluator that somebody made by hand."""

    about: str
    features: tuple[str, ...]
    weights: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class OutsideEngine:
    """A program of others that plays the game, and the levels at which it is measured."""

    name: str
    address: str
    install: str
    levels: Mapping[str, str] = field(default_factory=lambda: {"": ""})


@dataclass(frozen=True)
class Defaults:
    """Suggestions of a game to self-play, learning and play; a user's game need not make any.

    Attributes
    ----------
    title
        name of the game in other people's programs, whatever its board's size; its name where
        empty.
    sides
        names of the first player and the second, as the board draws them; where not given, those of
        the notation, such as X and O.
    features_in
        the module whose import defines its features.
    features
        the names of those that recipes read; all of them where empty.
    classes
        one of these that tells classes of positions apart, as 0, 1 and so on; networks of outcomes
        (models/outcome_networks.py) have one network for each.
    evaluators
        those made by hand, by name; the first is meant where none is named.
    first
        the evaluator that learning starts from.
    pieces
        name of the one that counts pieces alone: the fixed part of Samuel's polynomial; `first`
        where empty.
    terms
        the terms of that polynomial, in the order in which they come in: names of features, which
        count for the player less the opponent, or of single numbers; those of `features` where
        empty.
    shapes
        sets of shapes of its own, by name: a line about each, and its lines (features.shapes).
    tables
        counts beside the patterns (the recipes SHAPES-tables): for each table the name of a number
        of a feature, or of two, all of them whole (features.terms).
    recipe
        recipe of `samuel learn`; where empty the largest set of patterns if the game has no
        features, else `ridge`.
    target
        target of a fit where none is named and the dataset has scores (FitOptions.target).
    depth
        plies of search, where no other number is given.
    generations, learn
        number of generations of `samuel learn`, and those of its options that differ in this game,
        by name (learning/options.py).
    search
        options of alpha-beta that differ in this game, by name (search/alphabeta/options.py).
    levels
        plies and errors of each level of play, from the weakest (play/levels.py); general ones
        where empty.
    formats_in
        the modules that define, as FORMAT, what its community writes games in (games/records.py);
        the first that can be written is what other programs get.
    engines
        programs of others that play it (`samuel bench`).
    """

    title: str = ""
    sides: tuple[str, str] | None = None
    features_in: str = ""
    features: tuple[str, ...] = ()
    classes: str = ""
    evaluators: Mapping[str, Handmade] = field(default_factory=dict)
    first: str = "zero"
    pieces: str = ""
    terms: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)
    tables: tuple[tuple[str, ...], ...] = ()
    recipe: str = ""
    target: str = "blend"
    depth: int = 4
    generations: int = 3
    learn: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, bool] = field(default_factory=dict)
    levels: tuple[tuple[int, float], ...] = ()
    formats_in: tuple[str, ...] = ()
    engines: tuple[OutsideEngine, ...] = ()
