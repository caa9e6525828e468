"""Whole workflows made up at random: every kind of step, every shape of condition and graph.

`workflow(seed)` is a valid file as plain data, the same for the same seed. `around()` is what
such a file compiles against: the built-in actions, one child workflow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from compiler.check import StageSettings, Surroundings, WorkflowContract
from compiler.diagnostics import Severity
from compiler.document import Json
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from tests.compiler.writer import ANY, FREE, INPUTS, LIST, NUMBER, SHOWN, TEXT, Known, Writer
from tests.golden.project import surroundings


@dataclass(slots=True)
class Group:
    """Steps that may depend on each other; `outside` may be read by all of them."""

    outside: list[Known]
    in_loop: bool = False
    depth: int = 0
    ids: list[str] = field(default_factory=list)
    above: dict[str, set[str]] = field(default_factory=dict)
    seen: dict[str, list[Known]] = field(default_factory=dict)  # step -> itself, its children

    def readable(self, depends_on: set[str]) -> list[Known]:
        """Return what a step behind these may read."""
        return [*self.outside, *(k for name in sorted(depends_on) for k in self.seen[name])]


class Maker(Writer):
    """Makes one workflow."""

    def __init__(self, seed: int, *, most: int = 9) -> None:
        super().__init__(seed)
        self.most = most
        self.numbered = 0
        self.manual: set[str] = set()

    def workflow(self) -> dict[str, Any]:
        """Return a whole file."""
        group = Group([])
        steps = self.steps(group, self.random.randint(2, self.most))
        every = group.readable(set(group.ids))
        made: dict[str, Any] = {
            "name": "made up",
            "inputs": INPUTS,
            "trigger": {
                "type": "git-push",
                "event": ["push", "pull_request"],
                "inputs": {"name": "x"},
            },
            "env": {"WHERE": self.value(TEXT, []), "PLAIN": "{% $x %} and ${Y}"},
            "steps": steps,
            "outputs": {
                f"o{at}": {"value": self.value(ANY, every)}
                for at in range(self.random.randint(0, 3))
            },
        }
        if not made["outputs"]:
            del made["outputs"]
        if self.chance(0.25):
            made["timeout"] = "20h"
        if self.chance(0.3):
            made["on_failure"] = self.handlers(every)
        if self.chance(0.1):
            made["concurrency"] = {"group": self.value(TEXT, []), "on_conflict": "reject"}
        return made

    def handlers(self, every: list[Known]) -> list[dict[str, Any]]:
        """Return `on_failure`: steps that read what failed and every other step."""
        group = Group(every)
        made = []
        for _ in range(self.random.randint(1, 2)):
            name = self.new_id("h")
            step = {"id": name, "run": 'echo "${{ failure.step_id }} ${{ toJSON(failure) }}"'}
            step["env"] = {"A": self.value(TEXT, group.readable(set()))}  # type: ignore[assignment]
            made.append(step)
        return made

    # --- graphs --------------------------------------------------------------------------------

    def steps(self, group: Group, count: int) -> list[dict[str, Any]]:
        """Return the steps of a group, in an order in which each follows its dependencies."""
        density = self.random.choice([0.15, 0.3, 0.6])
        return [self.step(group, density) for _ in range(count)]

    def step(self, group: Group, density: float) -> dict[str, Any]:
        """Return a step with everything it may have."""
        name = self.new_id("s")
        made: dict[str, Any] = {"id": name}
        needs = self.dependencies(group, made, density)
        above = needs.union(*(group.above[need] for need in needs)) if needs else set()
        readable = group.readable(above)
        kind = self.random.choice(self.kinds(group))
        known, children = kind(self, made, readable, group)
        if self.chance(0.4) and above:
            made["condition"] = self.condition(above, readable)
        group.ids.append(name)
        group.above[name] = above
        group.seen[name] = [known, *children]
        return made

    def dependencies(self, group: Group, made: dict[str, Any], density: float) -> set[str]:
        """Write what the step comes after, as a whole graph may have it."""
        if self.chance(0.2):
            is_first = group.depth or not group.ids
            return set() if is_first else {group.ids[-1]}
        wanted = [name for name in group.ids[-7:] if self.chance(density)]
        if not wanted and group.ids and self.chance(0.5):
            wanted = [self.random.choice(group.ids)]
        made["depends_on"] = wanted
        return set(wanted)

    def new_id(self, letter: str) -> str:
        """Return an id that no other step has; some have hyphens, capitals never."""
        self.numbered += 1
        return f"{letter}{self.numbered}" if self.chance(0.8) else f"{letter}-{self.numbered}-x"

    # --- kinds ---------------------------------------------------------------------------------

    def kinds(self, group: Group) -> list[Kind]:
        """Return what a step of a group may be; scripts and actions more often."""
        plain: list[Kind] = [script, script, action, action, aws, child, publish]
        found = [*plain, *plain, manual, manual, pause, pause, event, callback]
        return [*found, parallel, parallel] if group.depth < 2 else found

    def around(self, made: dict[str, Any], readable: list[Known], *, loops: bool = True) -> bool:
        """Write what any step that calls something may have; returns whether it has for_each."""
        name = made["id"]
        if self.chance(0.2):
            made["on_error"] = self.random.choice(["continue", "pause"])
        if self.chance(0.25):
            made["retry"] = self.retry(name)
        if self.chance(0.2):
            made["timeout"] = self.random.choice(["30s", "5m"])
        if not loops:
            return False
        if self.chance(0.2):
            made["for_each"] = self.random.choice(
                [["a", 2, None, {"x": [1]}], self.value(LIST, readable)]
            )
            if made.get("on_error") == "pause":
                del made["on_error"]
            made |= self.bounds() | self.stopping()
        elif self.chance(0.15):
            until = f"steps.{name}.outputs.value && toJSON(steps.{name}.outputs.other) == 'x'"
            made["repeat"] = {"until": until, "delay": "5s", "max_attempts": 3}
        return "for_each" in made


Kind = Callable[[Maker, dict[str, Any], list[Known], Group], tuple[Known, list[Known]]]


def _known(
    name: str, outputs: dict[str, str], *, each: bool = False, manual: bool = False
) -> Known:
    """Return what can be read of a step with these outputs."""
    paths: dict[str, list[str]] = {
        SHOWN: [f"steps.{name}.status", f"steps.{name}.outputs", f"steps.{name}.error.message"],
    }
    if each:
        paths[LIST] = [f"steps.{name}.outputs", f"steps.{name}.items"]
        paths[SHOWN] += [f"steps.{name}.items[1].error.message", f"steps.{name}.outputs[0]"]
    else:
        for output, type_ in outputs.items():
            paths.setdefault(type_, []).append(f"steps.{name}.outputs.{output}")
    paths[ANY] = [path for found in paths.values() for path in found]
    return Known(name, manual, paths)


def script(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """A script that reads others by interpolation and by its environment, and writes outputs."""
    name = made["id"]
    each = make.around(made, readable, loops=not group.in_loop)
    made["run"] = f"echo ${{{{ {make.expression(ANY, readable)} }}}}\ntrue '${{{{ inputs.name }}}}'"
    made["env"] = {"ONE": make.value(TEXT, readable), "TWO": make.value(ANY, readable)}
    own = f"steps.{name}.outputs"
    made["outputs"] = {
        "value": f"${{{{ {own}.value }}}}",
        "other": "a {% literal %}",
        "derived": f"${{{{ length({own}.value) }}}}",
        "odd-one": make.value(ANY, readable),
    }
    if make.chance(0.15):
        made |= {"runner": "codebuild"}
    if each:
        made["env"]["ITEM"] = "${{ item }}-${{ index }}"
    if not each and make.chance(0.1):
        made["compensate"] = {
            "id": f"undo_{make.new_id('u')}",
            "run": f"echo ${{{{ {own}.value }}}}",
        }
    outputs = {"value": TEXT, "other": TEXT, "derived": SHOWN, "odd-one": SHOWN}
    return _known(name, outputs, each=each), []


def action(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """An action of the catalogue, secrets among its inputs."""
    name = made["id"]
    each = make.around(made, readable, loops=not group.in_loop)
    made["action"] = "http-request"
    body = make.body(readable)
    if each:
        body["item"] = "${{ item }}"
    made["inputs"] = {"url": make.value(TEXT, readable), "body": body}
    if make.chance(0.3):
        made["env"] = {"TOKEN": "${{ secrets.TOKEN }}", "BEARER": "Bearer ${{ secrets.KEY }}"}
    made["outputs"] = {"value": make.value(ANY, readable), "other": "literal"}
    outputs = {"status_code": NUMBER, "headers": SHOWN, "body": FREE, "body.list[0].x": FREE,
               "value": SHOWN, "other": SHOWN}  # fmt: skip
    return _known(name, outputs, each=each), []


def callback(
    make: Maker, made: dict[str, Any], readable: list[Known], _group: Group
) -> tuple[Known, list[Known]]:
    """An action that an outside system ends."""
    made |= {
        "action": "http-request",
        "callback": True,
        "inputs": {"url": make.value(TEXT, readable)},
    }
    if make.chance(0.3):
        made["on_error"] = "continue"
    return _known(made["id"], {"status_code": NUMBER, "body": FREE, "given": FREE}), []


def aws(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """A direct call of an AWS API."""
    each = make.around(made, readable, loops=not group.in_loop)
    made |= {"action": "aws:dynamodb:getItem", "inputs": {"TableName": make.value(TEXT, readable)}}
    made["inputs"]["Key"] = make.body(readable)
    made["outputs"] = {"value": make.value(ANY, readable), "other": "literal"}
    return _known(made["id"], {"value": SHOWN, "other": SHOWN, "Item.a.S": FREE}, each=each), []


def child(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """A call of another workflow."""
    each = make.around(made, readable, loops=not group.in_loop)
    made.pop("repeat", None)
    if "conditions" in made.get("retry", {}):
        del made["retry"]
    made |= {"type": "subworkflow", "workflow": "child"}
    made["inputs"] = {"free": make.body(readable), "text": make.value(TEXT, readable)}
    return _known(made["id"], {"value": TEXT, "other": FREE}, each=each), []


def publish(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """A step that puts an event on the bus."""
    each = make.around(made, readable, loops=not group.in_loop)
    made.pop("repeat", None)
    if "conditions" in made.get("retry", {}):
        del made["retry"]
    made |= {"type": "publish", "event": make.value(TEXT, readable), "payload": make.body(readable)}
    return _known(made["id"], {}, each=each), []


def manual(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """A step that waits for a person, with escalations."""
    name = made["id"]
    make.manual.add(name)
    made |= {
        "type": "manual",
        "title": make.value(TEXT, readable),
        "description": make.value(TEXT, readable),
        "assignees": make.random.choice(
            [["a@example.com", "${{ inputs.name }}"], "${{ inputs.names }}", "${{ inputs.name }}"]
        ),
        "timeout": "48h",
    }
    if make.chance(0.5):
        made["escalations"] = [
            {"after": after, "message": make.value(TEXT, readable)}
            for after in make.random.choice([["12h"], ["1h", "24h"], ["2h", "48h"]])
        ]
    for key in ("on_reject", "on_timeout"):
        if make.chance(0.4):
            made[key] = "continue"
    each = not group.in_loop and make.chance(0.15)
    if each:
        made |= {"for_each": ["a", "b"]} | make.stopping()
    if make.chance(0.3):
        made["form"] = {"type": "object", "properties": {"amount": {"type": "number"}}}
    outputs = {"status": SHOWN, "comments": TEXT, "decided_by": TEXT, "form": SHOWN}
    return _known(name, outputs, each=each, manual=not each), []


def pause(
    make: Maker, made: dict[str, Any], readable: list[Known], _group: Group
) -> tuple[Known, list[Known]]:
    """A wait: for a while or until a time, written or computed."""
    made["type"] = "wait"
    made |= make.random.choice(
        [
            {"for": "10m"},
            {"for": f"${{{{ {make.path(NUMBER, readable)} }}}}"},
            {"until": "2026-06-01T00:00:00Z"},
            {"until": f"${{{{ {make.path(TEXT, readable)} }}}}"},
        ]
    )
    return _known(made["id"], {}), []


def event(
    make: Maker, made: dict[str, Any], _readable: list[Known], _group: Group
) -> tuple[Known, list[Known]]:
    """A wait for an event."""
    made |= {"type": "wait", "event": "user.signup", "timeout": "24h"}
    if make.chance(0.5):
        made["match"] = "event.detail.id == 'x' || event.detail.list[0]"
    return _known(made["id"], {"event": FREE, "event.detail.id": FREE}), []


def parallel(
    make: Maker, made: dict[str, Any], readable: list[Known], group: Group
) -> tuple[Known, list[Known]]:
    """Steps side by side, which may depend on each other and read what is before the block."""
    each = not group.in_loop and make.chance(0.2)
    inner = Group(readable, in_loop=group.in_loop or each, depth=group.depth + 1)
    made["type"] = "parallel"
    if each:
        made["for_each"] = make.value(LIST, readable)
    made["steps"] = make.steps(inner, make.random.randint(1, 4))
    if make.chance(0.3):
        made["timeout"] = "10h"
    if make.chance(0.3):
        made["on_error"] = "continue"
    made |= make.stopping()
    if each:  # its children run for every item, so nobody outside may read one
        return _known(made["id"], {}, each=True), []
    children = [known for name in inner.ids for known in inner.seen[name]]
    return _known(made["id"], {}), children


def workflow(seed: int, **limits: int) -> dict[str, Any]:
    """Return a workflow; `most` is how many steps stand at its root at most."""
    return Maker(seed, **limits).workflow()


@cache
def around() -> Surroundings:
    """Return what the workflows are checked against."""
    text: Json = {"type": "string"}
    called = WorkflowContract(
        "child",
        None,
        "workflows/child.yaml",
        inputs={"type": "object", "properties": {"free": {}, "text": text}},
        outputs={"type": "object", "properties": {"value": text, "other": {}}},
    )
    return Surroundings(
        catalogue=surroundings().catalogue,
        workflows={"child": (called,)},
        stage=StageSettings(approvers=("lead@example.com",)),
        runner_programs=frozenset({"bash", "echo", "true"}),
    )


@lru_cache(maxsize=32)
def made(seed: int, most: int = 9) -> Compilation:
    """Return a workflow compiled; one that has an error fails the test.

    One that may take too many events is refused by right: another is made in its place.
    """
    text = json.dumps(workflow(seed, most=most), ensure_ascii=False)
    found = compile_source(Source("workflows/made.yaml", text), around())
    errors = [
        f"{d.code}: {d.message} ({d.help})"
        for d in found.diagnostics
        if d.severity is Severity.ERROR
    ]
    if errors and all(error.startswith("too-many-events") for error in errors):
        return made(seed + 1_000_000, most)
    assert found.ok, (seed, errors)
    return found


__all__ = ["Group", "Known", "Maker", "around", "made", "workflow"]
