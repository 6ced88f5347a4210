"""Files of every kind that is read, damaged at random: they are read, or refused in a sentence.

No code that a file names is run, and nothing outside its folder is written.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import random
import resource
import shutil
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import samuel
from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.standings import read_match, read_result
from samuel.arena.tournament import tournament
from samuel.cli.explain import read_tree
from samuel.common.errors import UserError
from samuel.common.text_files import read_toml
from samuel.features.shapes import pattern_set
from samuel.games import Position, game_named
from samuel.games.obf import read_problems
from samuel.games.playing import random_positions
from samuel.games.rows import canonical_keys
from samuel.learning.generations.folder import begin_run
from samuel.learning.generations.run import Run
from samuel.learning.generations.settings import checked, options_text
from samuel.learning.options import LearnOptions
from samuel.models import (
    NNUERegressor,
    OutcomeNetworks,
    PatternNetwork,
    PatternRegressor,
    Staged,
    TaperedLogistic,
    load_model,
)
from samuel.models.bullet_file import bullet_bytes, read_bullet
from samuel.models.saved.card import ESTIMATOR, WARM_START
from samuel.models.saved.loading import start_from
from samuel.models.saved.saving import save, save_probcut
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.data.splitting import split_keys
from samuel.selfplay.data.summary import summarize
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.cli.conftest import Run as Command
from tests.mutations import EVIL, mutate
from tests.networks import random_network

GAME, MODEL_GAME = "tic_tac_toe", "othello_4x4"
MODELS = ["linear", "mlp", "trees", "patterns", "network", "nnue", "outcomes", "sum", "slow"]
MODELS += ["tapered"]
BYTES = 3 << 30
"""Memory beyond the program's own that reading one file may take."""
PLAN = SelfplayPlan(game=GAME, depth=1, epsilon=0.2, seed=3)
EVENT: dict[str, Any] = {"game": GAME, "depth": 1}
FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
BOARD = "---------------------------OX------XO---------------------------"
MOVES = "e6f4e3f6g5d6e7f5c5"
PLAYS = "  1) 31: 8/5 6/5             52: 13/8 24/22\n  2)  Doubles => 2   Drops\n"
GGF = "".join(f"{'BW'[k % 2]}[{MOVES[2 * k : 2 * k + 2]}//0.1]" for k in range(9))
WTHOR = struct.pack("<4BIHH4B", 20, 14, 1, 1, 2, 0, 2014, 8, 0, 0, 0) + 2 * struct.pack(
    "<3H2B60s",
    *(1, 2, 3, 64, 64),
    bytes(10 * int(MOVES[k + 1]) + ord(MOVES[k]) - 96 for k in range(0, 18, 2)),
)
GAMES: dict[str, tuple[str, bytes]] = {
    "epd": ("chess", f'{FEN} c9 "1-0";\n'.encode() * 3),
    "fen": ("chess", f"{FEN} 0 1; [0.5]\n".encode() * 3),
    "bullet": ("chess", f"{FEN} 0 1 | 12 | 0.5\n".encode() * 3),
    "plain": ("chess", f"fen {FEN} 0 1\nmove e2e4\nscore 3\nply 0\nresult 1\ne\n".encode() * 3),
    "csv": ("chess", f"fen,score,result,move,ply\n{FEN} 0 1,5,0.5,e2e4,0\n".encode()),
    "pgn": ("chess", b'[Result "1-0"]\n\n1. e4 {[%eval 0.3]} e5 (c5 2. a3) 2. Qh5 1-0\n\n' * 3),
    "egaroucid": ("othello", f"{BOARD} +4\n{BOARD} -6\n".encode()),
    "obf": ("othello", f"{BOARD} X; d3:+2; c4:+1;\n{BOARD} X; f5:-3;\n".encode()),
    "transcripts": ("othello", f"{MOVES}\n{BOARD} X: {MOVES}\n".encode()),
    "ggf": (
        "othello",
        f"(;GM[Othello]PB[a]PW[b]RE[+64]TY[8]BO[8 {BOARD.replace('X', '*')} *]{GGF};)\n".encode()
        * 3,
    ),
    "wthor": ("othello", WTHOR),
    "pdn": (
        "checkers",
        b'[Event "a \\\\"b"]\n[FEN "B:W21-32:B1-12"]\n\n1. 11-15 {a} 22-18 $1 2. 15x22 1/2\n\n' * 3,
    ),
    "mat": (
        "backgammon",
        f" 3 point match\n\n Game 1\n a : 0     b : 0\n{PLAYS}     Wins 1 point\n\n".encode() * 3,
    ),
}
"""A game and a sound file for each format that `dataset import` reads."""


@dataclass(frozen=True)
class Kind:
    """A kind of files: what makes a small sample in a folder, reads it, and reads it by command."""

    make: Callable[[Path], object]
    read: Callable[[Path], object]
    command: str = ""
    names: tuple[str, ...] = ("*",)


