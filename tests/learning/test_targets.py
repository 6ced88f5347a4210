import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Labels, score_targets, win_targets
from samuel.learning.training import train_on
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture
def frame():
    """Two games: the first with an exploratory move at its second row, the second drawn."""
    return pd.DataFrame(
        {
            "game_id": [1, 1, 1, 1, 2, 2],
            "ply": [0, 1, 2, 3, 0, 1],
            "side": [0, 1, 0, 1, 0, 1],
            "score": [5.0, -6.0, 7.0, -2.0, 1.0, 0.0],
            "exact": [False, True, False, True, False, True],
            "outcome": [4.0, -4.0, 4.0, -4.0, 0.0, 0.0],
            "exploratory": [False, True, False, False, False, False],
        }
    )


def test_outcome_leaves_out_rows_before_an_exploratory_move(frame):
    found = score_targets(Labels(frame), FitOptions("outcome"))
    assert found.rows.tolist() == [2, 3, 4, 5]
    assert found.target.tolist() == [4, -4, 0, 0]
    assert found.target.dtype == np.float32 and found.weight is None


# rows 2 and 4 are neither exact nor disturbed: scores 7 and 1, outcomes 4 and 0
SIZE = (7 * 4 + 1 * 0) / (7 * 7 + 1 * 1)


def test_score_keeps_every_row_and_brings_guesses_to_the_size_of_outcomes(frame):
    found = score_targets(Labels(frame), FitOptions("score"))
    assert found.target.tolist() == pytest.approx([5 * SIZE, -6, 7 * SIZE, -2, SIZE, 0])


def test_blend_takes_the_score_alone_where_it_is_exact_or_the_outcome_disturbed(frame):
    found = score_targets(Labels(frame), FitOptions("blend", blend=0.25))
    blended = [5 * SIZE, -6, 0.25 * 7 * SIZE + 0.75 * 4, -2, 0.25 * SIZE, 0]
    assert found.target.tolist() == pytest.approx(blended)


def test_a_draw_is_two_rows_of_half_weight(frame):
    found = win_targets(Labels(frame), FitOptions("outcome"))
    assert found.rows.tolist() == [2, 3, 4, 4, 5, 5]
    assert found.target.tolist() == [1, 0, 0, 1, 0, 1]
    assert found.weight.tolist() == [1, 1, 0.5, 0.5, 0.5, 0.5]


def test_exact_scores_tell_who_wins_where_the_outcome_is_disturbed(frame):
    found = win_targets(Labels(frame), FitOptions("score"))
    assert found.rows.tolist() == [1, 2, 3, 4, 4, 5, 5]
    assert found.target.tolist()[:3] == [0, 1, 0]


def test_td_averages_later_scores_until_one_is_exact(frame):
    found = score_targets(Labels(frame), FitOptions("td", td_lambda=0.75))
    first = 0.25 * 5 * SIZE + 0.75 * 6  # row 1 is exact, whatever was played there
    third = 0.25 * 7 * SIZE + 0.75 * 2
    assert found.target.tolist() == pytest.approx([first, -6, third, -2, 0.25 * SIZE, 0])


def test_td_of_lambda_0_is_the_score_and_of_lambda_1_the_outcome(frame):
    guesses = Labels(frame.assign(exact=False, exploratory=False))
    score, outcome = (score_targets(guesses, FitOptions(t)).target for t in ("score", "outcome"))
    none, full = (score_targets(guesses, FitOptions("td", td_lambda=t)).target for t in (0.0, 1.0))
    assert none.tolist() == score.tolist() and full.tolist() == outcome.tolist()


def test_td_takes_the_outcome_where_rows_were_left_out(frame):
    frame = frame.assign(exact=False, exploratory=False).iloc[[0, 2]]
    size = (5 * 4 + 7 * 4) / (5 * 5 + 7 * 7)
    found = score_targets(Labels(frame), FitOptions("td", td_lambda=0.75))
    assert found.target.tolist() == pytest.approx([1.25 * size + 3, 1.75 * size + 3])


