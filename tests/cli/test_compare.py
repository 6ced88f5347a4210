import pytest

from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

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
    options = f"--models {MODELS} --pairs 2 --depth 1 --target td --lambda 0.5"
    found = run.json(options)
    assert found["opponent"] == "classic" and found["held_out"] > 0
    assert (found["fitting"]["target"], found["fitting"]["td_lambda"]) == ("td", 0.5)
    by_name = {row["model"]: row for row in found["models"]}
    assert found["solved"]["positions"] > 100 and found["solved"]["most_left"] >= 12
    assert set(found["tied"]) == {name for name, row in by_name.items() if row["tied"]}
    losses = [row["log_loss"] for row in found["models"]]
    assert losses == sorted(losses)
    for name, row in by_name.items():
        for key in ("r2", "mae", "log_loss", "brier", "rank_correlation", "value_kept"):
            assert row[f"{key}_low"] < row[key] < row[f"{key}_high"]
            assert key == "value_kept" or all(f"{key}_low" in stage for stage in row["stages"])
        assert row["nanoseconds"] > 0 and row["nodes_per_second"] > 0 and row["bytes"] > 0
        if name == "classic":
            assert row["match"] is None
        else:
            assert (row["match"]["limits"], row["match"]["games"]) == ("depth 1", 4)
    assert by_name["ridge"]["parameters"] > 0 and by_name["classic"]["parameters"] is None
