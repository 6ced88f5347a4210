"""Columns that stand for squares are told from the others, in every game with a board."""

from __future__ import annotations

from samuel.features import column_names, feature_names, features_named
from samuel.games import game_named
from samuel.reports.weights import square_tables


def tables_of(game: str) -> dict[str, list[str]]:
    """Return for each table the column of each square, "" where it has none."""
    rules = game_named(game)
    columns = [*column_names(features_named(feature_names(game), game)), ""]
    found = square_tables(columns[:-1], rules)
    return {name: [columns[place] for place in places] for name, places in found.items()}


def test_each_piece_of_chess_has_a_table_and_pawns_have_no_first_rank() -> None:
    tables = tables_of("chess")
    kinds = ("pawn", "knight", "bishop", "rook", "queen", "king")
    assert list(tables) == [f"piece_squares_{kind}" for kind in kinds]
    assert tables["piece_squares_king"][0] == "piece_squares_king_a8"
    assert tables["piece_squares_pawn"][-8:] == [""] * 8


def test_a_class_of_squares_stands_on_all_of_them() -> None:
    othello = game_named("othello")
    classes = dict(zip(othello.squares, tables_of("othello")["square_classes"], strict=True))
    assert {classes[corner] for corner in ("a1", "h1", "a8", "h8")} == {"square_classes_a1"}
    xiangqi = game_named("xiangqi")
    table = tables_of("xiangqi")["piece_squares_general"]
    by_square = dict(zip(xiangqi.squares, table, strict=True))
    assert by_square["f1"] == by_square["d1"] == "piece_squares_general_d1"
    assert by_square["a1"] == ""
