"""A generation of rote learning: its games, and the store after them.

The store is written anew after every merge, so that a run that was killed goes on from there. A
generation begins with the store that the one before it ended with, promoted or not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samuel.learning.generations.folder import digest_of
from samuel.learning.generations.matches import Tell
from samuel.learning.generations.run import PLAYING, STORE, Run, seed_of
from samuel.learning.samuel.rote import learn_by_rote
from samuel.models import load_evaluator
from samuel.models.rote.file import load_store, save_store
from samuel.models.rote.store import Store

_MERGES = 20
"""How often what a generation plays is merged."""


def teach_by_rote(run: Run, generation: int, say: Tell) -> dict[str, Any]:
    """Play the games of a generation, keep their positions, and return figures."""
    options, game = run.options, run.options.rules
    first = run.evaluator(0)
    base = load_evaluator(first, game)
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
