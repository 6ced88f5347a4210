"""Files changed at random, by bytes and by what they mean; a random number generator decides all.

After a change the digest that names a file is mostly made right again: so a reader gets as far as
it would with a file that somebody made on purpose.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

EVIL = "evil.py"
"""A file of code beside the changed one, which names it: nothing may run it."""
VICTIM = "../../victim"
"""A folder outside the one that is read: nothing may be written or deleted there."""

NUMBERS: list[Any] = [0, 1, -1, 7, 64, 255, -128, 1 << 15, 1 << 31, -(1 << 31), 1 << 62, 10**30]
NUMBERS += [0.5, 1e300, -1e300, float("nan"), float("inf"), float("-inf")]
TEXTS = ["", "x", "classic", "tic_tac_toe", "chess", EVIL, f"{EVIL}:make", VICTIM]
TEXTS += [f"gtp:touch {VICTIM}/MARK", "/dev/zero", "..", "\0", "\x1b[2J", "\ud800", "9" * 40]
VALUES: list[Any] = [*NUMBERS, *TEXTS, True, None, [], {}, [[]], [0] * 50, {"": None}]
TOKEN = re.compile(rb"[A-Za-z_]+|[-+]?[0-9.]+|[^\sA-Za-z0-9]")


def changed_bytes(content: bytes, chance: random.Random) -> bytes:
    """Return a content with some bytes changed, taken out, put in, doubled or cut off."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        place = chance.randrange(len(data) + 1)
        length = chance.choice((1, 1, 2, 8, 64))
        kind = chance.randrange(6)
        if kind == 0:
            for k in range(place, min(place + length, len(data))):
                data[k] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[place : place + length]
        elif kind == 2:
            data[place:place] = chance.randbytes(length)
        elif kind == 3:
            data[place:place] = data[place : place + length] * chance.choice((1, 2, 100))
        elif kind == 4:
            data[place : place + 1] = bytes([chance.choice((0, 0x7F, 0x80, 0xFF, 10, 34, 91))])
        elif chance.random() < 0.3:
            del data[place:]
    return bytes(data)


def changed_text(content: bytes, chance: random.Random) -> bytes:
    """Return a text with some of its words, numbers and signs changed."""
    tokens = list(TOKEN.finditer(content))
    chosen = chance.sample(tokens, min(len(tokens), chance.choice((1, 1, 2, 5))))
    for token in sorted(chosen, key=lambda token: -token.start()):
        value = chance.choice(VALUES)
        text = value if isinstance(value, str) else json.dumps(value)
        new = chance.choice((chance.choice(tokens)[0], b"", text.encode(errors="surrogatepass")))
        content = content[: token.start()] + new + content[token.end() :]
    return content * chance.choice((1,) * 20 + (0, 3))


def changed_json(content: bytes, chance: random.Random) -> bytes:
    """Return JSON with an entry changed, taken out, put under another name, or nested very deep."""
    held = json.loads(content)
    for _ in range(chance.choice((1, 1, 2, 3))):
        holder, key = chance.choice(list(_places(held)) or [([0], 0)])
        kind = chance.randrange(6)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[chance.choice(TEXTS)] = holder[key]
        elif kind == 2:
            holder[key] = [holder[key]]
        elif kind == 3:
            holder[key] = chance.choice(TEXTS if isinstance(holder[key], str) else NUMBERS)
        else:
            holder[key] = chance.choice(VALUES)
    text = json.dumps(held)
    return (text.replace("[]", "[" * 5000, 1) if chance.random() < 0.02 else text).encode()


def _places(content: Any) -> Any:
    keys = content.keys() if isinstance(content, dict) else range(len(content))
    for key in list(keys):
        yield content, key
        if isinstance(content[key], dict | list):
            yield from _places(content[key])


def changed_lines(content: bytes, chance: random.Random) -> bytes:
    """Return lines of JSON with one of them changed, doubled or taken out."""
    lines = content.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    if chance.random() < 0.15:
        lines[place] *= chance.choice((0, 2))
    else:
        lines[place] = changed_json(lines[place], chance) + b"\n"
    return b"".join(lines)


def changed_array(array: np.ndarray[Any, Any], chance: random.Random) -> np.ndarray[Any, Any]:
    """Return an array with some values, its type, shape or length changed."""
    array, kind = array.copy(), chance.randrange(8)
    with np.errstate(all="ignore"):
        if kind < 4 and array.size:
            value, size = chance.choice(NUMBERS), array.dtype.itemsize
            whole = int(value) if math.isfinite(value) else -1
            bits = np.array(whole % (1 << 8 * size), f"u{size}").view(array.dtype)
            number = float(value) if array.dtype.kind == "f" else bits
            array.reshape(-1)[chance.randrange(array.size)] = number
            return array
        if kind == 4:
            return array.astype(chance.choice(("i1", "i4", "i8", "u8", "f4", "f8", "?", "U3")))
        if kind == 5:
            return array[: len(array) // 2] if array.ndim else array.reshape(1, 1)
        return np.concatenate([array, array]) if array.ndim else np.array([array, array])


def changed_npz(content: bytes, chance: random.Random) -> bytes:
    """Return an archive of arrays with one of them changed, taken out or added."""
    with np.load(io.BytesIO(content)) as read:
        arrays = {name: read[name] for name in read.files}
    if not arrays:
        return changed_bytes(content, chance)
    name = chance.choice(list(arrays))
    if chance.random() < 0.1:
        del arrays[name]
    else:
        arrays[name] = changed_array(arrays[name], chance)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


BY_MEANING: dict[str, Callable[[bytes, random.Random], bytes]] = {
    ".json": changed_json,
    ".jsonl": changed_lines,
    ".npz": changed_npz,
    ".npy": lambda content, chance: _npy(changed_array(np.load(io.BytesIO(content)), chance)),
}
"""Parquet and skops change by bytes; tests of shards and of estimators forge them."""


def _npy(array: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def mutate(folder: Path, names: list[str], chance: random.Random) -> None:
    """Change one of the files of a folder, and mostly make right the digest that names it."""
    path = folder / chance.choice(names)
    usual = changed_bytes if path.suffix in (".parquet", ".skops", ".gz", ".bin") else changed_text
    by = changed_bytes if chance.random() < 0.4 else BY_MEANING.get(path.suffix, usual)
    path.write_bytes(by(path.read_bytes(), chance))
    if chance.random() < 0.85:
        _make_right(path)


def _make_right(changed: Path) -> None:
    """Write the digest of a changed file into what says so beside it."""
    for name, entry in (("manifest.json", "shards"), ("model.json", "files")):
        path = changed.parent / name
        if path.exists() and path != changed:
            card, digest = json.loads(path.read_text()), hashlib.sha256(changed.read_bytes())
            if changed.name in card[entry]:
                is_shard = entry == "shards"
                of = card[entry][changed.name] if is_shard else card[entry]
                of["sha256" if is_shard else changed.name] = digest.hexdigest()
                path.write_text(json.dumps(card))
