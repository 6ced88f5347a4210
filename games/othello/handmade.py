"""Evaluators of Othello made by hand: where learning starts from, and what it must beat."""

from __future__ import annotations

from samuel.games.defaults import Handmade

# The square weights that Othello learners are commonly tested against: T. Yoshioka, S. Ishii,
# M. Ito, "Strategy acquisition for the game Othello based on reinforcement learning", 1999. One
# weight a class of squares. Not in discs: only comparisons mean anything.
WPC = Handmade(
    "the standard square weights of the literature (Yoshioka et al. 1999)",
    ("square_classes",),
    {
        "square_classes_a1": (1.0,),
        "square_classes_b1": (-0.25,),
        "square_classes_c1": (0.1,),
        "square_classes_d1": (0.05,),
        "square_classes_b2": (-0.25,),
        "square_classes_c2": (0.01,),
        "square_classes_d2": (0.01,),
        "square_classes_c3": (0.05,),
        "square_classes_d3": (0.02,),
        "square_classes_d4": (0.01,),
    },
)

# By hand, in discs, at the end of the game, half-way and at its start. Early on discs are a burden
# and mobility is nearly all; corners, and what gives them away, count throughout; late, stable
# discs take over. Smaller boards have fewer classes of squares, with the same weights.
CLASSIC = Handmade(
    "squares, mobility and stability, weighted by hand by stage",
    ("square_classes", "mobility", "stability"),
    {
        "square_classes_a1": (4.0, 7.0, 8.0),
        "square_classes_b1": (0.5, -1.0, -1.5),
        "square_classes_c1": (0.5, 0.5, 0.3),
        "square_classes_d1": (0.5, 0.3, 0.2),
        "square_classes_b2": (0.0, -2.5, -3.5),
        "square_classes_c2": (0.3, -0.3, -0.4),
        "square_classes_d2": (0.3, -0.2, -0.3),
        "square_classes_c3": (0.3, 0.1, 0.0),
        "square_classes_d3": (0.3, 0.0, 0.0),
        "square_classes_d4": (0.3, 0.0, 0.0),
        "mobility_player": (0.3, 0.9, 0.8),
        "mobility_opponent": (-0.3, -0.9, -0.8),
        "stability_player": (0.7, 1.0, 1.0),
        "stability_opponent": (-0.7, -1.0, -1.0),
    },
)


def evaluators(size: int) -> dict[str, Handmade]:
    """Return those for a board of so many squares a side."""
    return {"classic": CLASSIC, "wpc": WPC} if size == 8 else {"classic": CLASSIC}