def _read_dataset(folder: Path) -> None:
    data = Dataset.open(folder / "data")
    _ = repr(data), data.digest
    summarize(data)
    split_keys(
        data.frame()["game_id"].to_numpy(), canonical_keys(data.game, data.positions), 0.3, 0
    )
    generate(PLAN, 14, folder / "data")


def _read_event(folder: Path) -> None:
    found = read_match(folder / "event")
    _ = found.as_dict(), found.frame()
    match("classic", "zero", pairs=4, out=folder / "event", **EVENT)


def _read_result(folder: Path) -> None:
    _ = read_result(folder / "tournament").as_dict()
    tournament(["classic", "zero", "random"], pairs=2, out=folder / "tournament", **EVENT)


def _make_run(folder: Path) -> None:
    its: dict[str, Any] = {"gate_pairs": 2, "curve_pairs": 1, "match_depth": 1, "held_out": 0.3}
    samuel.learn(folder / "run", games=16, model="ridge", generations=1, **EVENT, **its)


def _read_run(folder: Path) -> None:
    run = Run.open(folder / "run")
    _ = repr(run), run.frame(), run.generations
    begin_run(folder / "run", None, None)


def _make_settings(folder: Path) -> None:
    (folder / "my.toml").write_text(options_text(checked(LearnOptions(game=GAME))))


def _read_settings(folder: Path) -> None:
    checked(LearnOptions.of(read_toml(folder / "my.toml"), "my.toml"))


def _read_openings(folder: Path) -> None:
    for name, (game, _) in OPENINGS.items():
        with contextlib.suppress(UserError):
            openings_for(game_named(game), folder / name, 1).transcripts()


OPENINGS: dict[str, tuple[str, str]] = {
    "a.txt": (GAME, "a1b1\nb2a1\nb2b1c3\n\na1 b2 c1\n"),
    "b.epd": ("chess", f"{FEN}\n"),
    "c.pgn": ("chess", '[Event "x"]\n\n1. e4 e5 *\n\n[Event "y"]\n\n1. d4 d5 *\n\n'),
}


def _make_openings(folder: Path) -> None:
    for name, (_, text) in OPENINGS.items():
        (folder / name).write_text(text)


def _make_bullet(folder: Path) -> None:
    content = bullet_bytes(random_network(game_named("chess")))
    (folder / "quantised.bin").write_bytes(content)


def _make_problems(folder: Path) -> None:
    (folder / "problems.obf").write_text(f"{BOARD} X; d3:+18; c4:+12; % one\n\n{BOARD} X;\n")


def _read_problems(folder: Path) -> None:
    for problem in read_problems(folder / "problems.obf"):
        _ = problem.best_score, problem.best_moves, problem.position.text
        problem.position.legal_moves()


def _make_shapes(folder: Path) -> None:
    (folder / "shapes.txt").write_text("corner: a1 a2 b1 b2\n# rows\na1 b1 c1\nmiddle: b2\n")


def _read_shapes(folder: Path) -> None:
    _ = pattern_set(str(folder / "shapes.txt"), GAME).digest


def _make_typed(folder: Path) -> None:
    (folder / "position.txt").write_text("XOX-O--X- O")
    (folder / "moves.txt").write_text("a1b2c3b1c2")


def _read_typed(folder: Path) -> None:
    for name, read in (("position.txt", Position.parse), ("moves.txt", Position.from_transcript)):
        text = (folder / name).read_bytes().decode(errors="replace")
        with contextlib.suppress(UserError):
            _ = read(text, GAME).legal_moves()


def _make_games(format: str, folder: Path) -> None:
    content = GAMES[format][1]
    (folder / "games").write_bytes(content)
    (folder / "games.gz").write_bytes(gzip.compress(content, mtime=0))


def _read_games(format: str, folder: Path) -> None:
    for name in ("games", "games.gz"):
        for how in ("auto", format):
            with contextlib.suppress(UserError):
                out = folder / f"from {name} {how}"
                assert len(import_games([folder / name], out, game=GAMES[format][0], format=how))


def _over_features(*steps: Any) -> Any:

    return make_pipeline(samuel.Features(["square_classes", "mobility"], MODEL_GAME), *steps)


def _estimator(name: str) -> Any:
    """Return a small estimator, which stands for those with its compiled form."""

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
            ["mobility", "regions"],
            MODEL_GAME,
            classes="regions",
            outcomes=(-16, 0, 16),
            units=3,
            warm_start=True,
        ),
        "slow": lambda: _over_features(KernelRidge(kernel="rbf")),
        "tapered": lambda: TaperedLogistic(["mobility", "square_classes"], MODEL_GAME),
    }
    return made[name]()


def _make_model(name: str, folder: Path) -> None:
    X = random_positions(game_named(MODEL_GAME), 150, seed=1)
    discs = np.bitwise_count(X).astype(float) @ [1.0, -1.0]
    estimator = _estimator(name).fit(X, discs)
    save(folder / "model", estimator, name=name, keep_estimator=name == "linear")
    if name == "linear":
        parameters = np.zeros((2, 8, 2, 4), np.float32)
        parameters[:, 4:, 0] = (2, 1, 0, 3)
        save_probcut(folder / "model", parameters)


