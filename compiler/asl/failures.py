"""JSONata for failures: what a catcher keeps, what a scope lists, what a run ends with."""

from __future__ import annotations

from compiler.document.nodes import Json
from compiler.expressions.quoting import text_literal, wrap
from compiler.plan.model import Ending, Plan, Scope
from protocol.names import (
    AND_OTHERS,
    CANCELLED,
    DEADLINE_PASSED,
    LONGEST_FIRST,
    RUN_FAILED,
    TIMEOUT_ERRORS,
)

REJECTED = "Rejected"
"""The error under which a person's no is collected."""

_DESCRIBED = '"ExecutionArn":"'
"""What only the description of an execution holds: quotes in a text of it have backslashes."""
_SAID = rf'"Cause":"{{\"type\":\"{RUN_FAILED}\",\"message\":\"'
"""How the description of a failed run begins: with its cause, JSON in JSON; see `cause`."""
_NEXT, _QUOTE, _BACKSLASH = r"\",\"", r"\\\"", "\\" * 4
"""In JSON in JSON: what ends a text that another field follows, a quote in it, a backslash."""
_RUN = r'/"ExecutionArn":"[^"]*:([^":]*-[0-9a-f]{32})/'
"""The id of the run in the name of its execution, which in later attempts a number follows."""


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


def called(error: str = "$states.errorOutput") -> str:
    """Return the error of a step that called a workflow: what the called run says, and which it is.

    The Task fails as `States.TaskFailed`. Its cause is the answer of DescribeExecution, JSON in
    the order of the alphabet: that of the run comes first, and is cut out of the text, since
    parsing a text that was cut could fail. Of a run that told no cause it is said how it ended.
    https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html
    """
    inside = f"$substringBefore($t, {text_literal(_NEXT)})"
    plain = (
        f"$replace($replace($replace({inside}, {text_literal(_QUOTE)}, '\"'), "
        f"{text_literal(_BACKSLASH)}, {text_literal(chr(92))}), '{RUN_FAILED}: ', '')"
    )
    how = "".join(
        f"$contains($c, {text_literal(one)}) ? '{words}' : "
        for one, words in (
            (f'"Error":"{CANCELLED}"', "was cancelled"),
            ('"Status":"TIMED_OUT"', "timed out"),
            ('"Status":"ABORTED"', "was aborted"),
        )
    )
    return (
        f"($c := {error}.Cause & ''; $t := $substringAfter($c, {text_literal(_SAID)}); "
        f"$m := $t = $c ? 'the workflow that was called ' & ({how}'failed') : {plain}; "
        f"$contains($c, '{_DESCRIBED}') ? "
        f"{{'Error': $t = $c ? {error}.Error : '{RUN_FAILED}', 'Cause': $contains($m, ' (run ') ? "
        f"$m : $substring($m, 0, {LONGEST_FIRST - 100}) & ' (run ' & "
        f"$match($c, {_RUN}, 1).groups[0] & ')'}} : {error})"
    )


def first_of(path: str, length: str = str(LONGEST_FIRST)) -> str:
    """Return JSONata of what is said of failed steps: of the first why, of nine others their names.

    `path` is JSONata of the list of failures, `length` of the characters of the first one's error.
    `functions.domain.records.said.first_of` says it alike.
    """
    others = f"'{AND_OTHERS}' & $join({path}[[1..9]].step_id, ', ')"
    return (
        f"($d := {path}[0]; $d.step_id & ': ' & $substring($d.type & ': ' & "
        f"$substringBefore($d.message, '\\n'), 0, {length}) & "
        f"($count({path}) > 1 ? {others} : ''))"
    )


def entry(plan: Plan, length: int, at: str = "$states.input", *, teller: str | None = None) -> str:
    """Return the list entry for the failure that a catcher put out at `at`.

    What it put out names the step, or else the variable `teller` does, where there is one.
    """
    step = f"{at}.step_id"
    if teller is not None:
        step = f"$exists({step}) ? {step} : ${teller}"
    kinds = status_of(plan, at)
    if plan.has_people:
        kinds = f"{at}.Error = '{REJECTED}' ? 'rejected' : {kinds}"
    details = f", 'details': {at}.details" if plan.has_blocks else ""
    return (
        f"{{'step_id': {step}, 'status': {kinds}, 'type': $substring($string({at}.Error), 0, 80), "
        f"'message': {message(at, length)}{details}}}"
    )


def status_of(plan: Plan, at: str) -> str:
    """Return the status that an error output means for a step without a person."""
    names = (n for n in TIMEOUT_ERRORS if plan.has_deadlines or n != DEADLINE_PASSED)
    return f"{at}.Error in [{', '.join(map(text_literal, names))}] ? 'timed_out' : 'failed'"


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

    `path` is JSONata of the list of failures. The message tells the first and names the others,
    `details` tells the first ten; with less of their errors, or nothing, where these are long in
    bytes.
    """
    said = first_of("$f", f"{LONGEST_FIRST // 80} * $n")
    bound = "" if path == "$f" else f"$f := {path}; "
    error = "'type': $substring($d.type, 0, $n), 'message': $substring($d.message, 0, $n)"
    return (
        f"({bound}$t := function($n) {{ $string({{'type': '{RUN_FAILED}', 'message': {said}, "
        f"'details': [$map($f[[0..9]], function($d) {{ "
        f"{{'step_id': $d.step_id, 'status': $d.status, {error}}} }})]}}) }}; "
        # three more for each character that takes more than a byte: never too few
        "$filter($map([80, 20, 0], $t), function($u) { "
        "$length($replace($u, /[^\\u0000-\\u007f]/, 'xxxx')) < 4096 })[0])"
    )
