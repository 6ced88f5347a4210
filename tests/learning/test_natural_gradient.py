"""Policy gradients: eligibilities against exact derivatives, and what is learned with them."""

import functools
import json

import numpy as np
import pytest

import samuel.learning.online.natural_gradient
from samuel.common.errors import UserError
from samuel.features.shapes import pattern_set
from samuel.games import game_named
from samuel.learning.fitting.metrics import results_of
from samuel.learning.online.natural_gradient import (
    MOST_WEIGHTS,
    SELF,
    _centred,
    _Learner,
    policy_gradient,
)
from samuel.learning.online.policy_kernel import play_policy_task
from samuel.models import load_evaluator
from samuel.selfplay import SelfplayPlan
from samuel.selfplay.data.shard import word_columns
from samuel.selfplay.generate import play_task
from samuel.testing import check_evaluator
from tests.league import league
from tests.processes import run

TIC_TAC_TOE = game_named("tic_tac_toe")
FOUR = game_named("othello_4x4")
LINES = pattern_set("tuples2", TIC_TAC_TOE)
EPSILON, TEMPERATURE = 0.1, 0.5


def held(words):
    """Count how often a position holds what has each weight, square by square."""
    counts = np.zeros(LINES.n_weights)
    for shape, bits in LINES.instances:
        digits = [(words[0] >> bit & 1) - (words[1] >> bit & 1) + 1 for bit in bits]
        number = sum(digit * 3**place for place, digit in enumerate(digits))
        counts[LINES.weight_of[LINES.starts[shape] + number]] += 1
    return counts


def exact(weights, direction, side):
    """Return the policy's expected score against `zero`, and its derivative along a direction."""

    @functools.cache
    def expected(words, own):
        row = TIC_TAC_TOE.row(words)
        if TIC_TAC_TOE.is_over(row):
            score = float(results_of(TIC_TAC_TOE.utility_of(row)))
            return (score if own else 1 - score), 0.0
        children = [TIC_TAC_TOE.child_of(row, int(m)) for m in TIC_TAC_TOE.moves_in(row)]
        logits, slopes = np.zeros((2, len(children)))
        for i, child in enumerate(children):
            if TIC_TAC_TOE.is_over(child):
                logits[i] = -TIC_TAC_TOE.utility_of(child) / TEMPERATURE
            elif own:
                counts = held(tuple(map(int, child)))
                logits[i], slopes[i] = -counts @ weights, -counts @ direction
        if own:
            p = np.exp(logits) / np.exp(logits).sum()
            rises = p * (slopes - p @ slopes)
        else:
            best = logits == logits.max()
            p, rises = best / best.sum(), 0 * logits
        after = np.array([expected(tuple(map(int, child)), not own) for child in children])
        p = EPSILON / len(p) + (1 - EPSILON) * p
        return p @ after[:, 0], p @ after[:, 1] + (1 - EPSILON) * rises @ after[:, 0]

    return expected(TIC_TAC_TOE.start, side == 0)


@pytest.mark.parametrize("side", [0, 1])
def test_eligibilities_give_the_derivative_of_the_expected_score(side):
    rng = np.random.default_rng(side)
    weights, direction = rng.normal(size=(2, LINES.n_weights))
    score, slope = exact(weights, direction, side)
    n = 40_000
    eligibilities, results = play_policy_task(
        LINES, weights, TEMPERATURE, load_evaluator("zero", TIC_TAC_TOE), EPSILON, side, 5, 0, n
    )
    scores, along = results_of(results), eligibilities @ direction
    assert abs(scores.mean() - score) < 4 * scores.std() / np.sqrt(n)
    assert abs(along.mean()) < 4 * along.std() / np.sqrt(n)
    samples = (scores - score) * along
    error = samples.std() / np.sqrt(n)
    assert abs(samples.mean() - slope) < 4 * error < abs(slope)


