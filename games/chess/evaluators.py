"""Evaluators of chess made by hand, in pawns, from published values.

Piece values and tables for the middle game and the endgame are those of PeSTO (R. Friederich,
"PeSTO's evaluation function", 2014, on the Chess Programming Wiki). The other terms have
orders of magnitude that are usual in published evaluations; they are small, as the tables hold the
average of what they count.
"""

from __future__ import annotations

import numpy as np

from samuel.games.chess.squares import CLASSES, NAMES, SIZE, SQUARE_NAMES
from samuel.games.groups import Handmade
from samuel.games.wdl import WinDrawLoss

_CENTI = 0.01
# From a8 to h1, as published: at the end, and in the middle game.
_VALUES = {
    "pawn": (94, 82),
    "knight": (281, 337),
    "bishop": (297, 365),
    "rook": (512, 477),
    "queen": (936, 1025),
}
_MIDDLE = {
    "pawn": """
           0    0    0    0    0    0    0    0
          98  134   61   95   68  126   34  -11
          -6    7   26   31   65   56   25  -20
         -14   13    6   21   23   12   17  -23
         -27   -2   -5   12   17    6   10  -25
         -26   -4   -4  -10    3    3   33  -12
         -35   -1  -20  -23  -15   24   38  -22
           0    0    0    0    0    0    0    0
    """,
    "knight": """
        -167  -89  -34  -49   61  -97  -15 -107
         -73  -41   72   36   23   62    7  -17
         -47   60   37   65   84  129   73   44
          -9   17   19   53   37   69   18   22
         -13    4   16   13   28   19   21   -8
         -23   -9   12   10   19   17   25  -16
         -29  -53  -12   -3   -1   18  -14  -19
        -105  -21  -58  -33  -17  -28  -19  -23
    """,
    "bishop": """
         -29    4  -82  -37  -25  -42    7   -8
         -26   16  -18  -13   30   59   18  -47
         -16   37   43   40   35   50   37   -2
          -4    5   19   50   37   37    7   -2
          -6   13   13   26   34   12   10    4
           0   15   15   15   14   27   18   10
           4   15   16    0    7   21   33    1
         -33   -3  -14  -21  -13  -12  -39  -21
    """,
    "rook": """
          32   42   32   51   63    9   31   43
          27   32   58   62   80   67   26   44
          -5   19   26   36   17   45   61   16
         -24  -11    7   26   24   35   -8  -20
         -36  -26  -12   -1    9   -7    6  -23
         -45  -25  -16  -17    3    0   -5  -33
         -44  -16  -20   -9   -1   11   -6  -71
         -19  -13    1   17   16    7  -37  -26
    """,
    "queen": """
         -28    0   29   12   59   44   43   45
         -24  -39   -5    1  -16   57   28   54
         -13  -17    7    8   29   56   47   57
         -27  -27  -16  -16   -1   17   -2    1
          -9  -26   -9  -10   -2   -4    3   -3
         -14    2  -11   -2   -5    2   14    5
         -35   -8   11    2    8   15   -3    1
          -1  -18   -9   10  -15  -25  -31  -50
    """,
    "king": """
         -65   23   16  -15  -56  -34    2   13
          29   -1  -20   -7   -8   -4  -38  -29
          -9   24    2  -16  -20    6   22  -22
         -17  -20  -12  -27  -30  -25  -14  -36
         -49   -1  -27  -39  -46  -44  -33  -51
         -14  -14  -22  -46  -44  -30  -15  -27
           1    7   -8  -64  -43  -16    9    8
         -15   36   12  -54    8  -28   24   14
    """,
}
_END = {
    "pawn": """
           0    0    0    0    0    0    0    0
         178  173  158  134  147  132  165  187
          94  100   85   67   56   53   82   84
          32   24   13    5   -2    4   17   17
          13    9   -3   -7   -7   -8    3   -1
           4    7   -6    1    0   -5   -1   -8
          13    8    8   10   13    0    2   -7
           0    0    0    0    0    0    0    0
    """,
    "knight": """
         -58  -38  -13  -28  -31  -27  -63  -99
         -25   -8  -25   -2   -9  -25  -24  -52
         -24  -20   10    9   -1   -9  -19  -41
         -17    3   22   22   22   11    8  -18
         -18   -6   16   25   16   17    4  -18
         -23   -3   -1   15   10   -3  -20  -22
         -42  -20  -10   -5   -2  -20  -23  -44
         -29  -51  -23  -15  -22  -18  -50  -64
    """,
    "bishop": """
         -14  -21  -11   -8   -7   -9  -17  -24
          -8   -4    7  -12   -3  -13   -4  -14
           2   -8    0   -1   -2    6    0    4
          -3    9   12    9   14   10    3    2
          -6    3   13   19    7   10   -3   -9
         -12   -3    8   10   13    3   -7  -15
         -14  -18   -7   -1    4   -9  -15  -27
         -23   -9  -23   -5   -9  -16   -5  -17
    """,
    "rook": """
          13   10   18   15   12   12    8    5
          11   13   13   11   -3    3    8    3
           7    7    7    5    4   -3   -5   -3
           4    3   13    1    2    1   -1    2
           3    5    8    4   -5   -6   -8  -11
          -4    0   -5   -1   -7  -12   -8  -16
          -6   -6    0    2   -9   -9  -11   -3
          -9    2    3   -1   -5  -13    4  -20
    """,
    "queen": """
          -9   22   22   27   27   19   10   20
         -17   20   32   41   58   25   30    0
         -20    6    9   49   47   35   19    9
           3   22   24   45   57   40   57   36
         -18   28   19   47   31   34   39   23
         -16  -27   15    6    9   17   10    5
         -22  -23  -30  -16  -16  -23  -36  -32
         -33  -28  -22  -43   -5  -32  -20  -41
    """,
    "king": """
         -74  -35  -18  -18  -11   15    4  -17
         -12   17   14   17   17   38   23   11
          10   17   23   15   20   45   44   13
          -8   22   24   27   26   33   26    3
         -18   -4   21   24   27   23    9  -11
         -19   -3   11   21   23   16    7   -9
         -27  -11    4   13   14    4   -5  -17
         -53  -34  -21  -11  -28  -14  -24  -43
    """,
}


