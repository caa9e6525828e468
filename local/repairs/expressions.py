"""Expressions are evaluated with values bound, never pasted into their text.

moto writes every variable as text before the expression, unquoted, so a quote or a newline in
any value breaks it; it has no `$hash` and no `$uuid`, refuses `$` in predicates, and lets
undefined fields pass. AWS fails an undefined result with States.QueryEvaluationError:
https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html
A negative whole number in a definition is one: moto's grammar takes `-5` for `-5.0`.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from moto.stepfunctions.parser.api import EvaluationFailedEventDetails, HistoryEventType
from moto.stepfunctions.parser.asl.antlr.runtime.ASLLexer import ASLLexer
from moto.stepfunctions.parser.asl.antlt4utils.antlr4utils import is_terminal
from moto.stepfunctions.parser.asl.component.common.assign.assign_template_value_terminal import (
    AssignTemplateValueTerminalLit,
)
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import (
    StatesErrorName,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import (
    StatesErrorNameType,
)
from moto.stepfunctions.parser.asl.component.common.jsonata.jsonata_template_value_terminal import (
    JSONataTemplateValueTerminalLit,
)
from moto.stepfunctions.parser.asl.component.common.string.string_expression import StringJSONata
from moto.stepfunctions.parser.asl.component.common.timeouts.timeout import TimeoutSecondsJSONata
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.seconds import (
    SecondsJSONata,
)
from moto.stepfunctions.parser.asl.eval import states as moto_states
from moto.stepfunctions.parser.asl.parse import preprocessor
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor

from local.active import host
from local.evaluator import EvaluationError, evaluate

LONGEST_WAIT = 99_999_999


def failed(env: Any, cause: str) -> Exception:
    """Return the exception for a States.QueryEvaluationError at the present state."""
    name = StatesErrorName(typ=StatesErrorNameType.StatesQueryEvaluationError)
    details: Any = {
        "evaluationFailedEventDetails": EvaluationFailedEventDetails(
            cause=cause, error=name.error_name or ""
        )
    }
    event = FailureEvent(
        env=env,
        error_name=name,
        event_type=HistoryEventType.EvaluationFailed,
        event_details=details,
    )
    return FailureEventException(failure_event=event)


def _eval_jsonata(self: Any, env: Any) -> None:
    scope = env.variable_store
    variables = {**scope._outer_scope, **scope._inner_scope}  # noqa: SLF001
    try:
        value = evaluate(
            self.expression,
            variables,
            env.states._states_data,  # noqa: SLF001
            host().clock.now(),
        )
    except EvaluationError as error:
        raise failed(env, str(error)) from None
    env.stack.append(value)


def _reset(self: Any, input_value: Any) -> None:
    """Take a new input; `$states.result` and `.errorOutput` are undefined again, not null."""
    self._states_data["input"] = copy.deepcopy(input_value)
    self._states_data.pop("result", None)
    self._states_data.pop("errorOutput", None)


def _context(self: Any, context: Any) -> None:
    """Start with AWS's `Execution.RedriveCount`, which moto leaves out."""
    context["Execution"].setdefault("RedriveCount", 0)
    context["Execution"]["StartTime"] = _text(context["Execution"]["StartTime"])
    self._states_data = {"input": context["Execution"]["Input"], "context": context}
    self.context_object = moto_states.ContextObject(context_object=context)


def _text(moment: Any) -> str:
    return moment if isinstance(moment, str) else moment.isoformat(timespec="milliseconds")


def _whole_seconds(self: Any, env: Any, lowest: int) -> int:
    self.string_jsonata.eval(env=env)
    seconds = env.stack.pop()
    fits = isinstance(seconds, int) and not isinstance(seconds, bool)
    if not fits or not lowest <= seconds <= LONGEST_WAIT:
        raise failed(
            env,
            f"The JSONata expression '{self.string_jsonata.expression}' must be a whole number "
            f"from {lowest} to {LONGEST_WAIT}, but was {seconds!r}",
        )
    return int(seconds)


def _number(ctx: Any) -> int | float:
    """Return a number of a definition as JSON has it."""
    value: int | float = json.loads(ctx.NUMBER().getText())
    return value


def _text_of(parser_rule_context: Any) -> str | None:
    """Return a text of a definition, a key too, as JSON has it.

    moto reads one half of a pair of surrogates at a time, and keeps the escapes of keys.
    """
    if is_terminal(parser_rule_context, ASLLexer.NULL):
        return None
    written = parser_rule_context.getText()
    if not written.startswith('"'):
        return str(written)
    text: str = json.loads(written)
    return text


def _in_value(self: Any, ctx: Any) -> JSONataTemplateValueTerminalLit:  # noqa: ARG001
    return JSONataTemplateValueTerminalLit(_number(ctx))


def _in_assign(self: Any, ctx: Any) -> AssignTemplateValueTerminalLit:  # noqa: ARG001
    return AssignTemplateValueTerminalLit(_number(ctx))


def install() -> None:
    """Replace the parser's evaluation."""
    put: Any = setattr
    put(preprocessor, "from_string_literal", _text_of)
    put(Preprocessor, "_inner_string_of", staticmethod(_text_of))
    Preprocessor.visitJsonata_template_value_terminal_float = _in_value  # type: ignore[method-assign]
    Preprocessor.visitAssign_template_value_terminal_float = _in_assign  # type: ignore[method-assign]
    StringJSONata._eval_body = _eval_jsonata  # type: ignore[method-assign]  # noqa: SLF001
    moto_states.States.reset = _reset  # type: ignore[method-assign]
    moto_states.States.__init__ = _context  # type: ignore[method-assign]
    TimeoutSecondsJSONata._eval_seconds = lambda self, env: _whole_seconds(self, env, 1)  # type: ignore[method-assign]  # noqa: SLF001
    SecondsJSONata._get_wait_seconds = lambda self, env: _whole_seconds(self, env, 0)  # type: ignore[method-assign]  # noqa: SLF001
