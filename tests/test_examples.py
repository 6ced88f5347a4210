"""The examples run, and stay short."""

import importlib.util
import sys
from pathlib import Path

import pytest

from samuel.arena.match import match
from samuel.games import Position
from samuel.games.perft import perft
from samuel.games.plugins import load_plugin
from samuel.learning.training import train
from samuel.models import load_evaluator
from samuel.search import analyse
from samuel.search.limits import Limits
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from samuel.testing import check_evaluator, check_game
from tests.processes import TIMEOUT, start

EXAMPLES = Path(__file__).parent.parent / "examples"


def load(name):
    return load_plugin(EXAMPLES / f"{name}.py")


@pytest.mark.parametrize(
    "name",
    ["custom_evaluator", "custom_feature", "custom_game", "custom_estimator", "moving_game"],
)
def test_under_sixty_lines(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 60


def test_custom_game():
    game = load("custom_game").GAME
    check_game(game)
    check_evaluator(load_evaluator("zero", game), game)
    result = analyse(Position.start(game), load_evaluator("zero", game), depth=7)
    # (4, 4, 3): the first player wins (known_values: mnk games), here in five plies
    assert result.score == pytest.approx(1 - 5 / 1000)
    process = start(str(EXAMPLES / "custom_game.py"))
    said, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    assert said.startswith("Result(score=0.99")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* rows have no outcome")
def test_moving_game(tmp_path):
    game = load("moving_game").GAME
    check_game(game)
    start = Position.start(game)
    assert (len(start.legal_moves()), perft(start, 2)) == (13, 13 * 12)  # one way is blocked
    near = Position.parse("-----X------------O------ X", game)  # a4: to a5 or b5 and won
    assert analyse(near, load_evaluator("zero", game), depth=3).score == pytest.approx(0.999)
    plan = SelfplayPlan(game=game.name, evaluator="zero", depth=1, epsilon=0.1, seed=1)
    learned = train(generate(plan, 300, tmp_path), "ridge").evaluator
    check_evaluator(learned, game)
    result = match(learned, "zero", game=game, pairs=20, limits=Limits(1))
    assert result.statistics.score > 0.6


def test_custom_feature(tmp_path, capsys):
    load("custom_feature").main(str(tmp_path), games=30, pairs=5)
    assert "edge_threats against without" in capsys.readouterr().out


def test_custom_evaluator(capsys):
    load("custom_evaluator").main(pairs=10)
    said = capsys.readouterr().out
    assert "guess against moves alone, depth 4, 20 games" in said and "against classic" in said
    stronger, weaker = (float(line.partition("%")[0]) for line in said.splitlines()[1::2])
    assert stronger > 50 > weaker


def test_custom_estimator(tmp_path, capsys, recwarn):
    load("custom_estimator").main(str(tmp_path), games=60, pairs=10)
    assert "against wpc" in capsys.readouterr().out
    assert not [w for w in recwarn if "no compiled form" in str(w.message)]


@pytest.mark.slow
def test_demo_small(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("demo", EXAMPLES / "demo.py")
    demo = importlib.util.module_from_spec(spec)
    sys.modules["demo"] = demo
    spec.loader.exec_module(demo)
    demo.main(tmp_path, games=60, pairs=5)
    out = capsys.readouterr().out
    assert "Learned from self-play" in out
    assert "What to try next" in out
    report = (tmp_path / "report.html").read_text()
    assert "<svg" in report and "http" not in report.replace("http://www.w3.org", "")
