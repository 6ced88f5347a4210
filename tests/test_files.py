"""Files written whole or not at all, and what stands in their way."""

from pathlib import Path

import pytest

from samuel.errors import UserError
from samuel.files import require_file, whole


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
