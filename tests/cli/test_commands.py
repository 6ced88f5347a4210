"""What every command does, whichever it is: help, wrong usage, unknown names, JSON, Ctrl-C."""

from __future__ import annotations

import pkgutil
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import samuel
from samuel.cli.app import COMMANDS, place_of
from samuel.cli.options import Subcommand
from samuel.cli.typed import TypedOption
from tests.cli.conftest import Run
from tests.networks import random_network

PLAY = "--game tic_tac_toe --depth 1 --pairs 2 --openings random"
RUN = "--game tic_tac_toe --games 20 --depth 1 --from zero --generations 1"
LINES = {
    "match": f"zero classic {PLAY}",
    "tournament": f"zero classic {PLAY}",
    "bench": "tic_tac_toe random --without classic --nodes 9 --pairs 1 --error 500",
    "sprt": "--wdl 5,6,7",
    "tune": "zero --game tic_tac_toe --method uct:playouts=9,playout_plies=0 --games 8 --pairs 2 "
    "--parameter exploration=1,0,4,1",
    "games": "event",
    "search": "--game tic_tac_toe --depth 1",
    "explain": "--game tic_tac_toe --depth 1 --out it.svg",
    "solve": "x.obf --game tic_tac_toe",
    "perft": "--game tic_tac_toe --depth 2 --divide",
    "selfplay": "--game tic_tac_toe --depth 1 --games 3 --out it",
    "train": "data --features corners --out it",
    "play": "--game tic_tac_toe --evaluator zero --level 1 --side none",
    "board": "--game tic_tac_toe",
    "serve gtp": "--game tic_tac_toe --depth 1",
    "serve nboard": "--depth 1",
    "serve uci": "--game chess --depth 1",
    "serve ucci": "--game xiangqi --depth 1",
    "serve gomocup": "--game gomoku --depth 1",
    "models list": "--game tic_tac_toe",
    "models check": "--game tic_tac_toe --features corners",
    "models export": "model --format c --out it.h",
    "models import": "net.bin --out it",
    "models tune": "terms.csv",
    "models probcut": "deep --positions 100 --max-depth 4",
    "models wdl": "four --out it.c --report it.html",
    "learn": f"{RUN} --gate-pairs 0 --curve-pairs 0 --out it",
    "learn compare": f"{RUN} --algorithms tdlambda --seeds 1 --pairs 1 --match-depth 1 --out it",
    "compare": "data --models ridge --report it.html",
    "select": "data --features corners,forks",
    "evaluate": "x.obf --game tic_tac_toe",
    "try": "own.py --games 20 --pairs 1 --depth 1 --out it",
    "dataset info": "data",
    "dataset check": "data --positions 50",
    "dataset merge": "data data --out it",
    "dataset split": "data --out-a it --out-b other",
    "dataset dedupe": "data --out it",
    "dataset filter": "data --plies 1-3 --out it",
    "dataset relabel": "data --depth 1 --evaluator zero --out it",
    "dataset import": "games.txt --game tic_tac_toe --out it",
    "dataset export": "data --format csv --out it.csv",
}
"""A line that each command takes and soon does, in the folder of `made`."""
BOARD = "board"
"""Serves until it is interrupted; tests/play/web has its JSON."""
OWN = """
from samuel import feature
@feature(game="tic_tac_toe")
def mine(position):
    return position[0] & 1
"""


def options_of(command: str) -> list[TypedOption]:
    """Return the options of a command."""
    found: Subcommand = pkgutil.resolve_name(place_of(command))
    return found.options


def with_value(line: str, flag: str, value: str) -> str:
    """Return a line with another value of an option."""
    return f"{re.sub(rf' {flag} [^ ]+', '', line)} {flag}={value}"


RUNNING = [name for name in COMMANDS if name != BOARD]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the lines read."""
    folder = tmp_path_factory.mktemp("commands")
    data = samuel.generate(game="tic_tac_toe", depth=1, games=40, seed=1, out=folder / "data")
    samuel.train(data, features=["corners"], out=folder / "model")
    deep = samuel.generate(game="othello_4x4", depth=1, games=40, seed=1, out=folder / "4x4")
    samuel.train(deep, features=["mobility"], out=folder / "deep")
    samuel.generate(game="connect_four", depth=1, games=40, seed=1, out=folder / "four")
    samuel.match(
        *("zero", "classic"),
        **{"game": "tic_tac_toe", "pairs": 2, "openings": "random", "out": folder / "event"},
        limits=samuel.Limits(1),
    )
    from samuel.games import game_named
    from samuel.models.bullet_file import bullet_bytes

    (folder / "net.bin").write_bytes(bullet_bytes(random_network(game_named("chess"), 32)))
    (folder / "x.obf").write_text("XOX-O--X- O\n")
    (folder / "games.txt").write_text("a1b1a2b2a3\n")
    (folder / "own.py").write_text(OWN)
    rows = [f"{k % 5},{k % 3},{(k % 7) / 6},{k // 10}\n" for k in range(200)]
    (folder / "terms.csv").write_text("pawns,knights,result,game\n" + "".join(rows))
    return folder


@pytest.fixture
def made(run: Run, once: Path, tmp_path: Path) -> Path:
    """Return the current folder, with what the lines read."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_every_command_has_a_line() -> None:
    assert set(COMMANDS) == set(LINES)


