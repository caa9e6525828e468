"""The source of a stage's runs: one copy for each, thrown away when the run is over."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from local.stage.sources import StageSources


@pytest.fixture
def folder(tmp_path) -> Path:
    made: Path = tmp_path / "folder"
    made.mkdir()
    (made / "text").write_text("as it was", encoding="utf-8")
    return made


def test_a_run_keeps_its_copy_until_it_is_over(folder, tmp_path):
    sources = StageSources(folder, tmp_path / "store")
    sources.lay("r", tmp_path / "one")
    (folder / "text").write_text("changed", encoding="utf-8")
    sources.lay("r", tmp_path / "two")
    assert (tmp_path / "two" / "text").read_text() == "as it was"
    sources.forget("r")
    assert list((tmp_path / "store").iterdir()) == []
    sources.lay("r", tmp_path / "three")
    assert (tmp_path / "three" / "text").read_text() == "changed"


def test_what_is_being_read_is_thrown_away_afterwards(folder, tmp_path, monkeypatch):
    """An undo copies the source of a run while the end of the run is taken in."""
    sources = StageSources(folder, tmp_path / "store")
    sources.lay("r", tmp_path / "first")
    reading, forgetting = threading.Event(), threading.Event()
    copytree = shutil.copytree

    def slowly(*arguments, **keywords):
        reading.set()
        assert forgetting.wait(10)
        return copytree(*arguments, **keywords)

    monkeypatch.setattr(shutil, "copytree", slowly)
    reader = threading.Thread(target=sources.lay, args=("r", tmp_path / "second"))
    reader.start()
    assert reading.wait(10)
    forgetter = threading.Thread(target=sources.forget, args=("r",))
    forgetter.start()
    while "r" in sources._of_run:
        pass
    assert any((tmp_path / "store").iterdir())
    forgetting.set()
    reader.join(10)
    forgetter.join(10)
    assert (tmp_path / "second" / "text").read_text() == "as it was"
    assert list((tmp_path / "store").iterdir()) == []
