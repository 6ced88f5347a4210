"""`samuel board`: what the server answers, and what it refuses."""

from __future__ import annotations

import random

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from samuel.games import Position, game_named
from samuel.play.web.library import Library
from samuel.play.web.server import make_app
from tests.play.web.conftest import PORT, TOKEN

OTHELLO = {"game": "othello"}


def test_the_page_is_told_what_there_is(ask):
    library = ask("library")
    assert {"othello", "checkers", "backgammon"} <= {game["name"] for game in library["games"]}
    assert library["command"].endswith("board")
    view = ask("view", **OTHELLO)
    assert "classic" in view["evaluators"] and any("mine" in e for e in view["evaluators"])
    assert view["names"] == ["Black", "White"]
    dice = ask("view", game="backgammon")
    assert [view["dice"], dice["dice"]] == [False, True]
    assert view["methods"] == ["alphabeta", "greedy", "montecarlo", "uct"]
    assert {"star1", "expectiminimax"} <= set(dice["methods"]) and "star2" not in dice["methods"]
    assert view["own"] and not dice["own"]


@pytest.mark.parametrize("game", ["othello", "checkers", "backgammon", "nim", "xiangqi"])
def test_a_game_is_shown_and_played(ask, game):
    chooser, moves = random.Random(4), []
    for _ in range(12):
        view = ask("view", game=game, moves=moves)
        if view["over"]:
            break
        if view["chance"]:
            moves = [*moves, ask("throw", game=game, moves=moves)["move"]]
        else:
            moves = [*moves, chooser.choice(view["legal"])["move"]]
    assert ask("view", game=game, moves=moves)["moves"] == moves


def test_an_evaluator_replies_and_hints(ask):
    wanted = {**OTHELLO, "moves": ["f5"], "evaluator": "classic", "level": 3}
    assert ask("reply", **wanted)["move"] in Position.from_transcript("f5").legal_moves()
    hint = ask("hint", **wanted)
    assert hint["evaluator"] == "classic" and hint["move"] in hint["moves"]
    assert hint["depth"] >= hint["moves_depth"] >= 1 and hint["score"] is not None
    assert set(hint["moves"]) == set(Position.from_transcript("f5").legal_moves())


