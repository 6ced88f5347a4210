"""What all commands share: what a terminal is shown, which numbers are taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.cli.common import console
from samuel.cli.main import main


def test_a_terminal_is_shown_what_it_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    table = Table("name", title="of \x1b[2J")
    table.add_row("evil\x1b]0;title\x07\u202e[bold]")
    console().print(table)
    console().print("line\x1b[31m red")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown
    assert r"\x1b[31m red" in shown and "[bold]" in shown


def test_an_error_is_one_line_that_a_terminal_can_show(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(r"raise ValueError('two\nlines \x1b[31m')")
    with pytest.raises(SystemExit) as ended:
        main(["models", "--plugin", str(file)])
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (1, "", 1)
    assert r"two lines \x1b[31m" in err


@pytest.mark.parametrize(
    "line",
    [
        "selfplay --out x --temperature nan",
        "match classic wpc --ms inf",
        "match classic wpc --balance=-inf",
        "train x --blend nan",
        "league classic --epsilon nan",
        "sprt --elo0 nan --elo1 5",
        "pool add p classic --goal inf",
    ],
)
def test_no_command_takes_what_is_no_number(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2 and capsys.readouterr().out == ""
