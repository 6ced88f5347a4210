"""Numbers for people."""

from __future__ import annotations

import math

_UNITS = ((1e9, " G"), (1e6, " M"), (1e3, " k"))


def rounded(number: float, digits: int = 3) -> str:
    """Return a number to so many significant digits, without an exponent: 2,080, 0.0149, 5.5.

    All digits before the point are shown.
    """
    if not math.isfinite(number):
        return f"{number}"
    size = math.floor(math.log10(abs(number))) if number else 0
    text = f"{number:z,.{max(0, digits - 1 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def short(number: float) -> str:
    """Return a number in the unit that suits it: 850, 12.3 k, 4.5 M; a small one to two digits."""
    for size, unit in _UNITS:
        if abs(number) >= 0.9995 * size:
            return f"{rounded(number / size)}{unit}"
    return rounded(number, 2)


def counted(number: int, noun: str) -> str:
    """Return a number and what there are so many of: 1 game, 1,200 games."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def with_unit(unit: str, form: str = " {}") -> str:
    """Return the unit of a game's scores as it stands behind a number or words.

    Where results are from -1 to 1, "result" is no unit, and nothing stands there.
    """
    return "" if unit == "result" else form.format(unit)


def between(low: float, high: float, digits: int = 0) -> str:
    """Return the ends of an interval: +10 to +60, at least +10, at most +60, or anything.

    An end that is infinite is no bound.
    """
    first, last = f"{low:+z.{digits}f}", f"{high:+z.{digits}f}"
    if math.isinf(low):
        return "anything" if math.isinf(high) else f"at most {last}"
    return f"at least {first}" if math.isinf(high) else f"{first} to {last}"


def with_interval(
    number: float, low: float, high: float, digits: int = 0, unit: str = "", level: str = "95 %"
) -> str:
    """Return a number and its interval: +35 Elo (95 %: +10 to +60).

    Where the number is infinite, as Elo after a clean sweep, only the bound says something: at
    least +312 Elo (95 %). Without `level` the interval stands alone in its parentheses.
    """
    ends = between(low, high, digits)
    if math.isinf(number):
        return f"{ends}{unit}" + f" ({level})" * bool(level)
    return f"{number:+z.{digits}f}{unit} ({level}{': ' * bool(level)}{ends})"
