"""A generation of an evaluation that learns while it plays: its games, and where it stands after.

The learner is saved in `learner.npz` of the generation's folder after every task of games, so that
a run that was killed goes on from there. In rote learning the store is saved after every merge. A
generation begins with what the one before it ended with, whether that was promoted or not.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.files import read_bytes, whole
from samuel.games.evaluator import Evaluator
from samuel.learning.algorithms import EARLIER, SAMUEL, SELF
from samuel.learning.generations.folder import digest_of
from samuel.learning.generations.log import TEACH
from samuel.learning.generations.matches import Tell
from samuel.learning.generations.run import LEARNER, MODEL, PLAYING, STORE, Run, seed_of
from samuel.learning.generations.settings import polynomial_of
from samuel.learning.online.learner import begin_learning
from samuel.learning.samuel.learner import Generalizer
from samuel.learning.samuel.rote import learn_by_rote
from samuel.models import find_evaluator
from samuel.models.compiled.model import arrays_bytes, arrays_in
from samuel.models.rote.store import Store, load_store, save_store
from samuel.models.saved.saving import save

_MERGES = 20
"""Number of merges in a generation."""


_TASKS = 20
"""After so many parts of a generation what was learned is kept."""


class OnlineLearner(Protocol):
    """An evaluation that learns while it plays, with all that its next game depends on."""

    grows: frozenset[str]
    """The arrays of its state that have a row a game."""
    games: int

    def play(self, games: int, opponent: Evaluator | None = None) -> None:
        """Play games and learn, against itself or another."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what has to be kept."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what was kept; raise ValueError where it contradicts itself."""

    def estimator(self) -> Any:
        """Return the learner's model as an estimator."""


def teach(run: Run, generation: int, say: Tell) -> dict[str, Any]:
    """Play the games of a generation, learn from them, and save the candidate; return figures."""
    options = run.options
    learner = _begin(run)
    kept = run.part(generation, LEARNER)
    for path in (kept, run.part(generation - 1, LEARNER)):
        if path.exists():
            _restore(learner, path)
            break
    begun, end = (generation - 1) * options.games, generation * options.games
    for first in range(begun, end, task := max(1, options.games // _TASKS)):
        last = min(first + task, end)
        if learner.games < last:
            say(learner.games - begun, options.games)
            learner.play(last - learner.games, _opponent(run, generation, last))
            with whole(kept) as partial:
                partial.write_bytes(arrays_bytes(learner.state()))
    say(options.games, options.games)
    model = run.part(generation, MODEL)
    card = {"recipe": options.model, "learned_by": options.algorithm, "games": learner.games}
    save(model, learner.estimator(), name=run.name_of(generation), card=card)
    return {
        "player": options.online.opponent,
        "games": options.games,
        "digest": digest_of(model, options),
    }


def teach_by_rote(run: Run, generation: int, say: Tell) -> dict[str, Any]:
    """Play the games of a generation, keep their positions, and return figures."""
    options, game = run.options, run.options.rules
    first = run.evaluator(0)
    base = find_evaluator(first, game)
    plan = options.plan(str(first), seed_of(options, PLAYING))
    store = Store(game, options.samuel.capacity, options.samuel.age_limit)
    kept = run.part(generation, STORE)
    for path in (kept, run.part(generation - 1, STORE)):
        if path.exists():
            store = load_store(path, game)
            break
    store = replace(store, name=run.name_of(generation))
    begun, end = (generation - 1) * options.games, generation * options.games
    for number in range(begun, end, task := max(1, options.games // _MERGES)):
        last = min(number + task, end)
        if store.games < last:
            say(store.games - begun, options.games, f"{len(store):,} positions")
            store = learn_by_rote(store, base, plan, last - store.games)
            save_store(store, kept)
    say(options.games, options.games, f"{len(store):,} positions")
    return {
        "player": options.online.opponent,
        "games": options.games,
        "positions": len(store),
        "digest": digest_of(run.evaluator(generation), options),
    }


def generalizer_of(run: Run) -> Generalizer | None:
    """Return Samuel's learner as the newest generation left it; None of other algorithms."""
    taught = [entry["generation"] for entry in run.log if entry["step"] == TEACH]
    if run.options.algorithm != SAMUEL or not taught:
        return None
    learner = Generalizer(polynomial_of(run.options), run.options)
    _restore(learner, run.part(max(taught), LEARNER))
    return learner


def _begin(run: Run) -> OnlineLearner:
    options = run.options
    if options.algorithm == SAMUEL:
        return Generalizer(polynomial_of(options), options)
    beginning = find_evaluator(run.evaluator(0), options.rules)
    return begin_learning(options, beginning)


def _opponent(run: Run, generation: int, games: int) -> Evaluator | None:
    """Return whom the learner meets in the games before number `games`; None for itself."""
    options = run.options
    if options.online.opponent == SELF or (options.online.opponent == EARLIER and generation == 1):
        return None
    if options.online.opponent != EARLIER:
        return find_evaluator(options.online.opponent, options.rules)
    chosen = seed_of(options, generation, PLAYING, games) % (generation - 1)
    return find_evaluator(run.evaluator(1 + chosen), options.rules)


def _restore(learner: OnlineLearner, path: Path) -> None:
    wanted = learner.state()
    try:
        state = arrays_in(read_bytes(path))
        if _kinds(state, learner.grows) != _kinds(wanted, learner.grows):
            raise ValueError("it belongs to another learner")
        if not all(np.isfinite(array).all() for array in state.values()):
            raise ValueError("it has values that are not numbers")
        learner.restore(state)
    except ValueError as error:
        raise UserError(f"{path} is damaged: {error}; choose another folder") from None


def _kinds(arrays: dict[str, NDArray[Any]], growing: frozenset[str]) -> dict[str, Any]:
    """Return the types of arrays and their shapes, but for how many rows some have."""
    return {
        name: (array.dtype, array.shape[1:] if name in growing else array.shape)
        for name, array in arrays.items()
    }
