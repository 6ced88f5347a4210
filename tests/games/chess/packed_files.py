"""Independent writers of binary files of chess, by python-chess, from the formats' descriptions."""

from __future__ import annotations

import random
import struct
from typing import NamedTuple

import chess


class Row(NamedTuple):
    """A position of a game: its board, the move, score (mover's centipawns), White's result."""

    board: chess.Board
    move: chess.Move
    score: int
    result: int


STARTS = (
    chess.STARTING_FEN,
    "r3k2r/1P4p1/8/2pP4/5pP1/8/1p4P1/R3K2R w KQkq c6 0 10",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "4k2r/6P1/8/8/8/8/1p6/R3K3 b Qk - 3 40",
)


def playouts(rows: int, seed: int) -> list[list[Row]]:
    """Return random games, cut off anywhere, rich in castling, promotions and en passant."""
    drawn, games, n = random.Random(seed), [], 0
    while n < rows:
        board, game = chess.Board(drawn.choice(STARTS)), []
        result = drawn.choice((-1, 0, 1))
        for _ in range(drawn.randrange(1, 90)):
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material() or board.is_repetition(2):
                break
            rare = [
                m for m in moves if m.promotion or board.is_castling(m) or board.is_en_passant(m)
            ]
            move = drawn.choice(rare if rare and drawn.random() < 0.5 else moves)
            score = drawn.choice((0, 1, -1, 32002, drawn.randrange(-32000, 32000)))
            game.append(Row(board.copy(), move, score, result))
            board.push(move)
        if not board.is_game_over() and game and board.halfmove_clock < 90:
            games.append(game)
            n += len(game)
    return games


def _nibbles(codes: list[int]) -> bytes:
    codes = codes + [0] * (32 - len(codes))
    return bytes(a | b << 4 for a, b in zip(codes[::2], codes[1::2], strict=True))


