"""Games from files: every move by the rules, every game that is left out for a reason."""

import re
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.records import ReadGame, Refusals, records_of
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.data.replay import REASONS, replay
from tests.processes import ROOT

WTHOR = ROOT.parent / "shared/data/wthor"
OPENINGS = ROOT.parent / "shared/data/xot_small.txt"

# 9 plies, all white discs gone: Black wins 64 to 0 (the shortest game of Othello)
SHORTEST = "e6f4e3f6g5d6e7f5c5"
GGF = (
    "(;GM[Othello]PC[NBoard]DT[2014-01-29]PB[a]PW[b]RE[{result}]TI[0//0]TY[{type}]BO[8 {board} *]"
    "{moves};)"
)
BOARD = "---------------------------O*------*O---------------------------"
SPACED = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------"


def in_ggf(moves: str, result: str = "?", board: str = BOARD, type: str = "8") -> str:
    tags = "".join(
        f"{'BW'[k % 2]}[{moves[2 * k : 2 * k + 2].upper()}{'//0.01' * (k % 3)}]"
        for k in range(len(moves) // 2)
    )
    return GGF.format(result=result, board=board, moves=tags, type=type)


def wthor(games: list[tuple[int, str]], size: int = 0, claimed: int | None = None) -> bytes:
    """Return a WTHOR file of (Black's final discs, transcript)."""
    count = len(games) if claimed is None else claimed
    parts = [struct.pack("<4BIHH4B", 20, 14, 1, 2, count, 0, 2014, size, 0, 24, 0)]
    for discs, moves in games:
        codes = [10 * int(row) + "abcdefgh".index(column) + 1 for column, row in pairs(moves)]
        parts.append(struct.pack("<3H2B", 1, 2, 3, discs, 32) + bytes(codes).ljust(60, b"\0"))
    return b"".join(parts)


def pairs(moves: str) -> list[str]:
    return [moves[k : k + 2] for k in range(0, len(moves), 2)]


def random_game(name: str, seed: int, passes: bool = True) -> tuple[list[int], Position]:
    """Return the moves of a random game and its end."""
    random, position, moves = np.random.default_rng(seed), Position.start(name), []
    while not position.is_terminal:
        legal = [int(m) for m in position.game.moves_in(position.row)]
        move = legal[int(random.integers(len(legal)))]
        position = position.play(move)
        moves += [move] * (passes or move >= 0)
    return moves, position


def othello_discs(transcript: str) -> int | None:
    """Return Black's final discs, empties to the winner, by plain rules; None if not finished."""
    board = dict.fromkeys(((c, r) for c in range(8) for r in range(8)), ".")
    board |= {(3, 3): "O", (4, 4): "O", (3, 4): "X", (4, 3): "X"}

    def flips(square: tuple[int, int], own: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)):
            run, (c, r) = [], (square[0] + dc, square[1] + dr)
            while board.get((c, r), ".") not in (".", own):
                run.append((c, r))
                c, r = c + dc, r + dr
            found += run if board.get((c, r)) == own else []
        return found

    def can_move(own: str) -> bool:
        return any(board[square] == "." and flips(square, own) for square in board)

    own = "X"
    for name in pairs(transcript):
        if not can_move(own):
            own = "XO"[own == "X"]
        square = ("abcdefgh".index(name[0]), int(name[1]) - 1)
        turned = flips(square, own)
        assert board[square] == "." and turned
        board |= dict.fromkeys([square, *turned], own)
        own = "XO"[own == "X"]
    if can_move("X") or can_move("O"):
        return None
    black, white = (list(board.values()).count(sign) for sign in "XO")
    empty = 64 - black - white
    return black + (empty if black > white else empty // 2 if black == white else 0)


def counts_of(dataset: Dataset) -> dict[str, object]:
    """Return the counts but for where the first of what is left out begins."""
    counts: dict[str, object] = dict(dataset.manifest["counts"])
    first = counts.pop("first_left_out")
    left_out = counts["left_out"]
    assert isinstance(first, dict) and isinstance(left_out, dict)
    assert first.keys() == left_out.keys()
    return counts


def test_the_shortest_game(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text(f"\n{SHORTEST}\n")
    frame = import_games([tmp_path / "short.txt"], tmp_path / "out").frame()
    assert frame["outcome"].tolist() == [64.0, -64.0] * 4 + [64.0]
    assert frame["ply"].tolist() == list(range(9))
    assert frame["score"].isna().all() and not frame["exact"].any() and (frame["depth"] == 0).all()
    assert not frame["exploratory"].any()
    assert set(frame["source"]) == {"short"}


def test_passes_are_put_in(tmp_path: Path) -> None:
    seed = next(s for s in range(100) if -1 in random_game("othello", s)[0])
    moves, end = random_game("othello", seed)
    names = [end.game.notation.write_move(move) for move in moves]
    for text in ("".join(n for n in names if n != "pass"), " ".join(names)):
        (tmp_path / "game.txt").write_text(text)
        out = tmp_path / f"out{len(text)}"
        frame = import_games([tmp_path / "game.txt"], out).frame()
        assert frame["move"].tolist() == moves
        assert frame["outcome"].iloc[-1] == -end.utility()


def test_what_is_left_out_is_counted_by_its_reason(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(
        f"{SHORTEST}\nf5d6\na1\n{SHORTEST}a1\nhello there\n{SHORTEST} --\n{SHORTEST}\n"
    )
    dataset = import_games([tmp_path / "games.txt"], tmp_path / "out")
    assert counts_of(dataset) == {
        "games": 7,
        "imported": 3,
        "left_out": {
            "not a transcript": 1,
            "illegal move": 1,
            "not finished": 1,
            "moves after the end": 1,
        },
    }
    assert Dataset.open(dataset.folder).manifest == dataset.manifest
    assert dataset.manifest["counts"]["first_left_out"] == {
        "not a transcript": "games.txt, line 5",
        "illegal move": "games.txt, line 3",
        "not finished": "games.txt, line 2",
        "moves after the end": "games.txt, line 4",
    }
    frame = dataset.frame()
    assert dataset.games == 3 and frame["game_id"].unique().tolist() == [0, 1, 2]


def test_wthor_records(tmp_path: Path) -> None:
    file = tmp_path / "WTH_2014.wtb"
    file.write_bytes(wthor([(64, SHORTEST), (40, SHORTEST), (64, "f5d6c3"), (64, "f5a1")]))
    dataset = import_games([file], tmp_path / "out")
    assert counts_of(dataset) == {
        "games": 4,
        "imported": 1,
        "left_out": {"final score differs": 1, "not finished": 1, "illegal move": 1},
    }
    assert set(dataset.frame()["source"]) == {"WTH_2014"}


@pytest.mark.parametrize(
    ("content", "left_out"),
    [
        (wthor([(64, SHORTEST)] * 3)[:-10], {"cut-off record": 1}),
        (wthor([(64, SHORTEST)] * 2, claimed=4), {"cut-off record": 2}),
        (wthor([(64, SHORTEST)] * 2) + b"x", {}),
        (wthor([(64, SHORTEST)] * 3, claimed=2), {"not in the header's number of games": 1}),
        (b"\0\0\0\0" + wthor([(64, SHORTEST)] * 2)[4:], {}),  # no date
    ],
)
def test_the_whole_games_of_an_odd_wthor_file_are_read(
    tmp_path: Path, content: bytes, left_out: dict[str, int]
) -> None:
    (tmp_path / "games.wtb").write_bytes(content)
    dataset = import_games([tmp_path / "games.wtb"], tmp_path / "out")
    assert dataset.games == 2 and counts_of(dataset)["left_out"] == left_out
    if left_out:
        ((_, where),) = dataset.manifest["counts"]["first_left_out"].items()
        assert where == "games.wtb, game 3"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "wtb is not a WTHOR file: its header is not of that format"),
        (
            b"just some text, long enough for a header",
            "wtb is not a WTHOR file: its header is not of that format",
        ),
    ],
)
def test_files_that_are_no_wthor_files_get_one_sentence(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "games.wtb").write_bytes(content)
    with pytest.raises(UserError, match=message):
        import_games([tmp_path / "games.wtb"], tmp_path / "out")
    assert not list((tmp_path / "out").glob("[!.]*"))


