"""Calls of AWS services: names of parameters, results and errors as on AWS, clients kept.

moto leaves parameters as they stand (a stub where it should translate), makes a client for each
call, and knows the error names of two services. Names follow the SDK for Java:
https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html
"""

from __future__ import annotations

import datetime as dt
import json
import re
from functools import cache
from typing import Any

import boto3
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import ClientError, ParamValidationError
from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape
from botocore.response import StreamingBody
from botocore.utils import CLIENT_NAME_TO_HYPHENIZED_SERVICE_ID_OVERRIDES as SERVICE_IDS
from moto.events.models import EventsBackend
from moto.stepfunctions.parser.api import HistoryEventType, TaskFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import (
    CustomErrorName,
)
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent
from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk,
    state_task_service_dynamodb,
    state_task_service_events,
    state_task_service_sfn,
    state_task_service_sns,
    state_task_service_sqs,
    state_task_service_unsupported,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import (  # noqa: E501
    StateTaskService,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_aws_sdk import (  # noqa: E501
    StateTaskServiceAwsSdk,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_lambda import (  # noqa: E501
    StateTaskServiceLambda,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_unsupported import (  # noqa: E501
    StateTaskServiceUnsupported,
)

from local.active import present

_SDK = "aws-sdk"
_OPTIMISED = {"codebuild": "CodeBuild", "eks": "EKS", "athena": "Athena", "sagemaker": "SageMaker"}
"""Names of services in errors of optimised integrations that moto hands on as they are."""
_JAVA_NAMES = {"NULL": "Nul"}
"""A member that the SDK for Java calls otherwise: a reserved word there."""
_WORDS = re.compile(r"[A-Z]+(?=v\d)|v\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@cache
def folder_of(service: str) -> str:
    """Return botocore's name of a service by the name that Step Functions uses."""
    by_id = {name.replace("-", ""): folder for folder, name in SERVICE_IDS.items()}
    known = {"sfn": "stepfunctions", "states": "stepfunctions"}
    return known.get(service) or by_id.get(service, service)


@cache
def _client(service: str, region: str) -> Any:
    # Parameters are checked, as the service would; moto itself takes what comes.
    settings = Config(retries={"total_max_attempts": 1}, region_name=region)
    make: Any = boto3.client
    return make(
        folder_of(service),
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 (moto's, no secret)
        config=settings,
    )


def _client_for(region: str, service: str, state_credentials: object = None) -> Any:
    del state_credentials
    return _client(service, region)


def operation_of(service: str, action: str) -> OperationModel | None:
    """Return botocore's model of an operation, such as `dynamodb` and `putItem`."""
    model = _client(service, "us-east-1").meta.service_model
    name = action[:1].upper() + action[1:]
    found: OperationModel | None = (
        model.operation_model(name) if name in model.operation_names else None
    )
    return found


def java_name(text: str) -> str:
    """Return a name as the SDK for Java spells it, in PascalCase: `DynamoDB` is `DynamoDb`."""
    if text in _JAVA_NAMES:
        return _JAVA_NAMES[text]
    return "".join(word[:1].upper() + word[1:].lower() for word in _WORDS.findall(text))


def _request(value: Any, shape: Shape) -> Any:
    """Return a parameter as botocore takes it."""
    if isinstance(shape, StructureShape) and isinstance(value, dict):
        names = {name.lower(): name for name in shape.members}
        names |= {_JAVA_NAMES[name].lower(): name for name in shape.members if name in _JAVA_NAMES}
        return {
            names.get(key.lower(), key): _request(item, shape.members[names[key.lower()]])
            if key.lower() in names
            else item
            for key, item in value.items()
        }
    if isinstance(shape, ListShape) and isinstance(value, list):
        return [_request(item, shape.member) for item in value]
    if isinstance(shape, MapShape) and isinstance(value, dict):
        return {key: _request(item, shape.value) for key, item in value.items()}
    if shape.type_name == "string" and not isinstance(value, str) and value is not None:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if shape.type_name == "blob" and not isinstance(value, bytes):
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        return text.encode()
    return value


def _response(value: Any, shape: Shape | None, *, java: bool) -> Any:
    """Return a result as Step Functions gives it: PascalCase, times as text, no streams."""
    if isinstance(value, StreamingBody):
        return value.read().decode(errors="replace")
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(shape, StructureShape) and isinstance(value, dict):
        return {
            (java_name(key) if java else key[:1].upper() + key[1:]): _response(
                item, shape.members.get(key), java=java
            )
            for key, item in value.items()
        }
    if isinstance(shape, ListShape) and isinstance(value, list):
        return [_response(item, shape.member, java=java) for item in value]
    if isinstance(shape, MapShape) and isinstance(value, dict):
        return {key: _response(item, shape.value, java=java) for key, item in value.items()}
    return value


def _normalise_parameters(
    self: Any,
    parameters: dict[str, Any],
    boto_service_name: str | None = None,
    service_action_name: str | None = None,
) -> None:
    del boto_service_name, service_action_name
    operation = operation_of(self.resource.api_name, self.resource.api_action)
    if operation is None or operation.input_shape is None:
        return
    translated = _request(parameters, operation.input_shape)
    parameters.clear()
    parameters.update(translated)


def _eval_service_task(
    self: Any, env: Any, resource_runtime_part: Any, normalised_parameters: Any, **_: object
) -> None:
    """Call the service; what its own task adds to the parameters is added before this."""
    client = _client(self.resource.api_name, resource_runtime_part.region)
    operation = operation_of(self.resource.api_name, self.resource.api_action)
    if operation is None:
        raise RuntimeError(f"there is no operation {self.resource.resource_arn}")
    answer = getattr(client, xform_name(operation.name))(**normalised_parameters)
    metadata = answer.pop("ResponseMetadata", {})
    java = self.resource.service_name == _SDK
    result = _response(answer, operation.output_shape, java=java)
    if not java:
        result["SdkHttpMetadata"] = {
            "HttpStatusCode": metadata.get("HTTPStatusCode", 200),
            "AllHttpHeaders": {},
            "HttpHeaders": {},
        }
        result["SdkResponseMetadata"] = {"RequestId": metadata.get("RequestId", "local")}
    env.stack.append(result)


def _events_task(
    self: Any, env: Any, resource_runtime_part: Any, normalised_parameters: Any, **_: object
) -> None:
    """Put events; any entry that was refused fails the task, whatever became of the others."""
    self._normalised_request_parameters(env=env, parameters=normalised_parameters)
    _eval_service_task(self, env, resource_runtime_part, normalised_parameters)
    if env.stack[-1].get("FailedEntryCount"):
        raise state_task_service_events.SfnFailedEntryCountException(cause=env.stack[-1])


def _put_events(self: Any, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put events on a bus and tell the engine of those taken; moto's rules do not start runs."""
    put: list[dict[str, Any]] = _moto_put_events(self, events)
    here = present()
    if here is not None:
        taken = zip(events, put, strict=True)
        here.publish([{**one, "Id": said["EventId"]} for one, said in taken if "EventId" in said])
    return put


def _events_error(self: Any, env: Any, ex: Exception) -> Any:
    """Report a refused entry with the whole answer as JSON text, as AWS does."""
    if isinstance(ex, state_task_service_events.SfnFailedEntryCountException):
        return failure(self, env, "EventBridge.FailedEntry", str(ex))
    if isinstance(ex, ClientError):
        return failure(self, env, f"EventBridge.{_code(ex)}Exception", _cause(ex, "EventBridge"))
    return _moto_events_error(self, env=env, ex=ex)


def _sdk_error(self: Any, env: Any, ex: Exception) -> Any:
    """Name an error `Service.CodeException`, as the SDK for Java calls the classes."""
    model = _client(self.resource.api_name, "us-east-1").meta.service_model
    service = java_name(model.service_id)
    if isinstance(ex, ClientError):
        names = ((shape.name, shape.error_code) for shape in model.error_shapes)
        modelled = {name for pair in names for name in pair}
        code = _code(ex)
        known = code in modelled or code.removesuffix("Exception") in modelled
        name = f"{service}.{code if known else service}"
        return failure(self, env, name.removesuffix("Exception") + "Exception", _cause(ex, service))
    if isinstance(ex, ParamValidationError):
        return failure(self, env, f"{service}.{service}Exception", str(ex))
    return _moto_sdk_error(self, env=env, ex=ex)


def _handed_on_error(self: Any, env: Any, ex: Exception) -> Any:
    if isinstance(ex, ClientError):
        service = _OPTIMISED.get(self.resource.service_name, java_name(self.resource.service_name))
        code = _code(ex).removesuffix("Exception")
        return failure(self, env, f"{service}.{code}Exception", _cause(ex, service))
    return _moto_handed_on_error(self, env=env, ex=ex)


def _code(error: ClientError) -> str:
    # Some services give `code:reason` or `namespace#code`.
    return str(error.response["Error"]["Code"]).split("#")[-1].split(":")[0]


def _cause(error: ClientError, service: str) -> str:
    metadata = error.response.get("ResponseMetadata", {})
    status, request = metadata.get("HTTPStatusCode", 400), metadata.get("RequestId", "local")
    message = error.response["Error"].get("Message", "")
    return f"{message} (Service: {service}, Status Code: {status}, Request ID: {request})"


def failure(task: Any, env: Any, error: str, cause: str) -> FailureEvent:
    """Return the failure of a Task, as its history tells it; of a Parallel that of its branches."""
    if not isinstance(task, StateTaskService):
        ended: Any = {"executionFailedEventDetails": {"error": error, "cause": cause}}
        kind = HistoryEventType.ParallelStateFailed
        return FailureEvent(env, CustomErrorName(error), kind, ended)
    details: Any = {
        "taskFailedEventDetails": TaskFailedEventDetails(
            error=error,
            cause=cause,
            resource=task._get_sfn_resource(),  # noqa: SLF001
            resourceType=task._get_sfn_resource_type(),  # noqa: SLF001
        )
    }
    return FailureEvent(
        env=env,
        error_name=CustomErrorName(error),
        event_type=HistoryEventType.TaskFailed,
        event_details=details,
    )


def _payload(_self: object, parameters: dict[str, Any], **_: object) -> None:
    """Write a Lambda payload as JSON; its fields need no translation."""
    if "Payload" in parameters:
        parameters["Payload"] = lambda_eval_utils.to_payload_type(parameters["Payload"])


def _nothing_to_normalise(self: object, *_: object, **__: object) -> None:
    """Results have their names already."""
    del self


_moto_put_events = EventsBackend.put_events
_moto_events_error = state_task_service_events.StateTaskServiceEvents._from_error  # noqa: SLF001
_moto_sdk_error = StateTaskServiceAwsSdk._from_error  # noqa: SLF001
_moto_handed_on_error = StateTaskServiceUnsupported._from_error  # noqa: SLF001


def install() -> None:
    """Replace how services are called and how their errors are named."""
    put: Any = setattr
    put(StateTaskService, "_normalise_parameters", _normalise_parameters)
    put(StateTaskServiceLambda, "_normalise_parameters", _payload)
    for task in (
        StateTaskServiceAwsSdk,
        state_task_service_dynamodb.StateTaskServiceDynamoDB,
        state_task_service_sqs.StateTaskServiceSqs,
        state_task_service_sns.StateTaskServiceSns,
        state_task_service_sfn.StateTaskServiceSfn,
        StateTaskServiceUnsupported,
    ):
        put(task, "_eval_service_task", _eval_service_task)
        put(task, "_normalise_response", _nothing_to_normalise)
    put(EventsBackend, "put_events", _put_events)
    put(state_task_service_events.StateTaskServiceEvents, "_eval_service_task", _events_task)
    put(state_task_service_events.StateTaskServiceEvents, "_from_error", _events_error)
    put(StateTaskServiceAwsSdk, "_from_error", _sdk_error)
    put(StateTaskServiceUnsupported, "_from_error", _handed_on_error)
    for module in (state_task_service_aws_sdk, state_task_service_sfn):
        put(module, "boto_client_for", _client_for)
    put(state_task_service_unsupported, "boto_client_for", _client_for)
