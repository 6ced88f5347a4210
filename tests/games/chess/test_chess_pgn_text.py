"""Text of PGN: every token is understood or counted, and games equal those of python-chess."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path
from typing import Any

import pytest

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.chess.notation import ChessNotation
from samuel.games.chess.pgn import read_pgn
from samuel.selfplay.openings.reading import read_openings
from tests.rarely import rarely

chess = pytest.importorskip("chess")
pgn = pytest.importorskip("chess.pgn")
GAME = known_game("chess")
NEXT = '\n\n[Event "next"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
BLANKS = (" ", "  ", "\t", "\n", "\r\n", "\n\n", "\n \n\n", "\u00a0", "\f", " \ufeff", "\u3000")
WORDS = (
    "1-0",
    "0-1 *",
    "(",
    ")",
    "; so",
    "Sf3",
    "[Event",
    '[FEN "x"]',
    "{",
    "% 5",
    "12/2004",
    "4.",
)


def read(folder: Path, text: str) -> tuple[list[str], list[float], dict[str, int]]:
    """Return games as moves of Chess960's UCI, their results, and those that are left out."""
    path = folder / "a.pgn"
    path.write_bytes(text.encode())
    games, results, refused = [], [], {}
    notation = GAME.notation
    assert isinstance(notation, ChessNotation)
    for records in read_pgn(path, GAME):
        first = 0
        for end in records.ends.tolist():
            games.append(" ".join(map(notation.king_takes_rook, records.moves[first:end].tolist())))
            first = end
        results += records.results.tolist()
        for reason, number in records.refused.items():
            refused[reason] = refused.get(reason, 0) + number
    return games, results, refused


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1.e4\te5\u00a02.\f\ufeffNf3\r\nNc6\r\n\r\n\r\n1-0",
        "e4 e5 2 Nf3 2\u2026 Nc6 1\u20130",
        "1. e4 e5 ; from here: 1-0\n2. Nf3 Nc6 1-0",
        "1. e4 {he won\n1-0\n\n} e5\n% 1-0 and nothing\n2. Nf3 (2. f4 (2. d4 1-0) ; )\n ) Nc6 1-0",
        '1. e4 {[Event "a"]\n[Event "b"]\n} e5 2. \u2658f3 \u265ec6 {[%clk 1:00]} 1-0 {over} $1',
        "1. e4! e5?! 2. Nf3 $14 +/= Nc6 e.p. !! 1-0 1-0",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n\n", ""])
def test_the_same_game_in_other_words(tmp_path: Path, text: str, gap: str) -> None:
    games, results, refused = read(tmp_path, f'[Result "1-0"]{gap}{text}{NEXT}')
    assert games == ["e2e4 e7e5 g1f3 b8c6", "f2f3 e7e5 g2g4 d8h4"] and not refused
    assert results == [100, -100]


@pytest.mark.parametrize(
    "castling", ["O-O", "0-0", "o-o", "O\u2013O", "0\u20140", "OO", "0-O+", "O\u2212O!", "e1g1"]
)
def test_spellings_of_castling(tmp_path: Path, castling: str) -> None:
    games, _, _ = read(tmp_path, f"1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. {castling} *")
    assert games[0].split()[-1] == "e1h1"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1. e4 e5 2. Sf3 Sc6", "not understood: Sf3 (pieces are K, Q, R, B, N)"),
        ("1. e4 e5 2. \u041af3 Nc6", "not understood: \u041af3 (pieces are K, Q, R, B, N)"),
        ("1. e4 e5 2. nf3 nc6", "not understood: nf3 (pieces are K, Q, R, B, N)"),
        ("1. e4 e5 2. Nf3, Nc6", "not understood: Nf3,"),
        ("1. e4 e5 2. -- Nc6", "not understood: --"),
        ("1. e4 e5 -> 2. Nf3", "not understood: ->"),
        ("1. e4 hello e5", "not understood: hello"),
        ("1. e4 [%clk 1:00] e5", "not understood: ["),
        ("1. e4 } e5", "not understood: }"),
        ("1. e4 ) e5", "not understood: )"),
        ('1. e4 [Event "b"] e5', 'not understood: [Event "b"]'),
        ("1. e4 (1. d4 e5", "variation without an end"),
        ('1. e4 {so e5\n[Event "b"]\n1. d4 {good} d5 1-0', "comment without an end"),
        ("1. e4 e5 1-0 2. Nf3 Nc6 1-0", "moves after the result"),
        ("1. e4 e5 1-0 0-1", "moves after the result"),
        ("1. e4 e5 0-1", "tag and terminator have different results"),
        ("2. Nf3 Nc6 1-0", "moves without their beginning"),
        ("1. e4 e5 2. Nf3\n1. d4 d5 1-0", "two games without a result between them"),
        ('\n[FEN "8/8/8/8/8/4k3/8/4K3 w - -"]\n[Result "0-1"]', "tags of two games may be mixed"),
        ("1. e4 e5 2. Ke3", "illegal move"),
        ("1. f3 e5 2. g4 Qh4# 3. e4", "moves after the end"),
    ],
)
def test_what_is_not_understood_is_counted(tmp_path: Path, text: str, reason: str) -> None:
    games, _, refused = read(tmp_path, f'[Event "a"]\n[Result "1-0"]\n{text}{NEXT}')
    assert refused.pop(reason) == 1
    assert games[-1] == "f2f3 e7e5 g2g4 d8h4" and len(games) == 1 + text.count("1. d4 {good}")
    with pytest.raises(UserError, match=re.escape(reason)):
        read_openings(tmp_path / "a.pgn", GAME)


