"""Matches of games in which a side moves again, with dice, or with draws by rule."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.records import Pair
from samuel.arena.results import MatchResult
from samuel.arena.standings import games_of
from samuel.games import Game, Position, register_game
from samuel.search.limits import Limits
from samuel.selfplay.openings.openings import follow_line
from tests.rarely import rarely_but
from tests.toys import DOTS_AND_BOXES, PIG, RACE, RETREAT, TOYS

DICE = [PIG, RACE]


def played(game: Game, pairs: int = 12, **more) -> MatchResult:
    limits = more.pop("limits", Limits(1))
    return match("zero", "zero", game=game, pairs=pairs, limits=limits, **{"seed": 5, **more})


def positions(game: Game, pair: Pair, number: int) -> list[Position]:
    """Return the positions of a game from the initial one on, in plain Python."""
    found = [Position.start(game)]
    for move in (*pair[0].opening, *pair[number].moves):
        found.append(found[-1].play(int(move)))
    return found


@pytest.mark.parametrize(
    "game",
    rarely_but([*TOYS, RETREAT], "dots_and_boxes", "race", "retreat"),
    ids=lambda game: game.name,
)
def test_results_are_those_of_plain_python(game):
    result = played(game)
    movers = []
    for pair in result.pairs:
        for number, one in enumerate(pair):
            line = positions(game, pair, number)
            end, opened = line[-1], line[len(pair[0].opening)]
            assert end.is_terminal
            sign = 1 if end.side == opened.side else -1  # for who moves first after the opening
            assert one.result == sign * end.utility() * (1 - 2 * number)
            movers.append((opened.side + number) % 2)
    names = [[result.a, result.b][k] for k in movers]
    assert result.frame()["first"].tolist() == names
    games = games_of(
        [tuple(msgspec.structs.replace(one, pairing=1) for one in p) for p in result.pairs]
    )
    assert games.first.tolist() == movers


@pytest.mark.parametrize("game", DICE, ids=lambda game: game.name)
def test_both_games_of_a_pair_throw_the_same_dice(game):
    result, thrown = played(game), set()
    for pair in result.pairs:
        both = []
        for number in range(2):
            line = positions(game, pair, number)
            moves = (*pair[0].opening, *pair[number].moves)
            both.append([m for at, m in zip(line, moves, strict=False) if at.is_chance])
        n = min(map(len, both))
        assert n > 0 and both[0][:n] == both[1][:n]
        thrown.add(tuple(both[0]))
    assert len(thrown) > 1  # those of other pairs differ


def test_a_clock_is_charged_to_who_moves_again():
    result = played(DOTS_AND_BOXES, pairs=2, limits=Limits(None, seconds=0.001))
    for pair in result.pairs:
        for number, one in enumerate(pair):
            line = positions(DOTS_AND_BOXES, pair, number)[len(pair[0].opening) : -1]
            own = sum(at.side == line[0].side for at in line)
            moves = (own, len(line) - own)
            assert (one.turns[number], one.turns[1 - number]) == moves


@pytest.mark.parametrize("game", TOYS, ids=lambda game: game.name)
def test_openings_have_the_moves_of_sides_that_are_asked_for(game):
    openings = openings_for(game, "random", 5, 3, seed=2)
    followed = follow_line(game, openings.moves)
    assert not followed.faults.any() and np.array_equal(followed.positions, openings.positions)
    for line, side in zip(openings.moves, followed.sides, strict=True):
        position, plies = Position.start(game), 0
        for move in line:
            plies += not position.is_chance
            position = position.play(move)
        assert plies == 3 and position.side == side and not position.is_terminal


@pytest.mark.parametrize("by", ["repetitions", "reversible_plies"])
def test_games_end_by_a_rule_the_opening_included(by):
    game = register_game(
        replace(RETREAT, name=f"retreat_without_{by}", draws=replace(RETREAT.draws, **{by: 0}))
    )
    result, drawn = played(game, limits=Limits(2)), 0
    for pair in result.pairs:
        for number, one in enumerate(pair):
            end = positions(game, pair, number)[-1]
            assert end.is_terminal
            drawn += end.is_drawn
            assert one.result == 0 or not end.is_drawn
    assert drawn > 0
