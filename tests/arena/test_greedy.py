"""The greedy method, and the Othello League: from a plain player and from exact expectations."""

import functools

import numpy as np
import pytest

from samuel.arena.match import match
from samuel.common.errors import UserError
from samuel.games import Position, game_named, game_names
from samuel.models import evaluate, load_evaluator, usual_opponent
from samuel.models.compiled.slow import SlowEvaluatorWarning, slow_evaluator
from tests.arena.fakes import engine
from tests.league import league
from tests.rarely import rarely, rarely_but

WORD, GOLDEN = (1 << 64) - 1, 0x9E3779B97F4A7C15
TIC_TAC_TOE = game_named("tic_tac_toe")


class Stream:
    """Stream `number` of `seed` as kernels/bits.py describes it, in Python's whole numbers."""

    def __init__(self, seed, number):
        self.state = self.mix(self.mix(0, seed), number)

    @staticmethod
    def mix(key, word):
        key = ((key ^ word) + GOLDEN) & WORD
        key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & WORD
        return key ^ (key >> 31)

    def uniform(self):
        self.state = (self.state + GOLDEN) & WORD
        return (self.mix(0, self.state) >> 11) / 2**53

    def below(self, n):
        return int(self.uniform() * n)


def plain_game(first, second, game, epsilon, stream):
    """Play a game move by move; return its result for the side that began."""
    position = Position.start(game)
    while not position.is_terminal:
        moves = position._playable()
        if stream.uniform() < epsilon:
            move = moves[stream.below(len(moves))]
        else:
            children = np.array([position.play(move).words for move in moves], np.uint64)
            scores = -evaluate(second if position.side else first, game, children)
            ties = 0
            best = -np.inf
            for candidate, score in zip(moves, scores, strict=True):
                if score > best:
                    best, ties = score, 0
                if score == best:
                    ties += 1
                    if stream.below(ties) == 0:
                        move = candidate
        position = position.play(move)
    return position.utility() * (-1 if position.side else 1)


@pytest.mark.parametrize("name", ["othello", "othello_4x4", "connect_four", "tic_tac_toe"])
@pytest.mark.parametrize("epsilon", [0, 0.1])
def test_games_are_those_of_a_plain_player(name, epsilon):
    game = game_named(name)
    a, b = (load_evaluator(e, game) for e in ("classic", "zero"))
    found = league(a, b, game=game, games=8, epsilon=epsilon, seed=3)
    for number, pair in enumerate(found.results):
        assert pair[0] == plain_game(a, b, game, epsilon, Stream(3, number))
        assert pair[1] == -plain_game(b, a, game, epsilon, Stream(3, number))


def expectations(epsilon, first, second):
    """Return the exact chances of a tic-tac-toe game: won, drawn, lost by who begins."""

    @functools.cache
    def chances(position):
        if position.is_terminal:
            utility = position.utility() * (-1 if position.side else 1)
            return np.array([utility > 0, utility == 0, utility < 0], float)
        children = [position.play(move) for move in position._playable()]
        words = np.array([child.words for child in children], np.uint64)
        scores = -evaluate(second if position.side else first, TIC_TAC_TOE, words)
        best = scores == scores.max()
        chance = epsilon / len(children) + (1 - epsilon) * best / best.sum()
        return sum(p * chances(child) for p, child in zip(chance, children, strict=True) if p)

    return chances(Position.start(TIC_TAC_TOE))


@pytest.mark.parametrize("epsilon", [0, rarely(0.1), 1])
def test_frequencies_are_the_exact_chances(epsilon):
    sides = [load_evaluator(name, TIC_TAC_TOE) for name in ("classic", "zero")]
    n = 4000
    results = league(*sides, game=TIC_TAC_TOE, games=2 * n, epsilon=epsilon, seed=1).results
    for game, beginner in enumerate((sides, sides[::-1])):
        chances = expectations(epsilon, *beginner)
        own = results[:, game] * (-1 if game else 1)
        seen = np.array([(own > 0).mean(), (own == 0).mean(), (own < 0).mean()])
        assert np.abs(seen - chances).max() < 4 * 0.5 / np.sqrt(n)
        assert np.array_equal(seen[chances == 0], chances[chances == 0])
    if epsilon == 1:  # known of random play: 737/1260 won, 8/63 drawn, 121/420 lost
        assert chances == pytest.approx([737 / 1260, 8 / 63, 121 / 420])


