"""Evaluators of checkers made by hand, and sets of shapes for patterns."""

from __future__ import annotations

from samuel.games.defaults import Handmade

# In results (1 is a win). A king is worth half as much again as a man, as A. Samuel's piece
# ratio has it (1959); the smaller weights are by hand, at the end of the game and at its start.
_MATERIAL = {
    "men_player": (0.12,),
    "men_opponent": (-0.12,),
    "kings_player": (0.18,),
    "kings_opponent": (-0.18,),
}
EVALUATORS = {
    "classic": Handmade(
        "material, advancement, back row and centre, weighted by hand",
        ("men", "kings", "exchange", "advancement", "back_row", "cent", "mob", "runaways"),
        {name: 2 * weights for name, weights in _MATERIAL.items()}
        | {
            "exchange": (0.3, 0.3),
            "advancement_player": (0.004, 0.002),
            "advancement_opponent": (-0.004, -0.002),
            "back_row_player": (0.0, 0.012),
            "back_row_opponent": (0.0, -0.012),
            "cent_player": (0.008, 0.008),
            "cent_opponent": (-0.008, -0.008),
            "mob_player": (0.004, 0.004),
            "mob_opponent": (-0.004, -0.004),
            "runaways_player": (0.015, 0.015),
            "runaways_opponent": (-0.015, -0.015),
        },
    ),
    "material": Handmade("men and kings alone", ("men", "kings"), _MATERIAL),
    "pieces": Handmade(
        "A. Samuel's piece advantage (1959): kings are worth 3, men 2, and who is ahead trades",
        ("exchange",),
        {"exchange": (1.0,)},
    ),
}


FEATURES = (
    *("men", "kings", "advancement", "back_row", "runaways", "protected", "trapped_kings"),
    *("crownings", "takes", "tempo", "is_ahead", "exchange", "stuck"),
    *("adv", "apex", "back", "cent", "cntr", "corn", "cramp", "dia", "dyke", "expos", "gap"),
    *("guard", "hole", "kcent", "mob", "move", "node", "oreo", "pole", "thret"),
    "places",
)
"""What recipes read: neither what takes long (games/checkers/features/terms.py) nor DIAV."""

TERMS = (
    *("adv", "apex", "back", "cent", "cntr", "corn", "cramp", "deny", "dia", "diav", "dyke"),
    *("exch", "expos", "fork", "gap", "guard", "hole", "kcent", "mob", "mobil", "has_move"),
    *("node", "oreo", "pole", "recap", "thret"),
    *(f"connective_{name}" for name in ("demo", "demmo", "ddemo", "ddmm")),
    *(f"connective_{name}" for name in ("mode1", "mode2", "mode3", "mode4")),
    *(f"connective_{name}" for name in ("moc1", "moc2", "moc3", "moc4")),
)
"""Samuel's 38 (1959, appendix C), as he lists them; `has_move` is his MOVE."""


def _blocks() -> tuple[str, ...]:
    """Return all blocks of three rows and four columns: six dark squares of five contents each."""
    found = []
    for top in range(6):
        for left in (0, 2, 4):
            squares = [
                f"{'abcdefgh'[column]}{8 - row}"
                for row in range(top, top + 3)
                for column in range(left, left + 4)
                if (row + column) % 2
            ]
            found.append(f"block {squares[0]}: {' '.join(squares)}")
    return tuple(found)


SHAPES = {"blocks": ("every block of three rows and four columns", _blocks())}
