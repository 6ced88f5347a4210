"""Errors of backgammon evaluators: the equity that their plays lose, in thousandths of a point.

    python -m benchmarks.backgammon learned pubeval runs/mine/best

The positions come from games of `pubeval` against itself, with the dice thrown. GNU Backgammon
(`gnubg` on the path) gives every legal play its cubeless equity, 2 plies ahead. That takes some
minutes once; the labels stay in build/, and an interrupted run goes on. The figures of the default
evaluators are recorded in benchmarks/results/.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import record
from samuel.arena.engines import EngineError
from samuel.arena.engines.gnubg import GnubgEngine
from samuel.common.errors import UserError
from samuel.common.files import whole
from samuel.features import extract, features_named
from samuel.games import Game, Position, game_named
from samuel.games.backgammon.expert import CONTACT, CRASHED, RACE
from samuel.games.evaluator import Evaluator
from samuel.models import evaluate, load_evaluator
from samuel.selfplay import SelfplayPlan, generate

LABELS = Path("build/backgammon-labels.npz")
COUNTS = {"contact": (CONTACT, 600), "crashed": (CRASHED, 300), "race": (RACE, 300)}
"""Number of each class, and of positions of it."""
EVALUATORS = ("learned", "pubeval")
_GAMES, _SEED = 1000, 2026
_SECONDS, _AT_ONCE = 60.0, 50
_LINE = re.compile(r"\s*\d+\.\s.*?-ply\s+((?:\S+/\S+\s+)+)Eq\.:\s+([-+][0-9.]+)")
_SETTINGS = (
    "set output digits 5",
    "set evaluation chequerplay evaluation plies 2",
    # all plays are looked at 2 plies ahead
    *("set evaluation movefilter 2 0 255 0 0", "set evaluation movefilter 2 1 -1 0 0"),
)


class Labeller(GnubgEngine):
    """GNU Backgammon, asked for the equity of every play."""

    def equities(self, position: Position) -> list[float]:
        """Return the equity of each legal play, in the order of the game."""
        identifier, _, dice = position.text.split()
        told = ("set turn 1", f"set board {identifier}", f"set dice {dice[0]} {dice[1]}")
        said = self._ask([*_SETTINGS, *told, "hint 9999"], _SECONDS)
        found = {
            position.number_of(match[1].strip()): float(match[2])
            for line in said
            if (match := _LINE.match(line))
        }
        return [found[move] for move in position.game.moves_in(position.row).tolist()]


def positions(game: Game) -> NDArray[np.uint64]:
    """Return positions of each class, one behind the other; in each there is a choice."""
    plan = SelfplayPlan(game=game.name, evaluator="pubeval", depth=1, seed=_SEED)
    with tempfile.TemporaryDirectory() as folder:
        rows = generate(plan, _GAMES, Path(folder) / "games").positions
    rows = np.random.default_rng(_SEED).permutation(rows)
    classes = extract(features_named(["phase"], game.name), rows)[:, 0]
    chosen = []
    for number, count in COUNTS.values():
        some = (row for row in rows[classes == number] if len(game.moves_in(row)) > 1)
        chosen += [next(some) for _ in range(count)]
    return np.array(chosen)


def labels(game: Game) -> tuple[NDArray[np.uint64], list[NDArray[np.float32]]]:
    """Return the positions, and the equity of each legal play there."""
    rows, equities = positions(game), np.zeros(0, np.float32)
    counts = [len(game.moves_in(row)) for row in rows]
    ends = np.cumsum(counts)
    if LABELS.exists():
        equities = np.load(LABELS)["equities"]
    if len(equities) > ends[-1]:
        raise UserError(f"{LABELS} has labels of other positions; delete it")
    done = int(np.searchsorted(ends, len(equities), side="right"))
    if done < len(rows):
        LABELS.parent.mkdir(exist_ok=True)
        with Labeller("gnubg -t -q -r") as engine:
            engine.new_game(game, ())
            for at in range(done, len(rows)):
                position = Position(game, tuple(map(int, rows[at])), 0)
                found = np.array(engine.equities(position), np.float32)
                equities = np.concatenate([equities, found])
                if at % _AT_ONCE == 0 or at == len(rows) - 1:
                    with whole(LABELS) as partial, open(partial, "wb") as file:
                        np.savez_compressed(file, equities=equities)
                    print(f"labelled {at + 1} of {len(rows)}", file=sys.stderr, flush=True)
    return rows, np.split(equities, ends[:-1])


def lost(
    evaluator: Evaluator, rows: NDArray[np.uint64], equities: Sequence[NDArray[np.float32]]
) -> NDArray:
    """Return the equity (n,) that an evaluator's plays lose."""
    game, found = game_named("backgammon"), []
    for row, known in zip(rows, equities, strict=True):
        after = np.array([game.child_of(row, move) for move in game.moves_in(row).tolist()])
        chosen = int(evaluate(evaluator, game, after).argmin())  # of the other side's scores
        found.append(known.max() - known[chosen])
    return np.array(found)


def main(evaluators: Sequence[str] = EVALUATORS) -> None:
    """Measure evaluators, by name or folder, on each class of positions."""
    game = game_named("backgammon")
    loaded = [load_evaluator(name, game) for name in evaluators]
    rows, equities = labels(game)
    ends = np.cumsum([count for _, count in COUNTS.values()])
    table = []
    for name, evaluator in zip(evaluators, loaded, strict=True):
        parts = np.split(1000 * lost(evaluator, rows, equities), ends[:-1])
        line: dict[str, str] = {"evaluator": name}
        for of, part in zip(COUNTS, parts, strict=True):
            spread = 1.96 * part.std() / len(part) ** 0.5
            line[of] = f"{part.mean():.1f} +- {spread:.1f}"
        table.append(line)
        print(line, flush=True)
    if tuple(evaluators) != EVALUATORS:
        return  # a person's own are not recorded
    note = "Equity lost by a play, in thousandths of a point, against GNU Backgammon 2-ply."
    record("backgammon", table, note)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("evaluators", nargs="*", default=EVALUATORS, help="names, or folders")
    try:
        main(parser.parse_args().evaluators)
    except (UserError, EngineError) as error:
        parser.exit(1, f"{error}\n")
    except KeyboardInterrupt:
        parser.exit(130, "interrupted; the same command continues\n")