@pytest.mark.parametrize("name", rarely_but(game_names(), "backgammon"))
def test_equal_players_share_every_pair(name):
    usual = usual_opponent(game_named(name))
    for sides, epsilon in ((("zero", "zero"), 0.1), ((usual, "zero"), 1.0)):
        found = league(*sides, game=name, games=100, epsilon=epsilon)
        assert found.statistics.score == 0.5
        assert np.array_equal(found.results[:, 0], -found.results[:, 1])
        assert len(np.unique(found.results)) > 1


def test_the_opponent_of_the_literature_has_its_weights():
    """Yoshioka et al. 1999, as used by Lucas and Runarsson 2006: a quarter of the board."""
    quarter = [[1, -0.25, 0.1, 0.05], [-0.25, -0.25, 0.01, 0.01]]
    quarter += [[0.1, 0.01, 0.05, 0.02], [0.05, 0.01, 0.02, 0.01]]
    weights = np.pad(quarter, (0, 4), mode="symmetric").ravel()
    cells = np.random.default_rng(0).integers(-1, 2, (200, 64))
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    rows = np.stack([((cells == side) * bits).sum(axis=1) for side in (1, -1)], axis=1)
    scores = evaluate(load_evaluator("wpc"), game_named("othello"), rows)
    assert scores == pytest.approx(cells @ weights, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1.5}, r"epsilon must be a number from 0 to 1 \(got 1.5\)"),
        ({"openings": "start"}, "all game pairs from the initial position are equal; add"),
        (
            {"openings": "start", "opening_plies": 4, "epsilon": 0.1},
            "opening plies and balance cannot be given with openings",
        ),
        (
            {"openings": "start", "balance": 1, "epsilon": 0.1},
            "opening plies and balance cannot be given with openings",
        ),
        ({"method": "greedy:deep=1"}, "greedy has no settings"),
        ({"method": "greedy", "probcut": 1}, "greedy has no ProbCut; leave out --probcut"),
    ],
)
def test_what_cannot_be_played_is_refused(options, message):
    with pytest.raises(UserError, match=message):
        match("classic", "wpc", pairs=2, depth=1, **options)


def test_random_moves_are_for_evaluators(tmp_path):
    with pytest.raises(UserError, match="--epsilon cannot be used with an engine"):
        match("zero", engine(tmp_path), game="tic_tac_toe", pairs=2, depth=1, epsilon=0.1)


def test_random_moves_go_with_any_method():
    """All moves are random: the players share every pair, whatever they would have searched."""
    for more in ({"depth": 3}, {"depth": 1, "method_b": "greedy"}):
        found = match("classic", "zero", pairs=20, epsilon=1.0, **more)
        assert found.statistics.score == 0.5
        assert np.array_equal(found.results[:, 0], -found.results[:, 1])
    perfect = {"game": "tic_tac_toe", "depth": 9, "openings": "start"}
    found = match("classic", "classic", pairs=40, epsilon=0.3, **perfect)
    assert len(np.unique(found.results)) > 1  # they draw, but for random moves


def test_an_evaluator_that_fails_says_so():
    def fail(_rows):
        calls.append(1)
        if len(calls) > 50:
            raise UserError("no more")
        return np.zeros(1, np.float32)

    calls = []
    with pytest.warns(SlowEvaluatorWarning):
        slow = slow_evaluator(fail, "slow", "tic_tac_toe", "a model")
    with pytest.raises(UserError, match="no more"):
        league(slow, "zero", game="tic_tac_toe", games=10)
