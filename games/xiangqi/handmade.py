"""Evaluators of xiangqi made by hand."""

from __future__ import annotations

from samuel.games.defaults import Handmade

# In results (1 is a win); a soldier is 0.02. Pieces are valued as everybody does: chariot 9, cannon
# 4.5, horse 4, advisor and elephant 2, soldier 1 and another beyond the river.
_SOLDIER = 0.02
_VALUES = {"advisor": 2.0, "elephant": 2.0, "horse": 4.0, "chariot": 9.0, "cannon": 4.5}


def _opposed(weights: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """Return weights of what either side has: the opponent's are the player's, negated."""
    return {f"{name}_player": numbers for name, numbers in weights.items()} | {
        f"{name}_opponent": tuple(-number for number in numbers)
        for name, numbers in weights.items()
    }


_MATERIAL = {
    **{f"material_{name}": (_SOLDIER * value,) for name, value in _VALUES.items()},
    "material_soldier": (_SOLDIER,),
    **_opposed({"crossed": (_SOLDIER,)}),
}
# At the end of the game and at its start, the small terms by hand. With few pieces left cannons
# have no screens and horses are not blocked.
_CLASSIC = {
    **{name: 2 * weights for name, weights in _MATERIAL.items()},
    "material_horse": (0.09, 0.08),
    "material_cannon": (0.085, 0.09),
    "mobility_horse": (0.003, 0.003),
    "mobility_chariot": (0.002, 0.002),
    "mobility_cannon": (0.001, 0.001),
    "mobility_general": (0.0, 0.0),
    "mobility_advisor": (0.0, 0.0),
    "mobility_elephant": (0.001, 0.001),
    "mobility_soldier": (0.003, 0.001),
    **_opposed(
        {
            "palace_attack": (0.004, 0.004),
            "bared": (-0.002, -0.002),
            "hollow_cannon": (0.01, 0.04),
        }
    ),
}
EVALUATORS = {
    "classic": Handmade(
        "material, mobility and attacks on the palace, weighted by hand",
        ("material", "crossed", "mobility", "palace_attack", "bared", "hollow_cannon"),
        _CLASSIC,
    ),
    "material": Handmade("material alone", ("material", "crossed"), _MATERIAL),
}