def test_ggf_records(tmp_path: Path) -> None:
    other = in_ggf(SHORTEST).replace("Othello", "Amazons")
    file = tmp_path / "games.ggf"
    named = in_ggf(SHORTEST, "+64.000").replace("PB[a]", "PB[J\u00e9r\u00f4me]")
    file.write_text(
        "1 "
        + named
        + in_ggf(SHORTEST, "-64.00:r", SPACED)
        + f"\n2 {in_ggf(SHORTEST, '-127.000')} {in_ggf(SHORTEST, '+12.000')}\n"
        + other
        + in_ggf(SHORTEST, type="8a")
        + in_ggf("f5d6")
        + in_ggf("z9")
        + in_ggf(SHORTEST, board="-" * 36).replace("BO[8", "BO[6")
        + re.sub(r"BO\[.*?\]", "BO[]", in_ggf(SHORTEST))
        + in_ggf(SHORTEST)[:-2],
        encoding="utf-8",
    )
    dataset = import_games([file], tmp_path / "out")
    assert counts_of(dataset) == {
        "games": 11,
        "imported": 3,
        "left_out": {
            "another game": 2,
            "not readable": 1,
            "wrong board size": 2,
            "cut-off record": 1,
            "not finished": 1,
            "final score differs": 1,
        },
    }
    assert dataset.frame()["move"].tolist()[:9] * 3 == dataset.frame()["move"].tolist()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_text_in_utf_8(tmp_path: Path, encoding: str, end: str) -> None:
    ggf = in_ggf(SHORTEST, "+64.000").replace("PB[a]", "PB[J\u00e9r\u00f4me]")
    for name, text in (("games.txt", SHORTEST), ("games", ggf)):
        (tmp_path / name).write_bytes(f"{text}{end}{text}{end}".encode(encoding))
        dataset = import_games([tmp_path / name], tmp_path / f"{name} out")
        assert dataset.games == 2 and counts_of(dataset)["left_out"] == {}
    (tmp_path / "games").write_bytes(ggf.encode("latin-1"))
    with pytest.raises(UserError, match="games is not a text file in UTF-8"):
        import_games([tmp_path / "games"], tmp_path / "other")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 59), st.integers(0, 63))
