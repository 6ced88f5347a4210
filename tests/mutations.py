"""Files changed at random, by bytes and by what they mean; a random number generator decides all.

After a change of what a file means, whatever names its digest, rows or size is mostly made right
again: so a reader gets as far as it would with a file that somebody made on purpose.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

EVIL = "evil.py"
"""A file of code beside the changed one, which names it: nothing may run it."""
VICTIM = "../../victim"
"""A folder outside the one that is read: nothing may be written or deleted there."""

NUMBERS: list[Any] = [0, 1, -1, 2, 7, 63, 64, 127, 128, 255, -128, 1 << 15, 1 << 24]
NUMBERS += [1 << 31, -(1 << 31), 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, 1 << 64, 10**18, 10**30]
NUMBERS += [0.5, -0.5, 1e-300, 1e300, -1e300, float("nan"), float("inf"), float("-inf")]
TEXTS = [
    "",
    "x",
    "classic",
    "zero",
    "tic_tac_toe",
    "othello",
    "chess",
    EVIL,
    f"{EVIL}:make",
    VICTIM,
]
TEXTS += [
    f"gtp:touch {VICTIM}/MARK",
    "/dev/zero",
    "/dev/full",
    "..",
    "a/b",
    "\0",
    "\x1b[2J",
    "\ud800",
]
TEXTS += ["9" * 40, "é" * 300, "ridge", "pass", "H1", "-", "%n", "{0}"]
VALUES: list[Any] = [*NUMBERS, *TEXTS, True, False, None, [], {}, [[]], [0] * 50, {"": None}]
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
    for token in sorted(
        chance.sample(tokens, min(len(tokens), chance.choice((1, 1, 2, 5))))[::-1],
        key=lambda t: -t.start(),
    ):
        other = chance.choice(tokens)[0]
        new = chance.choice((other, token[0] * 2, b"", _as_bytes(chance.choice(VALUES))))
        content = content[: token.start()] + new + content[token.end() :]
    if chance.random() < 0.1:
        lines = content.splitlines(keepends=True)
        content = b"".join(chance.sample(lines, len(lines)))
    return content * chance.choice((1,) * 20 + (0, 3))


def _as_bytes(value: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", errors="surrogatepass")


def changed_json(content: Any, chance: random.Random) -> Any:
    """Return what JSON held with an entry changed, taken out, added, doubled or put elsewhere."""
    content = json.loads(json.dumps(content))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(content))
        if not places:
            return chance.choice(VALUES)
        holder, key = chance.choice(places)
        kind = chance.randrange(8)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            other, place = chance.choice(places)
            if other is not holder:  # nothing is to hold itself
                holder[key] = json.loads(json.dumps(other))[place] if key in places else None
        elif kind == 2 and isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), holder[key])
        elif kind == 2:
            holder[chance.choice(TEXTS)] = holder[key]
        elif kind == 3 and isinstance(holder[key], int | float):
            holder[key] = -holder[key] if chance.random() < 0.3 else holder[key] + 1
        elif kind == 4:
            holder[key] = [holder[key]]
        elif kind == 5:
            holder[key] = chance.choice(TEXTS if isinstance(holder[key], str) else NUMBERS)
        else:
            holder[key] = chance.choice(VALUES)
    return content


def _places(content: Any) -> Any:
    keys = content.keys() if isinstance(content, dict) else range(len(content))
    for key in list(keys):
        yield content, key
        if isinstance(content[key], dict | list):
            yield from _places(content[key])


def as_json(content: Any, chance: random.Random) -> bytes:
    """Return JSON; now and then nested very deep, or with an entry that stands there twice."""
    text = json.dumps(content)
    if chance.random() < 0.02:
        text = text.replace("[]", "[" * 5000 + "]" * 5000, 1)
    if chance.random() < 0.05:
        text = text.replace("{", '{"format": 1, ', 1)
    return text.encode()


def changed_lines(content: bytes, chance: random.Random) -> bytes:
    """Return lines of JSON with one of them changed, doubled or taken out."""
    lines = content.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    if chance.random() < 0.15:
        lines[place] *= chance.choice((0, 2))
    else:
        changed = changed_json(json.loads(lines[place]), chance)
        lines[place] = as_json(changed, chance) + b"\n"
    return b"".join(lines)


def changed_array(array: np.ndarray[Any, Any], chance: random.Random) -> np.ndarray[Any, Any]:
    """Return an array with some values, its type, shape or length changed."""
    array = array.copy()
    kind = chance.randrange(8)
    with np.errstate(all="ignore"):
        if kind < 4 and array.size and array.dtype.kind in "iuf":
            flat = array.reshape(-1)
            for _ in range(chance.choice((1, 1, 5))):
                value = chance.choice(NUMBERS)
                if array.dtype.kind == "f":
                    flat[chance.randrange(len(flat))] = float(value)
                else:
                    whole = int(value) if value == value and abs(value) < 1e40 else -1
                    bits = whole % (1 << 8 * array.itemsize)
                    flat[chance.randrange(len(flat))] = np.array([bits], f"u{array.itemsize}").view(
                        array.dtype
                    )[0]
            return flat.reshape(array.shape)
        if kind == 4 and array.dtype.kind in "iuf":
            return array.astype(chance.choice(("i1", "i4", "i8", "u8", "f4", "f8", "?", "U3")))
        if kind == 5:
            return array[: len(array) // 2] if array.ndim else array.reshape(1, 1)
        if kind == 6:
            return np.concatenate([array, array]) if array.ndim else np.array([array, array])
        return array.reshape(-1) if chance.random() < 0.5 else array[None]


def changed_npz(content: bytes, chance: random.Random) -> bytes:
    """Return an archive of arrays with one of them changed, taken out or added."""
    with np.load(io.BytesIO(content)) as read:
        arrays = {name: read[name] for name in read.files}
    if not arrays:
        return changed_bytes(content, chance)
    name = chance.choice(list(arrays))
    if arrays[name].dtype.kind == "U" and arrays[name].ndim == 0:
        text = as_json(changed_json(json.loads(str(arrays[name])), chance), chance)
        arrays[name] = np.array(text.decode())
    elif chance.random() < 0.1:
        del arrays[name]
    elif chance.random() < 0.1:
        arrays["more"] = arrays[name]
    else:
        arrays[name] = changed_array(arrays[name], chance)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def changed_parquet(content: bytes, chance: random.Random) -> bytes:
    """Return a table with a column or rows changed, taken out, added, renamed or retyped."""
    table = pq.read_table(io.BytesIO(content))
    for _ in range(chance.choice((1, 1, 2))):
        table = _changed_table(table, chance)
    file = io.BytesIO()
    try:
        pq.write_table(
            table, file, **chance.choice(({}, {"row_group_size": 7}, {"version": "1.0"}))
        )
    except (pa.ArrowException, ValueError, TypeError):  # what cannot be written cannot be read
        return changed_bytes(content, chance)
    return file.getvalue()


def _changed_table(table: pa.Table, chance: random.Random) -> pa.Table:
    place = chance.randrange(table.num_columns)
    name, column = table.column_names[place], table.column(place)
    kind = chance.randrange(10)
    try:
        if kind < 3 and not pa.types.is_dictionary(column.type):
            values = column.combine_chunks().to_numpy(zero_copy_only=False)
            if values.dtype.kind in "iuf":
                return table.set_column(place, name, pa.array(changed_array(values, chance)))
            return table.set_column(place, name, pa.array(values[::-1]))
        if kind == 3:
            wanted = chance.choice((pa.int8(), pa.int64(), pa.float64(), pa.string(), pa.bool_()))
            return table.set_column(place, name, column.cast(wanted, safe=False))
        if kind == 4:
            return table.drop_columns([name])
        if kind == 5:
            other = chance.choice((*table.column_names, "word_9", "weight", "\0"))
            return table.append_column(other, column)
        if kind == 6:
            values = column.to_pylist()
            values[chance.randrange(len(values))] = None
            return table.set_column(place, name, pa.array(values, column.type))
        if kind == 7:
            return table.slice(0, chance.randrange(len(table) + 1))
        if kind == 8:
            order = list(range(len(table)))
            chance.shuffle(order)
            return table.take(order)
        return pa.concat_tables([table, table])
    except (pa.ArrowException, ValueError, TypeError, IndexError, OverflowError):
        return table.slice(1)


def changed_skops(content: bytes, chance: random.Random) -> bytes:
    """Return the file of an estimator with its schema or another member changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(["schema.json", *members])
    by = BY_MEANING.get(Path(name).suffix, changed_bytes)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member, held in members.items():
            archive.writestr(member, by(held, chance) if member == name else held)
    return file.getvalue()


