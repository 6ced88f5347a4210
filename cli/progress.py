"""Progress of a command: bars on a terminal, plain lines in a log.

On a terminal something moves. Anywhere else a line is said after three seconds and then at growing
intervals, never ten seconds apart, whatever goes on: of all that is under way, the newest task
is told. All of it goes to standard error, so that standard output stays clean.
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
    from rich.console import Console, RenderableType

FIRST_AFTER = 3.0
"""Seconds before the first plain line."""
LONGEST_GAP = 9.0
"""Seconds between two, at most."""
_GROWTH = 1.5


class Lines:
    """Plain lines about the newest of the tasks that are under way.

    Parameters
    ----------
    write
        says a line.
    clock
        seconds since some moment.
    """

    def __init__(
        self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write, self._clock = write, clock
        self._tasks: list[Callable[[], str]] = []
        self._gap, self._said = FIRST_AFTER, clock()

    @contextlib.contextmanager
    def about(self, task: Callable[[], str]) -> Iterator[None]:
        """Tell of a task while it lasts; a task without words is not told."""
        self._tasks.append(task)
        try:
            yield
        finally:
            self._tasks.remove(task)

    def say(self, line: str) -> None:
        """Say a line now; what a terminal would obey is written out."""
        self._said = self._clock()
        self._write(printable(line))

    def tick(self) -> None:
        """Say a line if it is time for one."""
        if self._clock() - self._said < self._gap:
            return
        for task in self._tasks[-1:]:  # taken in one step: another thread may end it meanwhile
            line = task()
            if line:
                self.say(compiling.doing or line)
                self._gap = min(LONGEST_GAP, _GROWTH * self._gap)


class _Screen:
    """Output of a command's progress: a terminal, or plain lines from a thread of their own."""

    def __init__(self, stream: TextIO, prefix: str, is_ours: bool) -> None:
        self.stream, self.is_terminal, self._is_ours = stream, stream.isatty(), is_ours
        self.lines, self._prefix = Lines(self._write), prefix
        self.live: Console | None = None

    def _write(self, line: str) -> None:
        with contextlib.suppress(OSError):  # nobody reads the log any longer
            print(self._prefix + line, file=self.stream, flush=True)

    @contextlib.contextmanager
    def speaking(self) -> Iterator[None]:
        """Say the lines that are due, from now on."""
        if self.is_terminal or not self._is_ours:
            yield
            return
        ended = threading.Event()

        def tick() -> None:
            while not ended.wait(0.25):
                self.lines.tick()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    @contextlib.contextmanager
    def drawn(self) -> Iterator[Console]:
        """Yield the terminal for something that moves; only one thing can at a time."""
        before, self.live = self.live, console(self.stream)
        try:
            yield self.live
        finally:
            self.live = before

    @contextlib.contextmanager
    def compiling(self, line: str) -> Iterator[None]:
        """Announce a compilation: where nothing else moves on a terminal, while it lasts."""
        if not self.is_terminal and not self._is_ours:
            with log(line):
                yield
        elif not self.is_terminal:
            self.lines.say(line)
            yield
        elif self.live is not None:
            self.live.print(line)
            yield
        else:
            with self.drawn() as terminal, terminal.status(line):
                yield


_screens: list[_Screen] = []
_is_our_process = False


def own_the_process() -> None:
    """Say plain lines from now on: the process is a command, and not somebody's who calls one."""
    global _is_our_process
    _is_our_process = True


def _is_importing(thread: int) -> bool:
    """Return whether a thread is within an import."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


@contextlib.contextmanager
def telling(
    what: str = "", stream: TextIO | None = None, prefix: str = "samuel: "
) -> Iterator[None]:
    """Tell what goes on inside, compilations too; `what` is told where nothing more is known.

    Parameters
    ----------
    stream
        where; standard error by default.
    prefix
        start of each plain line.
    """
    screen = _Screen(stream or sys.stderr, prefix, _is_our_process or stream is not None)
    began, thread = time.monotonic(), threading.get_ident()

    def task() -> str:
        doing = "importing" if _is_importing(thread) else what
        return f"{doing}, {time.monotonic() - began:.0f} s" if what else ""

    _screens.append(screen)
    try:
        with screen.speaking(), screen.lines.about(task), announced_by(screen.compiling):
            yield
    finally:
        _screens.remove(screen)


@contextlib.contextmanager
def _screen() -> Iterator[_Screen]:
    """Yield where to tell; one of its own where nothing else tells."""
    if _screens:
        yield _screens[-1]
    else:
        with telling():
            yield _screens[-1]


def say(line: str) -> None:
    """Say what has been done, in a line that stays."""
    with _screen() as screen:
        if screen.is_terminal:
            print(printable(line), file=screen.stream)
        elif _is_our_process:
            screen.lines.say(line)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Say nothing of one's own while what is inside has the word."""
    with _screen() as screen, screen.lines.about(lambda: ""):
        yield


