"""A store of positions: what it holds, what it forgets, its file, and how evaluators know it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import images
from samuel.models import evaluate, load_evaluator
from samuel.models.compiled.model import arrays_bytes, arrays_in
from samuel.models.game_of import STORE_SIGN, evaluator_alone, name_and_file
from samuel.models.rote.front import in_front_of
from samuel.models.rote.store import Store, load_store, save_store, standard
from samuel.search import analyse
from tests.minimax import minimax

OTHELLO, CHECKERS = game_named("othello"), game_named("checkers")
SMALL = game_named("othello_4x4")
GAMES = (
    *("othello", "checkers"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("xiangqi", "backgammon", "gomoku")),
)
ROWS = np.unique(standard(SMALL, random_positions(SMALL, 400, 3)), axis=0)[:60]


def filled(game: Any, n: int = 200, seed: int = 0, **settled: Any) -> Store:
    rows = random_positions(game, n, seed)
    scores = np.random.default_rng(seed).uniform(-0.5, 0.5, n).astype(np.float32)
    return Store(game, **settled).merged(rows, scores, np.full(n, 3), games=10)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_stored_scores_so_and_the_rest_as_before(name: str) -> None:
    game = game_named(name)
    store, base = filled(game), load_evaluator("random", game)
    knowing, known = replace(in_front_of(base, store), name="another"), store.entries
    goes_on = np.array([not game.is_over(row) for row in known.positions])
    found = evaluate(knowing, game, known.positions)[goes_on]
    assert np.abs(found - known.scores[goes_on]).max() < 1e-4
    others = random_positions(game, 300, 7)
    stored = {row.tobytes() for row in known.positions}
    new = np.array([row.tobytes() not in stored for row in standard(game, others)])
    assert np.array_equal(evaluate(knowing, game, others)[new], evaluate(base, game, others)[new])


def test_symmetric_positions_are_one_and_so_are_the_sides() -> None:
    row = random_positions(OTHELLO, 1, 5, 12, 12)[0]
    seen = images(OTHELLO, row)
    store = Store(OTHELLO).merged(seen, np.full(8, 2.5), np.full(8, 3))
    assert len(store) == 1
    found = evaluate(in_front_of(load_evaluator("zero", OTHELLO), store), OTHELLO, seen)
    assert found.tolist() == [2.5] * 8
    black, white = (Position.parse(text, CHECKERS) for text in ("B:WK5:BK32", "W:WK1:BK28"))
    store = Store(CHECKERS).merged(np.array([black.row]), [0.25], [3])
    found = evaluate(
        in_front_of(load_evaluator("zero", CHECKERS), store),
        CHECKERS,
        np.array([black.row, white.row]),
    )
    assert found.tolist() == [0.25, 0.25]


def merged(store: Store, chosen: list[int], depths: list[int], used: Any = None) -> Store:
    n = len(chosen)
    return store.merged(ROWS[chosen], np.linspace(-1, 1, n), depths, used, n)


def test_it_ages_is_refreshed_and_forgets() -> None:
    store = merged(Store(SMALL, age_limit=8), [0, 1], [3, 3])
    assert store.entries.ages.tolist() == [4, 4]
    store = merged(store, [], [], np.array([True, False]))
    assert store.entries.ages.tolist() == [3, 5]  # half of it, and one merge older
    store = merged(store, [0], [3], np.array([False, False]))
    assert store.entries.ages.tolist() == [2, 6]  # met again
    for _ in range(2):
        store = merged(store, [], [])
    assert len(store) == 1 and store.entries.ages.tolist() == [4]


def test_the_shallowest_go_first_and_of_these_the_oldest() -> None:
    store = merged(Store(SMALL, capacity=2), [0], [3])
    store = merged(store, [1, 2], [3, 2])
    assert store.entries.depths.tolist() == [3, 3]
    store = merged(store, [3], [3])
    kept = {row.tobytes() for row in store.entries.positions}
    assert kept == {ROWS[1].tobytes(), ROWS[3].tobytes()}


MERGES = st.lists(
    st.lists(st.tuples(st.integers(0, len(ROWS) - 1), st.integers(0, 9)), max_size=40), max_size=8
)


@settings(max_examples=60, deadline=None)
@given(MERGES, st.integers(1, 30), st.integers(2, 9), st.randoms(use_true_random=False))
def test_it_never_grows_beyond_its_bounds(
    merges: list[list[tuple[int, int]]], capacity: int, limit: int, random: Any
) -> None:
    store = Store(SMALL, capacity, limit)
    for of in merges:
        used = np.array([random.random() < 0.3 for _ in range(len(store))], bool)
        store = merged(store, [which for which, _ in of], [depth for _, depth in of], used)
        entries = store.entries
        assert len(store) <= capacity
        assert ((entries.ages >= 0) & (entries.ages < limit)).all()
        assert len({row.tobytes() for row in entries.positions}) == len(store)
        assert all(len(column) == len(store) for column in vars(entries).values())


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_search_takes_scores_at_its_leaves(depth: int) -> None:
    game = game_named("tic_tac_toe")
    evaluator = in_front_of(load_evaluator("random", game), filled(game, 300))
    for row in random_positions(game, 20, 9):
        position = Position(game, tuple(row.tolist()))
        if not position.is_terminal:
            found = analyse(position, evaluator, depth=depth, exact_from=0)
            assert found.score == pytest.approx(minimax(position, evaluator, depth))


@pytest.mark.parametrize("name", GAMES)
def test_it_comes_back_from_its_file(name: str, tmp_path: Path) -> None:
    store = replace(filled(game_named(name), capacity=150), name="generation 3")
    save_store(store, tmp_path / "it")
    again = load_store(tmp_path / "it")
    assert (again.game, again.capacity, again.age_limit) == (store.game, 150, store.age_limit)
    assert (again.games, again.name) == (10, "generation 3")
    for mine, its in zip(vars(store.entries).values(), vars(again.entries).values(), strict=True):
        assert mine.dtype == its.dtype and np.array_equal(mine, its)


def written(store: Store, tmp_path: Path) -> bytes:
    save_store(store, tmp_path / "whole")
    return (tmp_path / "whole").read_bytes()


def altered(content: bytes, name: str, **changes: Any) -> bytes:
    """Return a file with numbers of one array changed, or all of it."""
    arrays = {key: value.copy() for key, value in arrays_in(content[len(STORE_SIGN) :]).items()}
    if "whole" in changes:
        arrays[name] = changes["whole"]
    else:
        arrays[name][changes["at"]] = changes["to"]
    return STORE_SIGN + arrays_bytes(arrays)


def crafted(content: bytes) -> Iterator[tuple[bytes, str]]:
    yield b"PK", "it is not a store of rote learning; samuel learn --algorithm"
    yield b"", "it is not a store of rote learning; samuel learn --algorithm"
    yield STORE_SIGN, "cut off or altered"
    yield content[:-20], "cut off or altered"
    yield (
        altered(content, "scores", at=3, to=np.nan),
        "or altered: a score is larger than any result of the game",
    )
    yield (
        altered(content, "positions", at=0, to=[1, 1]),
        "it is cut off or altered: its positions are not positions",
    )
    few = np.zeros((9, 2), np.int64)
    yield (
        altered(content, "positions", whole=few),
        "it is cut off or altered: it has more positions than its",
    )
    yield (
        altered(content, "positions", whole=np.zeros((200, 3), np.int64)),
        "it is cut off or altered: it has more positions than its",
    )
    yield (
        altered(content, "scores", whole=np.zeros(200)),
        "it is cut off or altered: 'scores' must be an array of",
    )
    yield altered(content, "numbers", whole=np.zeros(2, np.int64)), "cut off or altered"
    yield (
        altered(content, "numbers", at=0, to=10),
        "it is cut off or altered: it has more positions than its",
    )
    yield altered(content, "numbers", at=0, to=1 << 60), "capacity"
    yield altered(content, "game", whole=np.frombuffer(b"x.py", np.int8)), "x.py"
    yield altered(content, "game", whole=np.frombuffer(b"\x1b[2J", np.int8)), "a name in it"


def test_what_is_no_store_gets_one_sentence(tmp_path: Path) -> None:
    for content, message in crafted(written(filled(OTHELLO), tmp_path)):
        (tmp_path / "it").write_bytes(content)
        with pytest.raises(UserError, match=message) as caught:
            load_store(tmp_path / "it")
        assert "\n" not in str(caught.value)
    with pytest.raises(UserError, match="positions of othello, not of checkers"):
        load_store(tmp_path / "whole", CHECKERS)
    with pytest.raises(UserError, match="cannot be read"):
        load_store(tmp_path / "none")


def test_a_store_stands_after_an_evaluators_name(tmp_path: Path) -> None:
    (tmp_path / "a+b").mkdir()
    path = tmp_path / "a+b" / "it.rote"
    save_store(filled(OTHELLO), path)
    assert name_and_file(f"classic+{path}") == ("classic", str(path))
    assert name_and_file("classic") == ("classic", "")
    assert evaluator_alone(f"classic+{path}+{path}") == "classic"
    assert load_evaluator(f"classic+{path}", "othello").name == "classic+rote"
    with pytest.raises(UserError, match="positions of othello, not of checkers"):
        load_evaluator(f"classic+{path}", "checkers")
    with pytest.raises(UserError, match="no evaluator called"):
        load_evaluator("classic+nothing", "othello")


def test_a_kill_while_it_is_written_leaves_a_whole_file(tmp_path: Path) -> None:
    path, store = tmp_path / "it", filled(OTHELLO, 20_000)
    save_store(store, path)
    for delay in np.linspace(0.001, 0.12, 8):
        child = os.fork()
        if not child:
            while True:
                save_store(replace(store, games=store.games + 1), path)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert len(load_store(path)) == len(store)
