"""One decorator over `numba.njit`, with a disk cache that is right after any edit.

`@jit` marks a helper: it is compiled into whatever calls it. `@jit(SIGNATURE)` marks an entry
point: compiled for that signature alone, on first use, and kept on disk.

numba stamps a cached function with the one file that defines it, so an edit of a helper
elsewhere leaves the old machine code running. Here the name of a cache file holds a digest of
everything the function reaches through its globals: the source files of the functions it calls,
at any distance, and the values of the constants that are frozen into the code. What is reached
through `getattr`, a dictionary of functions or an argument is not seen; function pointers are
arguments, and each function behind one has a cache file of its own.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import sys
import tempfile
import types as python_types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import typeinfer
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typing.templates import Signature

from samuel.errors import UserError
from samuel.kernels import linked
from samuel.kernels.linked import EntryCompiler, Helper
from samuel.kernels.waiting import compiling

LIBRARIES = {"numba", "numpy", "llvmlite", "math", "builtins", "typing"}
"""Top-level modules whose code is taken as fixed; numba's own cache index holds its version."""

KEPT_VERSIONS = 4
"""Cache files of one function that stay when it is edited: switching branches finds them again."""

SECONDS_PER_INSTRUCTION = 0.0006
"""Of Python's byte code, on a usual machine: 15,000 for a first search, in 9 seconds."""

_DECLARED = "_samuel_signature"
"""Attribute of a function under `@jit(SIGNATURE)`."""

_SETTINGS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}

DISABLED = bool(numba.config.DISABLE_JIT)
"""Whether kernels run as plain Python (`NUMBA_DISABLE_JIT=1`)."""


def jit(target: Any = None, **options: Any) -> Any:
    """Compile a function with numba: `@jit` for a helper, `@jit(SIGNATURE)` for an entry point.

    Parameters
    ----------
    target
        the function, or a numba signature such as `int64(ROW, MOVES)`.
    options
        passed on to `numba.njit` (`fastmath`, `inline`, ...).

    Returns
    -------
    A dispatcher; under `NUMBA_DISABLE_JIT=1` the function itself.
    """
    if isinstance(target, python_types.FunctionType):
        # left to itself, LLVM keeps calls in the innermost loops (3 to 9 % of a search's time)
        options = {"forceinline": True} | options
        if DISABLED:
            return target
        return Helper(target, _SETTINGS | options)
    if target is None:
        return functools.partial(jit, **options)
    return functools.partial(_entry_point, signature=target, options=options)


def _entry_point(
    function: Callable[..., Any], signature: Signature, options: dict[str, Any]
) -> Any:
    if DISABLED:
        return function
    return EntryPoint(function, signature, _SETTINGS | options)


def make_ready(functions: Iterable[Any]) -> None:
    """Compile or load entry points now, so that it is not part of what is timed next."""
    entries = [f for f in functions if isinstance(f, EntryPoint) and f.is_waiting]
    if not entries:
        return
    with global_compiler_lock:  # another thread may be compiling: wait for the result
        expected = SECONDS_PER_INSTRUCTION * _instructions([f for f in entries if not f.is_cached])
        with compiling.announced(expected):
            for entry in entries:
                entry.load_or_compile()


class EntryPoint(CPUDispatcher):
    """A compiled function with one declared signature, loaded or compiled on first use."""

    def __init__(
        self, function: Callable[..., Any], signature: Signature, options: dict[str, Any]
    ) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=EntryCompiler)
        self._inside = Helper(function, options)  # as a part of the kernels that call it
        self.declared = signature
        function.__dict__[_DECLARED] = signature
        self._cache = _Cache(function)

    @property
    def is_waiting(self) -> bool:
        """Whether it is still to be loaded or compiled."""
        return bool(self._can_compile)

    @property
    def is_cached(self) -> bool:
        """Whether its machine code is on disk."""
        return self._cache.has_file

    def ready(self) -> None:
        """Compile the declared signature, or load it from disk, unless that was done."""
        make_ready([self])

    def load_or_compile(self) -> None:
        """Do what `ready` promises; numba's lock is held."""
        if self._can_compile and not self.is_compiling:
            with typeinfer.register_dispatcher(self):
                self.compile(self.declared)
            self._keep_addresses()
            self.disable_compile()

    def _keep_addresses(self) -> None:
        """Keep the addresses of the machine code, which `samuel.games.pointers` reads."""
        (compiled,) = self.overloads.values()
        address_of, names = compiled.library.get_pointer_to_function, compiled.fndesc
        self.jit_address = address_of(names.llvm_func_name)
        self.wrapper_address = address_of(names.llvm_cfunc_wrapper_name)  # last: it is asked for

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        self.ready()
        return self  # numba calls what is returned here: now with the overload in place

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call from another kernel: always the declared signature, never a literal's."""
        if not self._inside.overloads:
            self._cache_misses[self.declared] += 1
        template, signature, _, _ = self._inside.get_call_template(self.declared.args, {})
        return template, signature, args, kws

    def get_overload(self, sig: Any) -> Any:
        """Return what a call from another kernel calls."""
        return self._inside.get_overload(self.declared.args)

    @property
    def is_compiling(self) -> Any:
        """Whether it is being compiled, alone or into another: then a call is a recursion."""
        return super().is_compiling or self._inside.is_compiling

    def get_compile_result(self, sig: Signature) -> Any:
        """Return the machine code behind a function pointer of type `sig`."""
        self.ready()
        return super().get_compile_result(sig)