BY_MEANING: dict[str, Callable[[bytes, random.Random], bytes]] = {
    ".json": lambda content, chance: as_json(changed_json(json.loads(content), chance), chance),
    ".jsonl": changed_lines,
    ".npz": changed_npz,
    ".npy": lambda content, chance: _npy(changed_array(np.load(io.BytesIO(content)), chance)),
    ".parquet": changed_parquet,
    ".skops": changed_skops,
}


def _npy(array: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def mutate(folder: Path, names: list[str], chance: random.Random) -> str:
    """Change one of the files of a folder, and mostly make right what names it; say what was done.

    Parameters
    ----------
    folder
        With the files.
    names
        Those that may be changed.
    chance
        What decides.
    """
    path = folder / chance.choice(names)
    content, by = path.read_bytes(), BY_MEANING.get(path.suffix, changed_text)
    is_bytes = chance.random() < 0.4
    path.write_bytes((changed_bytes if is_bytes else by)(content, chance))
    if chance.random() < 0.85:
        _make_right(folder, path)
    return f"{path.name} by {'bytes' if is_bytes else 'meaning'}"


def _make_right(folder: Path, changed: Path) -> None:
    """Write the digest of a changed file, and its rows, into what says so beside it."""
    digest = hashlib.sha256(changed.read_bytes()).hexdigest()
    for name in ("manifest.json", "model.json"):
        path = changed.parent / name
        if not path.exists() or path == changed:
            continue
        card = json.loads(path.read_text())
        if changed.name in card.get("files", {}):
            card["files"][changed.name] = digest
        if changed.name in card.get("shards", {}):
            shard = card["shards"][changed.name]
            shard["sha256"] = digest
            try:
                shard["rows"] = pq.read_metadata(changed).num_rows
                numbers = pq.read_table(changed, columns=["game_id"])["game_id"].to_numpy()
                shard["games"] = len(np.unique(numbers))
            except Exception:  # it is no table any more
                pass
            card["positions"] = sum(one["rows"] for one in card["shards"].values())
        path.write_text(json.dumps(card))
