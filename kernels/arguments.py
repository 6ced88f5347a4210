"""What numba sees in an array that Python passes to a kernel.

numba's own looks whether it is a masked one, and imports `numpy.ma` for that: as long as reading
a kernel from the disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.typing.typeof import typeof_impl
from numba.np.numpy_support import from_dtype, map_layout

_any_array = typeof_impl.dispatch(np.ndarray)


@typeof_impl.register(np.ndarray)
def _type_of_array(array: Any, context: Any) -> Any:
    if type(array) is not np.ndarray or array.dtype.kind not in "biuf":
        return _any_array(array, context)
    return types.Array(
        from_dtype(array.dtype), array.ndim, map_layout(array), readonly=not array.flags.writeable
    )
