"""Where an expression's contexts are found in a scope: as JSONata over the scope's variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.asl.skips import reason
from compiler.check.program import Computed, Constant, Step, Value
from compiler.document.nodes import Json
from compiler.expressions import Ref, Single
from compiler.expressions.code import ATOM, CHOICE, LOWEST, Code
from compiler.expressions.jsonata import emit, emit_template
from compiler.expressions.quoting import json_literal, name_step, text_literal
from compiler.expressions.types import BOOLEAN, TEXT, UNKNOWN, Record, Type, optional
from compiler.plan.facts import step_named
from compiler.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Own:
    """How a step sees itself: JSONata of its outputs, of its error, and of the whole record.

    `of` is the step's id where the workflow's outputs look at it, in the state that it ends with.
    """

    outputs: str
    error: str | None = None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class ScopeResolver:
    """Resolves contexts in one scope of a planned machine.

    `clean`: nothing above is bad here, so that steps which cannot be skipped are known to have
    run. `bad` is JSONata for whether something above is bad, `bad_ids` of the steps that are,
    by frame.
    `own` is the step's view of itself where it may look at itself.
    """

    plan: Plan
    scope: int
    bad: str
    clean: bool = False
    step: Step | None = None
    own: Own | None = None
    locals: Mapping[str, tuple[str, Type]] = field(default_factory=dict)
    stored_as: Mapping[str, str] = field(default_factory=dict)
    bad_ids: Mapping[int, str] = field(default_factory=dict)

    def status(self, name: str) -> str:
        """Return JSONata for a status function."""
        match name:
            case "always":
                return "true"
            case "cancelled":
                return "false"
            case "failure":
                return "false" if self.clean else self.bad
            case _:
                return "true" if self.clean else f"$not({self.bad})"

    def ref(self, ref: Ref) -> tuple[Code, int]:  # noqa: PLR0911 (context by context)
        """Return JSONata for the longest part of a path that is known here."""
        root = ref.root
        if root in self.locals:
            text, type_ = self.locals[root]
            return Code(text, False, type_, ATOM), 1
        match root:
            case "steps":
                return self._step(ref)
            case "inputs":
                return self._input(ref)
            case "vars":
                return _constant(self.plan.program.vars, ref)
            case "env":
                return self._env(ref)
            case "github":
                return self._github(ref)
            case "run":
                return Code("$run", False, _RUN, ATOM), 1
            case "trigger" | "event" | "failure":
                return Code(f"${root}", False, UNKNOWN, ATOM), 1
            case _:
                pass
        return Code("null", False, UNKNOWN, ATOM), len(ref.path)

    # --- steps ---------------------------------------------------------------------------------

    def _named(self, ref: Ref) -> Step | None:
        step = step_named(ref.keys, self.plan.program.by_id)
        if step is None and self.step is not None and self.own is not None:
            return step_named(ref.keys, {self.step.id: self.step})  # an undo sees itself
        return step

    def _step(self, ref: Ref) -> tuple[Code, int]:  # noqa: PLR0911 (field by field)
        step = self._named(ref)
        if step is None:
            return self._stored(ref)
        if self.own is not None and step.id == self._own_id(self.own):
            return self._own(self.own, ref)
        variable = self.plan.variable(step.id, self.scope)
        keys = ref.keys[1:]
        if keys[:1] == ("reason",):
            text = reason(step.id, self.plan, self.scope, self.bad_ids)
            return Code(text, False, optional(TEXT), CHOICE), 3
        if variable is None:
            if keys[:1] == ("status",):
                return Code("'skipped'", False, TEXT, ATOM), 3
            return Code("null", False, UNKNOWN, ATOM), len(ref.path)
        path = f"${variable}"
        ran = self.clean and step.id in self.plan.unskippable and self.is_in_frame(step)
        match keys[:1]:
            case ("status",):
                if ran and not step.rule.continues and step.on_error == "fail":
                    return Code("'succeeded'", False, TEXT, ATOM), 3
                text = f"$exists({path}.status) ? {path}.status : 'skipped'"
                return Code(text, False, TEXT, CHOICE), 3
            case ("outputs",):
                reads = self.plan.reads.get(step.id)
                whole = reads is None or reads.all_outputs  # kept as given, names may be missing
                sure = ran and step.id in self.plan.recorded and not whole
                return self._outputs(ref, path, sure=sure)
            case (str() as name,):
                return Code(f"{path}.{name}", True, UNKNOWN, ATOM), 3
            case _:
                pass
        return Code(path, True, UNKNOWN, ATOM), 2

    def _stored(self, ref: Ref) -> tuple[Code, int]:
        """A step of the workflow seen from its close machine: by its stored record."""
        step = step_named(ref.keys, self.plan.stored)
        if step is None:
            return Code("null", False, UNKNOWN, ATOM), len(ref.path)
        path = self.stored_record(step)
        keys = ref.keys[1:]
        if keys[:1] == ("status",):
            text = f"$exists({path}.status) ? {path}.status : 'skipped'"
            return Code(text, False, TEXT, CHOICE), 3
        if len(keys) > 1 and keys[0] == "outputs" and isinstance(keys[1], str):
            return Code(member(f"{path}.outputs", keys[1]), True, UNKNOWN, ATOM), 4
        if keys and isinstance(keys[0], str):
            return Code(f"{path}.{keys[0]}", True, UNKNOWN, ATOM), 3
        return Code(path, True, UNKNOWN, ATOM), 2

    def stored_record(self, step: Step) -> str:
        """Return JSONata of the stored record of a step, in a close machine."""
        return self.stored_as.get(step.id, f"$s_{step.variable}")

    def is_in_frame(self, step: Step) -> bool:
        """Whether the step stands in the frame of this scope."""
        return self.plan.frames[step.id] == self.plan.frame_of[self.scope]

    def _outputs(self, ref: Ref, path: str, *, sure: bool) -> tuple[Code, int]:
        # What a step gave is taken as unknown: its contract is kept by our wrapper, but a machine
        # must not die in an expression where somebody's function breaks it.
        keys = ref.keys[2:]
        if not keys or not isinstance(keys[0], str):
            return Code(f"{path}.outputs", True, UNKNOWN, ATOM), 3
        return Code(member(f"{path}.outputs", keys[0]), not sure, UNKNOWN, ATOM), 4

    def _own_id(self, own: Own) -> str | None:
        return own.of if own.of is not None or self.step is None else self.step.id

    def _own(self, own: Own, ref: Ref) -> tuple[Code, int]:
        keys = ref.keys[1:]
        if keys[:2] == ("outputs", "error") and own.error is not None:
            return Code(f"{own.error}.error", True, optional(TEXT), ATOM), 4
        if keys[:2] == ("outputs", "status_code") and own.error is not None:
            return Code(f"{own.error}.status_code", True, UNKNOWN, ATOM), 4
        if keys[:1] == ("outputs",):
            if len(keys) > 1 and isinstance(keys[1], str):
                return Code(member(own.outputs, keys[1]), True, UNKNOWN, ATOM), 4
            return Code(own.outputs, True, UNKNOWN, ATOM), 3
        if keys[:1] == ("status",):
            return Code("'failed'" if own.error else "'succeeded'", False, TEXT, ATOM), 3
        return Code("null", False, UNKNOWN, ATOM), len(ref.path)

    # --- other contexts --------------------------------------------------------------------------

    def _input(self, ref: Ref) -> tuple[Code, int]:
        """A declared input is always there: the first state gives it null where it has nothing."""
        name = ref.keys[0] if ref.keys else None
        if self.plan.closing is None and isinstance(name, str):
            type_ = self.plan.input_named(name)
            if type_ is not None:
                return Code(member("$inputs", name), False, type_, ATOM), 2
        return Code("$inputs", False, self.plan.input_type, ATOM), 1

    def _env(self, ref: Ref) -> tuple[Code, int]:
        name = ref.keys[0] if ref.keys else None
        for known, value in () if self.step is None else self.step.env:
            if known == name:
                return self._value(value), 2
        return Code("null", False, UNKNOWN, ATOM), len(ref.path)

    def _value(self, value: Value) -> Code:
        match value:
            case Constant(value=plain):
                return Code(json_literal(plain), False, UNKNOWN, ATOM)
            case Computed(template=Single(expr=expr)):
                return emit(expr, self)
            case Computed(template=template):
                return emit_template(template, self)
            case _:
                pass
        return Code("null", False, UNKNOWN, ATOM)

    def _github(self, ref: Ref) -> tuple[Code, int]:
        if self.plan.closing is not None:
            if ref.keys[:3] == ("event", "workflow", "failed_step"):
                return Code("$failure", False, UNKNOWN, ATOM), 4
            if ref.keys[:1] == ("job",):
                return Code("$failure.step_id", True, UNKNOWN, ATOM), 2
        match ref.keys[:1]:
            case ("workflow",):
                return Code(text_literal(self.plan.program.name), False, TEXT, ATOM), 2
            case ("job",) if self.step is not None:
                return Code(text_literal(self.step.id), False, TEXT, ATOM), 2
        return Code("$github", False, UNKNOWN, ATOM), 1


_RUN = Record({"id": TEXT, "started_at": TEXT, "workflow": TEXT}, open=True)


def member(path: str, name: str) -> str:
    """Return JSONata for a named member of an object that a path gives."""
    step = name_step(name)
    return f"{path}.{step}" if step else f"$lookup({path}, {text_literal(name)})"


def _constant(value: Json, ref: Ref) -> tuple[Code, int]:
    consumed = 1
    for part in ref.path[1:]:
        if isinstance(value, dict) and isinstance(part.key, str):
            value = value.get(part.key)
        elif isinstance(value, list) and isinstance(part.key, int) and part.key < len(value):
            value = value[part.key]
        else:
            break
        consumed += 1
    type_: Type = UNKNOWN
    if isinstance(value, bool):
        type_ = BOOLEAN
    elif isinstance(value, str):
        type_ = TEXT
    return Code(
        json_literal(value), False, type_, ATOM if not isinstance(value, dict) else LOWEST
    ), consumed
