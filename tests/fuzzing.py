"""Files of every kind that is read, changed at random: nothing but a clear refusal may come of it.

    python -m tests.fuzzing '[["book", 17, 3]]' False

reads three changed books, numbers 17 to 19 (the number is the seed; True: by the command line), and
prints a line of JSON before and after each. `run` starts it as a process of its own with limits on
time and memory, so that a crash, a hang or a memory that fills is found with its number. Without
arguments it reads 20,000 files of all kinds.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError
from tests.mutations import EVIL, mutate

SECONDS, WAITING, BYTES = 60.0, 900.0, 3 << 30
"""Of work and of waiting that reading one file may take; of memory beyond the program's own."""
GAME, MODEL_GAME = "tic_tac_toe", "othello_4x4"


@dataclass(frozen=True)
class Kind:
    """A kind of files.

    Attributes
    ----------
    make
        Makes a small sample in an empty folder.
    reads
        Ways to read it in Python.
    commands
        Ways to read it on the command line; `{}` is the folder.
    names
        Patterns of the files that are changed.
    """

    make: Callable[[Path], object]
    reads: Sequence[Callable[[Path], object]]
    commands: Sequence[str]
    names: tuple[str, ...] = ("*",)


def _make_dataset(folder: Path) -> None:
    from samuel.selfplay import SelfplayPlan, generate

    generate(SelfplayPlan(game=GAME, depth=1, epsilon=0.2, seed=3), 12, folder / "data")


def _read_dataset(folder: Path) -> None:
    from samuel.selfplay import Dataset, split_by_game
    from samuel.selfplay.data.summary import summarize

    data = Dataset.open(folder / "data")
    _ = repr(data), data.digest, len(data.columns)
    summarize(data)
    split_by_game(data.frame(), data.positions, data.game, 0.3, 0)


def _derive_dataset(folder: Path) -> None:
    from samuel.selfplay import Dataset, dedupe, export, filter_rows, merge, relabel

    data = Dataset.open(folder / "data")
    export(data, folder / "games.csv", "csv")
    dedupe(data, folder / "deduped")
    filter_rows(merge([data, data], folder / "merged"), folder / "few", remaining=(3, 8))
    relabel(data, folder / "again", "classic", depth=1)


def _learn_dataset(folder: Path) -> None:
    from samuel.learning.fitting.split import Split

    split = Split.of(folder / "data", held_out=0.3)
    split.examples(classifier=False)
    split.examples(classifier=True)


def _resume_dataset(folder: Path) -> None:
    from samuel.selfplay import SelfplayPlan, generate

    generate(SelfplayPlan(game=GAME, depth=1, epsilon=0.2, seed=3), 14, folder / "data")


def _play(folder: Path, pairs: int = 3, **more: Any) -> None:
    from samuel.arena import match

    match("classic", "zero", game=GAME, pairs=pairs, depth=1, out=folder, **more)


def _make_event(folder: Path) -> None:
    from samuel.arena import Sprt

    _play(folder / "event", sprt=Sprt(0, 50))


def _read_event(folder: Path) -> None:
    from samuel.arena.results import read_match

    found = read_match(folder / "event")
    _ = found.as_dict(), found.frame()


def _show_event(folder: Path) -> None:
    from samuel.arena.results import read_match
    from samuel.reports.match.page import write_match_page

    write_match_page(folder / "page.html", read_match(folder / "event"))


def _resume_event(folder: Path) -> None:
    from samuel.arena import Sprt

    _play(folder / "event", 4, sprt=Sprt(0, 50))


def _make_tournament(folder: Path) -> None:
    from samuel.arena import tournament

    its: dict[str, Any] = {"game": GAME, "depth": 1, "pairs": 2}
    tournament(["classic", "zero"], out=folder / "tournament", **its)


def _read_tournament(folder: Path) -> None:
    from samuel.arena import read_tournament

    found = read_tournament(folder / "tournament")
    _ = repr(found), found.as_dict()


