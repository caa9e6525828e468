"""Lambda functions on ministack: a failed one is told by the name of its exception's class.

https://docs.aws.amazon.com/lambda/latest/dg/python-exceptions.html
"""

from __future__ import annotations

import json
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

_MARK = "\x1fstepsmith:"
_PLAIN = '"error": str(e), "trace"'
_MARKED = f'"error": "{_MARK}" + json.dumps([type(e).__name__, str(e)]), "trace"'


class Changed(Exception):
    """ministack is not as it was when this was written."""


def install() -> None:
    """Have workers say what was raised, and answers carry it."""
    script = lambda_runtime._PYTHON_WORKER_SCRIPT
    if script.count(_PLAIN) != 1:
        raise Changed("the script of Python workers")
    put: Any = setattr
    put(lambda_runtime, "_PYTHON_WORKER_SCRIPT", script.replace(_PLAIN, _MARKED))
    execute = lambda_svc._execute_function_warm

    def named(func: Any, event: Any, request_id: str) -> Any:
        return _with_name(execute(func, event, request_id), request_id)

    put(lambda_svc, "_execute_function_warm", named)


def _with_name(result: Any, request_id: str) -> Any:
    body = result.get("body") if isinstance(result, dict) and result.get("error") else None
    said = body.get("errorMessage") if isinstance(body, dict) else None
    if not isinstance(said, str) or not said.startswith(_MARK):
        return result
    kind, message = json.loads(said.removeprefix(_MARK))
    told = {"errorType": kind, "errorMessage": message, "requestId": request_id, "stackTrace": []}
    return {**result, "body": told}
