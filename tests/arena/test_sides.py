"""Clocks of games with engines, and a search that there is no need of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import samuel.arena.engine_game
from samuel.arena import players
from samuel.arena.choice import Choice
from samuel.arena.clocks import TIME_MARGIN, latest
from samuel.arena.engine_game import EngineGame, FaultError
from samuel.arena.players import SearchPlayer, entrant
from samuel.games import Game, Position, game_named
from samuel.search.limits import Limits
from tests.toys import RETREAT

GAME = game_named("tic_tac_toe")


class Taking:
    """Plays the first legal move, after so many seconds of a clock that the test keeps."""

    def __init__(self, seconds: float, now: list[float], knows_fractions: bool = True) -> None:
        self.knows_fractions = knows_fractions
        self._seconds, self._now = seconds, now

    def begin(self, start: Position, opening: Sequence[int]) -> None:
        pass

    def move(self, position: Position, *_: Any) -> Choice:
        self._now[0] += self._seconds
        return Choice(int(GAME.moves_in(position.row)[0]))

    def see(self, move: int) -> None:
        pass


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr(samuel.arena.engine_game, "time", clock)
    return now


def lead(seconds: float, now: list[float], limits: Limits, fractions: bool = True) -> EngineGame:
    """Return the current of a game whose first side takes so long for each of its moves."""
    current = EngineGame(Position.start(GAME), 0, (limits, limits), margin=0.2)
    current.lead([Taking(seconds, now, fractions), Taking(0.0, now)], 0)
    return current


def test_a_clock_is_overdrawn_a_little_and_but_once(now: list[float]) -> None:
    """Four moves: 1.1 s in all is within the margin, and what is over does not vanish."""
    clock = Limits(None, clock=1.0)
    assert lead(0.275, now, clock).seconds[0] == pytest.approx(1.1)
    with pytest.raises(FaultError, match=r"ran out 0\.6\d s ago") as error:
        lead(0.55, now, clock)
    assert (error.value.side, error.value.ending) == (0, "time")


def test_whole_seconds_are_for_those_that_know_no_others(now: list[float]) -> None:
    clock = Limits(None, clock=1.0)
    lead(0.5, now, clock, fractions=False)
    with pytest.raises(FaultError):
        lead(0.5, now, clock)
    with pytest.raises(FaultError):
        lead(0.7, now, clock, fractions=False)
    a_move = Limits(None, seconds=0.5)
    lead(1.1, now, a_move, fractions=False)
    with pytest.raises(FaultError, match=r"1\.10 s for a move"):
        lead(1.1, now, a_move)


@pytest.mark.parametrize("limits", [Limits(2), Limits(None, 50), Limits(None, clock=1.0)])
def test_what_a_move_needs_is_compiled_before_its_time_is_measured(
    limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready: list[Game] = []
    monkeypatch.setattr(players, "warm_up", lambda game, *_: ready.append(game))
    SearchPlayer(entrant("zero", GAME, limits)).begin(Position.start(GAME), ())
    assert ready == [GAME]


def test_the_first_limit_counts() -> None:
    both = Limits(None, seconds=2.0, clock=60.0)
    assert latest(both, 60.0, 0.2) == pytest.approx(2.2)
    assert latest(both, 0.5, 0.2) == pytest.approx(0.7)
    assert latest(both, 0.5) == 0.5 + TIME_MARGIN
    assert latest(Limits(4), None) == float("inf")


def searching(start: Position, limits: Limits) -> list[SearchPlayer]:
    players = [SearchPlayer(entrant("zero", start.game, limits)) for _ in range(2)]
    for player in players:
        player.begin(start, ())
    return players


def test_a_game_of_engines_knows_draws_by_rule() -> None:
    start = Position.start(RETREAT)
    current = EngineGame(Position.start(RETREAT), 0, (Limits(2), Limits(2)))
    current.lead(searching(start, Limits(2)), 0)
    end = Position.start(RETREAT)
    for move in current.moves:
        end = end.play(move)
    assert end.is_drawn and current.result == 0


@pytest.mark.parametrize("played", [0, 3])
def test_a_game_that_is_too_long_is_a_draw(played: int) -> None:
    """The throws count, and the opening."""
    short = replace(game_named("backgammon"), max_plies=8)
    sides = searching(Position.start(short), Limits(1))
    current = EngineGame(Position.start(short), 0, (Limits(1), Limits(1)), (1, 0), played)
    current.lead(sides, 0)
    assert len(current.moves) == 8 - played and current.result == 0
