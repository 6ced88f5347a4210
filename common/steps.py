"""Steps of a run, sent to a callback, `on_step`, as flat dicts (docs/callbacks.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from samuel.common.json_files import plain

OnStep = Callable[[dict[str, Any]], None]


class Steps:
    """Steps that a callback gets; its first exception ends the run, and nothing more is sent."""

    def __init__(self, on_step: OnStep | None) -> None:
        self._on_step = on_step
        self.last: dict[str, int] = {}
        self.raised: BaseException | None = None

    def send(self, event: str, step: int, **figures: Any) -> None:
        """Send a step, unless one as late was sent; figures without a value are left out."""
        if self._on_step is None or self.raised or step <= self.last.get(event, -1):
            return
        self.last[event] = step
        known = {name: value for name, value in plain(figures).items() if value is not None}
        try:
            self._on_step({"event": event, "step": step, **known})
        except BaseException as error:
            self.raised = error
            raise


_fitting: ContextVar[Steps | None] = ContextVar("_fitting", default=None)


@contextmanager
def sending(on_step: OnStep | None) -> Iterator[Steps]:
    """Yield the steps of a run and of its fits; raise what the callback raised, as it was."""
    steps = Steps(on_step)
    token = _fitting.set(steps)
    try:
        yield steps
    finally:
        _fitting.reset(token)
        if steps.raised is not None:
            raise steps.raised


def send_iteration(iteration: int, loss: float, validation_loss: float | None = None) -> None:
    """Send an iteration of a fit: an epoch of a network, or a step of a solver."""
    if (steps := _fitting.get()) is not None:
        figures = {"iteration": iteration, "loss": loss, "validation_loss": validation_loss}
        steps.send("iteration", steps.last.get("iteration", 0) + 1, **figures)
