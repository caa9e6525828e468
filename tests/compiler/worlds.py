"""Hostile worlds: what tasks, people and latches answer a machine that must not trust them.

`Hostile(seed)` is the outside of one play. `execution_input(seed)` is what a run is started with.
"""

from __future__ import annotations

import json
import random
from typing import Any

from protocol.names import LATCH_SKIP, LATCH_SKIP_FAILED, LATCHES, TASKS
from tests.asl_player import Call, Outcome, lambda_result

TEXTS = [
    "", "x", "again", "false", "0", "2026-03-01T00:00:00Z", "2026-13-45T99:99:99Z", "2026-03-01",
    'say "no"', "it's", "{% 1/0 %}", "${X}", "a\nb\r\n\tc", "\\", "\\u0041", "ünï\U0001f389\u2028",
    "\u0000\u0007", '[1, {"a": null}]', '{"broken": ', "e" * 10_000, "status_code=503 again",
    "status_code=1 status_code=2 again", "status_code=99999999999999", "é" * 3_000, "constructor",
    "$states.input", "`tick`", "/re/",
]  # fmt: skip
SCALARS = [None, True, False, 0, -1, 1.5, 3, 1e300, -0.25, 2**53, 40_000_000_000]
KEYS = [
    "value", "other", "derived", "status", "x", "a", "", "a b", "'", '"', "constructor",
    "__proto__", "length", "outputs", "id", "deep", "odd key", "list", "00", "body", "step_id",
]  # fmt: skip
ERRORS = [
    None, "", "NetworkError", "States.Timeout", "States.TaskFailed", "StepTimedOut", "Odd 'x'",
    "Lambda.ServiceException", "StepInProgress", "ValidationError", "Rejected", "E" * 256,
]  # fmt: skip
SETTLED = 150
"""Calls after which a world answers plainly, so that every run comes to an end."""


