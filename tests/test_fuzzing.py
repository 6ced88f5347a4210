"""Changed files of every kind are read or refused in a sentence; `make fuzz` reads 20,000."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from tests.fuzzing import KINDS, MODELS, Kind, read_many, run

FEW = {"event": 10, "run": 10, "games": 15} | dict.fromkeys(("dataset", "tournament"), 30)
FEW |= {f"{name} model": 15 for name in (*MODELS, "tapered")}


def test_some_changed_files_of_every_kind() -> None:
    counts = {kind: FEW.get(kind, 25) for kind in KINDS}
    outcomes, faults = run(counts, 0)
    assert not faults, "\n".join(faults)
    assert {kind: found["refused"] + found["read"] for kind, found in outcomes.items()} == counts


@pytest.mark.slow
def test_some_changed_files_by_command() -> None:
    _, faults = run({kind: 5 for kind in KINDS if KINDS[kind].commands}, 100_000, True)
    assert not faults, "\n".join(faults)


def _write_outside(folder: Path) -> None:
    (folder / "../../victim/MARK").touch()


def _fill_memory(folder: Path) -> None:
    _ = bytearray(1 << 45)


def _fail(folder: Path) -> None:
    raise KeyError(folder.name)


def _say_too_much(folder: Path) -> None:
    raise UserError("first\nsecond")


def _refuse(folder: Path) -> None:
    raise UserError("one sentence")


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (_write_outside, "FAULT: ['MARK', 'thesis.txt'] outside"),
        (_fill_memory, "MemoryError"),
        (_fail, "KeyError: 'files'"),
        (_say_too_much, "FAULT: two lines"),
        (_refuse, "refused"),
        (lambda folder: None, "read"),
    ],
)
def test_what_goes_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object], found: str
) -> None:
    monkeypatch.setattr("tests.fuzzing._limit_memory", lambda: None)
    said: list[dict[str, str]] = []
    kind = Kind(lambda folder: (folder / "a.txt").write_text("a1 b2"), (read,), ())
    read_many(kind, 0, 1, False, lambda **more: said.append(more))
    assert found in said[1]["outcome"]


def test_a_crash_and_a_hang_are_found_and_the_rest_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The process that reads says where it was; here it is a script that ends in three ways."""
    script = tmp_path / "python"
    script.write_text(
        "#!/bin/sh\n"
        'line() { echo "{\\"kind\\": \\"book\\", \\"number\\": $1, \\"$2\\": \\"$3\\"}"; }\n'
        "case $3 in\n"
        "*' 0, 3]'*|*'0, 3]'*) line 0 what x; kill -SEGV $$;;\n"
        "*'1, 2]'*) line 1 what y; kill -ALRM $$;;\n"
        "*) line 2 what z; line 2 outcome refused;;\n"
        "esac\n"
    )
    script.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(script))
    outcomes, faults = run({"book": 3}, 0)
    assert outcomes["book"] == {"CRASH": 2, "refused": 1}
    assert (
        "book 0 (x): it ended by -11" in faults[0] and "book 1 (y): it ended by no end" in faults[1]
    )
