"""Lines of text files as Arrow arrays, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samuel.common.errors import UserError
from samuel.common.text_files import open_text

_BLOCK = 1 << 24
"""Bytes that are read at once."""
_LONGEST = 1 << 20
"""Bytes of the longest line; a file of a longer one is no text of positions."""


class Lines(NamedTuple):
    """Lines of a file, the first of which has a number, from 1; without their ends."""

    first: int
    texts: pa.Array


def lines_of(path: Path) -> Iterator[Lines]:
    """Yield the lines of a file in blocks."""
    number, rest = 1, b""
    with open_text(path) as stream:
        while block := stream.read(_BLOCK):
            whole, end, rest = (rest + block).rpartition(b"\n")
            if len(rest) > _LONGEST:
                raise UserError(f"{path} has a line of more than {_LONGEST:,} bytes")
            if end:
                texts = _split(whole + end)
                yield Lines(number, texts)
                number += len(texts)
    if rest:
        yield Lines(number, _split(rest + b"\n"))


def _split(block: bytes) -> pa.Array:
    """Return the lines of a block, which ends in a line feed, without blanks at their ends."""
    block = block.replace(b"\t", b" ")
    data = np.frombuffer(block, np.uint8)
    offsets = np.append(0, np.flatnonzero(data == ord("\n")) + 1).astype(np.int32)
    texts = pa.StringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(block)
    )
    return pc.ascii_trim_whitespace(texts)
