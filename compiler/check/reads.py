"""Which steps an expression may read, and what is said where it may not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from compiler.check.context import Context
from compiler.check.groups import Entry, Groups
from compiler.check.readers import Reader
from compiler.check.shell import outputs_written
from compiler.check.steptypes import record
from compiler.check.suggest import listed, suggestion
from compiler.expressions import Ref
from compiler.expressions.types import NUMBER, TEXT, UNKNOWN, Record, Type, optional, without_null
from compiler.source import Span
from compiler.spec import RunStep, Step, SubworkflowStep
from compiler.spec.names import same

MEMBERS = ("status", "outputs", "error", "reason", "items")
_MEANT = {"outcome": "status", "conclusion": "status", "result": "status", "state": "status"}


@dataclass(slots=True)
class Reads:
    """Answers what a reader sees of a step; remembers which outputs were read.

    `outputs` are the types of the outputs of every step typed so far, `written` of what a step
    itself writes; both are filled in by whoever types the steps, in the order of the graph.
    """

    context: Context
    groups: Groups
    certain: Callable[[Entry, Reader], bool]
    outputs: dict[str, Type] = field(default_factory=dict)
    written: dict[str, Type] = field(default_factory=dict)
    _types: dict[tuple[str, bool, bool], Record] = field(default_factory=dict)

    def step(self, ref: Ref, reader: Reader) -> tuple[Entry | None, Type]:
        """Return the step that a `steps` path reads and the type of `steps.<id>`.

        Unknown after a mistake that has been reported, or that follows from one.
        """
        named = ref.keys[0] if ref.keys else None
        if not isinstance(named, str):
            self._error(
                "steps-whole",
                ref.span,
                "`steps` is read here without naming one step",
                "name it: `steps.<id>.outputs.<name>`",
            )
            return None, UNKNOWN
        if reader.no_steps is not None:
            message = f"`steps.{named}` is read before any step has run"
            self._error("steps-not-here", ref.span, message, reader.no_steps)
            return None, UNKNOWN
        entry = self.groups.find(named)
        if entry is None:
            self._unknown(named, ref, reader)
            return None, UNKNOWN
        if entry is reader.own:
            return entry, self._own(entry, ref, reader)
        if not self._may_read(entry, ref, reader) or entry.step.kind == "unknown":
            return entry, UNKNOWN
        return entry, self._checked(entry, ref, self._type(entry, reader), reader)

    # -- what may be read

    def _may_read(self, entry: Entry, ref: Ref, reader: Reader) -> bool:
        """Whether the step ends before the reader begins; reports where it does not."""
        own = reader.entry
        if own is not None and own.undoes is not None:
            if entry is own.undoes:
                return True
            own = own.undoes
        if entry.undoes is not None:
            self._error(
                "reads-undo",
                ref.span,
                f"'{entry.id}' is an undo; it runs after the steps, if at all",
                f"read the step that it undoes: `steps.{entry.undoes.id}`",
            )
            return False
        looped = self._looped(entry, own)
        if looped is not None:
            self._error(
                "reads-into-for-each",
                ref.span,
                f"'{entry.id}' runs once for every item of '{looped.id}'",
                f"read the items of the block: `steps.{looped.id}.items`",
            )
            return False
        is_late = entry.group.is_of_handlers
        if own is not None and own.group.is_of_handlers == is_late:
            return self._is_before(entry, own, ref, reader)
        if is_late:
            self._late(entry, ref, "the handlers of `on_failure` run after all steps have ended")
        return not is_late

    @staticmethod
    def _looped(entry: Entry, own: Entry | None) -> Entry | None:
        """Return the outermost for_each block around the step that is not around the reader."""
        around = set(map(id, own.enclosing())) if own is not None else set()
        found = None
        for outer in entry.enclosing():
            if outer is not entry and id(outer) not in around and outer.step.for_each is not None:
                found = outer
        return found

    def _is_before(self, entry: Entry, own: Entry, ref: Ref, reader: Reader) -> bool:
        chain = {id(here.group): here for here in own.enclosing()}
        outer = next(here for here in entry.enclosing() if id(here.group) in chain)
        here = chain[id(outer.group)]
        group = outer.group
        if outer is here:
            if entry is own:
                self._self(own, ref, reader)
            else:
                self._own_block(entry, outer, own, ref)
            return False
        if group.above[here.position] & outer.bit:
            return True
        if not group.unsure & here.bit:
            self._no_ancestor(entry, outer, here, own, ref)
        return False

    # -- what is said

    def _error(self, code: str, span: Span, message: str, advice: str | None) -> None:
        self.context.diagnostics.error(code, span, message, help=advice)

    def _late(self, entry: Entry, ref: Ref, why: str) -> None:
        self._error(
            "reads-later-step",
            ref.span,
            f"'{entry.id}' is a handler and has not run yet",
            f"{why}; read a step instead",
        )

    def _self(self, own: Entry, ref: Ref, reader: Reader) -> None:
        where = " in its own condition" if reader.part == "condition" else ""
        self._error(
            "reads-itself",
            ref.span,
            f"'{own.id}' reads itself{where}",
            "a step's own outputs can be read in its `outputs`, `retry.conditions`, "
            "`repeat.until` and `compensate` only",
        )

    def _unknown(self, named: str, ref: Ref, reader: Reader) -> None:
        close = self.groups.nearest(named)
        if close is None and len(named) > 2:
            folded = (
                entry
                for key, entry in self.groups.by_id.items()
                if entry.has_id and key.startswith(same(named))
            )
            close = next(folded, None)
        span = ref.path[1].span
        if close is None or (close is reader.entry and reader.own is None):
            others = (entry for entry in self.groups.entries() if entry is not reader.entry)
            ids = listed(entry.id for entry in others if entry.has_id)
            advice = f"the steps: {ids}" if ids else "there is no other step to read"
            own, below = reader.own, ref.keys[1:]
            if own is not None and own.has_id and below[:1] == ("outputs",):
                name = below[1] if len(below) > 1 and isinstance(below[1], str) else "NAME"
                advice = f"its own outputs are read as steps.{own.id}.outputs.{name}; {advice}"
            self._error("unknown-step", span, f"there is no step '{named}'", advice)
            return
        place = self.context.name_span(close.step)
        self.context.diagnostics.error(
            "unknown-step",
            span,
            f"there is no step '{named}'",
            help=f"did you mean '{close.id}' (line {self.context.line(place)})?",
            labels=[self.context.label(place, f"'{close.id}' is here")],
        )

    def _own_block(self, entry: Entry, outer: Entry, own: Entry, ref: Ref) -> None:
        """Report a step that reads the block around it, or a block that reads what is in it."""
        if outer is entry:
            message = f"'{entry.id}' is the block this step is in; it has not ended yet"
            advice = "read a step that this one depends on"
        elif any(here.step.for_each is not None for here in entry.enclosing()):
            message = f"'{entry.id}' is inside of '{own.id}' itself"
            advice = f"read it in a step that comes after '{own.id}': `steps.{own.id}.items`"
        else:
            message = f"'{entry.id}' is inside of '{own.id}' itself"
            advice = f"read it in a step that comes after '{own.id}': `steps.{entry.id}`"
        self._error("reads-own-block", ref.span, message, advice)

    def _no_ancestor(self, entry: Entry, outer: Entry, here: Entry, own: Entry, ref: Ref) -> None:
        """Report a read of a step that may not have ended, with the line that is missing."""
        label = self.context.label(self.context.name_span(entry.step), f"'{entry.id}' is here")
        group = outer.group
        if group.above[outer.position] & here.bit:
            message = f"'{own.id}' reads '{entry.id}', which comes after it"
            advice = f"take the read out, or take '{here.id}' out of what '{outer.id}' depends on"
        else:
            needs = [group.entries[need] for need in group.dependencies[here.position]]
            written = [need.id for need in (*needs, outer) if need.has_id]
            line = f"depends_on: [{', '.join(written)}]"
            where = "this step" if here is own else f"the block '{here.id}'"
            message = f"'{own.id}' reads '{entry.id}', but does not come after it"
            advice = f"add to {where}: `{line}`"
        self.context.diagnostics.error(
            "not-an-ancestor", ref.span, message, help=advice, labels=[label]
        )

    # -- types

    def _type(self, entry: Entry, reader: Reader) -> Type:
        outputs = self.outputs.get(entry.id)
        if outputs is None:
            return UNKNOWN
        is_sure = self.certain(entry, reader)
        each = entry.step.for_each is not None and not _undoes(reader, entry)
        known = self._types.get((entry.id, is_sure, each))
        if known is None:
            known = record(outputs, is_sure=is_sure, each=each)
            self._types[entry.id, is_sure, each] = known
        return known

    def _own(self, entry: Entry, ref: Ref, reader: Reader) -> Type:
        """Return what a step knows of itself: in `outputs` and `retry` what it wrote itself."""
        if reader.part == "repeat":
            outputs = self.outputs.get(entry.id, UNKNOWN)
            return self._checked(entry, ref, record(outputs, is_sure=True, each=False), reader)
        outputs = self.written.get(entry.id, UNKNOWN)
        if reader.part == "retry" and isinstance(outputs, Record):
            fields = {name: optional(type_) for name, type_ in outputs.fields.items()}
            is_open = outputs.open and not isinstance(entry.step, RunStep)
            fields |= {"error": TEXT, "status_code": optional(NUMBER)}
            outputs = Record(fields, is_open)
        return self._checked(entry, ref, record(outputs, is_sure=True, each=False), reader)

    def _checked(self, entry: Entry, ref: Ref, type_: Type, reader: Reader) -> Type:
        """Report members and outputs that the step does not have."""
        if not isinstance(type_, Record) or len(ref.keys) < 2:
            return type_
        member = ref.keys[1]
        if member not in type_.fields:
            self._no_member(entry, ref, str(member), reader)
            return UNKNOWN
        if member != "outputs" or len(ref.keys) < 3:
            return type_
        name = ref.keys[2]
        outputs = without_null(type_.fields["outputs"])
        if not isinstance(outputs, Record) or not isinstance(name, str):
            return type_
        if name in outputs.fields or outputs.open:
            return type_
        self._no_output(entry, ref, name, outputs)
        return UNKNOWN

    def _no_member(self, entry: Entry, ref: Ref, member: str, reader: Reader) -> None:
        outputs = self.outputs.get(entry.id)
        advice: str | None
        if member == "items" and _undoes(reader, entry) and entry.step.for_each is not None:
            advice = "each item is undone by itself; read what it gave: `outputs`"
        elif member == "items":
            advice = "only a step with `for_each` has items"
        elif member in _MEANT:
            advice = f"write `steps.{entry.id}.{_MEANT[member]}`"
        elif isinstance(outputs, Record) and member in outputs.fields:
            advice = f"write `steps.{entry.id}.outputs.{member}`"
        else:
            advice = suggestion(member, MEMBERS, "a step has")
        self._error(
            "unknown-step-member",
            ref.path[2].span,
            f"a step has no '{member}' that could be read",
            advice,
        )

    def _no_output(self, entry: Entry, ref: Ref, name: str, outputs: Record) -> None:
        span = ref.path[3].span
        step = entry.step
        if isinstance(step, RunStep) and name in outputs_written(self.context.script(step.run)):
            self._undeclared(step, name, span)
            return
        self._error(
            "unknown-output",
            span,
            f"'{step.id}' gives no output '{name}'",
            suggestion(name, outputs.fields, "it gives") or _nothing(step, name),
        )

    def _undeclared(self, step: RunStep, name: str, span: Span) -> None:
        """Report an output that the script writes, with the line that is missing."""
        line = f"{name}: ${{{{ steps.{step.id}.outputs.{name} }}}}"
        advice = f"add to the outputs of '{step.id}': `{line}`"
        if not step.outputs.entries:
            advice = f"add to the step '{step.id}':\n    outputs:\n      {line}"
        place = self.context.name_span(step)
        self.context.diagnostics.error(
            "undeclared-output",
            span,
            f"'{step.id}' writes '{name}' to $GITHUB_OUTPUT, but does not declare it",
            help=advice,
            labels=[self.context.label(place, f"'{step.id}' is here")],
        )


def _undoes(reader: Reader, entry: Entry) -> bool:
    """Whether the reader is the undo of a step: it undoes one item, and reads that alone."""
    return reader.entry is not None and reader.entry.undoes is entry


def _nothing(step: Step, name: str) -> str:
    owner = f"'{step.id}'"
    if isinstance(step, SubworkflowStep):
        owner = f"the workflow '{step.reference}'"
    return f"declare it under `outputs` of {owner}: `{name}: ...`"
