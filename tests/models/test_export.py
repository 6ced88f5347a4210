"""Models of patterns as other programs read them, by readers written from the formats alone."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.read_exports import pattern_scores
from samuel.common.errors import UserError
from samuel.features import column_names, extract, feature_names, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.models import evaluate, export, load_evaluator, save
from samuel.models.export import export_model
from samuel.models.patterns.estimators import PatternRegressor
from samuel.models.patterns.network_fit import PatternNetwork
from tests.rarely import rarely

OTHELLO, SMALL, CHECKERS = (game_named(n) for n in ("othello", "othello_4x4", "checkers"))
MOBILITY = ("mobility_player", "mobility_opponent")
MODELS = {
    "plain": (OTHELLO, "tuples3", ()),
    "tables": (SMALL, ["a1 b1 c1", "b2 c3"], [MOBILITY, MOBILITY[1]]),
    "network": (SMALL, ["a1 b1 c1", "b2 c3"], [MOBILITY]),
    "kings": (CHECKERS, ["b8 d8", "a7 b6 c5"], ()),
}


def positions_of(game: Any, count: int, seed: int) -> Any:
    rows = random_positions(game, count, seed)
    return rows[[not game.is_over(row) for row in rows]]


@pytest.fixture(scope="module")
def model_of(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what fits a model to numbers drawn at random, so that all weights count."""

    def make(game: Any, shapes: Any, tables: Any = (), network: bool = False) -> Path:
        folder = tmp_path_factory.mktemp("exported") / "model"
        rows = positions_of(game, 3000, 5)
        model = PatternRegressor(shapes, game.name, tables=tables, stages=4, alpha=0.1, tol=0.01)
        if network:
            model = PatternNetwork(model, shapes, game.name, epochs=2, random_state=0)
        save(
            folder,
            model.fit(rows, np.random.default_rng(1).normal(0, 20, len(rows))),
            name="exported",
        )
        return folder

    return make


@pytest.fixture(
    scope="module",
    params=["plain", "tables", "network", rarely("kings")],
)
def model(request: pytest.FixtureRequest, model_of: Any) -> tuple[Any, Path]:
    game, shapes, tables = MODELS[request.param]
    return game, model_of(game, shapes, tables, request.param == "network")


def expected(game: Any, folder: Path) -> tuple[Any, Any]:
    rows = positions_of(game, 1000, 9)
    return rows, evaluate(load_evaluator(folder, game), game, rows)


def counts_of(game: Any, rows: Any) -> dict[str, Any]:
    """Return the numbers that the tables of a game's models are over."""
    if "mobility" not in feature_names(game.name):
        return {}
    features = features_named(["mobility"], game.name)
    return dict(zip(column_names(features), extract(features, rows).T, strict=True))


def test_a_reader_in_numpy_gives_the_same_scores(model: Any, tmp_path: Path) -> None:
    game, folder = model
    export_model(str(folder), game, "numpy", tmp_path / "model.npz")
    rows, scores = expected(game, folder)
    digits, left = game.board.digits(rows).T, left_of(game, rows)
    counts = counts_of(game, rows)
    file = dict(np.load(tmp_path / "model.npz"))
    found = pattern_scores(file, digits, left, counts)
    assert found == pytest.approx(scores, abs=1e-5)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_function_in_c_gives_the_same_scores(model: Any, tmp_path: Path) -> None:
    game, folder = model
    export_model(str(folder), game, "c", tmp_path / "model.h")
    (tmp_path / "model.c").write_text(
        '#include "model.h"\n'
        "float score(int left, const signed char *s, const int *c)"
        "{ return model_score(left, s, c); }\n"
    )
    library = tmp_path / "model.so"
    command = ["cc", "-std=c99", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "model.c", "-o"]
    subprocess.run([*command, str(library)], cwd=tmp_path, check=True)
    score = ctypes.CDLL(str(library)).score
    score.restype = ctypes.c_float
    rows, scores = expected(game, folder)
    digits = np.ascontiguousarray(game.board.digits(rows).T)
    said = (tmp_path / "model.h").read_text()
    columns = MOBILITY if "mobility_player, mobility_opponent" in said else ()
    counts = counts_of(game, rows)
    chosen = np.array([counts[name] for name in columns], np.int32).reshape(-1, len(rows))
    found = [
        score(
            int(left),
            squares.ctypes.data_as(ctypes.c_char_p),
            np.ascontiguousarray(chosen[:, k]).ctypes.data_as(ctypes.c_void_p),
        )
        for k, (left, squares) in enumerate(zip(left_of(game, rows), digits, strict=True))
    ]
    assert found == pytest.approx(scores.tolist(), abs=1e-5)


