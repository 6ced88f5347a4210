"""Changed files of every kind, a small number of each; all 20,000 are slow."""

from __future__ import annotations

import pytest

from tests.fuzzing import KINDS, run

MANY = {"event": 600, "run": 600, "pool": 1200, "games": 1200, "dataset": 2000}
"""How many are read of kinds that take longer than the others."""
COMMANDS = 100


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_changed_files(kind: str) -> None:
    outcomes, faults = run(kind, 0, 25)
    assert not faults, "\n".join(faults)
    assert outcomes.total() == 25 and outcomes["refused"] + outcomes["read"] == 25


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_changed_files(kind: str) -> None:
    outcomes, faults = run(kind, 1000, MANY.get(kind, 1900))
    if KINDS[kind].commands:
        found = run(kind, 10_000, COMMANDS, is_command=True)
        outcomes, faults = outcomes + found[0], faults + found[1]
    print(f"{kind}: {dict(outcomes)}")
    assert not faults, "\n".join(faults)


def test_there_are_twenty_thousand() -> None:
    total = sum(MANY.get(kind, 1900) + COMMANDS * bool(KINDS[kind].commands) for kind in KINDS)
    assert total >= 20_000
