"""Five in a row on 15 by 15 squares, and k in a row on m by n: the (m, n, k) games.

The stones of the side to move, then those of the other, a bit a square (games/gomoku/boards.py). A
move is the bit of its square. Whoever first has `length` stones in a row, or more, has won; in
`gomoku_exact` more do not win, and the game goes on. A full board is a draw. The rules are those
of freestyle and standard gomoku as Gomocup plays them (`INFO rule` 0 and 1), without an opening
rule.

Features: a line that a side can still fill is `length` squares in a row without a stone of the
other side, numbered by the stones that it holds: on 15 by 15 squares `open_lines_player_4` counts
the ways to complete five, whatever gaps there are. It is free where it lies beside another of the
same direction, with the same stones, so that both squares at the ends are empty: `free_4` is an
open four, `free_3` an open three.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numba import int32

from samuel.common.errors import UserError, require_number
from samuel.games.board import Board, crossing_lines
from samuel.games.feature import define_squares, feature
from samuel.games.game import Game
from samuel.games.gomoku.boards import WORD, Layout, line_of, room_for, windows_of
from samuel.games.gomoku.choosing import candidates_of, noisy_of, order_of
from samuel.games.grid_notation import GridNotation, require_turns
from samuel.games.groups import Defaults, Handmade, OutsideEngine, SearchRules, Solver
from samuel.games.rules import Row, Words, no_noisy_moves
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.pointers import offset, room_of

# By hand, in wins, of a line that misses 1, 2, ... stones: the player's, who is to move and can add
# one, and the opponent's.
_PLAYER, _OPPONENT = (0.6, 0.03, 0.008, 0.002), (-0.12, -0.02, -0.005, -0.0015)
# More of one that is free at both ends: who is to move has won with one that misses 2 stones.
_PLAYER_FREE, _OPPONENT_FREE = (0.2, 0.12, 0.006), (-0.4, -0.06, -0.004)


def classic_of(length: int) -> Handmade:
    """Return the evaluator of the game in which so many in a row win."""
    weights = {}
    for side, open_, free in (
        ("player", _PLAYER, _PLAYER_FREE),
        ("opponent", _OPPONENT, _OPPONENT_FREE),
    ):
        for stones in range(1, length):
            missing = min(length - stones, len(open_))
            weights[f"open_lines_{side}_{stones}"] = (open_[missing - 1],)
        for stones in range(2, length):
            missing = min(length - stones, len(free))
            weights[f"open_lines_{side}_free_{stones}"] = (free[missing - 1],)
    return Handmade("lines that can still be filled, weighted by hand", ("open_lines",), weights)


SMALLEST, LARGEST = 3, 20
"""Columns and rows of a board."""
_NAMES = {Layout(15, 15, 5): "gomoku", Layout(15, 15, 5, exact=True): "gomoku_exact"}
ENGINES = (
    OutsideEngine("Rapfi", "gomocup:pbrain-rapfi", "a build of https://github.com/dhbloo/rapfi"),
)
_made: dict[str, Layout] = {}
"""The boards of the games that were made, by their names."""
_RANDOM_PLIES = 4
_SOLVED = 8
"""Empty squares from which a board is played out."""


def mnk(columns: int, rows: int, length: int) -> Game:
    """Return the game on columns by rows where `length` in a row win; `mnk_5_4_4` by name."""
    for what, number in (("columns", columns), ("rows", rows)):
        require_number(f"the number of {what} of mnk_M_N_K", number, SMALLEST, LARGEST)
    longest = max(columns, rows)
    require_number("the length of a line (K of mnk_M_N_K)", length, SMALLEST, longest)
    return line_game(Layout(columns, rows, length))


def _rules(layout: Layout) -> dict[str, Any]:
    """Return the rules on a board, as games.game.Game takes them."""
    words, board, cells = layout.words, layout.board, layout.cells
    has_line = line_of(layout)

    @jit
    def plies_left(position: Row) -> int:
        """Return the number of empty squares."""
        stones = 0
        for word in range(2 * words):
            stones += popcount(position[word])
        return cells - stones

    @jit
    def has_lost(position: Row) -> bool:
        return has_line(position, words)

    @jit
    def is_terminal(position: Row) -> bool:
        """Return whether the last stone made a line, or the board is full."""
        return has_lost(position) or plies_left(position) == 0

    @jit
    def legal_moves(position: Row, moves: Any) -> int:
        """List the empty squares."""
        if has_lost(position):
            return 0
        n = 0
        for word in range(words):
            empty = board[word] & ~(position[word] | position[words + word])
            while empty != ZERO:
                moves[n] = int32(WORD * word + trailing_zeros(empty))
                empty &= empty - ONE
                n += 1
        return n

    @jit
    def play(position: Row, move: int, child: Row) -> None:
        """Put a stone on a square."""
        for word in range(words):
            child[word], child[words + word] = position[words + word], position[word]
        child[words + move // WORD] |= bit(move % WORD)

    @jit
    def utility(position: Row) -> float:
        """Return -1 where the opponent has a line, else 0."""
        return -1.0 if has_lost(position) else 0.0

    return {
        "legal_moves": legal_moves,
        "play": play,
        "is_terminal": is_terminal,
        "utility": utility,
        "plies_left": plies_left,
    }


@functools.cache
def line_game(layout: Layout) -> Game:
    """Return the game on a board."""
    rows = [str(row) for row in range(layout.rows, 0, -1)]  # counted from below, as usual
    lines = crossing_lines(layout.rows, layout.columns)
    grid = Board(
        layout.rows, layout.columns, layout.bits, symmetric="all", row_names=rows, lines=lines
    )
    names = [""] * (layout.bits[-1] + 1)
    for square, place in zip(grid.squares, layout.bits, strict=True):
        names[place] = square
    name = _NAMES.get(layout, f"mnk_{layout.columns}_{layout.rows}_{layout.length}")
    _made[name] = layout
    return Game(
        name=name,
        start=(0,) * 2 * layout.words,
        **_rules(layout),
        search=SearchRules(
            order=order_of(layout),
            noisy=noisy_of(layout),
            candidates=candidates_of(layout),
            quiescence_rules={"none": no_noisy_moves},
        ),
        solver=Solver(_SOLVED),
        notation=GridNotation(grid, names, check=_check_of(layout)),
        max_moves=layout.cells,
        max_plies=layout.cells,
        defaults=Defaults(
            opening_plies=_RANDOM_PLIES,
            title=_title(layout),
            sides=("Black", "White"),
            features_in="samuel.games.gomoku.rules",
            features=("open_lines",),
            evaluators={"classic": classic_of(layout.length)},
            recipe="mlp",
            depth=2,
            engines=ENGINES if layout in _NAMES else (),
        ),
    )


def layout_of(game: Game) -> Layout:
    """Return the board of a game of this folder."""
    if game.name not in _made:
        raise UserError(f"{game.name} is not a game of this many stones in a row on an empty board")
    return _made[game.name]


def move_at(layout: Layout, column: int, row: int) -> int:
    """Return the move on a square, counted from 0 from the left and from the top."""
    if not (0 <= column < layout.columns and 0 <= row < layout.rows):
        size = f"{layout.columns} by {layout.rows}"
        raise UserError(
            f"{column},{row} is not a square of a board of {size} (squares are counted from 0)"
        )
    return layout.stride * row + column


def place_of(layout: Layout, move: int) -> tuple[int, int]:
    """Return the column and the row of a move, counted from 0 from the left and from the top."""
    return move % layout.stride, move // layout.stride


def _title(layout: Layout) -> str:
    if layout in _NAMES:
        return "Gomoku, exactly five" if layout.exact else "Gomoku"
    return f"{layout.length} in a row on {layout.columns} by {layout.rows}"


def _check_of(layout: Layout) -> Callable[[Words, int], None]:
    """Return what refuses counts that alternate play cannot give, and moves after a win."""

    def check(words: Words, side: int) -> None:
        each = layout.words
        mine, theirs = (
            sum(word << WORD * k for k, word in enumerate(words[first : first + each]))
            for first in (0, each)
        )
        require_turns((mine, theirs), side)
        if _has_line(mine, layout):
            line = f"{'XO'[side]} has {layout.length} in a row"
            raise UserError(f"{line} and cannot be to move: the game was over")

    return check


def _has_line(stones: int, layout: Layout) -> bool:
    """Do as `has_line` outside the kernels, where compiling it would take longer."""
    for step in layout.steps:
        line = stones
        for k in range(1, layout.length):
            line &= stones >> k * step
        if layout.exact:
            line &= ~(stones << step | stones >> layout.length * step)
        if line:
            return True
    return False


GAME = mnk(15, 15, 5)
GAME_EXACT = line_game(Layout(15, 15, 5, exact=True))


_SIDES = ("player", "opponent")
_THREATS = ("fours", "double_fours", "open_fours", "threes", "double_threes", "four_threes")
_FOUR, _FOURS, _OPEN_FOUR, _THREE, _THREES, _FOUR_THREE, _NEW = range(len(_THREATS) + 1)


def _adding(layout: Layout, kinds: int, direction: int) -> Any:
    """Return `add(mine, theirs, found, free, squares, values)`, for the lines of a direction.

    With `kinds` it adds squares of threats, too. Direction and distances are constants of the code:
    half the time.
    """
    words, length, pad, step = layout.words, layout.length, layout.pad, layout.steps[direction]
    each, moved = 2 * length - 3 + kinds, room_for(layout)[2]
    new_counts, count, held, _ = windows_of(layout)

    @jit
    def find(stones: Any, own: Any, others: Any, n: int, found: Any, free: Any) -> bool:
        """Write the windows with n stones of a side, and the first of each pair that is free."""
        some = ZERO
        for word in range(words):
            found[pad + word] = held(stones, own, others, direction, word, n)
            some |= found[pad + word]
        for word in range(words):
            pair = found[pad + word] & moved(found, word, step)
            free[pad + word] = pair & ~stones[pad + word]
        return some != ZERO

    @jit
    def spread(windows: Any, word: int, first: int) -> Word:
        """Return the squares of windows, but for the first so many of each."""
        squares = ZERO
        for k in range(first, length):
            squares |= moved(windows, word, -k * step)
        return squares

    @jit
    def add_lines(
        stones: Any, own: Any, others: Any, found: Any, free: Any, squares: Any, values: Any
    ) -> None:
        for n in range(1, length):
            find(stones, own, others, n, found, free)
            for word in range(words):
                values[n - 1] += popcount(found[pad + word])
                if n > 1:
                    values[length + n - 3] += popcount(free[pad + word])
        if kinds:
            for word in range(words):
                squares[_NEW * words + word] = ZERO
            has_threes = find(stones, own, others, length - 2, found, free)
            if has_threes:
                for word in range(words):
                    squares[_NEW * words + word] = spread(found, word, 0)
                    squares[_OPEN_FOUR * words + word] |= spread(free, word, 1)
            if not find(stones, own, others, length - 3, found, free) and not has_threes:
                return
            for word in range(words):
                four, three = squares[_NEW * words + word], spread(free, word, 1)
                fours, threes = squares[_FOUR * words + word], squares[_THREE * words + word]
                squares[_FOURS * words + word] |= fours & four
                squares[_THREES * words + word] |= threes & three
                squares[_FOUR_THREE * words + word] |= fours & three | threes & four
                squares[_FOUR * words + word] = fours | four
                squares[_THREE * words + word] = threes | three

    @jit
    def add(mine: Any, theirs: Any, found: Any, free: Any, squares: Any, values: Any) -> None:
        own, others = new_counts(), new_counts()
        count(mine, direction, own)
        count(theirs, direction, others)
        add_lines(mine, own, others, found, free, squares, values)
        its = offset(squares, (_NEW + 1) * words)
        add_lines(theirs, others, own, found, free, its, values[each:])

    return add


def _filling(layout: Layout, kinds: int) -> Any:
    """Return what fills the values of lines in, and with `kinds` those of so many threats."""
    words, board, each = layout.words, layout.board, 2 * layout.length - 3 + kinds
    room, put, _ = room_for(layout)
    a_side = (_NEW + 1) * words
    new_squares = room_of(2 * a_side)
    across, down, falling, rising = (_adding(layout, kinds, k) for k in range(4))

    @jit
    def fill(position: Row, values: Any) -> None:
        for k in range(2 * each):
            values[k] = 0
        mine, theirs, found, free, squares = room(), room(), room(), room(), new_squares()
        put(position, 0, mine)
        put(position, words, theirs)
        put(position, 0, found)
        put(position, 0, free)
        for k in range(2 * a_side):
            squares[k] = ZERO
        across(mine, theirs, found, free, squares, values)
        down(mine, theirs, found, free, squares, values)
        falling(mine, theirs, found, free, squares, values)
        rising(mine, theirs, found, free, squares, values)
        for k in range(kinds):
            for word in range(words):
                empty, place = board[word] & ~(position[word] | position[words + word]), k * words
                values[each - kinds + k] += popcount(squares[place + word] & empty)
                place += a_side
                values[2 * each - kinds + k] += popcount(squares[place + word] & empty)

    return fill


def define(game: Game) -> None:
    """Define them for one board."""
    layout = layout_of(game)
    fill_lines, fill_threats = _filling(layout, 0), _filling(layout, len(_THREATS))
    lines = (
        *(str(stones) for stones in range(1, layout.length)),
        *(f"free_{stones}" for stones in range(2, layout.length)),
    )
    define_squares(game)

    @feature(game=game.name, outputs=tuple(f"{side}_{kind}" for side in _SIDES for kind in lines))
    def open_lines(position: Row, values: Any) -> None:
        """Number of lines without a stone of the other side, by the number of own stones.

        `free_N`: groups of N stones in a line that are open at both ends.
        """
        fill_lines(position, values)

    kinds = (*lines, *_THREATS)

    @feature(game=game.name, outputs=tuple(f"{side}_{kind}" for side in _SIDES for kind in kinds))
    def threats(position: Row, values: Any) -> None:
        """`open_lines`, and numbers of squares where a stone makes a four or an open three.

        `double_` and `four_threes` count squares where it makes two of them at once.
        """
        fill_threats(position, values)