@contextlib.contextmanager
def busy(what: str) -> Iterator[Callable[[str], None]]:
    """Show that something of unknown length goes on; yield a way to say what."""
    with _screen() as screen:
        if screen.is_terminal:
            from rich.text import Text

            with screen.drawn() as terminal, terminal.status(_Doing(lambda: Text(what))) as status:
                # a str would be read as markup
                yield lambda what: status.update(_Doing(lambda: Text(what)))
            return
        said = [what]
        began = time.monotonic()
        with screen.lines.about(lambda: f"{said[0]}, {time.monotonic() - began:.0f} s"):
            yield lambda what: said.__setitem__(0, what)


@contextlib.contextmanager
def progress(
    what: str, total: float | None, at_most: bool = False
) -> Iterator[Callable[..., None]]:
    """Show how far something is; yield `advance_to(done, note="")`.

    Parameters
    ----------
    total
        How much there is, or, with `at_most`, the most there may be: it may end at any moment.
    """
    with _screen() as screen:
        if screen.is_terminal:
            with _bar(screen, what, total, at_most) as advance:
                yield advance
            return
        pace, state = Pace(), (0.0, "", 0.0)
        began = time.monotonic()

        def advance_to(done: float, note: str = "") -> None:
            nonlocal state
            state = done, note, pace.rate(done)  # in one step: another thread tells it

        def line() -> str:
            done, note, rate = state
            left = time_left(math.inf if total is None else total - done, rate)
            count = f"{done:,.0f}" if total is None else f"{done:,.0f} of {total:,.0f}"
            if total == 1 or (total is None and done == 0 and note):
                count = ""  # where nothing is counted
            limit = "at most " if at_most else ""
            when = f"{limit}{left} left" if left else f"{time.monotonic() - began:.0f} s"
            told = ", ".join(filter(None, [count, note, when]))
            return f"{what}: {told}"

        with screen.lines.about(line):
            yield advance_to


@contextlib.contextmanager
def _bar(
    screen: _Screen, what: str, total: float | None, at_most: bool
) -> Iterator[Callable[..., None]]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        RenderableColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        *([] if total == 1 else [BarColumn(), MofNCompleteColumn()]),
        TextColumn("{task.fields[note]}", markup=False),
        RenderableColumn(_Doing(lambda: "")),
        *([TextColumn("at most")] if at_most else []),
        TimeRemainingColumn(),
    )
    with screen.drawn() as terminal, Progress(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task(what, total=total, note="")
        yield lambda done, note="": bar.update(task, completed=done, note=note)


@contextlib.contextmanager
def live(what: str) -> Iterator[Callable[[Callable[[], RenderableType], Callable[[], str]], None]]:
    """Yield a way to show something that changes: drawn on a terminal, told in a line elsewhere."""
    with _screen() as screen:
        if screen.is_terminal:
            from rich.live import Live
            from rich.spinner import Spinner
            from rich.text import Text

            with (
                screen.drawn() as terminal,
                Live(
                    Spinner("dots", _Doing(lambda: Text(f"{what}: starting"))),
                    console=terminal,
                    refresh_per_second=4,
                    transient=True,
                ) as view,
            ):
                yield lambda draw, tell: view.update(draw())
            return
        told: list[Callable[[], str]] = [lambda: "starting"]
        with screen.lines.about(lambda: f"{what}: {told[0]()}"):
            yield lambda draw, tell: told.__setitem__(0, tell)


class _Doing:
    """Words on a terminal: of a compilation while one goes on, else what is told."""

    def __init__(self, tell: Callable[[], RenderableType]) -> None:
        self._tell = tell

    def __rich__(self) -> RenderableType:
        return compiling.doing or self._tell()


class Pace:
    """Pace of work from its first progress: what was done before does not count.

    Neither does the time until then, in which things are read and compiled.
    """

    def __init__(self) -> None:
        self._began, self._before, self._moves = time.monotonic(), -1.0, False

    def rate(self, done: float) -> float:
        """Return so many a second since the first progress; 0 where that is not known yet."""
        if not self._moves:
            self._moves = 0 <= self._before < done
            self._began, self._before = time.monotonic(), done
            return 0.0
        return (done - self._before) / max(time.monotonic() - self._began, 1e-3)


def time_left(amount: float, rate: float) -> str:
    """Return how long so much still takes, in words; nothing where that is not known."""
    if not (rate > 0 and math.isfinite(amount)):
        return ""
    seconds = max(0, round(amount / rate))
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
