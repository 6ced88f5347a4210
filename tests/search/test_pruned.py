"""Alpha-beta that prunes: mates, draws, and the plain search without its options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba import int64, types

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import at as address
from samuel.models import load_evaluator
from samuel.search import Limits, SearchOptions, analyse, new_memory
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.memory import companion
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import NUMBERS
from samuel.search.alphabeta.stack import forget_all, mark_busy, position_at
from samuel.search.alphabeta.table import key_at
from samuel.search.lines import best_lines
from samuel.search.method import SEARCHER
from samuel.search.methods import method_named, method_text

GAME = game_named("chess")
PLAIN = replace(
    SearchOptions(), null_move=False, check_extensions=False, futility=False, exchange=False
)
# Mates in so many moves: from the collections mate1 to mate3.
MATES = {
    "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 0": 2,
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 1 0": 3,
    "6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1": 1,
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": 2,
}


def at(fen: str) -> Position:
    return Position.parse(fen, GAME)


@pytest.mark.parametrize("fen", MATES)
def test_mates_are_found_with_their_length(fen: str) -> None:
    plies = 2 * MATES[fen] - 1
    found = analyse(at(fen), "material", depth=plies + 2)
    assert found.score == pytest.approx(100 - plies / 1000)
    assert len(found.pv) == plies


def test_a_draw_by_repetition_is_seen_in_the_tree() -> None:
    # a queen behind, White checks for ever
    found = analyse(at("6k1/6p1/8/6KQ/8/8/1q6/q7 w - -"), "material", depth=10)
    assert found.score == 0


@pytest.mark.parametrize("depth", [1, 2])
def test_a_repetition_is_a_draw_where_no_depth_is_left(depth: int) -> None:
    position, memory = at("6k1/8/8/8/8/8/1q6/7K w - - 0 1"), new_memory(GAME, 12)
    for move in ["h1g1", "g8h8", "g1h1", "h8g8", "h1g1", "g8h8", "g1h1"]:
        position = position.play(move)
    evaluator, count = load_evaluator("material", GAME), len(position.legal_moves())
    found = analyse(position, evaluator, depth=depth, all_moves=True)
    given = {"limits": Limits(depth=depth), "method": AlphaBeta(), "memory": memory}
    *_, lines = best_lines(position, evaluator, count, **given)
    for scores in (found.moves, {line.move: line.score for line in lines}):
        assert scores and scores["h8g8"] == 0 and scores["h8g7"] == 9
    assert found.move != "h8g8" and found.score == 9


@jit(types.void(SEARCHER))
def forget_it_all(searcher: Any) -> None:
    forget_all(thaw(address(searcher, 0)).stack)


def test_a_search_that_forgot_all_repeats_its_first() -> None:
    method, memory, evaluator = AlphaBeta(), new_memory(GAME), load_evaluator("material", GAME)

    def nodes() -> int:
        return analyse(Position.start(GAME), evaluator, depth=6, memory=memory).nodes

    first = nodes()
    forget_it_all(method.searcher(GAME, evaluator, memory))
    assert not memory.continuations.any() and nodes() == first > nodes()
    assert memory.continuations.any()


def test_zugzwang_is_not_passed_over() -> None:
    # whoever is to move loses the pawn; a pass would keep it
    position = at("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1")
    assert analyse(position, "material", depth=9).move == "e1f1"


def test_without_its_options_it_is_the_search_of_other_games() -> None:
    for row in random_positions(GAME, 5, seed=3, max_plies=60):
        position = Position(GAME, tuple(map(int, row)), int(row[-1]))
        scores = {
            analyse(position, "classic", depth=3, method=AlphaBeta(options=options)).score
            for options in (PLAIN, SearchOptions.none())
        }
        assert len(scores) == 1


def test_a_search_that_is_stopped_leaves_sound_memory() -> None:
    memory = new_memory(GAME, 12)
    for nodes in (10, 333, 2_000, 5_000):
        found = analyse(Position.start(GAME), "classic", nodes=nodes, memory=memory)
        assert found.move in Position.start(GAME).legal_moves()
    assert abs(found.score) < 1


def test_corrections_do_not_drive_themselves_up() -> None:
    memory = new_memory(GAME, 14)
    method = AlphaBeta(options=SearchOptions(correction=True))
    analyse(Position.start(GAME), "classic", depth=9, method=method, memory=memory)
    most = np.abs(np.asarray(memory.corrections)).max()
    assert 0 < most <= 16 * 1000 * GAME.search.margin / 4


BUSY = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"


def nodes(**changed: int) -> int:
    given: dict[str, Any] = changed
    method = AlphaBeta(options=SearchOptions(**given))
    return analyse(at(BUSY), "classic", depth=9, method=method).nodes


@pytest.mark.parametrize("name", ["null_move", "history", "correction", "late_moves"])
def test_an_option_is_a_setting_of_alphabeta(name: str) -> None:
    changed = not getattr(SearchOptions(), name)
    text = f"alphabeta:{name}={str(changed).lower()}"
    method = method_named(text)
    assert isinstance(method, AlphaBeta)
    assert method.options is not None
    assert getattr(method.options, name) is changed
    assert method_text(method) == text
    assert load_evaluator("classic", "chess").game == "chess"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_changes_the_search_without_compiling(name: str, monkeypatch: Any) -> None:
    usual, number = nodes(), NUMBERS[name]
    assert nodes(**{name: number.usual}) == usual
    monkeypatch.setattr(EntryPoint, "load_or_compile", pytest.fail)
    assert {nodes(**{name: int(n)}) for n in (number.least, number.most)} - {usual}


def test_numbers_are_settings_and_out_of_range_an_error() -> None:
    text = "alphabeta:null_move=false,futility_margin=95"
    assert method_text(method_named(text)) == text
    with pytest.raises(UserError, match=r"^futility_margin must be an integer from 0 to 1,000"):
        method_named("alphabeta:futility_margin=1001")
    with pytest.raises(UserError, match=r"^late_move_count must be an integer from 0 to 64"):
        method_named("alphabeta:late_move_count=4.5")


@pytest.mark.parametrize(
    ("game", "options", "reason"),
    [
        ("othello", SearchOptions(), "othello, which has no margin to prune by"),
        ("chess", PLAIN, "chess, where nothing is pruned"),
        ("chess", SearchOptions(futility=False), "chess, where futility is off"),
    ],
)
def test_a_number_that_nothing_reads_is_refused(
    game: str, options: SearchOptions, reason: str
) -> None:
    with pytest.raises(UserError, match=f"^futility_base has no effect in {reason}; leave it out$"):
        new_memory(game_named(game), 2, 2, replace(options, futility_base=50))


def test_a_game_suggests_numbers_and_threads_share_those_of_a_search() -> None:
    suggested = replace(GAME.defaults, search={"futility_margin": 70, "reduction_base": 150})
    game = replace(GAME, defaults=suggested)
    memory = new_memory(game, 2, 2, SearchOptions(futility_base=10))
    assert (memory.futility_margin, memory.futility_base, memory.delta_margin) == (70, 10, 200)
    other = companion(memory, GAME, 1)
    assert (other.futility_margin, other.futility_base) == (70, 10)
    assert other.reductions is memory.reductions
    assert memory.reductions[3, 1] == 1 > new_memory(GAME, 2, 2).reductions[3, 1]


def test_scores_of_other_numbers_are_not_read_from_a_table() -> None:
    memory, evaluator, salts = new_memory(GAME, 2, 2), load_evaluator("classic", GAME), set()
    for given in (SearchOptions(), SearchOptions(futility_base=49), SearchOptions(delta_margin=1)):
        AlphaBeta(options=given).searcher(GAME, evaluator, memory)
        salts.add(memory.salt)
    assert len(salts) == 3


@jit(types.void(SEARCHER, int64, int64))
def be_at(searcher: Any, move: int, depth: int) -> None:
    """Say that a thread is searching a move of the root, of a search to `depth`."""
    context = address(searcher, 0)
    rules, _, _, stack = thaw(context)
    turn = rules.play(position_at(stack, 0), move, position_at(stack, 1))
    mark_busy(stack, key_at(stack, 1, turn), depth)


def test_a_move_that_is_put_off_is_searched_as_at_its_place(monkeypatch: Any) -> None:
    # nothing is remembered, and the first move is the best: so the order changes no node
    options = SearchOptions(table=False, killers=False, history=False, aspiration=False)
    method, memory, depth = AlphaBeta(options=options), new_memory(GAME, 2, 2, options), 5
    position, evaluator = at(BUSY), load_evaluator("classic", GAME)
    busy: list[int] = []

    def shared(*_: Any) -> list[Any]:
        memory.threads, memory.busy[:] = 2, 0
        searcher = method.searcher(GAME, evaluator, memory)
        memory.begin_at(position.row, position.side, position.past)
        for move in busy:
            be_at(searcher, move, depth)
        return [memory]

    monkeypatch.setattr(AlphaBeta, "shared", shared)

    def found() -> Any:
        return analyse(position, evaluator, depth=depth, method=method, memory=memory)

    alone = found()
    moves = [int(move) for move in GAME.moves_in(position.row)]
    for move in moves:
        if GAME.notation.write_move(move) != alone.move:
            busy[:] = [move]
            several = found()
            assert (several.nodes, several.pv) == (alone.nodes, alone.pv)


def test_moves_are_scored_one_by_one_as_the_search_scores_them() -> None:
    memory, method = new_memory(GAME, 12), AlphaBeta()
    for row in random_positions(GAME, 20, seed=7, max_plies=60):
        position = Position(GAME, tuple(map(int, row)), int(row[-1]))
        found = analyse(position, "classic", depth=1, method=method, memory=memory, all_moves=True)
        assert found.moves is not None
        assert max(found.moves.values()) == found.score
