"""A generation of an evaluation that learns while it plays: its games, and where it stands after.

What a learner knows is kept in `learner.npz` of the generation's folder, anew after every task of
games, so that a run that was killed goes on from there. A generation begins with what the one
before it ended with, whether that was promoted or not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from samuel.errors import UserError
from samuel.files import read_bytes, whole
from samuel.games.evaluator import Evaluator
from samuel.learning.generations.folder import digest_of
from samuel.learning.generations.matches import Tell
from samuel.learning.generations.run import LEARNER, MODEL, PLAYING, Run, seed_of
from samuel.learning.generations.settings import EARLIER, SELF
from samuel.learning.online.beginning import begin_learning
from samuel.learning.online.learner import Learner
from samuel.models import load_evaluator
from samuel.models.forms.arrays import arrays_bytes, arrays_in
from samuel.models.saved.saving import save

_TASKS = 20
"""After so many parts of a generation what was learned is kept."""


def teach(run: Run, generation: int, say: Tell) -> dict[str, Any]:
    """Play the games of a generation, learn from them, and save the candidate; return figures."""
    settings = run.settings
    beginning = load_evaluator(run.evaluator(0), settings.rules)
    learner = begin_learning(
        settings.model, settings.rules, settings.teaching, settings.stages, beginning
    )
    kept = run.part(generation, LEARNER)
    for path in (kept, run.part(generation - 1, LEARNER)):
        if path.exists():
            _restore(learner, path)
            break
    begun, end = (generation - 1) * settings.games, generation * settings.games
    for first in range(begun, end, task := max(1, settings.games // _TASKS)):
        last = min(first + task, end)
        if learner.games < last:
            say(learner.games - begun, settings.games)
            learner.play(last - learner.games, _opponent(run, generation, last))
            _keep(learner, kept)
    say(settings.games, settings.games)
    model = run.part(generation, MODEL)
    estimator = learner.live.estimator(learner.live.weights.astype(np.float64))
    card = {"recipe": settings.model, "learned_by": settings.method, "games": learner.games}
    save(model, estimator, name=run.name_of(generation), card=card)
    return {
        "player": settings.opponent,
        "games": settings.games,
        "digest": digest_of(model, settings),
    }


def _opponent(run: Run, generation: int, games: int) -> Evaluator | None:
    """Return whom the learner meets in the games before number `games`; None for itself."""
    settings = run.settings
    if settings.opponent == SELF or (settings.opponent == EARLIER and generation == 1):
        return None
    if settings.opponent != EARLIER:
        return load_evaluator(settings.opponent, settings.rules)
    chosen = seed_of(settings, generation, PLAYING, games) % (generation - 1)
    return load_evaluator(run.evaluator(1 + chosen), settings.rules)


def _keep(learner: Learner, path: Path) -> None:
    with whole(path) as partial:
        partial.write_bytes(arrays_bytes(learner.state()))


def _restore(learner: Learner, path: Path) -> None:
    """Let a learner go on from a file.

    Raises
    ------
    UserError
        It is damaged, or another learner's.
    """
    wanted = learner.state()
    try:
        state = arrays_in(read_bytes(path))
        kinds = {name: (array.shape, array.dtype) for name, array in state.items()}
        if kinds != {name: (array.shape, array.dtype) for name, array in wanted.items()}:
            raise ValueError("it is another learner's")
        if not all(np.isfinite(array).all() for array in state.values()):
            raise ValueError("it holds what is no number")
    except ValueError as error:
        raise UserError(
            f"{path} is damaged: {error}; begin another run in another folder"
        ) from None
    learner.restore(state)
