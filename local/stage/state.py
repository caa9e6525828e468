"""The state of a local stage in a folder: its tables as JSON, the objects of its bucket as files.

What belongs to running executions (task tokens, latches, locks) is left out: they end with the
process that carries them.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.clock import Clock
from local.stage.names import BUCKET
from local.tables import table_name
from protocol.tables import TABLES

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

KEPT = tuple(name for name in TABLES if name not in ("latches", "task-tokens"))
_LINK_KEY = "link-key"
_FORMAT = 1
_ABOUT, _NOW = "stage.json", "now"


class StateError(Exception):
    """A folder that does not hold a stage's state; the text says what is wrong."""


def holds_state(folder: Path) -> bool:
    """Whether a folder holds the state of a stage."""
    return (folder / _ABOUT).is_file()


def about(folder: Path) -> dict[str, str]:
    """Return what a stage wrote of itself; raises StateError where there is none to be read."""
    try:
        found = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StateError(f"'{folder}' holds no state of runs") from None
    except ValueError:
        raise StateError(f"'{folder / _ABOUT}' cannot be read") from None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise StateError(f"'{folder}' was written by another version of Stepsmith")
    return {name: str(value) for name, value in found.items() if name != "format"}


def clock_of(folder: Path | None) -> Clock:
    """Return a clock that goes on where that of a kept stage was, if it had jumped beyond now.

    Raises StateError.
    """
    now = datetime.now(UTC)
    if folder is None or not holds_state(folder):
        return Clock(now)
    then = about(folder).get(_NOW)
    return Clock(now if then is None else max(now, datetime.fromisoformat(then)))


def save(
    folder: Path, told: Mapping[str, str], dynamodb: DynamoDBClient, s3: S3Client, now: datetime
) -> None:
    """Write the state as it is now; `told` is what `about` returns later."""
    for name in KEPT:
        items = (_as_text(one) for one in _items(dynamodb, table_name(name)))
        lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in items)
        _write(folder / "tables" / f"{name}.jsonl", lines.encode())
    for key in _keys(s3):
        path = _inside(folder / "bucket", key)
        if not path.exists() or key.startswith("runs/"):
            body = s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
            _write(path, body)
    text = json.dumps(
        {**told, _NOW: now.isoformat(), "format": _FORMAT}, ensure_ascii=False, indent=2
    )
    _write(folder / _ABOUT, f"{text}\n".encode())


def load(folder: Path, dynamodb: DynamoDBClient, s3: S3Client) -> None:
    """Put a saved state into empty tables and an empty bucket; raises StateError."""
    for name in KEPT:
        path = folder / "tables" / f"{name}.jsonl"
        if path.is_file():
            _put(dynamodb, table_name(name), path)
    objects = folder / "bucket"
    for path in sorted(objects.rglob("*")) if objects.is_dir() else ():
        if path.is_file():
            key = path.relative_to(objects).as_posix()
            s3.put_object(Bucket=BUCKET, Key=key, Body=path.read_bytes())


def link_key(folder: Path | None) -> str:
    """Return the key that links are signed with; one that is kept is there for nobody else."""
    if folder is None:
        return secrets.token_hex(32)
    path = folder / _LINK_KEY
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    return path.read_text(encoding="ascii").strip()


def _items(dynamodb: DynamoDBClient, table: str) -> Iterator[Any]:
    for page in dynamodb.get_paginator("scan").paginate(TableName=table):
        yield from page["Items"]


def _put(dynamodb: DynamoDBClient, table: str, path: Path) -> None:
    lines: Iterable[str] = path.read_text(encoding="utf-8").splitlines()
    try:
        for line in lines:
            dynamodb.put_item(TableName=table, Item=_as_bytes(json.loads(line)))
    except ValueError as error:
        raise StateError(f"'{path}' cannot be read: {error}") from None


def _as_text(value: Any) -> Any:
    """Return an item with its binary values as base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: _as_text(inner) for key, inner in value.items()}
    return [_as_text(inner) for inner in value] if isinstance(value, list) else value


def _as_bytes(item: Any) -> Any:
    """Return an item as `_as_text` was given it; it knows values by their types."""
    return {name: _value(value) for name, value in item.items()}


def _value(value: Any) -> Any:
    [(kind, inner)] = value.items()
    match kind:
        case "B":
            return {kind: base64.b64decode(inner)}
        case "BS":
            return {kind: [base64.b64decode(one) for one in inner]}
        case "M":
            return {kind: _as_bytes(inner)}
        case "L":
            return {kind: [_value(one) for one in inner]}
        case _:
            return value


def _keys(s3: S3Client) -> Iterator[str]:
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for one in page.get("Contents", ()):
            yield one["Key"]


def _inside(folder: Path, key: str) -> Path:
    path = folder / key
    if ".." in Path(key).parts or Path(key).is_absolute():
        raise StateError(f"an object is called '{key}', which is no file below a folder")
    return path


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.replace(path)
