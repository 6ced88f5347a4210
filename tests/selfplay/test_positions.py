"""Files of labelled positions: every format is read, checked, and written back."""

from __future__ import annotations

import gzip
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.rules import NO_MOVE
from samuel.models import usual_evaluator
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

CHESS = game_named("chess")
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -"
EPD = (
    f'{E4} c9 "1-0";\n# a comment\n\n{SICILIAN} hmvc 0; c9 "1/2-1/2"; id "x";\n{ENDING} c9 "0-1";\n'
)
FEN = f"{E4} 0 1; [1.0]\n{SICILIAN} 0 2 [0.5]\n{ENDING} 0 40 0.0\n"
BULLET = f"{E4} 0 1 | 30 | 1.0\n{SICILIAN} 0 2 | -12 | 0.5\n{ENDING} 0 40 | 150 | 0.0\n"
PLAIN = "".join(
    f"fen {fen}\nmove {move}\nscore {score}\nply {ply}\nresult {result}\ne\n"
    for fen, move, score, ply, result in (
        (f"{E4} 0 1", "c7c5", -30, 1, -1),
        (f"{SICILIAN} 0 2", "g1f3", -12, 2, 0),
        (f"{ENDING} 0 40", "b4f4", 150, 78, -1),
    )
)
CSV = (
    "id,fen,cp,wdl,bestmove\n"
    f'1,{E4} 0 1,30,1-0,c7c5\n2,"{SICILIAN} 0 2",-12,1/2-1/2,g1f3\n3,{ENDING} 0 40,150,0,b4f4\n'
)
FILES = {"epd": EPD, "fen": FEN, "bullet": BULLET, "plain": PLAIN, "csv": CSV}
OUTCOMES = [-100.0, 0.0, -100.0]
SCORES = [-0.3, -0.12, 1.5]


def imported(text: str | bytes, tmp_path: Path, game: str = "chess", **given: object) -> Dataset:
    path = tmp_path / f"given-{len(list(tmp_path.iterdir()))}.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_games([path], tmp_path / f"{path.stem}-out", game=game, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_known_by_its_content_and_read(name: str, tmp_path: Path) -> None:
    data = imported(FILES[name], tmp_path)
    frame = data.frame()
    assert frame["outcome"].tolist() == OUTCOMES
    if name in ("bullet", "plain", "csv"):
        assert frame["score"].to_numpy() == pytest.approx(SCORES)
    else:
        assert frame["score"].isna().all()
    expected = [Position.parse(text, CHESS).words for text in (E4, SICILIAN, ENDING)]
    assert [tuple(row) for row in data.positions.tolist()] == expected
    if name in ("plain", "csv"):
        names = [CHESS.notation.write_move(move) for move in frame["move"]]
        assert names == ["c7c5", "g1f3", "b4f4"]
    else:
        assert (frame["move"] == -2).all()


@pytest.mark.parametrize("name", ["epd", "fen", "bullet", "plain"])
def test_what_is_exported_is_what_was_imported(name: str, tmp_path: Path) -> None:
    first = imported(FILES[name], tmp_path)
    export(first, tmp_path / "again.txt", name)
    second = imported((tmp_path / "again.txt").read_text(), tmp_path)
    export(second, tmp_path / "third.txt", name)
    assert (tmp_path / "again.txt").read_text() == (tmp_path / "third.txt").read_text()
    columns = ["score", "outcome", "side", "move"]
    assert first.frame()[columns].equals(second.frame()[columns])
    assert np.array_equal(first.positions, second.positions)


def test_packed_files_are_read(tmp_path: Path) -> None:
    plain = imported(BULLET, tmp_path).frame()
    packed = imported(gzip.compress(BULLET.encode()), tmp_path).frame()
    one = zip_of(tmp_path / "one.zip", a=BULLET)
    zipped = import_games([one], tmp_path / "zip", game="chess").frame()
    for frame in (packed, zipped):
        assert frame["score"].tolist() == plain["score"].tolist()
        assert frame["game_id"].tolist() == [0, 1, 2]
    two = zip_of(tmp_path / "two.zip", a=BULLET, b=BULLET)
    with pytest.raises(UserError, match="contains 2 files; unpack it and give one of them"):
        import_games([two], tmp_path / "two", game="chess")