def test_moves_of_chess_have_the_names_that_people_write(ask):
    chess = {"game": "chess", "moves": ["e2e4", "e7e5"]}
    view = ask("view", **chess, ahead=["g1f3", "b8c6"])
    assert view["moves_named"] == ["e4", "e5", "Nf3", "Nc6"]
    knight = next(one for one in view["legal"] if one["move"] == "g1f3")
    assert knight["name"] == "Nf3" and knight["paths"] == [["g1", "f3"]]
    figures = view["scene"]["figures"]
    assert {letter: figure[0] for letter, figure in figures.items()} == {
        "P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king",
    }  # fmt: skip
    assert ["e4", "first", "P", 1] in view["scene"]["pieces"] and view["scene"]["turns"]
    castle = ask("view", game="chess", start="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    paths = {one["name"]: one["paths"] for one in castle["legal"]}
    assert paths["O-O"] == [["e1", "g1"], ["e1", "h1"]]
    assert paths["O-O-O"] == [["e1", "c1"], ["e1", "a1"]]
    found = ask("analyse", **chess, evaluators=["classic"], depth=2)
    assert found[-1]["names"] == Position.from_transcript("e2e4 e7e5", "chess").names_of(
        found[-1]["pv"]
    )
    assert ask("paste", game="chess", text="1. e4 e5 2. Nf3")["moves"] == ["e2e4", "e7e5", "g1f3"]


def test_positions_and_transcripts_are_pasted(ask):
    text = Position.from_transcript("f5d6").text
    assert ask("paste", game="othello", text=text) == {"start": text, "moves": []}
    assert ask("paste", game="othello", text="f5 d6\nc3")["moves"] == ["f5", "d6", "c3"]


def test_an_analysis_deepens(ask):
    found = ask("analyse", **OTHELLO, evaluators=["classic", "wpc"], depth=4)
    assert [(one["evaluator"], one["depth"]) for one in found[:4]] == [
        ("classic", 1), ("wpc", 1), ("classic", 2), ("wpc", 2),
    ]  # fmt: skip
    assert found[-1]["depth"] == 4 and len(found[-1]["moves"]) == 4


def test_the_curve_of_a_game_has_all_its_positions(ask):
    moves = ["f5", "d6", "c3", "d3"]
    found = ask("curve", **OTHELLO, moves=moves, evaluator="classic", depth=2)
    assert [point["ply"] for point in found] == list(range(5))
    rest = ask("curve", **OTHELLO, moves=moves, evaluator="classic", depth=2, since=3)
    assert rest == found[3:]
    assert {point["wdl"] for point in found} == {None}  # it has no parameters


def test_the_chances_of_a_curve_are_the_first_players(ask):
    found = ask("curve", game="chess", moves=["f2f3", "e7e5"], evaluator="learned", depth=1)
    assert [sum(point["wdl"]) for point in found] == pytest.approx([1, 1, 1])
    assert all((p["wdl"][0] > p["wdl"][2]) == (p["score"] > 0) for p in found)
    body = {"game": "chess", "moves": ["f2f3"], "evaluators": ["learned"], "depth": 1}
    (line,) = ask("analyse", **body)
    assert (line["wdl"][0] > line["wdl"][2]) == (line["score"] > 0)  # for the side to move


def test_reasons_add_up(ask):
    told = ask("why", **OTHELLO, moves=["f5", "d6"], evaluator="learned")
    assert sum(p["adds"] for p in told["parts"]) == pytest.approx(told["score"])
    two = ask("why", **OTHELLO, moves=["f5", "d6"], evaluator="learned", first="c3", second="c4")
    gap = sum(part["adds"][0] - part["adds"][1] for part in two["parts"])
    assert gap == pytest.approx(two["score"] - two["other"], abs=1e-6)
    after = ask("why", **OTHELLO, moves=["f5", "d6"], evaluator="learned", first="c3")
    assert after["side"] == two["side"] == 0 and after["score"] == two["score"]
    reply = ask("why", **OTHELLO, moves=["f5", "d6", "c3"], evaluator="learned")
    assert reply["side"] == 1 and reply["score"] == -after["score"]


def test_reasons_are_told_in_words(ask):
    told = ask("why", **OTHELLO, moves=["f5", "d6"], evaluator="classic")
    mobility = next(part for part in told["parts"] if part["about"] == "mobility")
    assert mobility["value"] == "5 against 4"
    tables = ask("why", **OTHELLO, moves=["f5", "d6"], evaluator="learned")["parts"]
    assert {"mobility", "potential mobility"} <= {part["about"] for part in tables}
    patterns = [part for part in tables if part["about"].startswith("pattern a1 ")]
    assert patterns and all(set(part["value"]) <= set("BW·") for part in patterns)
    two = ask("why", **OTHELLO, moves=["f5", "d6"], evaluator="classic", first="c3", second="c4")
    row = next(part for part in two["parts"] if part["about"] == "mobility")
    assert all(" against " in value for value in row["values"])
    lines = {"game": "connect_four", "moves": ["4", "1"], "evaluator": "learned"}
    for reply in ([], ["4"]):
        told = ask("why", **{**lines, "moves": lines["moves"] + reply})
        values = {part["about"]: part["value"] for part in told["parts"]}
        assert [values[f"square {name}"] for name in ("d1", "a1", "b1")] == ["X", "O", "empty"]


def test_reports_are_linked(client, ask, kept):
    reports = ask("library")["reports"]
    name = f"{kept.name}/run/report.html"
    page = client.get(f"/reports/{TOKEN}/{reports[name]}")
    assert page.status_code == 200 and "<svg" in page.text
    assert client.get(f"/reports/wrong/{reports[name]}").status_code == 404
    (kept / "link.html").symlink_to("/etc/passwd")
    for place in ("0/../conftest.py", "0/%2e%2e/x", "0//etc/passwd", "0/link.html", "1/x"):
        assert client.get(f"/reports/{TOKEN}/{place}").status_code in (400, 404)
    assert f"{kept.name}/link.html" not in ask("library")["reports"]


@pytest.mark.parametrize(
    "headers",
    [
        {"x-samuel-token": "wrong"},
        {"x-samuel-token": ""},
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1:9"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
    ],
)
def test_nobody_else_may_ask(client, headers):
    response = client.post("/api/library", json={}, headers=headers)
    assert response.status_code == 403 and "error" in response.json()


def test_a_forwarded_port_is_refused_with_the_remedy_which_helps(kept):
    host = "localhost:9000"
    library = Library([kept], [], game_named("othello"))
    headers = {"x-samuel-token": TOKEN, "host": host, "origin": f"http://{host}"}
    for hosts, status in (([], 403), ([host], 200)):
        asks = TestClient(make_app(library, TOKEN, PORT, hosts), headers=headers)
        told = asks.post("/api/library", json={})
        assert told.status_code == status
        assert hosts or f"--host-name {host}" in told.json()["error"]
    other = asks.post("/api/library", json={}, headers={"origin": "http://evil.example"})
    assert other.status_code == 403
    odd = asks.get("/", headers={"host": "<b>;rm -rf"}).json()["error"]
    assert "rm" not in odd and "--host-name HOST:PORT" in odd


def test_the_page_is_served_and_names_no_other_host(client):
    page = client.get("/")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "http://" not in page.text and "https://" not in page.text
    assert client.get("/page/main.js").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/page/../server.py", "/page/%2e%2e/server.py", "/page//etc/passwd", "/page/..%2fshelf.py"],
)
def test_no_file_outside_the_page_is_served(client, path):
    assert client.get(path).status_code in (404, 400)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("view", {"game": "/tmp/game.py"}),
        ("view", {"game": "othello", "moves": ["a1"]}),
        ("view", {"game": "othello", "start": "x"}),
        ("view", {"game": "othello", "moves": ["f5"] * 4000}),
        ("reply", {**OTHELLO, "evaluator": "/tmp"}),
        ("reply", {**OTHELLO, "evaluator": "classic", "level": 99}),
        ("reply", {**OTHELLO, "evaluator": "classic", "method": "uct:playouts=999999999"}),
        ("reply", {"game": "backgammon", "evaluator": "pubeval"}),
        ("throw", OTHELLO),
        ("why", {**OTHELLO, "evaluator": "classic", "first": "a1"}),
        ("paste", {**OTHELLO, "text": "nonsense"}),
    ],
)
def test_what_cannot_be_answered_is_told(client, name, body):
    response = client.post(f"/api/{name}", json=body)
    assert response.status_code == 400 and len(response.json()["error"]) > 5


