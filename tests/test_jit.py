"""The disk cache of compiled code: right after any edit, whole after any accident."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from numba import int64

from samuel.games import Evaluator
from samuel.kernels.cache import KEPT_VERSIONS
from samuel.kernels.jit import jit
from tests.processes import ROOT, finish, run, start
from tests.rarely import rarely

A = """
import json
from numba import int64
from b import double_of_sum
from samuel.kernels.jit import jit

@jit(int64(int64, int64))
def kernel(x, y):
    return double_of_sum(x, y) + 1

if __name__ == "__main__":
    import a
    result = a.kernel(1, 2)
    stats = a.kernel.stats
    print(json.dumps([result, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""
B = """
import c
from samuel.kernels.jit import jit

@jit
def double_of_sum(x, y):
    return 2 * c.weighted_sum(c.Pair(x, y))
"""
C = """
from typing import NamedTuple
from samuel.kernels.jit import jit

SAME, WEIGHT, OTHER = 10, 10, 20
TABLE = (1, 1)

class Pair(NamedTuple):
    first: int
    second: int

@jit
def weighted_sum(pair):
    return pair.first + WEIGHT * pair.second + 1000 * (OTHER - SAME) * TABLE[1]
"""
RESULT = 2 * (1 + 10 * 2 + 10_000) + 1


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., tuple[int, bool]]:
    """Return what edits `c.py` and runs the program in a fresh process: (result, from cache)."""
    files = {"a.py": A, "b.py": B, "c.py": C, "unrelated.py": "NUMBER = 1\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def edit_and_run(old: str = "", new: str = "", file: str = "c.py") -> tuple[int, bool]:
        text = files[file]
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new))
        env = {
            "SAMUEL_CACHE": str(tmp_path / "cache"),
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), str(tmp_path), os.environ.get("PYTHONPATH", "")]
            ),
        }
        result, hits, misses = json.loads(run(tmp_path / "a.py", env=env))
        assert hits + misses == 1
        return result, hits == 1

    return edit_and_run


def test_a_second_process_finds_the_compiled_code(program: Any) -> None:
    assert program() == (RESULT, False)
    assert program() == (RESULT, True)


READ_ONLY = """
import os, runpy, sys, tempfile
cache, has_temporary_folder = os.environ["SAMUEL_CACHE"], sys.argv[1] == "True"
can = os.access
os.access = lambda path, mode: can(path, mode) and not (mode & os.W_OK and str(path) == cache)
def refuse(*_, **__):
    raise FileNotFoundError("no usable temporary directory")
if not has_temporary_folder:
    tempfile.gettempdir = tempfile.mkdtemp = refuse
runpy.run_path(sys.argv[2], run_name="__main__")
"""


@pytest.mark.parametrize("has_temporary_folder", [True, False])
def test_a_cache_that_cannot_be_written_is_read(
    program: Any, tmp_path: Path, has_temporary_folder: bool
) -> None:
    assert program() == (RESULT, False)
    before = sorted((tmp_path / "cache").iterdir())
    (temporary := tmp_path / "temporary").mkdir()
    env = {
        "SAMUEL_CACHE": str(tmp_path / "cache"),
        "TMPDIR": str(temporary),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    }
    said = run("-c", READ_ONLY, str(has_temporary_folder), tmp_path / "a.py", env=env)
    assert json.loads(said) == [RESULT, 1, 0]
    assert sorted((tmp_path / "cache").iterdir()) == before


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("return pair.first + ", "return 7 * pair.first + ", RESULT + 2 * 6),
        rarely("OTHER = 10, 10, 20", "OTHER = 10, 11, 20", RESULT + 4),
        # the constant becomes equal to another one, so that both are one object
        rarely("OTHER = 10, 10, 20", "OTHER = 10, 20, 20", RESULT + 40),
        rarely("TABLE = (1, 1)", "TABLE = (1, 3)", RESULT + 40_000),
        rarely("    first: int\n    second", "    second: int\n    first", RESULT + 2 * (12 - 21)),
    ],
    ids=["code", "constant", "constant like another", "tuple", "fields of a named tuple"],
)
def test_an_edit_two_files_away_gives_the_new_result(
    program: Any, old: str, new: str, result: int
) -> None:
    assert program() == (RESULT, False)
    assert program(old, new) == (result, False)
    assert program() == (RESULT, True), "going back to the old code finds what was compiled of it"


def test_an_edit_of_a_file_that_is_not_reached_compiles_nothing(program: Any) -> None:
    assert program() == (RESULT, False)
    assert program("NUMBER = 1", "NUMBER = 2", file="unrelated.py") == (RESULT, True)


