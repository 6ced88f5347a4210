"""A compiled model: a fitted model as the search runs it and as it is saved.

It makes an evaluator; a description of it goes into the card of a saved model, and arrays hold its
numbers. None needs scikit-learn.

The arrays are one file: numpy's .npz, read so that no number in it is believed. A member of the
archive says how many bytes it inflates to, and its header how many numbers it holds. Both are
compared with what is there before any room is made.
"""

from __future__ import annotations

import io
import itertools
import math
import re
import reprlib
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from samuel.common.errors import UserError
from samuel.features import Feature, column_names, feature_names, features_digest, features_named
from samuel.games.catalog import is_of_the_package, known_game
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.sound import rules_digest
from samuel.kernels.laid_out import laid_out
from samuel.kernels.records import fields_of

T = TypeVar("T")
LARGEST_SCORE = 1e37
"""No sound model can give a score, or anything on the way to one, so far from 0: a sum of several
is still a number in single precision. The search clips scores to the largest result."""
SMALLEST_PROBABILITY = 1e-6
"""Probabilities are held this far from 0 and 1 before their logit is taken."""
MOST_NUMBERS = 1 << 31
"""Places in an evaluator's arrays are 32-bit numbers."""


class CompiledModel(Protocol):
    """Interface of every compiled model."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def game(self) -> Game:
        """The game."""

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""

    def described(self) -> dict[str, Any]:
        """Return its entry of a card: `kind`, `game`, and what else `read_compiled` needs."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its numbers by name."""


def evaluator_of(
    its: Any, evaluate: Any, game: Game, name: str, origin: str, ignores_chance: bool = False
) -> Evaluator:
    """Return the evaluator of a compiled function and the record that it reads."""
    integers, floats = laid_out(its)
    words = game.words
    return Evaluator(
        *(name, game.name, evaluate, words, integers, floats, origin), ignores_chance=ignores_chance
    )


class CardError(ValueError):
    """A card does not describe a model."""


def require(holds: Any, fault: str) -> None:
    """Raise ValueError with a fault of a model, unless a condition is true."""
    if not holds:
        raise ValueError(fault)


def require_bounded(array: str, numbers: Any, most: float = LARGEST_SCORE) -> None:
    """Raise ValueError unless the numbers that an array leads to are finite, and below `most`."""
    largest = float(np.abs(numbers).max(initial=0.0))  # NaN, if any is
    size = f"as large as {largest:.3g}" if np.isfinite(largest) else "that are not finite"
    require(largest < most, f"{array!r} gives scores {size}")


