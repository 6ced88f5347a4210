"""Machine code on disk, right after any edit.

numba stamps a cached function with the one file that defines it, so an edit of a helper
elsewhere leaves the old machine code running. Here the name of a cache file holds the digest of
all that the function was made from (`samuel.kernels.digest`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.compiler import compile_result
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime import _nrt_python

from samuel.kernels.digest import source_digest
from samuel.kernels.linked import EntryLibrary

KEPT_VERSIONS = 4
"""Cache files of one function that stay when it is edited: switching branches finds them again."""


class Cache(FunctionCache):
    """numba's cache, found lazily, and never the reason for a failure."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._found = False
        self._enabled = True
        self._cache_file: Any = None
        self._elsewhere: Any = None

    def _find(self) -> None:
        if not self._found:
            super().__init__(self._function)
            self._found = True
            elsewhere = read_only_folder()
            if elsewhere not in (None, Path(self._cache_path)):
                base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
                self._elsewhere = IndexDataCacheFile(str(elsewhere), base, stamp)

    @property
    def cache_path(self) -> str:
        """The folder."""
        self._find()
        return str(self._cache_path)

    @property
    def has_file(self) -> bool:
        """True if there is a file to load from."""
        self._find()
        files = filter(None, (self._cache_file, self._elsewhere))
        return any(os.path.exists(file._index_path) for file in files)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Name machine code inside a cache file, whose own name tells the rest."""
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what is on disk, or None where there is nothing that can be used."""
        self._find()
        try:
            # numba's own would first import all that could be compiled, and compile its runtime,
            # which takes longer than the rest of a start; machine code needs only the symbols
            _add_symbols()
            found = self._load_overload(sig, target_context)
            if found is None and self._elsewhere is not None:
                own, self._cache_file = self._cache_file, self._elsewhere
                try:
                    found = self._load_overload(sig, target_context)
                finally:
                    self._cache_file = own
            return found
        except Exception:  # a damaged file: compile again and write it anew
            with contextlib.suppress(OSError):
                os.unlink(self._cache_file._index_path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write what was compiled, where that can be written."""
        self._find()
        try:
            super().save_overload(sig, data)
            self._impl.locator.prune(self._impl.filename_base)
        except OSError:  # a full or read-only disk costs the next start its time, nothing else
            pass


@functools.cache
def _add_symbols() -> None:
    """Let machine code find numba's runtime, as `rtsys.initialize` does before it compiles."""
    for name, address in _nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _Locator(_CacheLocator):
    """Puts all cache files in one folder, each named by the digest of all it was made from."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._digest = source_digest(function)
        self._py_file = function.__code__.co_filename  # numba names it where it cannot cache

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return self._digest[:24]

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> _Locator:
        return cls(function)

    def prune(self, filename_base: str) -> None:
        """Delete all but the newest files of this function's earlier versions."""
        pattern = filename_base.replace(self.get_disambiguator(), "*")
        for ending in (".nbi", ".*.nbc"):
            files = sorted(cache_folder().glob(pattern + ending), key=lambda f: f.stat().st_mtime)
            for old in files[:-KEPT_VERSIONS]:
                old.unlink(missing_ok=True)


class _Impl(CompileResultCacheImpl):
    """Keeps machine code and no more: a start is mostly the reading of these files."""

    _locator_classes = (_Locator,)

    def reduce(self, cres: Any) -> Any:
        """Return what is written: machine code, what it is called by, and constants it names."""
        constants = [(e.env_name, tuple(e.consts)) for e in cres._find_referenced_environments()]
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # of no use any more, and large
        return cres.library.machine_code, cres.fndesc, cres.signature, constants

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return what can be run."""
        code, fndesc, signature, constants = payload
        codegen = target_context.codegen()
        library = EntryLibrary.loaded(codegen, code)
        environments = [_environment(*each) for each in constants]
        own = Environment.from_fndesc(fndesc)
        for environment in (own, *environments):
            codegen.set_env(environment.env_name, environment)
        return compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=own,
            entry_point=target_context.get_executable(library, fndesc, own),
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            lifted=(),
            reload_init=(),
        )


def _environment(name: str, constants: tuple[Any, ...]) -> Environment:
    """Return where compiled code finds its constants."""
    found = lookup_environment(name)
    if found is None:
        found = Environment({})
        found.env_name, found.consts[:] = name, constants
        Environment._memo[name] = found
    return found


Cache._impl_class = _Impl


@functools.cache
def cache_folder() -> Path:
    """Return the folder of compiled code: `SAMUEL_CACHE`, or `samuel` in the user's cache folder.

    Where that cannot be written, a folder for temporary files takes its place; where nothing can,
    it is only read.
    """
    choices = [_wanted_folder()]
    with contextlib.suppress(FileNotFoundError):  # there is no folder for temporary files
        user = os.getuid() if hasattr(os, "getuid") else ""
        choices.append(Path(tempfile.gettempdir()) / f"samuel-{user}")
    for choice in choices:
        with contextlib.suppress(OSError):
            choice.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_trusted(choice) and os.access(choice, os.W_OK | os.X_OK):
                return choice
    try:
        return Path(tempfile.mkdtemp(prefix="samuel-"))
    except OSError:
        return choices[0] if read_only_folder() else Path(os.devnull)


@functools.cache
def read_only_folder() -> Path | None:
    """Return the folder that was wanted for compiled code where it can be read and not written."""
    wanted = _wanted_folder()
    with contextlib.suppress(OSError):
        is_readable = os.access(wanted, os.R_OK | os.X_OK) and not os.access(wanted, os.W_OK)
        return wanted if is_readable and _is_trusted(wanted) else None
    return None


def _wanted_folder() -> Path:
    path = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "samuel"
    path = Path(os.environ.get("SAMUEL_CACHE") or path)
    try:
        return path.expanduser().absolute()
    except (OSError, RuntimeError):  # the current folder is gone, or the user has no home
        return Path(os.devnull) / path.name


def _is_trusted(folder: Path) -> bool:
    """Return whether nobody else can have put files there, which are pickles; root may."""
    if not hasattr(os, "getuid"):
        return True
    about = folder.stat()
    return about.st_uid == os.getuid() or (about.st_uid == 0 and not about.st_mode & 0o022)
