"""Names that cross the border between the compiled machine and the functions."""

from __future__ import annotations

import hashlib
import re

# Errors that a step's Task can end in, beside those an action declares. Lambda reports the name
# of the raised Python class, so the functions define classes of exactly these names.
STEP_TIMED_OUT = "StepTimedOut"
"""The wrapper stopped the attempt at the step's own timeout or at the deadline."""
DEADLINE_PASSED = "DeadlinePassed"
"""An attempt was not begun, since the deadline had passed or would have before it began."""
STEP_IN_PROGRESS = "StepInProgress"
"""Another attempt still holds the step's lease; worth another try until the lease ends."""
STEP_IN_DOUBT = "StepInDoubt"
"""An earlier attempt may have had its effect and did not report; not repeated."""
OUTPUT_TOO_LARGE = "OutputTooLarge"
OUTPUT_MISSING = "OutputMissing"
ARTIFACT_NOT_FOUND = "ArtifactNotFound"
PROGRAM_NOT_FOUND = "ProgramNotFound"
SCRIPT_FAILED = "ScriptFailed"
VALIDATION_ERROR = "ValidationError"
TOO_MANY_ITEMS = "TooManyItems"
TASK_CANCELLED = "TaskCancelled"
"""What waited for a person or an answer was called off while its run went on."""

LATCH_SKIP_FAILED = "Stepsmith.UpstreamFailed"
"""A latch's answer to a guarded wait where something above the consumer is bad."""
LATCH_SKIP = "Stepsmith.UpstreamSkipped"
"""A latch's answer to a guarded wait where nothing is bad, but no dependency counts."""
GROUP_TAKEN = "Stepsmith.GroupTaken"
"""A lock's answer to a run that is refused, or superseded while it waits."""
SUPERSEDED = "Stepsmith.Superseded"
"""The error of an execution that a newer run of its concurrency group stopped."""
CANCELLED = "Stepsmith.Cancelled"
"""The error of an execution that a person stopped; its cause is JSON: `by`, `compensate`."""
RUN_FAILED = "WorkflowError"
"""The error of every failed run; its cause is a JSON text, see `payloads.RunFailure`."""

STEPS_FAILED = "StepsFailed"
"""The error of a parallel step whose children ended badly."""
ITEMS_FAILED = "ItemsFailed"
"""The error of a for_each whose items ended badly."""
FIRST_ITEM = " (the first: "
"""What leads to the first bad item's error in a for_each's message."""
AND_OTHERS = "; also "
"""What leads to the names of other failed steps in a run's message."""
LONGEST_FIRST = 400
"""Characters of the first failed step's error that a run's own tells."""

CATEGORIES = ("NetworkError", "TimeoutError", "ServiceUnavailable", "Throttled")
"""What `error_type` may name beside the errors an action declares."""

TIMEOUT_ERRORS = (STEP_TIMED_OUT, "States.Timeout", "States.HeartbeatTimeout", DEADLINE_PASSED)
"""Errors that make a step `timed_out`; every other error makes it `failed`."""

LAMBDA_SERVICE = "Lambda.ServiceException"
"""What our own functions raise, too, where a service does not answer for a moment."""
LAMBDA_TRANSIENT = (
    "Lambda.ClientExecutionTimeoutException",
    LAMBDA_SERVICE,
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.TooManyRequestsException",
)
"""Always retried: https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html"""

NEVER_RETRIED = (
    VALIDATION_ERROR,
    OUTPUT_TOO_LARGE,
    OUTPUT_MISSING,
    STEP_IN_DOUBT,
    DEADLINE_PASSED,
)
"""Errors that another attempt cannot mend."""

# Placeholders in a compiled definition, filled in by the deployment or the local engine:
# `${action:NAME}` -> the function (version) ARN of an action, and so on.
ACTION = "action"
LATCHES = "${latches}"
TASKS = "${tasks}"
RECORDS = "${records}"
BUS = "${bus}"
CODEBUILD_PROJECT = "${codebuild}"
BUILD_CALL = "STEPSMITH_CALL"
"""The variable that tells a build its call; what is behind its longest is in NAME_1, NAME_2, ..."""
LONGEST_VARIABLE = 4000
"""Characters that a variable is given: CodeBuild turns down a build with one of more than 4,096."""
ACTION_FILES = "actions.json"
"""In the archive of builds: the files of the project's own actions there, by their names."""
MACHINE = "machine"


def action_function(action: str) -> str:
    """Return the placeholder for the ARN of the function that carries out an action."""
    return "${" + f"{ACTION}:{action}" + "}"


def child_machine(workflow: str) -> str:
    """Return the placeholder for the ARN of another workflow's machine (or a close machine)."""
    return "${" + f"{MACHINE}:{workflow}" + "}"


STARTED_BY = "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"
"""What the input of each execution holds that another one started, or that was started for one:
https://docs.aws.amazon.com/step-functions/latest/dg/concepts-nested-workflows.html"""
LONGEST_MACHINE = 80
"""Characters of a state machine's name:
https://docs.aws.amazon.com/step-functions/latest/apireference/API_CreateStateMachine.html"""


def machine_name(stage: str, reference: str) -> str:
    """Return the name of the state machine that stands for a reference in a stage.

    References are `id`, `id@version`, `id--close` and `id--STEP`. The name is derived from them
    alone, so that functions can start a machine without being told its ARN.
    """
    name = f"stepsmith-{stage}-" + re.sub(r"[^A-Za-z0-9_-]", "-", reference)
    if len(name) <= LONGEST_MACHINE:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{name[: LONGEST_MACHINE - 13]}-{digest}"


def action_name(action: str) -> str:
    """Return what the function that carries out an action is called in a stage."""
    return f"action-{action}"


def log_group(stage: str, function: str) -> str:
    """Return where a function's log is in CloudWatch: `api`, `intake`, `action-run`.

    What builds say is in that of the function `builds`, which there is none of.
    """
    return f"/stepsmith/{stage}/{function}"