def _resume_tournament(folder: Path) -> None:
    from samuel.arena import tournament

    its: dict[str, Any] = {"game": GAME, "depth": 1, "pairs": 2}
    tournament(["classic", "zero", "random"], out=folder / "tournament", **its)


def _make_run(folder: Path) -> None:
    from samuel import learn

    learn(
        folder / "run",
        game=GAME,
        games=16,
        depth=1,
        gate_pairs=2,
        curve_pairs=1,
        match_depth=1,
        model="ridge",
        generations=1,
        held_out=0.3,
    )


def _read_run(folder: Path) -> None:
    from samuel.learning.generations.run import Run
    from samuel.reports.generations.tables import (
        gate_table,
        generation_table,
        strength_table,
        verdict,
    )

    run = Run.open(folder / "run")
    _ = repr(run), run.frame(), run.generations, verdict(run), gate_table(run)
    _ = generation_table(run), strength_table(run)


def _show_run(folder: Path) -> None:
    from samuel.learning.generations.run import Run
    from samuel.reports.generations.page import write_generations

    write_generations(Run.open(folder / "run"), folder / "page.html")


def _resume_run(folder: Path) -> None:
    from samuel.learning.generations.folder import begin_run

    begin_run(folder / "run", None, None)


def _make_settings(folder: Path) -> None:
    from samuel.learning.generations.settings import checked, options_text
    from samuel.learning.options import LearnOptions

    (folder / "my.toml").write_text(options_text(checked(LearnOptions(game=GAME))))


def _read_settings(folder: Path) -> None:
    from samuel.common.text_files import read_toml
    from samuel.learning.generations.settings import checked
    from samuel.learning.options import LearnOptions

    checked(LearnOptions.of(read_toml(folder / "my.toml"), "my.toml"))


def _make_openings(folder: Path) -> None:
    (folder / "openings.txt").write_text("a1b1\nb2a1\nb2b1c3\n\na1 b2 c1\n")


def _read_openings(folder: Path) -> None:
    from samuel.arena.openings import openings_for
    from samuel.games import game_named

    openings_for(game_named(GAME), folder / "openings.txt", 2, fewer=True).transcripts()


def _make_imports(folder: Path) -> None:
    import struct

    moves = "e6f4e3f6g5d6e7f5c5"
    codes = bytes(10 * int(moves[k + 1]) + "abcdefgh".index(moves[k]) + 1 for k in range(0, 18, 2))
    record = struct.pack("<3H2B60s", 1, 2, 3, 64, 64, codes)
    header = struct.pack("<4BIHH4B", 20, 14, 1, 1, 2, 0, 2014, 8, 0, 0, 0)
    (folder / "games.wtb").write_bytes(header + 2 * record)
    board = "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27
    played = "".join(f"{'BW'[k % 2]}[{moves[2 * k : 2 * k + 2]}//0.1]" for k in range(9))
    ggf = f"(;GM[Othello]PC[x]PB[a]PW[b]RE[+64.0]TI[0//0]TY[8]BO[8 {board} *]{played};)"
    (folder / "games.ggf").write_text(f"{ggf}\n{ggf}\n")
    start = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
    (folder / "games.txt").write_text(f"{moves}\n{start} X: {moves}\n")


def _read_imports(folder: Path) -> None:
    from samuel.selfplay import import_games

    for name in ("games.wtb", "games.ggf", "games.txt"):
        with contextlib.suppress(UserError):
            import_games([folder / name], folder / f"from {name}").frame()


def _make_records(folder: Path) -> None:
    tags = '[Event "a \\\\"b\\\\" ]"]\n[Result "1-0"]\n[FEN "B:W21-32:B1-12:H0:F1"]\n\n'
    moves = "1. 11-15 {a} 22-18 $1 2. 15x22 (2. ... 12-16) 25x18!? ; b\n1/2\n\n"
    (folder / "games.pdn").write_text(f"{tags}{moves}" * 3)
    plays = "  1) 31: 8/5 6/5             52: 13/8 24/22\n  2)  Doubles => 2   Drops\n"
    game = f" Game 1\n a : 0     b : 0\n{plays}     Wins 1 point\n\n"
    (folder / "games.mat").write_text(f" 3 point match\n\n{game * 3}")