class _Cache(FunctionCache):
    """numba's cache, found lazily, and never the reason for a failure."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._found = False
        self._enabled = True

    def _find(self) -> None:
        if not self._found:
            super().__init__(self._function)
            self._found = True

    @property
    def cache_path(self) -> str:
        self._find()
        return str(self._cache_path)

    @property
    def has_file(self) -> bool:
        """Whether there is a file to load from."""
        self._find()
        return os.path.exists(self._cache_file._index_path)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Name machine code inside a cache file, whose own name tells the rest.

        numba's key holds a pickle of what a function closes over, which no other process repeats.
        """
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._find()
        try:
            # numba's own would first import all that could be compiled, which takes longer than
            # the rest of a start; machine code needs only the runtime's symbols
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except Exception:  # a damaged file: compile again and write it anew
            with contextlib.suppress(OSError):
                os.unlink(self._cache_file._index_path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        self._find()
        try:
            super().save_overload(sig, data)
            self._impl.locator.prune(self._impl.filename_base)
        except OSError:  # a full or read-only disk costs the next start its time, nothing else
            pass


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
    _locator_classes = (_Locator,)


_Cache._impl_class = _Impl


@functools.cache
def cache_folder() -> Path:
    """Return the folder of compiled code: `SAMUEL_CACHE`, or `samuel` in the user's cache folder.

    Where that cannot be written, a folder for temporary files takes its place.
    """
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    choices = [
        os.environ.get("SAMUEL_CACHE") or Path(base) / "samuel",
        Path(tempfile.gettempdir()) / f"samuel-{os.getuid() if hasattr(os, 'getuid') else ''}",
    ]
    for path in map(Path, choices):
        try:
            choice = path.expanduser().absolute()
            choice.mkdir(mode=0o700, parents=True, exist_ok=True)
            # the files are pickles: a folder that somebody else owns must not be read
            is_ours = not hasattr(os, "getuid") or choice.stat().st_uid == os.getuid()
            if is_ours and os.access(choice, os.W_OK | os.X_OK):
                return choice
        except (OSError, RuntimeError):  # the latter where the user has no home
            continue
    return Path(tempfile.mkdtemp(prefix="samuel-"))


def source_digest(function: Callable[..., Any]) -> str:
    """Return a SHA-256 over all the code and constants that `function` reaches."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__}".encode())
    files = {__file__, linked.__file__}  # how things are compiled counts too
    for kind, content in _reachable(function):
        if kind == "file":
            files.add(content)
        else:
            digest.update(f"{kind} {content}\n".encode())
    for file in sorted(files):
        digest.update(_file_digest(file).encode())
    return digest.hexdigest()


@functools.cache
def _file_digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:  # made by `exec`: the code objects themselves are in the digest
        return "no file"


def _reachable(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield ("file" | "code" | "constant", text) for each thing met on a walk over globals."""
    seen: dict[int, Any] = {}  # constants are never skipped: equal ones may be the same object
    waiting: list[tuple[str, Any]] = [("", function)]
    while waiting:
        name, value = waiting.pop()
        value = getattr(value, "py_func", getattr(value, "_defn", value))
        if id(value) in seen or _is_library(value):
            continue
        if isinstance(value, python_types.FunctionType):
            seen[id(value)] = value
            code = value.__code__
            yield "file", code.co_filename
            text = f"{value.__qualname__} {code.co_code.hex()} {_plain_constants(code)}"
            # the names tell sin from cos where there is no file to read: in a notebook
            yield "code", f"{text} {sorted(_names(code))}"
            waiting.extend(_referenced(value))
        elif isinstance(value, type):
            seen[id(value)] = value
            yield "file", getattr(sys.modules.get(value.__module__), "__file__", None) or ""
            yield "constant", f"{name} {value.__qualname__} {getattr(value, '_fields', '')}"
        elif isinstance(value, np.ndarray):
            content = hashlib.sha256(value.tobytes()).hexdigest()
            yield "constant", f"{name} {value.dtype} {value.shape} {content}"
        elif isinstance(value, tuple):
            waiting.extend((f"{name}[{i}]", item) for i, item in enumerate(value))
            waiting.append((name, type(value)))
            yield "constant", f"{name} {len(value)}"
        elif isinstance(value, bool | int | float | complex | str | bytes | np.generic):
            yield "constant", f"{name} {type(value).__name__} {value!r}"


def _instructions(functions: Iterable[Any]) -> int:
    """Return the size of the code that compiling functions would go through, each helper once."""
    seen: set[int] = set()
    found, count = list(functions), 0
    while found:
        value = found.pop()
        if isinstance(value, Helper) and value.overloads:
            continue  # the helper was needed before
        value = getattr(value, "py_func", getattr(value, "_defn", value))
        if id(value) in seen or _is_library(value):
            continue
        seen.add(id(value))
        if isinstance(value, python_types.FunctionType):
            count += len(value.__code__.co_code) // 2
            found += [part for _, part in _referenced(value)]
        elif isinstance(value, tuple):
            found += value
    return count


def _referenced(function: python_types.FunctionType) -> list[tuple[str, Any]]:
    """Return the globals, attributes of global modules and closure cells that a function names.

    With them its default arguments, and the named tuples of its declared signature, whose fields
    are places in a tuple by the time it is compiled.
    """
    names = sorted(_names(function.__code__))  # in the same order in every process
    found = []
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, python_types.ModuleType):
            found += _attributes(value, names)
        elif value is not None:
            found.append((name, value))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found += [(name, cell.cell_contents) for name, cell in cells]
    found += [("default", value) for value in function.__defaults__ or ()]
    tuples = _tuples_in(function.__dict__.get(_DECLARED))
    return found + [("signature", class_of) for class_of in tuples]


