"""Assign and Output of a state are evaluated together, from the values it was entered with.

In moto a state's Output sees its own Assign, an error in Output is past the state's Retry and
Catch, and a Choice rule that leads where Default leads runs the Default's Assign as well.
https://docs.aws.amazon.com/step-functions/latest/dg/workflow-variables.html
"""

from __future__ import annotations

import copy
from typing import Any

from moto.stepfunctions.parser.asl.component.common.catch.catch_outcome import CatchOutcome
from moto.stepfunctions.parser.asl.component.common.catch.catcher_decl import CatcherDecl
from moto.stepfunctions.parser.asl.component.common.catch.catcher_outcome import (
    CatcherOutcomeCaught,
    CatcherOutcomeNotCaught,
)
from moto.stepfunctions.parser.asl.component.common.timeouts.timeout import EvalTimeoutError
from moto.stepfunctions.parser.asl.component.state.choice.state_choice import StateChoice
from moto.stepfunctions.parser.asl.component.state.exec import execute_state
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.state import CommonStateField
from moto.stepfunctions.parser.asl.component.state.state_pass.state_pass import StatePass
from moto.stepfunctions.parser.asl.component.state.wait.state_wait import StateWait

from local.active import host
from local.repairs.expressions import failed
from local.repairs.stopping import Stopped

MOST_BYTES = 262_144
"""Of a state's output: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"""


def conclude(env: Any, assign: Any, output: Any, default: Any) -> Any:
    """Evaluate Output and Assign, then assign; return the state's output.

    Neither sees the other, and where one fails nothing is assigned.
    """
    result = default
    if output is not None:
        output.jsonata_template_value.eval(env=env)
        result = env.stack.pop()
    assigned: dict[str, Any] = {}
    for binding in assign.declaration_bindings if assign is not None else ():
        binding.eval(env=env)
        assigned.update(env.stack.pop())
    for name, value in assigned.items():
        env.variable_store.set(variable_identifier=name, variable_value=value)
    return result


def _evaluate_with_timeout(self: Any, env: Any) -> None:
    """Carry out the state's work and conclude it, all inside the state's Retry and Catch."""
    if self._is_language_query_jsonpath():
        _moto_evaluate(self, env)
        return
    self.timeout.eval(env=env)
    seconds = env.stack.pop()
    frame = env.open_frame()
    frame.states.reset(input_value=env.states.get_input())
    frame.stack = copy.deepcopy(env.stack)
    parser: Any = execute_state  # whose threads and events `waiting` has replaced
    ended = parser.threading.Event()
    errors: list[Exception] = []

    def work() -> None:
        try:
            self._eval_execution(frame)
        except Exception as error:  # noqa: BLE001 (carried to the thread that waits)
            errors.append(error)
        ended.set()

    parser.Thread(target=work, daemon=True).start()
    in_time = ended.wait(seconds)
    frame.set_ended()
    env.close_frame(frame)
    if not env.is_running():
        raise Stopped
    if errors:
        raise errors[0]
    if not in_time:
        host().clock.sleep(0)  # the attempt's thread first takes note that it is over
        raise EvalTimeoutError
    result = frame.stack[-1]
    env.states.set_result(result)
    env.stack.append(conclude(env, self.assign_decl, self.output, result))


def _execution_output(self: Any, env: Any) -> None:
    """Take the concluded output over; a catcher has set its own already."""
    if self._is_language_query_jsonpath():
        _moto_execution_output(self, env)
        return
    output = env.stack[-1]
    if not isinstance(output, CatchOutcome):
        env.states.reset(input_value=env.stack.pop())


def _plain_output(self: Any, env: Any) -> None:
    """Conclude a Pass, Wait or Succeed state."""
    if self._is_language_query_jsonpath():
        _moto_output(self, env)
        return
    entered = env.stack.pop()
    env.states.reset(conclude(env, self.assign_decl, self.output, entered))


def _pass(self: Any, env: Any) -> None:
    if self._is_language_query_jsonpath():
        _moto_pass(self, env)


def _wait(self: Any, env: Any) -> None:
    self.wait_function.eval(env)
    if self._is_language_query_jsonpath() and self.assign_decl:
        self.assign_decl.eval(env=env)


def _choose(self: Any, env: Any) -> None:
    """Find the rule that holds; each condition must be true or false."""
    if self._is_language_query_jsonpath():
        _moto_choose(self, env)
        return
    for rule in self.choices_decl.rules:
        rule.comparison.eval(env)
        holds = env.stack.pop()
        if not isinstance(holds, bool):
            raise failed(env, f"The Condition of a Choice rule must be a boolean: {holds!r}")
        if holds:
            env.stack.append((rule.assign, rule.output, rule.next_stmt.name))
            return
    if self.default_state is None:
        raise RuntimeError(f"no rule of the Choice state '{self.name}' holds")
    env.stack.append((self.assign_decl, self.output, self.default_state.state_name))


def _chosen(self: Any, env: Any) -> None:
    if self._is_language_query_jsonpath():
        _moto_chosen(self, env)
        return
    assign, output, following = env.stack.pop()
    env.states.reset(conclude(env, assign, output, env.states.get_input()))
    env.next_state_name = following


def _condition(self: Any, env: Any) -> None:
    self.string_jsonata.eval(env=env)


def _catch(self: Any, env: Any) -> None:
    """Let a catcher that matches conclude the state in its place."""
    if self.result_path is not None:
        _moto_catch(self, env)
        return
    failure = env.stack.pop()
    env.stack.append(failure.error_name)
    self.error_equals.eval(env)
    if not env.stack.pop():
        env.stack.append(failure)
        env.stack.append(CatcherOutcomeNotCaught())
        return
    env.states.reset(conclude(env, self.assign, self.output, env.states.get_error_output()))
    env.next_state_name = self.next_decl.name
    env.stack.append(CatcherOutcomeCaught())


_moto_evaluate = ExecutionState._evaluate_with_timeout  # noqa: SLF001
_moto_execution_output = ExecutionState._eval_state_output  # noqa: SLF001
_moto_output = CommonStateField._eval_state_output  # noqa: SLF001
_moto_pass = StatePass._eval_state  # noqa: SLF001
_moto_choose = StateChoice._eval_state  # noqa: SLF001
_moto_chosen = StateChoice._eval_state_output  # noqa: SLF001
_moto_catch = CatcherDecl._eval_body  # noqa: SLF001


def install() -> None:
    """Replace how states conclude."""
    from moto.stepfunctions.parser.asl.component.state.choice.comparison import comparison

    put: Any = setattr
    put(ExecutionState, "_evaluate_with_timeout", _evaluate_with_timeout)
    put(ExecutionState, "_eval_state_output", _execution_output)
    put(CommonStateField, "_eval_state_output", _plain_output)
    put(StatePass, "_eval_state", _pass)
    put(StateWait, "_eval_state", _wait)
    put(StateChoice, "_eval_state", _choose)
    put(StateChoice, "_eval_state_output", _chosen)
    put(comparison.ConditionStringJSONata, "_eval_body", _condition)
    put(CatcherDecl, "_eval_body", _catch)
