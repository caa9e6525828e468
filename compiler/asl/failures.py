"""JSONata for failures: what a catcher keeps, what a scope lists, what a run ends with."""

from __future__ import annotations

from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Ending, Plan, Scope
from protocol.names import RUN_FAILED, TIMEOUT_ERRORS

REJECTED = "Rejected"
"""The error under which a person's no is collected."""

_TIMEOUTS = ", ".join(f"'{name}'" for name in TIMEOUT_ERRORS)


def caught(step: str, error: str = "$states.errorOutput") -> str:
    """Return a catcher's Output: the error with the step it came from."""
    return wrap(f"$merge([{error}, {{'step_id': {text_literal(step)}}}])")


def teller(scope: Scope) -> str:
    """Return the variable that holds the step whose Task failed last in a scope."""
    return "at" if scope.key == 0 else f"at_{scope.key}"


def message(at: str, length: int) -> str:
    """Return JSONata of what a caught error says: of a function's, which is JSON, its message.

    It is cut out of the text, since parsing a text that Step Functions may have cut could fail.
    Another cause is told as it is. A runtime of Lambda writes the message first, the error's type
    behind it, and letters as they are.
    https://github.com/aws/aws-lambda-python-runtime-interface-client (`make_error` in bootstrap.py)
    """
    inside = (
        f"$substringBefore($substringAfter($string({at}.Cause), "
        '\'{"errorMessage": "\'), \'", "errorType": "\')'
    )
    plain = f"$replace($replace({inside}, '\\\\n', '\\n'), '\\\\\"', '\"')"
    return f"$substring({plain}, 0, {length})"


def entry(plan: Plan, length: int, at: str = "$states.input", *, teller: str | None = None) -> str:
    """Return the list entry for the failure that a catcher put out at `at`.

    What it put out names the step, or else the variable `teller` does, where there is one.
    """
    step = f"{at}.step_id"
    if teller is not None:
        step = f"$exists({step}) ? {step} : ${teller}"
    kinds = f"{at}.Error in [{_TIMEOUTS}] ? 'timed_out' : 'failed'"
    if plan.has_people:
        kinds = f"{at}.Error = '{REJECTED}' ? 'rejected' : {kinds}"
    details = f", 'details': {at}.details" if plan.has_blocks else ""
    return (
        f"{{'step_id': {step}, 'status': {kinds}, 'type': $substring($string({at}.Error), 0, 80), "
        f"'message': {message(at, length)}{details}}}"
    )


def status_of(at: str) -> str:
    """Return the status that an error output means for a step without a person."""
    return f"{at}.Error in [{_TIMEOUTS}] ? 'timed_out' : 'failed'"


def appended(variable: str, new: str, already: bool | None) -> str:
    """Return the list of a variable with new entries; `new` is JSONata of a list."""
    if already is False:
        return new
    if already:
        return f"$append(${variable}, {new})"
    return f"$append($exists(${variable}) ? ${variable} : [], {new})"


def bad_ids(scope: Scope, assigned: frozenset[str]) -> str:
    """Return JSONata for the ids of the bad steps that a scope knows of, as a list."""
    parts = [
        f"${name}" if name.startswith("u") else f"${name}.step_id"
        for name in (*scope.outer, scope.failures, scope.upstream)
        if name in assigned
    ]
    return f"[{', '.join(parts)}]"


def is_bad(scope: Scope, assigned: frozenset[str]) -> str:
    """Return JSONata for whether anything above is bad, as far as a scope knows."""
    tests = [
        f"$count(${name}) > 0" if name.startswith("u") else f"$exists(${name})"
        for name in (*scope.outer, scope.failures, scope.upstream)
        if name in assigned
    ]
    if not tests:
        return "false"
    return tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"


def ending(scope: Scope, found: Ending, records: dict[str, Json], *, f: str | None) -> Json:
    """Return what a branch gives at an end; `f` is JSONata of its failures where not a variable."""
    output: dict[str, Json] = dict(records)
    if f is not None:
        output["f"] = wrap(f)
    elif found.failures is not False:
        output["f"] = _list(scope.failures, found.failures)
    if found.upstream is not False:
        output["u"] = _list(scope.upstream, found.upstream)
    return output


def _list(variable: str, surely: bool | None) -> str:
    return wrap(f"${variable}" if surely else f"$exists(${variable}) ? ${variable} : []")


def cause(path: str) -> str:
    """Return the cause of a failed run: JSON text that stays below 4,096 bytes.

    `path` is JSONata of the list of failures. The message names the failing steps, `details`
    tells the first ten of them; without their errors where these are long in bytes.
    """
    where = "'step_id': $d.step_id, 'status': $d.status"
    error = "'type': $substring($d.type, 0, 60), 'message': $substring($d.message, 0, 80)"
    return (
        f"($tell := function($details) {{ $string({{'type': '{RUN_FAILED}', "
        f"'message': $substring($join([{path}.step_id], ', '), 0, 700) & ' ended badly', "
        f"'details': $append([], $details)}}) }}; "
        f"$first := $filter({path}, function($d, $i) {{ $i < 10 }}); "
        f"$full := $tell($map($first, function($d) {{ {{{where}, {error}}} }})); "
        # three more for each character that takes more than a byte: never too few
        "$length($replace($full, /[^\\u0000-\\u007f]/, 'xxxx')) < 4096 ? $full : "
        f"$tell($map($first, function($d) {{ {{{where}}} }})))"
    )
