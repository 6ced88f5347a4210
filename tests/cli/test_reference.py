"""`samuel dataset reference`, what measures by it, and `samuel models export`."""

import json

import numpy as np

from samuel.selfplay import SelfplayPlan, generate


def test_a_reference_set_is_made_and_measures(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    plan = SelfplayPlan("othello_4x4", "classic", 2, opening_plies=2, exact_from=0, seed=3)
    generate(plan, 200, tmp_path / "data")
    made = f"dataset reference '{tmp_path}/data' --left 4,8 --count 20 --depth 3 --exact-from 4"
    status, out, err = run(f"{made} --out '{tmp_path}/deep' --json")
    assert status == 0, err
    assert json.loads(out)["positions"] == 40
    measure = f"evaluate --evaluator classic --reference '{tmp_path}/deep' --depths 0,3"
    status, out, err = run(f"{measure} --game othello_4x4 --json")
    assert status == 0, err
    errors = json.loads(out)["errors"]
    assert [(e["left"], e["depth"]) for e in errors] == [(4, 0), (8, 0), (4, 3), (8, 3)]
    status, out, _ = run(f"{measure} --game othello_4x4")
    assert status == 0 and "unexplained" in out and "slope" in out
    status, out, err = run(
        f"compare '{tmp_path}/data' --models classic,zero --reference '{tmp_path}/deep' "
        f"--report '{tmp_path}/page.html'"
    )
    assert status == 0, err
    assert (
        "Against the reference" in out and "slope, 1 on the true scale" in out and "nan" not in out
    )
    assert "Against the reference set" in (tmp_path / "page.html").read_text()
    same = "data, and models that learn from them look better by it; draw it from other games"
    assert same in err
    generate(SelfplayPlan("othello_4x4", "classic", 1, seed=4), 50, tmp_path / "more")
    both = "dataset merge '{0}/data' '{0}/more' --out '{0}/both data'"  # what it was made of counts
    assert run(both.format(tmp_path))[0] == 0
    assert run(f"train '{tmp_path}/both data' --model tuples2 --out '{tmp_path}/model'")[0] == 0
    for judge, is_told in ((f"'{tmp_path}/model'", True), ("classic --game othello_4x4", False)):
        monkeypatch.setattr("samuel.cli.main._shown", set())  # as in a process of its own
        asked = f"evaluate --reference '{tmp_path}/deep' --depths 0 --evaluator {judge}"
        status, _, err = run(asked)
        assert status == 0 and (same in err) is is_told, err


def test_what_cannot_be_measured_is_said(run, tmp_path):
    assert run("evaluate")[0] == 2
    status, _, err = run(f"evaluate --reference '{tmp_path}/none'")
    assert status == 1 and "none" in err
    generate(SelfplayPlan("othello_4x4", "classic", 1, seed=3), 10, tmp_path / "data")
    made = f"dataset reference '{tmp_path}/data' --out '{tmp_path}/out'"
    status, _, err = run(f"{made} --left 4,x")
    assert status == 2 and "write it like 44,32,20" in err
    status, _, err = run(f"{made} --left 99")
    assert status == 1 and "has 99 left" in err


def test_a_model_is_exported(run, tmp_path):
    generate(SelfplayPlan("othello_4x4", "classic", 2, seed=3), 60, tmp_path / "data")
    model = f"{tmp_path}/model"
    assert run(f"train '{tmp_path}/data' --model tuples2 --out '{model}'")[0] == 0
    status, out, err = run(f"export '{model}' --format numpy --out '{tmp_path}/a.npz' --json")
    assert status == 0, err
    assert json.loads(out)["bytes"] == (tmp_path / "a.npz").stat().st_size
    assert "weights" in np.load(tmp_path / "a.npz")
    status, _, err = run(f"export '{model}' --format edax --out '{tmp_path}/eval.dat'")
    assert status == 1 and "this model for othello_4x4" in err
    status, _, err = run(f"models export classic --format c --out '{tmp_path}/a.h'")
    assert status == 1 and "made by hand" in err
