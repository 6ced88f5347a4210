"""Lines of play where dice are thrown on the way."""

from samuel.games import Position
from samuel.search import search
from tests.search.toys import noise, some_positions
from tests.toys import PIG


def test_a_line_ends_where_the_dice_are_thrown() -> None:
    lines = 0
    for row in some_positions(PIG, 40, seed=1):
        position = Position(PIG, tuple(map(int, row)))
        for depth in (1, 2, 3):
            here = position
            for move in search(position, noise(PIG), depth=depth, exact_from=0).pv:
                assert move in here.legal_moves()
                here, lines = here.play(move), lines + 1
    assert lines > 40