def require_shapes(model: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ValueError unless arrays of a model have these shapes."""
    for name, shape in shapes.items():
        found = getattr(model, name).shape
        require(found == shape, f"{name!r} has the shape {found}, not {shape}")


def require_ascending(knots: Sequence[int]) -> None:
    """Raise ValueError unless each knot is above the one before it, and there is one."""
    in_order = all(a < b for a, b in itertools.pairwise(knots))
    require(knots and in_order, "'knots' must hold numbers in ascending order")


def require_room(size: int) -> None:
    """Raise ValueError where a model has more numbers than the search can hold."""
    require(size < MOST_NUMBERS, f"its {size:,} numbers are more than the search can hold")


def described(card: Mapping[str, Any], kind: type[T]) -> T:
    """Return an entry of a card as a record; CardError if it has another form."""
    import msgspec  # takes time to import

    try:
        return msgspec.convert(dict(card), kind)
    except msgspec.ValidationError as error:
        raise CardError(str(error).replace("`$.", "`")) from None


@dataclass(frozen=True)
class _Described:
    """Entries of a card about the features of a model."""

    game: str
    features: list[str]
    features_digest: str
    rules_digest: str | None = None


def described_features(features: Sequence[Feature]) -> dict[str, Any]:
    """Return the entry of a card for the features of a model; `known_features` reads it."""
    game = features[0].game
    rules = {} if is_of_the_package(game) else {"rules_digest": rules_digest(known_game(game))}
    return {
        "features": [feature.name for feature in features],
        "columns": column_names(features),
        "features_digest": features_digest(tuple(features)),
        **rules,
    }


def known_features(card: dict[str, Any]) -> tuple[Feature, ...]:
    """Return the features that a card names."""
    said = described(card, _Described)
    known = feature_names(said.game)
    for name in said.features:
        if name not in known:
            raise UserError(
                f"it needs the feature {reprlib.repr(name)} of {said.game}, which is not "
                "loaded; give the file that defines it with --plugin FILE, or import it"
            )
    features = features_named(said.features, said.game)
    if features_digest(features) != said.features_digest:
        if said.rules_digest not in (None, rules_digest(known_game(said.game))):
            raise UserError(
                f"the rules of {said.game} have changed since it was trained; load the earlier "
                "file of the game, or train it again"
            )
        raise UserError(
            f"its features have changed: {', '.join(said.features)} give other numbers than "
            "when it was trained; load the earlier file, or train it again"
        )
    return features


_ROOM, _RATIO, _MOST_BYTES = 1 << 28, 100, 4 * MOST_NUMBERS
"""Bytes that any archive may inflate to, as many times its own size besides, and at most."""
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '(<[if][248]|\|i1)', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)
_OF_ARCHIVES = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    OverflowError,
)
"""Exceptions that reading a damaged archive raises."""


def arrays_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays by name as the content of a file."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def arrays_in(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays by name that a file holds."""
    members = members_in(content)
    return {name.removesuffix(".npy"): array_in(member) for name, member in members.items()}


def members_in(content: bytes) -> dict[str, bytes]:
    """Return the members of a zip archive by name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if len({member.filename for member in members}) < len(members):
                raise ValueError("two of its members have one name")
            most = min(_ROOM + _RATIO * len(content), _MOST_BYTES)
            if sum(member.file_size for member in members) > most:
                raise ValueError("its header claims a size beyond what it can contain")
            if any(
                m.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or m.flag_bits & 1
                for m in members
            ):
                raise ValueError("a member is encrypted, or compressed by an unknown method")
            return {member.filename: archive.read(member) for member in members}
    except _OF_ARCHIVES as error:
        raise ValueError(f"it is not a complete archive ({str(error)[:80]!r})") from None


def _header_of(content: bytes) -> tuple[str, tuple[int, ...], Literal["C", "F"], int]:
    """Return type, shape, order and length of the header of an array in numpy's own format."""
    start = len(_MAGIC) + 2
    length = int.from_bytes(content[start - 2 : start], "little")
    header = _HEADER.fullmatch(content[start : start + length])
    if not content.startswith(_MAGIC) or header is None:
        raise ValueError("a member is not an array of numbers")
    shape = tuple(map(int, re.findall(rb"\d+", header[3])))
    return header[1].decode(), shape, "F" if header[2] == b"True" else "C", start + length


def array_in(content: bytes) -> NDArray[Any]:
    """Return the array, of integers or floats, that numpy's own format has."""
    kind, shape, order, start = _header_of(content)
    dtype = np.dtype(kind)
    if len(shape) > 4 or math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError("the length of an array differs from its header")
    return np.frombuffer(content, dtype, offset=start).reshape(shape, order=order)


def arrays_of(model: Any) -> dict[str, NDArray[Any]]:
    """Return by name the numbers of a record, or of a model whose class is `declared`."""
    with np.errstate(over="ignore"):  # infinite is what such a number is in single precision
        return {
            name: np.array(getattr(model, name), str(field.kind), ndmin=1, copy=None)
            for name, field in fields_of(type(model)).items()
            if field.of is None
        }


def arrays_for(
    declared: type, arrays: Mapping[str, NDArray[Any]], before: str = ""
) -> dict[str, Any]:
    """Return by name the fields of a class that `arrays_of` wrote, with arrays in C order."""
    found: dict[str, Any] = {}
    sizes: dict[int | str, int] = {}
    for name, field in fields_of(declared).items():
        if field.of is not None:
            continue
        if field.shape is not None:
            found[name] = taken(arrays, before + name, str(field.kind), len(field.shape))
            for said, size in zip(field.shape, found[name].shape, strict=True):
                if size != sizes.setdefault(said, said if isinstance(said, int) else size):
                    raise ValueError(f"{name!r} does not fit the other arrays")
        else:
            number = taken(arrays, before + name, str(field.kind))
            if number.size != 1:
                raise ValueError(f"{name!r} must hold one number (got {number.size})")
            found[name] = number.item()
    return found


def taken(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: DTypeLike, dimensions: int = 1
) -> NDArray[Any]:
    """Return an array in C order; ValueError unless it is there, of this type and dimensions."""
    found = arrays.get(name)
    if found is None or found.dtype != np.dtype(dtype) or found.ndim != dimensions:
        raise ValueError(
            f"{name!r} must be an array of {np.dtype(dtype)} in {dimensions} dimensions"
        )
    return np.ascontiguousarray(found)
