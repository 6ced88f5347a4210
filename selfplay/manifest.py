"""`manifest.json`: what made a dataset, and which of its shards are whole.

It is written whole or not at all; by runs that can go on after a kill, after each shard.

A dataset that was made of others, or of files, also has `history`, the steps that made it, each
with its `command`, `settings` and `inputs` (names, digests), and `counts`, what the last step
counted on the way.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from samuel.errors import UserError
from samuel.files import LOCK, PARTIAL, holding, read_json, write_json

MANIFEST = "manifest.json"
FORMAT = 1
_SHARD_NAME = re.compile(r"(games|part)-\d+\.parquet")
_ENTRIES: dict[str, Any] = {
    "game": str,
    "settings": dict,
    "evaluator_digest": str | None,
    "games": int,
    "positions": int,
    "seconds": int | float,
    "complete": bool,
    "shards": dict,
}
_OPTIONAL: dict[str, Any] = {"history": list, "counts": dict}
_SHARD: dict[str, Any] = {"games": int, "rows": int, "sha256": str}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a dataset.

    Raises
    ------
    UserError
        It is missing, damaged, or of another version.
    """
    path = folder / MANIFEST
    manifest = read_json(path, "a dataset")
    if manifest.get("format") != FORMAT:
        raise UserError(
            f"{path} is damaged, or of another version of samuel "
            f"(format {manifest.get('format')}, not {FORMAT}); make it anew"
        )
    wrong = [
        name
        for name, kind in (_ENTRIES | _OPTIONAL).items()
        if not (isinstance(manifest[name], kind) if name in manifest else name in _OPTIONAL)
    ]
    if not wrong and not all(_is_shard(*shard) for shard in manifest["shards"].items()):
        wrong = ["shards"]
    if wrong:
        raise UserError(f"{path} is damaged: {wrong[0]!r} is missing or wrong; make it anew")
    return manifest


def _is_shard(name: str, shard: Any) -> bool:
    return (
        _SHARD_NAME.fullmatch(name) is not None
        and isinstance(shard, dict)
        and all(isinstance(shard.get(key), kind) for key, kind in _SHARD.items())
    )


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest with its shards in order and their rows added up."""
    manifest["shards"] = dict(sorted(manifest["shards"].items()))
    manifest["positions"] = sum(shard["rows"] for shard in manifest["shards"].values())
    write_json(folder / MANIFEST, manifest)


def begin_manifest(folder: Path, mine: dict[str, Any], games: int | None) -> dict[str, Any]:
    """Return the manifest to go on with: a new one, or that of the same run.

    Parameters
    ----------
    folder
        Of the dataset; this process holds it (`hold`).
    mine
        The entries `game`, `settings` and `evaluator_digest` of this run, and `history` where
        it starts from other datasets or files.
    games
        How many it is asked for; None where the run itself finds out.

    Raises
    ------
    UserError
        The folder holds another run, or more games.
    """
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
        _require_same_run(manifest, mine, games, folder)
        dropped = _drop_damaged(manifest, folder)
        same = manifest["games"] if games is None else games
        manifest["complete"] = manifest["complete"] and manifest["games"] == same and not dropped
        manifest["games"] = same
        return manifest
    counts = {"games": games or 0, "positions": 0, "seconds": 0.0, "complete": False}
    manifest = {"format": FORMAT, **mine, **counts, "versions": _versions(), "shards": {}}
    write_manifest(folder, manifest)
    return manifest


def _require_same_run(
    manifest: dict[str, Any], mine: dict[str, Any], games: int | None, folder: Path
) -> None:
    theirs = manifest["settings"]
    for name, value in mine["settings"].items():
        if theirs.get(name) != value:
            raise UserError(
                f"{folder} holds another run ({name} {theirs.get(name)}, not {value}); "
                "choose another folder, or delete it"
            )
    if manifest["evaluator_digest"] != mine["evaluator_digest"]:
        raise UserError(
            f"{folder} holds another run: {theirs.get('evaluator')} was another evaluator then; "
            "choose another folder, or delete it"
        )
    if manifest.get("history") != mine.get("history"):
        raise UserError(
            f"{folder} holds another run: what it was made from was not the same; "
            "choose another folder, or delete it"
        )
    if games is not None and manifest["games"] > games:
        raise UserError(f"{folder} was asked for {manifest['games']} games; ask for that or more")


def _drop_damaged(manifest: dict[str, Any], folder: Path) -> int:
    """Forget shards that are missing or altered, so that they are made anew; return how many."""
    dropped = 0
    for name, shard in list(manifest["shards"].items()):
        path = folder / name
        if not path.exists() or file_digest(path) != shard["sha256"]:
            del manifest["shards"][name]
            dropped += 1
    for leftover in folder.glob(f"*{PARTIAL}"):
        leftover.unlink(missing_ok=True)
    return dropped


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _require_room(folder: Path) -> None:
    """Raise UserError where something other than a dataset lies in the folder."""
    if not folder.is_dir() or (folder / MANIFEST).exists():
        return  # a file in the way is refused when writing
    others = [f.name for f in folder.iterdir() if f.name != LOCK and not f.name.endswith(PARTIAL)]
    if others:
        raise UserError(f"{folder} holds other files ({others[0]}, ...); choose another folder")


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go when the process ends, however.

    Raises
    ------
    UserError
        It holds other files, which stay alone there, or another process holds it.
    """
    _require_room(folder)
    with holding(folder):
        yield


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for package in ("samuel-learning", "numba", "numpy", "pyarrow"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from its sources
            found[package] = None
    return found
