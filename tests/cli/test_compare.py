import json
import shlex

import pytest

from cli.main import main
from selfplay import Plan, generate

MODELS = "ridge,tree,classic"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare") / "data"
    generate(Plan(depth=1, explore=0.05, exact_from=6, seed=4), 200, folder)
    return folder


@pytest.fixture
def run(capsys, monkeypatch, tmp_path, dataset):
    """Return a function that compares models of the dataset: status, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(options):
        with pytest.raises(SystemExit) as stop:
            main(["compare", str(dataset), *shlex.split(options)])
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


def test_json_has_everything(run):
    options = f"--models {MODELS} --matches 2 --depth 1 --ms 1 --target td --trace 0.5 --json"
    status, out, err = run(options)
    assert status == 0, err
    found = json.loads(out)
    assert found["reference"] == "classic" and found["held_out"] > 0
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


def test_the_table_fits_the_terminal(run):
    status, out, err = run(f"--models {MODELS} --matches 1 --depth 1 --report page.html")
    assert status == 0, err
    lines = out.splitlines()
    assert max(map(len, lines)) <= 100
    for name in MODELS.split(","):
        assert sum(line.strip().startswith(f"{name} ") for line in lines) == 2
    assert "log loss" in out and "nodes/s" in out and "report: page.html" in out
    assert "By log loss" in out and "against classic" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--models zip", "'zip' is no recipe"),
        ("--models ,", "at least one model"),
        ("--models ridge --matches 1 --against nobody", "no evaluator called 'nobody'"),
        ("--models ridge --plies 30-20", "plies go from the least to the most"),
        ("--models ridge --game connect_four", "holds games of othello"),
    ],
)
def test_bad_input_gets_one_line(run, options, message):
    status, out, err = run(options)
    assert (status, out) == (1, "")
    assert err.count("\n") == 1 and message in err
