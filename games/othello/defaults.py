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


_WIDER = (
    "wing: a5 a4 a3 a2 a1 b2 b1 c1 d1 e1",
    "block: a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "triangle: a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "kite: a1 b1 a2 b2 c2 d2 e2 b3 b4 b5",
    "corners: a1 b2 c3 d4 e5 f6 g7 h8 a8 h1",
)


def shapes(size: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return those for a board of so many squares a side, by name, with a line about each."""
    own = logistello(size)
    found = {"logistello": ("rows, diagonals, edges and corners, as in M. Buro's Logistello", own)}
    if size == 8:
        # the 46 instances that Edax's file of weights has (R. Delorme, https://github.com/abulmo)
        alike = tuple(line for line in own if not line.startswith("corner 2x5"))
        found["edax"] = (
            "those of R. Delorme's Edax: logistello's, two in the place of one",
            alike + _WIDER[:2],
        )
        found["large"] = ("those of logistello and five wider ones", own + _WIDER)
    return found


def logistello(size: int) -> tuple[str, ...]:
    """Return the shapes of Logistello on a board of `size` squares a side.

    M. Buro, "From simple features to sophisticated evaluation functions", 1998: rows and columns
    from the second to the middle, diagonals of four squares or more, the edge with its two X
    squares, corners of 3 by 3 and of 2 by 5.
    """
    files = "abcdefgh"[:size]
    found = {f"row {row}": [f"{file}{row}" for file in files] for row in range(2, size // 2 + 1)}
    for length in range(4, size + 1):
        squares = [f"{files[k]}{1 + size - length + k}" for k in range(length)]
        found[f"diagonal {length}"] = squares
    found["edge 2X"] = [*(f"{file}1" for file in files), f"{files[1]}2", f"{files[-2]}2"]
    found["corner 3x3"] = [f"{f}{r}" for r in (1, 2, 3) for f in files[:3]]
    if size > 4:
        found["corner 2x5"] = [f"{f}{r}" for r in (1, 2) for f in files[:5]]
    return tuple(f"{name}: {' '.join(squares)}" for name, squares in found.items())
