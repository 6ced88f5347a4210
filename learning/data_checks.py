"""`check_dataset`: warnings about a dataset before a model is fitted to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.common.displayable import Displayable, Table, cell
from samuel.common.options import Argument, Range, Seed
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rows import canonical_keys, left_of
from samuel.games.rules import NO_MOVE
from samuel.learning.findings import (
    MOST_ROWS,
    Finding,
    first_results,
    label_findings,
    pattern_finding,
)
from samuel.learning.fitting.estimators import unfitted
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import default_model
from samuel.search.alphabeta.memory import new_memory
from samuel.search.solving import solve
from samuel.selfplay.data.dataset import LABEL_COLUMNS, Dataset, clean_outcomes

_LONG, _MOST_REPEATED, _MOST_OPPOSED = 20, 0.1, 1 / 3
"""Rows of a long game, and the shares of long games that come again, and of outcomes that exact
play contradicts, that are usual."""
_NEAR, _LATE, _EXAMPLES = 2e-3, 6, 3


@dataclass(frozen=True)
class DataChecks(Displayable):
    """Findings of the checks of a dataset."""

    findings: tuple[Finding, ...]
    rows: int  # number of rows that were read

    @property
    def warnings(self) -> list[str]:
        """Sentences on what is wrong."""
        return [one.warning for one in self.findings if one.warning]

    def as_dict(self) -> dict[str, Any]:
        """Return the findings as `samuel dataset check --json` prints them."""
        return asdict(self) | {"warnings": self.warnings}

    def tables(self) -> list[Table]:
        """Return a table of the findings, and one of the rows that contradict something."""
        rows = [[one.check, one.figure, one.warning or "ok"] for one in self.findings]
        found = [Table(f"Checks of {self.rows:,} rows", ("check", "figure", "finding"), rows)]
        for one in self.findings:
            cells = [[cell(*entry) for entry in row.items()] for row in one.rows]
            if cells:
                found.append(Table(one.check.capitalize(), tuple(one.rows[0]), cells))
        return found


@public
def check_dataset(
    dataset: Annotated[Dataset, Argument()],
    model: str | None = None,
    *,
    positions: Annotated[int, Range(1)] = 1000,
    seed: Seed = 0,
    progress: Callable[[str], None] = lambda doing: None,
) -> DataChecks:
    """Check a dataset for labels that cannot be, and for patterns that are rarely seen.

    Parameters
    ----------
    dataset
        Folder of a dataset. Some shards are read if it has more than 4 million rows.
    model
        Recipe with patterns whose weights are counted. By default the game's own recipe.
    positions
        Number of positions to compare with exact play and with the rules.
    seed
        Seed of the choice of positions.
    progress
        Called with a description of the current step.

    Returns
    -------
    DataChecks
        Figure of each check, and a warning where something is wrong.

    Raises
    ------
    UserError
        The dataset cannot be read, or the recipe is unknown.

    Examples
    --------
    >>> import samuel
    >>> samuel.check_dataset("data/games").warnings
    []
    """
    game = dataset.game
    estimator = unfitted(model or default_model(game), game, FitOptions(), seed)
    progress("reading")
    part = _some(dataset, seed)
    frame, words = part.labelled([*LABEL_COLUMNS, "move", "source", "weight"])
    findings = [*label_findings(frame, game), _repeated(frame, words, game)]
    progress("comparing with exact play")
    rows = _Rows(frame, words, game, positions, seed)
    findings += [rows.mixed(), rows.ends(), *rows.solved()]
    progress("counting patterns")
    findings.append(pattern_finding(estimator, game, words))
    return DataChecks(tuple(findings), len(frame))


def _some(dataset: Dataset, seed: int) -> Dataset:
    """Return shards of a dataset with at most about MOST_ROWS rows, at least one."""
    shards = dataset.manifest["shards"]
    names = np.random.default_rng(seed).permutation([*shards]).tolist()
    total = np.cumsum([shards[name]["rows"] for name in names])
    return dataset.some(sorted(names[: max(1, np.searchsorted(total, MOST_ROWS, "right"))]))


def _repeated(frame: pd.DataFrame, words: NDArray[Any], game: Game) -> Finding:
    """Return how many long games come more than once, up to symmetry."""
    keys = canonical_keys(game, words) * (2 * frame["ply"].to_numpy(np.uint64) + np.uint64(1))
    by_game = frame[["game_id", "source"]].assign(key=keys).groupby("game_id", sort=False)
    games = by_game.agg(key=("key", "sum"), source=("source", "first"), rows=("key", "size"))
    long = games[games["rows"] >= _LONG]
    again = int(long["key"].duplicated().sum())
    sources = int((long.groupby("key", sort=False)["source"].nunique() > 1).sum())
    warning = f"{again:,} games come again, {sources:,} of them in two sources; "
    warning += "samuel dataset dedupe merges their rows."
    figure = f"{again:,} of {len(long):,} long games"
    return Finding("repeated games", figure, warning if again > _MOST_REPEATED * len(long) else "")


class _Rows:
    """Rows that contradict the rules or exact play, in a sample."""

    def __init__(
        self, frame: pd.DataFrame, words: NDArray[Any], game: Game, sample: int, seed: int
    ) -> None:
        self._frame = frame.assign(result=first_results(frame), clean=clean_outcomes(frame))
        self._words, self._game = words, game
        self._sample, self._draw = sample, np.random.default_rng(seed)

    def _drawn(self, chosen: Any) -> Iterator[tuple[Any, Position]]:
        rows = np.flatnonzero(chosen)
        rows = np.sort(self._draw.choice(rows, min(self._sample, len(rows)), replace=False))
        found: Any = self._frame.iloc[rows]
        for row in found.itertuples():
            yield row, Position(self._game, tuple(self._words[row.Index].tolist()), row.side)

    def _example(self, row: Any, label: float, truth: float) -> dict[str, Any]:
        position = Position(self._game, tuple(self._words[row.Index].tolist()), row.side)
        found = {"row": row.Index, "position": position.text}
        return found | {"label": float(label), "truth": float(truth)}

    def mixed(self) -> Finding:
        """Find games whose rows have different results; merged rows have means."""
        rows = self._frame[self._frame["weight"] == 1].dropna(subset="result")
        first = rows.groupby("game_id", sort=False)["result"].transform("first")
        other: Any = rows[(rows["result"] - first).abs() > _NEAR].drop_duplicates("game_id")
        wrong = [self._example(row, row.result, first[row.Index]) for row in other.itertuples()]
        what = "games have rows with different results; store outcomes for the side to move."
        return _counted("results within games", rows["game_id"].nunique(), wrong, what)

    def ends(self) -> Finding:
        """Compare outcomes with the final positions that last moves lead to."""
        frame, games = self._frame, self._frame["game_id"].to_numpy()
        last = np.append(games[1:] != games[:-1], True) & (frame["move"] != NO_MOVE)
        wrong, of = [], 0
        for row, position in self._drawn(last & frame["result"].notna() & (frame["weight"] == 1)):
            child = position.play(int(row.move))
            if child.is_chance or not child.is_terminal:
                continue
            truth = child.utility() * (1 if child.side == row.side else -1)
            of += 1
            wrong += [self._example(row, row.outcome, truth)] * (abs(truth - row.outcome) > _NEAR)
        what = "finished games have an outcome that their last move contradicts."
        return _counted("final positions", of, wrong, what)

    def solved(self) -> Iterator[Finding]:
        """Compare exact scores, and outcomes, with the solver near the end of games."""
        game, frame = self._game, self._frame
        if game.plies_left is None or game.chance is not None:
            yield Finding("exact play", f"not checked: {game.name} has no solver")
            return
        left = left_of(game, self._words)
        chosen = (left > 0) & (left <= (game.solver.exact_from or _LATE))
        wrong: list[dict[str, Any]] = []
        signs: list[tuple[float, float]] = []
        exact = 0
        memory = new_memory(game)
        for row, position in self._drawn(chosen & (frame["exact"] | frame["clean"])):
            truth = solve(position, memory=memory).score
            if row.exact:
                exact += 1
                wrong += [self._example(row, row.score, truth)] * (abs(truth - row.score) > _NEAR)
            if row.clean:
                signs.append((np.sign(truth), np.sign(row.outcome)))
        what = "scores that are marked exact differ from the exact result; relabel the dataset."
        yield _counted("exact scores", exact, wrong, what)
        true, stored = np.array(signs).reshape(-1, 2).T
        opposed = np.count_nonzero(true * stored < 0) > _MOST_OPPOSED * max(_LONG, len(signs))
        figure = f"{np.count_nonzero(true != stored):,} of {len(signs):,} outcomes differ from it"
        warning = "Positions that exact play wins are labelled lost; negate the outcomes."
        yield Finding("exact play", figure, warning if opposed else "")


def _counted(check: str, of: int, wrong: list[dict[str, Any]], what: str) -> Finding:
    """Return how many of the rows are wrong, with the first of them."""
    warning = f"{len(wrong):,} of {of:,} {what}" if wrong else ""
    return Finding(check, f"{len(wrong):,} of {of:,} wrong", warning, tuple(wrong[:_EXAMPLES]))
