"""`samuel select`: its table, its JSON, its page, and the command it ends with."""

import re
import shlex

import pytest

pytestmark = pytest.mark.usefixtures("data")


@pytest.fixture
def data(run):
    run.done("selfplay --depth 1 --games 120 --seed 1 --out 'my data'")


SOME = "--features mobility,stability,corners,regions"


def test_the_command_that_is_printed_trains(run):
    out = run.quiet(f"select 'my data' {SOME} --report page.html")
    assert "mobility" in out and "default" in out and "report: page.html" in out
    train = re.sub(r" \\\n +", " ", re.search(r"samuel train(\\\n|.)+", out)[0])
    assert train.startswith("samuel train 'my data' --model ridge --features ")
    assert "runs/selected" in run.quiet(train.removeprefix("samuel "))


def test_json_and_options(run):
    options = (
        "--most 2 --ranking l1 --target outcome --stages 2 --seed 3 --held-out 0.3 --rows 2000"
    )
    found = run.json(f"select 'my data' {SOME} {options}")
    assert (found["ranking"], len(found["table"]), found["report"]) == ("l1", 2, None)
    assert found["rows"] <= 2000
    keys = "features feature columns score cv_error cv_error_se cv_r2 behind behind_se error r2"
    assert set(keys.split()) <= found["table"][0].keys()
    assert [row["features"] for row in found["table"]] == [1, 2]
    best = [row["feature"] for row in found["table"]]
    assert found["recommended"] == best[: len(found["recommended"])]
    assert found["default"]["features"] == 8
    words = shlex.split(found["command"])
    pairs = dict(zip(words[3::2], words[4::2], strict=True))
    assert pairs["--features"] == ",".join(found["recommended"])
    asked = {"--target": "outcome", "--stages": "2", "--seed": "3", "--held-out": "0.3"}
    assert asked.items() <= pairs.items() and "--blend" not in pairs


def test_the_command_names_plugins_and_what_was_fitted_to(run, tmp_path):
    (tmp_path / "own.py").write_text("")
    line = f"select 'my data' {SOME} --most 1 --plugin own.py --plies 20-50 --dedupe"
    words = shlex.split(run.json(line)["command"])
    assert words[words.index("--plugin") + 1] == "own.py"
    assert words[words.index("--plies") + 1] == "20-50" and "--dedupe" in words


def test_the_page_stands_alone(run, tmp_path):
    run.done(f"select 'my data' {SOME} --report deep/page.html --json")
    page = (tmp_path / "deep" / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert page.count("<svg") == 1 and "http" not in page and "<script" not in page
    assert all(name in page for name in ("mobility", "stability", "corners", "regions"))
    assert "samuel train" in page and "Recommended" in page
