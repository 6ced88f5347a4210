"""What a user's file may import: the Python files that lie beside it, too.

`python game.py` puts the file's folder first among all places, for whatever is imported by anybody.
Here the files beside a plugin are seen by it and by them alone: nothing of ours, and nothing that
is installed, is shadowed for another module.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from samuel.errors import UserError

_NEVER = sys.stdlib_module_names | {"samuel"}
"""What a file beside does not stand for, whatever it is called."""


def builtins_for(file: Path, load: Callable[[Path], ModuleType]) -> dict[str, Any]:
    """Return builtins whose `import` finds the files beside `file`.

    CPython takes them from `__builtins__` among the globals of the code that imports, so also when
    a function of the file imports later.

    Parameters
    ----------
    load
        What runs a file, once, and returns its module.
    """

    def import_(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        beside = file.with_name(f"{name.partition('.')[0]}.py")
        is_meant = not level and "." not in name and name not in _NEVER
        if is_meant and beside != file and beside.is_file():
            return _loaded(beside, load)
        return builtins.__import__(name, globals, locals, fromlist, level)

    return vars(builtins) | {"__import__": import_}


def _loaded(file: Path, load: Callable[[Path], ModuleType]) -> ModuleType:
    try:
        return load(file)
    except UserError as error:
        if isinstance(error.__cause__, ImportError):  # which whoever imports may expect
            raise error.__cause__ from None
        raise
