"""The function is gone before or after any of its calls: the event comes again, one run starts.

`pytest -s` prints the matrix: a line for each type of trigger, a column for each call, in it what
was found where the process was gone before and after the call.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import pytest
from botocore.exceptions import ClientError

from tests.functions.events.kit import VISIBILITY, Killed, manifest
from tests.functions.events.sources import RECORDS, TRIGGERS

REFUSED = ClientError({"Error": {"Code": "InternalServerError", "Message": ""}}, "Any")


@dataclass
class Matrix:
    """What was found at each point, by what happened there and to which trigger's event."""

    lines: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, line, names, point, found):
        call = f"{'before' if point % 2 == 0 else 'after'} {names[point // 2]}"
        self.lines.setdefault(line, []).append((call, found))

    def text(self):
        rows = []
        for line, points in self.lines.items():
            calls = [call.partition(" ")[2] for call, _ in points[::2]]
            found = [found for _, found in points]
            cells = [
                f"{c}: {a}/{b}" for c, a, b in zip(calls, found[::2], found[1::2], strict=True)
            ]
            rows.append(f"{line:<22}" + "  ".join(cells))
        return "\n".join(rows)


@pytest.fixture(scope="module")
def matrix():
    matrix = Matrix()
    yield matrix
    sys.stdout.write(f"\nruns started where a call was cut off before/after it\n{matrix.text()}\n")


def redeliver(stage, record):
    """Bring a record, and what the function put into the queue, until all is taken in."""
    coming = [record, *stage.queue.waiting]
    stage.queue.waiting.clear()
    for _ in range(4):
        stage.clock.at += VISIBILITY
        failed = [one for one in coming if stage.take(one, intake=stage.fresh())]
        coming = [*failed, *stage.queue.waiting]
        stage.queue.waiting.clear()
        if not coming:
            return
    raise AssertionError("it is still not taken in")


CASES = [
    *((kind, "killed") for kind in TRIGGERS),
    *((kind, "refused") for kind in ("http", "queue")),
    ("http", "over"),
]


@pytest.mark.parametrize(("kind", "what"), CASES)
def test_a_call_cut_off_anywhere_leaves_one_run(deployed, matrix, kind, what):
    """killed: the process is gone; refused: the call fails; over: the run ended meanwhile."""
    stage = deployed(manifest(TRIGGERS[kind]))
    record = RECORDS[kind]
    with stage.calls.watched() as calls:
        stage.take(record(stage, 0), intake=stage.fresh())
        names = list(calls.names)
    assert names == [
        "GetItem", "UpdateItem", "PutObject", "StartExecution", "PutItem", "UpdateItem",
    ]  # fmt: skip
    stage.calls.error = REFUSED if what == "refused" else Killed()
    for point in range(2 * len(names)):
        before = stage.runs()
        one = record(stage, point + 1)
        with stage.calls.watched(point):
            try:
                stage.take(one, intake=stage.fresh())
            except Killed:
                assert what != "refused"
        if what == "over":
            for execution in stage.executions:
                execution.status = "SUCCEEDED"
        redeliver(stage, one)
        redeliver(stage, one)
        started = stage.runs() - before
        matrix.add(f"{kind}, {what}", names, point, started.total())
        assert started.total() == 1, names[point // 2]
        assert stage.outcomes() == {"started": point + 2}
    assert {event.run_id for event in stage.events()} == set(stage.runs())
    assert set(stage.runs().values()) == {1}