@pytest.mark.parametrize(
    "command",
    [
        name
        for name in COMMANDS
        if {"depth", "method"} <= {one.name for one in options_of(name)}
        and name not in ("explain", "tune")  # which draw a tree, or name parameters of a method
    ],
)
def test_limits_of_alpha_beta_are_refused_with_methods_that_do_not_read_them(
    run: Run, made: Path, command: str
) -> None:
    line = re.sub(r" --(depth|level) \d", "", f"{command} {LINES[command]}")
    for method in ("uct:playouts=5,playout_plies=0", "greedy"):
        for flag in ("--depth", "--exact-from"):
            said = run.misused(f"{line} --method {method} {flag} 2")
            assert f"{flag} is for alpha-beta only" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_outputs_are_checked_before_any_work(
    run: Run, made: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: Subcommand = pkgutil.resolve_name(place_of(command))
    outputs = [one for one in found.options if one.name in ("out", "out_a", "out_b", "report")]
    monkeypatch.setattr(found, "function", lambda: pytest.fail("work began"))
    for one in outputs:
        place = "data" if one.metavar == "FILE" else "x.obf/it"
        said = run.refused(with_value(f"{command} {LINES[command]}", one.flag, place))
        assert "a folder" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_whose_options_exist(run: Run, command: str) -> None:
    text = run.done(f"{command} --help")
    shown = "serve uci" if command == "serve ucci" else command
    example = re.search(rf"^Example: samuel {shown}\b.*?\n\n", text, re.DOTALL | re.MULTILINE)
    assert example
    for option in re.findall(r"--[a-z-]+", example[0]):
        assert text.count(option) >= 2, option
    assert {"--json", "--seed", "--plugin"} <= set(re.findall(r"--[a-z-]+", text))


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_usage_is_one_line_that_names_the_option(run: Run, command: str) -> None:
    line = f"{command} {LINES[command]}"
    assert f"see samuel {command.split()[0]}" in run.misused(f"{line} --nothing")
    options = options_of(command)
    if any(one.required for one in options):
        run.misused(command)
    for one in options:
        if one.kind not in (int, float) or not one.flag:
            continue
        wrong = ["nan"]
        wrong += [str(one.least - 1)] if one.least is not None else []
        wrong += [str(10 * one.most + 1)] if one.most is not None else []
        for value in wrong:
            flag = one.flag
            assert f"{flag} must be" in run.misused(with_value(line, flag, value)), value
    assert not list(Path().iterdir())


UNKNOWN = {
    "game": ("nonsense", "no game called 'nonsense'"),
    "evaluator": ("nobody", "no evaluator called 'nobody'"),
    "plugin": ("missing.py", "missing.py is missing"),
    "features": ("nonsense", "no feature called 'nonsense'"),
    "model": ("nonsense", "nonsense"),
    "out": ("''", "the name of the output is empty"),
    "report": ("data", "is a folder"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_unknown_names_are_one_line_that_says_so(run: Run, command: str, made: Path) -> None:
    line = f"{command} {LINES[command]}"
    before = sorted(made.iterdir())
    for one in options_of(command):
        if one.flag and one.name in UNKNOWN:
            name, message = UNKNOWN[one.name]
            if one.name == "features" and command in ("models list", "models import"):
                continue  # a flag; of another format
            assert re.search(message, run.refused(with_value(line, one.flag, name))), one.name
        elif one.required and not one.flag:
            rest = LINES[command].partition(" ")[2]
            assert "nowhere" in run.refused(f"{command} nowhere {rest}")
    assert sorted(made.iterdir()) == before


@pytest.mark.parametrize("command", RUNNING)
def test_json_is_one_object_whose_keys_are_documented(run: Run, command: str, made: Path) -> None:
    run.json(f"{command} {LINES[command]}")


@pytest.mark.parametrize("command", [one for one in RUNNING if not one.startswith("serve")])
def test_without_json_there_is_text(run: Run, command: str, made: Path) -> None:
    assert run.done(f"{command} {LINES[command]}").count("\n") >= 1


@pytest.mark.parametrize("command", RUNNING)
def test_ctrl_c_is_one_line_and_status_130(
    run: Run, command: str, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = str(Path(samuel.__file__).parent)
    inside = tuple(f"{package}/{name}/" for name in ("games", "models", "arena", "search"))

    def interrupt(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(inside) and code.co_name[0] != "<":
            sys.setprofile(None)
            raise KeyboardInterrupt

    def begin(*given: Any) -> None:
        sys.setprofile(interrupt)

    monkeypatch.setattr("samuel.cli.options.prepare", begin)
    try:
        status, out, err = run(f"{command} {LINES[command]} --json")
    finally:
        sys.setprofile(None)
    assert (status, out) == (130, "") and err.endswith("samuel: interrupted\n")
    assert "Traceback" not in err
