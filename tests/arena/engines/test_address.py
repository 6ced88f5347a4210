"""How engines are named: a name, a folder and a timeout of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.address import Address, is_engine
from samuel.arena.players import entrant
from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.search.limits import Limits
from tests.arena.engines.helpers import script

OTHELLO = game_named("othello")

_SLOW = """
import os, sys, time
print("testing myself", flush=True)
time.sleep(float(sys.argv[1]))
for line in sys.stdin:
    said = {"protocol_version": "2", "name": os.getcwd()}.get(line.split()[0], "")
    print(f"= {said}\\n", flush=True)
"""


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("gtp:gtp-rhino -l 3", "gtp-rhino -l 3", {"command": "gtp-rhino -l 3"}),
        ("nboard:/opt/x/ntest 7", "ntest 7", {"folder": None, "start": None}),
        ("NTest=nboard:./mNTest7 x", "NTest", {"protocol": "nboard", "command": "./mNTest7 x"}),
        ("gnubg:gnubg -t -q -r", "gnubg -t -q -r", {"protocol": "gnubg"}),
        ("A b=gtp[folder=/a b/c, start=90]:x=1", "A b", {"folder": "/a b/c", "start": 90.0}),
        ("gnubg[depth=3]:gnubg -t", "gnubg -t depth=3", {"depth": 3, "settings": ()}),
        (
            "uci[Clear Hash,start=9,Style=a,b, c,Log=]:x",
            "x Clear Hash= Style=a,b, c Log=",
            {"start": 9, "settings": (("Clear Hash", ""), ("Style", "a,b, c"), ("Log", ""))},
        ),
        ("gtp[limit=none]:x -l 3", "x -l 3", {"is_unlimited": True, "settings": ()}),
        ("gtp[start=0.5]:x [y]:z", "x [y]:z", {"start": 0.5, "command": "x [y]:z"}),
    ],
)
def test_an_address_is_read(text: str, name: str, rest: dict[str, Any]) -> None:
    address = Address.parse(text)
    assert is_engine(text) and address.name == name
    assert {key: getattr(address, key) for key in rest} == rest
    game = game_named({"gnubg": "backgammon", "uci": "chess"}.get(address.protocol, "othello"))
    assert entrant(text, game, Limits(1)).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gtp:", "names no engine"),
        ("=gtp:x", "'=gtp:x' needs a name before the =, such as NTest=nboard"),
        ("gtp[strt=3]:x", "no option of an engine called 'strt'; did you mean start"),
        ("gtp[start=3,4]:x", "no option of an engine called '4'"),
        ("gtp[start=nan]:x", r"start must be .*\(got nan\)"),
        ("gtp[start=soon]:x", r"start must be .*\(got soon\)"),
        ("gtp[depth=0]:x", r"depth must be .*\(got 0\)"),
        ("gtp[depth=two]:x", r"depth must be .*\(got two\)"),
        ("gtp[limit=9]:x", r"limit of an engine must be none \(got '9'\)"),
        ("gtp[limit]:x", "option limit of an engine needs a value; write folder=F"),
        ("gtp[limit=none,depth=2]:x", "limit=none and depth=N of an engine cannot be"),
        ("uci[limit=none]:x", "limit=none is not for uci: its engines think until"),
        ("gpt:rhino", "no protocol of engines called 'gpt'; did you mean gtp"),
        ("gnubgg:x", "did you mean gnubg"),
        ("N=nbord:x", "did you mean nboard"),
    ],
)
def test_what_is_no_address_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        entrant(text, OTHELLO, Limits(1))


def test_an_engine_has_the_time_and_the_folder_that_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.arena.engines.engine.NONSENSE_SECONDS", 0.1)
    with pytest.raises(UserError, match="testing myself"):
        open_engine(f"gtp:{script(tmp_path, _SLOW, '1000')}")
    command = script(tmp_path, _SLOW, "0.3")
    with open_engine(f"gtp[start=60,folder={tmp_path}]:{command}") as engine:
        assert engine.name == str(tmp_path.resolve())
        engine.restart()
        assert engine.name == str(tmp_path.resolve())
    with pytest.raises(UserError, match="where the engine is to run"):
        open_engine(f"gtp[folder={tmp_path / 'nowhere'}]:{command}")
