"""Evaluators of backgammon made by hand: where learning starts from, and what it must beat."""

from __future__ import annotations

from samuel.games.defaults import Handmade

EVALUATORS = {
    "pubeval": Handmade(
        "Tesauro's public benchmark of 1993, linear with contact; in races by the pips",
        ("pubeval",),
        {"pubeval": (1.0,)},
    ),
    # by hand: a lead of ten pips is worth about a quarter of a point
    "pips": Handmade(
        "the difference of the pips, a fortieth of a point each",
        ("pips",),
        {"pips_player": (-1 / 40,), "pips_opponent": (1 / 40,)},
    ),
}
