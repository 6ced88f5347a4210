"""Progress of a command: bars on a terminal, plain lines in a log.

On a terminal rich draws. Anywhere else a line is printed after three seconds and then at growing
intervals, at most nine seconds apart. All of it goes to standard error, so that standard output
stays clean.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from samuel.cli.terminal import console
from samuel.common.errors import printable
from samuel.kernels.waiting import announced_by, compiling, log

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

FIRST_AFTER = 3.0
"""Seconds before the first plain line."""
LONGEST_GAP = 9.0
"""Seconds between two, at most."""
_GROWTH = 1.5


class Screen:
    """Output of a command's progress: a terminal, or plain lines from a thread of their own.

    Both are about the newest of the tasks that are under way; one without words has no line.
    """

    def __init__(
        self, stream: TextIO, prefix: str, is_ours: bool, clock: Callable[[], float]
    ) -> None:
        self.stream, self.is_terminal, self._is_ours = stream, stream.isatty(), is_ours
        self._prefix, self._clock = prefix, clock
        self.tasks: list[Callable[[], str]] = []
        self._gap, self._said = FIRST_AFTER, clock()
        self._view: Live | None = None
        self._draw: Callable[[], RenderableType] = str

    @contextlib.contextmanager
    def about(
        self, task: Callable[[], str], draw: Callable[[], RenderableType] | None = None
    ) -> Iterator[None]:
        """Report a task while it lasts, on a terminal as it is drawn."""
        self.tasks.append(task)
        try:
            with self._drawn(draw) if draw and self.is_terminal else contextlib.nullcontext():
                yield
        finally:
            self.tasks.remove(task)

    def say(self, line: str) -> None:
        """Print a line now, with control characters written out."""
        self._said = self._clock()
        with contextlib.suppress(OSError):  # nobody reads the log any longer
            print(self._prefix + printable(line), file=self.stream, flush=True)

    def tick(self) -> None:
        """Print a line if it is time for one."""
        if self._clock() - self._said < self._gap:
            return
        for task in self.tasks[-1:]:  # taken in one step: another thread may end it meanwhile
            if line := task():
                self.say(compiling.doing or line.rpartition("\n")[2])  # a log has no tables
                self._gap = min(LONGEST_GAP, _GROWTH * self._gap)

    @contextlib.contextmanager
    def speaking(self) -> Iterator[None]:
        """Print the lines that are due, from now on."""
        if self.is_terminal or not self._is_ours:
            yield
            return
        ended = threading.Event()

        def run() -> None:
            while not ended.wait(0.25):
                self.tick()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    @contextlib.contextmanager
    def _drawn(self, draw: Callable[[], RenderableType]) -> Iterator[Live]:
        """Draw something on the terminal, words beside a spinner; compilations come first."""
        from rich.live import Live
        from rich.spinner import Spinner
        from rich.text import Text

        before, view, spinner = self._draw, self._view, Spinner("dots")
        self._draw = draw

        def shown() -> RenderableType:
            found = compiling.doing or self._draw()
            if isinstance(found, str):
                spinner.update(text=Text(found))
                return spinner
            return found

        try:
            if view is not None:
                yield view
                return
            terminal = console(self.stream)
            with Live(get_renderable=shown, console=terminal, transient=True) as self._view:
                yield self._view
        finally:
            self._draw, self._view = before, view

    @contextlib.contextmanager
    def compiling(self, line: str) -> Iterator[None]:
        """Announce a compilation; on a terminal something moves while it lasts."""
        if self.is_terminal:
            with self._drawn(str) as view:
                view.console.print(line)
                yield
        elif self._is_ours:
            self.say(line)
            yield
        else:
            with log(line):
                yield


_screens: list[Screen] = []
_is_our_process = False


def own_the_process() -> None:
    """Print plain lines from now on: the process is the command itself."""
    global _is_our_process
    _is_our_process = True


@contextlib.contextmanager
def telling(
    what: str = "", stream: TextIO | None = None, prefix: str = "samuel: "
) -> Iterator[Screen]:
    """Report what goes on inside, compilations too; `what` where nothing more is known."""
    is_ours = _is_our_process or stream is not None
    screen = Screen(stream or sys.stderr, prefix, is_ours, time.monotonic)
    began = time.monotonic()

    def task() -> str:
        return f"{what}, {time.monotonic() - began:.0f} s" if what else ""

    _screens.append(screen)
    try:
        with screen.speaking(), screen.about(task), announced_by(screen.compiling):
            yield screen
    finally:
        _screens.remove(screen)


@contextlib.contextmanager
def _screen() -> Iterator[Screen]:
    """Yield the screen of the command, or a new one."""
    if _screens:
        yield _screens[-1]
    else:
        with telling() as screen:
            yield screen


def say(line: str) -> None:
    """Print what has been done, in a line that stays."""
    with _screen() as screen:
        if screen.is_terminal:
            print(printable(line), file=screen.stream)
        elif _is_our_process:
            screen.say(line)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Print no progress while what is inside prints."""
    with _screen() as screen, screen.about(lambda: ""):
        yield


@contextlib.contextmanager
def busy(what: str) -> Iterator[Callable[[str], None]]:
    """Show that something of unknown length goes on; yield a way to say what."""
    with progress(what, None) as advance_to:
        yield lambda what: advance_to(0, what=what)


@contextlib.contextmanager
def progress(
    what: str, total: float | None, at_most: bool = False
) -> Iterator[Callable[..., None]]:
    """Show how far something is; yield `advance_to(done, note="", what=None)`.

    With `at_most` the total is a bound: the work may end at any moment.
    """
    pace, state, began = Pace(), (what, 0.0, "", 0.0), time.monotonic()

    def advance_to(done: float, note: str = "", what: str | None = None) -> None:
        nonlocal state
        state = what or state[0], done, note, pace.rate(done)  # another thread reads it

    def line() -> str:
        what, done, note, rate = state
        left = time_left(math.inf if total is None else total - done, rate)
        count = f"{done:,.0f}" if total is None else f"{done:,.0f} of {total:,.0f}"
        if total == 1 or (total is None and done == 0):
            count = ""  # where nothing is counted
        when = f"{time.monotonic() - began:.0f} s"
        if left:
            when = f"{'at most ' * at_most}{left} left"
        told = ", ".join(filter(None, [count, note]))
        return f"{what}: {told}, {when}" if told else f"{what}, {when}"

    def draw() -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        if total in (None, 1):
            return line()
        drawn = Table.grid(padding=(0, 1))
        drawn.add_row(ProgressBar(total, state[1], width=24), line())
        return drawn

    with _screen() as screen, screen.about(line, draw):
        yield advance_to


class Pace:
    """Pace of work from its first progress, after what is read, compiled or was done before."""

    def __init__(self) -> None:
        self._began, self._before, self._moves = time.monotonic(), -1.0, False

    def rate(self, done: float) -> float:
        """Return the pace per second since the first progress; 0 if it is unknown."""
        if not self._moves:
            self._moves = 0 <= self._before < done
            self._began, self._before = time.monotonic(), done
            return 0.0
        return (done - self._before) / max(time.monotonic() - self._began, 1e-3)


def time_left(amount: float, rate: float) -> str:
    """Return the time that an amount takes, in words; nothing if it is unknown."""
    if not (rate > 0 and math.isfinite(amount)):
        return ""
    seconds = max(0, round(amount / rate))
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
