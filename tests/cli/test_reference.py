"""`samuel dataset reference`, and what measures by it."""

from samuel.selfplay import SelfplayPlan, generate


def test_a_reference_set_is_made_and_measures(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    plan = SelfplayPlan("othello_4x4", "classic", 2, opening_plies=2, exact_from=0, seed=3)
    generate(plan, 200, tmp_path / "data")
    made = "dataset reference 'data' --left 4,8 --count 20 --depth 3 --exact-from 4"
    assert run.json(f"{made} --out 'deep'")["positions"] == 40
    measure = "evaluate --evaluator classic --reference 'deep' --depths 0,3"
    errors = run.json(f"{measure} --game othello_4x4")["errors"]
    assert [(e["left"], e["depth"]) for e in errors] == [(4, 0), (8, 0), (4, 3), (8, 3)]
    out = run.done(f"{measure} --game othello_4x4")
    assert "unexplained" in out and "slope" in out
    status, out, err = run(
        "compare 'data' --models classic,zero --reference 'deep' --report 'page.html'"
    )
    assert status == 0, err
    assert "Against the reference" in out and "slope (1 = right scale)" in out
    assert "nan" not in out
    assert "Against the reference set" in (tmp_path / "page.html").read_text()
    same = "data: models trained on them get too good a result"
    assert same in err
    generate(SelfplayPlan("othello_4x4", "classic", 1, seed=4), 50, tmp_path / "more")
    both = "dataset merge 'data' 'more' --out 'both data'"  # what it was made of counts
    run.done(both)
    run.done("train 'both data' --model tuples2 --out 'model'")
    for player, is_told in (("'model'", True), ("classic --game othello_4x4", False)):
        monkeypatch.setattr("samuel.cli.main._shown", set())  # as in a process of its own
        asked = f"evaluate --reference 'deep' --depths 0 --evaluator {player}"
        assert (same in run(asked)[2]) is is_told


def test_what_cannot_be_measured_is_said(run, tmp_path):
    assert "give a file of positions, or --reference FOLDER" in run.misused("evaluate")
    assert "or --reference, not both" in run.misused("evaluate a.obf --reference b")
    assert "none" in run.refused("evaluate --reference none")
    generate(SelfplayPlan("othello_4x4", "classic", 1, seed=3), 10, tmp_path / "data")
    made = "dataset reference 'data' --out 'out'"
    assert "write it like 44,32,20" in run.misused(f"{made} --left 4,x")
    assert "with 99 left" in run.refused(f"{made} --left 99")