def test_a_changed_move_is_legal_or_refused(seed: int, place: int, move: int) -> None:
    game = game_named("othello")
    moves, _ = random_game("othello", seed, passes=False)
    changed = [*moves[:place], move, *moves[place + 1 :]]
    sheet, rows, (reason,) = replay(game, records_of(game, [ReadGame(changed)], Refusals()))
    position = Position.start(game)
    expected = ""
    for played in changed:
        if position.legal_moves() == ["pass"]:
            position = position.play("pass")
        if position.is_terminal:
            expected = "moves after the end"
        elif game.notation.write_move(played) not in position.legal_moves():
            expected = "illegal move"
        else:
            position = position.play(played)
        if expected:
            break
    if not expected and not position.is_terminal:
        expected = "not finished"
    assert REASONS[reason] == expected
    assert (rows > 0) == (expected == "")
    assert (sheet.game[:rows] == 0).all()


def test_bad_files_get_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_text("")
    for file, format, message in (
        (
            "picture",
            "auto",
            "is not a text file in UTF-8; name its game and format, such as --game",
        ),
        ("nowhere", "auto", "does not exist"),
        ("empty", "auto", "contains no games or positions, read as transcripts of"),
        ("empty", "ggf", "empty has no game in GGF; such a game begins with"),
        ("empty", "pgn", "othello has no format called 'pgn'"),
    ):
        with pytest.raises(UserError, match=message):
            import_games([tmp_path / file], tmp_path / "out", format=format)
    with pytest.raises(UserError, match="connect_four has no format called 'ggf'"):
        import_games([tmp_path / "empty"], tmp_path / "out", format="ggf", game="connect_four")


def test_real_wthor_files_against_plain_rules(tmp_path: Path) -> None:
    if not WTHOR.is_dir():
        pytest.skip(
            "the WTHOR database lies beside the project, in ../shared/data/wthor, if at all"
        )
    files = [WTHOR / f"WTH_{year}.wtb" for year in (1977, 1978, 1979, 1980)]
    expected: Counter[str] = Counter()
    for file in files:
        content = file.read_bytes()
        for start in range(16, len(content), 68):
            codes = bytes(content[start + 8 : start + 68]).rstrip(b"\0")
            moves = "".join(f"{'abcdefgh'[code % 10 - 1]}{code // 10}" for code in codes)
            discs = othello_discs(moves)
            recorded = content[start + 6]
            expected["not finished" if discs is None else "" if discs == recorded else "?"] += 1
    dataset = import_games(files, tmp_path / "out")
    assert counts_of(dataset)["imported"] == expected[""]
    assert counts_of(dataset)["left_out"] == {k: n for k, n in expected.items() if k}
    sources = dataset.frame().groupby("source", observed=True)["game_id"].nunique()
    assert set(sources.index) == {file.stem for file in files}
