"""`samuel train` on the command line."""

import json
import re

import pytest

from samuel.games import game_named
from samuel.learning.fitting.reading import default_features
from samuel.learning.training import train as fit
from samuel.models.compiled.forms import ENTRIES
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.documented import section

FORM = set(ENTRIES)
"""Entries of the card that only the reader of a form needs."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "four"
    generate(SelfplayPlan(game="othello_4x4", depth=1, seed=1), 200, folder)
    return folder


@pytest.fixture
def train(run, data):
    """Return what trains in a folder of its own."""
    return run.of(f"train '{data}' --out model")


def test_settings_are_said_and_kept(train, tmp_path):
    options = (
        "--target td --lambda 0.8 --weights late=0.5,exact=2,rare=1 --dedupe --augment "
        "--plies 2-9 --plies-left 1-9 --features mobility"
    )
    out = train.quiet(options)
    said = " ".join(out.split())
    assert "Measure it by a match: samuel match model classic" in said
    assert "Target td (lambda 0.8); plies 2 to 9; plies left 1 to 9; weights late 0.5" in said
    assert "exact 2, rare 1; same positions merged; in all symmetric images." in said
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    expected = {
        "target": "td", "td_lambda": 0.8, "weights": {"late": 0.5, "exact": 2, "rare": 1},
        "dedupe": True, "augment": True, "plies": [2, 9], "plies_left": [1, 9],
    }  # fmt: skip
    assert {key: card[key] for key in expected} == expected
    assert set(card) - set(section("A model")) <= FORM, "docs/formats.md"
    status, out, err = train(f"{options} --json")
    made = f"model, {card['model']}, {card['date']}"
    assert err == f"samuel: note: the previous model in model ({made}) is replaced\n"
    assert status == 0 and expected.items() <= json.loads(out)["fitting"].items()


def test_what_a_classifier_learns_is_said_once(train, data):
    _, out, err = train("--model logistic --target td")
    assert "note: logistic is a classifier: its target is the outcome" in err
    assert "Target outcome (who wins)." in out and "td" not in out
    said = []
    with pytest.warns(UserWarning, match="not td"):
        rows = fit(data, "logistic", target="td", progress=said.append).rows
    assert f"fitting to {rows:,} rows" in said and f"fitted to {rows:,} rows in" in out


def test_what_a_model_reads_is_said(train):
    said = " ".join(train("--features corners,mobility")[1].split())
    assert "It reads corners, mobility, instead of the default features (square_classes" in said
    assert "--features +corners,mobility adds to these" in said
    reads = train.json("--features +corners")["reads"]
    assert reads == [*default_features(game_named("othello_4x4")), "corners"]
    said = " ".join(train("--features +corners")[1].split())
    assert f"It reads {', '.join(reads)}." in said


def test_figures_of_stages_stand_under_their_model(train):
    found = train.json("--features mobility")
    expected = []
    for name, key in (("model", "metrics"), ("classic (player)", "baseline")):
        expected.append((name, f"{found[key]['mae']:.2f}"))
        for stage in reversed(found[key]["stages"]):
            squares = f"\N{HORIZONTAL ELLIPSIS} {stage['least']} to {stage['most']} empties"
            expected.append((squares, f"{stage['mae']:.2f}"))
    lines = train("--features mobility")[1].splitlines()
    rows = [re.split(" {2,}", line.strip()) for line in lines]
    assert [(row[0], row[2]) for row in rows if len(row) == 6][-len(expected) :] == expected


def test_the_note_of_the_figures_explains_the_columns_that_are_there(run):
    run.done("selfplay --game chess --games 4 --depth 1 --evaluator zero --out data")
    shown = " ".join(run.done("train data --game chess --features material --out m").split())
    assert "Higher is better for rank corr., lower for the others." in shown
    assert "error: mean" not in shown and "Player: it played the games." in shown


def test_a_name_that_another_evaluator_has_is_noted(run, data, tmp_path):
    err = run(f"train '{data}' --out classic")[2]
    assert "note: the name classic means another evaluator; type" in err and "./classic" in err
    assert "rows" not in run("models classic")[1] and "rows" in run("models ./classic")[1]


def test_a_stream(run, tmp_path):
    run("selfplay --depth 1 --games 60 --seed 1 --out data")
    assert run.json("train data --model tuples2 --stream --out model")["rows"] > 1000
    assert json.loads((tmp_path / "model" / "model.json").read_text())["stream"] is True


def test_ranges(train, tmp_path):
    train.done("--plies 9 --plies-left 1-4 --features mobility")
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert (card["plies"], card["plies_left"]) == ([9, 9], [1, 4])
    for options in ("--plies-left 9-1", "--plies x", "--plies=-5"):
        assert "write it like 10-40" in train.misused(options)


def test_parameters_of_the_estimator(train, tmp_path):
    out = train.quiet("--model ridge --features mobility --parameters alpha=7,solver=cholesky")
    assert (
        "Target blend (0.5 score, where there is one); parameters alpha 7, solver chol"
        in " ".join(out.split())
    )
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["parameters"] == {"alpha": 7, "solver": "cholesky"}
    assert "write it like alpha=1e-6" in train.misused("--parameters alpha")
    said = train.refused("--model ridge --features mobility --parameters alpha=-1")
    assert "The 'alpha' parameter of Ridge must be" in said


def test_where_a_fit_starts_is_said(train, run, data):
    train.quiet("--model tuples2")
    further = f"train '{data}' --from model --out further --model"
    assert "The fit continues from the earlier fit." in run.done(f"{further} tuples2")
    said = run.done(f"{further} network")
    assert "The fit starts from scratch: the earlier model is of another kind." in said


def test_texels_method_shows_weights_before_and_after(train, run):
    out = train.quiet("--model texel --features squares,mobility --from classic")
    assert "The largest changes among" in out and "squares, mean of 16" in out
    assert "Cross-entropy on held-out positions:" in out
    told = train.json("--model texel --features squares,mobility --from classic")
    rows = {row["column"]: row for row in told["weights"]}
    assert rows["mobility_player"]["at_0_error"] > 0
    assert set(told["loss"]) == {"before", "after"} and told["logit_scale"] > 0
    assert run.json("models model")["weights"] == told["weights"]
    assert "The largest changes" in run.done("models model")
    assert "weights" not in train.json("--model ridge")
