"""What all commands share: what a terminal is shown, which numbers are taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.cli.common import console, keeping_games, print_table
from samuel.common.displayable import Table, short
from tests.cli.conftest import Run


def test_a_terminal_is_shown_what_it_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table as Drawn

    table = Drawn("name", title="of \x1b[2J")
    table.add_row("evil\x1b]0;title\x07\u202e[bold]")
    console().print(table)
    console().print("line\x1b[31m red")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown
    assert r"\x1b[31m red" in shown and "[bold]" in shown


def test_an_error_is_one_line_that_a_terminal_can_show(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(r"raise ValueError('two\nlines \x1b[31m')")
    assert r"two lines \x1b[31m" in run.refused(f"models --plugin {file}")


def test_an_interrupted_command_says_what_there_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupt() -> None:
        with pytest.raises(KeyboardInterrupt), keeping_games(str(tmp_path / "data")):
            raise KeyboardInterrupt

    interrupt()
    assert "the same command starts again" in capsys.readouterr().err
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "games-000000000.parquet.7.partial").touch()
    interrupt()
    assert "the same command starts again" in capsys.readouterr().err
    (tmp_path / "data" / "games-000000000.parquet").touch()
    interrupt()
    assert "complete results are saved" in capsys.readouterr().err


def test_a_table_that_is_wider_than_the_terminal_is_told_in_parts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"player number {n}" for n in range(9)]
    rows = [[str(n), name, *names] for n, name in enumerate(names)]
    content = Table("Cross table", ["", "player", *names], rows)
    monkeypatch.setenv("COLUMNS", "80")
    print_table(content, console())
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown and shown.count("Cross table") == 1
    # each line of a part begins with who it is of
    for name in names:
        assert shown.count(name) == 9 + 1 + 3
    monkeypatch.delenv("COLUMNS")
    print_table(content, console())
    assert "\N{HORIZONTAL ELLIPSIS}" not in capsys.readouterr().out


def test_numbers_have_the_unit_that_suits_them() -> None:
    wanted = {0.0: "0", 0.034: "0.034", 7.26: "7.3", 850: "850", 12_345: "12.3 k"}
    wanted |= {999_960: "1 M", 4_500_000: "4.5 M", 2e9: "2 G"}
    assert {number: short(number) for number in wanted} == wanted