def plain_returns(frame, trace):
    """The lambda-return as a sum over the rows that follow (the forward view)."""
    size = plain_size(frame)
    for t in range(len(frame)):
        values, side = [], frame["side"].iloc[t]
        for _, row in frame.iloc[t:].iterrows():
            sign = 1 if row["side"] == side else -1
            if not math.isnan(row["score"]):
                values.append(sign * row["score"] * (1 if row["exact"] else size))
            if row["exact"] or row["exploratory"]:
                break
        else:
            values.append(frame["outcome"].iloc[t])
        *some, last = values or [math.nan]
        weighted = [(1 - trace) * trace**n * value for n, value in enumerate(some)]
        yield sum(weighted) + trace ** len(some) * last


def plain_size(frame):
    clean = [not frame["exploratory"].iloc[i:].any() for i in range(len(frame))]
    known = frame[np.array(clean) & ~frame["exact"] & frame["score"].notna()]
    products, squares = (known["score"] @ known[name] for name in ("outcome", "score"))
    return products / squares if products > 0 and squares > 0 else 1


@st.composite
def games(draw):
    """One game, some of whose positions may not have been searched."""
    n = draw(st.integers(1, 12))
    bools = st.lists(st.booleans(), min_size=n, max_size=n)
    exact = np.array(draw(bools)) & np.array(draw(bools))
    score = draw(st.lists(st.integers(-20, 20), min_size=n, max_size=n))
    searched = exact | np.array(draw(bools)) | np.array(draw(bools))
    side = np.array(draw(bools), int)  # a side may move again
    return pd.DataFrame(
        {
            "game_id": 3,
            "ply": np.arange(n),
            "side": side,
            "score": np.where(searched, score, np.nan),
            "exact": exact,
            "outcome": draw(st.integers(-20, 20)) * (1.0 - 2.0 * side),
            "exploratory": np.array(draw(bools)) & np.array(draw(bools)),
        }
    )


@given(games(), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_td_is_the_sum_that_defines_it(frame, trace):
    two = pd.concat([frame, frame.assign(game_id=4)])
    expected = np.array([*plain_returns(frame, trace)] * 2)
    if np.isnan(expected).all():
        return
    found = score_targets(Labels(two), FitOptions("td", td_lambda=trace))
    assert found.rows.tolist() == np.flatnonzero(~np.isnan(expected)).tolist()
    assert found.target == pytest.approx(expected[found.rows], abs=1e-4)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"target": "moves"}, "no target called 'moves'"),
        ({"blend": 1.5}, "from 0 to 1"),
        ({"td_lambda": -0.1}, "from 0 to 1"),
        ({"weights": {"early": 1}}, "no weight called 'early'"),
        ({"weights": {"late": math.nan}}, "positive number"),
        ({"parameters": "alpha"}, "cannot be 'alpha'; write it like alpha=1e-6,max_iter=200"),
        ({"parameters": "alpha=1,,tol=2"}, "parameters cannot be 'alpha=1,,tol=2'"),
        ({"weights": {"rare": 0}}, "positive number"),
        ({"plies": (30, 20)}, "plies must be a range from least to most"),
        ({"plies_left": (-1, 20)}, "plies_left must be a range from least to most"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(UserError, match=message):
        FitOptions(**settings)


@pytest.fixture(scope="module")
def chess(tmp_path_factory):
    plan = SelfplayPlan(game="chess", evaluator="material", depth=1, opening_plies=40, seed=4)
    return Split.of(generate(plan, 30, tmp_path_factory.mktemp("data") / "chess"), seed=1)


def test_chess_is_fitted_to_scores_where_no_target_is_named(chess):
    assert chess.with_target(FitOptions()) == FitOptions("score")
    assert chess.with_target(FitOptions("blend")) == FitOptions("blend")
    usual, score = (
        chess.examples(one, classifier=False) for one in (FitOptions(), FitOptions("score"))
    )
    assert usual.target.tolist() == score.target.tolist()
    trained = train_on(chess, "linear", FitOptions(features=["material"]))
    assert (trained.fitting.target, trained.card["target"]) == ("score", "score")