class Data:
    """Values of every shape, from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        """Return true so often."""
        return self.random.random() < probability

    def any(self, depth: int = 0) -> Any:
        """Return JSON of any kind."""
        pick = self.random.random()
        if depth > 3 or pick < 0.35:
            return self.random.choice(TEXTS)
        if pick < 0.55:
            return self.random.choice(SCALARS)
        if pick < 0.75:
            return [self.any(depth + 1) for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
        return self.object(depth)

    def object(self, depth: int = 0) -> dict[str, Any]:
        """Return an object with odd keys."""
        count = self.random.choice([0, 1, 2, 5])
        return {key: self.any(depth + 1) for key in self.random.sample(KEYS, count)}

    def outputs(self, **given: Any) -> Any:
        """Return what should be an object of outputs."""
        if self.chance(0.3):
            return self.any()
        names = ("value", "other", "body", "derived", "status_code", "event", "headers")
        known = {name: self.any() for name in names}
        return {key: value for key, value in (known | given).items() if self.chance(0.7)}


def execution_input(seed: int) -> Any:
    """Return the input of an execution: right, missing, null or of the wrong kind in each part."""
    data = Data(seed)
    if data.chance(0.1):
        return data.any()
    inputs: Any = {
        "name": "a", "count": 2, "flag": True, "names": ["a", "b"], "options": {"deep": {}},
        "free": [{"y": 1}], "image-tag": "t",
    }  # fmt: skip
    for name in [*inputs]:
        if data.chance(0.3):
            inputs[name] = data.any()
        elif data.chance(0.2):
            del inputs[name]
    found: dict[str, Any] = {
        "inputs": inputs if data.chance(0.9) else data.any(),
        "run": {"id": "run-1", "attempt": 1, "started_by": None},
        "trigger": {"name": "t", "type": "git-push", "event_id": "e"},
        "github": {"event": {"pull_request": {"title": "T"}}, "sha": "abc"},
        "event": {"detail": {"id": "x", "list": [1, {"a": 2}]}},
    }
    failed = [{"step_id": "s1", "status": "failed", "type": "E", "message": "m"}]
    found["failure"] = {"steps": [*failed, *(data.any() for _ in range(2))]}
    found["failure"]["steps"].append({"step_id": data.any(), "status": data.any()})
    for name in [*found]:
        if data.chance(0.2):
            found[name] = data.any()
        elif data.chance(0.1):
            del found[name]
    return found


class Hostile:
    """Answers every Task; `kindness` is how often as the contract says."""

    def __init__(self, seed: int, kindness: float = 0.5) -> None:
        self.data = Data(seed)
        self.kindness = kindness
        self.calls = 0

    def __call__(self, call: Call) -> Outcome:
        """Answer one call."""
        self.calls += 1
        kind = self.calls > SETTLED or self.data.chance(self.kindness)
        payload = call.arguments.get("Payload") if isinstance(call.arguments, dict) else None
        function = call.arguments.get("FunctionName") if isinstance(call.arguments, dict) else None
        if function == LATCHES:
            return self._latch(call, payload, kind=kind)
        if function == TASKS:
            return self._task(call, payload, kind=kind)
        takes = self.data.random.choice([0, 1, 400])
        if not kind and self.data.chance(0.4):
            return self.failed(takes)
        return Outcome(self._result(call, kind=kind), takes)

    def failed(self, takes: float = 0) -> Outcome:
        """Return a failure with any name and any cause, or none."""
        error = self.data.random.choice(ERRORS)
        cause = self.data.random.choice([None, *TEXTS, json.dumps(self.data.object())])
        return Outcome.fail(error, cause, takes=takes)

    def _result(self, call: Call, *, kind: bool) -> Any:
        data = self.data
        outputs = {"value": "x", "other": "o", "derived": 3} if kind else data.outputs()
        if "startExecution" in call.resource and "items" in call.arguments["Input"]:
            return {"Output": {"items": [self._item() for _ in call.arguments["Input"]["items"]]}}
        if "startExecution" in call.resource:
            return {"Output": outputs} if kind or data.chance(0.9) else {}
        if call.arguments.get("Payload", {}).get("op") == "items":
            return lambda_result(self._came_to(kind=kind))
        if "lambda:invoke" in call.resource:
            answer: Any = {"step": "s", "status": "succeeded", "outputs": outputs}
            if data.chance(0.3):
                answer["refs"] = (
                    {"value": {"bucket": "b", "key": "k", "bytes": 9}} if kind else data.any()
                )
            return lambda_result(answer if kind or data.chance(0.7) else data.any())
        return outputs if kind or data.chance(0.5) else data.object()

    def _item(self) -> Any:
        """What a machine of ours gives of an item: its form is sure, what is in it is not."""
        record: Any = {"status": "succeeded", "outputs": self.data.outputs()}
        if self.data.chance(0.3):
            return {"f": [{"step_id": "x", "status": "failed", "type": "E", "message": "m"}]}
        return {"s_x": record} if self.data.chance(0.8) else {}

    def _came_to(self, *, kind: bool) -> Any:
        """What is known of the items of a for_each that was stopped."""
        bare = {"status": "succeeded", "outputs": {"value": "x"}, "error": None}
        data = self.data
        items = {str(at): bare if kind else data.any() for at in range(4) if data.chance(0.6)}
        return {"items": items if kind or data.chance(0.7) else data.any()}

    # --- whoever answers by a token --------------------------------------------------------------

    def _later(self, call: Call, answer: Any, delay: float) -> Outcome:
        token = call.token
        call.player.at(delay, lambda: call.player.succeed(token, answer))
        return Outcome()

    def _fail_later(
        self, call: Call, error: str | None, cause: str | None, delay: float
    ) -> Outcome:
        token = call.token
        call.player.at(delay, lambda: call.player.fail(token, error, cause and cause[:32_768]))
        return Outcome()

    def _latch(self, call: Call, payload: Any, *, kind: bool) -> Outcome:
        if payload["op"] == "signal":
            return Outcome(lambda_result({} if kind else self.data.any()))
        if payload["op"] == "noted":
            return Outcome(lambda_result(self._came_to(kind=kind)))
        data = self.data
        if payload.get("guard") and payload.get("bad"):  # what a wait says itself is not forgotten
            return self._fail_later(call, LATCH_SKIP_FAILED, None, 5)
        if payload.get("guard") and data.chance(0.3):
            errors = [LATCH_SKIP_FAILED]
            if payload.get("counting") is not True:
                errors.append(LATCH_SKIP)
            error = data.random.choice(errors)
            return self._fail_later(call, error, None if kind else "x", 5)
        answer: Any = {
            "bad": data.random.choice([[], [], ["s1"], ["s1", "s2"]]),
            "statuses": {},
            "values": {
                f"s_s{at}": data.random.choice([None, self._record()]) for at in range(1, 20)
            },
        }
        if not kind:
            part = data.random.choice([*answer, None])
            if part is None:
                answer = data.any()
            elif data.chance(0.5):
                answer[part] = data.any()
            else:
                del answer[part]
        return self._later(call, answer, data.random.choice([0, 5, 1000]))

    def _record(self) -> Any:
        data = self.data
        record: dict[str, Any] = {"status": "succeeded", "outputs": data.outputs(), "refs": {}}
        if data.chance(0.3):
            record["error"] = {"type": "E", "message": data.any()}
        return record if data.chance(0.7) else data.any()

    def _task(self, call: Call, payload: Any, *, kind: bool) -> Outcome:
        data = self.data
        operation = payload["op"]
        plain: Any = {
            "expire": {"status": "timed_out", "timeout_reason": "nobody decided"},
            "open_callback": {"url": "https://example.com/callback"},
            "pause": {"choice": data.random.choice(["retry", "skip", "fail"]), "outputs": {}},
            "await_callback": {"outputs": {"given": 1}},
            "await_event": {"event": {"detail": {"id": "x"}}},
        }.get(
            operation, {"status": data.random.choice(["approved", "rejected"]), "decided_by": "a@b"}
        )
        if self.calls > SETTLED and operation == "pause":
            plain = {"choice": "fail"}
        answer = plain if kind else data.random.choice([plain | data.object(), data.any()])
        if operation in ("expire", "open_callback"):
            return Outcome(lambda_result(answer)) if kind or data.chance(0.8) else self.failed()
        if not kind and data.chance(0.3):
            failure = self.failed().failure
            assert failure is not None
            return self._fail_later(call, failure.error, failure.cause, 3)
        if data.chance(0.2):
            return Outcome()  # nobody answers
        return self._later(call, answer, data.random.choice([0, 60, 100_000]))