def test_castling_is_read_as_it_is_written_in_both_kinds_of_chess(tmp_path: Path) -> None:
    told = {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": ("e1g1", "e1h1", "O-O")}
    told["1r1k3r/8/8/8/8/8/8/1R1K3R w HBhb - 0 1"] = ("d1h1", "d1h1", "O-O")
    for fen, names in told.items():
        text = "".join(f"fen {fen}\nmove {name}\nscore 3\ne\n" for name in names)
        moves = imported(text, tmp_path).frame()["move"]
        assert len(set(moves)) == 1 and moves[0] != NO_MOVE


def zip_of(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, text in members.items():
            file.writestr(name, text)
    return path


def test_scores_may_be_told_for_either_side_and_in_other_units(tmp_path: Path) -> None:
    of_mover = imported(BULLET, tmp_path, scores_for="mover", score_unit=1.0)
    assert of_mover.frame()["score"].tolist() == [30.0, -12.0, 100.0]


@pytest.mark.parametrize(
    ("text", "line", "how"),
    [
        (f"fen,result\n{E4},1\n{E4},0\n{E4},-1\n", 4, r"\(result \+ 1\) / 2"),
        (f"fen,result\n{E4},0\n{E4},2\n", 3, "numbers from 0"),
        (f"fen,cp,result\n{E4},3,1\n{E4},4,resigned\n", 3, "'resigned' is no result"),
        (f'{E4} c9 "1";\n{E4} c9 "-1";\n', 2, r"\(result \+ 1\) / 2"),
        (f"{E4} 0 1; [1]\n{E4} 0 1; [-1]\n", 2, r"\(result \+ 1\) / 2"),
        (f"{E4} 0 1 | 3 | 1\n{E4} 0 1 | 3 | 100\n", 2, "numbers from 0"),
        (f"fen {E4} 0 1\nscore 3\nresult 0.5\ne\n", 1, "2 \\* result - 1"),
    ],
)
def test_results_of_another_scale_are_refused_with_the_way_to_convert_them(
    text: str, line: int, how: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=f"line {line}: .*{how}"):
        imported(text, tmp_path)


def test_what_is_left_out_is_counted_with_its_first_line(tmp_path: Path) -> None:
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 0 3"
    text = (
        f"{E4} 0 1 | 1 | 1.0\nnonsense\n{mated} | 1 | 0.0\n8/8/8/8/8/8/8/K6K w - - 0 1 | 0 | 0.5\n"
        "more nonsense\n8/8/8/8/8/8/8/K6k w - - 0 1 | 0 | 0.5\n"
    )
    counts = imported(text, tmp_path).manifest["counts"]
    assert counts["imported"] == 1
    assert counts["left_out"] == {
        "not in the format": 2,
        "finished games": 2,
        "each side must have one king": 1,
    }
    assert counts["first_left_out"]["not in the format"].endswith("line 2")
    assert counts["first_left_out"]["each side must have one king"].endswith("line 4")


def test_egaroucids_boards_and_obf_are_read_for_othello(tmp_path: Path) -> None:
    start = Position.start("othello").text.split()[0]
    data = imported(f"{start} +4\n{start} -6\n", tmp_path, "othello")
    assert data.frame()["outcome"].tolist() == [4.0, -6.0]
    export(data, tmp_path / "boards.txt", "egaroucid")
    assert (tmp_path / "boards.txt").read_text() == f"{start} 4\n{start} -6\n"
    obf = f"{start} X; d3:+2; c4:+1;\n{start} X; f5:-3;\n"
    frame = imported(obf, tmp_path, "othello").frame()
    assert frame["score"].tolist() == [2.0, -3.0]
    assert [game_named("othello").notation.write_move(m) for m in frame["move"]] == ["d3", "f5"]


@pytest.mark.parametrize(
    ("name", "game"),
    [
        *(("epd", "othello"), ("fen", "xiangqi"), ("bullet", "checkers")),
        *(("plain", "othello"), ("csv", "backgammon")),
    ],
)
def test_positions_of_every_game_come_back(name: str, game: str, tmp_path: Path) -> None:
    first = usual_evaluator(game_named(game))
    plan = SelfplayPlan(game=game, evaluator=first, depth=1, seed=1)
    played = generate(plan, games=2, out=tmp_path / "played")
    export(played, tmp_path / "positions.txt", name)
    again = imported((tmp_path / "positions.txt").read_text(), tmp_path, game)
    labels = ["outcome"] if name in ("epd", "fen") else ["score", "outcome"]
    for label in labels:
        known = played.frame()[label].to_numpy()
        if name == "plain" and label == "outcome":  # won, drawn or lost, and no more
            known = np.sign(known) * game_named(game).scores.max_utility
        if (
            name in ("bullet", "plain")
            and label == "score"
            and game_named(game).scores.unit == "pawns"
        ):
            known = np.round(100 * known.astype(np.float64)) / 100  # whole centipawns
        assert again.frame()[label].to_numpy() == pytest.approx(known, rel=1e-3, abs=1e-3)
    assert np.array_equal(again.positions, played.positions)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    draw, whole = random.Random(name), FILES[name].encode()
    for k in range(30):
        content = bytearray(whole)
        kind = k % 6
        if kind == 0:
            content = content[: draw.randrange(len(content))]
        elif kind == 1:
            for _ in range(20):
                content[draw.randrange(len(content))] = draw.randrange(256)
        elif kind == 2:
            content = bytearray(gzip.compress(whole))[: draw.randrange(5, 60)]
        elif kind == 3:
            content = content.replace(b"0", b"9" * 400)
        elif kind == 4:
            content = bytearray(b"PK\x03\x04" + whole)
        else:
            content[draw.randrange(len(content)) :] = b"\0\xff\xfe" * 10
        try:
            data = imported(bytes(content), tmp_path, format=name)
        except UserError as error:
            assert str(error)
            assert "\n" not in str(error)
        else:
            assert len(data.frame()) >= 1
