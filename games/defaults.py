"""Suggestions of a game to those who learn it and talk of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from samuel.games.rules import MOST_PLIES
from samuel.games.wdl import WinDrawLoss


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
