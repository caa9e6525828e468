"""The state machine of a Plan: one function a node, no decisions left to take."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.asl import blocks, fail_fast, failures, latches, records, repeated
from compiler.asl.bodies import body, ordered, tells
from compiler.asl.close import prelude
from compiler.asl.context import GRACE_OF_RUN, Context, State, States
from compiler.asl.guards import test_code
from compiler.asl.leaving import run_outputs
from compiler.asl.lock import lock
from compiler.asl.model import StateMachine
from compiler.check.program import Block
from compiler.document.nodes import Json
from compiler.expressions.quoting import wrap
from compiler.plan.close import is_wrapped
from compiler.plan.freeze import START
from compiler.plan.model import (
    Await,
    Begin,
    Close,
    Collect,
    Do,
    Done,
    End,
    Failed,
    Fork,
    Guard,
    Join,
    Node,
    Plan,
    Scope,
    Send,
    Stop,
    Verdict,
)
from compiler.source import Span
from protocol.names import RUN_FAILED, STARTED_BY, child_machine


def machines(plan: Plan) -> tuple[StateMachine, ...]:
    """Return the machine of a planned workflow, and those of its chunked for_each steps."""
    context = Context(
        plan,
        plan.root,
        frozenset(_assigned(plan.root)),
        deadline="deadline" if plan.program.timeout is not None else None,
    )
    states = _scope(context)
    if plan.program.concurrency is not None:
        before = lock(context, plan.program.concurrency, str(states[START]["Next"]))
        states[START]["Next"] = next(iter(before))
        states = {START: states.pop(START)} | before | states
    closing = plan.closing
    if closing is not None:
        first, before = prelude(context, closing, str(states[START]["Next"]))
        states[START]["Next"] = first
        states = {START: states.pop(START)} | before | states
    definition: dict[str, Json] = {
        "Comment": plan.program.description or plan.program.name,
        "QueryLanguage": "JSONata",
        "StartAt": plan.root.start,
    }
    if plan.program.timeout is not None:
        definition["TimeoutSeconds"] = plan.program.timeout + 2 * GRACE_OF_RUN
    definition["States"] = states  # type: ignore[assignment]
    own = StateMachine(plan.program.id, definition, _source_map(plan))
    return (own, *context.children)


def _assigned(scope: Scope) -> Iterator[str]:
    """Yield the lists of bad steps that some state assigns, and who tells of failed Tasks."""
    for node in scope.nodes:
        yield from _assigned_by(scope, node)
        inner = node.branches if isinstance(node, Fork) else ()
        for branch in node.inner if isinstance(node, Do) else inner:
            yield from _assigned(branch)


def _assigned_by(scope: Scope, node: Node) -> Iterator[str]:
    match node:
        case Do(step=step) if tells(step):
            yield failures.teller(scope)
        case Collect():
            yield scope.failures
        case Join(bad=str(), upstream=upstream, failures=found):
            if found:
                yield scope.failures
            if upstream:
                yield scope.upstream
        case Await(failed=failed, guard=guard, is_ghost=is_ghost):
            if failed is not None or not (guard or is_ghost):
                yield scope.upstream
        case _:
            pass


def _scope(context: Context) -> States:
    states: States = {}
    for node in context.scope.nodes:
        for name, state in _node(context, node).items():
            states[name] = ordered(state)
    return states


def _node(context: Context, node: Node) -> States:  # noqa: C901, PLR0911, PLR0912 (kind by kind)
    match node:
        case Begin():
            return {node.name: _begin(context, node)}
        case Do():
            context = context.at_step(node.step)
            if node.step.for_each is not None:
                return repeated.each(context, node, _scope)
            if isinstance(node.step.kind, Block):
                return blocks.block(context, node, _fork)
            return body(context, node)
        case Guard():
            resolve = context.resolver(node.step, clean=node.clean)
            rule: dict[str, Json] = {
                "Condition": wrap(test_code(node.test, context, resolve)),
                "Next": node.yes,
            }
            return {node.name: {"Type": "Choice", "Choices": [rule], "Default": node.no}}
        case Fork():
            return {node.name: _fork(context, node.branches, node.next)}
        case Join():
            return {node.name: _join(context, node)}
        case Collect():
            entry = _entry(context)
            kept = failures.appended(context.scope.failures, entry, node.append)
            assign: Json = {context.scope.failures: wrap(kept)}
            return {node.name: {"Type": "Pass", "Assign": assign, "Next": node.next}}
        case Send():
            return {node.name: latches.signal(context, node)}
        case Await():
            return {node.name: latches.wait(context, node)}
        case Verdict():
            return {node.name: _verdict(context, node)}
        case End():
            return {node.name: _end(context, node)}
        case Done():
            return {node.name: {"Type": "Pass", "Output": run_outputs(context), "End": True}}
        case Close():
            return {node.name: _close(context, node)}
        case Stop():
            return {node.name: fail_fast.stop(context, node)}
        case Failed():
            return {node.name: _fail(f"${context.scope.failures}")}


def _begin(context: Context, node: Begin) -> State:
    from compiler.asl.begin import begin

    return begin(context, node)


def _fork(context: Context, branches: tuple[Scope, ...], following: str | None) -> State:
    state: State = {
        "Type": "Parallel",
        "Branches": [
            {"StartAt": branch.start, "States": _scope(context.inside(branch))}  # type: ignore[dict-item]
            for branch in branches
        ],
    }
    if following is None:
        state["End"] = True
    else:
        state["Next"] = following
    return state


def _join(context: Context, node: Join) -> State:
    taken = records.taken_over(context, node.binds, "$states.input")
    if node.bad is None:
        return {"Type": "Pass", "Assign": taken, "Next": node.good}
    scope = context.scope
    bad = dict(taken)
    tests: list[str] = []
    if node.failures:
        tests.append("$count($states.input.f) > 0")
        new = "[$states.input.f]"
        bad[scope.failures] = wrap(failures.appended(scope.failures, new, node.append))
    if node.upstream:
        tests.append("$count($states.input.u) > 0")
        known = f"$exists(${scope.upstream}) ? ${scope.upstream} : []"
        bad[scope.upstream] = wrap(f"$append({known}, [$states.input.u])")
    rule: dict[str, Json] = {
        "Condition": wrap(" or ".join(tests)),
        "Assign": bad,
        "Next": node.bad,
    }
    state: State = {"Type": "Choice", "Choices": [rule], "Default": node.good}
    if taken:
        state["Assign"] = taken
    return state


def _entry(context: Context) -> str:
    name = failures.teller(context.scope)
    teller = name if name in context.assigned else None
    return f"[{failures.entry(context.plan, context.message_length, teller=teller)}]"


def _end(context: Context, node: End) -> State:
    ending = node.ending
    found = records.given(context, ending)
    f = None
    if node.caught:
        entry = _entry(context)
        f = failures.appended(context.scope.failures, entry, node.append)
    output = failures.ending(context.scope, ending, found, f=f)
    return {"Type": "Pass", "Output": output, "End": True}


def _verdict(context: Context, node: Verdict) -> State:
    """Ends the run: a Map over the failures, none in a good run, whose body is a Fail.

    It saves a good run the transition that a Choice in front of two ends would cost.
    """
    f = f"${context.scope.failures}"
    if node.bad is not None and node.good is not None:
        bad = failures.is_bad(context.scope, context.assigned)
        rule: dict[str, Json] = {"Condition": wrap(bad), "Next": node.bad}
        return {"Type": "Choice", "Choices": [rule], "Default": node.good}
    if node.joins:
        new = "[$states.input.f]"
        found = failures.appended(context.scope.failures, new, node.append)
        items = f"$count($states.input.f) > 0 ? [{{'f': {found}}}] : []"
        if node.append is not False:
            items = f"($f := {found}; $count($f) > 0 ? [{{'f': $f}}] : [])"
    else:
        items = f"$exists({f}) ? [{{'f': {f}}}] : []"
    ends = [n.name for n in context.scope.nodes if isinstance(n, Verdict)]
    number = ends.index(node.name) + 1
    fail = "Failed.now" if number == 1 else f"Failed.now.{number}"
    return {
        "Type": "Map",
        "Items": wrap(items),
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "INLINE"},
            "StartAt": fail,
            "States": {fail: _fail("$states.input.f")},
        },
        "Output": run_outputs(context),
        "End": True,
    }


def _fail(path: str) -> State:
    return {"Type": "Fail", "Error": RUN_FAILED, "Cause": wrap(failures.cause(path))}


def _close(context: Context, node: Close) -> State:
    name = "$substring($run.id, 0, 60) & '-' & $string($run.attempt) & '-close'"
    payload: dict[str, Json] = {
        "run": "{% $run %}",
        "inputs": "{% $inputs %}",
        "failure": wrap(f"{{'steps': ${context.scope.failures}}}"),
        STARTED_BY: "{% $states.context.Execution.Id %}",
    }
    known = _known(context)
    if known:
        payload["known"] = known
    for root in ("trigger", "github", "event"):
        if root in context.plan.carried:
            payload[root] = f"{{% ${root} %}}"
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::states:startExecution.sync:2",
        "Arguments": {
            "StateMachineArn": child_machine(f"{context.plan.program.id}--close"),
            "Name": wrap(name),
            "Input": payload,
        },
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": node.next}],
        "Next": node.next,
    }


def _known(context: Context) -> dict[str, Json]:
    """Return the records of steps that the close machine asks for, without what is stored."""
    plan = context.plan
    closing = None if plan.close is None else plan.close.closing
    found: dict[str, Json] = {}
    for step in () if closing is None else closing.told:
        variable = plan.variable(step, context.scope.key)
        if variable is None:
            continue
        told = f"${variable}"
        if is_wrapped(plan.program.by_id[step]):
            error = f"$exists({told}.error) ? {told}.error : null"
            told = f"{{'status': {told}.status, 'error': {error}}}"
        found[step] = wrap(f"$exists(${variable}.status) ? {told} : null")
    return found


def _source_map(plan: Plan) -> dict[str, Span]:
    """Return where in the source each step's states come from, by the part before the dot."""
    return {step.id: step.span for step in plan.program.by_id.values()}
