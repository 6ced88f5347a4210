"""Files written whole or not at all, and what stands in their way."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from msgspec import Meta

from samuel.common.errors import UserError
from samuel.common.files import (
    LOCK,
    MOST_BYTES,
    MOST_OF_JSON,
    holding,
    inside,
    read_bytes,
    require_file,
    require_readable,
    whole,
)
from samuel.common.json_files import read_record, write_json
from samuel.models.saved.card import read_card
from tests.processes import environment


def test_what_can_be_written_is_not_yet(tmp_path: Path) -> None:
    require_file(tmp_path / "deep" / "er" / "page.html")
    assert not list(tmp_path.iterdir())
    (tmp_path / "page.html").write_text("old")
    require_file(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "old"


def test_a_name_that_is_no_unicode_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="' is not valid Unicode and cannot be stored in"):
        write_json(tmp_path / "kept.json", {"model": os.fsdecode(b"m\xff")})
    assert not list(tmp_path.iterdir())
    write_json(tmp_path / "kept.json", {"model": "größer"})
    assert read_record(tmp_path / "kept.json", dict, "a shelf", "") == {"model": "größer"}


def test_json_has_no_infinities(tmp_path: Path) -> None:
    figures = {"elo": np.inf, "sprt": {"llr": np.float32(-np.inf)}, "p": (1, np.nan), 2: "a"}
    write_json(tmp_path / "kept.json", figures)
    known = {"elo": None, "sprt": {"llr": None}, "p": [1, None], "2": "a"}
    assert read_record(tmp_path / "kept.json", dict, "a shelf", "") == known
    for content in ('{"x": NaN}', '{"x": -Infinity}', '{"y": 1e999}'):
        (tmp_path / "kept.json").write_text(content)
        with pytest.raises(UserError, match="is damaged"):
            read_record(tmp_path / "kept.json", dict, "a shelf", "")


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    both, contents = threading.Barrier(2), ("a" * 9, "b" * 9)

    def write(content: str) -> None:
        with whole(tmp_path / "file") as partial:
            both.wait(10)
            partial.write_text(content)
            both.wait(10)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, contents))
    assert (tmp_path / "file").read_text() in contents
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


STOPS = """
import sys
from samuel.common.files import whole
with whole(sys.argv[1]) as partial:
    partial.touch()
    print(flush=True)
    input()
