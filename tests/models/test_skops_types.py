"""Files of estimators made to do harm, and those of before: which types are built, and how."""

import importlib
import io
import json
import os
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cross_decomposition import PLSRegression
from sklearn.ensemble import StackingRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVR, LinearSVC
from sklearn.tree import DecisionTreeRegressor

from samuel.common.errors import UserError
from samuel.models.saved.skops_file import estimator_bytes, read_estimator, untrusted_types
from samuel.models.saved.skops_types import _OWN

X = np.random.default_rng(0).normal(size=(40, 2))
y = X[:, 0]


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


def node(loader, full_name, **more):
    module, _, name = full_name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": name, **more}


HOSTILE = {
    "a function": node("FunctionNode", "os.system"),
    "a module's": node("TypeNode", "subprocess.Popen"),
    "an instance": node("ObjectNode", "sklearn.utils._testing.TempMemmap", content=None),
    "a dtype that is called": node(
        "LossNode",
        "numpy.dtype",
        __reduce__={"args": node("TupleNode", "builtins.tuple", content=[])},
        content=node("JsonNode", "builtins.str", content='"x"'),
    ),
    "a method": node(
        "MethodNode",
        "builtins.str",
        content={"func": "format", "obj": node("JsonNode", "builtins.str", content='"x"')},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_nobody_named_is_refused(name):
    def change(schema):
        schema["content"]["content"]["more"] = HOSTILE[name] | {"__id__": 10**9}
        schema["content"]["key_types"]["content"] += [
            node("TypeNode", "builtins.str", __id__=10**9 + 1)
        ]

    with pytest.raises(UserError, match=r"only where you name them.*add --trust \S+ \(in Python"):
        read_estimator(edited(estimator_bytes(Ridge()), change), "x.skops")


@pytest.mark.parametrize("name", ["scipy.sparse._base.sparray", "builtins.list"])
def test_a_sparse_matrix_is_one_under_any_name(name):
    """skops does not look at it, and scipy follows the indices of the file."""
    model = LogisticRegression().fit(X, y > 0).sparsify()

    def change(part):
        if isinstance(part, dict):
            if part.get("__loader__") == "SparseMatrixNode":
                part["__module__"], _, part["__class__"] = name.rpartition(".")
            part = list(part.values())
        for inner in part if isinstance(part, list) else ():
            change(inner)

    with pytest.raises(UserError, match="only where you name them"):
        read_estimator(edited(estimator_bytes(model), change), "x.skops")


def test_keys_of_a_dictionary_call_nothing():
    """skops calls the types of keys with the keys."""

    def change(schema):
        types = schema["content"]["key_types"]["content"]
        types[0] |= {"__module__": "sklearn.tree._tree", "__class__": "Tree"}

    with pytest.raises(UserError, match=r"--trust sklearn\.tree\._tree\.Tree "):
        read_estimator(edited(estimator_bytes(Ridge()), change), "x.skops")


@pytest.mark.parametrize(
    "model",
    [
        *(DecisionTreeRegressor(), SVR(), Lasso(), KNeighborsRegressor(), OneHotEncoder()),
        CountVectorizer(input="filename"),  # opens what it is given
        FunctionTransformer(os.path.basename),
    ],
)
def test_what_goes_by_numbers_or_opens_files_is_named_by_a_person(model):
    content = estimator_bytes(model.fit(X, y) if hasattr(model, "predict") else model)
    with pytest.raises(UserError, match="only where you name them") as caught:
        read_estimator(content, "x.skops")
    typed = str(caught.value).partition("--trust ")[2].partition(" ")[0].split(",")
    assert typed == untrusted_types(content)
    assert type(read_estimator(content, "x.skops", typed)) is type(model)


def test_a_file_names_no_folder_starts_nothing_and_brings_no_state_of_numpys_generators():
    network = MLPRegressor(max_iter=1, random_state=np.random.RandomState(0))
    model = make_pipeline(StandardScaler(copy=8), network.partial_fit(X, y), memory="/cache")
    back = read_estimator(skops.io.dumps(model.set_params(verbose=True)), "x.skops")
    assert (back.memory, back.verbose) == (None, False)
    assert back[1].random_state is back[1]._random_state is None
    assert read_estimator(skops.io.dumps(KNeighborsRegressor(n_jobs=9)), "x", [NEAR]).n_jobs is None


NEAR = "sklearn.neighbors._regression.KNeighborsRegressor"


@pytest.mark.parametrize(
    "model",
    [
        FunctionTransformer(np.sqrt),
        CalibratedClassifierCV(LinearSVC(), cv=2),
        GaussianProcessRegressor(RBF()),
        StackingRegressor([("a", Ridge()), ("b", PLSRegression(1))]),
    ],
)
def test_what_predicts_in_python_needs_no_name(model):
    content = estimator_bytes(model.fit(X, y > 0))
    assert untrusted_types(content) == []
    assert type(read_estimator(content, "x.skops")) is type(model)


def test_types_of_ours_are_where_they_are_looked_for():
    for name in _OWN:
        module, _, kind = name.rpartition(".")
        assert hasattr(importlib.import_module(f"samuel.{module}"), kind), name


@pytest.mark.parametrize("content", [b"", b"PK", estimator_bytes(Ridge())[:-30]])
def test_what_is_no_file_of_skops(content):
    with pytest.raises(UserError, match="damaged: it holds no estimator"):
        read_estimator(content, "x.skops")


def test_a_file_that_inflates_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", bytes(300 << 20))
    with pytest.raises(UserError, match="its header claims a size beyond what it can contain"):
        read_estimator(file.getvalue(), "x.skops")
