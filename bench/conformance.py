"""Small machines with the result that AWS gives, on the local engine.

    python -m bench.conformance [FILE]

runs a file of cases (default: `tests/data/conformance.json`), prints a line for each that ends
otherwise and how many end alike, and exits 1 if more than one in 30 differs. What a case is made
of: `definition`, `input`, and `output` or `error` (any of the list). The machines call one
function `f`, which does what its payload's `op` says (`Fake`).
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import boto3

from local.clock import Clock
from local.dispatch import Function
from local.engine import REGION, Engine, EngineFault
from protocol.payloads import Json

CASES = Path(__file__).parents[1] / "tests/data/conformance.json"
NAME, MACHINE = "NAME", "SM"
MOST_DIFFERENT = 30
"""One case in so many may differ."""


class Fake:
    """The function `f` that the machines call; `clock` is the engine's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._calls: defaultdict[str, int] = defaultdict(int)
        self.tokens: dict[str, str] = {}
        self._known: dict[str, Callable[[Mapping[str, Any]], Json]] = {
            "echo": lambda event: {"v": event.get("v")},
            "raise": lambda event: _fail(event["error"], event.get("msg", "")),
            "flaky": self._flaky,
            "seq": self._sequence,
            "sleep": self._sleep,
            "big": lambda event: {"s": "x" * event["n"]},
            "token": self._token,
        }

    def __call__(self, event: Mapping[str, Any], _context: object) -> Json:
        """Do what the event's `op` says; anything else gives the event back."""
        known = self._known.get(str(event.get("op"))) if isinstance(event, dict) else None
        return known(event) if known else {"event": json.loads(json.dumps(event))}

    def _flaky(self, event: Mapping[str, Any]) -> Json:
        self._calls[event["key"]] += 1
        calls = self._calls[event["key"]]
        if calls <= event["n"]:
            _fail("Flaky", f"try {calls}")
        return {"tries": calls, **({"rc": event["rc"]} if "rc" in event else {})}

    def _sequence(self, event: Mapping[str, Any]) -> Json:
        number = self._calls[event["key"]]
        self._calls[event["key"]] += 1
        if number < len(event["errors"]):
            _fail(event["errors"][number], "")
        return {"tries": number + 1}

    def _sleep(self, event: Mapping[str, Any]) -> Json:
        self._clock.sleep(event["s"])
        return {"slept": event["s"]}

    def _token(self, event: Mapping[str, Any]) -> Json:
        self.tokens[str(event.get("name"))] = str(event.get("token"))
        return {"ok": 1}


def _fail(name: str, message: str) -> Json:
    raise type(name, (Exception,), {})(message)


def result_of(case: Mapping[str, Any]) -> dict[str, Json]:
    """Return what the engine makes of a case: `output`, or `error` with the error's name."""
    clock = Clock()
    with Engine({"f": Function(Fake(clock))}, clock) as engine:
        text = json.dumps(case["definition"])
        if "dynamodb" in text:
            _create_table()
        if "@QURL" in text:
            text = text.replace("@QURL", _create_queue())
        try:
            engine.create({MACHINE: json.loads(text)}, {})
        except EngineFault:
            return {"error": "rejected at create"}
        finished = engine.execute(MACHINE, case["input"], NAME)
    if finished.status == "SUCCEEDED":
        return {"output": finished.output}
    timed_out = finished.status == "TIMED_OUT"
    return {"error": "execution timed out" if timed_out else finished.error}


def _create_table() -> None:
    boto3.client("dynamodb", region_name=REGION).create_table(
        TableName="tbl",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


def _create_queue() -> str:
    queue = boto3.client("sqs", region_name=REGION).create_queue(QueueName="queue")
    return queue["QueueUrl"]


def wanted_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return what AWS gives, names filled in: `output`, or `error` with a list of names."""
    wanted = {key: case[key] for key in ("output", "error") if key in case}
    text = json.dumps(wanted).replace("@NAME", NAME).replace("@SM", MACHINE)
    filled: dict[str, Any] = json.loads(text)
    return filled


def agrees(got: Mapping[str, Json], wanted: Mapping[str, Any]) -> bool:
    """Whether a result is what AWS gives."""
    if "output" in wanted:
        return "output" in got and _same(got["output"], wanted["output"])
    return got.get("error") in wanted["error"]


def _same(one: Json, other: Json) -> bool:
    # As JSON text: Python takes 1 and true for equal.
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def main(arguments: list[str]) -> int:
    """Run a file of cases and return the exit code."""
    cases = json.loads(Path(arguments[0] if arguments else CASES).read_text(encoding="utf-8"))
    different = 0
    for case in cases:
        got, wanted = result_of(case), wanted_of(case)
        if not agrees(got, wanted):
            different += 1
            print(f"{case['name']}: {json.dumps(got)}, on AWS {json.dumps(wanted)}")
    print(f"{len(cases) - different} of {len(cases)} as on AWS")
    return 1 if different * MOST_DIFFERENT > len(cases) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
