"""Helpers: functions that are compiled into whatever calls them, and optimised there, once.

numba makes of each function a library of its own: wrappers for calls from Python, all of LLVM's
passes, machine code. A called function is then linked into its caller and optimised again, with
each function above it again. Only the last of these is of use: here the library of a helper holds
the code as it was written, and linked code is optimised once, in the entry point.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from llvmlite import binding
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher


class _LinkedLibrary(JITCodeLibrary):
    """The code of a helper, to be linked into an entry point: never optimised or run alone."""

    def finalize(self) -> None:
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the code with all that it calls, for a function under numba's own decorator."""
        whole = super()._get_module_for_linking().clone()
        for library in _all_of(self._linking_libraries):
            whole.link_in(_Part(library)._get_module_for_linking(), preserve=True)
        return whole


class _Part:
    """A library without what it calls, as something to be linked in."""

    def __init__(self, library: Any) -> None:
        self._library, self._reload_init = library, library._reload_init

    def _get_module_for_linking(self) -> Any:
        return JITCodeLibrary._get_module_for_linking(self._library)


class MachineCode(NamedTuple):
    """Stored form of an entry point: its object file, and the names that it defines and needs."""

    name: str
    object_code: bytes
    defined: tuple[str, ...]
    needed: tuple[str, ...]


class EntryLibrary(JITCodeLibrary):
    """The code of an entry point, with the helpers of its helpers, each linked in once."""

    @property
    def machine_code(self) -> MachineCode:
        """Machine code from which `loaded` makes this again."""
        object_code = self._get_compiled_object()
        both = [*self._final_module.functions, *self._final_module.global_variables]
        defined = tuple(value.name for value in both if not value.is_declaration)
        # what nothing uses any more is declared too, and stands in no table of the object file
        declared = (value.name for value in both if value.is_declaration)
        needed = tuple(name for name in declared if name.encode() in object_code)
        return MachineCode(self.name, object_code, defined, needed)

    @classmethod
    def loaded(cls, codegen: Any, code: MachineCode) -> EntryLibrary:
        """Return a library that can be run."""
        for name in code.needed:
            if binding.address_of_symbol(name) is None:
                raise LookupError(f"no {name} to link with")
        library = cls(codegen, code.name)
        library.enable_object_caching()
        library._set_compiled_object(code.object_code)
        library._finalize_final_module()
        library._finalized = True
        codegen._engine._defined_symbols |= set(code.defined)
        return library

    def finalize(self) -> None:
        """Link, optimise and make machine code."""
        self._linking_libraries: list[Any] = [
            _Part(library) for library in _all_of(self._linking_libraries)
        ]
        super().finalize()
        # what a function raises, or prints, is found through its own variable
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._codegen.set_env(variable.name, environment)


def _all_of(libraries: list[Any]) -> Iterator[Any]:
    """Yield libraries and what they need in their turn, each after all that need it."""
    ended: list[Any] = []
    seen = set()
    waiting = [(library, False) for library in libraries]
    while waiting:
        library, is_ended = waiting.pop()
        if is_ended:
            ended.append(library)
        elif library not in seen:
            seen.add(library)
            waiting.append((library, True))
            if isinstance(library, _LinkedLibrary):
                waiting.extend((needed, False) for needed in library._linking_libraries)
    return reversed(ended)


class _HelperCompiler(Compiler):
    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, _LinkedLibrary(target.codegen(), "helper"), *rest)
        self.state.flags.no_compile = True


class EntryCompiler(Compiler):
    """numba's pipeline, ending in an `EntryLibrary`."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        library = EntryLibrary(target.codegen(), "entry point")
        library.enable_object_caching()
        super().__init__(typing, target, library, *rest)


class _Inside(CPUDispatcher):
    """A helper as numba sees it where a kernel calls it."""

    def __init__(self, helper: Helper, options: dict[str, Any]) -> None:
        alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(
            helper.py_func, targetoptions=options | alone, pipeline_class=_HelperCompiler
        )
        self._helper = helper

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call; a number that is written out gets no version of its own."""
        plain = tuple(types.unliteral(kind) for kind in args)
        return super().get_call_template(plain, kws)

    def add_overload(self, cres: Any) -> None:
        """Keep what was compiled, out of the sight of calls from Python."""
        callee = object()
        self.targetctx.insert_user_function(callee, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres._replace(entry_point=callee)

    def get_compile_result(self, sig: Any) -> Any:
        """Return the machine code of a pointer."""
        return self._helper.for_python.get_compile_result(sig)


class Helper:
    """A function for kernels to call; a call from Python compiles it once more, for that alone."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self._options = function, options

    @functools.cached_property
    def inside(self) -> CPUDispatcher:
        """The function where a kernel calls it."""
        return _Inside(self, self._options)

    @functools.cached_property
    def for_python(self) -> CPUDispatcher:
        """The same function, compiled to be called from Python."""
        return CPUDispatcher(
            self.py_func, targetoptions=self._options, pipeline_class=EntryCompiler
        )

    @property
    def was_needed(self) -> bool:
        """True if it was compiled into a kernel before."""
        return "inside" in self.__dict__ and bool(self.inside.overloads)

    @property
    def _numba_type_(self) -> Any:
        return self.inside._numba_type_

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it from Python."""
        return self.for_python(*args, **kwargs)