def _read_records(folder: Path) -> None:
    from samuel.selfplay import import_games

    games = {"games.pdn": "checkers", "games.mat": "backgammon"}
    for name, game in games.items():
        with contextlib.suppress(UserError):
            import_games([folder / name], folder / f"from {name}", game=game).frame()


def _make_bullet(folder: Path) -> None:
    from samuel.games import game_named
    from samuel.models.bullet_file import bullet_bytes
    from tests.networks import random_network

    content = bullet_bytes(random_network(game_named("chess")))
    (folder / "quantised.bin").write_bytes(content)


def _read_bullet(folder: Path) -> None:
    from samuel.models.bullet_file import bullet_bytes, read_bullet

    model = read_bullet(folder / "quantised.bin")
    assert len(bullet_bytes(model.compiled())) == (folder / "quantised.bin").stat().st_size


_PROBLEM = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--"


def _make_problems(folder: Path) -> None:
    (folder / "problems.obf").write_text(
        f"{_PROBLEM} X; G8:+18; H1:+12; % one\n\n# nothing\n{_PROBLEM} O;\n"
    )


def _read_problems(folder: Path) -> None:
    from samuel.games.obf import read_problems

    for problem in read_problems(folder / "problems.obf"):
        _ = problem.best_score, problem.best_moves, str(problem.position), problem.position.text
        problem.position.legal_moves()


def _make_shapes(folder: Path) -> None:
    (folder / "shapes.txt").write_text("corner: a1 a2 b1 b2\n# rows\na1 b1 c1\nmiddle: b2\n")


def _read_shapes(folder: Path) -> None:
    from samuel.features.shapes import pattern_set

    patterns = pattern_set(str(folder / "shapes.txt"), GAME)
    _ = patterns.digest, patterns.n_weights, patterns.weight_of


def _make_tree(folder: Path) -> None:
    (folder / "tree.json").write_text("[[3, 12, 8], [2, [4, 6.5]], [14, 5, 2]]")


def _read_tree(folder: Path) -> None:
    from samuel.cli.explain import read_tree
    from samuel.reports.explained import drawing_of
    from samuel.reports.tree import write_tree
    from samuel.search.reference.explanation import explain_tree

    tree, name = read_tree(str(folder / "tree.json"))
    write_tree(folder / "tree.svg", drawing_of(explain_tree(tree, "alphabeta", name)))


def _make_typed(folder: Path) -> None:
    (folder / "position.txt").write_text("XOX-O--X- O")
    (folder / "moves.txt").write_text("a1b2c3b1c2")


def _read_typed(folder: Path) -> None:
    from samuel.games import Position

    for name, read in (("position.txt", Position.parse), ("moves.txt", Position.from_transcript)):
        text = (folder / name).read_bytes().decode(errors="replace")
        with contextlib.suppress(UserError):
            position = read(text, GAME)
            _ = str(position), position.text, position.legal_moves()


