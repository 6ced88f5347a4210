"""Terms of a toy engine are found again from its coefficients."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.cli.main import main
from samuel.common.errors import UserError
from samuel.learning.coefficients import tune_coefficients

TERMS = ("pawn", "knight", "tempo", "passed")
MIDDLE, END = np.array([90.0, 320, 12, 15]), np.array([110.0, 290, 3, 60])
K = 150.0
ROWS = 6000


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Coefficients of an engine whose games end as its own values tell."""
    draw = np.random.default_rng(3)
    columns = draw.integers(-2, 3, (ROWS, len(TERMS)))
    phase = draw.integers(0, 25, ROWS)
    share = phase[:, None] / 24
    score = np.sum(columns * (MIDDLE * share + END * (1 - share)), axis=1)
    won = draw.random(ROWS) < 1 / (1 + np.exp(-score / K))
    frame = pd.DataFrame(columns, columns=list(TERMS))
    frame["phase"], frame["cp"], frame["result"] = phase, score, np.where(won, "1-0", "0-1")
    frame.to_csv(tmp_path / "toy.csv", index=False)
    values = pd.DataFrame({"term": TERMS, "end": END * 0.8, "middle": MIDDLE * 1.2})
    values.to_csv(tmp_path / "values.csv", index=False)
    return tmp_path


def test_the_values_of_a_toy_engine_are_found_within_their_errors(toy: Path) -> None:
    tuned = tune_coefficients(toy / "toy.csv", phase="phase", scale=K, score="cp")
    assert tuned.terms == TERMS
    true = np.column_stack([END, MIDDLE])
    assert (np.abs(tuned.values - true) < 4 * tuned.errors).all()
    assert (tuned.errors < 25).all()
    assert tuned.loss < tuned.first_loss


def test_the_scale_is_fitted_to_the_present_values_and_a_header_is_written(toy: Path) -> None:
    out = toy / "tuned.h"
    tuned = tune_coefficients(
        toy / "toy.csv", phase="phase", score="cp", start=toy / "values.csv", out=out
    )
    assert 0.6 * K < tuned.scale < 1.6 * K
    rows = re.findall(r"\{(-?\d+), (-?\d+)\}, /\* (\w+) \+- \d+, \d+ \*/", out.read_text())
    assert [name for *_, name in rows] == list(TERMS)
    assert np.allclose(np.array(rows)[:, :2].astype(int), tuned.values, atol=0.51)
    assert tuned.table()["middle_start"].tolist() == pytest.approx(MIDDLE * 1.2)


def test_two_columns_of_a_term_have_a_stage_each(toy: Path) -> None:
    frame = pd.read_csv(toy / "toy.csv")
    share = frame["phase"] / 24
    draw = np.random.default_rng(5)
    frame["king_mg"], frame["king_eg"] = draw.integers(-2, 3, (2, ROWS))
    frame["cp"] += 40 * frame["king_mg"] * share - 25 * frame["king_eg"] * (1 - share)
    frame.drop(columns="result").to_csv(toy / "pairs.csv", index=False)
    (toy / "start.csv").write_text("term,value\npawn,100\nking_mg,7\nking_eg,8\n")
    tuned = tune_coefficients(
        toy / "pairs.csv", phase="phase", score="cp", scale=K, start=toy / "start.csv"
    )
    assert tuned.terms == (*TERMS, "king")
    assert tuned.values[-1] == pytest.approx([-25, 40], abs=1)
    assert tuned.start[[0, -1]].tolist() == [[100, 100], [8, 7]]
    for name in ("king_mg", "king_eg"):  # multiplied by the phase already, they are two terms
        frame[name] *= share if name == "king_mg" else 1 - share
    kings = frame[["king_mg", "king_eg"]].assign(
        cp=frame["cp"] - pd.read_csv(toy / "toy.csv")["cp"]
    )
    kings.to_csv(toy / "kings.csv", index=False)
    tuned = tune_coefficients(toy / "kings.csv", score="cp", scale=K)
    assert tuned.terms == ("king_mg", "king_eg")
    assert tuned.values.ravel() == pytest.approx([40, -25], abs=0.1)


