"""A board's server without a network."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import samuel
from samuel.games import game_named
from samuel.models import load_evaluator

pytest.importorskip("starlette")
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from samuel.play.web.library import Library
from samuel.play.web.server import make_app
from tests.processes import TIMEOUT, environment

TOKEN, PORT = "secret", 8000
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def said_by(client: TestClient, name: str, body: Any, **changes: Any) -> Iterator[Any]:
    """Yield what comes through a web socket, to its end."""
    host = f"127.0.0.1:{PORT}"
    headers = {"origin": f"http://{host}"}
    with client.websocket_connect(f"ws://{host}/live", headers=headers) as socket:
        socket.send_json({"token": TOKEN, "name": name, "body": body} | changes)
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                yield socket.receive_json()


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a dataset, a match, a run with its report, and a model."""
    folder = tmp_path_factory.mktemp("kept")
    plan = samuel.SelfplayPlan(evaluator="classic", depth=1, epsilon=0.1, seed=1)
    dataset = samuel.generate(plan, games=12, out=folder / "games")
    samuel.train(dataset, "ridge", features=["mobility"], out=folder / "mine")
    samuel.match("classic", "wpc", pairs=6, depth=1, out=folder / "match", sprt=(0, 10))
    run = samuel.learn(
        folder / "run", generations=1, games=12, model="ridge", depth=1, gate_pairs=2, curve_pairs=2
    )
    samuel.write_generations(run)
    return folder


@pytest.fixture
def client(kept: Path) -> TestClient:
    """Return a browser of the page's own."""
    library = Library([kept], ["classic"], game_named("othello"))
    load_evaluator("classic", library.game)
    headers = {"x-samuel-token": TOKEN}
    return TestClient(
        make_app(library, TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}", headers=headers
    )


@pytest.fixture
def ask(client: TestClient) -> Callable[..., Any]:
    """Return a function that asks and returns the answer, which has to be one."""

    def ask(name: str, **body: Any) -> Any:
        if name in ("analyse", "curve"):
            return list(said_by(client, name, body))
        response = client.post(f"/api/{name}", json=body)
        assert response.status_code == 200, response.text
        return response.json()

    return ask


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return Chromium, started once for all tests."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("make browser installs Chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(kept: Path) -> Iterator[str]:
    """Return the address of a board that is served."""
    program = "from samuel.cli.main import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", program, "board", str(kept), "--port", "0", "--no-browser"],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    yield server.stdout.readline().split()[1]
    server.terminate()
    server.wait(TIMEOUT)
