"""Tables of positions: Parquet, and Lichess's file of evaluations, compared with python-chess."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.games.rules import NO_MOVE
from samuel.models import usual_evaluator
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

chess = pytest.importorskip("chess")
CHESS = game_named("chess")
ROWS = 10_000


class Known(list[dict[str, Any]]):
    """Positions of random games with invented labels, by python-chess."""

    def __init__(self, rows: int, seed: int) -> None:
        draw = random.Random(seed)
        while len(self) < rows:
            board = chess.Board(chess960=True) if draw.random() < 0.9 else castling()
            while not board.is_game_over() and board.ply() < 80 and len(self) < rows:
                moves = list(board.legal_moves)
                castles = [move for move in moves if board.is_castling(move)]
                move = draw.choice(castles or moves)
                is_mate = draw.random() < 0.1
                label = {
                    "fen": " ".join(board.fen(en_passant="legal").split()[:4]),
                    "white": board.turn,
                    "cp": None if is_mate else draw.randrange(-2000, 2000),
                    "mate": draw.choice((-12, -1, 1, 30)) if is_mate else None,
                    "line": f"{board.uci(move, chess960=True)} a1a2",
                    "depth": draw.randrange(1, 250),
                    "knodes": draw.randrange(1, 10**7),
                    "result": draw.choice((0.0, 0.5, 1.0)),
                }
                self.append(label)
                board.push(move)

    def scores(self) -> list[float]:
        """Return the scores of the side to move, in pawns."""
        found = []
        for it in self:
            sign = 1 if it["white"] else -1
            if it["mate"] is None:
                found.append(sign * it["cp"] / 100)
            else:
                mate = sign * it["mate"]
                plies = 2 * mate - 1 if mate > 0 else -2 * mate
                found.append((100 - plies / 1000) * (1 if mate > 0 else -1))
        return found

    def require(self, data: Dataset) -> None:
        """Compare a dataset with what is known, position by position."""
        frame = data.frame()
        assert len(frame) == len(self)
        assert frame["score"].to_numpy() == pytest.approx(np.array(self.scores()), abs=1e-4)
        assert frame["depth"].tolist() == [min(it["depth"], 127) for it in self]
        assert (frame["side"] == [0 if it["white"] else 1 for it in self]).all()
        write, write_move = CHESS.notation.write, CHESS.notation.king_takes_rook
        for words, it, side, move in zip(
            data.positions.tolist(), self, frame["side"], frame["move"], strict=True
        ):
            assert write(tuple(words), side).rsplit(" ", 2)[0] == it["fen"]
            assert write_move(move) == it["line"].split()[0]


def castling() -> Any:
    return chess.Board("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1", chess960=True)


def evaluations(known: Known, seed: int = 1) -> list[str]:
    """Return the lines of Lichess's file: the known search among others, anywhere."""
    draw, lines = random.Random(seed), []
    for it in known:
        best = {key: it[key] for key in ("cp", "mate", "line") if it[key] is not None}
        others = [{"cp": 7, "line": "a1a1"}] * draw.randrange(3)
        evals = [{"pvs": [best, *others], "knodes": it["knodes"], "depth": it["depth"]}]
        worse = {"pvs": [{"cp": 1, "line": "h1h1"}], "knodes": 10**8, "depth": it["depth"] - 1}
        fewer = worse | {"knodes": it["knodes"] - 1, "depth": it["depth"]}
        for other in (worse, fewer):
            if draw.random() < 0.7:
                evals.insert(draw.randrange(len(evals) + 1), other)
        lines.append(json.dumps({"fen": it["fen"], "evals": evals}))
    return lines


@pytest.fixture(scope="module")
def known() -> Known:
    return Known(ROWS, 5)


def imported(path: Path, **given: Any) -> Dataset:
    out = path.parent / f"{path.name}-{len(list(path.parent.iterdir()))}"
    return import_games([path], out, **{"game": "chess", **given})