def test_hostile_messages_leave_the_server_alive(client, ask):
    chooser, host = random.Random(9), f"127.0.0.1:{PORT}"
    for number in range(60):
        headers = {"origin": f"http://{host}"}
        with client.websocket_connect(f"ws://{host}/live", headers=headers) as socket:
            if number % 3 == 0:
                socket.send_bytes(chooser.randbytes(chooser.randrange(1, 200)))
            elif number % 3 == 1:
                socket.send_text("[" * chooser.randrange(1, 50_000))
            else:
                body = {"game": chooser.choice([None, -1, "x" * 30_000, [], {}])}
                socket.send_json({"token": TOKEN, "name": "analyse", "body": body})
            assert "error" in socket.receive_json()
    assert ask("view", **OTHELLO)["moves"] == []


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example"])
def test_no_other_page_opens_a_socket(client, origin):
    headers = {} if origin is None else {"origin": origin}
    address = f"ws://127.0.0.1:{PORT}/live"
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(address, headers=headers):
        pass


NAMES = ["library", "view", "paste", "throw", "reply", "hint", "why"]
NAMES += ["analyse", "curve", "nothing", "../view"]


def hostile(chooser):
    """Return a request that nobody's page would make."""
    path = f"/api/{chooser.choice(NAMES)}"
    kind = chooser.randrange(6)
    if kind == 0:
        return {"method": chooser.choice(["GET", "PUT", "DELETE", "PATCH"]), "url": path}
    if kind == 1:
        return {"method": "POST", "url": path, "content": chooser.randbytes(chooser.randrange(200))}
    if kind == 2:
        return {"method": "POST", "url": path, "content": b"[" * chooser.randrange(1, 100_000)}
    if kind == 3:
        return {"method": "POST", "url": path, "content": b" " * 300_000}
    if kind == 4:
        values = [None, -1, 1e300, "x" * 30_000, [], {}, [[[]]], True, "\x00", "../..", 2**70]
        keys = ["game", "moves", "start", "evaluator", "folder", "level", "text", "surplus"]
        chosen = {key: chooser.choice(values) for key in chooser.sample(keys, 4)}
        return {"method": "POST", "url": path, "json": {**chosen, "surplus": 1}}
    token = "".join(chooser.choices("abc", k=chooser.randrange(40)))
    return {"method": "POST", "url": path, "json": {}, "headers": {"x-samuel-token": token}}


def test_five_hundred_malformed_requests_leave_the_server_alive(client, ask):
    chooser = random.Random(8)
    for _ in range(500):
        request = hostile(chooser)
        response = client.request(**request)
        assert 400 <= response.status_code < 500, (request, response.status_code)
    assert ask("view", **OTHELLO)["moves"] == []


def test_the_command_says_where_and_ends_by_an_interruption(tmp_path):
    """As a person has it: one line with the address, Ctrl-C, no traceback."""
    import json
    import signal
    import urllib.request

    from tests.processes import TIMEOUT, start

    program = "from samuel.cli.main import main; main()"
    served = start("-c", program, "board", str(tmp_path), "--port", "0", "--json")
    about = json.loads(served.stdout.readline())
    address, _, token = about["address"].partition("#")
    assert len(token) > 20 and about["game"] == "othello"
    with urllib.request.urlopen(address) as page:
        assert b"samuel board" in page.read()
    served.send_signal(signal.SIGINT)
    _, errors = served.communicate(timeout=TIMEOUT)
    assert served.returncode == 130 and "Traceback" not in errors


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("board missing", "no folder missing"),
        ("board mine.py", "mine.py is a file of code, not a folder; use --game mine.py"),
        ("board --evaluator nobody", "nobody"),
        ("board --port 0 --host-name http://x/", "localhost:9000"),
    ],
)
def test_what_cannot_be_served_is_told(line, said, capsys, tmp_path, monkeypatch):
    from samuel.cli.main import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()

    with pytest.raises(SystemExit) as stop:
        main(line.split())
    assert stop.value.code == 1 and said in capsys.readouterr().err
