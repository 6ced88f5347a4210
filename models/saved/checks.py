"""Estimators from files: numbers that compiled code takes on trust are checked once, after loading.

skops builds an object from trusted types alone, but it believes what they hold. Where
scikit-learn and this package predict in compiled code, indices are followed as they are: a tree
whose child lies beyond its nodes ends the process. Each such type has a check here. What is left is
Python and numpy, which raise.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from scipy.interpolate import BSpline
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.metrics._dist_metrics import DistanceMetric, DistanceMetric32
from sklearn.neighbors._ball_tree import BallTree32, BallTree64
from sklearn.neighbors._base import NeighborsBase
from sklearn.neighbors._kd_tree import KDTree32, KDTree64
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from samuel.features import Patterns
from samuel.features.shapes import PatternSet, pattern_set
from samuel.features.terms import MOST_TABLES, CountTable, Terms
from samuel.games.catalog import known_game
from samuel.models.forms.compiled import MOST_NUMBERS
from samuel.models.patterns.estimators import PatternClassifier, PatternRegressor
from samuel.models.patterns.network_fit import PatternNetwork
from samuel.models.saved.parts import attributes, is_count
from samuel.models.sparse_network import SparseNetwork

_MOST_THREADS = 1024
_KD, _BALL = (KDTree64, KDTree32), (BallTree64, BallTree32)


def _hides_nothing(thing: Any) -> bool:
    """No attribute stands where the class has a method: it would be called in its place."""
    if isinstance(thing, type):
        return True
    found = (inspect.getattr_static(type(thing), name, None) for name in attributes(thing))
    return not any(
        hasattr(one, "__get__") and not hasattr(one, "__set__")
        for one in found
        if not isinstance(one, functools.cached_property)  # whose place this is
    )


def _is_no_guarded_class(thing: type) -> bool:
    """None of the classes with a check stands where an object belongs."""
    return not any(issubclass(thing, kinds) for kinds, *_ in CHECKS if kinds is not object)


def _within(indices: Any, low: Any, high: Any) -> bool:
    return bool(((indices >= low) & (indices < high)).all())


def _tree(tree: Any) -> bool:
    """Children come after their node, so that every way down ends."""
    n = tree.node_count
    if not 0 < n == tree.capacity:  # the arrays below have as many places
        return False
    inner, nodes = tree.children_left != -1, np.arange(n)
    return all(
        _within(children[inner], nodes[inner] + 1, n)
        for children in (tree.children_left, tree.children_right)
    ) and _within(tree.feature[inner], 0, tree.n_features)


def _tree_estimator(model: Any) -> bool:
    return (
        isinstance(model.tree_, Tree)
        and is_count(model.n_features_in_)
        and model.tree_.n_features == model.n_features_in_
    )


def _boosted(model: Any) -> bool:
    """One tree an iteration, all of as many features as the first, which looks at the columns."""
    trees = model.estimators_
    first = trees[0, 0]
    return trees.shape == (len(trees), 1) and all(
        isinstance(tree, BaseDecisionTree)
        and tree.n_features_in_ == first.n_features_in_
        and tree.tree_.value.shape[1:] == (1, 1)
        for tree in trees[:, 0]
    )


def _predictor(predictor: Any) -> bool:
    nodes, bits = predictor.nodes, predictor.raw_left_cat_bitsets
    if nodes.dtype != PREDICTOR_RECORD_DTYPE or nodes.ndim != 1 or len(nodes) == 0:
        return False
    inner, places = nodes["is_leaf"] == 0, np.arange(len(nodes))
    sets = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    return all(
        _within(nodes[child][inner].astype(np.int64), places[inner] + 1, len(nodes))
        for child in ("left", "right")
    ) and (len(sets) == 0 or (bits.shape[1:] == (8,) and _within(sets, 0, len(bits))))


def _are_columns(inner: Any, categorical: Any) -> bool:
    columns, of_sets = inner["feature_idx"], inner["is_categorical"] != 0
    return _within(columns, 0, len(categorical)) and bool(
        np.isin(columns[of_sets], np.flatnonzero(categorical)).all()
    )


def _histogram_boosted(model: Any) -> bool:
    """A node asks for the categories of columns that have some."""
    columns, preprocessor = model.n_features_in_, model._preprocessor
    categorical = model._bin_mapper.is_categorical_
    if preprocessor is not None:
        made = preprocessor.transform(np.zeros((3, columns)))
        if made.shape != (3, columns):
            return False
    return (
        is_count(columns)
        and isinstance(categorical, np.ndarray)
        and categorical.shape == (columns,)
        and all(
            isinstance(predictor, TreePredictor)
            and _are_columns(predictor.nodes[predictor.nodes["is_leaf"] == 0], categorical)
            for iteration in model._predictors
            for predictor in iteration
        )
    )


def _ball_or_kd_tree(tree: Any) -> bool:
    data, places, nodes, bounds, leaf_size, levels, n_nodes, *_, metric, weights = (
        tree.__getstate__()
    )
    n, d = data.shape
    expected = int(math.log2(max(1, (n - 1) / leaf_size)) + 1) if leaf_size >= 1 else 0
    is_inner = 2 * np.arange(n_nodes) + 1 < n_nodes
    start, end = nodes["idx_start"], nodes["idx_end"]
    return (
        n > 0
        and levels == expected
        and n_nodes == 2**levels - 1 == len(nodes)
        and bounds.shape == (2 if isinstance(tree, _KD) else 1, n_nodes, d)
        and places.shape == (n,)
        and _within(places, 0, n)
        and bool(((start >= 0) & (start <= end) & (end <= n)).all())
        and bool((nodes["is_leaf"][~is_inner] != 0).all())
        and (weights is None or np.shape(weights) == (n,))
        and isinstance(metric, DistanceMetric | DistanceMetric32)
        and _is_metric_of(metric, d)
    )


def _is_metric_of(metric: Any, columns: int) -> bool:
    """Return whether a metric has as many parameters as there are columns, where it has any."""
    name, (_, weights, matrix) = type(metric).__name__, metric.__getstate__()
    if name.startswith("Minkowski"):
        return len(weights) in (0, columns)
    if name.startswith("SEuclidean"):
        return len(weights) == columns
    if name.startswith("Mahalanobis"):
        return len(weights) == columns and matrix.shape == (columns, columns)
    return columns == 2 or not name.startswith("Haversine")


def _neighbours(model: Any) -> bool:
    rows, known, tree = model.n_samples_fit_, model._fit_X, model._tree
    answers = np.asarray(getattr(model, "_y", np.zeros(known.shape[0], int)))
    is_sound = (
        is_count(model.n_features_in_)
        and known.shape == (rows, model.n_features_in_)
        and (tree is None or (isinstance(tree, _KD + _BALL) and tree.data.shape == known.shape))
        and len(answers) == rows
    )
    if is_sound and answers.ndim == 1 and hasattr(model, "classes_"):
        return _within(answers, 0, len(model.classes_))
    return is_sound


def _support_vectors(model: Any) -> bool:
    """The sizes that libsvm works out from one another agree."""
    n, classes = len(model.support_), len(model._n_support)
    pairs = classes * (classes - 1) // 2
    weights = model._dual_coef_
    vectors = model.support_vectors_
    return (
        is_count(model.n_features_in_)
        and classes >= 2
        and model.support_.ndim == 1
        and (callable(model.kernel) or model.kernel == "precomputed" or vectors.shape[0] == n)
        and (callable(model.kernel) or vectors.shape[1] in (0, model.n_features_in_))
        and _within(model.support_, 0, max(1, int(model.shape_fit_[0])))
        and _within(model._n_support, 0, n + 1)
        and (not hasattr(model, "classes_") or int(np.sum(model._n_support, dtype=np.int64)) == n)
        and weights.shape == (classes - 1, n)
        and (not scipy.sparse.issparse(weights) or weights.data.size == (classes - 1) * n)
        and model._intercept_.shape == (pairs,)
        and len(model._probA) == len(model._probB) in (0, pairs)
    )


def _centres(model: Any) -> bool:
    centres = model.cluster_centers_
    return (
        is_count(model.n_features_in_)
        and centres.ndim == 2
        and centres.shape[1] == model.n_features_in_
        and len(centres) > 0
        and centres.flags.c_contiguous
        and 0 < model._n_threads <= _MOST_THREADS
    )


def _spline(spline: Any) -> bool:
    return (
        0 <= spline.k < len(spline.c)
        and spline.t.ndim == 1
        and len(spline.t) >= len(spline.c) + spline.k + 1
        and bool(np.isfinite(spline.t).all() and (np.diff(spline.t) >= 0).all())
    )


def _sparse(matrix: Any) -> bool:
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)  # raises ValueError
    elif hasattr(matrix, "coords"):
        return all(
            _within(place, 0, most) for place, most in zip(matrix.coords, matrix.shape, strict=True)
        )
    return True


def _random(random: Any) -> bool:
    """Places in a generator's own arrays."""
    is_old = isinstance(random, np.random.RandomState)
    state = random.get_state(legacy=False) if is_old else random.bit_generator.state
    places = {"MT19937": state["state"].get("pos", 0), "Philox": state.get("buffer_pos", 0)}
    most = {"MT19937": 624, "Philox": 4}
    return all(0 <= place <= most[name] for name, place in places.items())


