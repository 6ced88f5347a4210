"""A feature of your own: is an evaluator that knows it stronger?

From the command line, in one step, or with the feature beside the game's default ones:

    samuel try examples/custom_feature.py
    samuel train data/gen0 --plugin examples/custom_feature.py --model ridge \\
        --features +edge_threats --out runs/threats
    samuel match runs/threats classic --plugin examples/custom_feature.py
"""

import sys

import numpy as np

from samuel import SelfplayPlan, feature, generate, match, train
from samuel.games.othello.bits import moves_of
from samuel.kernels.bits import popcount

EDGES = np.uint64(0xFF818181818181FF)


@feature(game="othello", outputs=("player", "opponent"))
def edge_threats(position, values):
    """Count moves onto the edge. The arrays are numba's: no Python object in here."""
    player, opponent = position[0], position[1]
    values[0] = popcount(moves_of(player, opponent) & EDGES)
    values[1] = popcount(moves_of(opponent, player) & EDGES)


def main(folder: str = "runs/custom_feature", games: int = 1000, pairs: int = 200) -> None:
    dataset = generate(
        SelfplayPlan(depth=2, epsilon=0.05, seed=1), games, f"{folder}/data", jobs=-1
    )
    known = ["square_classes", "mobility"]
    without = train(dataset, "ridge", features=known, out=f"{folder}/without")
    with_it = train(dataset, "ridge", features=[*known, "edge_threats"], out=f"{folder}/with")
    result = match(with_it.evaluator, without.evaluator, pairs=pairs, jobs=-1)
    s = result.statistics
    print(f"with edge_threats against without, depth 4, {s.games} games:")
    print(f"{100 * s.score:.1f} %, {s.elo:+.0f} Elo ({s.elo_low:+.0f} to {s.elo_high:+.0f})")
    fast, plain = result.nodes_per_second
    print(f"{fast:,.0f} nodes a second with it, {plain:,.0f} without")


if __name__ == "__main__":
    main(*sys.argv[1:2])
