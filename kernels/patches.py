"""What is changed in numba itself, for the sake of time; its results stay.

Tested with numba 0.68. Each of these can be deleted: what is lost is seconds, and with the last two
now and then a Ctrl-C.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher
from numba.core.pythonapi import _unboxers
from numba.core.types.functions import BaseFunction
from numba.core.typing.typeof import typeof_impl
from numba.experimental.function_type import unbox_function_type
from numba.extending import NativeValue
from numba.np.numpy_support import from_dtype, map_layout

_any_array = typeof_impl.dispatch(np.ndarray)
_Function: Any = BaseFunction
_resolve_call = _Function.get_call_type
_operators: dict[Any, tuple[Any, Any]] = {}


@typeof_impl.register(np.ndarray)
def _type_of_array(array: Any, context: Any) -> Any:
    """Type a plain array.

    numba looks whether it is a masked one, and imports `numpy.ma` to know: as long as reading a
    kernel from the disk.
    """
    if type(array) is not np.ndarray or array.dtype.kind not in "biuf":
        return _any_array(array, context)
    return types.Array(
        from_dtype(array.dtype), array.ndim, map_layout(array), readonly=not array.flags.writeable
    )


def _resolve_operator_once(self: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """Resolve `+`, `<` and their like once for each kind of operands.

    numba tries its templates in turn at every place where one stands, NumPy's ufuncs among them: a
    seventh of the time that a first search compiles. The key of the function holds its templates,
    so those that are registered later are tried.
    """
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

# Run for each function that is compiled, it imports some thirty modules anew; they stay the same.
CPUContext.load_additional_registries = functools.cache(CPUContext.load_additional_registries)


def _unbox_function(numba_type: Any, entry: Any, c: Any) -> Any:
    """Take a function pointer from Python: read the addresses that an EntryPoint keeps.

    numba would call Python twice a pointer, for 20 us, and may lose a Ctrl-C that comes meanwhile.
    """
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
