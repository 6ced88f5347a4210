"""Features: numbers read off a position, for fitting and inside the search alike.

`Features`, `Patterns` and `Positions`, the scikit-learn transformers, are imported when asked for:
scikit-learn takes a second.
"""

import importlib
from typing import Any

from samuel.features.extraction import extract, extractor, features_digest
from samuel.features.shapes import PatternSet, Shape, pattern_set, set_names
from samuel.games.feature import Feature, column_names, feature, feature_names, features_named

__all__ = [
    "Feature",
    "PatternSet",
    "Shape",
    "column_names",
    "extract",
    "extractor",
    "feature",
    "feature_names",
    "features_digest",
    "features_named",
    "pattern_set",
    "set_names",
]

_LAZY = {
    "Features": "samuel.features.transformer",
    "Patterns": "samuel.features.transformer",
    "Positions": "samuel.features.transformer",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
