"""What a stage's tables tell of themselves: their streams, handed on to functions.

On AWS, event source mappings read the streams; moto keeps the records and hands them to nobody.
https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from local.clock import Clock, Event
from local.engine import ACCOUNT, REGION

Records: TypeAlias = Sequence[Mapping[str, Any]]
Take: TypeAlias = Callable[[Mapping[str, Records]], Any]
"""Takes `{"Records": [...]}` and may return `batchItemFailures`."""

MOST_RECORDS = 100
MOST_TRIES = 5
"""Of one batch, with a pause of 1, 2, 4, ... seconds between; then it is given up, and told."""


@dataclass(slots=True)
class _Reader:
    table: str
    take: Take
    news: Event
    position: int = 0


class Streams:
    """Hands the records of streams to those who read them, each in the order of the writes."""

    def __init__(self, clock: Clock, fault: Callable[[str], None]) -> None:
        self._clock = clock
        self._fault = fault
        self._readers: list[_Reader] = []

    def read(self, table: str, take: Take) -> None:
        """Hand the records of a table's stream to `take`, from now on."""
        reader = _Reader(table, take, self._clock.event(), len(_items(table)))
        self._readers.append(reader)
        self._clock.thread(self._work, (reader,), f"stream {table}").start()

    def wrote(self) -> None:
        """Take note that something was written to some table."""
        for reader in self._readers:
            if len(_items(reader.table)) > reader.position:
                reader.news.set()

    def _work(self, reader: _Reader) -> None:
        while True:
            reader.news.wait()
            reader.news.clear()
            while True:
                end = min(len(_items(reader.table)), reader.position + MOST_RECORDS)
                if end == reader.position:
                    break
                self._hand_on(reader, end)

    def _hand_on(self, reader: _Reader, end: int) -> None:
        """Hand records up to a position on; from one that failed on, again."""
        tries = 0
        while reader.position < end:
            records = [_record(one) for one in _items(reader.table)[reader.position : end]]
            failed, why = _taken(reader.take, records)
            if failed is None:
                reader.position = end
                return
            tries = 1 if failed else tries + 1
            reader.position += failed
            if tries >= MOST_TRIES:
                self._fault(f"the stream of '{reader.table}': a record was given up: {why}")
                reader.position += 1
                tries = 0
            else:
                self._clock.sleep(2.0 ** (tries - 1))


def _taken(take: Take, records: Records) -> tuple[int | None, str]:
    """Return how many records were taken before one that was not (None: all), and why."""
    try:
        answer = take({"Records": records})
    except Exception as error:  # noqa: BLE001 (whatever it is, the records come again)
        return 0, f"{type(error).__name__}: {error}"
    failures = answer.get("batchItemFailures") if isinstance(answer, dict) else None
    if not failures:
        return None, ""
    numbers = [one["dynamodb"]["SequenceNumber"] for one in records]
    first = str(failures[0]["itemIdentifier"])
    return (numbers.index(first) if first in numbers else 0), "the function asked for it again"


def _items(table: str) -> Any:
    """Return the records of a table's stream as moto keeps them, without copying."""
    from moto.dynamodb.models import dynamodb_backends

    shard = dynamodb_backends[ACCOUNT][REGION].tables[table].stream_shard
    assert shard is not None
    return shard.items


def _record(kept: Any) -> dict[str, Any]:
    """Return a record as Lambda is given it."""
    record = kept.to_json()
    change = {**record["dynamodb"]}
    change["ApproximateCreationDateTime"] = change["ApproximateCreationDateTime"].timestamp()
    return {**record, "dynamodb": change}
