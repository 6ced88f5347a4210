"""Sets of shapes that programs of Othello read, a line a shape (features.shapes)."""

from __future__ import annotations

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
