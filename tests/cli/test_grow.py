"""`samuel grow`."""

import json

import pytest

from samuel.features import pattern_set
from samuel.selfplay import SelfplayPlan, generate
from tests.rarely import rarely


@pytest.fixture(scope="module", params=["connect_four", rarely("othello_6x6")])
def data(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / request.param
    generate(SelfplayPlan(game=request.param, depth=1, seed=1), 150, folder)
    return folder


def test_shapes_a_model_and_a_page(run, data, tmp_path):
    line = f"grow {data} --steps 4 --target outcome --out model --report page.html --json"
    status, out, err = run(line)
    assert (status, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    game = data.name
    shapes = pattern_set(tmp_path / "model" / "shapes.txt", game)
    assert [shape.name for shape in shapes.shapes] == [s["name"] for s in found["shapes"]]
    assert found["grown"]["configurations"] == shapes.size <= found["budget"]
    assert found["grown"]["weights"] == shapes.n_weights
    assert found["references"][0]["name"] == "tuples2"
    assert found["ended"] == "the steps asked for were done" and len(found["steps"]) == 5
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert (card["kind"], card["game"], card["target"]) == ("patterns", game, "outcome")
    assert card["metrics"]["r2"] == pytest.approx(found["grown"]["metrics"]["r2"])
    page = (tmp_path / "page.html").read_text()
    assert page.count('aria-label="') >= len(shapes.shapes) and "tuples2" in page
    assert "http" not in page.replace("http://www.w3.org", "") and "<script" not in page
    out = run.done("match model zero --depth 1 --pairs 5 --json")
    assert json.loads(out)["games"] == 10


def test_what_people_read(run, data):
    out = run.quiet(f"grow {data} --steps 2 --stages 1 --out model")
    assert "single squares" in out and "On held-out games" in out and "shapes.txt" in out


@pytest.mark.parametrize(
    "options, message",
    [
        (
            "--out model --weights 9",
            "have {least} configurations; give a budget of at least {least}",
        ),
        ("--out model --stages 99", "stages must be from 1 to {stages} for {game} (got 99)"),
        ("--out model --report .", "'.' is a folder; give the name of a file"),
        ("--out .", "holds other files than a model"),
        ("--out model --target moves", "there is no target called 'moves'"),
        ("--out model --game tic_tac_toe", "not tic_tac_toe"),
    ],
)
def test_bad_settings_are_one_sentence(run, data, tmp_path, options, message):
    (tmp_path / "notes.md").write_text("mine")
    least, stages = {"connect_four": (72, 43), "othello_6x6": (18, 33)}[data.name]
    said = message.format(least=least, stages=stages, game=data.name)
    assert said in run.refused(f"grow {data} {options}")
