"""Files of estimators: which types are built without a name, and which are refused."""

import io
import json
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from samuel.common.errors import UserError
from samuel.models.saved.skops_file import estimator_bytes, read_estimator, untrusted_types

X = np.random.default_rng(0).normal(size=(40, 2))
y = X[:, 0]


def with_more(content, node):
    """Return the content of a file whose estimator has one more attribute."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(buffer, "w") as after:
        schema = json.loads(before.read("schema.json"))
        schema["content"]["content"]["more"] = node | {"__id__": 10**9}
        name = {"__loader__": "TypeNode", "__module__": "builtins", "__class__": "str"}
        schema["content"]["key_types"]["content"] += [name | {"__id__": 10**9 + 1}]
        for name in set(before.namelist()) - {"schema.json"}:
            after.writestr(name, before.read(name))
        after.writestr("schema.json", json.dumps(schema))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("loader", "module", "name"),
    [
        ("FunctionNode", "os", "system"),
        ("TypeNode", "subprocess", "Popen"),
        ("ObjectNode", "sklearn.utils._testing", "TempMemmap"),
    ],
)
def test_what_nobody_named_is_refused(loader, module, name):
    node = {"__loader__": loader, "__module__": module, "__class__": name, "content": None}
    with pytest.raises(UserError, match=rf"add --trust {module}\.{name} \(in Python, trusted=\)"):
        read_estimator(with_more(estimator_bytes(Ridge()), node), "x.skops")


def test_trees_are_named_by_a_person():
    content = estimator_bytes(DecisionTreeRegressor().fit(X, y))
    with pytest.raises(UserError, match="only if you name them") as caught:
        read_estimator(content, "x.skops")
    typed = str(caught.value).partition("--trust ")[2].partition(" ")[0].split(",")
    assert typed == untrusted_types(content)
    assert type(read_estimator(content, "x.skops", typed)) is DecisionTreeRegressor


@pytest.mark.parametrize("model", [Ridge(), SVR(), MLPRegressor(max_iter=1, solver="adam")])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_usual_estimators_need_no_name(model):
    back = read_estimator(estimator_bytes(model.fit(X, y)), "x.skops")
    np.testing.assert_array_equal(back.predict(X), model.predict(X))


@pytest.mark.parametrize("content", [b"", b"PK", estimator_bytes(Ridge())[:-30]])
def test_what_is_no_file_of_skops(content):
    with pytest.raises(UserError, match="damaged: it contains no estimator"):
        read_estimator(content, "x.skops")


def test_a_file_that_inflates_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", bytes(300 << 20))
    with pytest.raises(UserError, match="its header claims a size beyond what it can contain"):
        read_estimator(file.getvalue(), "x.skops")


def test_a_file_names_no_folder_of_pickles_and_starts_nothing():
    model = make_pipeline(StandardScaler(), BaggingRegressor(Ridge(), n_jobs=9), memory="/cache")
    content = skops.io.dumps(model.set_params(verbose=True))
    back = read_estimator(content, "x.skops", untrusted_types(content))
    assert (back.memory, back.verbose, back[1].n_jobs) == (None, False, None)