def test_lichess_evaluations_are_those_of_python_chess(known: Known, tmp_path: Path) -> None:
    lines = "\n".join(evaluations(known)).encode()
    packed = {"a.jsonl": lines, "b.jsonl.gz": gzip.compress(lines, 1)}
    packed["c.jsonl.zst"] = pa.compress(lines, "zstd", asbytes=True)
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        known.require(imported(tmp_path / name))


def test_parquet_is_that_of_python_chess(known: Known, tmp_path: Path) -> None:
    names = ("fen", "line", "depth", "knodes", "cp", "mate")
    table = pa.table({name: [it[name] for it in known] for name in names})
    pq.write_table(table, tmp_path / "known.parquet", row_group_size=3000)
    known.require(imported(tmp_path / "known.parquet"))
    (tmp_path / "parts").mkdir()
    for k in range(4):
        pq.write_table(table.slice(2500 * k, 2500), tmp_path / f"parts/part-{k}.parquet")
    known.require(imported(tmp_path / "parts"))


TYPES = {
    "pos": [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    "points": [pa.int16(), pa.int64(), pa.float32(), pa.string()],
    "wdl": [pa.float64(), pa.string(), pa.decimal128(3, 1)],
    "best": [pa.string(), pa.large_string(), pa.string_view()],
    "n": [pa.int32(), pa.uint64(), pa.string()],
    "id": [pa.int64(), pa.string(), pa.int8()],
}


@pytest.mark.parametrize("kind", range(4))
def test_columns_of_every_type_are_read_by_their_names(kind: int, tmp_path: Path) -> None:
    known = [it for it in Known(60, 2) if it["cp"] is not None]
    values: dict[str, list[Any]] = {
        "pos": [it["fen"] for it in known],
        "points": [it["cp"] for it in known],
        "wdl": [it["result"] for it in known],
        "best": [it["line"].split()[0] for it in known],
        "n": list(range(len(known))),
        "id": [k // 7 for k in range(len(known))],
    }
    columns = {
        name: pa.array([str(it) for it in of], pa.string()).cast(kinds[kind % len(kinds)])
        if kinds[kind % len(kinds)] != pa.dictionary(pa.int32(), pa.string())
        else pa.array(of).dictionary_encode()
        for (name, of), kinds in zip(values.items(), TYPES.values(), strict=True)
    }
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    named = "position=pos,score=points,result=wdl,move=best,ply=n,game=id"
    frame = imported(tmp_path / "x.parquet", columns=named).frame()
    signs = np.array([1 if it["white"] else -1 for it in known])
    assert (frame["score"] * signs).to_numpy() == pytest.approx(np.array(values["points"]) / 100)
    shares = np.array(values["wdl"])
    assert (frame["outcome"] * signs).to_numpy() == pytest.approx(100 * (2 * shares - 1))
    assert frame["ply"].tolist() == values["n"]
    assert frame["game_id"].value_counts(sort=False).tolist() == np.bincount(values["id"]).tolist()
    assert (frame["move"] != NO_MOVE).all()


@pytest.mark.parametrize("game", ["othello", "checkers", "xiangqi"])
def test_parquet_of_other_games_is_what_csv_has(game: str, tmp_path: Path) -> None:
    plan = SelfplayPlan(game=game, evaluator=usual_evaluator(game_named(game)), depth=1, seed=1)
    played = generate(plan, games=2, out=tmp_path / "played")
    export(played, tmp_path / "x.csv", "csv")
    table = pa.csv.read_csv(tmp_path / "x.csv")
    pq.write_table(table.select(["position", "score"]), tmp_path / "x.parquet")
    again = imported(tmp_path / "x.parquet", game=game, scores_for="mover", score_unit=1.0)
    assert np.array_equal(again.positions, played.positions)
    assert again.frame()["score"].to_numpy() == pytest.approx(played.frame()["score"].to_numpy())


@pytest.mark.parametrize(
    ("columns", "named", "sentence"),
    [
        ({"a": ["x"]}, "", "has no column of positions among a; name it: --columns position=NAME"),
        ({}, "", "x.parquet has no columns"),
        ({"fen": ["x"], "v": [1]}, "", "results among fen, v; name it: --columns score=NAME"),
        ({"fen": ["x"], "cp": [1]}, "score=pawns", "x.parquet has no column called 'pawns'"),
        (
            {"fen": [["x"]], "cp": [1]},
            "",
            "column of the position has the type list.*--columns position",
        ),
        ({"fen": [chess.STARTING_FEN], "cp": [True]}, "", "score not understood .*row 1"),
        ({"fen": [chess.STARTING_FEN] * 3, "cp": [1, 2, 0.5]}, "", "row 3: 0.5 may be pawns or"),
        ({"fen": [chess.STARTING_FEN] * 2, "wdl": [1, 7]}, "", "row 2: '7' is no result"),
        ({"fen": [chess.STARTING_FEN], "cp": [2**62]}, "", "score not understood .*row 1"),
        ({"fen": [chess.STARTING_FEN], "cp": [float("nan")]}, "", "neither score.*row 1"),
        ({"fen": [chess.STARTING_FEN], "cp": [float("inf")]}, "", "score not understood"),
        ({"fen": ["x" * 10**7], "cp": [1]}, "", "rows of more than 4,096 bytes"),
        ({"fen": ["x" * 10**5] * 2000, "cp": [1] * 2000}, "", "rows of more than 4,096 bytes"),
    ],
)
def test_columns_that_cannot_be_read_get_one_sentence(
    columns: dict[str, Any], named: str, sentence: str, tmp_path: Path
) -> None:
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    with pytest.raises(UserError, match=sentence) as caught:
        imported(tmp_path / "x.parquet", columns=named)
    assert "\n" not in str(caught.value)


def test_lines_that_are_not_evaluations_are_left_out_with_their_number(tmp_path: Path) -> None:
    lines = evaluations(Known(2, 1))
    huge = lines[0].replace('"cp": ', '"cp": 1' + "0" * 400)
    nothing = json.dumps({"fen": chess.STARTING_FEN, "evals": [{"pvs": [], "depth": 3}]})
    wrong = json.dumps({"fen": chess.STARTING_FEN, "evals": {"pvs": 1}})
    given = [lines[0], lines[1][:-30], huge, nothing, wrong, "[" * 100_000]
    (tmp_path / "x.jsonl").write_text("\n".join(given))
    counts = imported(tmp_path / "x.jsonl").manifest["counts"]
    assert counts["imported"] == 1
    assert counts["first_left_out"]["not in the format"] == "x.jsonl, line 2"
    assert counts["first_left_out"]["neither score nor result"] == "x.jsonl, line 4"
    (tmp_path / "cut.jsonl.zst").write_bytes(
        pa.compress(lines[0].encode(), "zstd", asbytes=True)[:-9]
    )
    with pytest.raises(UserError, match="is damaged or cut off; copy it again"):
        imported(tmp_path / "cut.jsonl.zst")


def whole(name: str) -> bytes:
    known = Known(200, 3)
    if name == "x.parquet":
        sink = pa.BufferOutputStream()
        names = ("fen", "cp", "mate", "line", "depth")
        pq.write_table(pa.table({key: [it[key] for it in known] for key in names}), sink)
        return bytes(sink.getvalue())
    content = "\n".join(evaluations(known)).encode()
    return content if name == "x.jsonl" else pa.compress(content, "zstd", asbytes=True)


WHOLE = {name: whole(name) for name in ("x.parquet", "x.jsonl", "x.jsonl.zst")}
FORMAT = {"x.parquet": "parquet", "x.jsonl": "lichess", "x.jsonl.zst": "lichess"}


@pytest.mark.parametrize("name", WHOLE)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_files_get_one_sentence(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    begin, end = (data.draw(st.integers(0, len(content))) for _ in range(2))
    kind = data.draw(st.integers(0, 3))
    if kind == 1:
        content = content[:end]
    elif kind == 2:
        content[begin:end] = b""
    elif kind == 3:
        content[begin : begin + 20] = data.draw(st.binary(max_size=40))
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(content)
    try:
        frame = imported(path, format=FORMAT[name]).frame()
    except UserError as error:
        assert "\n" not in str(error)
    else:
        assert np.abs(frame["score"]).max() <= 100
