"""Lambda tasks call the functions of this process.

moto would go through its Lambda API to a container, and writes the JSON of errors in its own way.
https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from botocore.exceptions import ClientError
from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils

from local.active import host
from local.dispatch import FunctionError, UnknownFunction


def _invoke(parameters: dict[str, Any], region: str, state_credentials: object) -> dict[str, Any]:
    """Return what the state's result is made of; raises as botocore does for no function."""
    del region, state_credentials
    answer: dict[str, Any] = {
        "ExecutedVersion": "$LATEST",
        "StatusCode": 200,
        "SdkHttpMetadata": {"HttpStatusCode": 200},
        "SdkResponseMetadata": {"RequestId": str(uuid.uuid4())},
    }
    payload = json.loads(parameters.get("Payload", b"{}"))
    try:
        answer["Payload"] = host().invoke(parameters["FunctionName"], payload)
    except FunctionError as error:
        raise lambda_eval_utils.LambdaFunctionErrorException("Unhandled", _told(error)) from error
    except UnknownFunction as error:
        details: Any = {
            "Error": {"Code": "ResourceNotFoundException", "Message": str(error)},
            "ResponseMetadata": {"HTTPStatusCode": 404, "RequestId": "local"},
        }
        raise ClientError(details, "Invoke") from error
    return answer


def _told(error: FunctionError) -> str:
    """Return the text of an error as Lambda's Python writes it, which is the cause on AWS.

    https://github.com/aws/aws-lambda-python-runtime-interface-client (lambda_runtime_marshaller.py)
    """
    text = json.dumps(error.payload, ensure_ascii=False)
    return text.encode(errors="replace").decode()


def _whole(*, typed_dict: object, obj: dict[str, Any]) -> dict[str, Any]:
    """Keep the fields of the SDK's own, which moto's type does not name."""
    del typed_dict
    return obj


def install() -> None:
    """Replace the call of a function."""
    put: Any = setattr
    put(lambda_eval_utils, "_invoke_lambda_function", _invoke)
    put(lambda_eval_utils, "select_from_typed_dict", _whole)