def _over_features(*steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    from samuel import Features

    return make_pipeline(Features(["square_classes", "mobility"], MODEL_GAME), *steps)


def _estimator(name: str) -> Any:
    """Return a small estimator, which stands for those with its compiled form."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import Ridge
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import StandardScaler

    from samuel.models import (
        NNUERegressor,
        OutcomeNetworks,
        PatternNetwork,
        PatternRegressor,
        Staged,
        TaperedLogistic,
    )

    made: dict[str, Callable[[], Any]] = {
        "linear": lambda: Staged(_over_features(Ridge()), (0, 6, 12), MODEL_GAME),
        "mlp": lambda: _over_features(StandardScaler(), MLPRegressor(max_iter=3)),
        "trees": lambda: _over_features(HistGradientBoostingRegressor(max_iter=3)),
        "patterns": lambda: PatternRegressor(
            ["a1 b1 c1", "b2 c3"], MODEL_GAME, stages=3, tables=["mobility_player"], warm_start=True
        ),
        "network": lambda: PatternNetwork(shapes=["a1 b1", "b2"], game=MODEL_GAME, epochs=1),
        "nnue": lambda: NNUERegressor(
            MODEL_GAME,
            **{"units": 16, "hidden": 4, "buckets": 3, "king": "X", "king_areas": 2},
            **{"epochs": 1, "warm_start": True},
        ),
        "sum": lambda: NNUERegressor(
            MODEL_GAME, base=_over_features(Ridge()), units=16, epochs=1, warm_start=True
        ),
        "outcomes": lambda: OutcomeNetworks(
            ["mobility", "holes"],
            MODEL_GAME,
            classes="holes",
            outcomes=(-16, 0, 16),
            units=3,
            warm_start=True,
        ),
        "slow": lambda: _over_features(KernelRidge(kernel="rbf")),
        "tapered": lambda: TaperedLogistic(["mobility", "square_classes"], MODEL_GAME),
    }
    return made[name]()


def _make_model(name: str, folder: Path) -> None:
    import numpy as np

    from samuel.games import game_named
    from samuel.games.playing import random_positions
    from samuel.models.saved.saving import save, save_probcut

    X = random_positions(game_named(MODEL_GAME), 150, seed=1)
    discs = np.bitwise_count(X).astype(float) @ [1.0, -1.0]
    (folder / "position.obf").write_text(f"{'-' * 16} X;\n")
    estimator = _estimator(name).fit(X, discs)
    save(folder / "model", estimator, name=name, keep_estimator=name == "linear")
    if name == "linear":
        parameters = np.zeros((2, 8, 2, 4), np.float32)
        parameters[:, 4:, 0] = (2, 1, 0, 3)
        save_probcut(folder / "model", parameters)


def _read_model(folder: Path) -> None:
    import numpy as np

    from samuel.games import game_named
    from samuel.games.playing import random_positions
    from samuel.models import load_model
    from samuel.models.saved.card import ESTIMATOR, WARM_START
    from samuel.models.saved.loading import start_from

    model = load_model(folder / "model")
    scores = model.predict(random_positions(game_named(MODEL_GAME), 10, seed=1))
    assert np.isfinite(scores).all(), scores
    if WARM_START in model.card["files"]:
        made = {"nnue": "nnue", "mlp": "outcomes"}.get(model.card["kind"], "patterns")
        start_from(_estimator(made), folder / "model")
    if ESTIMATOR in model.card["files"]:
        _ = model.estimator


def _read_tapered(folder: Path) -> None:
    import json

    from samuel.models.saved.loading import load_weights
    from samuel.models.weights import records_of
    from samuel.reports import write_weights

    weights = load_weights(folder / "model")
    if weights is not None:
        json.dumps(records_of(weights.table()), allow_nan=False)
        write_weights(folder / "weights.html", folder / "model")


_EXPORT = ("dataset export {}/data --out {}/games.csv",)
KINDS: dict[str, Kind] = {
    "dataset": Kind(
        _make_dataset,
        (_read_dataset, _read_dataset, _learn_dataset, _derive_dataset, _resume_dataset),
        (
            "dataset info {}/data",
            "dataset info {}/data --json",
            "dataset export {}/data --out {}/x",
        ),
        ("data/*.json", "data/*.parquet"),
    ),
    "event": Kind(
        _make_event,
        (*[_read_event] * 6, *[_resume_event] * 3, _show_event),
        ("games {}/event", "games {}/event --number 2", "games {}/event --report {}/page.html"),
        ("event/*.json", "event/*.jsonl", "event/*.parquet"),
    ),
    "tournament": Kind(
        _make_tournament,
        (_read_tournament, _read_tournament, _resume_tournament),
        ("tournament {}/tournament", "tournament {}/tournament --json"),
        ("tournament/*.json", "tournament/*.jsonl"),
    ),
    "run": Kind(
        _make_run,
        (*[_read_run] * 6, *[_resume_run] * 3, _show_run),
        ("learn --out {}/run --generations 1",),
        ("run/state.json", "run/state.json", "run/settings.toml"),
    ),
    "settings": Kind(_make_settings, (_read_settings,), ()),
    "openings": Kind(
        _make_openings,
        (_read_openings,),
        (f"match classic zero --game {GAME} --pairs 1 --depth 1 --openings {{}}/openings.txt",),
    ),
    "games": Kind(
        _make_imports,
        (_read_imports,),
        ("dataset import {}/games.wtb {}/games.ggf {}/games.txt --out {}/imported",),
    ),
    "records": Kind(
        _make_records,
        (_read_records,),
        ("dataset import {}/games.pdn --game checkers --out {}/imported",),
    ),
    "problems": Kind(_make_problems, (_read_problems,), ("solve {}/problems.obf --wld --json",)),
    "bullet": Kind(
        _make_bullet,
        (_read_bullet,),
        ("models import {}/quantised.bin --out {}/imported",),
    ),
    "shapes": Kind(_make_shapes, (_read_shapes,), ()),
    "tree": Kind(_make_tree, (_read_tree,), ("explain --tree {}/tree.json --out {}/tree.svg",)),
    "typed": Kind(_make_typed, (_read_typed,), ()),
}
_EVALUATE = (f"evaluate {{}}/position.obf --evaluator {{}}/model --game {MODEL_GAME}",)
MODELS = ("linear", "mlp", "trees", "patterns", "network", "nnue", "outcomes", "sum", "slow")
KINDS |= {
    f"{name} model": Kind(
        functools.partial(_make_model, name),
        (_read_model,),
        _EVALUATE if name == "linear" else (),
        ("model/*",),
    )
    for name in MODELS
}
_TAPERED = "models {}/model --game " + MODEL_GAME
KINDS["tapered model"] = Kind(
    functools.partial(_make_model, "tapered"),
    (_read_model, _read_tapered, _read_tapered),
    (
        _TAPERED,
        f"{_TAPERED} --json",
        f"{_TAPERED} --report {{}}/page.html",
        f"models export {{}}/model --game {MODEL_GAME} --format csv --out {{}}/weights.csv",
        *_EVALUATE,
    ),
    ("model/*",),
)


def read_many(
    kind: Kind, first: int, count: int, is_command: bool, say: Callable[..., None]
) -> None:
    """Read changed files of a kind in this process; `say` takes what happens, as keywords."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as place:
        sample, outside = Path(place, "sample"), Path(place, "victim")
        for folder in (sample, outside):
            folder.mkdir()
        kind.make(sample)
        (outside / "thesis.txt").write_text("ten years")
        names = [
            str(file.relative_to(sample))
            for pattern in kind.names
            for file in sorted(sample.glob(pattern))
            if file.is_file() and not file.name.startswith(".")
        ]
        _limit_memory()
        here = os.getcwd()
        os.chdir(place)
        for number in range(first, first + count):
            chance = random.Random(number)
            case = Path(place, "case", "files")
            shutil.rmtree(case.parent, ignore_errors=True)
            shutil.copytree(sample, case)
            (case.parent / EVIL).write_text(f"open({place!r} + '/victim/MARK', 'w')")
            shutil.copy(case.parent / EVIL, place)
            what = mutate(case, names, chance)
            say(number=number, what=what)
            _set_timers(SECONDS, WAITING)
            outcome = (_by_command if is_command else _in_python)(kind, case, chance)
            _set_timers(0.0, 0.0)
            if [file.name for file in outside.iterdir()] != ["thesis.txt"]:
                outcome = f"FAULT: {sorted(file.name for file in outside.iterdir())} outside"
            others = sorted(f.name for f in Path(place).iterdir())
            if others != ["case", EVIL, "sample", "victim"]:
                outcome = f"FAULT: {others} beside"
            say(number=number, outcome=outcome)
        os.chdir(here)


def _set_timers(work: float, waiting: float) -> None:
    """Let the system end this process after so many seconds, also inside a kernel; 0 for never."""
    signal.setitimer(signal.ITIMER_PROF, work)
    signal.setitimer(signal.ITIMER_REAL, waiting)


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, resource.RLIM_INFINITY))


