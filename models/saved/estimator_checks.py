"""Estimators built from the bytes of a file; models/saved/checks.py looks at every part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from skops.io._audit import audit_tree, get_tree
from skops.io._persist import read_schema
from skops.io._sklearn import TreeNode

from samuel.errors import UserError
from samuel.models.forms.arrays import members_in
from samuel.models.forms.compiled import MOST_NUMBERS
from samuel.models.saved.checks import CHECKS
from samuel.models.saved.parts import all_in, attributes, is_count

_QUIET = {"n_jobs": None, "verbose": False}
"""A file starts no processes and prints nothing; no prediction depends on them."""


class UnsoundError(ValueError):
    """An estimator holds what no fit leaves."""


def built(content: bytes, trusted: Sequence[str]) -> Any:
    """Return the estimator that the content of a skops file stands for, as `skops.io.loads` does.

    Raises
    ------
    UnsoundError
        The file, or anything in it, holds what no fit leaves.
    Exception
        As `skops.io.loads`.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        schema, context = read_schema(archive)
        tree = get_tree(schema, context, trusted=trusted)
        audit_tree(tree, trusted=trusted)
        for node in all_in(tree):
            if isinstance(node, TreeNode) and not _can_be_made(node.args.construct()):
                raise UnsoundError("its Tree is made of what no fit leaves")
        estimator = tree.construct()
    require_sound_estimator(estimator)
    for thing in all_in(estimator):
        own = {} if isinstance(thing, type) else attributes(thing)
        own.update({name: value for name, value in _QUIET.items() if name in own})
    return estimator


def require_sound_estimator(estimator: Any) -> None:
    """Raise UnsoundError where an estimator, or anything in it, holds what no fit leaves."""
    things = list(all_in(estimator))
    for thing in things:
        if not _has_no_cache(thing):
            raise UnsoundError(f"its {type(thing).__name__} has a cache; set memory=None")
    for kinds, fitted, check in CHECKS:
        for thing in things:
            if isinstance(thing, kinds) and (not fitted or fitted in vars(thing)):
                try:
                    sound = check(thing)
                # what a fit leaves may be missing, or be something else
                except (
                    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
                    UserError,
                ):
                    sound = False
                if not sound:
                    raise UnsoundError(f"its {type(thing).__name__} holds what no fit leaves")


def require_plain(content: bytes) -> None:
    """Raise ValueError unless members are stored as they are, as skops does: nothing inflates.

    Sparse matrices are archives themselves.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for one in archive.infolist():
            if one.compress_type != zipfile.ZIP_STORED or one.file_size != one.compress_size:
                raise UnsoundError("a member of it is compressed, as skops does not")
            member = archive.read(one)
            if member.startswith(b"PK"):
                members_in(member)


def _can_be_made(arguments: Any) -> bool:
    """Return whether a Tree can be made of them: it reads as many classes as it is told."""
    n_features, n_classes, n_outputs = arguments
    return (
        is_count(n_features)
        and is_count(n_outputs)
        and isinstance(n_classes, np.ndarray)
        and n_classes.dtype == np.intp
        and n_classes.shape == (n_outputs,)
        and n_outputs > 0
        and bool(0 < n_classes.min() <= n_classes.max() < MOST_NUMBERS)
    )


def _has_no_cache(thing: Any) -> bool:
    """scikit-learn would write into the folder that `memory` names, and unpickle from it."""
    return isinstance(thing, type) or attributes(thing).get("memory") is None