@pytest.mark.slow
def test_constants_from_a_file_without_functions_are_followed(tmp_path: Path) -> None:
    (tmp_path / "constants.py").write_text("X = 4\nY = 4\nZ = 5\n")
    (tmp_path / "kernel.py").write_text(
        "from numba import int64\nfrom samuel import jit\nfrom constants import X, Y, Z\n"
        "@jit(int64())\ndef f():\n    return X * 100 + Y * 10 + Z\nprint(f())\n"
    )
    env = {"SAMUEL_CACHE": str(tmp_path / "cache"), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    assert run(tmp_path / "kernel.py", env=env).strip() == "445"
    (tmp_path / "constants.py").write_text("X = 5\nY = 4\nZ = 5\n")
    assert run(tmp_path / "kernel.py", env=env).strip() == "545"


@pytest.mark.slow
def test_the_fields_of_a_named_tuple_in_the_signature_are_followed(tmp_path: Path) -> None:
    fields = "from typing import NamedTuple\nfrom numba import int64, types\n"
    fields += "class Pair(NamedTuple):\n    {}: int\n    {}: int\n"
    fields += "PAIR = types.NamedUniTuple(int64, 2, Pair)\n"
    (tmp_path / "fields.py").write_text(fields.format("first", "second"))
    (tmp_path / "kernel.py").write_text(
        "from numba import int64\nfrom samuel import jit\nfrom fields import PAIR, Pair\n"
        "@jit(int64(PAIR))\ndef f(pair):\n    return pair.first\n"
        "print(f(Pair(first=1, second=2)))\n"
    )
    env = {"SAMUEL_CACHE": str(tmp_path / "cache"), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    assert run(tmp_path / "kernel.py", env=env).strip() == "1"
    (tmp_path / "fields.py").write_text(fields.format("second", "first"))
    assert run(tmp_path / "kernel.py", env=env).strip() == "1"


COMPOSED = """
import sys
from numba import int64
from samuel.kernels.pointers import compose
from samuel.kernels.jit import jit

def adder(n):
    @jit
    def part(x):
        return x + n
    part.py_func.__qualname__ = f"part_{n}"
    return part

made = [
    compose("f", "def f(x):\\n    return part(x)", {"part": adder(int(n))}, int64(int64))
    for n in sys.argv[1:]
]
print([f(0) for f in made], sum(sum(f.stats.cache_hits.values()) for f in made))
"""


@pytest.mark.slow
def test_composed_functions_are_kept_apart_on_disk_and_in_the_process(tmp_path: Path) -> None:
    script = tmp_path / "composed.py"
    script.write_text(COMPOSED)
    env = {"SAMUEL_CACHE": str(tmp_path / "cache")}
    # each is the first function of its process, so that numba numbers them alike
    for n in "1", "2", "3":
        assert run(script, n, env=env).split() == [f"[{n}]", "0"]
    assert run(script, "1", "2", "3", env=env).strip() == "[1, 2, 3] 3"
    many = [str(n) for n in range(1, KEPT_VERSIONS + 3)]
    run(script, *many, env=env)
    assert run(script, *many, env=env).split()[-1] == str(len(many)), "one drove out another"


@pytest.mark.slow
def test_processes_that_compile_at_the_same_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    script = tmp_path / "composed.py"
    script.write_text(COMPOSED)
    env = {"SAMUEL_CACHE": str(tmp_path / "cache")}
    together = [start(script, "1", "2", "3", env=env) for _ in range(4)]
    for process in together:
        assert finish(process).startswith("[1, 2, 3] ")
    assert run(script, "1", "2", "3", env=env).strip() == "[1, 2, 3] 3"


THREADS = """
import threading
from numba import int64
from samuel.kernels.jit import jit

@jit
def helper(n):
    return n * 2

@jit(int64(int64))
def inner(n):
    return helper(n) if n < 9 else inner(n - 9)

@jit(int64(int64))
def outer(n):
    return inner(n) + 1

ready, results = threading.Barrier(4), []

def work():
    ready.wait()
    results.append(outer(4))

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results, sum(outer.stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_threads_that_need_the_same_function_compile_it_once(tmp_path: Path) -> None:
    (tmp_path / "threads.py").write_text(THREADS)
    env = {"SAMUEL_CACHE": str(tmp_path / "cache")}
    assert run(tmp_path / "threads.py", env=env).strip() == "[9, 9, 9, 9] 1"
    assert run(tmp_path / "threads.py", env=env).strip() == "[9, 9, 9, 9] 0"


@pytest.mark.slow
@pytest.mark.long
def test_every_kernel_loaded_from_disk_does_the_same(tmp_path: Path) -> None:
    found, used = [], []
    for seed in "0", "1":  # of the hashes of strings: the order of sets must not matter
        env = {"SAMUEL_CACHE": str(tmp_path / "cache"), "PYTHONHASHSEED": seed}
        results, use = run(ROOT / "tests/everything.py", env=env).splitlines()
        found.append(json.loads(results))
        used.append(json.loads(use))
    assert found[0] == found[1]
    cold, warm = used
    assert cold["unused"] == [], "tests/everything.py leaves a kernel out"
    assert len(cold["compiled"]) > 40 and warm["compiled"] == []


SMALL = """
from numba import int64
from samuel.kernels.jit import jit

@jit(int64(int64))
def successor(n):
    return n + 1

print(successor(1), sum(successor.stats.cache_hits.values()))
"""


@pytest.fixture(scope="module")
def small_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a script and the cache that it made."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.py").write_text(SMALL)
    assert run(folder / "small.py", env={"SAMUEL_CACHE": str(folder / "cache")}).split() == [
        "2",
        "0",
    ]
    return folder


@pytest.mark.parametrize("ending", [rarely("nbi"), "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        rarely(lambda data: b""),
        rarely(lambda data: b"garbage" * 100),
    ],
    ids=["cut off", "empty", "garbage"],
)
def test_a_damaged_cache_file_is_made_anew(
    small_cache: Path, tmp_path: Path, ending: str, damage: Callable[[bytes], bytes]
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(small_cache / "cache", cache)
    (file,) = cache.glob(f"*.{ending}")
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    env = {"SAMUEL_CACHE": str(cache)}
    assert run(small_cache / "small.py", env=env).split() == ["2", "0"]
    assert len(file.read_bytes()) == pytest.approx(len(whole), rel=0.05)
    if ending == "nbi":
        assert run(small_cache / "small.py", env=env).split() == ["2", "1"]


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a read-only file system, which even root cannot write."""
    folder = tmp_path / "read_only"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder], capture_output=True, text=True
    )
    if made.returncode:
        if os.getuid() == 0:
            pytest.skip("mounting a tmpfs is not permitted here")
        folder.chmod(0o500)
    yield folder
    if not made.returncode:
        subprocess.run(["umount", folder], check=True)
    folder.chmod(0o700)