def _read_model(folder: Path) -> None:
    model = load_model(folder / "model")
    scores = model.predict(random_positions(game_named(MODEL_GAME), 10, seed=1))
    assert np.isfinite(scores).all(), scores
    if WARM_START in model.card["files"]:
        made = {"nnue": "nnue", "mlp": "outcomes"}.get(model.card["kind"], "patterns")
        start_from(_estimator(made), folder / "model")
    if ESTIMATOR in model.card["files"]:
        _ = model.estimator


KINDS: dict[str, Kind] = {
    "dataset": Kind(
        lambda folder: generate(PLAN, 12, folder / "data"),
        _read_dataset,
        "dataset info {}/data",
        ("data/*.json", "data/*.parquet"),
    ),
    "event": Kind(
        lambda folder: match("classic", "zero", pairs=3, out=folder / "event", **EVENT),
        _read_event,
        "games {}/event",
        ("event/*.json", "event/*.jsonl", "event/*.parquet"),
    ),
    "tournament": Kind(
        lambda folder: tournament(["classic", "zero"], pairs=2, out=folder / "tournament", **EVENT),
        _read_result,
        "tournament {}/tournament",
        ("tournament/*.json", "tournament/*.jsonl"),
    ),
    "run": Kind(
        _make_run,
        _read_run,
        "learn --out {}/run --show-settings",
        ("run/state.json", "run/settings.toml"),
    ),
    "settings": Kind(_make_settings, _read_settings, "learn --settings {}/my.toml --show-settings"),
    "openings": Kind(_make_openings, _read_openings),
    "problems": Kind(_make_problems, _read_problems, "solve {}/problems.obf --wld"),
    "bullet": Kind(
        _make_bullet,
        lambda folder: read_bullet(folder / "quantised.bin"),
        "models import {}/quantised.bin --out {}/imported",
    ),
    "shapes": Kind(_make_shapes, _read_shapes),
    "tree": Kind(
        lambda folder: (folder / "tree.json").write_text("[[3, 12, 8], [2, [4, 6.5]], [14, 5, 2]]"),
        lambda folder: read_tree(str(folder / "tree.json")),
        "explain --tree {}/tree.json",
    ),
    "typed": Kind(_make_typed, _read_typed),
    **{
        f"{name} games": Kind(
            functools.partial(_make_games, name),
            functools.partial(_read_games, name),
            f"dataset import {{}}/games --game {game} --out {{}}/imported",
        )
        for name, (game, _) in GAMES.items()
    },
    **{
        f"{name} model": Kind(
            functools.partial(_make_model, name),
            _read_model,
            "models check {}/model",
            ("model/*",),
        )
        for name in MODELS
    },
}


@functools.cache
def _sample(name: str, root: Path) -> Path:
    folder = root / name
    folder.mkdir()
    KINDS[name].make(folder)
    return folder


def _names_in(folder: Path, kind: Kind) -> list[str]:
    files = [file for pattern in kind.names for file in sorted(folder.glob(pattern))]
    return [str(file.relative_to(folder)) for file in files if not file.name.startswith(".")]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


@contextlib.contextmanager
def limited_memory() -> Iterator[None]:
    """Let what takes far more memory than a file has bytes fail."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def damaged(name: str, root: Path, place: Path) -> st.SearchStrategy[Path]:
    """Return folders with a sample of a kind of files, one of them changed."""
    sample, case = _sample(name, root), place / "case" / "files"

    def make(seed: int) -> Path:
        shutil.rmtree(case.parent, ignore_errors=True)
        shutil.copytree(sample, case)
        (case.parent / EVIL).write_text(f"open({str(place / 'victim/MARK')!r}, 'w')")
        mutate(case, _names_in(case, KINDS[name]), random.Random(seed))
        return case

    return st.builds(make, st.integers(0, 1 << 32))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_in_a_sentence(
    name: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir(exist_ok=True)
    folder = data.draw(damaged(name, root, tmp_path))
    monkeypatch.chdir(folder.parent)
    with limited_memory():
        try:
            KINDS[name].read(folder)
        except UserError as error:
            assert "\n" not in str(error)
    assert not list(victim.iterdir())
    assert sorted(file.name for file in folder.parent.iterdir()) == [EVIL, "files"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.command])
def test_a_file_cut_off_is_told_in_a_line_by_its_command(
    name: str, root: Path, tmp_path: Path, run: Command
) -> None:
    kind, folder = KINDS[name], tmp_path / "case"
    shutil.copytree(_sample(name, root), folder)
    file = folder / _names_in(folder, kind)[0]
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 3])
    status, out, err = run(kind.command.replace("{}", str(folder)))
    assert "Traceback" not in err
    assert status == 0 or (status, out, err.count("\n")) == (1, "", 1), err
