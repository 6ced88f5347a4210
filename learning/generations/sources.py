"""Sources of a learning run outside its options: the rules, and files of the user.

The state of the run keeps their digests: a run whose game, recipe, shapes or openings have changed
is refused. The digest of the rules is of random games, whatever file they come from. Imports of a
recipe are not watched; the features that a model reads are, by its card.

The run's folder has copies of the files, for the user: no code is ever run from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.files import whole
from samuel.games.plugins import loaded_plugins, plugins_behind
from samuel.games.sound import rules_digest
from samuel.learning.fitting.recipes import file_of
from samuel.learning.generations.run import SOURCES, Run
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.selfplay.openings.books import book_file

_RULES, _MODEL, _BOOK = "rules", "model", "openings"


def sources_of(options: LearnOptions) -> dict[str, str]:
    """Return the digests of the rules, and of the files that model and openings come from."""
    files = {name: _digest(_content(file)) for name, file in _named_files(options).items()}
    return {_RULES: rules_digest(options.rules)} | files


def _named_files(options: LearnOptions) -> dict[str, Path]:
    """Return the files that model and openings come from, where they do."""
    files = {_MODEL: file_of(options.model), _BOOK: book_file(options.selfplay.openings)}
    return {name: file for name, file in files.items() if file is not None}


def require_same_sources(run: Run) -> None:
    """Raise UserError where the rules, or files of model or openings, have changed."""
    now, then = sources_of(run.options), run.sources
    if now[_RULES] != then.get(_RULES):
        newest = _newest_copy_of_rules(run)
        raise UserError(
            f"the rules of {run.options.game} have changed since the start of {run.folder}; "
            f"restore them{f' from {newest}' if newest else ''}, or choose another folder"
        )
    for name, file in _named_files(run.options).items():
        if now[name] != then.get(name):
            copy = _copy_in(run.folder / SOURCES, then.get(name, "")) or "a copy"
            raise UserError(
                f"{file} has changed since the start of {run.folder}; restore it from {copy}, or "
                "choose another folder"
            )


def keep_sources(run: Run) -> None:
    """Copy the files of the user's that are not kept yet."""
    checked(run.options)  # loads the file of a recipe
    require_same_sources(run)
    folder = run.folder / SOURCES
    for path, content in _files(run.options):
        digest = _digest(content)
        if not _copy_in(folder, digest):
            with whole(folder / f"{path.stem}-{digest}{path.suffix}") as partial:
                partial.write_bytes(content)


def _copy_in(folder: Path, digest: str) -> Path | None:
    """Return the copy of a file in the folder of sources, or None where there is none."""
    copies = folder.iterdir() if folder.is_dir() else ()
    return next((copy for copy in copies if copy.stem.endswith(f"-{digest}")), None)


def _newest_copy_of_rules(run: Run) -> Path | None:
    """Return the newest copy of the file that has the run's game now: its rules were accepted."""
    stems = [Path(plugin.path).stem for plugin in plugins_behind(run.options.game)]
    copies = [copy for stem in stems for copy in (run.folder / SOURCES).glob(f"{stem}-*.py")]
    return max(copies, key=lambda copy: copy.stat().st_mtime, default=None)


def _files(options: LearnOptions) -> Iterator[tuple[Path, bytes]]:
    """Yield the files that may matter: those that were run, the model's shapes, and openings."""
    for plugin in loaded_plugins():
        yield Path(plugin.path), _content(Path(plugin.path))
    for file in _named_files(options).values():
        yield file, _content(file)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror or error})") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
