"""What a command says while it works, without a terminal."""

from __future__ import annotations

import io

from samuel.cli.progress import LONGEST, Lines, busy, progress, telling


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def ticked(seconds: float) -> tuple[Lines, list[float], list[str], Clock]:
    """Return lines about one task after so many seconds, with when each was said."""
    clock = Clock()
    said: list[str] = []
    times: list[float] = []
    lines = Lines(lambda line: (said.append(line), times.append(clock.now - 100)), clock)
    with lines.about(lambda: f"{clock.now - 100:.0f} s"):
        while clock.now < 100 + seconds:
            clock.now += 0.25
            lines.tick()
    return lines, times, said, clock


def test_lines_come_at_growing_intervals_and_never_ten_seconds_apart() -> None:
    _, times, said, _ = ticked(120)
    gaps = [b - a for a, b in zip([0.0, *times], times, strict=False)]
    assert gaps[0] == 3 and gaps == sorted(gaps) and gaps[-1] == LONGEST < 10
    assert len(said) < 20


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
    from samuel.cli import progress as module

    with telling("work", out, prefix="> "):
        (screen,) = module._screens
        with progress("playing", 1000) as advance:
            advance(500, "20 rows")
            line = screen.lines._tasks[-1]()
            assert line.startswith("playing: 500 of 1,000, 20 rows")
        with busy("reading") as say:
            say("fitting")
            assert screen.lines._tasks[-1]().startswith("fitting, ")
        module.say("done")
    assert out.getvalue() in ("", "> done\n")
