"""`samuel train` on the command line."""

import json
import shlex

import pytest

from cli.main import main


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "four"
    line = f"selfplay --game othello_4x4 --depth 1 --games 200 --seed 1 --out {folder} --json"
    with pytest.raises(SystemExit):
        main(shlex.split(line))
    return folder


@pytest.fixture
def run(capsys, monkeypatch, tmp_path, data):
    """Return a function that trains in a folder of its own: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(options):
        with pytest.raises(SystemExit) as stop:
            main(["train", str(data), "--out", "model", *shlex.split(options)])
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


def test_settings_are_said_and_kept(run, tmp_path):
    options = (
        "--target td --trace 0.8 --weight late=0.5,exact=2,rare=1 --dedupe --augment "
        "--plies 2-9 --remaining 1-9 --features mobility"
    )
    status, out, err = run(options)
    assert (status, err) == (0, "")
    said = " ".join(out.split())
    assert "Target td (lambda 0.8); plies 2 to 9; remaining 1 to 9; weights late 0.5" in said
    assert "exact 2, rare 1; same positions merged; in all symmetric images." in said
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    expected = {
        "target": "td", "trace": 0.8, "weights": {"late": 0.5, "exact": 2, "rare": 1},
        "dedupe": True, "augment": True, "plies": [2, 9], "remaining": [1, 9],
    }  # fmt: skip
    assert {key: card[key] for key in expected} == expected
    status, out, _ = run(f"{options} --json")
    assert status == 0 and expected.items() <= json.loads(out)["fitting"].items()


def test_tuning(run):
    status, out, err = run("--tune --trials 4 --features mobility")
    assert (status, err) == (0, "")
    assert "4 settings tried, the best first" in out and "none named are the recipe's own" in out
    status, out, _ = run("--tune --trials 4 --features mobility --json")
    found = json.loads(out)
    assert len(found["tuning"]["trials"]) == 4 and found["tuning"]["measure"] == "squared error"
    best = found["tuning"]["trials"][0]["settings"]
    assert found["fitting"]["parameters"] == {k: v for k, v in best.items() if k != "stages"}


@pytest.mark.parametrize(
    "options, message",
    [
        ("--weight late", "--weight takes a list such as late=0.5,exact=2, not late"),
        ("--weight early=1", "there is no weight 'early'"),
        ("--plies 9", "--plies takes the least and the most, such as 20-40, not 9"),
        ("--remaining 9-1", "remaining go from the least to the most"),
        ("--plies 90-99", "no training row is left"),
        ("--trials 3", "--trials and --minutes are for --tune"),
        ("--target moves", "there is no target 'moves'"),
    ],
)
def test_bad_settings_are_one_sentence(run, options, message):
    status, out, err = run(options)
    assert (status, out, err.count("\n")) == (1, "", 1) and message in err
