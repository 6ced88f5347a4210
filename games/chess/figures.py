"""Figurines of chess: Unicode's for the terminal, and outlines for pictures, drawn for samuel."""

from __future__ import annotations

from samuel.games.scene import Figure

SIGNS = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
"""Figurine of each letter of a FEN."""

_BASE = "h6v10H23V70"
FIGURES = {
    "P": Figure(
        "pawn",
        f"M50 22a12 12 0 0 1 8 21c8 4 12 16 13 27{_BASE}h6c1-11 5-23 13-27a12 12 0 0 1 8-21z",
    ),
    "N": Figure(
        "knight",
        "M44 13l6 8c17 3 26 19 25 49h2v10H25V70h5c1-12 8-17 15-24-5 3-11 3-14 8l-7 5-8-9"
        "c3-8 10-13 12-20 2-6 6-9 10-11z",
        "M36 32h3M58 30c6 9 8 20 8 32",
    ),
    "B": Figure(
        "bishop",
        "M50 14a6 6 0 0 1 4 10c10 7 15 17 15 25 0 7-4 12-9 15l3 6h14v10H23V70h14l3-6c-5-3-9-8-9-15"
        " 0-8 5-18 15-25a6 6 0 0 1 4-10z",
        "M50 34v18M41 42h18",
    ),
    "R": Figure(
        "rook",
        f"M26 20h10v8h9v-8h10v8h9v-8h10v19l-8 7v18l5 6{_BASE}h6l5-6V46l-8-7z",
        "M34 46h32M34 64h32",
    ),
    "Q": Figure(
        "queen",
        "M20 30l11 22 4-28 10 26 5-30 5 30 10-26 4 28 11-22-8 40h5v10H23V70h5z"
        "M16 26a4 4 0 1 0 8 0 4 4 0 1 0-8 0M31 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0"
        "M46 16a4 4 0 1 0 8 0 4 4 0 1 0-8 0M61 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0"
        "M76 26a4 4 0 1 0 8 0 4 4 0 1 0-8 0",
        "M28 70h44",
    ),
    "K": Figure(
        "king",
        f"M46 10h8v6h6v7h-6v8c16-8 27 0 27 13 0 10-8 16-10 26{_BASE}h6c-2-10-10-16-10-26"
        " 0-13 11-21 27-13v-8h-6v-7h6z",
        "M50 31v24M29 70h42",
    ),
}  # fmt: skip
