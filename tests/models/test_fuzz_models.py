"""Changed models are refused with a sentence or give finite scores; `make fuzz` has 20,000."""

from tests.models.fuzz_models import MODELS
from tests.processes import start

PATIENCE = 600
"""Seconds for a whole run of a few hundred changes; a change takes hundredths."""
ENDS = ("refused", "accepted")


def outcomes(first: int, count: int) -> list[str]:
    """Return a line for each change; fail where the process that reads them does, dies or hangs."""
    process = start("-m", "tests.models.fuzz_models", str(first), str(count))
    try:
        out, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    last = out.splitlines()[-1:]
    assert process.returncode == 0, f"status {process.returncode} at {last}:\n{errors[-3000:]}"
    # an estimator that was changed to be verbose prints, too
    return [line for line in out.splitlines() if line.endswith(ENDS)]


def test_changed_models_are_refused_or_sound() -> None:
    lines = outcomes(0, 80)
    assert len(lines) == 80
    for kind in MODELS:
        of_kind = [line for line in lines if f'"{kind}"' in line]
        assert any(line.endswith("refused") for line in of_kind), kind
    # of one kind a day's changes may all be refused
    assert sum(line.endswith("accepted") for line in lines) > len(MODELS)
