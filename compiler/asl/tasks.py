"""The Task of a step by its kind: what it calls, with which arguments, and where its result is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from compiler.asl.children import INHERITED_OF_RUN, child_id, child_name
from compiler.asl.context import Context, State
from compiler.asl.counting import counter
from compiler.asl.records import PAYLOAD, literal_outputs
from compiler.asl.resolver import ScopeResolver
from compiler.asl.resuming import handed_on, unless_kept
from compiler.asl.retrying import LAMBDA_LIMIT, SERVICE, TRANSIENT, retriers
from compiler.asl.values import code_of, field_of, list_code, references_of, secrets_of
from compiler.check.portable import portable
from compiler.check.program import (
    Action,
    AwsCall,
    Constant,
    Fields,
    Publish,
    Script,
    Step,
    SubWorkflow,
    Value,
    expressions,
)
from compiler.document.nodes import Json
from compiler.expressions import references
from compiler.expressions.quoting import json_literal, literal, text_literal, wrap
from compiler.plan.durations import BUILD
from compiler.plan.facts import step_named
from protocol.names import (
    BUILD_CALL,
    BUS,
    CODEBUILD_PROJECT,
    LONGEST_VARIABLE,
    STARTED_BY,
    action_function,
    child_machine,
)

INVOKE = "arn:aws:states:::lambda:invoke"
WAITING = f"{INVOKE}.waitForTaskToken"
GRACE = 10
"""Seconds the ASL timeout comes after the wrapper's own."""
_ONE_TEXT = re.compile(r"""null|'[^']*'|"(?:[^"\\]|\\.)*\"""")
"""Expressions that are a text or null, whatever is known when they are evaluated."""


@dataclass(frozen=True, slots=True)
class Task:
    """A Task without its ways out. `outputs` is JSONata of the object that holds the outputs."""

    state: State
    outputs: str
    collects: State | None = None  # a second state that fetches the result of the first


def task_of(context: Context, step: Step, resolve: ScopeResolver) -> Task:
    """Return the Task that carries out one attempt of a step."""
    kind = step.kind
    match kind:
        case Action() | Script() if step.is_build:
            return _build(context, step, resolve, kind)
        case Action(action=action):
            return _invoke(context, step, resolve, action)
        case Script():
            return _invoke(context, step, resolve, "run")
        case AwsCall():
            return _aws_call(context, step, resolve, kind)
        case SubWorkflow():
            return _child(context, step, resolve, kind)
        case Publish():
            return _publish(context, step, resolve, kind)
        case _:
            pass
    raise AssertionError(f"no Task for {kind}")


def _invoke(context: Context, step: Step, resolve: ScopeResolver, action: str) -> Task:
    state: State = {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {
            "FunctionName": action_function(action),
            "Payload": call_of(context, step, resolve),
        },
        "TimeoutSeconds": time_limit(context, (step.timeout or LAMBDA_LIMIT) + GRACE, GRACE),
        "Retry": retriers(step, on_lambda=True, limited=context.limited),
    }
    return Task(state, f"{PAYLOAD}.outputs")


def call_of(context: Context, step: Step, resolve: ScopeResolver) -> dict[str, Json]:
    """Return the ActionCall of a step (protocol.payloads)."""
    inputs, env = _inputs_and_env(step)
    call: dict[str, Json] = {
        "run": "{% $run %}",
        "step": step.id,
        "inputs": field_of(inputs, resolve),
    }
    if context.items:
        call["items"] = [wrap(item.index) for item in context.items]
    if step.repeat is not None:
        call["iteration"] = wrap(counter(step, "n"))
    elif context.life is not None:
        call["iteration"] = wrap(context.life)
    if env.items:
        call["env"] = field_of(env, resolve)
    secrets = secrets_of(inputs, "/inputs") | secrets_of(env, "/env")
    if secrets:
        call["secrets"] = literal(secrets)
    refs = references_of(inputs, "/inputs", resolve) | references_of(env, "/env", resolve)
    if refs:
        call["refs"] = refs
    seconds = _attempt_seconds(step)
    if seconds is not None:
        call["timeout"] = seconds
    deadline = context.deadline_code
    if deadline is not None:
        call["deadline"] = wrap(deadline)
    return call | _outputs_of(context, step, resolve) | _files_of(context, step)


def _attempt_seconds(step: Step) -> int | None:
    """Return what the wrapper gives an attempt; None for its own limit, which is Lambda's."""
    if step.is_build:
        return step.timeout or BUILD
    return None if step.timeout is None else min(step.timeout, LAMBDA_LIMIT)


def _inputs_and_env(step: Step) -> tuple[Value, Fields]:
    kind = step.kind
    env = step.env
    if isinstance(kind, Script):
        return Constant({"script": kind.text}), Fields((*env, *kind.variables))
    assert isinstance(kind, Action)
    return kind.inputs, Fields((*env, *kind.variables))


