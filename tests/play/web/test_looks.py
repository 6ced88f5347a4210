"""Every kind of page that is written, in a real browser: wide and narrow, light and dark.

Needs Chromium and playwright (`make browser`); pictures of what is seen lie in build/screenshots.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import samuel
from samuel.arena.standings import read_match
from samuel.learning.fitting.split import Split
from samuel.learning.generations.experiment import Plan, algorithms_of, experiment
from samuel.learning.generations.run import Run
from samuel.learning.selection.selection import select_features
from samuel.reports.html import write_page
from samuel.search.reference.explanation import explain_position, explain_tree
from samuel.search.reference.sampled import explain_sampling
from tests.play.web.looks import faults_of

LEARNING: dict[str, Any] = {"game": "tic_tac_toe", "start": "zero", "model": "tuples3", "games": 20}
ALGORITHMS = algorithms_of(
    LEARNING | {"epsilon": 0.1, "match_depth": 1, "baselines": ()},
    {"tdlambda": {"algorithm": "tdlambda"}, "rootstrap": {"algorithm": "rootstrap", "depth": 2}},
    "a test",
)


def compared(page: Path, kept: Path) -> None:
    """Write the page of the demo: models, matches, weights, patterns, misjudged positions."""
    models = [str(kept / "mine"), "logistello", "classic", "wpc"]
    comparison = samuel.compare(kept / "games", models)
    rows = [read_match(kept / "match").as_dict() | {"a": name} for name in (models[1], "my_ridge")]
    rows[1] |= {"elo": None, "elo_high": None, "games": 12_345}
    samuel.write_page(page, comparison, match_table=rows, title="samuel demo")


def generations(page: Path, kept: Path) -> None:
    samuel.write_generations(Run.open(kept / "run"), page)


def samuel_1959(page: Path, kept: Path) -> None:
    options = samuel.LearnOptions(
        "checkers", games=3, algorithm="samuel", gate_pairs=0, curve_pairs=0
    )
    samuel.write_generations(samuel.learn(page.parent / "run", options, generations=1), page)


def methods(page: Path, kept: Path) -> None:
    folder = page.parent / "methods"
    write_page(
        page, experiment(folder, ALGORITHMS, Plan(seeds=1, generations=2, pairs=2, rounds=2))
    )


def match(page: Path, kept: Path) -> None:
    """Write a page with boards of figures, and two settings."""
    result = samuel.match("classic", "material", game="chess", pairs=2, depth=2, jobs=1)
    write_page(page, result)


def wide_boards(page: Path, kept: Path) -> None:
    result = samuel.match("classic", "zero", game="gomoku", pairs=2, depth=1, jobs=1)
    write_page(page, result)


def no_boards(page: Path, kept: Path) -> None:
    write_page(page, samuel.match("zero", "random", game="nim", pairs=2, depth=1, jobs=1))


def sprt(page: Path, kept: Path) -> None:
    write_page(page, read_match(kept / "match"))


def tournament(page: Path, kept: Path) -> None:
    players = ["classic", "wpc", "zero", str(kept / "mine")]
    write_page(page, samuel.tournament(players, depth=1, pairs=2, jobs=1))


def bench(page: Path, kept: Path) -> None:
    given: dict[str, Any] = {
        "nodes": 20,
        "error": 90.0,
        "pairs": 2,
        "without": "learned",
        "jobs": 1,
    }
    write_page(page, samuel.bench("connect_four", out=page.parent / "bench", **given))


def selection(page: Path, kept: Path) -> None:
    split = Split.of(kept / "games")
    found = select_features(split, candidates="mobility,stability,corners")
    write_page(page, found)


def weights(page: Path, kept: Path) -> None:
    samuel.write_weights(page, "classic", "chess")


def staged_weights(page: Path, kept: Path) -> None:
    samuel.write_weights(page, kept / "mine")


def tree(page: Path, kept: Path) -> None:
    write_page(page, explain_tree([[3, 12, 8], [2, 4, 6], [14, 1, 2080]], "pvs"))


def tree_of_positions(page: Path, kept: Path) -> None:
    """Write a tree that is wider than the window."""
    start = samuel.Position.start("othello")
    evaluator = samuel.load_evaluator("classic")
    write_page(page, explain_position(start, evaluator, 3, "pvs"))


def tree_with_dice(page: Path, kept: Path) -> None:
    start = samuel.Position.start("pig")
    evaluator = samuel.load_evaluator("hold_at_20", "pig")
    write_page(page, explain_position(start, evaluator, 2, "star2"))


def sampled_tree(page: Path, kept: Path) -> None:
    start = samuel.Position.start("chess")
    evaluator = samuel.load_evaluator("classic", "chess")
    sampling = explain_sampling(start, evaluator, 3, "uct:playouts=100")
    write_page(page, sampling)


KINDS: list[Callable[[Path, Path], None]] = [
    *(compared, generations, samuel_1959, methods, match, wide_boards, no_boards),
    *(sprt, tournament, bench, selection, weights, staged_weights),
    *(tree, tree_of_positions, tree_with_dice, sampled_tree),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("write", KINDS, ids=lambda one: one.__name__)
def test_no_word_breaks_and_nothing_overflows(
    browser: Any, kept: Path, tmp_path: Path, write: Callable[[Path, Path], None]
) -> None:
    path = tmp_path / "page.html"
    write(path, kept)
    page = browser.new_page()
    page.goto(path.as_uri())
    found = faults_of(page, write.__name__)
    page.close()
    assert not found, "\n".join(f"{look}: {one}" for look, all in found.items() for one in all)
