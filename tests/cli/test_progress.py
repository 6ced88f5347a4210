"""What a command says while it works, without a terminal."""

from __future__ import annotations

import io
import re

import pytest

from samuel.cli import progress as module
from samuel.cli.progress import LONGEST_GAP, Screen, busy, progress, say, telling


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def ticked(seconds: float) -> tuple[Screen, list[float], list[str], Clock]:
    """Return lines about one task after so many seconds, with when each was said."""
    clock = Clock()
    said: list[str] = []
    times: list[float] = []

    class Log(io.StringIO):
        def write(self, text: str) -> int:
            if text.strip():
                said.append(text)
                times.append(clock.now - 100)
            return len(text)

    lines = Screen(Log(), "", True, clock)
    with lines.about(lambda: f"{clock.now - 100:.0f} s"):
        while clock.now < 100 + seconds:
            clock.now += 0.25
            lines.tick()
    return lines, times, said, clock


def test_lines_come_at_growing_intervals_and_never_ten_seconds_apart() -> None:
    _, times, said, _ = ticked(120)
    gaps = [b - a for a, b in zip([0.0, *times], times, strict=False)]
    assert gaps[0] == 3 and gaps == sorted(gaps) and gaps[-1] == LONGEST_GAP < 10
    assert len(said) < 20


def test_what_compiles_is_told_as_such_by_every_kind_of_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for doing in (busy("searching"), progress("playing", 9)):
        out, clock = io.StringIO(), Clock()
        clock.now = module.time.monotonic()
        with telling("work", out, prefix="") as lines, doing:
            monkeypatch.setattr(lines, "_clock", clock)
            with module.compiling.announced(0.1):
                clock.now += 100
                lines.tick()
            clock.now += 100
            lines.tick()
        first, then = out.getvalue().splitlines()
        assert first.startswith("compiling, ") and not then.startswith("compiling")
    with telling("work", terminal := Terminal()), busy("a match"):
        pass
    with telling("work", terminal), module.compiling.announced(0.1), busy("a match"):
        pass
    matched, compiled = re.split("a match", terminal.getvalue(), maxsplit=1)
    assert "compiling" not in matched and "compiling, " in compiled


def test_one_step_is_not_counted() -> None:
    with telling("work", io.StringIO()), progress("drawing", 1) as advance:
        advance(0, "a page")
        assert module._screens[-1].tasks[-1]() == "drawing: a page, 0 s"
    with telling("work", terminal := Terminal()), progress("drawing", 1) as advance:
        advance(0, "a page")
    assert "drawing" in terminal.getvalue() and "0/1" not in terminal.getvalue()


def test_short_work_says_nothing() -> None:
    assert ticked(2.75)[2] == []


def test_the_newest_task_is_told_and_one_without_words_is_not() -> None:
    lines, _, said, clock = ticked(0)
    with lines.about(lambda: "outer"):
        with lines.about(lambda: "inner"):
            clock.now += 10
            lines.tick()
        with lines.about(lambda: ""):
            clock.now += 10
            lines.tick()
        lines.tick()
    clock.now += 10
    lines.tick()
    assert said == ["inner", "outer"]


def test_what_is_said_at_once_postpones_the_next_line() -> None:
    lines, _, said, clock = ticked(0)
    with lines.about(lambda: "task"):
        clock.now += 2.5
        lines.say("news")
        clock.now += 2.5
        lines.tick()
        assert said == ["news"]
        clock.now += 0.5
        lines.tick()
    assert said == ["news", "task"]


def test_bars_and_the_like_say_how_far_they_are() -> None:
    out = io.StringIO()
    with telling("work", out, prefix="> ") as screen:
        with progress("playing", 1000) as advance:
            advance(500, "20 rows")
            line = screen.tasks[-1]()
            assert line.startswith("playing: 500 of 1,000, 20 rows")
        with busy("reading") as tell:
            tell("fitting")
            assert screen.tasks[-1]().startswith("fitting, ")
        say("done")
    assert out.getvalue() in ("", "> done\n")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


EVIL = "evil\x1b]0;title\x07[/x]"


@pytest.mark.parametrize("way", ["busy", "progress", "say", "compiling"])
def test_a_terminal_is_shown_names_that_it_would_obey(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = Terminal()
    with telling("work", out):
        if way == "busy":
            with busy("reading") as tell:
                tell(EVIL)
        elif way == "progress":
            with progress(EVIL, 10) as advance:
                advance(1, EVIL)
        elif way == "say":
            say(EVIL)
        else:
            with busy("pool"), module._screens[-1].compiling(EVIL):
                pass
    shown = out.getvalue()
    assert r"evil\x1b" in shown
    assert "\x1b]" not in shown and "\x07" not in shown


def test_a_log_is_told_such_names_too() -> None:
    out = io.StringIO()
    with telling("work", out), module._screens[-1].compiling(EVIL):
        pass
    assert out.getvalue() == r"samuel: evil\x1b]0;title\x07[/x]" + "\n"


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_log_that_nobody_reads_stops_nothing_and_a_fault_is_seen() -> None:
    with telling("work", Closed()):
        module._screens[-1].say("done")
    lines, *_, clock = ticked(0)
    with lines.about(lambda: str(int("x"))), pytest.raises(ValueError, match="int"):
        clock.now += 10
        lines.tick()


def test_how_far_a_task_is_can_be_told_before_it_begins() -> None:
    with telling("work", io.StringIO()), progress("playing", 1000) as advance:
        tell = module._screens[-1].tasks[-1]
        assert tell() == "playing: 0 of 1,000, 0 s"
        advance(500)  # done before, by an earlier run
        assert tell() == "playing: 500 of 1,000, 0 s"


def test_of_a_total_that_may_not_be_reached_the_time_left_is_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(module.time, "monotonic", clock)
    with telling("work", io.StringIO()) as screen:
        for at_most, said in ((True, "at most 0:01:30 left"), (False, "0:01:30 left")):
            with progress("gate", 1000, at_most) as advance:
                advance(0)
                clock.now += 500  # to compile, say
                advance(50)
                assert screen.tasks[-1]() == "gate: 50 of 1,000, 500 s"
                clock.now += 5
                advance(100)
                assert screen.tasks[-1]() == f"gate: 100 of 1,000, {said}"