def _outputs_of(context: Context, step: Step, resolve: ScopeResolver) -> dict[str, Json]:
    found: dict[str, Json] = {}
    declared = [output.name for output in step.outputs if output.form == "declared"]
    if declared:
        found["outputs"] = literal(list(declared))
    literals = literal_outputs(step)
    if literals:
        found["defaults"] = literal(literals)
    computed: dict[str, Json] = {}
    derived: dict[str, Json] = {}
    for output in step.outputs:
        if output.value is None:
            continue
        if output.form == "computed":
            computed[output.name] = field_of(output.value, resolve)
        elif output.form == "derived":
            derived[output.name] = portable(output.value)
    if computed:
        found["computed"] = computed
    if derived:
        found["derived"] = literal(derived)
        beside = _contexts_of(context, step, resolve)
        if beside:
            found["contexts"] = beside
    return found | _limits_of(context, step)


def _limits_of(context: Context, step: Step) -> dict[str, Json]:
    """Return which outputs have to travel inline, and how many bytes may."""
    reads = context.reads_of(step)
    if reads is None or not (reads.outputs or reads.all_outputs):
        return {}
    found: dict[str, Json] = {}
    inline = ["*"] if reads.all_outputs else sorted(reads.inline)
    if inline:
        found["inline"] = literal(list(inline))
    limit = context.plan.limits.get(step.id)
    if limit is not None:
        found["limit"] = limit
    return found


def _contexts_of(context: Context, step: Step, resolve: ScopeResolver) -> dict[str, Json]:
    """Return what derived outputs read beside the step itself, by context."""
    found: dict[str, Json] = {}
    others: dict[str, Json] = {}
    for output in step.outputs:
        if output.form != "derived" or output.value is None:
            continue
        for expr in expressions(output.value):
            for ref in references(expr):
                if ref.root != "steps":
                    code, consumed = resolve.ref(replace(ref, path=ref.path[:1]))
                    if consumed == 1:
                        found[ref.root] = wrap(code.text)
                    continue
                other = step_named(ref.keys, context.plan.program.by_id)
                if other is not None and other.id != step.id:
                    variable = context.plan.variable(other.id, context.scope.key)
                    text = f"$exists(${variable}) ? ${variable} : null" if variable else "null"
                    others[other.id] = wrap(text)
    if others:
        found["steps"] = others
    return found


def _files_of(context: Context, step: Step) -> dict[str, Json]:
    found: dict[str, Json] = {}
    if step.artifacts:
        found["artifacts"] = literal(list(step.artifacts))
    files = context.plan.files.get(step.id)
    if files:
        found["files"] = [_place(context, maker, shared) for maker, shared in files.items()]
    return found


def _place(context: Context, step: str, shared: int) -> Json:
    """Return the path below which a step's files are, for a reader in the same items."""
    if not shared:
        return step
    indexes = " & '/' & ".join(f"$string({item.index})" for item in context.items[:shared])
    return wrap(f"{text_literal(step + '/')} & {indexes}")


