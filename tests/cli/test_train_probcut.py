"""Selective search: `samuel models probcut`, and `--probcut` where it is used."""

import errno


def test_a_model_learns_to_search_selectively(run):
    run.json("selfplay --depth 1 --games 120 --seed 1 --out data")
    run.json("train data --model ridge --out runs/ridge")
    err = run.refused("search --evaluator runs/ridge --depth 5 --probcut 1.2")
    assert "ridge has no ProbCut parameters; leave out --probcut, or" in err

    fitted = run.json("models probcut runs/ridge --data data --positions 150 --max-depth 5")
    assert (fitted["model"], fitted["out"], fitted["positions"]) == ("ridge", "runs/ridge", 150)
    assert {"stage", "deep", "shallow", "slope", "offset", "sigma", "r2"} <= set(fitted["pairs"][0])

    line = "search --evaluator runs/ridge --moves f5d6c3d3c4 --depth 8"
    full, selective = run.json(f"{line} --probcut 0"), run.json(f"{line} --probcut 1")
    assert (full["probcut"], selective["probcut"]) == (None, 1.0)
    assert "(depth 8, selective at 1 sigma)" in run(f"{line} --probcut 1")[1]
    assert selective["nodes"] < full["nodes"] and selective["depth"] == 8

    played = run.json("match runs/ridge runs/ridge --depth 5 --pairs 2 --probcut 1.5 --probcut-b 0")
    assert played["limits"] == "depth 5, selective at 1.5 sigma against depth 5"

    out = run.quiet("models probcut runs/ridge --positions 120 --max-depth 4")
    assert "4 from 2" in out and "saved in runs/ridge" in out


def test_models_of_the_package_have_them(run, tmp_path):
    line = "search --moves f5d6c3d3c4 --depth 8"
    assert run.json(f"{line} --probcut 1.2")["nodes"] < run.json(line)["nodes"]
    played = run.json("match classic wpc --depth 4 --pairs 2 --probcut 1.2")
    assert played["limits"] == "depth 4, selective at 1.2 sigma"
    four = "match classic zero --game connect-four --nodes 500 --pairs 1"
    run.done(f"{four} --probcut 1 --probcut-b 0")
    err = run.refused("models probcut classic --positions 100 --max-depth 4")
    assert "classic is an evaluator without a folder to save the" in err
    assert not list(tmp_path.iterdir())


def refuse_to_write(**_options):
    raise PermissionError(errno.EACCES, "Permission denied")


def test_what_cannot_be_kept_is_not_computed(run, tmp_path, monkeypatch):
    run.json("selfplay --depth 1 --games 120 --seed 1 --out data")
    run.json("train data --model ridge --out runs/ridge")
    before = sorted((tmp_path / "runs" / "ridge").iterdir())
    monkeypatch.setattr("samuel.learning.probcut.fit_probcut", None)  # would be noticed
    assert "no dataset at nowhere" in run.refused("models probcut runs/ridge --data nowhere")
    assert sorted((tmp_path / "runs" / "ridge").iterdir()) == before
    monkeypatch.setattr("tempfile.TemporaryFile", refuse_to_write)
    err = run.refused("models probcut runs/ridge")
    assert "no permission to write runs/ridge/model.json" in err
    (tmp_path / "runs" / "ridge" / "model.json").write_text("{}")
    assert "damaged" in run.refused("models probcut runs/ridge")