def _in_python(kind: Kind, case: Path, chance: random.Random) -> str:
    try:
        chance.choice(kind.reads)(case)
    except UserError as error:
        return "refused" if "\n" not in str(error) else f"FAULT: two lines: {error}"
    except BaseException:
        return f"FAULT: {traceback.format_exc()}"
    return "read"


def _by_command(kind: Kind, case: Path, chance: random.Random) -> str:
    import shlex

    from samuel.cli.main import main

    line, err = chance.choice(kind.commands).replace("{}", str(case)), io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            main(shlex.split(line))
    except SystemExit as stop:
        said = err.getvalue()
        if stop.code in (None, 0):
            return "read"
        if stop.code == 1 and said.splitlines()[-1:][0:1] and "Traceback" not in said:
            return "refused"
        return f"FAULT: {line}: status {stop.code}: {said}"
    except BaseException:
        return f"FAULT: {line}: {traceback.format_exc()}"
    return "FAULT: it did not end"


def run(
    counts: Mapping[str, int], first: int, is_command: bool = False
) -> tuple[dict[str, Counter[str]], list[str]]:
    """Read so many changed files of each kind, number `first` and on, in a process of its own.

    Returns
    -------
    How often what came of it, by kind, and what was wrong. After a crash or a hang, another process
    goes on with the next file.
    """
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in counts}
    faults: list[str] = []
    jobs = [(kind, first, count) for kind, count in counts.items()]
    while jobs:
        child = subprocess.run(
            [sys.executable, "-m", "tests.fuzzing", json.dumps(jobs), str(is_command)],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parent.parent,
        )
        kind, number, what = jobs[0][0], None, ""
        for line in child.stdout.splitlines():
            said = json.loads(line)
            kind, number, what = said["kind"], said["number"], said.get("what", what)
            if "outcome" in said:
                outcome, _, detail = said["outcome"].partition(": ")
                outcomes[kind][outcome] += 1
                faults += [f"{kind} {number} ({what}): {detail}"] * (outcome == "FAULT")
                what = ""
        if not child.returncode:
            break
        if number is None or not what:  # it came to no file
            return outcomes, [*faults, f"{kind}: no process: {child.stderr[-3000:]}"]
        is_stopped = -child.returncode in (signal.SIGALRM, signal.SIGPROF)
        reason = "no end" if is_stopped else child.returncode
        faults.append(f"{kind} {number} ({what}): it ended by {reason}: {child.stderr[-2000:]}")
        outcomes[kind]["CRASH"] += 1
        place = [job[0] for job in jobs].index(kind)
        begun = jobs[place][1] + jobs[place][2]
        jobs = [(kind, number + 1, begun - number - 1), *jobs[place + 1 :]]
    return outcomes, faults


def read_all(count: int = 20_000, commands: int = 60) -> None:
    """Read that many changed files and so many by each kind's commands; fail with the faults."""
    outcomes, faults = run(dict.fromkeys(KINDS, count // len(KINDS)), 1000)
    by_command = {kind: commands for kind in KINDS if KINDS[kind].commands}
    more, found = run(by_command, 100_000, is_command=True)
    for kind, counts in [*outcomes.items(), *more.items()]:
        print(f"{kind}: {dict(counts)}")
    if faults + found:
        sys.exit("\n".join(faults + found))


def main(jobs: str, is_command: str) -> None:
    """Do what the page above says."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    for kind, first, count in json.loads(jobs):

        def say(kind: str = kind, **said: Any) -> None:
            print(json.dumps({"kind": kind, **said}), file=out)

        read_many(KINDS[kind], first, count, is_command == "True", say)


if __name__ == "__main__":
    main(*sys.argv[1:]) if sys.argv[1:] else read_all()
