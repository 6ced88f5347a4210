import numpy as np
import pandas as pd
import pytest

from errors import UserError
from learning import score_targets, win_targets


@pytest.fixture
def frame():
    """Two games: the first with an exploratory move at its second row, the second drawn."""
    return pd.DataFrame(
        {
            "game_id": [1, 1, 1, 1, 2, 2],
            "ply": [0, 1, 2, 3, 0, 1],
            "score": [5.0, -6.0, 7.0, -2.0, 1.0, 0.0],
            "exact": [False, True, False, True, False, True],
            "outcome": [4.0, -4.0, 4.0, -4.0, 0.0, 0.0],
            "exploratory": [False, True, False, False, False, False],
        }
    )


def test_outcome_leaves_out_rows_before_an_exploratory_move(frame):
    found = score_targets(frame, "outcome")
    assert found.rows.tolist() == [2, 3, 4, 5]
    assert found.target.tolist() == [4, -4, 0, 0]
    assert found.target.dtype == np.float32 and found.weight is None


# rows 2 and 4 are neither exact nor disturbed: scores 7 and 1, outcomes 4 and 0
SIZE = (7 * 4 + 1 * 0) / (7 * 7 + 1 * 1)


def test_score_keeps_every_row_and_brings_guesses_to_the_size_of_outcomes(frame):
    found = score_targets(frame, "score")
    assert found.target.tolist() == pytest.approx([5 * SIZE, -6, 7 * SIZE, -2, SIZE, 0])


def test_the_size_of_the_scores_does_not_matter(frame):
    small = frame.assign(score=np.where(frame["exact"], frame["score"], frame["score"] / 100))
    for target in ("score", "blend"):
        found, same = score_targets(frame, target), score_targets(small, target)
        assert found.target.tolist() == pytest.approx(same.target.tolist())


def test_blend_takes_the_score_alone_where_it_is_exact_or_the_outcome_disturbed(frame):
    found = score_targets(frame, "blend", 0.25)
    blended = [5 * SIZE, -6, 0.25 * 7 * SIZE + 0.75 * 4, -2, 0.25 * SIZE, 0]
    assert found.target.tolist() == pytest.approx(blended)


def test_a_draw_is_two_rows_of_half_weight(frame):
    found = win_targets(frame, "outcome")
    assert found.rows.tolist() == [2, 3, 4, 4, 5, 5]
    assert found.target.tolist() == [1, 0, 0, 1, 0, 1]
    assert found.weight.tolist() == [1, 1, 0.5, 0.5, 0.5, 0.5]


def test_exact_scores_tell_who_wins_where_the_outcome_is_disturbed(frame):
    found = win_targets(frame, "score")
    assert found.rows.tolist() == [1, 2, 3, 4, 4, 5, 5]
    assert found.target.tolist()[:3] == [0, 1, 0]


@pytest.mark.parametrize("make", [score_targets, win_targets])
def test_bad_settings(frame, make):
    with pytest.raises(UserError, match="no target 'moves'"):
        make(frame, "moves")
    with pytest.raises(UserError, match="from 0 to 1"):
        make(frame, "blend", 1.5)
    with pytest.raises(UserError, match="no row has a target"):
        make(frame.assign(exploratory=True, exact=False), "outcome")