def _by_class() -> dict[str, tuple[float, float]]:
    """Return the weight of each piece on each square, at the end and in the middle game."""
    found = {}
    for name in NAMES:
        both = []
        for table in (_END, _MIDDLE):
            rows = [int(number) for number in table[name].split()]
            board = np.array(rows).reshape(SIZE, SIZE)[::-1].ravel()  # from a1 on
            both.append(board)
        for square, end, middle in zip(SQUARE_NAMES, *both, strict=True):
            found[f"piece_squares_{name}_{square}"] = (_CENTI * end, _CENTI * middle)
    return {f"piece_squares_{name}": found[f"piece_squares_{name}"] for name in CLASSES}


_MATERIAL = {f"material_{name}": (_CENTI * e, _CENTI * m) for name, (e, m) in _VALUES.items()}
_PLAIN = {"pawn": 1.0, "knight": 3.2, "bishop": 3.3, "rook": 5.0, "queen": 9.0}
"""Values of T. Michniewski, "Simplified evaluation function", 1995."""
# Each at the end and in the middle game.
_TERMS = {
    "bishop_pair": (0.40, 0.25),
    "tempo": (0.05, 0.12),
    "pawns_passed_2": (0.05, 0.0),
    "pawns_passed_3": (0.08, 0.0),
    "pawns_passed_4": (0.20, 0.05),
    "pawns_passed_5": (0.40, 0.12),
    "pawns_passed_6": (0.60, 0.25),
    "pawns_passed_7": (0.70, 0.35),
    "pawns_isolated": (-0.08, -0.10),
    "pawns_doubled": (-0.15, -0.06),
    "pawns_backward": (-0.06, -0.06),
    "pawns_phalanx": (0.03, 0.04),
    "pawns_defended": (0.03, 0.05),
    "passers_free": (0.12, 0.03),
    "passers_own_king": (-0.06, 0.0),
    "passers_their_king": (0.09, 0.0),
    "passers_rook_behind": (0.15, 0.05),
    "activity_mobility_knight": (0.03, 0.04),
    "activity_mobility_bishop": (0.04, 0.05),
    "activity_mobility_rook": (0.05, 0.03),
    "activity_mobility_queen": (0.05, 0.02),
    "activity_king_knight": (0.0, 0.04),
    "activity_king_bishop": (0.0, 0.03),
    "activity_king_rook": (0.0, 0.04),
    "activity_king_queen": (0.03, 0.04),
    "activity_king_attackers": (0.0, 0.04),
    "activity_king_danger": (0.02, 0.16),
    "activity_threat_pawn": (0.25, 0.40),
    "activity_threat_minor": (0.25, 0.30),
    "activity_threat_rook": (0.20, 0.25),
    "activity_hanging": (0.20, 0.20),
    "activity_space": (0.0, 0.02),
    "rooks_open": (0.05, 0.25),
    "rooks_half_open": (0.05, 0.12),
    "rooks_seventh": (0.15, 0.05),
    "outposts_knight": (0.10, 0.20),
    "outposts_bishop": (0.05, 0.10),
    "shelter_near": (0.0, 0.12),
    "shelter_far": (0.0, 0.06),
    "shelter_open": (0.0, -0.15),
    "shelter_storm": (0.0, -0.05),
}
_FEATURES = (
    *("material", "piece_squares", "bishop_pair", "tempo", "pawns", "passers"),
    *("activity", "rooks", "outposts", "shelter"),
)
FITTED = _FEATURES[1:]
"""Features that recipes read: tables of pieces and squares hold the material as well."""
EVALUATORS = {
    "classic": Handmade(
        "material, piece-square tables, pawns, mobility, king safety and threats by hand",
        _FEATURES,
        _MATERIAL | _by_class() | _TERMS,
        # samuel models wdl, of 3,000 games of its own at depth 4 (docs/results/chess.md)
        WinDrawLoss((1.7052, 0.80638, 0.00062279, 10.519), (1.9995, 1.1178, 0.14708, 6.1236)),
    ),
    "pesto": Handmade(
        "material and piece-square tables of PeSTO",
        ("material", "piece_squares"),
        _MATERIAL | _by_class(),
    ),
    "material": Handmade(
        "material only",
        ("material",),
        {f"material_{name}": (value,) for name, value in _PLAIN.items()},
    ),
}
