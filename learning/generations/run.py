"""A run of the generation loop: what was settled, what was done, what comes next. No play here.

A run is a list of entries, one a finished step, in the order of `steps`:

    against NAME  games of a generation against a baseline: the first evaluator, `classic`, ...
    play          self-play with the best evaluator so far
    train         a candidate, fitted to the games of the last generations
    gate          the candidate against the best so far, until a sequential test decides; without
                  one, every candidate takes its place

Where an evaluation learns while it plays, one step stands for playing and training:

    teach         games of the learner, who becomes the candidate

Generation 0 is the evaluator that the run starts from. Everything else follows from the options
and the entries: which generation is the best, which step is next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from samuel.common.displayable import Displayable
from samuel.common.errors import PluginNeededError, UserError
from samuel.common.files import inside
from samuel.common.json_files import plain, write_json
from samuel.games.game import Game
from samuel.games.origins import game_from, origins_of, unnamed
from samuel.learning.algorithms import ROTE
from samuel.learning.generations.log import (
    AGAINST,
    FORMAT,
    GATING,
    SELFPLAY,
    TEACH,
    TRAIN,
    read_state,
)
from samuel.learning.options import LearnOptions
from samuel.models import evaluator_names

STATE, SETTINGS, REPORT = "state.json", "settings.toml", "report.html"
BEST, FIRST, BASELINES, SOURCES = "best", "first", "baselines", "sources"
DATA, MODEL, GATE, LEARNER = "data", "model", "gate", "learner.npz"
STORE, BEST_STORE = "store.rote", "best.rote"

PLAYING, TRAINING, TESTING, MEASURING = range(4)
"""Purposes of seeds."""

LogEntry = dict[str, Any]
"""A finished step: `generation`, `step`, `seconds`, `ended` (a time), and its figures."""

_UNREPEATABLE = ("seconds", "processor_seconds", "ended", "nodes_per_second", "seconds_per_move")
_OF_A_MATCH = ("score", "score_low", "score_high", "elo", "elo_low", "elo_high")


@dataclass(frozen=True)
class Run(Displayable):
    """A run of the generation loop in its folder."""

    folder: Path
    options: LearnOptions
    digests: Mapping[str, str]
    goal: int
    log: tuple[LogEntry, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}: {self.generations} generations, the best is {self.best})"

    @classmethod
    def open(cls, folder: Path | str) -> Run:
        """Return the run in a folder."""
        folder = Path(folder)
        path = folder / STATE
        state = read_state(path)
        game = game_from(str(folder), str(state["settings"].get("game")), state["plugins"])
        options = LearnOptions.of(state["settings"], str(path))
        _require_names(folder, game, baselines_of(options), state["plugins"])
        known = state["digests"], state["goal"], tuple(state["log"]), state["sources"]
        return cls(folder, options, *known)

    def write(self) -> None:
        """Write the state, whole or not at all."""
        state = {
            "format": FORMAT,
            "best": self.best_generation,
            "goal": self.goal,
            "digests": self.digests,
            "sources": self.sources,
            "plugins": origins_of(
                self.options.game, evaluators=baselines_of(self.options).values()
            ),
            "settings": self.options.flat(),
            "log": self.log,
        }
        write_json(self.folder / STATE, state)

    @property
    def generations(self) -> int:
        """Number of finished generations, the first evaluator not counted."""
        done = 0
        while not steps_left(self, done + 1):
            done += 1
        return done

    @property
    def begun(self) -> int:
        """Number of generations that are finished or begun."""
        return max((entry["generation"] for entry in self.log), default=0)

    @property
    def best_generation(self) -> int:
        """The generation of the best evaluator so far; 0 for the one that the run starts from."""
        decisive = (GATING,) if self.options.gate.gate_pairs else (TRAIN, TEACH)
        entries = [entry for entry in self.log if entry["step"] in decisive]
        return max((e["generation"] for e in entries if e.get("promoted", True)), default=0)

    @property
    def best(self) -> str:
        """The best evaluator so far: the folder of a model, or the name of a hand-made one."""
        return str(self.evaluator(self.best_generation))

    def part(self, generation: int, name: str) -> Path:
        """Return the folder of a part of a generation."""
        return self.folder / f"generation-{generation:03d}" / name

    def evaluator(self, generation: int) -> Path | str:
        """Return the evaluator of a generation: a model's folder, or a hand-made one's name.

        In rote learning it is the first evaluator with the generation's store.
        """
        if generation and self.options.algorithm == ROTE:
            return f"{self.baseline(FIRST)}+{self.part(generation, STORE)}"
        return self.part(generation, MODEL) if generation else self.baseline(FIRST)

    def baseline(self, name: str) -> Path | str:
        """Return a baseline: the copy of a model, or a hand-made one's name."""
        who = baselines_of(self.options)[name]
        return who if who in evaluator_names(self.options.game) else copy_in(self.folder, name)

    def name_of(self, generation: int) -> str:
        """Return what tables call the evaluator of a generation."""
        return f"generation {generation}" if generation else Path(self.options.start).name

    def of(self, generation: int) -> dict[str, LogEntry]:
        """Return the entries of a generation by their steps."""
        return {e["step"]: e for e in self.log if e["generation"] == generation}

    def repeatable(self) -> list[LogEntry]:
        """Return the entries without times: what a run of the same options gives again."""
        return [{k: v for k, v in e.items() if k not in _UNREPEATABLE} for e in self.log]

    def frame(self) -> pd.DataFrame:
        """Return a row a generation, the first evaluator's as 0; NaN and None where not known.

        Columns: `generation`; `player`, who played its games; `games`, `positions`; `rows` it was
        fitted to, `r2` and `log_loss` on held-out games; of the gate `opponent`, `pairs`, `score`,
        `elo`, `llr`, `decision`, `promoted`; `elo_NAME`, `score_NAME` against each baseline, each
        with `_low` and `_high`; `seconds`.
        """
        return pd.DataFrame([self.row(number) for number in range(self.begun + 1)])

    def row(self, generation: int) -> dict[str, Any]:
        """Return a row of `frame`."""
        of = self.of(generation)
        fit, gate = of.get(TRAIN, {}), of.get(GATING, {})
        play = of.get(SELFPLAY) or of.get(TEACH, {})
        test = gate.get("sprt") or {}
        row = {
            "generation": generation,
            **{key: play.get(key) for key in ("player", "games", "positions")},
            **{key: fit.get(key) for key in ("rows", "r2", "log_loss")},
            "opponent": gate.get("b"),
            "pairs": gate["games"] // 2 if gate else None,
            **{key: gate.get(key) for key in ("score", "elo")},
            **{key: test.get(key) for key in ("llr", "decision")},
            "promoted": gate.get("promoted"),
        }
        for name in baselines_of(self.options):
            match = of.get(f"{AGAINST} {name}", {})
            for key in _OF_A_MATCH:
                figure, _, end = key.partition("_")
                row["_".join(filter(None, (figure, name, end)))] = match.get(key)
        return row | {"seconds": round(sum(entry["seconds"] for entry in of.values()), 1)}


