"""Networks over pieces: searches with and without their state, evaluations, training, rounding.

The peers are the same network in numpy, scikit-learn's MLPRegressor over the same inputs, and
PyTorch on the processor where it is installed. Times of searches are the processor's.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.neural_network import MLPRegressor

from benchmarks.common import median_seconds, record
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.models import NNUERegressor, evaluate, load_evaluator
from samuel.models.nnue.inputs import inputs_in, inputs_of
from samuel.models.nnue.shape import ONE_UNIT, Shape
from samuel.search import analyse
from tests.networks import plain, random_network

GAMES = {"chess": (0, 40), "xiangqi": (0, 40), "othello": (12, 26), "checkers": (4, 20)}
UNITS, NODES, REPEATS = 128, 1_000_000, 3
POSITIONS, ROWS, EPOCHS = 20_000, 1_000_000, 2


def rate(evaluator: Any, positions: list[Position]) -> float:
    """Return the positions that a search visits per second of processor time, in millions."""
    nodes, began = 0, time.process_time()
    for position in positions:
        nodes += analyse(position, evaluator, nodes=NODES, exact_from=0).nodes
    return nodes / (time.process_time() - began) / 1e6


def searches() -> list[dict[str, Any]]:
    """Return nodes a second of each game with the state, without it, and with `classic`."""
    rows = []
    for name, plies in GAMES.items():
        game = game_named(name)
        network = random_network(game, UNITS, king="K" if name == "chess" else "")
        evaluators = {
            "with the state": network.evaluator("state"),
            "without": plain(network.evaluator("plain")),
            "classic": load_evaluator("classic", game),
        }
        boards = random_positions(game, 3, 5, *plies)
        positions = [Position(game, tuple(map(int, row)), 0) for row in boards]
        for one in evaluators.values():
            analyse(positions[0], one, depth=2)
        found: dict[str, list[float]] = {kind: [] for kind in evaluators}
        for _ in range(REPEATS):
            for kind, one in evaluators.items():
                found[kind].append(rate(one, positions))
        medians = {kind: float(np.median(rates)) for kind, rates in found.items()}
        ratio = medians["with the state"] / medians["without"]
        rows.append({"game": name, **medians, "ratio": ratio})
    return rows


def evaluations() -> list[dict[str, Any]]:
    """Return evaluations a second of one network of chess and of its peers."""
    game = game_named("chess")
    network = random_network(game, UNITS)
    boards = random_positions(game, POSITIONS, 1)
    own, other = inputs_of(game)
    bits = (boards[:, :12, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(bool)
    order = np.array(game.board.bits)  # type: ignore[union-attr]
    mine = bits[:, :, order].reshape(POSITIONS, -1).astype(np.float32)
    theirs = np.zeros_like(mine)
    theirs[:, other.ravel()] = mine[:, own.ravel()]
    rows, biases = network.rows / ONE_UNIT, network.biases / ONE_UNIT
    weights = network.float_layers[0][1:]

    def in_numpy(i: int) -> float:
        halves = np.concatenate([mine[i] @ rows + biases, theirs[i] @ rows + biases])
        return float(np.clip(halves, 0, 1) ** 2 @ weights)

    peer = MLPRegressor(hidden_layer_sizes=(UNITS,), max_iter=1)
    peer.fit(mine[:500], mine[:500].sum(axis=1))
    evaluator = network.evaluator("x")
    few = range(300)
    compiled = median_seconds(lambda: evaluate(evaluator, game, boards)) / POSITIONS
    cases = {
        "compiled, made anew": compiled,
        "numpy, a row at a time": median_seconds(lambda: [in_numpy(i) for i in few]) / len(few),
        "MLPRegressor, a row at a time": median_seconds(
            lambda: [peer.predict(mine[i : i + 1]) for i in few]
        )
        / len(few),
        "MLPRegressor, all rows at once": median_seconds(lambda: peer.predict(mine)) / POSITIONS,
    }
    return [
        {"network": name, "evaluations/s": 1 / each, "ratio": each / compiled}
        for name, each in cases.items()
    ]


def training() -> list[dict[str, Any]]:
    """Return positions a second of fits with 768 inputs and 128 units, and what rounding costs."""
    game = game_named("chess")
    few = random_positions(game, 50_000, 2)
    boards = np.tile(few, (ROWS // len(few), 1))
    targets = evaluate(load_evaluator("classic", game), game, boards)
    settings = {"epochs": EPOCHS, "validation_fraction": 0.0, "random_state": 1}
    rows = []
    for threads in (1, 2):
        model = NNUERegressor("chess", units=UNITS, n_jobs=threads, **settings)
        model.fit(boards[:1000], targets[:1000])
        began = time.perf_counter()
        model.fit(boards, targets)
        seconds = time.perf_counter() - began
        rows.append({"fit": f"{threads} threads", "positions/s": EPOCHS * ROWS / seconds})
    rows += in_torch(boards, targets)
    off = np.abs(model.predict(few) - model.float_scores(few))
    print(f"whole numbers against float, pawns: mean {off.mean():.4f}, largest {off.max():.4f}")
    return rows


def in_torch(boards: Any, targets: Any) -> list[dict[str, Any]]:
    """Return the same fit in PyTorch on two cores, where it is installed."""
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed")
        return []
    torch.set_num_threads(2)
    game = game_named("chess")
    all_starts, inputs, _ = inputs_in(game, Shape(UNITS, (), 1, "screlu"), boards)
    starts = torch.from_numpy(all_starts[:-1])
    halves = [torch.from_numpy(half.astype(np.int64)) for half in inputs]
    goal = torch.sigmoid(torch.from_numpy(targets / 1.7))
    first = torch.nn.EmbeddingBag(inputs_of(game)[0].size, UNITS, mode="sum")
    last = torch.nn.Linear(2 * UNITS, 1)
    steps = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=0.002)
    batch, ends = 16384, np.append(all_starts[1:-1], len(halves[0]))
    began = time.perf_counter()
    for start in range(0, ROWS, batch):
        some = slice(start, min(start + batch, ROWS))
        low, high = int(all_starts[some.start]), int(ends[some.stop - 1])
        offsets = starts[some] - low
        both = torch.cat([first(half[low:high], offsets) for half in halves], dim=1)
        score = last(both.clamp(0, 1) ** 2)[:, 0]
        loss = ((torch.sigmoid(score) - goal[some]) ** 2).mean()
        steps.zero_grad()
        loss.backward()
        steps.step()
    seconds = time.perf_counter() - began
    return [{"fit": "PyTorch, 2 threads", "positions/s": ROWS / seconds}]


def main() -> None:
    """Run all parts."""
    record("networks_searches", searches(), "million positions a second")
    record("networks_evaluations", evaluations())
    record("networks_training", training(), f"{UNITS} units, {EPOCHS} epochs of {ROWS:,} rows")


if __name__ == "__main__":
    main()
