"""`manifest.json`: what made a dataset, and which of its shards are whole.

It is written whole or not at all; by runs that can go on after a kill, after each shard.

A dataset that was made of others, or of files, also has `history`, the steps that made it, each
with its `command`, `settings` and `inputs` (names, digests), and `counts`, what the last step
counted on the way.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, cast

from msgspec import Meta

from samuel.common.errors import UserError
from samuel.common.files import holding, require_alone, require_readable
from samuel.common.json_files import read_record, write_json
from samuel.common.versions import version_of
from samuel.games.origins import Origin, origins_of

MANIFEST = "manifest.json"
FORMAT = 1
_MOST = 1 << 48
_AGAIN = "make it again"
_PACKAGES = ("samuel-learning", "numba", "numpy", "pyarrow")
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}\\Z")]
ShardName = Annotated[str, Meta(pattern=r"^(games|part)-[0-9]+\.parquet\Z")]
ManifestSettings = dict[str, Any]


class Shard(TypedDict):
    """Entry of the manifest about a shard: its games and rows, and the digest of its file."""

    games: Annotated[int, Meta(ge=1, le=_MOST)]
    rows: Annotated[int, Meta(ge=1, le=_MOST)]
    sha256: Digest


class Input(TypedDict):
    """Source of a dataset: another one, or a file."""

    name: str
    sha256: str
    positions: NotRequired[Count]
    settings: NotRequired[ManifestSettings]


class HistoryStep(TypedDict):
    """A step of a dataset's history."""

    command: str
    settings: ManifestSettings
    inputs: list[Input]


class Manifest(TypedDict):
    """Contents of `manifest.json`."""

    format: int
    game: str
    settings: ManifestSettings
    evaluator_digest: str | None
    games: Count
    positions: Count
    seconds: float
    complete: bool
    shards: dict[ShardName, Shard]
    versions: NotRequired[dict[str, str | None]]
    history: NotRequired[list[HistoryStep]]
    plugins: NotRequired[list[Origin]]
    counts: NotRequired[dict[str, Count | dict[str, Count | str]]]


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a dataset, a `Manifest`."""
    manifest = read_record(folder / MANIFEST, Manifest, "a dataset", _AGAIN, format=FORMAT)
    return cast(dict[str, Any], manifest)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest with its shards in order and their rows added up."""
    manifest["shards"] = dict(sorted(manifest["shards"].items()))
    manifest["positions"] = sum(shard["rows"] for shard in manifest["shards"].values())
    write_json(folder / MANIFEST, manifest)


def begin_manifest(folder: Path, mine: dict[str, Any], games: int | None) -> dict[str, Any]:
    """Return the manifest to go on with: a new one, or that of the same run."""
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
        _require_same_run(manifest, mine, games, folder)
        dropped = _drop_damaged(manifest, folder)
        same = manifest["games"] if games is None else games
        manifest["complete"] = manifest["complete"] and manifest["games"] == same and not dropped
        manifest["games"] = same
        return manifest
    counts = {"games": games or 0, "positions": 0, "seconds": 0.0, "complete": False}
    versions = {package: version_of(package) for package in _PACKAGES}
    players = filter(None, [mine["settings"].get("evaluator")])
    about = {"plugins": origins_of(mine["game"], evaluators=players), "versions": versions}
    manifest = {"format": FORMAT, **mine, **counts, **about, "shards": {}}
    write_manifest(folder, manifest)
    return manifest


def _require_same_run(
    manifest: dict[str, Any], mine: dict[str, Any], games: int | None, folder: Path
) -> None:
    theirs, asked = manifest["settings"], mine["settings"]
    for name in asked | theirs:
        then, now = theirs.get(name), asked.get(name)
        if then != now:
            raise UserError(
                f"{folder} contains another run ({name} {then}, not {now}); "
                "choose another folder, or delete it"
            )
    if manifest["evaluator_digest"] != mine["evaluator_digest"]:
        raise UserError(
            f"{folder} contains another run: {theirs.get('evaluator')} has changed since; choose "
            "another folder, or delete it"
        )
    if manifest.get("history") != mine.get("history"):
        raise UserError(
            f"{folder} contains another run, made from other input; choose another folder, or "
            "delete it"
        )
    if games is not None and manifest["games"] > games:
        raise UserError(
            f"{folder} already has {manifest['games']} games; give at least that many --games"
        )


def _drop_damaged(manifest: dict[str, Any], folder: Path) -> int:
    """Forget shards that are missing or altered, so that they are made anew; return how many."""
    dropped = 0
    for name, shard in list(manifest["shards"].items()):
        path = folder / name
        if not path.is_file() or file_digest(path) != shard["sha256"]:
            del manifest["shards"][name]
            dropped += 1
    return dropped


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; raise UserError where it cannot be read."""
    require_readable(path)
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go when the process ends, however."""
    require_alone(folder, MANIFEST)
    is_new = not (folder / MANIFEST).exists()
    with holding(folder):
        try:
            yield
        except BaseException:
            if is_new and not any(folder.glob("*.parquet")):
                (folder / MANIFEST).unlink(missing_ok=True)
            raise
