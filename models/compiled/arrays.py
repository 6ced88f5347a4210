"""The arrays of a model as one file: numpy's .npz, read so that no number in it is believed.

A member of the archive says how many bytes it inflates to, and its header how many numbers it
holds. Both are compared with what is there before any room is made.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from samuel.kernels.records import fields_of
from samuel.models.compiled.model import MOST_NUMBERS

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
    """Return the array, of whole or floating numbers, that numpy's own format holds."""
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
