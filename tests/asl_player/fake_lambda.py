"""The Lambda function `f` of the conformance cases, as a task stub."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from tests.asl_player import Call, Outcome, TaskFailed, lambda_result


class FakeLambda:
    """Answers `lambda:invoke` by `op` of the payload; `tokens` holds what `token` kept."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        self._tries: Counter[str] = Counter()

    def __call__(self, call: Call) -> Outcome:
        arguments: Any = call.arguments
        if arguments["FunctionName"] != "f":
            raise TaskFailed("Lambda.ResourceNotFoundException", "Function not found")
        payload = arguments["Payload"]
        takes = payload["s"] if payload.get("op") == "sleep" else 0.0
        return Outcome(lambda_result(self._answer(payload)), takes)

    def _answer(self, payload: dict[str, Any]) -> Any:
        match payload.get("op"):
            case "echo":
                return {"v": payload["v"]}
            case "raise":
                raise _raised(payload["error"], payload["msg"])
            case "flaky":
                tries = self._next_try(payload)
                if tries <= payload["n"]:
                    raise _raised("Flaky", f"try {tries}")
                return {"tries": tries} | {key: payload[key] for key in payload.keys() & {"rc"}}
            case "seq":
                tries = self._next_try(payload)
                if tries <= len(payload["errors"]):
                    raise _raised(payload["errors"][tries - 1], f"try {tries}")
                return {"tries": tries}
            case "sleep":
                return {"slept": payload["s"]}
            case "big":
                return {"s": "x" * payload["n"]}
            case "token":
                self.tokens[payload["name"]] = payload["token"]
                return {"ok": 1}
            case _:
                return {"event": payload}

    def _next_try(self, payload: dict[str, Any]) -> int:
        self._tries[payload["key"]] += 1
        return self._tries[payload["key"]]


def _raised(error: str, message: str) -> TaskFailed:
    """Return the failure Step Functions makes of an exception in a handler."""
    cause = {"errorMessage": message, "errorType": error, "requestId": "r", "stackTrace": []}
    return TaskFailed(error, json.dumps(cause))
