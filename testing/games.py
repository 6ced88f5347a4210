"""Checks of a game."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numba import int32, int64, types

from samuel.common.errors import UserError
from samuel.games import PASS, Game, Position
from samuel.games.evaluator import zero_evaluator
from samuel.games.grid_notation import GridNotation
from samuel.games.perft import perft
from samuel.games.rows import canonical_keys, images
from samuel.games.rules import CHANCE, CHECK, NO_MOVE, ORDER, OTHER, REVERSIBLE, ROW, SAME, Row
from samuel.games.sound import require_sound
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.search import analyse, new_memory
from samuel.search.score import MAX_PLY, PLIES, SCORE_UNIT, from_outcomes, from_utility, limits
from samuel.testing.failure import ContractError, answer_of, place_of, require, require_same
from samuel.testing.playouts import Playout, random_playouts, some_of

SMALL_TREE = 2000
"""Endings of at most this many positions are compared with a plain full-depth search."""
ENDED_GAMES = 12
"""Games whose endings are so compared."""
PLAIN_LEAVES = 400
"""Perft is compared with a plain count up to about this many leaves."""


def check_game(game: Game, seed: int = 0) -> None:
    """Check the rules and the description of a game on random games.

    At every position the check tests that

    - legal moves are different, in range and at most `max_moves`; a pass is the only move; a
      position has no legal moves exactly if `is_terminal`; outcomes of chance obey the same rules
    - `plies_left` never grows, and the measure of what is left is between 0 and `most_left`
    - `play` leaves its position unchanged and returns the turn that the game declares
    - the `utility` of a finished game is finite and at most `max_utility`
    - positions, moves and transcripts read back from their texts
    - symmetries are a group of permutations with the identity first, and commute with the rules
    - `order` rates only the moves that it gets; `noisy` and `candidates` list legal moves
    - perft equals a plain count
    - positions repeat only after reversible moves, in games with draws by rule
    - near the end, the exact search and `solve` equal plain minimax (averaged at chance nodes), so
      the game is zero-sum.

    Parameters
    ----------
    game
        Game to check.
    seed
        Seed of every random choice.

    Raises
    ------
    ContractError
        The game breaks a rule; the message names the game, the position and the rule.

    Examples
    --------
    >>> import samuel
    >>> from samuel.testing import check_game
    >>> check_game(samuel.game_named("tic_tac_toe"))
    """
    try:
        require_sound(game, seed)
    except UserError as error:
        raise ContractError(str(error)) from None
    random = np.random.default_rng(seed)
    playouts = random_playouts(game, random)
    for playout in playouts:
        for place, move in zip(playout.positions, [*playout.moves, None], strict=True):
            _check_rules_at(place, move)
        for place, last in zip(playout.positions, [NO_MOVE, *playout.moves], strict=True):
            _check_noisy(place, last)
        _check_notation(playout)
        _check_past(playout)
    chosen = some_of([position for playout in playouts for position in playout.positions], random)
    _check_symmetries(game)
    for position in [*chosen, *(playout.positions[-1] for playout in playouts[:3])]:
        _check_images(position)
    for position in chosen:
        _check_order(position)
        _check_candidates(position)
        _check_perft(position)
    _check_perft(Position.start(game))
    _check_endings(playouts)


def _check_rules_at(position: Position, move: int | None) -> None:
    """Check a position of a random game, and what is played there (None at its end)."""
    game, row, where = position.game, position.row, place_of(position)
    moves = [int(m) for m in game.playable_in(row)]
    require(len(set(moves)) == len(moves), where, f"a move is listed twice: {moves}")
    over = game.is_over(row)
    require(over == (not moves), where, f"is_terminal is {over}, with {len(moves)} moves")
    left = game.left_in(row)
    range_of = f"{left} is left, but it must be 0 to {game.most_left} (its value at the start)"
    require(0 <= left <= game.most_left, where, range_of)
    require_same(row, position.row, where, "the rules change the position that they are given")
    if move is None:
        return
    child = game.child_of(row, move)
    require_same(row, position.row, where, "play changes the position that it is given")
    if game.alternates:
        _check_alternates(position, move)
    again = game.child_of(row, move)
    require_same(child, again, where, f"play of move {move} gives two different positions")
    if game.plies_left is not None:
        before, after = game.plies_left_in(row), game.plies_left_in(child)
        grows = (
            f"plies_left grows from {before} to {after} with move {move}: without a bound, give "
            "Game(..., plies_left=None, progress=Progress(rule, most))"
        )
        require(after <= before, where, grows)


def _check_alternates(position: Position, move: int) -> None:
    """Check that `play` itself names no turn where nothing looks at what it returns."""
    game = position.game
    turn = game.play(position.row, move, np.zeros(game.words, np.uint64)) or OTHER
    if turn := turn & ~(REVERSIBLE | CHECK):
        name = {SAME: "SAME", CHANCE: "CHANCE", SAME | CHANCE: "SAME | CHANCE"}.get(turn, turn)
        needs = "chance=Chance(...)" if turn & CHANCE else "turns=Turns(alternates=False)"
        said = (
            f"play of move {move} returns {name}, which is not looked at: give Game(..., {needs})"
        )
        require(False, place_of(position), said)


def _check_notation(playout: Playout) -> None:
    """Check that the texts of a game's positions and moves, and its transcript, read back."""
    game = playout.positions[0].game
    notation = game.notation
    for position in playout.positions:
        where, text = place_of(position), position.text
        require("\n" not in text, where, f"the text of a position is one line, not {text!r}")
        read = answer_of(where, notation.read, text)
        if isinstance(notation, GridNotation) and not notation.holds(position.row[None]).all():
            off = (
                "two pieces stand on one square, or one beyond the board: it has "
                f"{len(notation.grid.squares)} squares, the notation {len(notation.move_names)} "
                "names of moves"
            )
            require(False, where, off)
        same = read == (position.words, position.side)
        given = f"{position.words}, side {position.side}"
        said = f"the text does not read back: {given} is written, {read} read"
        if game.board is not None and game.board.words < game.words:
            said += (
                f"; the board is {game.board.words} of the {game.words} words, and write and read "
                "of the notation must include the others"
            )
        require(same, where, said)
        drawing = answer_of(where, notation.board, position.words, position.side)
        require(drawing.strip(), where, "the drawing of the position is empty")
    by_itself = not notation.needs_position
    told: set[int] = set()
    for position in playout.positions:
        playable = game.playable_in(position.row).tolist()
        for move in playable:
            if by_itself and move in told:
                continue
            told.add(move)
            name = answer_of(game.name, notation.write_move, move)
            back = answer_of(game.name, position.meant, name, playable)
            require(back == move, game.name, f"move {move} does not read back: {name!r} is {back}")
    names = [notation.write_move(move) for move in playout.moves]
    where = f"{game.name}, transcript {' '.join(names)}"
    if by_itself:
        moves = answer_of(where, notation.read_moves, " ".join(names))
        said = f"it does not read back: {playout.moves} are {moves}"
        require(moves == playout.moves, where, said)
    if playout.moves and playout.moves[-1] != PASS:
        pairs = zip(names, playout.moves, strict=True)
        shorter = " ".join(name for name, move in pairs if move != PASS)
        end = answer_of(where, Position.from_transcript, shorter, game)
        require(end == playout.positions[-1], where, "without its passes it ends elsewhere")


