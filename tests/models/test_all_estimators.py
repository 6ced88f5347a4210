"""Every regressor and classifier that scikit-learn lists: trained, saved, and loaded elsewhere.

    python tests/models/test_all_estimators.py

prints the table of docs/estimators.md.
"""

import inspect
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import all_estimators

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.learning.training import train
from samuel.models.convert import predict
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "estimators.md"

pytestmark = pytest.mark.filterwarnings("ignore")

SETTINGS = {
    "CCA": {"n_components": 1},
    "LabelPropagation": {"kernel": "knn"},
    "LabelSpreading": {"kernel": "knn"},
    "OrthogonalMatchingPursuitCV": {"max_iter": 5},
    "PLSCanonical": {"n_components": 1},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.5},
    "RANSACRegressor": {"min_samples": 0.5},
    "RadiusNeighborsClassifier": {"radius": 9.0},
    "RadiusNeighborsRegressor": {"radius": 9.0},
    "VotingClassifier": {"voting": "soft"},
}
"""Where the defaults do not fit a small board."""
FEW = {"n_estimators": 5, "max_iter": 100}
REPRESENTATIVE = {
    *("Ridge", "RidgeClassifier", "DecisionTreeClassifier"),
    *("KNeighborsRegressor", "GaussianProcessClassifier", "SVC", "AdaBoostRegressor"),
    *("StackingRegressor", "CalibratedClassifierCV", "TunedThresholdClassifierCV"),
    *("RegressorChain", "MultinomialNB"),
}

TIC = "tic_tac_toe"
READS = make_pipeline(Features(["squares"], TIC), StandardScaler(), Ridge())
PIPELINES = {
    "columns": make_pipeline(ColumnTransformer([("few", PCA(2), [0, 1, 2])]), Ridge()),
    "polynomial": make_pipeline(PolynomialFeatures(2, interaction_only=True), Ridge()),
    "function": make_pipeline(FunctionTransformer(np.abs), Ridge()),
    "selection": make_pipeline(SelectKBest(k=3), LogisticRegression()),
    "targets": TransformedTargetRegressor(Ridge(), func=np.sinh, inverse_func=np.arcsinh),
    "search": GridSearchCV(READS, {"ridge__alpha": [1.0, 10.0]}, cv=3),
    "search inside": make_pipeline(StandardScaler(), GridSearchCV(Ridge(), {"alpha": [1, 9]})),
    "votes": VotingRegressor([("linear", READS), ("again", READS)]),
    "stack": StackingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor(max_depth=3))], cv=3),
    "calibrated": CalibratedClassifierCV(make_pipeline(StandardScaler(), LinearSVC()), cv=3),
}

LOAD = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from pathlib import Path
from samuel.models import load_model
from samuel.models.convert import predict
from samuel.models.saved.skops_file import untrusted_types
found, positions = {}, np.array(json.loads(sys.argv[2]), np.uint64)
for folder in sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir()):
    model = load_model(folder, trusted=untrusted_types((folder / "estimator.skops").read_bytes()))
    scores = predict(model.estimator, positions, model.card["scale"])
    found[folder.name] = [model.predict(positions).tolist(), scores.tolist()]
print(json.dumps(found))
"""


def made(name, kind):
    """Return an estimator of scikit-learn's with few iterations and, where it wants one, a base."""
    class_of = dict(all_estimators(type_filter=kind))[name]
    taken = inspect.signature(class_of).parameters
    base = Ridge() if kind == "regressor" else LogisticRegression()
    given = {key: value for key, value in FEW.items() if key in taken}
    if "estimators" in taken:
        given["estimators"] = [("base", base)]
    elif "estimator" in taken and name not in ("AdaBoostRegressor", "AdaBoostClassifier"):
        given["estimator"] = base
    return class_of(**given | SETTINGS.get(name, {}))


def listed():
    """Return the kind of each estimator."""
    kinds = ("regressor", "classifier")
    return {name: kind for kind in kinds for name, _ in all_estimators(type_filter=kind)}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return small_dataset(tmp_path_factory.mktemp("games"))


def small_dataset(folder):
    plan = SelfplayPlan(game=TIC, evaluator="zero", depth=1, epsilon=0.3, seed=1)
    return generate(plan, 40, folder / "data")


def trained(dataset, models, folder):
    """Train and save models; return for each how it runs, and why it is refused."""
    table = {}
    for name, model in models.items():
        try:
            made = train(dataset, model, out=folder / name, keep_estimator=True)
        except UserError as error:
            table[name] = ("refused", str(error), None)
            continue
        card = json.loads((folder / name / "model.json").read_text())
        scores = predict(made.estimator, dataset.positions[:40], made.scale)
        table[name] = ("slow" if card["kind"] == "slow" else "compiled", card["model"], scores)
    return table


def require_same_elsewhere(dataset, table, folder):
    """Load all that was saved in another process, and compare what it predicts."""
    kept = {name: scores for name, (_, _, scores) in table.items() if scores is not None}
    positions = json.dumps(dataset.positions[:40].tolist())
    output = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder), positions],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = json.loads(output)
    assert sorted(found) == sorted(kept)
    for name, (evaluated, predicted) in found.items():
        np.testing.assert_allclose(predicted, kept[name], rtol=1e-5, atol=1e-5, err_msg=name)
        np.testing.assert_allclose(evaluated, kept[name], rtol=1e-3, atol=1e-3, err_msg=name)


def require_clear(table):
    for _, reason, _ in table.values():
        assert reason and "\n" not in reason


@pytest.mark.slow
def test_a_dozen_and_pipelines(dataset, tmp_path):
    models = {name: made(name, listed()[name]) for name in REPRESENTATIVE} | PIPELINES
    table = trained(dataset, models, tmp_path)
    assert len(table) == len(REPRESENTATIVE) + len(PIPELINES)
    refused = {name for name, row in table.items() if row[0] == "refused"}
    compiled = {name for name, row in table.items() if row[0] == "compiled"}
    assert refused == {"MultinomialNB", "RegressorChain"}
    trees_and_lines = {"Ridge", "RidgeClassifier", "DecisionTreeClassifier"}
    assert compiled == trees_and_lines | {"search", "search inside"}
    require_clear(table)
    require_same_elsewhere(dataset, table, tmp_path)
    assert not hasattr(PIPELINES["search"], "best_estimator_"), "what is given stays unfitted"
    for name, model in PIPELINES.items():
        assert not any(hasattr(model, end) for end in ("estimators_", "regressor_")), name


@pytest.mark.slow
def test_all(dataset, tmp_path):
    table = every(dataset, tmp_path)
    require_clear(table)
    require_same_elsewhere(dataset, table, tmp_path)
    lines = table_lines(table)
    print("\n".join(lines))
    text = DOCS.read_text()
    if f"scikit-learn {sklearn.__version__}" in text:
        assert all(line in text for line in lines), "make docs/estimators.md anew"


def every(dataset, folder):
    return trained(dataset, {name: made(name, kind) for name, kind in listed().items()}, folder)


def table_lines(table):
    """Return the table as markdown."""
    lines = ["| kind | estimators |", "|---|---|"]
    for way in ("compiled", "slow", "refused"):
        names = [name for name, row in table.items() if row[0] == way]
        lines += [f"| {way} ({len(names)}) | {', '.join(names)} |"]
    return lines


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print("\n".join(table_lines(every(small_dataset(folder), folder / "models"))))
