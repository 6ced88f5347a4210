"""What may be built from the file of an estimator, type by type and after a look at each.

skops trusts scikit-learn's public estimators where they are given their attributes, numpy's arrays
and numbers, and functions of arrays that numpy and scipy call ufuncs. What fitted estimators hold
besides stands here. Each was read for three things: what its `__setstate__` does, what its
attributes can make its methods call, and what reads its arrays without looking at their bounds
(models/saved/checks.py checks those). A type is known by the way it is read: one that may
be given attributes may not be called with arguments from the file. Decision 025 has the reasons.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

_ATTRIBUTES = "ObjectNode"
"""The way of skops that makes an instance without a call of its constructor."""

_OWN = {
    "features.pattern_transformer": "Patterns",
    "features.shapes": "PatternSet Shape",
    "features.terms": "CountTable Terms",
    "features.transformer": "Features Positions",
    "models.forms.staged": "Staged",
    "models.corrected": "Corrected",
    "models.patterns.estimators": "PatternClassifier PatternRegressor",
    "models.patterns.network_fit": "PatternNetwork",
    "models.signature_tables": "SignatureTables",
    "models.sparse_network": "SparseNetwork",
}
_DISTANCES = (
    "Euclidean SEuclidean Manhattan Chebyshev Minkowski Mahalanobis Hamming Canberra BrayCurtis "
    "Jaccard Dice RogersTanimoto RussellRao SokalMichener SokalSneath Haversine"
)
"""Not PyFunc, which calls a function of the file's."""
_SKLEARN = {
    # losses and links: numbers alone
    "_loss.loss": "HalfTweedieLoss HalfTweedieLossIdentity",
    # calibrators and the parts of meta-estimators: estimators, arrays and names
    "calibration": "_CalibratedClassifier _SigmoidCalibration _TemperatureScaling",
    "compose._column_transformer": "_RemainderColsList",
    "gaussian_process._gpc": "_BinaryGaussianProcessClassifierLaplace",
    "multiclass": "_ConstantPredictor",
    # kernels: numbers, other kernels, and the name of a metric; a metric that is a function is
    # refused as one
    "gaussian_process.kernels": "CompoundKernel ConstantKernel DotProduct ExpSineSquared "
    "Exponentiation Matern PairwiseKernel Product RBF RationalQuadratic Sum WhiteKernel",
    # optimisers, which only a further fit would use
    "neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
    # how a fit was divided and scored: used by a further fit alone
    "model_selection._split": "GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut "
    "LeavePGroupsOut LeavePOut PredefinedSplit RepeatedKFold RepeatedStratifiedKFold ShuffleSplit "
    "StratifiedGroupKFold StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit "
    "_CVIterableWrapper",
    "metrics._scorer": "_CurveScorer _MultimetricScorer _PassthroughScorer _Scorer",
    "utils._metadata_requests": "MetadataRequest MethodMetadataRequest",
    # trees, of decisions and of neighbours: compiled code follows their indices, unchecked
    "ensemble._hist_gradient_boosting.predictor": "TreePredictor",
    "metrics._dist_metrics": " ".join(
        f"{name}Distance{bits}" for name in _DISTANCES.split() for bits in (32, 64)
    ),
    "neighbors._ball_tree": "BallTree BallTree32 BallTree64",
    "neighbors._kd_tree": "KDTree KDTree32 KDTree64",
}
_OTHER_WAYS = {
    _ATTRIBUTES: ["scipy.interpolate._bsplines.BSpline"],
    # skops calls its constructor with three numbers and gives it its arrays
    "TreeNode": ["sklearn.tree._tree.Tree"],
    "DictNode": ["sklearn.utils._bunch.Bunch"],
    "TupleNode": ["sklearn.impute._iterative._ImputerTriplet"],
    "DTypeNode": ["numpy.dtype"],
    "SparseMatrixNode": [
        f"scipy.sparse._{form}.{form}_{kind}"
        for form in ("bsr", "coo", "csc", "csr", "dia")
        for kind in ("array", "matrix")
    ],
    "FunctionNode": [
        f"sklearn.feature_selection._univariate_selection.{name}"
        for name in ("chi2", "f_classif", "f_regression", "r_regression")
    ],
}

REFUSED = "sklearn.feature_extraction."
"""What skops trusts and is refused: it reads text and images, in files that an estimator names
(`input="filename"`), and hashes into no columns at all, which ends the process."""


def _written() -> Iterator[tuple[str, str]]:
    for package, known in (("samuel", _OWN), ("sklearn", _SKLEARN)):
        for module, names in known.items():
            yield from ((f"{package}.{module}.{name}", _ATTRIBUTES) for name in names.split())
    for way, full_names in _OTHER_WAYS.items():
        yield from ((name, way) for name in full_names)


@functools.cache
def own_homes() -> dict[str, str]:
    """Return the module of each type of ours by its name, which stays when files move."""
    return {name: f"samuel.{module}" for module, names in _OWN.items() for name in names.split()}


@functools.cache
def reviewed() -> dict[str, str]:
    """Return the way in which each type may be read that skops itself does not trust."""
    from sklearn.metrics import get_scorer, get_scorer_names

    # scikit-learn's figures: functions of two arrays
    figures = {getattr(get_scorer(name), "_score_func", None) for name in get_scorer_names()}
    scored = {f"{f.__module__}.{f.__name__}": "FunctionNode" for f in figures if f is not None}
    return scored | dict(_written())
