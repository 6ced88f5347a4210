"""Features: numbers read off a position, for fitting and inside the search alike.

`Features`, the scikit-learn transformer, is imported when asked for: scikit-learn takes a second.
"""

from typing import Any

from features.feature import (
    Feature,
    column_names,
    extract,
    extractor,
    feature,
    feature_names,
    features_digest,
    features_named,
)

__all__ = [
    "Feature",
    "Features",
    "column_names",
    "extract",
    "extractor",
    "feature",
    "feature_names",
    "features_digest",
    "features_named",
]


def __getattr__(name: str) -> Any:
    if name == "Features":
        from features.transformer import Features

        return Features
    raise AttributeError(name)
