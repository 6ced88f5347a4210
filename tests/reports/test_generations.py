"""The page of a run: its tables, its curve, its links."""

import re
from dataclasses import replace

import numpy as np
import pytest

from samuel.common.displayable import NOTHING
from samuel.learning.generations.run import Run
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.reports.generations.curve import curve_figure
from samuel.reports.generations.run import write_generations
from samuel.reports.generations.tables import (
    gate_table,
    generation_table,
    strength_table,
)

SETTINGS = checked(LearnOptions(seed=7))


def match(score, elo, low, high, **more):
    scores = {"score": score, "score_low": score - 0.05, "score_high": min(1.0, score + 0.05)}
    return {**scores, "elo": elo, "elo_low": low, "elo_high": high, **more}


def entries_of(generation, promoted, opponent, first, classic):
    decision = "H1" if promoted else "H0"
    llr = {"llr": 2.97 if promoted else -3.01, "lower": -2.94, "upper": 2.94, "decision": decision}
    counts = {"games": 400, "wins": 250, "draws": 10, "losses": 140}
    steps = {
        "play": {"player": "wpc", "games": 20_000, "positions": 1_050_000, "seconds": 90.0},
        "train": {"rows": 850_000, "r2": 0.651, "log_loss": 0.41234},
        "gate": match(0.64, 99.0, 60.0, 140.0)
        | counts
        | {"opponent": opponent, "promoted": promoted, "sprt": llr, "b": "x"},
        "against first": first,
        "against classic": classic,
    }
    return [
        {"generation": generation, "step": step, "seconds": 10.0, **entry}
        for step, entry in steps.items()
    ]


@pytest.fixture
def run(tmp_path):
    log = [
        {"generation": 0, "step": "against classic", "seconds": 1.0}
        | match(0.05, -512, -640, -430),
        *entries_of(1, True, 0, match(0.97, 604, 520, 750), match(0.55, 35, -14, 85)),
        *entries_of(2, False, 1, match(1.0, None, 700, None), match(0.52, 14, -35, 63)),
        *entries_of(3, True, 1, match(1.0, None, 800, None), match(0.88, 346, 281, 430)),
    ]
    return Run(tmp_path, SETTINGS, {}, 3, tuple(log))


def test_tables(run):
    table = generation_table(run)
    assert [row[0] for row in table.rows] == ["1", "2", "3 *"]
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["games"] == "20,000" and row["rows"] == "850,000"
    assert (row["R2"], row["log loss"], row["promoted"]) == ("0.651", "0.4123", "yes")
    assert row["time"] == "2.17 min"
    gate = gate_table(run)
    row = dict(zip(gate.columns, gate.rows[1], strict=True))
    assert (row["candidate"], row["against"]) == ("generation 2", "generation 1")
    assert (row["test"], row["promoted"]) == ("failed", "no")
    assert row["LLR"] == "-3.01"
    assert row["Elo"] == "+99 (+60 to +140)"
    strength = strength_table(run)
    assert list(strength.columns) == ["generation", "against wpc (start)", "against classic"]
    assert strength.rows[0] == ["0: wpc", NOTHING, "5.0 % (0.0 to 10.0)"]


def test_the_curve_shows_every_generation(run):
    figure = curve_figure(run)
    axis = figure.axes[0]
    lines = {line.get_label(): line for line in axis.lines if line.get_label()[0] != "_"}
    assert list(lines) == ["against wpc (start)", "against classic"]
    first, classic = lines.values()
    assert np.round(first.get_xdata()).tolist() == [0, 1]
    assert list(first.get_ydata()) == [0, 604]
    assert list(classic.get_ydata()) == [-512, 35, 346]
    hollow = [line for line in axis.lines if line.get_markerfacecolor() == "none"]
    assert sorted(float(line.get_ydata()[0]) for line in hollow) == [14, 700]
    assert not [text for text in axis.texts if text.arrow_patch is not None]


def test_where_all_games_were_won_or_lost_the_curve_has_bounds(run):
    lost = {"generation": 0, "step": "against classic", "seconds": 1.0} | match(0, None, None, -700)
    open_end = match(0.995, 919, 730, None)
    log = (lost, *run.log[1:], *entries_of(4, True, 3, open_end, match(0.9, 380, 300, 470)))
    axis = curve_figure(replace(run, log=log)).axes[0]
    bounds = {
        (round(line.get_xdata()[0]), line.get_ydata()[0]): line
        for line in axis.lines
        if line.get_marker() in ("^", "v")
    }
    marks = {key: (mark.get_marker(), mark.get_markerfacecolor()) for key, mark in bounds.items()}
    assert {key: mark for key, (mark, _) in marks.items()} == {
        (0, -700): "v",
        (2, 700): "^",
        (3, 800): "^",
    }
    assert [key for key, (_, face) in marks.items() if face == "none"] == [(2, 700)]
    first, classic = (line for line in axis.lines if line.get_label()[0] != "_")
    assert list(first.get_ydata()) == [0, 604, 919]
    assert list(classic.get_ydata()) == [35, 346, 380]
    assert len([text for text in axis.texts if text.arrow_patch is not None]) == 1
    page = write_generations(replace(run, log=log)).read_text()
    assert "A triangle marks a model that won all games" in page


def test_a_page_stands_alone_and_its_links_lead_somewhere(run, tmp_path):
    (tmp_path / "best").mkdir()
    (tmp_path / "state.json").touch()
    page = write_generations(run, tmp_path / "report.html").read_text()
    links = re.findall(r'href="([^"]+)"', page)
    for link in ("state.json", "best", "generation-003/model", "generation-000/against-classic"):
        assert link in links
    assert "first" not in links  # no model was copied
    assert not re.search(r"https?://|<script|src=", page)
    assert "games = 20000" in page and page.count("<svg") == 1