def _castled(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """Return start and end of a move; a king that castles takes its rook."""
    if board.is_castling(move):
        end = chess.square(7 if move.to_square > move.from_square else 0, move.from_square // 8)
        return move.from_square, end
    return move.from_square, move.to_square


def bulletformat(row: Row) -> bytes:
    """Return a record of 32 bytes."""
    board = row.board if row.board.turn else row.board.mirror()
    squares = sorted(board.piece_map())
    pieces = [board.piece_at(square) for square in squares]
    codes = [p.piece_type - 1 + (0 if p.color else 8) for p in pieces if p]
    result = row.result if row.board.turn else -row.result
    king, other = board.king(True), board.king(False)
    return struct.pack(
        "<Q16shBBB3x", board.occupied, _nibbles(codes), row.score, result + 1, king, other ^ 56
    )


def packed_sfen(row: Row) -> bytes:
    """Return a record of 40 bytes."""
    board, bits = row.board, []

    def put(number: int, count: int) -> None:
        bits.extend(number >> k & 1 for k in range(count))

    put(not board.turn, 1)
    put(board.king(True), 6)
    put(board.king(False), 6)
    for rank in range(7, -1, -1):
        for file in range(8):
            piece = board.piece_at(chess.square(file, rank))
            if piece is None:
                put(0, 1)
            elif piece.piece_type != chess.KING:
                put(2 * piece.piece_type - 1, 4)
                put(not piece.color, 1)
    for color in (True, False):
        put(board.has_kingside_castling_rights(color), 1)
        put(board.has_queenside_castling_rights(color), 1)
    put(board.has_pseudo_legal_en_passant(), 1)
    if board.has_pseudo_legal_en_passant():
        put(board.ep_square, 6)
    put(board.halfmove_clock & 63, 6)
    put(board.fullmove_number & 255, 8)
    put(board.fullmove_number >> 8, 8)
    put(board.halfmove_clock >> 6, 1)
    sfen = sum(b << k for k, b in enumerate(bits)).to_bytes(32, "little")
    kind = 1 if row.move.promotion else 3 if board.is_castling(row.move) else 0
    kind = 2 if board.is_en_passant(row.move) else kind
    start, end = _castled(board, row.move)
    move = kind << 14 | (row.move.promotion or 2) - 2 << 12 | start << 6 | end
    result = row.result if board.turn else -row.result
    return sfen + struct.pack("<hHHbx", row.score, move, board.ply(), result)


def _marlin(board: chess.Board, result: int) -> bytes:
    codes = []
    for square in sorted(board.piece_map()):
        piece = board.piece_at(square)
        unmoved = board.castling_rights >> square & 1
        codes.append((6 if unmoved else piece.piece_type - 1) + (0 if piece.color else 8))
    passed = 64 if board.ep_square is None else board.ep_square
    return struct.pack(
        *("<Q16sBBHhBx", board.occupied, _nibbles(codes), passed | (not board.turn) << 7),
        *(board.halfmove_clock, board.fullmove_number, 0, result + 1),
    )


def viriformat(game: list[Row]) -> bytes:
    """Return a game: a board, moves with White's scores, four zeros."""
    content = _marlin(game[0].board, game[0].result)
    for board, played, score, _ in game:
        start, end = _castled(board, played)
        kind = 3 if played.promotion else 2 if board.is_castling(played) else 0
        kind = 1 if board.is_en_passant(played) else kind
        move = start | end << 6 | (played.promotion or 2) - 2 << 12 | kind << 14
        content += struct.pack("<Hh", move, score if board.turn else -score)
    return content + bytes(4)


def _zigzag(number: int) -> int:
    number = (number + 0x8000) % 0x10000 - 0x8000
    return 2 * number if number >= 0 else -2 * number - 1


def _ep(board: chess.Board) -> int | None:
    """Return the square of a capture en passant as Stockfish's tools have it.

    They ask whether a slider attacks the king after the capture, on a board on which the pawn that
    went two squares is still where it was, and the square where it ends counts as occupied.
    """
    if board.ep_square is None:
        return None
    went = 8 if board.turn else -8
    for pawn in board.pieces(chess.PAWN, board.turn):
        if board.ep_square in board.attacks(pawn):
            after = board.copy()
            after.remove_piece_at(pawn)
            after.set_piece_at(board.ep_square, chess.Piece(chess.PAWN, board.turn))
            after.set_piece_at(board.ep_square + went, chess.Piece(chess.PAWN, not board.turn))
            attackers = after.attackers(not board.turn, board.king(board.turn))
            if not any(after.piece_type_at(s) in (3, 4, 5) for s in attackers):
                return board.ep_square
    return None


def _stem(row: Row) -> bytes:
    board, codes, passed = row.board, [], _ep(row.board)
    for square in sorted(board.piece_map()):
        piece = board.piece_at(square)
        code = 2 * (piece.piece_type - 1) + (not piece.color)
        if board.castling_rights >> square & 1:
            code = 13 if piece.color else 14
        elif piece == chess.Piece(chess.KING, False) and not board.turn:
            code = 15
        elif passed is not None and square == passed + (-8 if board.turn else 8):
            code = 12
        codes.append(code)
    kind = 1 if row.move.promotion else 2 if board.is_castling(row.move) else 0
    kind = 3 if board.is_en_passant(row.move) else kind
    start, end = _castled(board, row.move)
    move = kind << 14 | start << 8 | end << 2 | (row.move.promotion or 2) - 2
    result = _zigzag(row.result if board.turn else -row.result)
    return struct.pack(
        *(">Q16sHHHH", board.occupied, _nibbles(codes), move, _zigzag(row.score)),
        *(board.ply() | result << 14, board.halfmove_clock),
    )


def _fewest(n: int) -> int:
    return (n - 1).bit_length() if n else 0


def _move_bits(board: chess.Board, move: chess.Move) -> str:
    """Return the bits of a move behind the first of a chain."""

    def put(number: int, n: int) -> str:
        return f"{number:0{_fewest(n)}b}" if _fewest(n) else ""

    own = list(chess.SquareSet(board.occupied_co[board.turn]))
    start, piece = move.from_square, board.piece_type_at(move.from_square)
    bits = put(own.index(start), len(own))
    if piece == chess.PAWN:
        targets = chess.SquareSet(board.occupied_co[not board.turn])
        if (passed := _ep(board)) is not None:
            targets.add(passed)
        reached = board.attacks(start) & targets
        once = start + (8 if board.turn else -8)
        if not board.piece_at(once):
            reached.add(once)
            twice = once + (8 if board.turn else -8)
            if start // 8 == (1 if board.turn else 6) and not board.piece_at(twice):
                reached.add(twice)
        place = list(reached).index(move.to_square)
        if move.promotion:
            return bits + put(4 * place + move.promotion - 2, 4 * len(reached))
        return bits + put(place, len(reached))
    reached = list(board.attacks(start) & ~chess.SquareSet(board.occupied_co[board.turn]))
    if piece != chess.KING:
        return bits + put(reached.index(move.to_square), len(reached))
    long = board.has_queenside_castling_rights(board.turn)
    rights = long + board.has_kingside_castling_rights(board.turn)
    if board.is_castling(move):
        place = len(reached) + (long if move.to_square > start else 0)
    else:
        place = reached.index(move.to_square)
    return bits + put(place, len(reached) + rights)


def _score_bits(number: int) -> str:
    bits = ""
    while True:
        bits += f"{(number > 15) << 4 | number & 15:05b}"
        number >>= 4
        if not number:
            return bits


def chain(game: list[Row]) -> bytes:
    """Return a chain of a `.binpack`."""
    bits, before = "", game[0].score
    for row in game[1:]:
        bits += _move_bits(row.board, row.move) + _score_bits(_zigzag(row.score + before))
        before = row.score
    bits += "0" * (-len(bits) % 8)
    text = int(bits or "0", 2).to_bytes(len(bits) // 8, "big")
    return _stem(game[0]) + struct.pack(">H", len(game) - 1) + text


def binpack(games: list[list[Row]], chains: int = 50) -> bytes:
    """Return the content of a `.binpack` with so many chains in a chunk."""
    chunks = (b"".join(map(chain, games[k : k + chains])) for k in range(0, len(games), chains))
    return b"".join(b"BINP" + struct.pack("<I", len(one)) + one for one in chunks)


def content(name: str, games: list[list[Row]]) -> bytes:
    """Return a file of games, or of their positions, in a format."""
    if name == "binpack":
        return binpack(games)
    if name == "viriformat":
        return b"".join(map(viriformat, games))
    write = bulletformat if name == "bulletformat" else packed_sfen
    return b"".join(write(row) for game in games for row in game)
