"""Terms of a toy engine are found again from its coefficients."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.errors import UserError
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
    rows = re.findall(r"\{(-?\d+), (-?\d+)\}, /\* (\w+) \*/", out.read_text())
    assert [name for *_, name in rows] == list(TERMS)
    assert np.allclose(np.array(rows)[:, :2].astype(int), tuned.values, atol=0.51)
    assert tuned.table()["middle_start"].tolist() == pytest.approx(MIDDLE * 1.2)


def test_scores_alone_will_do(toy: Path) -> None:
    frame = pd.read_csv(toy / "toy.csv").drop(columns="result")
    frame.to_csv(toy / "scores.csv", index=False)
    tuned = tune_coefficients(
        toy / "scores.csv", phase="phase", score="cp", scale=K, out=toy / "tuned.csv"
    )
    assert tuned.values == pytest.approx(np.column_stack([END, MIDDLE]), rel=0.02, abs=1)
    assert pd.read_csv(toy / "tuned.csv")["term"].tolist() == list(TERMS)


def test_values_that_fit_no_term_are_refused(toy: Path) -> None:
    table, values = toy / "toy.csv", toy / "values.csv"
    with pytest.raises(UserError, match="has two values a term; name the column of the phase"):
        tune_coefficients(table, score="cp", start=values)
    values.write_text("term,value\npwan,100\n")
    with pytest.raises(UserError, match="no term called 'pwan'"):
        tune_coefficients(table, score="cp", phase="phase", start=values)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,b\n1,2\n", "no column called 'result'"),
        ("a,result\nx,1\n1,0\n", "must hold numbers below 1,000,000 in size .line 2 has 'x'"),
        ("a,result\n1,7\n1,0\n", "must hold results: 1, 0.5 or 0"),
        ("result\n1\n0\n", "must have from 1 to 20,000 terms"),
        ("", "is not a table of coefficients"),
        ("a,result\n1,1\n", "fewer than two rows"),
    ],
)
def test_bad_tables_are_told_in_a_sentence(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=what):
        tune_coefficients(path)
