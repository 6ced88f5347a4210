"""How a player on a clock searches: selectively, where its evaluator has what that needs."""

from typing import Any

import pytest

from samuel.games.catalog import game_named
from samuel.games.position import Position
from samuel.play import engine
from samuel.play.engine import EnginePlayer
from samuel.play.levels import USUAL_LEVEL, levels_of
from samuel.search import analyse

OTHELLO = game_named("othello")
START = Position.start(OTHELLO)


def confidence(
    monkeypatch: pytest.MonkeyPatch, player: EnginePlayer, clock: float | None = None
) -> Any:
    """Return the confidence of the cuts that a move of the player is searched with."""
    asked = []

    def recorded(*positions: Any, **settings: Any) -> Any:
        asked.append(settings["probcut"] or getattr(settings["method"], "probcut", None))
        return analyse(*positions, **settings)

    monkeypatch.setattr(engine, "analyse", recorded)
    player.think(START, clock)
    (one,) = asked
    return one


@pytest.mark.parametrize(
    ("settings", "clock", "expected"),
    [
        ({}, 0.02, 1.0),
        ({"seconds": 0.02, "probcut": 2.0}, None, 2.0),
        ({"seconds": 0.02, "probcut": 0}, None, None),
        ({"depth": 2, "seconds": 0.02}, None, None),
        ({"depth": 3, "probcut": 1.0}, None, 1.0),
        ({"seconds": 0.02, "method": "uct"}, None, None),
    ],
)
def test_time_alone_is_used_selectively(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], clock: float | None, expected: Any
) -> None:
    assert confidence(monkeypatch, EnginePlayer("classic", OTHELLO, **settings), clock) == expected


@pytest.mark.parametrize("level", [1, 10, 12])
def test_advice_looks_as_deep_as_the_level_and_as_the_usual_one(level: int) -> None:
    position = Position.from_transcript("f5d6c3")
    player = EnginePlayer("classic", OTHELLO, level=level)
    found = player.advise(position)
    depths = [one.depth or 0 for one in levels_of(OTHELLO)]
    assert found.depth == max(depths[level - 1], depths[USUAL_LEVEL - 1])
    plain = analyse(position, "classic", depth=found.depth)
    assert found.score == plain.score
    assert found.moves is not None and set(found.moves) == set(position.legal_moves())
    assert found.moves_depth is not None and found.moves_depth <= found.depth