def test_games_are_known_by_their_numbers():
    zero, weights = load_evaluator("zero", FOUR), np.zeros(pattern_set("tuples2", FOUR).n_weights)

    def play(first, games):
        patterns = pattern_set("tuples2", FOUR)
        return play_policy_task(patterns, weights, 1.0, zero, 0.1, 0, 7, first, games)

    whole, later = play(0, 30), play(10, 20)
    assert np.array_equal(whole[0][10:], later[0]) and np.array_equal(whole[1][10:], later[1])
    assert len(np.unique(whole[1])) > 2


@pytest.mark.slow
def test_as_plain_python():
    program = (
        "import json, numpy as np; from samuel.features.shapes import pattern_set; "
        "from samuel.learning.online.policy_kernel import play_policy_task; "
        "from samuel.models import load_evaluator; "
        "patterns = pattern_set('tuples2', 'tic_tac_toe'); "
        "weights = np.linspace(-1, 1, patterns.n_weights); "
        "found = play_policy_task(patterns, weights, 0.5, "
        "load_evaluator('zero', 'tic_tac_toe'), 0.1, 1, 3, 0, 5); "
        "print(json.dumps([part.tolist() for part in found]))"
    )
    eligibilities, results = json.loads(
        run("-W", "ignore", "-c", program, env={"NUMBA_DISABLE_JIT": "1"})
    )
    weights, zero = np.linspace(-1, 1, LINES.n_weights), load_evaluator("zero", TIC_TAC_TOE)
    compiled = play_policy_task(LINES, weights, 0.5, zero, 0.1, 1, 3, 0, 5)
    assert compiled[1].tolist() == results
    assert compiled[0] == pytest.approx(np.array(eligibilities), abs=1e-5)


@pytest.fixture(scope="module")
def learned():
    return policy_gradient(game=FOUR, against=["classic"], generations=20, seed=1)


@pytest.mark.slow
def test_it_learns_to_win(learned):
    assert (len(learned.scores), learned.games, learned.ended) == (20, 20_000, "generations")
    assert learned.scores[0] < 0.5 < 0.7 < learned.scores[-3:].mean()
    evaluator = learned.estimator.compiled().evaluator("learned")
    found = league(evaluator, "classic", game=FOUR, games=4000, seed=99).statistics
    assert found.score_low > 0.75
    assert "20 generations, 20,000 games" in repr(learned)


@pytest.mark.slow
def test_scores_are_results_of_the_game(learned):
    evaluator = learned.estimator.compiled().evaluator("learned")
    plan = SelfplayPlan(FOUR.name, depth=1, exact_from=0, seed=50).checked()
    played = play_task(plan, 0, 500, evaluator).to_pandas()
    scores = learned.estimator.predict(played[word_columns(FOUR)].to_numpy(np.uint64))
    slope = scores @ played["outcome"] / (scores @ scores)
    assert 0.7 < slope < 1.4


@pytest.mark.slow
def test_what_was_learned_is_a_model_like_others(learned):
    model = learned.estimator
    check_evaluator(model.compiled().evaluator("learned"), FOUR)
    assert model.knots_ == (0,) and model.coef_.shape == model.seen_.shape
    assert (model.seen_ >= 0).all() and not model.coef_[model.seen_ == 0].any()
    table = model.weight_table(8, least=100)
    assert len(table) and (table["count"] >= 100).all()


def test_learning_against_itself_is_learning():
    fit = policy_gradient(game=FOUR, against=[SELF], generations=12, seed=2)
    evaluator = fit.estimator.compiled().evaluator("learned")
    assert league(evaluator, "zero", game=FOUR, games=4000, seed=99).statistics.score_low > 0.55


@pytest.mark.slow
@pytest.mark.parametrize("game, shapes", [("connect_four", "tuples2"), ("othello_6x6", "tuples3")])
def test_other_games_and_shapes(game, shapes):
    fit = policy_gradient(shapes, game=game, against=["zero", SELF, "classic"], generations=1)
    assert fit.games == 1200  # whole tasks, as many with each colour against each
    evaluator = fit.estimator.compiled().evaluator("learned")
    assert league(evaluator, "zero", game=game, games=20).statistics.games == 20


