"""The package as a user gets it: built, installed in an environment of its own, and used."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import blocks, commands, shortened
from tests.processes import ROOT, TIMEOUT, heed_signals
from tests.test_package import IS_OF_THE_PACKAGE, packages

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
DROPPED = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
"""Runs a command as root for whom, too, a file that is read-only is."""


def call(*words: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=env, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


def test_all_data_of_the_package_is_installed() -> None:
    """No build is needed to see which files the patterns of pyproject.toml find."""
    found = {
        path
        for package, patterns in SETTINGS["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for path in (ROOT / "/".join(package.split(".")[1:])).glob(pattern)
    }
    folders = [path for path in IS_OF_THE_PACKAGE if path.is_dir()]
    files = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    data = {path for path in files if path.suffix not in (".py", ".pyc")}
    assert len(data) > 50 and found == data | {ROOT / "py.typed"}


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make wheel` has built, or else one with a wheel and an sdist of now."""
    if folder := os.environ.get("SAMUEL_DIST"):
        return (ROOT / folder).resolve()
    made = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--outdir", made)
    return made


@pytest.fixture
def user(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with an environment whose packages are read-only, and a folder to work in."""
    home = tmp_path_factory.mktemp("Bücher und 棋")
    call(sys.executable, "-m", "venv", home / "env ä")
    (wheel,) = dist.glob("*.whl")
    pip = [home / "env ä" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    call(*pip, f"{wheel}[web]", "-c", ROOT / "constraints.txt")
    for path in IS_OF_THE_PACKAGE - {ROOT / "__init__.py"}:  # a user's own of the same names
        file = home / "work" / path.name / ("__init__.py" if path.is_dir() else "")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"raise SystemExit('ran the file {path.name} of a user')\n")
    (packages,) = (home / "env ä").glob("lib/*/site-packages")
    call("chmod", "-R", "a-w", packages)
    yield home
    call("chmod", "-R", "u+w", packages)


def typed(user: Path, *words: str) -> tuple[list[str], dict[str, str]]:
    """Return what runs a program of the environment, and a person's variables."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("SAMUEL", "PYTHON"))}
    for name in ("XDG_CACHE_HOME", "VIRTUAL_ENV"):
        inherited.pop(name, None)
    as_root = DROPPED if os.getuid() == 0 and shutil.which("setpriv") else []
    program, *rest = words
    return [*as_root, str(user / "env ä" / "bin" / program), *rest], {
        **inherited,
        "HOME": f"{user}",
    }


def run(user: Path, *words: str) -> str:
    line, env = typed(user, *words)
    return call(*line, cwd=user / "work", env=env)


@pytest.mark.slow
def test_the_wheel_holds_one_name_and_what_users_need(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith("/METADATA"))
        said = archive.read(about).decode()
    tops = {name.partition("/")[0].partition("-")[0] for name in names}
    assert tops == {"samuel", "samuel_learning"}
    held = {str(Path(name).parent).replace("/", ".") for name in names if name.endswith(".py")}
    assert held == packages()
    ours = {path.name for path in IS_OF_THE_PACKAGE if path.suffix == ".py"}
    assert {name[7:] for name in names if re.fullmatch(r"samuel/\w+\.py", name)} == ours
    for folder in (
        "models/shipped",
        "selfplay/openings/books",
        "play/web/page",
        "reports/templates",
    ):
        assert any(name.startswith(f"samuel/{folder}/") for name in names)
    links = re.findall(r"\]\(([^)]+)", said)
    assert len(links) > 20 and all(link.startswith("https://") for link in links)
    assert "Description-Content-Type: text/markdown" in said and "\n# samuel\n" in said


@pytest.mark.slow
@pytest.mark.long
def test_a_user_runs_the_example_of_the_readme_and_the_board(user: Path) -> None:
    (example,) = (b for b in blocks(ROOT / "README.md") if "samuel compare" in b.text)
    for program in (["samuel"], ["python", "-m", "samuel"]):
        assert run(user, *program, "--version").startswith("samuel ")
    assert "learned" in run(user, "samuel", "models")
    for line in commands(example):
        assert run(user, "samuel", *shortened(line))
    assert "<svg" in (user / "work" / "runs" / "compare.html").read_text()
    assert any((user / ".cache" / "samuel").iterdir())
    where = run(user, "python", "-c", "import samuel; print(samuel.Game)")
    assert where == "<class 'samuel.games.game.Game'>\n"
    words, env = typed(user, "samuel", "board", "--port", "0", "--json")
    with subprocess.Popen(
        words, cwd=user / "work", env=env, stdout=subprocess.PIPE, preexec_fn=heed_signals
    ) as served:
        address = json.loads(served.stdout.readline())["address"]  # type: ignore[union-attr]
        with urllib.request.urlopen(address) as page:
            assert b"samuel board" in page.read()
        served.send_signal(signal.SIGINT)
    assert served.returncode == 130


@pytest.mark.slow
def test_an_unpacked_sdist_can_be_installed(dist: Path, tmp_path: Path) -> None:
    (packed,) = dist.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.glob("samuel_learning-*")
    assert not (folder / "tests").exists() and (folder / "examples").is_dir()
    call(
        *[sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"],
        *["--target", tmp_path / "in"],
        folder,
    )
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("samuel/")}
    made = {path for path in (tmp_path / "in" / "samuel").rglob("*") if path.is_file()}
    relative = {path.relative_to(tmp_path / "in").as_posix() for path in made}
    assert {name for name in relative if "__pycache__" not in name} == names
