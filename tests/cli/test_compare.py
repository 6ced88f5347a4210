import importlib

import pytest

from samuel.selfplay import SelfplayPlan, generate

MODELS = "ridge,tree,classic"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare") / "data"
    generate(SelfplayPlan(depth=1, epsilon=0.05, exact_from=6, seed=4), 200, folder)
    return folder


@pytest.fixture
def run(run, monkeypatch, dataset):
    """Return what compares models of the dataset."""
    monkeypatch.setenv("COLUMNS", "100")
    return run.of(f"compare '{dataset}'")


def test_a_folder_that_is_not_there(run, tmp_path):
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "runs" / "mine" / "model.json").touch()
    err = run.refused("--models classic,runs/mne")
    assert "no folder 'runs/mne' of a model; did you mean runs/mine?" in err
    (tmp_path / "runs" / "state.json").touch()
    err = run.refused("--models classic,runs/best")
    assert "runs is a run of samuel learn, none of whose models was" in err
    (tmp_path / "runs" / "best.rote").touch()
    assert "runs is a run of rote learning, whose best store is" in run("--models runs/best")[2]


def test_json_has_everything(run):
    options = f"--models {MODELS} --matches 2 --depth 1 --ms 1 --target td --lambda 0.5"
    found = run.json(options)
    assert found["opponent"] == "classic" and found["held_out"] > 0
    assert (found["fitting"]["target"], found["fitting"]["trace"]) == ("td", 0.5)
    by_name = {row["model"]: row for row in found["models"]}
    assert set(found["tied"]) == {name for name, row in by_name.items() if row["tied"]}
    losses = [row["log_loss"] for row in found["models"]]
    assert losses == sorted(losses)
    for name, row in by_name.items():
        for key in ("r2", "mae", "log_loss", "brier", "rank_correlation"):
            assert row[f"{key}_low"] < row[key] < row[f"{key}_high"]
            assert all(f"{key}_low" in stage for stage in row["stages"])
        assert row["nanoseconds"] > 0 and row["nodes_per_second"] > 0 and row["bytes"] > 0
        limits = [played["limits"] for played in row["matches"]]
        assert limits == ([] if name == "classic" else ["depth 1", "1 ms a move"])
        assert all(played["games"] == 4 for played in row["matches"])
    assert by_name["ridge"]["parameters"] > 0 and by_name["classic"]["parameters"] is None


@pytest.mark.slow
def test_the_table_fits_the_terminal(run):
    out = run.done(f"--models {MODELS} --matches 1 --depth 1 --report page.html")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 100
    for name in MODELS.split(","):
        assert sum(line.strip().startswith(f"{name} ") for line in lines) == 2
    assert "log loss" in out and "nodes/s" in out and "report: page.html" in out
    said = " ".join(out.split())
    assert "The log loss of" in said or "has a lower log loss" in said
    assert "against classic" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--models zip", "no recipe or evaluator called 'zip'"),
        ("--models ,", "at least one model"),
        ("--models ridge --matches 1 --baseline nobody", "no evaluator called 'nobody'"),
        (
            "--models ridge,tuples2 --features mobility",
            "recipe tuples2 reads patterns and no other features; leave",
        ),
        ("--models ridge,.", "is not a model folder, or writing it was interrupted"),
        ("--models ridge --report .", "'.' is a folder; give the name of a file"),
        ("--models ridge --report ''", "the name of the output is empty; give a name, or"),
        ("--models ridge --game connect_four", "holds games of othello"),
    ],
)
def test_bad_input_gets_one_line(run, monkeypatch, options, message):
    """Before anything is trained."""
    module = importlib.import_module("samuel.learning.comparison.compare")
    monkeypatch.setattr(module, "train_on", lambda *_, **__: pytest.fail("trained"))
    assert message in run.refused(options)


def test_ranges_that_are_none_are_wrong_usage(run):
    for text in ("30-20", "x", "-5", "1-x"):
        assert "write it like 10-40" in run.misused(f"--models ridge --plies={text}")
