"""`samuel select`: its table, its JSON, its page, and the command it ends with."""

import json
import shlex

import pytest


@pytest.fixture
def data(run):
    status, _, err = run("selfplay --depth 1 --games 120 --seed 1 --out 'my data'")
    assert status == 0, err


SOME = "--features mobility,stability,corners,regions"


@pytest.mark.usefixtures("data")
def test_the_command_that_is_printed_trains(run):
    status, out, err = run(f"select 'my data' {SOME} --report page.html")
    assert (status, err) == (0, "")
    assert "mobility" in out and "default" in out and "report: page.html" in out
    train = out.strip().splitlines()[-1]
    assert train.startswith("samuel train 'my data' --model ridge --features ")
    status, out, err = run(train.removeprefix("samuel "))
    assert (status, err) == (0, "") and "runs/selected" in out


@pytest.mark.usefixtures("data")
def test_json_and_options(run):
    options = "--most 2 --method l1 --target outcome --stages 2 --seed 3 --held-out 0.3 --rows 2000"
    status, out, err = run(f"select 'my data' {SOME} {options} --json")
    assert (status, err) == (0, "") and out.count("\n") == 1
    found = json.loads(out)
    assert (found["method"], len(found["table"]), found["report"]) == ("l1", 2, None)
    assert found["rows"] <= 2000
    keys = "features feature columns score cv_error cv_error_se cv_r2 behind behind_se error r2"
    assert set(keys.split()) <= found["table"][0].keys()
    assert [row["features"] for row in found["table"]] == [1, 2]
    assert (
        found["recommended"]
        == [row["feature"] for row in found["table"]][: len(found["recommended"])]
    )
    assert found["default"]["features"] == 8
    words = shlex.split(found["command"])
    pairs = dict(zip(words[3::2], words[4::2], strict=True))
    assert pairs["--features"] == ",".join(found["recommended"])
    asked = {"--target": "outcome", "--stages": "2", "--seed": "3", "--held-out": "0.3"}
    assert asked.items() <= pairs.items() and "--blend" not in pairs


@pytest.mark.usefixtures("data")
def test_the_command_names_plugins_and_what_was_fitted_to(run, tmp_path):
    (tmp_path / "own.py").write_text("")
    line = f"select 'my data' {SOME} --most 1 --plugin own.py --plies 20-50 --dedupe --json"
    status, out, err = run(line)
    assert (status, err) == (0, "")
    words = shlex.split(json.loads(out)["command"])
    assert words[words.index("--plugin") + 1] == "own.py"
    assert words[words.index("--plies") + 1] == "20-50" and "--dedupe" in words


@pytest.mark.usefixtures("data")
def test_the_page_stands_alone(run, tmp_path):
    assert run(f"select 'my data' {SOME} --report deep/page.html --json")[0] == 0
    page = (tmp_path / "deep" / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert page.count("<svg") == 1 and "http" not in page and "<script" not in page
    assert all(name in page for name in ("mobility", "stability", "corners", "regions"))
    assert "samuel train" in page and "Recommended" in page


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("select nothing", "there is no dataset at nothing"),
        ("select 'my data' --report .", "'.' is a folder; give the name of a file"),
        ("select 'my data' --method guess", "no method called 'guess'; there are sequential, l1"),
        ("select 'my data' --features beauty", "no feature called 'beauty'"),
        ("select 'my data' --features ,", "name at least one feature"),
        ("select 'my data' --game tic_tac_toe", "holds games of othello, not tic_tac_toe"),
    ],
)
def test_what_goes_wrong_is_one_line(run, line, complaint):
    status, out, err = run(line)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert complaint in err


def test_help(run):
    status, out, _ = run("select --help")
    assert status == 0 and "Example" in out