class EvalFile:
    """Edax's file of weights, read as its format is described, square by square."""

    SHAPES = (
        *("A1 B1 A2 B2 C1 A3 C2 B3 C3", "A5 A4 A3 A2 A1 B2 B1 C1 D1 E1"),
        *("B2 A1 B1 C1 D1 E1 F1 G1 H1 G2", "A1 C1 D1 C2 D2 E2 F2 E1 F1 H1"),
        *("A2 B2 C2 D2 E2 F2 G2 H2", "A3 B3 C3 D3 E3 F3 G3 H3", "A4 B4 C4 D4 E4 F4 G4 H4"),
        *("A1 B2 C3 D4 E5 F6 G7 H8", "B1 C2 D3 E4 F5 G6 H7", "C1 D2 E3 F4 G5 H6"),
        *("D1 E2 F3 G4 H5", "D1 C2 B3 A4"),
    )
    PACKED = (10206, 29889, 29646, 29646, 3321, 3321, 3321, 3321, 1134, 378, 135, 45)
    MIRRORS = (
        *("A1 A2 B1 B2 A3 C1 B3 C2 C3", "E1 D1 C1 B1 A1 B2 A2 A3 A4 A5"),
        *("G2 H1 G1 F1 E1 D1 C1 B1 A1 B2", "H1 F1 E1 F2 E2 D2 C2 D1 C1 A1"),
    )

    def __init__(self, content: bytes) -> None:
        edax, eval_, *self.version, _ = struct.unpack_from("<IIIIId", content)
        assert (edax, eval_) == (0x45444158, 0x4556414C)
        numbers = np.frombuffer(content, "<i2", offset=28)
        assert len(numbers) == 61 * 114_364
        self.weights = numbers.reshape(61, 114_364).astype(int)
        self.kinds, start = [], 0
        for kind, size in enumerate(self.PACKED):
            squares = self.SHAPES[kind].split()
            mirror = self.MIRRORS[kind].split() if kind < 4 else squares[::-1]
            places = self._places([squares.index(square) for square in mirror])
            assert max(places) == size - 1
            self.kinds.append((start, places, self._instances(squares)))
            start += size

    def score(self, own: set[str], other: set[str]) -> float:
        weights = self.weights[60 - (64 - len(own) - len(other))]
        total = weights[-1]
        for start, places, instances in self.kinds:
            for instance in instances:
                number = 0
                for square in instance:
                    number = 3 * number + (0 if square in own else 1 if square in other else 2)
                total += weights[start + places[number]]
        return float(total) / 128

    @staticmethod
    def _places(order: list[int]) -> list[int]:
        """Return where the weight of each number is; a number and its mirror image share one."""
        n, places, kept = len(order), [], 0
        for number in range(3**n):
            digits = [number // 3 ** (n - 1 - k) % 3 for k in range(n)]
            image = sum(digits[order[k]] * 3 ** (n - 1 - k) for k in range(n))
            places.append(places[image] if image < number else kept)
            kept += image >= number
        return places

    @staticmethod
    def _instances(squares: list[str]) -> list[list[str]]:
        found: dict[frozenset[str], list[str]] = {}
        for k in range(8):
            turned = []
            for square in squares:
                x, y = ord(square[0]) - 65, int(square[1]) - 1
                x, y = (7 - x if k & 1 else x), (7 - y if k & 2 else y)
                x, y = (y, x) if k & 4 else (x, y)
                turned.append(f"{chr(65 + x)}{y + 1}")
            found.setdefault(frozenset(turned), turned)
        return list(found.values())


@pytest.mark.parametrize(
    "shapes",
    ["edax", rarely(["a1 b1", "c3 d4 e5", "a1 b1 c1 d1 e1", "b1 a2", "a1 h1", "d3 d4 d5"])],
)
def test_a_reader_of_edaxs_file_gives_the_same_scores(
    shapes: Any, model_of: Any, tmp_path: Path
) -> None:
    folder = model_of(OTHELLO, shapes)
    assert (
        export_model(str(folder), OTHELLO, "edax", tmp_path / "eval.dat") == 28 + 61 * 114_364 * 2
    )
    file = EvalFile((tmp_path / "eval.dat").read_bytes())
    rows, scores = expected(OTHELLO, folder)
    names, terms, found = OTHELLO.board.squares, 47, []
    for row in rows:
        own, other = (
            {name.upper() for bit, name in enumerate(names) if int(word) >> bit & 1} for word in row
        )
        found.append(file.score(own, other))
    # both round each weight: Edax's to 128ths of a disc, ours to finer ones
    assert np.abs(found - scores).max() <= terms * (0.5 / 128 + 0.5 / 256)
    assert np.abs(found - scores).mean() < 5 / 128
    assert np.std(scores) > 1


def test_a_long_header_is_to_be_included_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_LONG", 1000)
    with pytest.warns(UserWarning, match="one source file only"):
        export_model("learned", game_named("othello"), "c", tmp_path / "learned.h")


def test_what_edaxs_file_cannot_hold_is_refused(model_of: Any, tmp_path: Path) -> None:
    out = tmp_path / "eval.dat"
    with pytest.raises(
        UserError, match="and the model also has tables of counts: mobility_player x"
    ):
        export_model(str(model_of(OTHELLO, "tuples2", [MOBILITY])), OTHELLO, "edax", out)
    with pytest.raises(UserError, match="dat has no shape that contains 'a1 h8 a8'; train with"):
        export_model(str(model_of(OTHELLO, ["a1 h8 a8"])), OTHELLO, "edax", out)
    with pytest.raises(UserError, match="dat is for othello, and the model is for othello_4x4"):
        export_model(str(model_of(SMALL, ["a1 b1"])), SMALL, "edax", out)
    with pytest.raises(UserError, match="classic is linear; use --format c, json, csv or numpy"):
        export_model("classic", OTHELLO, "edax", out)
    assert not out.exists()