def _check_past(playout: Playout) -> None:
    """Check that nothing comes again from before a move that is not reversible."""
    seen: dict[Position, int] = {}
    for ply, position in enumerate(playout.positions):
        before = seen.get(position, ply)
        lost = (
            "it stood before, and not all moves since are REVERSIBLE: join it to what play returns "
            "(OTHER | REVERSIBLE) for moves that lose nothing for good"
        )
        known = not position.game.has_draws or ply - before <= len(position.past)
        require(known, place_of(position), lost)
        seen[position] = ply


def _check_symmetries(game: Game) -> None:
    symmetries, where = game.symmetries, f"{game.name}, symmetries"
    identity = np.arange(len(game.squares))
    require_same(symmetries[0], identity, where, "the first is the identity")
    known = {tuple(row) for row in symmetries.tolist()}
    require(len(known) == len(symmetries), where, "one is listed twice")
    for number, one in enumerate(symmetries):
        for after, other in enumerate(symmetries):
            group = f"they are no group: number {number}, then {after}, is none of them"
            require(tuple(other[one].tolist()) in known, where, group)


def _check_images(position: Position) -> None:
    """Check that the images of a position are the same position to the rules."""
    game, where = position.game, place_of(position)
    position = replace(position, past=())  # its images have none
    expected = _facts(position)
    pictures = images(game, position.words)
    keys = np.unique(canonical_keys(game, pictures))
    require(len(keys) == 1, where, "its images under the symmetries have different canonical keys")
    for number, picture in enumerate(pictures):
        image = replace(position, words=tuple(picture.tolist()))
        for name, value in _facts(image).items():
            differ = f"its image {image.text} under symmetry {number} differs in {name}"
            require(value == expected[name], where, differ)


def _facts(position: Position) -> dict[str, Any]:
    """Return what a symmetry leaves as it is."""
    game, over = position.game, position.is_terminal
    moves = game.playable_in(position.row)
    children = [game.child_of(position.row, int(move)) for move in moves]
    return {
        "is_terminal": over,
        "utility": position.utility() if over else None,
        "what is left": game.left_in(position.row),
        "the number of moves": len(moves),
        "the positions after its moves": (
            sorted(canonical_keys(game, np.stack(children)).tolist()) if children else []
        ),
        "perft 2": perft(position, 2),
    }


@jit(types.void(types.FunctionType(ORDER), ROW, int32[::1], int64, int32[::1]))
def _order(order: Any, position: Any, moves: Any, n: int, hints: Any) -> None:
    order(at(position, 0), at(moves, 0), n, at(hints, 0))


