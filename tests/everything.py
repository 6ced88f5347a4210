"""Runs a bit of everything compiled and prints what came out; tests/test_jit.py runs it twice.

The first line is what was computed, as JSON: the same in every process. The second is what
became of the functions: which were compiled, and which were neither compiled nor loaded.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event
from numpy.typing import NDArray

from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.sprt_evaluation import pair_probabilities
from samuel.features import Features, Patterns, extract, feature_names, features_named
from samuel.games import Position, game_named, game_names
from samuel.games.chess.fen import read_fens
from samuel.games.draws import DRAWN, end_after, past_after
from samuel.games.perft import perft
from samuel.games.pig.rules import pig
from samuel.games.playing import new_game_state, random_positions, seed_dice, thrown_at
from samuel.games.records import ReadGame, Refusals, records_of
from samuel.games.rows import are_legal, are_quiet, canonical_keys, count_moves, left_of, seen_under
from samuel.games.rules import REVERSIBLE
from samuel.games.transcripts import formats_of
from samuel.kernels.jit import EntryPoint
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.targets import Labels, score_targets
from samuel.learning.online.learner import begin_learning
from samuel.learning.options import LearnOptions
from samuel.models import (
    NNUERegressor,
    PatternClassifier,
    PatternNetwork,
    PatternRegressor,
    TaperedLogistic,
    evaluate,
    evaluator_names,
    load_evaluator,
)
from samuel.models.compiled.slow import SlowEvaluatorWarning, slow_evaluator
from samuel.models.compiled.sums import SumModel
from samuel.models.named import usual_evaluator
from samuel.models.outcome_networks import OutcomeNetworks
from samuel.models.rote.front import in_front_of
from samuel.models.rote.store import Store
from samuel.models.saved.serialized import Serialized
from samuel.models.sparse_network import SparseNetwork
from samuel.search import AlphaBeta, analyse, new_memory, solve
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.limits import Limits
from samuel.search.lines import best_lines
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import expectiminimax, minimax
from samuel.selfplay.data.replay import replay
from samuel.selfplay.openings.openings import follow_line
from samuel.selfplay.plan import SelfplayPlan, play_task
from samuel.selfplay.relabel import search_table
from tests.games.chess.packed_files import content, playouts
from tests.league import league
from tests.networks import random_network
from tests.processes import ROOT

ENDING = "-XXXX-XXXXOXXXX-XXXOXOXOXXOOXOOOXXOXOXOOXXOOOOO-XXOOXOXX-XOOXO-X X"


def main() -> None:
    found: dict[str, Any] = {}
    names = game_names()
    for name in names:
        if not any(name.startswith(f"{other}_") for other in names):  # of variants, one will do
            found[name] = of_game(name)
    ending = Position.parse(ENDING)
    solved = solve(ending, load_evaluator("zero", ending.game), table_bits=10)
    found["solve"] = [solved.score, solved.pv]
    end = ending
    while not end.is_terminal:
        end = end.play(end.legal_moves()[0])
    found["end"] = [end.text, end.utility()]
    found["slow"] = in_python(ending)
    found |= of_patterns() | of_tests() | of_learning() | of_rules() | of_files()
    print(json.dumps(found))
    unused = [
        name
        for name, point in every_entry_point().items()
        if not point.stats.cache_hits and not point.stats.cache_misses
    ]
    print(json.dumps({"compiled": sorted(compiled), "unused": sorted(unused)}))


def of_game(name: str) -> dict[str, Any]:
    game = game_named(name)
    start = Position.start(game)
    positions = random_positions(game, 20, seed=1)
    features = features_named(feature_names(name), name)
    # a ply of a game with dice, or of five in a row, has hundreds of branches
    deepest = 1 if game.chance else 5 if len(start.legal_moves()) < 100 else 3
    found: dict[str, Any] = {
        "perft": perft(start, deepest),
        "legal": are_legal(game, positions, np.arange(len(positions))).tolist(),
        "remaining": left_of(game, positions).tolist(),
        "keys": canonical_keys(game, positions).tolist(),
        "features": extract(features, positions).sum(axis=0).tolist(),
    }
    for evaluator in evaluator_names(name):
        made = load_evaluator(evaluator, game)
        found[evaluator] = evaluate(made, game, positions).tolist()
        result = analyse(start, made, depth=4, nodes=100_000, seconds=100.0, table_bits=10)
        found[f"search {evaluator}"] = [result.score, result.pv, result.nodes]
        deep = min(3, deepest)
        scored = analyse(start, made, depth=deep, exact_from=0, all_moves=True, table_bits=10)
        found[f"moves {evaluator}"] = scored.moves
        if game.search.noisy is None:  # else plain minimax goes through all exchanges there are
            reference = expectiminimax if game.chance else minimax
            found[f"reference {evaluator}"] = reference(PositionNode.root(start, made), 1)
    usual = usual_evaluator(game)
    depth = 2 if deepest == 5 else 1
    plan = SelfplayPlan(game=name, evaluator=usual, depth=depth, epsilon=0.2).checked()
    for warm in (plan, dataclasses.replace(plan, temperature=0.1)):
        rows = play_task(warm, 0, 3 if depth == 2 else 1).to_pydict()
        found[f"self-play {warm.temperature}"] = [rows["move"], np.round(rows["score"], 4).tolist()]
    zero = Serialized((game, load_evaluator("zero", game)))
    searched = search_table(play_task(plan, 0, 1), plan, zero)["score"].to_numpy()
    found["relabel"] = np.round(searched, 4).tolist()
    found["replay"] = replay(game, records_of(game, [ReadGame([0])], Refusals()))[2].tolist()
    found["league"] = league(usual, "zero", game=name, games=8).results.tolist()
    played = match(usual, "zero", game=name, pairs=2, limits=Limits(min(2, deepest)))
    found["match"] = played.results.tolist()
    return found


def of_files() -> dict[str, Any]:
    """Return the moves in binary files of chess."""
    game, games, found = game_named("chess"), playouts(50, seed=1), {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bin", "bulletformat", "binpack"):
            path = Path(folder, name)
            path.write_bytes(content(name, games))
            found[name] = [one.moves.tolist() for one in formats_of(game)[name].read(path, game)]
    return found


def of_patterns() -> dict[str, Any]:
    """Return what models of patterns learn from a few positions, and say of them."""
    game = game_named("othello_4x4")
    positions = random_positions(game, 200, seed=1)
    target = positions[:, 0].astype(np.float64) % 7
    linear = PatternRegressor("tuples2", game.name, stages=2, max_iter=3)
    network = PatternNetwork(linear, "tuples2", game.name, epochs=1, random_state=0)
    classifier = PatternClassifier("tuples2", game.name, stages=1, max_iter=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = [network.fit(positions, target), classifier.fit(positions, target > 3)]
    found = [
        evaluate(m.compiled().evaluator("m"), game, positions).round(3).tolist() for m in fitted
    ]
    both = SumModel((fitted[1].compiled(), random_network(game))).evaluator("both")
    found.append(evaluate(both, game, positions).round(3).tolist())
    followed = analyse(Position.start(game), both, depth=4)
    matrix = Patterns("tuples2", game.name).fit_transform(positions)
    frame = play_task(SelfplayPlan(game=game.name, depth=1).checked(), 0, 3).to_pandas()
    targets = score_targets(Labels(frame), FitOptions("td")).target
    images = seen_under(game, positions[:4], np.arange(4, dtype=np.int8))
    return {
        "patterns": found,
        "followed": [followed.nodes, followed.pv],
        "matrix": float(matrix.sum()),
        "targets": targets.round(3).tolist(),
        "images": canonical_keys(game, images).tolist(),
    }


def of_tests() -> dict[str, Any]:
    """Return what sequential tests say, and which openings there are."""
    sprt = Sprt(0, 60)
    game = game_named("othello_4x4")
    drawn = openings_for(game, "random", 3, 3)
    return {
        "llr": [round(sprt.llr(counts), 6) for counts in ([3, 5, 9], [1, 2, 9, 4, 3])],
        "probabilities": sprt.probabilities_at(60.0, pair_probabilities()).round(6).tolist(),
        "random": drawn.transcripts(),
        "followed": np.array_equal(follow_line(game, drawn.moves)[1], drawn.positions),
    }


def of_learning() -> dict[str, Any]:
    """Return what is learned while playing, by rote, and of numbers alone."""
    game = game_named("othello_4x4")
    positions = random_positions(game, 50, seed=1)
    classic = load_evaluator("classic", game)
    scores = evaluate(classic, game, positions)
    plain = {"opening_plies": 0, "epsilon": 0.0, "learning_rate": 0.05, "tcl": False}
    options = LearnOptions(game=game.name, algorithm="treestrap", model="ridge", depth=3, **plain)
    learner = begin_learning(options, first=classic)
    learner.play(2)
    descent = LearnOptions(game=game.name, algorithm="descent", model="ridge", nodes=50, **plain)
    descended = begin_learning(descent, first=classic)
    descended.play(2)
    store = Store(game).merged(positions, scores, np.ones(50))
    numbers = Features(feature_names(game.name), game.name, sparse=True).fit_transform(positions)
    outcomes = OutcomeNetworks(
        ["mobility"], game.name, outcomes=(-16, 0, 16), units=2, ahead="throws", warm_start=True
    )
    outcomes.set_params(random_state=0).fit(positions, scores).fit(positions, scores)
    sparse = SparseNetwork(units=2, epochs=1, random_state=0).fit(numbers, scores)
    tapered = TaperedLogistic(["mobility"], game.name, max_iter=1).fit(positions, scores)
    shape = {"units": 16, "king": "X", "king_areas": 2}
    network = NNUERegressor(game.name, **shape, epochs=1, random_state=0).fit(positions, scores)
    updated = analyse(Position.start(game), network.compiled().evaluator("network"), depth=4)
    return {
        "network": [updated.nodes, len(network.float_scores(positions))],
        "tapered": tapered.coef_.round(3).tolist(),
        "online": learner.trainable.weights.round(3).tolist(),
        "descended": descended.trainable.weights.round(3).tolist(),
        "gradient": learner.trainable.gradient_at(positions[0]).round(3).tolist(),
        "rote": evaluate(in_front_of(classic, store), game, positions).tolist(),
        "outcomes": outcomes.chances(positions).round(3).tolist(),
        "sparse": sparse.predict(numbers).round(3).tolist(),
    }


def of_rules() -> dict[str, Any]:
    """Return what is said of games beyond a search: draws, dice, other methods."""
    game, checkers = game_named("othello_4x4"), game_named("checkers")
    chess = Position.start("chess")
    text = np.array(list(chess.text.encode()), np.uint8)
    start, classic = Position.start(game), load_evaluator("classic", game)
    sampled = analyse(start, classic, method="uct:playouts=50", all_moves=True)
    corrected = analyse(
        start, classic, depth=3, exact_from=0, options=SearchOptions(correction=True)
    )
    memory, limits = new_memory(game), Limits(depth=3)
    *_, lines = best_lines(start, classic, 2, limits=limits, method=AlphaBeta(), memory=memory)
    room = new_game_state(pig(10))
    seed_dice(room.stream, 1, 1)
    rows = game.rows([game.start])
    return {
        "sampled": sampled.moves,
        "lines": [[line.score, line.pv] for line in lines],
        "corrected": [corrected.score, corrected.pv, corrected.nodes],
        "quiet": are_quiet(checkers, random_positions(checkers, 20, seed=1)).tolist(),
        "noisy": checkers.noisy_in(random_positions(checkers, 1, seed=1)[0])[0].tolist(),
        "read": read_fens(text, np.array([0, len(text)]))[0].tolist(),
        "names": chess.names_of(["g1f3"]),
        "counts": count_moves(game, rows).tolist(),
        "past": past_after((1,), checkers.row(checkers.start), 0, REVERSIBLE),
        "end": end_after(checkers, checkers.row(checkers.start), 0, (1, 2)),
        "ended": PositionNode.root(start, classic).scorer.score(start.row, 1, end=DRAWN),
        "thrown": thrown_at(pig(10).rules_of_play, pig(10).row(pig(10).start), room),
    }


def first_word(rows: NDArray[np.uint64]) -> NDArray[np.float32]:
    return (rows[:, 0] % 7).astype(np.float32)


def in_python(position: Position) -> float:
    """Return the score of a search that calls back into Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowEvaluatorWarning)
        slow = slow_evaluator(first_word, "slow", "othello", "a model")
    return analyse(position, slow, depth=2, exact_from=0, table_bits=4).score


class Compilations(event.Listener):  # type: ignore[misc]
    """Notes the name of every function that numba compiles, under `jit` or not."""

    def on_start(self, started: Any) -> None:
        compiled.append(name_of(started.data["dispatcher"]))

    def on_end(self, ended: Any) -> None:
        pass


compiled: list[str] = []
event.register("numba:compile", Compilations())


def name_of(dispatcher: Any) -> str:
    function = dispatcher.py_func
    file = function.__code__.co_filename.removeprefix(str(ROOT))
    return f"{file} {function.__qualname__}"


def every_entry_point() -> dict[str, EntryPoint]:
    """Return each function under `@jit(SIGNATURE)` in the package, and each composed one."""
    for folder in ("games", "features", "models", "search", "selfplay", "arena", "learning"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            importlib.import_module(".".join(["samuel", *parts]).removesuffix(".__init__"))
    found = [thing for thing in gc.get_objects() if type(thing) is EntryPoint]
    return {name_of(point): point for point in found}


if __name__ == "__main__":
    sys.exit(main())