def test_errors_that_are_the_penaltys_are_marked_and_counted(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(toy / "toy.csv").drop(columns=["cp", "phase"])
    frame.assign(unused=0).to_csv(toy / "unused.csv", index=False)
    tuned = tune_coefficients(toy / "unused.csv", alpha=1e-7, out=toy / "unused.h")
    assert tuned.table()["value_of_penalty"].tolist() == [False] * len(TERMS) + [True]
    header = (toy / "unused.h").read_text()
    assert "1 of 5 errors are the penalty's" in header
    assert re.findall(r"(\w+) \+- \d+ \*/ /\* penalty \*/", header) == ["unused"]
    with pytest.raises(SystemExit):
        main(["models", "tune", str(toy / "unused.csv"), "--alpha", "1"])
    printed = capsys.readouterr().out
    assert "* 5 of 5 errors are the penalty's" in printed and printed.count(" *") >= 5


def test_games_are_held_out_whole(toy: Path) -> None:
    frame = pd.read_csv(toy / "toy.csv").drop(columns=["cp", "phase"])
    games = pd.concat([frame.head(30).assign(match=k) for k in ("one", "two", "three", "four")])
    games.to_csv(toy / "games.csv", index=False)
    tuned = tune_coefficients(toy / "games.csv", group="match", held_out=0.25, alpha=1e-4)
    assert (tuned.rows, tuned.held_out, tuned.group) == (90, 30, "match")
    games.rename(columns={"match": "game"}).to_csv(toy / "games.csv", index=False)
    tuned = tune_coefficients(toy / "games.csv", held_out=0.5, alpha=1e-4)
    assert (tuned.rows, tuned.group, tuned.terms) == (60, "game", TERMS)
    with pytest.raises(UserError, match="no column called 'match'"):
        tune_coefficients(toy / "games.csv", group="match")


def test_values_that_fit_no_term_are_refused(toy: Path) -> None:
    table, values = toy / "toy.csv", toy / "values.csv"
    with pytest.raises(UserError, match="has two values per term; name the column of the phase"):
        tune_coefficients(table, score="cp", start=values)
    values.write_text("term,value\npwan,100\n")
    with pytest.raises(UserError, match="no term called 'pwan'"):
        tune_coefficients(table, score="cp", phase="phase", start=values)
    for again in (
        "pawn,100\ntempo,3\npawn,90\n",
        "passed_mg,3\npassed,4\n",
        "tempo,4\ntempo_eg,1\n",
    ):
        values.write_text(f"term,value\n{again}")
        with pytest.raises(UserError, match=r"values.csv gives term '\w+' twice; leave one line"):
            tune_coefficients(table, score="cp", phase="phase", start=values)
    values.write_text("term,value,value\npawn,100,90\n")
    with pytest.raises(UserError, match="two columns are called 'value'"):
        tune_coefficients(table, score="cp", phase="phase", start=values)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,b\n1,2\n", "no column called 'result'"),
        ("a,result\nx,1\n1,0\n", "must hold numbers below 1,000,000 in size .line 2 has 'x'"),
        ("a,result\n1,7\n1,0\n", "line 2: '7' is no result"),
        ("a,result\n1,1\n1,-1\n", r"line 3: '-1' is no result .*; convert .* \(result \+ 1\) / 2"),
        ("a,result\n1,1\n1,won\n", "line 3: 'won' is no result"),
        ("a,result,phase\n1,1,12\n1,0,46\n", r"from 24 .* to 0 \(line 3 has 46\); multiply"),
        ("a,result,phase\n1,1,1\n1,0,0.4\n", "seems to be from 1 to 0"),
        ("a,cp\n1,0.3\n1,-1.2\n", "do not look like centipawns .* give --scale, .* 1.74 for pawns"),
        ("a,cp\n1,3000\n1,-12000\n", "do not look like centipawns"),
        ("result\n1\n0\n", "must have from 1 to 20,000 terms"),
        ("", "is not a table of coefficients"),
        ("a,result\n1,1\n", "fewer than two rows"),
    ],
)
def test_bad_tables_are_told_in_a_sentence(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    optional = {name: name for name in ("phase",) if name in text}
    with pytest.raises(UserError, match=what):
        tune_coefficients(path, score="cp" if "cp" in text else "", **optional)


@pytest.mark.parametrize("ending", ["csv.gz", "parquet"])
def test_tables_that_unpack_to_far_more_than_they_hold_are_refused(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.common.text_files._SMALL", 1 << 20)
    path, rows, columns = tmp_path / f"bomb.{ending}", 1 << 17, 100
    zeros = np.zeros((rows, columns), np.int8)
    if ending == "parquet":
        pd.DataFrame(zeros, columns=[f"t{k}" for k in range(columns)]).to_parquet(path)
    else:
        path.write_bytes(gzip.compress(b"a,result\n" + b"0,1\n" * (columns * rows)))
    with pytest.raises(UserError, match="unpacks to more than a file of its kind can"):
        tune_coefficients(path)