def _build(context: Context, step: Step, resolve: ScopeResolver, kind: Action | Script) -> Task:
    """A step on CodeBuild: the build runs the same wrapper, then its stored result is fetched.

    The function of scripts fetches it, whatever action it is of.
    """
    call = call_of(context, step, resolve)
    if isinstance(kind, Action):
        call["action"] = kind.action
    text = code_of_field(call)
    arguments: dict[str, Json] = {
        "ProjectName": CODEBUILD_PROJECT,
        "EnvironmentVariablesOverride": wrap(_in_variables(f"$string({text})")),
    }
    if kind.image is not None:
        arguments["ImageOverride"] = literal(kind.image)
    seconds = step.timeout or BUILD
    arguments["TimeoutInMinutesOverride"] = max(5, -(-seconds // 60))
    state: State = {
        "Type": "Task",
        "Resource": "arn:aws:states:::codebuild:startBuild.sync",
        "Arguments": arguments,
        "TimeoutSeconds": time_limit(context, seconds + 300),
        "Output": {},
    }
    if context.plan.closing is None:
        state["TimeoutSeconds"] = unless_kept(context, step, state["TimeoutSeconds"])
    told = "$exists($states.input.Error) ? $substring($string($states.input.Cause), 0, 400) : null"
    fetch: State = {
        "Type": "Task",
        "Resource": INVOKE,
        "Arguments": {
            "FunctionName": action_function("run"),
            "Payload": {**_place_of(call), "stored": True, "build_error": wrap(told)},
        },
        "TimeoutSeconds": 60,
        "Retry": [TRANSIENT],
    }
    return Task(state, f"{PAYLOAD}.outputs", fetch)


def _in_variables(text: str) -> str:
    """Return JSONata of the variables that a text, of which JSONata is given, is handed over in."""
    pieces = f"[0..$floor(($length($call) - 1) / {LONGEST_VARIABLE})]"
    name = f"'{BUILD_CALL}' & ($i = 0 ? '' : '_' & $string($i))"
    value = f"$substring($call, $i * {LONGEST_VARIABLE}, {LONGEST_VARIABLE})"
    variable = f"{{'Name': {name}, 'Type': 'PLAINTEXT', 'Value': {value}}}"
    return f"($call := {text}; $append([], $map({pieces}, function($i) {{ {variable} }})))"


def _place_of(call: dict[str, Json]) -> dict[str, Json]:
    """Return of a call what tells where its result is stored, and nothing that is asked for."""
    names = ("run", "step", "items", "iteration")
    kept: dict[str, Json] = {name: call[name] for name in names if name in call}
    return {**kept, "inputs": {}}


def code_of_field(value: Json) -> str:
    """Return a field (plain JSON with `{% %}` texts in it) as one JSONata expression."""
    match value:
        case str() if value.startswith("{%") and value.endswith("%}"):
            return f"({value[2:-2].strip()})"
        case str():
            return text_literal(value)
        case list():
            return list_code([(code_of_field(item), _may_be_list(item)) for item in value])
        case dict():
            items = (f"{text_literal(k)}: {code_of_field(v)}" for k, v in value.items())
            return f"{{{', '.join(items)}}}"
        case _:
            pass
    return json_literal(value)


def _may_be_list(field: Json) -> bool:
    """Whether an item of a field comes to a list for all that can be seen of it."""
    if not (isinstance(field, str) and field.startswith("{%") and field.endswith("%}")):
        return False
    return _ONE_TEXT.fullmatch(field[2:-2].strip()) is None


def _aws_call(context: Context, step: Step, resolve: ScopeResolver, kind: AwsCall) -> Task:
    state: State = {
        "Type": "Task",
        "Resource": f"arn:aws:states:::aws-sdk:{kind.service}:{kind.operation}",
        "Arguments": field_of(kind.arguments, resolve),
        "TimeoutSeconds": time_limit(context, step.timeout or 300),
    }
    retry = retriers(step, on_lambda=False, limited=context.limited)
    if retry:
        state["Retry"] = retry
    return Task(state, "$states.result")


def _child(context: Context, step: Step, resolve: ScopeResolver, kind: SubWorkflow) -> Task:
    items = ", ".join(item.index for item in context.items)
    run = (
        f"{{'id': {child_id(context, step)}, 'attempt': $run.attempt, "
        f"'started_by': $run.started_by, {INHERITED_OF_RUN}, "
        f"'parent': $run.id, 'root': $type($run.root) = 'string' ? $run.root : $run.id, "
        f"'step': {text_literal(step.id)}, 'items': [{items}]}}"
    )
    payload: dict[str, Json] = {
        "inputs": field_of(kind.inputs, resolve),
        "run": wrap(run),
        STARTED_BY: "{% $states.context.Execution.Id %}",
    }
    if context.plan.closing is None:
        payload["resume"] = handed_on()
    carried = [root for root in ("trigger", "github") if root in context.plan.carried]
    payload |= {root: f"{{% ${root} %}}" for root in carried}
    state: State = {
        "Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2",
        "Arguments": {
            "StateMachineArn": child_machine(kind.workflow),
            "Name": wrap(child_name(context, step)),
            "Input": payload,
        },
        "Retry": [SERVICE],
    }
    if step.timeout is not None or context.deadline is not None:
        state["TimeoutSeconds"] = time_limit(context, step.timeout or 31_536_000)
    return Task(state, "$states.result.Output")


def _publish(context: Context, step: Step, resolve: ScopeResolver, kind: Publish) -> Task:
    parts = ["$run.id", text_literal(step.id), *(f"$string({i.index})" for i in context.items)]
    if step.repeat is not None:
        parts.append(f"'r' & $string({counter(step, 'n')})")
    elif context.life is not None:
        parts.append(f"'r' & $string(({context.life}))")
    path = " & '/' & ".join(parts)
    detail = (
        f"{{'event_id': {path}, 'payload': {code_of(kind.payload, resolve)}, 'run': $run.id, "
        "'depth': $run.depth, 'cause': $run.event_id, "
        "'started_by': $run.started_by}"
    )
    state: State = {
        "Type": "Task",
        "Resource": "arn:aws:states:::events:putEvents",
        "Arguments": {
            "Entries": [
                {
                    "EventBusName": BUS,
                    "Source": "stepsmith",
                    "DetailType": field_of(kind.event, resolve),
                    "Detail": wrap(detail),
                }
            ]
        },
        "TimeoutSeconds": time_limit(context, step.timeout or 60),
        "Retry": [
            {
                "ErrorEquals": ["EventBridge.SdkClientException", "EventBridge.FailedEntry"],
                "IntervalSeconds": 1,
                "MaxAttempts": 5,
                "BackoffRate": 2.0,
            },
            *retriers(step, on_lambda=False, limited=context.limited),
        ],
    }
    return Task(state, f"{{'event_id': {path}}}")


def time_limit(context: Context, seconds: int, least: int = 1) -> Json:
    """Return a TimeoutSeconds: the seconds themselves, or what is left until the deadline.

    `least` is what there is behind it: our functions have to have time to say that it has passed.
    """
    deadline = context.deadline_code
    if deadline is None:
        return seconds
    left = f"$floor(($toMillis({deadline}) - $millis()) / 1000) + {GRACE}"
    return wrap(f"$max([{least}, $min([{seconds}, {left}])])")