"""


def test_what_a_dead_process_was_writing_is_removed(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", STOPS, str(tmp_path / "killed-or-not")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": environment()}
    with subprocess.Popen(arguments, **pipes) as process:  # type: ignore[call-overload]
        process.stdout.readline()
        assert len(list(tmp_path.glob("killed-or-not.*.partial"))) == 1
        process.kill()
        process.wait()
    with holding(tmp_path):
        assert [one.name for one in tmp_path.iterdir()] == [LOCK]


@dataclass
class Kept:
    name: str
    rows: Annotated[int, Meta(ge=0, le=5)]
    parts: dict[int, float] = field(default_factory=dict)


def read(path: Path, content: bytes | str) -> Kept:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_record(path, Kept, "a shelf", "make it anew", format=2)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is damaged: input data was truncated"),
        ("[]", "json is damaged, or of another version of samuel"),
        ('{"format": true}', "json is damaged, or of another version of samuel"),
        ('{"format": 3}', "was written by a newer samuel; update this one"),
        ('{"format": 2, "rows": 1}', "is damaged: object missing required field `name`"),
        ('{"format": 2, "name": "a", "rows": true}', "expected `int`, got `bool` - at `rows`"),
        ('{"format": 2, "name": "a", "rows": -1}', "expected `int` >= 0 - at `rows`"),
        ('{"format": 2, "name": "a", "rows": 6}', "expected `int` <= 5 - at `rows`"),
        ('{"format": 2, "name": "a", "rows": NaN}', "is damaged: JSON is malformed"),
        ('{"format": 2, "name": "a", "rows": 1, "parts": {"1": 1e999}}', "number out of range"),
        (b'{"format": 2, "name": "\xff", "rows": 1}', "is damaged: 'utf-8' codec"),
        ("[" * 100_000, "is nested too deep"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_record(tmp_path: Path, content: bytes | str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        read(tmp_path / "kept.json", content)
    assert sentence in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'kept.json'} ")


def test_only_files_are_read_and_none_that_is_enormous(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 40)
    for name, sentence in (
        ("folder", "cannot be read: it is not a file"),
        ("pipe", "cannot be read: it is not a file"),
        ("sparse", "sparse cannot be read: it has 1,099,511,627,776 bytes, and"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(UserError, match=sentence):
            read_bytes(tmp_path / name)
    with pytest.raises(UserError, match=r"kept\.json is missing: .* is not a shelf"):
        read_record(tmp_path / "kept.json", Kept, "a shelf", "make it anew")


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    page, link = tmp_path / "deep" / "page.html", tmp_path / "link.html"
    link.symlink_to(page)
    for content in ("first", "second"):  # the page is not there before
        require_file(link)
        with whole(link) as partial:
            partial.write_text(content)
        assert link.is_symlink() and page.read_text() == content
    assert [path.name for path in page.parent.iterdir()] == ["page.html"]


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(UserError, match="link is a link to itself; give the name of a file"):
        require_file(link)
    with (
        pytest.raises(UserError, match="link is a link to itself; give the name of a file"),
        whole(link),
    ):
        pytest.fail("nothing is to be written")
    assert link.is_symlink()


def test_a_device_is_written_into(tmp_path: Path) -> None:
    link = tmp_path / "null.html"
    link.symlink_to("/dev/null")
    for path in ("/dev/null", link):
        require_file(path)
        with whole(path) as partial:
            partial.write_text("a page")
        assert Path(path).is_char_device()
    assert link.is_symlink() and not list(Path("/dev").glob("*.partial"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device_is_a_full_disk() -> None:
    with pytest.raises(UserError, match="the disk is full: /dev/full"), whole("/dev/full") as file:
        file.write_text("a page")
    assert Path("/dev/full").is_char_device()


OUTSIDE = ["..", "../x", "a/../../x", "/etc/passwd", ".", "", "a\0b", "out/x"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_leave_a_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    with pytest.raises(
        UserError, match="', which lies outside the folder; nothing there is read or"
    ):
        inside(folder, name)
    assert inside(folder, "players/0001") == folder / "players/0001"


def test_a_file_that_is_too_large_is_said_to_be_with_the_most_there_may_be(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with open(path, "wb") as file:
        file.truncate(MOST_BYTES + 1)  # takes no room
    with pytest.raises(
        UserError, match="large cannot be read: it has 1,073,741,825 bytes, and the"
    ):
        read_bytes(path)
    require_readable(path, 2 * MOST_BYTES)


def test_a_file_of_json_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    card = tmp_path / "model.json"
    with card.open("wb") as file:
        file.truncate(MOST_OF_JSON + 1)
    for read in (lambda: read_record(card, dict, "a model", ""), lambda: read_card(tmp_path)):
        with pytest.raises(
            UserError, match="json cannot be read: it has 33,554,433 bytes, and the"
        ):
            read()


def test_a_folder_that_leads_out_of_itself_is_not_held(tmp_path: Path) -> None:
    folder, victim = tmp_path / "folder", tmp_path / "victim"
    victim.write_text("mine")
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "fine").symlink_to("../deep")
    (tmp_path / "link").symlink_to(folder)
    with holding(folder):
        pass
    with holding(tmp_path / "link"):
        pass
    for bad in (".lock", "deep/part"):
        (folder / bad).unlink(missing_ok=True)
        (folder / bad).symlink_to(victim)
        with (
            pytest.raises(UserError, match="folder; replace it by the file itself, or remove it"),
            holding(folder),
        ):
            pytest.fail("it is not to be held")
        (folder / bad).unlink()
        os.mkfifo(folder / bad)
        with pytest.raises(UserError, match="folder"), holding(folder):
            pytest.fail("it is not to be held")
        (folder / bad).unlink()
    assert victim.read_text() == "mine"


def test_a_file_that_another_process_writes_stays(tmp_path: Path) -> None:
    inner = tmp_path / "run" / "data"
    with holding(inner):
        (inner / "shard.1.partial").touch()
        (inner.parent / "table.2.partial").touch()
        with holding(inner.parent):
            assert [*inner.parent.rglob("*.partial")] == [inner / "shard.1.partial"]