def _check_order(position: Position) -> None:
    """Check that `order` rates exactly the moves it is given, and the same whenever asked."""
    if position.is_chance:
        return
    game, row, where = position.game, position.row, place_of(position)
    listed = game.moves_in(row)
    n = len(listed)
    moves = np.full(game.max_moves, 7, np.int32)
    moves[:n] = listed
    kept = moves.copy()
    hints = [np.full(game.max_moves, unset, np.int32) for unset in (-(2**31), 2**31 - 1)]
    for filled in hints:
        unset = filled[0]
        _order(game.rules.order, row, moves, n, filled)
        require((filled[n:] == unset).all(), where, f"order writes more hints than the {n} moves")
    require_same(moves, kept, where, "order changes the moves")
    require_same(row, position.row, where, "order changes the position")
    require_same(hints[0][:n], hints[1][:n], where, "order leaves a hint out")


def _check_noisy(position: Position, move: int) -> None:
    """Check that noisy moves are legal, and all there is where it has to be played."""
    game, row, where = position.game, position.row, place_of(position)
    if game.search.noisy is None and not game.search.quiescence_rules:
        return
    legal, worth = sorted(game.moves_in(row).tolist()), sorted(game.candidates_in(row).tolist())
    for rules in (game, *map(game.with_quiescence, game.search.quiescence_rules)):
        for beyond in (0, 1, MAX_PLY):
            noisy, must = rules.noisy_in(row, move, beyond)
            listed = sorted(noisy.tolist())
            require(len(set(listed)) == len(listed), where, f"noisy lists a move twice: {listed}")
            illegal = f"noisy lists moves that are not legal: {listed}"
            require(set(listed) <= set(legal), where, illegal)
            all_of = f"noisy returns -{len(listed)}, and {len(legal)} moves are legal"
            require(not must or listed in (legal, worth), where, all_of)


def _check_candidates(position: Position) -> None:
    """Check that what is worth a search is legal, and something where there is anything."""
    game, where = position.game, place_of(position)
    listed, legal = game.candidates_in(position.row).tolist(), game.moves_in(position.row).tolist()
    require(len(set(listed)) == len(listed), where, f"candidates lists a move twice: {listed}")
    some = f"candidates lists moves that are not legal: {listed}"
    require(set(listed) <= set(legal), where, some)
    require(bool(listed) == bool(legal), where, f"candidates lists {len(listed)} of {len(legal)}")


def _plain_perft(game: Game, row: Any, depth: int) -> int:
    """Count leaves as the definition says: of a game that ends sooner, as the game has it."""
    moves, is_chance = game.playable_in(row), len(game.outcomes_in(row)[0]) > 0
    if depth == 0 or len(moves) == 0:
        return int(depth == 0 or game.perft.counts_ended)
    left = depth if is_chance else depth - 1
    return sum(_plain_perft(game, game.child_of(row, int(move)), left) for move in moves)


def _check_perft(position: Position) -> None:
    """Check perft 0 to 3 against a plain count, as deep as that is quick."""
    for depth in range(4):
        leaves = perft(position, depth)
        if leaves > PLAIN_LEAVES:
            break
        plain = _plain_perft(position.game, position.row, depth)
        where = place_of(position)
        require(leaves == plain, where, f"perft {depth} is {leaves}, counted plainly {plain}")


def _plain_value(game: Game, row: Row, ply: int, visits: Iterator[int]) -> int:
    """Return the score of a position by minimax to the end, in points; StopIteration without it."""
    if ply == PLIES:
        raise StopIteration
    next(visits)
    if game.is_over(row):
        return from_utility(game.utility_of(row), ply, limits(game)[0])
    values = []
    for move in game.playable_in(row).tolist():
        child, turn = game.after(row, move)
        value = _plain_value(game, child, ply + 1, visits)
        values.append(value if turn & SAME else -value)
    weights = game.outcomes_in(row)[1]
    return from_outcomes(int(weights @ values), game.chances) if len(weights) else max(values)


def _check_endings(playouts: list[Playout]) -> None:
    """Check exact search against plain minimax, for the last positions of random games."""
    game = playouts[0].positions[0].game
    nothing = zero_evaluator(game)
    memory = new_memory(game, 8, 8)
    for playout in playouts[:ENDED_GAMES]:
        for position in reversed(playout.positions):
            if game.plies_left_in(position.row) >= MAX_PLY:
                break  # no search goes to the end from there
            try:
                value = _plain_value(game, position.row, 0, iter(range(SMALL_TREE))) / SCORE_UNIT
            except StopIteration:
                break
            where = place_of(position)
            found = analyse(position, nothing, depth=1, exact_from=MAX_PLY, memory=memory)
            require(found.exact, where, "the search does not solve it")
            solved = f"it is worth {value} by plain minimax, solved {found.score}"
            require(found.score == value, where, solved)
            if found.move is None:
                nobody = position.is_terminal or position.is_chance
                require(nobody, where, "it is solved without a move")
                continue
            child = position.play(found.move)
            after = _plain_value(game, child.row, 1, itertools.count()) / SCORE_UNIT
            wanted = value if child.side == position.side else -value
            best = f"the move {found.move} is worth {after} to who moves then, the best {wanted}"
            require(after == wanted, where, best)
