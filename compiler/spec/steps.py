"""Steps: the kind first, then its mapping, then the one shape it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from compiler.document.nodes import Path
from compiler.spec import build, identity, idle, keys, kinds, model, names, parts, pasted, undos
from compiler.spec.report import Read, Reporter, plain_list
from compiler.spec.written import steps as written
from compiler.spec.written.scalars import OPEN


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: its default id, if it starts at once, and if it undoes another."""

    default_id: str | None = None
    at_once: bool = False
    undo: bool = False


_JOB_WITH_STEPS = (
    "a job with `steps` becomes a step under `steps:` at the root; join its `run`s into one "
    "script, and write its `needs` as `depends_on`"
)
_REVIEWED = "; for the reviewers of its `environment` put a step with `type: manual` before it"
_READS = re.compile(r"item$|[A-Za-z]\w*[.(]")
"""How an expression begins that gives a list."""
_PLAIN = Place()
_INSIDE = Place(at_once=True)


class StepDecoder:
    """Decodes steps; `unknown` collects the paths of steps whose id is only a stand-in."""

    def __init__(self, report: Reporter, defaults: model.Defaults) -> None:
        self.report = report
        self.defaults = defaults
        self.unknown: set[Path] = set()

    def steps(self, plain: JsonValue, path: Path, place: Place = _PLAIN) -> tuple[model.Step, ...]:
        """Return the steps of a list."""
        if not isinstance(plain, list):
            help_ = "write each step as an item of a list: `- id: ...`"
            self.report.wrong_type(path, "a list of steps", help_)
            return ()
        return tuple(self.step(item, (*path, index), place) for index, item in plain_list(plain))

    def handlers(self, plain: JsonValue, path: Path) -> tuple[model.Step, ...]:
        """Return the steps of `on_failure`: a list, or a single one that needs no id."""
        if isinstance(plain, dict):
            found: tuple[model.Step, ...] = (
                self.step(plain, path, Place(default_id="on_failure")),
            )
        else:
            found = self.steps(plain, path)
        undos.check_handlers(self.report, found)
        return found

    def jobs(self, plain: JsonValue, path: Path) -> tuple[model.Step, ...]:
        """Return the steps of `jobs`."""
        if not isinstance(plain, dict):
            self.report.wrong_type(path, "a mapping of jobs, each with `uses`")
            return ()
        return tuple(self._job(value, (*path, key), key) for key, value in plain.items())

    def step(self, plain: JsonValue, path: Path, place: Place = _PLAIN) -> model.Step:
        """Return one step; an `UnknownStep` if its kind or a key that it needs is missing."""
        if not isinstance(plain, dict):
            self.report.wrong_type(path, "a step, a mapping with an `id` and what it does")
            return self._unreadable(path)
        kind = kinds.choose(self.report, plain, path)
        if kind.kind is None and "uses" in plain and "id" not in plain and "name" not in plain:
            return self._unreadable(path)  # to be left out, or to become something else
        if kind.kind is None:
            read: Read[written.StepPart] = self._only_common(kind.plain, path)
        else:
            read = self.report.read(written.KINDS[kind.kind], kind.plain, path)
        if read.value is None or kind.kind is None:
            part = read.value or _common_part(read.plain)
            return model.UnknownStep(**self._common(part, path, place, broken=True))
        if kind.kind == "run" and not pasted.is_bash(plain.get("shell")):
            # Its script is no bash, and is not read as that.
            return model.UnknownStep(**self._common(read.value, path, place, broken=True))
        broken = kind.broken or read.broken
        return self._build(read.value, self._common(read.value, path, place, broken=broken), path)

    def _only_common(self, plain: dict[str, JsonValue], path: Path) -> Read[written.StepPart]:
        """Read what all steps may have, and report other tools' keys for it."""
        known = {key: value for key, value in plain.items() if keys.may_be_common(key)}
        return self.report.read(written.StepPart, known, path)

    def _unreadable(self, path: Path) -> model.Step:
        self.unknown.add(path)
        return self._empty(path, identity.stand_in(self.report, path))

    def _empty(self, path: Path, name: str) -> model.Step:
        nothing = model.Values(path=path)
        return model.UnknownStep(
            path=path, id=name, name=name, broken=True, outputs=nothing, env=nothing
        )

    # --- what all kinds have ----------------------------------------------------------------

    def _common(
        self, part: written.StepPart, path: Path, place: Place, *, broken: bool
    ) -> build.Common:
        found = identity.identify(self.report, part.id, part.name, path, place.default_id)
        return self._filled(part, path, place, found, broken)

    def _filled(
        self,
        part: written.StepPart,
        path: Path,
        place: Place,
        found: identity.Identity,
        broken: bool,
    ) -> build.Common:
        if not found.known:
            self.unknown.add(path)
            broken = True
        before = self.report.count
        common: build.Common = {
            "path": path,
            "id": found.id,
            "name": found.name,
            "given_id": found.given,
            "broken": broken,
            "description": part.description,
            "depends_on": part.depends_on,
            "condition": part.condition,
            "retry": parts.retry(self.report, part.retry, (*path, "retry")),
            "timeout": part.timeout,
            "on_error": self._on_error(part, path),
            "outputs": parts.named(self.report, part.outputs, (*path, "outputs")),
            "env": parts.env(self.report, part.env, (*path, "env")),
            "for_each": self._for_each(part, path),
            "repeat": self._repeat(part, path),
            "compensate": self._compensate(part, path, found.id, place),
            "checkpoint": bool(part.checkpoint),
            "artifacts": part.artifacts or (),
        }
        if part.depends_on is None and place.at_once:
            common["depends_on"] = ()
        idle.check(self.report, part, path)
        if place.undo:
            undos.check_undo(self.report, part, path)
        if self.report.count > before:
            common["broken"] = True
        return common

    def _on_error(self, part: written.StepPart, path: Path) -> Literal["fail", "continue", "pause"]:
        if part.on_error is not None and part.continue_on_failure is not None:
            key = str(self.report.document.written((*path, "continue_on_failure"))[-1])
            parts.conflict(self.report, path, key, "on_error", f"leave out `{key}`")
        if part.on_error is not None:
            return part.on_error
        return "continue" if part.continue_on_failure else "fail"

    def _for_each(self, part: written.StepPart, path: Path) -> model.ForEach | None:
        if part.for_each is None:
            for key in ("max_items", "max_concurrency"):
                if getattr(part, key) is not None:
                    parts.refuse(
                        self.report, path, key, "a step without `for_each`", "add `for_each`"
                    )
            if part.fail_fast is not None and not isinstance(part, written.ParallelStep):
                advice = "it stops other items, or a parallel step's other steps: leave it out"
                where = "a step without `for_each`"
                parts.refuse(self.report, path, "fail_fast", where, advice)
            return None
        items: JsonValue = part.for_each
        if not isinstance(items, list) and not (isinstance(items, str) and OPEN in items):
            help_: str | None = "write the list of items: `for_each: [a, b]`"
            if isinstance(items, str) and "," in items:
                help_ = f"write [{items}]"
            elif isinstance(items, str) and _READS.match(items):
                help_ = f"write ${{{{ {items} }}}}"
            elif isinstance(items, dict):
                matrix = items.get("matrix", items)
                help_ = pasted.for_each(matrix) or help_
            self.report.wrong_type((*path, "for_each"), "a list or an expression", help_)
            items = None  # `item` and `index` are known all the same
        return model.ForEach(
            path=path,
            items=items,
            max_items=part.max_items or model.MAX_ITEMS,
            max_concurrency=part.max_concurrency,
            fail_fast=bool(part.fail_fast),
        )

    def _repeat(self, part: written.StepPart, path: Path) -> model.Repeat | None:
        repeat = part.repeat
        if repeat is None:
            return None
        return model.Repeat(
            path=(*path, "repeat"),
            until=repeat.until,
            delay=model.REPEAT_DELAY if repeat.delay is None else repeat.delay,
            max_attempts=repeat.max_attempts or model.REPEAT_ATTEMPTS,
        )

    def _compensate(
        self, part: written.StepPart, path: Path, step_id: str, place: Place
    ) -> model.Step | None:
        if part.compensate is None or place.undo:
            return None
        if not undos.can_be_undone(self.report, part, path):
            return None
        undo_id = f"{step_id}_undo"
        default = Place(names.shortened(undo_id, undo_id), at_once=True, undo=True)
        undo = self.step(part.compensate, (*path, "compensate"), default)
        undos.check_kind(self.report, undo)
        return undo

    # --- what each kind has -----------------------------------------------------------------

    def _build(self, part: written.StepPart, common: build.Common, path: Path) -> model.Step:
        match part:
            case written.ActionStep():
                return build.action(self.report, self.defaults, part, common)
            case written.RunStep():
                return build.run(self.report, self.defaults, part, common)
            case written.ManualStep():
                return build.manual(self.report, part, common)
            case written.ParallelStep():
                return self._parallel(part, common, path)
            case written.SubworkflowStep():
                return build.call(self.report, self.defaults, part, common)
            case written.WaitStep():
                return build.wait(self.report, part, common)
            case written.PublishStep():
                return build.publish(self.defaults, part, common)
            case _:
                return model.UnknownStep(**common)

    def _parallel(self, part: written.ParallelStep, common: build.Common, path: Path) -> model.Step:
        if part.retry is not None:
            parts.refuse(self.report, path, "retry", part.place, "put it on the steps inside")
            common["retry"], common["broken"] = None, True
        if part.on_error == "pause":
            self.report.error(
                "not-here",
                (*path, "on_error"),
                "`on_error: pause` cannot stand on a parallel step",
                "put it on the steps inside",
            )
            common["on_error"], common["broken"] = "fail", True
        steps = self.steps(part.steps, (*path, "steps"), _INSIDE)
        if part.steps == []:
            self.report.error(
                "missing-key",
                (*path, "steps"),
                "a parallel step needs steps",
                "add steps, or leave this one out",
            )
            common["broken"] = True
        return model.ParallelStep(**common, steps=steps, fail_fast=bool(part.fail_fast))

    # --- jobs ---------------------------------------------------------------------------------

    def _job(self, plain: JsonValue, path: Path, key: str) -> model.Step:
        if not isinstance(plain, dict):
            self.report.wrong_type(path, "a mapping with `uses`")
            return self._unreadable(path)
        if "steps" in plain and "uses" not in plain:
            # What else it says will mean something else: `runs-on`, `if`, what its steps give.
            message = "`steps` is not a key of a job"
            help_ = _JOB_WITH_STEPS + (_REVIEWED if "environment" in plain else "")
            self.report.error_at_key("foreign-key", (*path, "steps"), message, help_)
            return self._empty(path, key)
        read = self.report.read(written.Job, plain, path)
        part = read.value or _common_part(read.plain)
        found = identity.job(self.report, key, part.name, path)
        common = self._filled(part, path, _INSIDE, found, read.broken or read.value is None)
        if part.id is not None:
            parts.refuse(self.report, path, "id", "a job", "its key is its id")
            common["broken"] = True
        if not isinstance(part, written.Job):
            return model.UnknownStep(**common)
        return build.call(self.report, self.defaults, part, common)


def _only_common(plain: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: plain[key] for key in plain if key in written.StepPart.model_fields}


def _common_part(plain: dict[str, JsonValue]) -> written.StepPart:
    """Return the common keys of a mapping that has been checked key by key."""
    return written.StepPart.model_validate(_only_common(plain))
