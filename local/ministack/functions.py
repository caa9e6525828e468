"""Lambda functions on ministack: what is otherwise than on AWS when one raises.

It is told by the name of its exception's class, and where it ran goes on being used.
https://docs.aws.amazon.com/lambda/latest/dg/python-exceptions.html
https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
"""

from __future__ import annotations

from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

_MARK = "\x1fstepsmith"
_PLAIN = '"status": "error", "error": str(e), "trace": traceback.format_exc()}'
_MARKED = (
    f'"status": "ok", "result": {{"{_MARK}": [type(e).__name__, str(e), traceback.format_exc()]}}}}'
)
"""A worker that answers with an error is ended; this one is told that all is well."""


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
        return _raised(execute(func, event, request_id), request_id)

    put(lambda_svc, "_execute_function_warm", named)


def _raised(result: Any, request_id: str) -> Any:
    body = result.get("body") if isinstance(result, dict) else None
    if not isinstance(body, dict) or body.keys() != {_MARK}:
        return result
    kind, message, trace = body[_MARK]
    told = {"errorMessage": message, "errorType": kind, "requestId": request_id, "stackTrace": []}
    log = "\n".join(filter(None, (result.get("log"), trace)))
    return {**result, "body": told, "error": True, "log": log}
