"""One decorator over `numba.njit`, with a disk cache that is right after any edit.

`@jit` marks a helper: it is compiled into whatever calls it. `@jit(SIGNATURE)` marks an entry
point: compiled for that signature alone, on first use, and kept on disk. Whoever waits for a
compilation hears of it, in one line before it begins.

The last functions are what is changed in numba itself, tested with numba 0.68; its results stay.
Each can be deleted: what is lost is time, and with the last two now and then a Ctrl-C.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types as python_types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, typeinfer, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.pythonapi import _unboxers
from numba.core.registry import CPUDispatcher
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import Signature
from numba.experimental.function_type import unbox_function_type
from numba.extending import NativeValue

from samuel.kernels.cache import Cache
from samuel.kernels.digest import DECLARED, instructions
from samuel.kernels.linked import EntryCompiler, Helper
from samuel.kernels.waiting import compiling

SECONDS_PER_INSTRUCTION = 0.0006
"""Seconds for an instruction of Python's byte code: 15,000 for a first search, in 9 seconds."""

_SETTINGS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}

DISABLED = bool(numba.config.DISABLE_JIT)
"""True if kernels run as plain Python (`NUMBA_DISABLE_JIT=1`)."""


def _wrapped(kind: Any, value: Any) -> Any:
    """Return a number as an integer type has it; what does not fit wraps, as in machine code."""
    whole = int(value) & ((1 << kind.bitwidth) - 1)
    return np.uint64(whole).astype(kind.name)


if DISABLED:
    _integer: Any = types.Integer
    _integer.cast_python_value = _wrapped
    # hashes and random numbers are meant to
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


def jit(target: Any = None, **options: Any) -> Any:
    """Compile a function with numba: `@jit` for a helper, `@jit(SIGNATURE)` for an entry point.

    Parameters
    ----------
    target
        Function, or a numba signature such as `int64(ROW, MOVES)`.
    **options
        Options for `numba.njit`, such as `fastmath`.

    Returns
    -------
    Callable
        Compiled function. With NUMBA_DISABLE_JIT=1 it is the Python function itself.

    Examples
    --------
    >>> import samuel
    >>> @samuel.jit
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
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


def first_paragraph(function: Any) -> str:
    """Return in one line how the docstring of a function begins, compiled or not; "" for none."""
    text = inspect.getdoc(getattr(function, "py_func", function)) or ""
    return " ".join(text.split("\n\n")[0].split())


def make_ready(functions: Iterable[Any]) -> None:
    """Compile or load entry points now, so that it is not part of what is timed next."""
    entries = [f for f in functions if isinstance(f, EntryPoint) and f.is_waiting]
    if not entries:
        return
    with global_compiler_lock:  # another thread may be compiling: wait for the result
        uncached = [entry for entry in entries if not entry.is_cached]
        expected = SECONDS_PER_INSTRUCTION * instructions(uncached, _was_needed)
        with compiling.announced(expected):
            for entry in entries:
                entry.load_or_compile()


def _was_needed(function: Any) -> bool:
    return isinstance(function, Helper) and function.was_needed


class EntryPoint(CPUDispatcher):
    """A compiled function with one declared signature, loaded or compiled on first use."""

    def __init__(
        self, function: Callable[..., Any], signature: Signature, options: dict[str, Any]
    ) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=EntryCompiler)
        self._helper = Helper(function, options)  # as a part of the kernels that call it
        self.declared = signature
        function.__dict__[DECLARED] = signature
        self._cache = Cache(function)

    @property
    def is_waiting(self) -> bool:
        """True if it is still to be loaded or compiled."""
        return bool(self._can_compile)

    @property
    def is_cached(self) -> bool:
        """True if its machine code is on disk."""
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
        """Keep the addresses of the machine code, which `samuel.kernels.jit` reads."""
        (compiled,) = self.overloads.values()
        address_of, names = compiled.library.get_pointer_to_function, compiled.fndesc
        self.jit_address = address_of(names.llvm_func_name)
        self.wrapper_address = address_of(names.llvm_cfunc_wrapper_name)  # last: it is asked for

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        self.ready()
        return self  # numba calls what is returned here: now with the overload in place

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call from another kernel: always the declared signature, never a literal's."""
        if not self._helper.was_needed:
            self._cache_misses[self.declared] += 1
        template, signature, _, _ = self._helper.inside.get_call_template(self.declared.args, {})
        return template, signature, args, kws

    def get_overload(self, sig: Any) -> Any:
        """Return what a call from another kernel calls."""
        return self._helper.inside.get_overload(self.declared.args)

    @property
    def is_compiling(self) -> Any:
        """True if it is being compiled, alone or into another: then a call is a recursion."""
        return super().is_compiling or self._helper.inside.is_compiling

    def get_compile_result(self, sig: Signature) -> Any:
        """Return the machine code of a function pointer of type `sig`."""
        self.ready()
        return super().get_compile_result(sig)


_Function: Any = BaseFunction
_resolve_call = _Function.get_call_type
_operators: dict[Any, tuple[Any, Any]] = {}


def _resolve_operator_once(self: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """Resolve `+`, `<` and their like once for each kind of operands."""
    if keywords or getattr(self.typing_key, "__module__", None) != "_operator":
        return _resolve_call(self, context, arguments, keywords)
    key = self.key, arguments
    if key in _operators:
        signature, implementation = _operators[key]
        self._impl_keys[signature.args] = implementation
        return signature
    signature = _resolve_call(self, context, arguments, keywords)
    if signature is not None:
        _operators[key] = signature, self._impl_keys[signature.args]
    return signature


_Function.get_call_type = _resolve_operator_once


def _unbox_function(numba_type: Any, entry: Any, c: Any) -> Any:
    """Take a function pointer from Python: read the addresses that an EntryPoint keeps."""
    builder, api = c.builder, c.pyapi
    value = cgutils.alloca_once(builder, c.context.get_value_type(numba_type))
    is_error = cgutils.alloca_once_value(builder, cgutils.false_bit)
    wrapper = api.object_getattr_string(entry, "wrapper_address")
    with builder.if_else(cgutils.is_null(builder, wrapper)) as (otherwise, then):
        with otherwise:  # not compiled yet, or no EntryPoint
            api.err_clear()
            slow = unbox_function_type(numba_type, entry, c)
            builder.store(slow.value, value)
            builder.store(slow.is_error, is_error)
        with then:
            machine_code = api.object_getattr_string(entry, "jit_address")
            pointer = cgutils.create_struct_proxy(numba_type)(c.context, builder)
            pointer.c_addr = api.long_as_voidptr(wrapper)
            pointer.jit_addr = api.long_as_voidptr(machine_code)
            pointer.py_addr = builder.ptrtoint(entry, c.context.get_value_type(types.voidptr))
            api.decref(wrapper)
            api.decref(machine_code)
            builder.store(pointer._getvalue(), value)
    return NativeValue(builder.load(value), is_error=builder.load(is_error))


_unboxers.functions[types.FunctionType] = _unbox_function

# numba's C code asks for the type of a function and drops whatever that raises: as this is no
# Python code, nothing is.
_Dispatcher: Any = Dispatcher
_Dispatcher._numba_type_ = property(operator.attrgetter("_type"))
