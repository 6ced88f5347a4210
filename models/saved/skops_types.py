"""The types that an estimator's file may hold without a person naming them.

skops trusts arrays, numbers, containers, ufuncs and all public estimators of scikit-learn. Some of
these estimators predict in compiled code that goes where the numbers in the file say: support
vectors, neighbours, centres, and all that makes sparse matrices. They are left to the person, as
trees are, which skops does not trust either; so are those that open files. On the other hand parts
of estimators are added that skops does not know: they hold numbers, arrays and other parts, and
their constructors keep what they are given. Decision 020 has the reasons.
"""

from __future__ import annotations

import functools

_PACKAGES = (
    "_loss calibration compose cross_decomposition decomposition discriminant_analysis dummy "
    "ensemble feature_selection gaussian_process impute isotonic kernel_approximation kernel_ridge "
    "linear_model model_selection multiclass naive_bayes neural_network pipeline preprocessing "
    "semi_supervised tree"
)
"""Packages of scikit-learn whose estimators predict by Python, numpy and scipy, except those of
`_BY_NUMBERS`, some of them in a fit that goes on."""
_BY_NUMBERS = (
    "DictionaryLearning LatentDirichletAllocation MiniBatchDictionaryLearning MiniBatchNMF NMF "
    "SparseCoder HistGradientBoostingClassifier HistGradientBoostingRegressor _BinMapper "
    "ElasticNet Lasso MultiTaskElasticNet MultiTaskLasso KBinsDiscretizer OneHotEncoder "
    "SGDClassifier SGDOneClassSVM SGDRegressor VotingClassifier"
)

_OWN = (
    "features.transformer.Features",
    "features.transformer.Positions",
    "models.sparse_network.SparseNetwork",
    "models.staged.Staged",
    "models.tapered.TaperedLogistic",
)
"""Types of ours that predict without compiled code, or by code that checks."""
_WAYS = ("ObjectNode", "FunctionNode", "DictNode", "TupleNode", "JsonNode", "CachedNode")
"""Nodes by which skops reads the parts that are trusted here."""
_PARTS = {
    "_loss.loss": "HalfTweedieLoss HalfTweedieLossIdentity",
    "calibration": "_CalibratedClassifier _SigmoidCalibration _TemperatureScaling",
    "compose._column_transformer": "_RemainderColsList",
    "feature_selection._univariate_selection": "chi2 f_classif f_regression r_regression",
    "gaussian_process._gpc": "_BinaryGaussianProcessClassifierLaplace",
    "gaussian_process.kernels": "CompoundKernel ConstantKernel DotProduct ExpSineSquared "
    "Exponentiation Matern PairwiseKernel Product RBF RationalQuadratic Sum WhiteKernel",
    "impute._iterative": "_ImputerTriplet",
    "metrics._scorer": "_CurveScorer _MultimetricScorer _PassthroughScorer _Scorer",
    "model_selection._split": "GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut "
    "LeavePGroupsOut LeavePOut PredefinedSplit RepeatedKFold RepeatedStratifiedKFold ShuffleSplit "
    "StratifiedGroupKFold StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit "
    "_CVIterableWrapper",
    "multiclass": "_ConstantPredictor",
    "neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
    "svm._classes": "LinearSVC LinearSVR",
    "utils._bunch": "Bunch",
    "utils._metadata_requests": "MetadataRequest MethodMetadataRequest",
}


@functools.cache
def parts() -> frozenset[str]:
    """Return the names of types that skops does not trust and that are read all the same."""
    from sklearn.metrics import get_scorer, get_scorer_names

    # scikit-learn's figures: functions of two arrays
    figures = {getattr(get_scorer(name), "_score_func", None) for name in get_scorer_names()}
    return frozenset(
        ["numpy.dtype", *(f"samuel.{name}" for name in _OWN)]
        + [f"{one.__module__}.{one.__name__}" for one in figures if one is not None]
        + [f"sklearn.{module}.{name}" for module, names in _PARTS.items() for name in names.split()]
    )


def is_read_oddly(name: str, way: str) -> bool:
    """Return whether a type is read as no honest file reads it; `way` is the `__loader__` of skops.

    A way may build things without a look at the name, such as sparse matrices, whose indices scipy
    follows, or call the type with what the file holds.
    """
    if name == "numpy.dtype":
        return way != "DTypeNode"
    return way == "SparseMatrixNode" or (name in parts() and way not in _WAYS)


def goes_by_numbers(name: str) -> bool:
    """Return whether a type is one of scikit-learn's that a person must name, by its full name."""
    package, _, rest = name.partition(".")
    module, kind = rest.partition(".")[0], name.rpartition(".")[2]
    is_vouched_for = module in _PACKAGES.split() and kind not in _BY_NUMBERS.split()
    return package == "sklearn" and not is_vouched_for