def test_where_the_cache_cannot_be_written_another_folder_serves(
    tmp_path: Path, read_only_folder: Path
) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    (tmp_path / "temporary").mkdir()
    env = {"SAMUEL_CACHE": str(read_only_folder), "TMPDIR": str(tmp_path / "temporary")}
    assert run(tmp_path / "small.py", env=env).split() == ["2", "0"]
    assert run(tmp_path / "small.py", env=env).split() == ["2", "1"]


PLAIN = """
import json
import numpy as np
from samuel.features import extract, feature_names, features_named
from samuel.games import Position, game_named
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.models import evaluate, load_evaluator
from samuel.models.named import usual_evaluator
from samuel.search import analyse, solve

found = {}
for name in ("othello_4x4", "connect_four", "tic_tac_toe", "nim", "pig_5"):
    game = game_named(name)
    positions = random_positions(game, 5, seed=4)
    matrix = extract(features_named(feature_names(name), name), positions)
    usual = load_evaluator(usual_evaluator(game), game)
    depth = 1 if game.chance else 2  # of all throws
    result = analyse(Position.start(game), usual, depth=depth, table_bits=6)
    found[name] = {
        "perft": perft(Position.start(game), 2 * depth - 1),
        "features": matrix.tolist(),
        "scores": np.round(evaluate(usual, game, positions).astype(float), 3).tolist(),
        "search": [result.score, result.pv, result.nodes],
    }
for text in (
    "-XXXX-XXXXOXXXX-XXXOXOXOXXOOXOOOXXOXOXOOXXOOOOO-XXOOXOXX-XOOXO-X X",
    "OOOX-OO-XOXXOOX-OOOOOOXXOOOOOOXXOOOXOOOO-OXOX-XOOXOXXXXOXXXXXXX- X",
):
    solved = solve(Position.parse(text), load_evaluator("zero", game_named("othello")))
    found[text] = [solved.score, solved.pv, solved.nodes]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_the_kernels_run_as_plain_python_with_the_same_results(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(PLAIN)
    plain = start("-W", "ignore::RuntimeWarning", script, env={"NUMBA_DISABLE_JIT": "1"})
    compiled = json.loads(run(script))
    assert json.loads(finish(plain)) == compiled


def test_an_evaluator_of_another_signature_is_refused() -> None:
    @jit(int64(int64, int64, int64))
    def total(one: int, other: int, third: int) -> int:
        return one + other + third

    with pytest.raises(TypeError, match="total has the wrong signature"):
        Evaluator("wrong", "othello", total).evaluation()


def test_numba_s_own_functions_call_helpers_of_helpers() -> None:
    @jit
    def inner(x: int) -> int:
        if x < 0:
            raise ValueError("below zero")
        return x + 1

    @jit
    def outer(x: int) -> int:
        return 2 * inner(x)

    @numba.njit  # type: ignore[untyped-decorator]
    def plain(x: int) -> Any:
        return outer(x) + inner(x)

    assert plain(1) == 6 and outer(1) == 4
    with pytest.raises(ValueError, match="below zero"):
        plain(-1)
