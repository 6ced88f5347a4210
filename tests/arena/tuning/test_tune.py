"""Tuning runs: players with numbers, and folders that are killed and continued."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import samuel
from samuel.arena.running import Journal
from samuel.common.errors import UserError

GAME, UCT = "tic_tac_toe", "uct:playouts=9"
SCALE = "scale=1,0.5,4,0.5"
# the legal move that comes first, by Margin's parity from either end
ENGINE = """
import sys
values = {}
for line in sys.stdin:
    words = line.split()
    if words == ["uci"]:
        print("id name Toy")
        print("option name Margin type spin default 80 min 0 max 250")
        print("option name Factor type string default 1.5")
        print("option name Ponder type check default false")
        print("option name UCI_Variant type combo default chess var tic_tac_toe")
        print("uciok")
    elif words[:1] == ["setoption"]:
        with open(sys.argv[1], "a") as log:
            log.write(line)
    elif words == ["isready"]:
        print("readyok")
    elif words[:1] == ["position"]:
        taken = words[words.index("moves") + 1 :] if "moves" in words else []
    elif words[:1] == ["go"]:
        free = [c + r for r in "123" for c in "abc" if c + r not in taken]
        print("bestmove", free[0])
    elif words == ["quit"]:
        break
    sys.stdout.flush()