def test_the_same_seed_gives_the_same_model():
    def weights(**settings):
        settings = {"generations": 2, "seed": 3, "against": ["zero", SELF]} | settings
        return policy_gradient(game=FOUR, **settings).estimator.coef_

    alone = weights()
    assert np.array_equal(alone, weights(jobs=2))
    assert not np.array_equal(alone, weights(seed=4))
    assert not np.array_equal(alone, weights(epsilon=0.3))


def learner(n=1):
    made = _Learner(LINES, TIC_TAC_TOE, [load_evaluator("zero", TIC_TAC_TOE)], 0.1, 1, 1)
    trail = []
    for _ in range(n):
        made.step()
        trail.append(made.weights)
    return made, np.array(trail)


def test_a_generation_goes_as_far_as_the_divergence_allows():
    """Half the Fisher information's form of a small change is its Kullback-Leibler divergence."""
    made, (change,) = learner()
    n = 50_000
    weights = np.zeros(LINES.n_weights)
    parts = [
        play_policy_task(LINES, weights, TEMPERATURE, made.opponents[0], 0.1, side, 9, 0, n)[0]
        for side in (0, 1)
    ]
    divergence = 0.5 * np.square(np.concatenate(parts) @ change).mean()
    assert divergence == pytest.approx(samuel.learning.online.natural_gradient._DIVERGENCE, rel=0.2)


def test_late_generations_count_most():
    made, trail = learner(6)
    t = np.arange(1, 7)
    assert made.average == pytest.approx(np.average(trail, axis=0, weights=t * (t + 1) * (t + 2)))


def test_the_baseline_is_the_mean_under_the_same_conditions():
    values = np.concatenate([np.full((50, 2), 3.0), np.tile([[1.0, 2.0], [3.0, 6.0]], (25, 1))])
    assert not _centred(values)[:50].any()
    assert _centred(values)[50:52].tolist() == [[-1, -2], [1, 2]]


def interrupted_after(monkeypatch, generations):
    play = _Learner._play

    def interrupted(self):
        if len(self.scores) == generations:
            raise KeyboardInterrupt
        return play(self)

    monkeypatch.setattr(_Learner, "_play", interrupted)


def test_interrupted_it_keeps_what_it_learned(monkeypatch):
    interrupted_after(monkeypatch, 3)
    shares = []
    fit = policy_gradient(
        game=FOUR, against=["zero"], generations=10, progress=lambda share, _: shares.append(share)
    )
    assert (fit.ended, len(fit.scores)) == ("interrupted", 3)
    assert shares == pytest.approx([0.1, 0.2, 0.3])
    monkeypatch.undo()
    whole = policy_gradient(game=FOUR, against=["zero"], generations=3)
    assert np.array_equal(fit.estimator.coef_, whole.estimator.coef_)


def test_interrupted_before_it_learned_anything_it_ends(monkeypatch):
    interrupted_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        policy_gradient(game=FOUR, against=["zero"])


def test_time_ends_it():
    fit = policy_gradient(game=FOUR, against=["zero"], minutes=1e-6, generations=50)
    assert (fit.ended, len(fit.scores)) == ("minutes", 1)


def test_what_cannot_be_learned_is_refused():
    for bad, message in (
        ({"against": ["nobody"]}, "no evaluator called 'nobody'"),
        ({"against": []}, "at least one opponent"),
        ({"against": [SELF, load_evaluator("wpc")]}, "wpc evaluates othello, not othello_4x4"),
        ({"shapes": "tuples9"}, "no set of patterns called 'tuples9'"),
        ({"shapes": "logistello"}, f"at most {MOST_WEIGHTS:,}"),
        ({"epsilon": 1.0}, r"epsilon must be .*\(got 1\)"),
        ({"epsilon": float("nan")}, r"must be .*\(got nan\)"),
        ({"generations": 0}, r"generations must be .*\(got 0\)"),
        ({"minutes": 0.0}, r"minutes must be .*\(got 0\)"),
        ({"seed": -1}, r"seed must be .*\(got -1\)"),
        ({"jobs": 0}, "jobs must be at least 1"),
    ):
        with pytest.raises(UserError, match=message):
            policy_gradient(**{"game": FOUR} | bad)