def _pattern_set(patterns: Any) -> bool:
    """Its shapes are those of its board, and nothing that is computed came with it."""
    texts = [name for shape in patterns.shapes for name in (shape.name, *shape.squares)]
    return (
        vars(patterns).keys() == {"game", "shapes"}
        and all(type(shape.squares) is tuple for shape in patterns.shapes)
        and all(isinstance(text, str) for text in texts)
        and pattern_set(list(patterns.shapes), patterns.game) == patterns
    )


def _count_table(table: Any) -> bool:
    parts = (table.columns, table.low, table.sizes)
    numbers = (*table.low, *table.sizes)
    return (
        all(type(part) is tuple for part in parts)
        and all(type(column) is str for column in table.columns)
        and all(type(number) is int for number in numbers)
        and table.is_sound
    )


def _terms(terms: Any) -> bool:
    return (
        vars(terms).keys() == {"patterns", "tables"}
        and isinstance(terms.patterns, PatternSet)
        and len(terms.tables) <= MOST_TABLES
        and all(isinstance(table, CountTable) for table in terms.tables)
    )


def _are_knots(knots: Any) -> bool:
    whole = all(type(knot) is int for knot in knots)
    return whole and len(knots) > 0 and bool((np.diff(knots) > 0).all())


def _patterns(transformer: Any) -> bool:
    return (
        transformer.patterns_.game == transformer.game
        and _are_knots(transformer.knots_)
        and len(transformer.knots_) * transformer.patterns_.n_weights < MOST_NUMBERS
    )


