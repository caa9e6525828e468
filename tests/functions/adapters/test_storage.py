"""What steps leave in the bucket, and what the steps behind them find of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import boto3
import pytest
from moto.core.utils import utcnow

from functions.adapters.storage import S3Files
from functions.domain.errors import ArtifactNotFound
from functions.ports import Place
from local.engine import REGION, Engine

BUCKET = "files"


@pytest.fixture
def files():
    with Engine({}):
        client = boto3.client("s3", region_name=REGION)
        client.create_bucket(Bucket=BUCKET)
        yield S3Files(lambda: client, BUCKET)


def left(files, folder: Path, path: str, **texts: str) -> None:
    """Keep files as the step at a path would."""
    workspace = folder / path.replace("/", ".")
    workspace.mkdir(exist_ok=True)
    for name, text in texts.items():
        (workspace / name).write_text(text)
    files.store(Place("run", path), workspace, [*texts])


def found(files, folder: Path, path: str) -> dict[str, str]:
    """Return what lies in a workspace for which a path was asked."""
    workspace = folder / "reader"
    workspace.mkdir()
    files.lay("run", path, workspace)
    return {file.name: file.read_text() for file in workspace.iterdir()}


def test_a_step_that_left_nothing_gives_nothing(files, tmp_path):
    left(files, tmp_path, "build-2", app="x")
    assert found(files, tmp_path, "build") == {}


def test_the_files_of_all_items_are_laid_in_the_order_of_the_list(files, tmp_path):
    for index in (10, 2, 0, 1):  # as they happened to end
        left(files, tmp_path, f"build/{index}", app=f"of {index}", **{f"log{index}": "said"})
    given = found(files, tmp_path, "build")
    assert given["app"] == "of 10"
    assert {"log0", "log1", "log2", "log10"} < given.keys()


def test_a_reader_in_an_item_gets_that_item_s_files_alone(files, tmp_path):
    for index in (1, 10, 2):
        left(files, tmp_path, f"build/{index}/0", **{f"app{index}": "x"})
        left(files, tmp_path, f"build/{index}/1", **{f"more{index}": "x"})
    assert found(files, tmp_path, "build/1").keys() == {"app1", "more1"}


def test_of_rounds_only_what_the_last_one_left_is_laid(files, tmp_path):
    for number in (1, 2, 10):
        left(files, tmp_path, f"poll/r{number}", state=str(number), **{f"only{number}": "x"})
    assert found(files, tmp_path, "poll") == {"state": "10", "only10": "x"}


def test_the_rounds_of_each_item_are_its_own(files, tmp_path):
    for item, rounds in ((0, 3), (1, 1)):
        for number in range(1, rounds + 1):
            left(files, tmp_path, f"poll/{item}/r{number}", **{f"of{item}": str(number)})
    assert found(files, tmp_path, "poll") == {"of0": "3", "of1": "1"}


def test_the_last_round_is_the_one_written_last(files, tmp_path, monkeypatch):
    # A resumed run may need fewer rounds than the attempt before it.
    left(files, tmp_path, "poll/r5", state="before")
    later = utcnow() + timedelta(minutes=1)
    monkeypatch.setattr("moto.s3.models.utcnow", lambda: later)
    left(files, tmp_path, "poll/r2", state="resumed")
    assert found(files, tmp_path, "poll") == {"state": "resumed"}


def test_a_file_that_is_not_there_cannot_be_kept(files, tmp_path):
    with pytest.raises(ArtifactNotFound, match="app"):
        files.store(Place("run", "build"), tmp_path, ["app"])
