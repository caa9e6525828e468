"""The copies that steps work on: of a folder as it is, whatever lies in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from local.source import LocalSources, SourceError


def copied(folder: Path) -> Path:
    workspace = folder.with_name("workspace")
    workspace.mkdir()
    LocalSources(folder, folder.with_name("store")).lay("r", workspace)
    return workspace


@pytest.fixture
def folder(tmp_path) -> Path:
    made: Path = tmp_path / "folder"
    (made / "inner").mkdir(parents=True)
    (made / "inner" / "text").write_text("hello", encoding="utf-8")
    return made


def test_a_folder_that_is_only_read_is_written_in_its_copy(folder):
    for one in (folder / "inner", folder):
        one.chmod(0o555)
    workspace = copied(folder)
    for one in (workspace, workspace / "inner"):
        assert one.stat().st_mode & stat.S_IRWXU == stat.S_IRWXU
    assert stat.S_IMODE(folder.stat().st_mode) == 0o555, "the folder itself is left as it is"


def test_what_is_no_file_is_left_out(folder):
    os.mkfifo(folder / "inner" / "pipe")
    (folder / "inner" / "link").symlink_to("text")
    left = (copied(folder) / "inner").iterdir()
    assert sorted(one.name for one in left) == ["link", "text"]


def test_a_file_that_cannot_be_read_is_named(folder, monkeypatch):
    """Where tests run as root nothing is unreadable, so the copying is refused by hand."""
    unreadable = str(folder / "inner" / "text")

    def refuse(source: object, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(source))

    monkeypatch.setattr("shutil.copyfile", refuse)
    with pytest.raises(SourceError) as error:
        copied(folder)
    assert str(error.value).startswith(f"'{unreadable}' cannot be copied (")
    assert str(error.value).endswith("say what the steps work on with --source DIR")