def _pattern_estimator(model: Any) -> bool:
    return (
        model.terms_.patterns.game == model.game
        and _are_knots(model.knots_)
        and 0 <= model.knots_[0] <= model.knots_[-1] <= known_game(model.game).most_left
        and type(model.intercept_) is type(model.seen_intercept_) is float
        and _are_plain(np.float32, model.coef_, model.seen_)
        and model.seen_.shape == model.coef_.shape
        and model.form().is_sound
    )


def _pattern_network(model: Any) -> bool:
    layers = (model.steps_, model.biases_, model.inner_, model.inner_biases_, model.outputs_)
    return (
        isinstance(model.linear_, PatternRegressor)
        and model.linear_.game == model.game
        and _are_plain(np.int8, model.rows_)
        and _are_plain(np.float32, *layers)
        and type(model.limit_) is float
        and model.form().is_sound
        # models of earlier versions have none
        and ("squares_" not in vars(model) or _are_squares(model.squares_, len(model.rows_)))
    )


def _are_plain(dtype: Any, *arrays: Any) -> bool:
    """Whether they are what a kernel takes: no subclass, in C's order."""
    return all(type(a) is np.ndarray and a.dtype == dtype and a.flags.c_contiguous for a in arrays)


def _are_squares(squares: Any, n_weights: int) -> bool:
    return (
        _are_plain(np.float32, squares)
        and squares.shape == (n_weights,)
        and bool((squares > 0).all() and np.isfinite(squares).all())
    )


def _sparse_network(model: Any) -> bool:
    (hidden, outputs), (biases, intercept) = model.coefs_, model.intercepts_
    units = len(biases)
    return (
        _are_plain(np.float32, hidden, outputs, biases, intercept)
        and hidden.shape == (model.n_features_in_, units)
        and (outputs.shape, biases.shape, intercept.shape) == ((units, 1), (units,), (1,))
    )


CHECKS: tuple[tuple[Any, str, Callable[[Any], bool]], ...] = (
    (object, "", _hides_nothing),
    (type, "", _is_no_guarded_class),
    (Tree, "", _tree),
    (BaseDecisionTree, "tree_", _tree_estimator),
    ((GradientBoostingRegressor, GradientBoostingClassifier), "estimators_", _boosted),
    (TreePredictor, "", _predictor),
    ((*_KD, *_BALL), "", _ball_or_kd_tree),
    ((scipy.sparse.spmatrix, scipy.sparse.sparray), "", _sparse),
    (NeighborsBase, "_fit_X", _neighbours),
    (BaseLibSVM, "support_vectors_", _support_vectors),
    ((KMeans, MiniBatchKMeans), "cluster_centers_", _centres),
    (BSpline, "", _spline),
    ((np.random.RandomState, np.random.Generator), "", _random),
    (PatternSet, "", _pattern_set),
    (CountTable, "", _count_table),
    (Terms, "", _terms),
    (Patterns, "patterns_", _patterns),
    ((PatternRegressor, PatternClassifier), "coef_", _pattern_estimator),
    (PatternNetwork, "rows_", _pattern_network),
    (SparseNetwork, "coefs_", _sparse_network),
    (
        (HistGradientBoostingRegressor, HistGradientBoostingClassifier),
        "_predictors",
        _histogram_boosted,
    ),
)
"""Types, the attribute that only a fit leaves, and what is checked then.

What a check asks its thing to do relies on things that stand before it.
"""
