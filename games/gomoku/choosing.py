"""Moves of a position that are worth a search, the most urgent first.

A stone that completes a line ends the game, and one that the other side would complete it with has
to be put first: where there are such squares no others matter. Against an open three (stones that
another one makes an open four, which cannot be stopped) there are only squares in windows with so
many stones, of either side: to stop it, or to make a four, which has to be answered. So far nothing
is lost. Otherwise moves are looked at within two squares of a stone, as all programs do: L. V.
Allis, "Searching for solutions in games and artificial intelligence", 1994, chapter 5.

Beyond the depth of a search, fours are made that threaten more, and stopped: each leaves the other
side one answer, so a win by fours is found at little cost.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import int32

from samuel.games.gomoku.boards import WORD, Layout, line_of, room_for, windows_of
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, bit, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, room_of

# In thousandths of a win, for each window through a square: of one that misses 1, 2, 3 stones, and
# so on. To go on with a line of one's own is worth more than to stop one of the other side. With
# twice as much for stopping lines, searches to depth 6 take a third more positions.
_OWN = (4000, 60, 12, 3)
_OTHERS = (2000, 20, 4, 1)

_MOST_BEYOND = 8
"""Plies beyond the depth of a search up to which fours are made; they are stopped without end."""


def _worth(worth: tuple[int, ...], length: int) -> tuple[np.uint64, ...]:
    """Return what a window with 0, 1, ... stones adds to its squares."""
    missing = [length - stones for stones in range(length)]
    return tuple(np.uint64(worth[m - 1] if m <= len(worth) else 1) for m in missing)


@functools.cache
def near_of(layout: Layout) -> Any:
    """Return `near(position, squares)`: the squares within two of a stone, full ones too."""
    words, board, stride, pad = layout.words, layout.board, layout.stride, layout.pad
    middle = layout.bits[layout.rows // 2 * layout.columns + layout.columns // 2]
    room, put, moved = room_for(layout)

    @jit
    def grow(found: Pointer, step: int, wider: Pointer) -> None:
        """Add the squares one step before and behind."""
        for word in range(words):
            ends = moved(found, word, step) | moved(found, word, -step)
            wider[word] = (found[pad + word] | ends) & board[word]
        put(wider, 0, found)

    @jit
    def near(position: Row, squares: Pointer) -> None:
        found = room()
        for word in range(words):
            squares[word] = position[word] | position[words + word]
        put(squares, 0, found)
        for _ in range(2):
            grow(found, 1, squares)
            grow(found, stride, squares)
        stones = ZERO
        for word in range(words):
            stones |= squares[word]
        if stones == ZERO:
            squares[middle // WORD] = bit(middle % WORD)

    return near


@functools.cache
def _lister_of(layout: Layout) -> Any:
    """Return `list_empty(position, squares, moves)`, which lists the empty ones of some squares."""
    words, board = layout.words, layout.board

    @jit
    def list_empty(position: Row, squares: Pointer, moves: Any) -> int:
        n = 0
        for word in range(words):
            found = squares[word] & board[word] & ~(position[word] | position[words + word])
            while found != ZERO:
                moves[n] = int32(WORD * word + trailing_zeros(found))
                found &= found - ONE
                n += 1
        return n

    return list_empty


@functools.cache
def candidates_of(layout: Layout) -> Any:
    """Return the rule `candidates` of a layout (Game)."""
    words, length, pad, board, steps = (
        *(layout.words, layout.length, layout.pad),
        *(layout.board, layout.steps),
    )
    room, put, moved = room_for(layout)
    windows, near, has_line = windows_of(layout), near_of(layout), line_of(layout)
    new_counts, count, held, mark = windows
    new_squares, list_empty = room_of(words), _lister_of(layout)

    @jit
    def candidates(position: Row, moves: Any) -> int:
        """List the moves that end the game, or else that matter against a threat, or are near."""
        if has_line(position, words):
            return 0
        mine, theirs, threes = room(), room(), room()
        own, others = new_counts(), new_counts()
        wins, blocks, answers = new_squares(), new_squares(), new_squares()
        put(position, 0, mine)
        put(position, words, theirs)
        put(position, 0, threes)
        for word in range(words):
            wins[word] = blocks[word] = answers[word] = ZERO
        danger = ZERO
        for d in range(4):
            count(mine, d, own)
            count(theirs, d, others)
            for word in range(words):
                mark(held(mine, own, others, d, word, length - 1), d, word, wins)
                mark(held(theirs, others, own, d, word, length - 1), d, word, blocks)
                mark(held(mine, own, others, d, word, length - 2), d, word, answers)
                threes[pad + word] = held(theirs, others, own, d, word, length - 2)
                mark(threes[pad + word], d, word, answers)
            for word in range(words):
                beside = moved(threes, word, steps[d])
                danger |= threes[pad + word] & beside & ~theirs[pad + word]
        n = list_empty(position, wins, moves)
        if n == 0:
            n = list_empty(position, blocks, moves)
        if n == 0 and danger != ZERO:
            n = list_empty(position, answers, moves)
        if n == 0:
            near(position, wins)
            n = list_empty(position, wins, moves)
        if n == 0:
            for word in range(words):
                wins[word] = board[word]
            n = list_empty(position, wins, moves)
        return n

    return candidates


@functools.cache
def _fours_of(layout: Layout) -> Any:
    """Return `find_fours(mine, theirs, fours)`: the fours beyond the depth.

    A four counts if its stone makes two fours in one line, or is in a line of another direction
    that misses two or three stones. Other fours seldom lead to a win; with all of them, a search
    to depth 6 visits ten times as many positions.
    """
    words, length, pad, steps = layout.words, layout.length, layout.pad, layout.steps
    room, put, moved = room_for(layout)
    new_counts, count, held, _ = windows_of(layout)
    new_squares = room_of(words)

    @jit
    def find_fours(mine: Any, theirs: Any, fours: Any) -> None:
        own, others, threes, twos = new_counts(), new_counts(), room(), room()
        once, twice = new_squares(), new_squares()
        put(mine, pad, threes)
        put(mine, pad, twos)
        for word in range(words):
            fours[word] = once[word] = twice[word] = ZERO
        for d in range(4):
            count(mine, d, own)
            count(theirs, d, others)
            for word in range(words):
                threes[pad + word] = held(mine, own, others, d, word, length - 2)
                twos[pad + word] = held(mine, own, others, d, word, length - 3)
            for word in range(words):
                line = ZERO
                for k in range(length):
                    squares = moved(threes, word, -k * steps[d])
                    twice[word] |= line & squares
                    line |= squares
                fours[word] |= line
                for k in range(length):
                    line |= moved(twos, word, -k * steps[d])
                twice[word] |= once[word] & line
                once[word] |= line
        for word in range(words):
            fours[word] &= twice[word]

    return find_fours


@functools.cache
def noisy_of(layout: Layout) -> Any:
    """Return the rule `noisy` of a layout (Game)."""
    words, length = layout.words, layout.length
    room, put, _ = room_for(layout)
    new_counts, count, held, mark = windows_of(layout)
    new_squares, list_empty = room_of(words), _lister_of(layout)
    has_line, find_fours = line_of(layout), _fours_of(layout)

    @jit
    def noisy(position: Row, move: int, beyond: int, moves: Any) -> int:
        """List squares that win, else that stop a four (one must be played), else fours."""
        if has_line(position, words):
            return 0
        mine, theirs = room(), room()
        own, others = new_counts(), new_counts()
        wins, blocks = new_squares(), new_squares()
        put(position, 0, mine)
        put(position, words, theirs)
        for word in range(words):
            wins[word] = blocks[word] = ZERO
        threes = ZERO
        for d in range(4):
            count(mine, d, own)
            count(theirs, d, others)
            for word in range(words):
                mark(held(mine, own, others, d, word, length - 1), d, word, wins)
                mark(held(theirs, others, own, d, word, length - 1), d, word, blocks)
                threes |= held(mine, own, others, d, word, length - 2)
        n = list_empty(position, wins, moves)
        if n == 0:
            n = list_empty(position, blocks, moves)
        if n > 0:
            return -n
        if threes == ZERO or beyond >= _MOST_BEYOND:
            return 0
        find_fours(mine, theirs, wins)
        return list_empty(position, wins, moves)

    return noisy


@functools.cache
def order_of(layout: Layout) -> Any:
    """Return the rule `order` of a layout (Game): what the windows through a square hold."""
    words, length, steps = layout.words, layout.length, layout.steps
    room, put, _ = room_for(layout)
    new_counts, count, held, _ = windows_of(layout)
    new_worth = room_of(WORD * words)
    of_own, of_others = _worth(_OWN, length), _worth(_OTHERS, length)

    @jit
    def add(found: Any, direction: int, word: int, what: Any, worth: Pointer) -> None:
        while found != ZERO:
            square = WORD * word + trailing_zeros(found)
            for _ in range(length):
                worth[square] += what
                square += steps[direction]
            found &= found - ONE

    @jit
    def order(position: Row, moves: Any, n: int, hints: Any) -> None:
        """Prefer squares of windows that are nearly full."""
        mine, theirs, worth = room(), room(), new_worth()
        own, others = new_counts(), new_counts()
        put(position, 0, mine)
        put(position, words, theirs)
        for k in range(WORD * words):
            worth[k] = ZERO
        for d in range(4):
            count(mine, d, own)
            count(theirs, d, others)
            for word in range(words):
                for stones in range(1, length):
                    windows = held(mine, own, others, d, word, stones)
                    add(windows, d, word, of_own[stones], worth)
                    windows = held(theirs, others, own, d, word, stones)
                    add(windows, d, word, of_others[stones], worth)
        for i in range(n):
            hints[i] = int32(worth[moves[i]])

    return order
