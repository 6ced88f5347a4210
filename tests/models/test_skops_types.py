"""Files of estimators made to do harm, and those of before: which types are built, and how."""

import importlib
import io
import json
import os
import zipfile
from inspect import isclass

import numpy as np
import pytest
import skops.io
from sklearn.cluster import FeatureAgglomeration
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.image import PatchExtractor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.metrics._dist_metrics import DistanceMetric, DistanceMetric32
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from samuel.errors import UserError
from samuel.features import Features
from samuel.models.saved.checks import CHECKS
from samuel.models.saved.skops_file import estimator_bytes, read_estimator
from samuel.models.saved.skops_types import reviewed


def edited(content, change):
    """Return the content of a file with its schema changed by `change(schema)`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(buffer, "w") as after:
        schema = json.loads(before.read("schema.json"))
        change(schema)
        for name in set(before.namelist()) - {"schema.json"}:
            after.writestr(name, before.read(name))
        after.writestr("schema.json", json.dumps(schema))
    return buffer.getvalue()


def with_attribute(node):
    """Return the file of a Ridge that holds a node besides."""

    def change(schema):
        schema["content"]["content"]["more"] = node | {"__id__": 10**9}

    return edited(estimator_bytes(Ridge()), change)


def node(loader, name, **more):
    module, _, class_name = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": class_name, **more}


NOTHING = {"__loader__": "TupleNode", "__module__": "builtins", "__class__": "tuple", "content": []}
HOSTILE = {
    "a function": (node("FunctionNode", "os.system"), "os.system"),
    "numpy's": (node("FunctionNode", "numpy.save"), "numpy.save"),
    "scikit-learn's": (node("FunctionNode", "sklearn.utils.os.system"), "sklearn.utils.os.system"),
    "a module's": (node("TypeNode", "subprocess.Popen"), "subprocess.Popen"),
    "a call of a reviewed type": (
        node("ConstructorFromReduceNode", "samuel.features.shapes.Shape", content=NOTHING),
        "samuel.features.shapes.Shape",
    ),
    "a type where attributes are reviewed": (
        node("TypeNode", "sklearn.neighbors._kd_tree.KDTree"),
        "sklearn.neighbors._kd_tree.KDTree",
    ),
    "an instance of what is no estimator": (
        node("ObjectNode", "sklearn.utils._testing.TempMemmap", content=None),
        "sklearn.utils._testing.TempMemmap",
    ),
    "a distance that calls": (
        node("ObjectNode", "sklearn.metrics._dist_metrics.PyFuncDistance64", content=None),
        "PyFuncDistance64",
    ),
    "a method": (
        node(
            "MethodNode",
            "builtins.str",
            content={"func": "format", "obj": node("JsonNode", "builtins.str", content='"x"')},
        ),
        "builtins.str",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_was_not_reviewed_is_refused(name):
    made, named = HOSTILE[name]
    with pytest.raises(UserError, match=f"holds the type .*{named}.*not known to be safe"):
        read_estimator(with_attribute(made), "x.skops")


@pytest.mark.parametrize(
    "reader", [CountVectorizer(input="filename"), FeatureHasher(n_features=4), PatchExtractor()]
)
def test_what_reads_text_and_images_is_refused(reader):
    """skops trusts them; they open what they are given, which a file may say."""
    content = estimator_bytes(make_pipeline(reader, Ridge()))
    with pytest.raises(UserError, match=r"holds the type sklearn\.feature_extraction\..*not known"):
        read_estimator(content, "x.skops")
    name = f"{type(reader).__module__}.{type(reader).__name__}"
    assert read_estimator(content, "x.skops", [name])


@pytest.mark.parametrize(
    "estimator", [Pipeline([("a", Ridge())]), FeatureAgglomeration(pooling_func=np.add)]
)
def test_a_file_names_no_folder_for_a_cache(estimator, tmp_path):
    model = make_pipeline(estimator.set_params(memory=str(tmp_path)))
    with pytest.raises(UserError, match=f"its {type(estimator).__name__} has a cache"):
        read_estimator(skops.io.dumps(model), "x.skops")
    with pytest.raises(UserError, match=r"cannot be saved.*set memory=None"):
        estimator_bytes(model)


def test_a_file_starts_no_processes_and_prints_nothing():
    content = skops.io.dumps(make_pipeline(KNeighborsRegressor(n_jobs=2000), verbose=True))
    back = read_estimator(content, "x.skops")
    assert (back[0].n_jobs, back.verbose) == (None, False)


def test_keys_of_a_dictionary_call_nothing():
    """skops calls the types of keys with the keys: a reviewed type may not stand there."""

    def change(schema):
        types = schema["content"]["key_types"]["content"]
        types[0] |= {"__module__": "sklearn.tree._tree", "__class__": "Tree"}

    with pytest.raises(UserError, match=r"sklearn\.tree\._tree\.Tree"):
        read_estimator(edited(estimator_bytes(Ridge()), change), "x.skops")


@pytest.mark.parametrize("function", [os.path.basename, np.save, os.system])
def test_functions_are_refused_and_ufuncs_are_not(function):
    content = estimator_bytes(FunctionTransformer(function))
    with pytest.raises(UserError, match="not known to be safe"):
        read_estimator(content, "x.skops")
    assert read_estimator(content, "x.skops", [f"{function.__module__}.{function.__name__}"])
    assert read_estimator(estimator_bytes(FunctionTransformer(np.sqrt)), "x").func is np.sqrt


def test_what_compiled_code_reads_is_checked():
    checked = [kinds for kinds, *_ in CHECKS if kinds not in (object, type)]
    for name in reviewed():
        module, _, kind = name.rpartition(".")
        of = importlib.import_module(module)
        found = getattr(of, kind, None)  # not every release of scikit-learn has them all
        if module.startswith("sklearn.") and of.__file__.endswith(".so") and isclass(found):
            # a metric is checked by the tree that holds it
            known = any(issubclass(found, kinds) for kinds in checked)
            assert known or issubclass(found, DistanceMetric | DistanceMetric32), name


def test_types_of_before_have_the_names_of_now():
    """What was written when the packages stood alone is read."""

    def change(schema):
        text = json.dumps(schema).replace('"samuel.features.', '"features.')
        schema.clear()
        schema.update(json.loads(text))

    model = make_pipeline(Features(["squares"], "tic_tac_toe"), KNeighborsRegressor(3))
    content = estimator_bytes(model)
    before = edited(content, change)
    assert before != content
    back = read_estimator(before, "x.skops")
    assert isinstance(back[0], Features)


@pytest.mark.parametrize("content", [b"", b"PK", estimator_bytes(Ridge())[:-30]])
def test_what_is_no_file_of_skops(content):
    with pytest.raises(UserError, match="damaged: it holds no estimator"):
        read_estimator(content, "x.skops")
