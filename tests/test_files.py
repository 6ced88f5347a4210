"""Files written whole or not at all, and what stands in their way."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta

from samuel.errors import UserError
from samuel.files import read_bytes, read_record, require_file, whole


@pytest.mark.parametrize("path", ["", ".", "..", "/", "folder"])
def test_a_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="is a folder; give the name of a file"):
        require_file(path)
    with pytest.raises(UserError, match="is a folder; give the name of a file"), whole(path):
        pytest.fail("nothing is to be written")


def test_what_can_be_written_is_not_yet(tmp_path: Path) -> None:
    require_file(tmp_path / "deep" / "er" / "page.html")
    assert not list(tmp_path.iterdir())
    (tmp_path / "page.html").write_text("old")
    require_file(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "old"


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(UserError, match="a file stands where a folder is needed"):
        require_file(tmp_path / "notes" / "page.html")


@dataclass
class Kept:
    name: str
    rows: Annotated[int, Meta(ge=0, le=5)]
    parts: dict[int, float] = field(default_factory=dict)


def read(path: Path, content: bytes | str) -> Kept:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_record(path, Kept, "a shelf", "make it anew", format=2)


def test_a_record_is_read_by_its_types(tmp_path: Path) -> None:
    content = '{"format": 2, "name": "a", "rows": 5, "parts": {"7": 1}, "of later": [1]}'
    assert read(tmp_path / "kept.json", content) == Kept("a", 5, {7: 1.0})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is damaged: input data was truncated"),
        ("{", "is damaged: input data was truncated"),
        ("1", "is damaged, or of another version of samuel (format None, not 2)"),
        ("[]", "is damaged, or of another version of samuel (format None, not 2)"),
        ('{"format": true}', "is damaged, or of another version of samuel (format True, not 2)"),
        ('{"format": 3}', "was written by a newer samuel; update this one"),
        ('{"format": 2, "rows": 1}', "is damaged: object missing required field `name`"),
        ('{"format": 2, "name": "a", "rows": true}', "expected `int`, got `bool` - at `rows`"),
        ('{"format": 2, "name": "a", "rows": 1.0}', "expected `int`, got `float` - at `rows`"),
        ('{"format": 2, "name": "a", "rows": -1}', "expected `int` >= 0 - at `rows`"),
        ('{"format": 2, "name": "a", "rows": 6}', "expected `int` <= 5 - at `rows`"),
        ('{"format": 2, "name": "a", "rows": NaN}', "is damaged: JSON is malformed"),
        ('{"format": 2, "name": "a", "rows": 1, "parts": {"1": 1e999}}', "number out of range"),
        (b'{"format": 2, "name": "\xff", "rows": 1}', "is damaged: 'utf-8' codec"),
        ('{"format": 2, "name": ' + "[" * 200 + "]" * 200 + "}", "is nested too deep"),
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
        ("folder", "is no file"),
        ("pipe", "is no file"),
        ("sparse", "1,099,511,627,776 bytes are more"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(UserError, match=sentence):
            read_bytes(tmp_path / name)
    with pytest.raises(UserError, match=r"kept\.json is missing: .* is not a shelf"):
        read_record(tmp_path / "kept.json", Kept, "a shelf", "make it anew")