def baselines_of(options: LearnOptions) -> dict[str, str]:
    """Return what every generation plays for the curve: a name for tables and folders, and who."""
    found = {FIRST: options.start}
    for other in options.gate.baselines:
        found.setdefault(Path(other).name, other)
    return found


def copy_in(folder: Path, baseline: str) -> Path:
    """Return where a run copies a baseline that is a model."""
    return inside(folder, FIRST if baseline == FIRST else f"{BASELINES}/{baseline}")


def _require_names(
    folder: Path, game: Game, named: Mapping[str, str], origins: Sequence[Any]
) -> None:
    """Raise UserError where a baseline has no copy, and is not known by its name."""
    for name, who in named.items():
        copy = copy_in(folder, name)
        is_known = who in evaluator_names(game) or copy.exists() or Path(who).exists()
        if not is_known and (files := unnamed(origins)):
            text = f"{folder} goes by the evaluator {who!r}, which is not known here"
            raise PluginNeededError(text, files)


def steps(options: LearnOptions, generations: int) -> Iterator[tuple[int, str]]:
    """Yield the steps of a run in their order: the generation, and what is done."""
    measured = baselines_of(options) if options.gate.curve_pairs else {}
    candidate: tuple[str, ...] = (TEACH,) if options.is_online else (SELFPLAY, TRAIN)
    if options.gate.gate_pairs:
        candidate += (GATING,)
    for generation in range(generations + 1):
        if generation:
            yield from ((generation, step) for step in candidate)
        for name in measured:
            if generation or name != FIRST:
                yield generation, f"{AGAINST} {name}"


def steps_left(run: Run, generations: int) -> list[tuple[int, str]]:
    """Return the steps that are yet to be done."""
    done = {(entry["generation"], entry["step"]) for entry in run.log}
    return [step for step in steps(run.options, generations) if step not in done]


def learned_from(run: Run, generation: int) -> range:
    """Return the generations whose games the candidate of a generation learns from."""
    return range(max(1, generation - run.options.last + 1), generation + 1)


def seed_of(options: LearnOptions, *purpose: int) -> int:
    """Return a seed below 2**32 for one purpose: the same numbers give the same seed."""
    return int(np.random.SeedSequence((options.seed, *purpose)).generate_state(1)[0])


def difference(mine: LearnOptions, theirs: LearnOptions) -> tuple[str, Any, Any] | None:
    """Return the first setting in which two differ, with its two values; None for none."""
    known = plain(theirs.flat())
    for name, value in plain(mine.flat()).items():
        other = known[name]
        if value != other:
            return name, value, other
    return None


def require_settings(asked: LearnOptions, run: Run) -> None:
    """Raise UserError where a run was begun with other options than are asked for now."""
    found = difference(asked, run.options)
    if found is not None:
        name, now, then = found
        raise UserError(
            f"{run.folder} was started with {name} = {_said(then)}, not {_said(now)}; to "
            "continue leave it unchanged, or choose another folder"
        )


def _said(value: Any) -> str:
    return "nothing" if value is None else str(value)