def random_game(seed: random.Random) -> Any:
    """Return a game of python-chess: a tree with remarks, some of them from other positions."""
    game = pgn.Game()
    board = chess.Board()
    if seed.random() < 0.3:
        board = chess.Board.from_chess960_pos(seed.randrange(960))
    for _ in range(seed.choice((0, 0, 0, 9, 40))):
        if not (legal := list(board.legal_moves)):
            break
        board.push(seed.choice(legal))
    if board.move_stack or board.chess960:
        game.setup(chess.Board(board.fen(), chess960=board.chess960))
    game.headers["Result"] = seed.choice(("1-0", "0-1", "1/2-1/2", "*"))
    game.headers["White"] = seed.choice(("", "Zo\u00eb", "a ; b {", "[c"))
    _grow(game, seed, 1 + seed.randrange(90))
    return game


def _grow(node: Any, seed: random.Random, plies: int, depth: int = 0) -> None:
    for _ in range(plies):
        board = node.board()
        legal = list(board.legal_moves)
        if not legal:
            return
        if seed.random() < 0.1:
            node.comment = " ".join(seed.choices(WORDS, k=seed.randrange(1, 12)))
        child = node.add_main_variation(seed.choice(legal))
        child.nags = set(seed.sample(range(1, 140), k=int(seed.random() < 0.1)))
        if seed.random() < 0.08 and depth < 3:
            _grow(node.add_variation(seed.choice(legal)), seed, seed.randrange(6), depth + 1)
        node = child


def respaced(text: str, seed: random.Random) -> str:
    """Return PGN with other white space between the tokens of its moves."""
    tags, _, moves = text.partition("\n\n")
    parts = re.split(r"(\{[^}]*\})", moves)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"(?<=\d\.) ", lambda _: seed.choice(("", " ")), parts[k])
        parts[k] = re.sub(r"[ \n]", lambda _: seed.choice(BLANKS), parts[k])
    return f"{tags}{seed.choice(BLANKS)}\n{''.join(parts)}\n"


@pytest.mark.parametrize("number", [40, rarely(500)])
def test_games_equal_those_of_python_chess_in_odd_spacing(tmp_path: Path, number: int) -> None:
    seed = random.Random(number)
    texts, games, results = [], [], []
    for _ in range(number):
        text = random_game(seed).accept(pgn.StringExporter(columns=seed.choice((None, 80))))
        known = pgn.read_game(io.StringIO(text))
        assert not known.errors
        board, moves = known.board(), []
        for move in known.mainline_moves():
            moves.append(board.uci(move, chess960=True))
            board.push(move)
        texts.append(respaced(text, seed))
        games.append(" ".join(moves))
        results.append({"1-0": 100.0, "0-1": -100.0, "1/2-1/2": 0.0}.get(known.headers["Result"]))
    found, told, refused = read(tmp_path, "\n".join(texts))
    assert (found, [None if one != one else one for one in told]) == (games, results), refused
    assert not refused
