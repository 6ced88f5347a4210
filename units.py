"""Numbers for people."""

from __future__ import annotations

_UNITS = ((1e9, " G"), (1e6, " M"), (1e3, " k"))


def short(number: float) -> str:
    """Return a number in the unit that suits it: 850, 12.3 k, 4.5 M; a small one to two digits."""
    for size, unit in _UNITS:
        if abs(number) >= 0.9995 * size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.0f}" if abs(number) >= 9.95 else f"{number:.2g}"