"""


def tuned(**more: Any) -> samuel.TuneResult:
    asked = {"player": "zero", "parameters": [SCALE], "game": GAME, "method": UCT}
    return samuel.tune(**{**asked, "games": 80, "pairs": 4, **more})


@pytest.fixture
def engine(tmp_path: Path) -> str:
    (tmp_path / "toy.py").write_text(ENGINE)
    return "uci:" + shlex.join([sys.executable, str(tmp_path / "toy.py"), str(tmp_path / "log")])


def test_one_seed_gives_one_course_whatever_the_workers() -> None:
    one, other, another = tuned(), tuned(jobs=2), tuned(seed=1)
    assert one.steps == other.steps != another.steps
    assert one.steps[-1].games == one.games == 80
    assert one.as_dict()["parameters"][0]["noise"] == pytest.approx(other.noise[0]) != 0


def test_a_run_that_is_killed_twenty_times_comes_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tuned(games=84)
    keep, kills, left = Journal.keep, 0, [0]

    def keep_until_killed(journal: Journal, pair: Any) -> None:
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        keep(journal, pair)

    monkeypatch.setattr(Journal, "keep", keep_until_killed)
    sent: list[dict[str, Any]] = []
    while True:
        left[0] = 2
        told: list[int] = []  # for the pace: no pairs of earlier runs one after the other
        follow = {"progress": lambda result, told=told: told.append(len(result.pairs))}
        try:
            result = tuned(games=84, out=tmp_path / "run", on_step=sent.append, **follow)
            break
        except KeyboardInterrupt:
            assert min(told) >= 2 * kills
            kills += 1
            with open(tmp_path / "run" / "journal.jsonl", "ab") as file:
                file.write(b'[{"cut off')
    assert kills == 20
    assert result.steps == whole.steps
    assert [one["step"] for one in sent] == [*range(1, 12)]
    assert {one["event"] for one in sent} == {"tune"}
    assert sent[-1]["value_scale"] == result.steps[-1].values[0]


@pytest.mark.parametrize(
    "changed", [{"games": 100}, {"pairs": 5}, {"r_end": 0.01}, {"parameters": ["scale=1,0.5,4,1"]}]
)
def test_a_folder_of_other_settings_is_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    tuned(games=8, out=tmp_path / "run")
    with pytest.raises(UserError, match="another match, tournament or tuning run"):
        tuned(**{"games": 8, "out": tmp_path / "run", **changed})


def test_options_of_an_engine_are_set_as_integers_and_numbers(engine: str, tmp_path: Path) -> None:
    asked = ["margin=80,20,200,8", "Factor=1.5,1,2,0.1"]
    result = tuned(player=engine, parameters=asked, games=8, pairs=2, nodes=1)
    assert [one.name for one in result.parameters] == ["Margin", "Factor"]
    log = (tmp_path / "log").read_text().splitlines()
    values = {line.split()[-1] for line in log if " Margin " in line}
    assert values and all(abs(int(value) - 80) in range(7, 13) for value in values - {"80"})
    assert any(" Factor value 1.6" in line or " Factor value 1.5" in line for line in log)
    texts = shlex.split(result.command)[3:6:2]
    again = samuel.match(*texts, game=GAME, nodes=1, pairs=1)
    assert again.names == ("tuned", "untuned")


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("Margn=80,20,200,8", "did you mean Margin"),
        ("Margin=80,20,300,8", "from 0 to 250"),
        ("Margin=80.5,20,200,8", "is an integer"),
        ("Ponder=1,0,2,1", "no number"),
    ],
)
def test_what_an_engine_does_not_declare_is_refused(engine: str, parameter: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        tuned(player=engine, parameters=[parameter])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parameters": ["scael=1,0.5,4,0.5"]}, "did you mean scale"),
        ({"parameters": ["playouts=9,-3,20,3"]}, "playouts"),
        ({"parameters": [SCALE, SCALE]}, "once"),
        ({"parameters": []}, "at least one"),
        ({"method": "greedy"}, "no number of greedy"),
        ({"method": "alphabeta", "parameters": ["probes=1,1,9,1"]}, "'probes'; there are probcut"),
        ({"parameters": ["seed=1,1,9,1"]}, "there are exploration, playout_plies, playouts, scale"),
        ({"player": "gtp:x"}, "no options to tune"),
        ({"sampler": "spsb"}, "did you mean spsa"),
    ],
)
def test_what_cannot_be_tuned_is_refused_before_the_first_game(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=said):
        tuned(out=tmp_path / "run", **changed)
    assert not (tmp_path / "run").exists()


def test_the_confidence_of_probcut_is_a_number_to_tune() -> None:
    result = samuel.tune("classic", ["probcut=1.2,0.5,3,0.2"], depth=5, games=4, pairs=1, jobs=2)
    assert result.command == (
        "samuel match classic classic --method alphabeta --probcut 1.2 --method-b alphabeta "
        "--probcut-b 1.2 --game othello --depth 5 --seed 1 --sprt 0,5"
    )
    (*_, match) = result.tables()
    assert match.notes == [result.text, "The values are those at the start; play more games."]


def test_the_page_shows_each_course(tmp_path: Path) -> None:
    samuel.write_page(tmp_path / "tune.html", tuned(games=16))
    page = (tmp_path / "tune.html").read_text()
    assert page.count("<svg") == 1
    assert "scale=" in page


def test_the_course_of_any_parameter_is_drawn_by_its_name() -> None:
    two = tuned(games=16, parameters=[SCALE, "exploration=1,0.5,4,0.5"], method="uct:playouts=9")
    drawn = [two.plot(name).get_ylabel() for name in ("Course", "scale", "exploration")]
    assert drawn == ["scale", "scale", "exploration"]


def test_samplers_of_optuna_come_to_the_same_end_again(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    whole, out = tuned(sampler="tpe"), tmp_path / "run"
    lines = (tuned(sampler="tpe", out=out), out / "journal.jsonl")[1].read_text().splitlines()
    (out / "journal.jsonl").write_text("\n".join(lines[: len(lines) // 2]) + "\n")
    assert tuned(sampler="tpe", out=out).steps == whole.steps
    assert json.loads((out / "event.json").read_text())["sampler"] == "tpe"


def test_an_engine_that_ends_in_every_game_ends_the_run(engine: str, tmp_path: Path) -> None:
    broken = ENGINE.replace('print("bestmove", free[0])', "break")
    (tmp_path / "toy.py").write_text(broken)
    with pytest.warns(UserWarning), pytest.raises(UserError, match="6 games in a row"):
        tuned(player=engine, parameters=["margin=80,20,200,8"], games=40, pairs=2, nodes=1)