def _attributes(
    module: python_types.ModuleType, names: Iterable[str], depth: int = 4
) -> list[tuple[str, Any]]:
    """Return what of a module, and of modules in it, a function with these names may use."""
    if module.__name__.split(".")[0] in LIBRARIES or depth == 0:
        return []
    found: list[tuple[str, Any]] = []
    for name in sorted(names):
        value = getattr(module, name, None)
        if isinstance(value, python_types.ModuleType):
            found += _attributes(value, names, depth - 1)
        elif value is not None:
            found.append((f"{module.__name__}.{name}", value))
    return found


def _tuples_in(declared: Any) -> Iterator[type]:
    """Yield the classes of the named tuples in a signature, at any depth."""
    if isinstance(declared, Signature):
        for part in (declared.return_type, *declared.args):
            yield from _tuples_in(part)
    elif isinstance(declared, types.FunctionType):
        yield from _tuples_in(declared.signature)
    elif isinstance(declared, types.BaseTuple):
        if isinstance(declared, types.BaseNamedTuple):
            yield declared.instance_class
        for part in declared.types:
            yield from _tuples_in(part)


def _names(code: python_types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, python_types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _plain_constants(code: python_types.CodeType) -> str:
    return repr(
        [_plain_constants(c) if isinstance(c, python_types.CodeType) else c for c in code.co_consts]
    )


def _is_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) if not isinstance(value, np.generic) else None
    return isinstance(module, str) and module.split(".")[0] in LIBRARIES


def compose(name: str, source: str, parts: dict[str, Any], signature: Signature) -> Any:
    """Return the entry point `name` of `source`, a text put together at run time.

    The text sees `parts` as its globals, so its cache file follows their edits as any other's.

    Raises
    ------
    UserError
        A part is no code that numba can compile.
    """
    # numba imports the module of a cached function when it loads it
    namespace = dict(parts) | {"__name__": __name__}
    exec(compile(source, f"{name}.composed", "exec"), namespace)
    return _composed(namespace[name], source, parts.values(), signature)


def compose_closure(function: Callable[..., Any], signature: Signature) -> Any:
    """Return a function that closes over others, put together at run time, as an entry point.

    Raises
    ------
    UserError
        What it closes over is no code that numba can compile.
    """
    parts = [cell.cell_contents for cell in function.__closure__ or ()]
    constants = [part for part in parts if isinstance(part, int | float)]
    return _composed(function, f"{function.__qualname__} {constants}", parts, signature)


def _composed(
    function: Callable[..., Any], text: str, parts: Iterable[Any], signature: Signature
) -> Any:
    """Compile a composition under a qualified name that tells what was put together.

    So one composition is never taken for an earlier version of another, and no two share a
    symbol in the machine code.
    """
    which = hashlib.sha256(text.encode())
    for part in parts:
        plain = getattr(part, "py_func", part)
        code = getattr(plain, "__code__", None)
        if code is not None:
            which.update(f" {code.co_filename} {plain.__qualname__}".encode())
            if plain.__closure__ or plain.__defaults__:
                # made by a function of the user's: one name may stand for several
                which.update(source_digest(plain).encode())
    function.__qualname__ = f"{function.__name__}_{which.hexdigest()[:12]}"
    composed = jit(signature, forceinline=True)(function)
    try:
        make_ready([composed])
    except NumbaError as error:
        raise UserError(_in_one_line(function.__name__, str(error))) from error
    return composed


def _in_one_line(name: str, report: str) -> str:
    """Return what matters of numba's report on a function that somebody else wrote."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", report)
    functions = re.findall(r"<function (\w+) at", text)
    places = [p for p in re.findall(r'File "([^"]+)", line (\d+)', text) if p[0].endswith(".py")]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = next(
        (x for x in lines if not x.startswith(("Failed in", "During"))), "no reason given"
    )
    where = f", line {places[-1][1]} of {Path(places[-1][0]).name}" if places else ""
    hint = " (a function that kernels call needs @jit)" if "Untyped global" in reason else ""
    return f"{functions[-1] if functions else name} cannot be compiled{where}: {reason}{hint}"
