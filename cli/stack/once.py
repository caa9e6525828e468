"""`stepsmith dev --stack --once`: one run through the API of what was just deployed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from cli.console import FINE, WRONG, Console, Misuse
from cli.project.manifests import Workflow, workflows
from cli.reach.client import Reach, at
from cli.reach.http import OverHttp, nobody
from cli.reach.record import is_over, print_record
from cli.stack.up import Up, timings
from compiler.check.program import Action, AwsCall, EventWait, Script, every_step
from compiler.check.suggest import suggestion

_LOOK_SECONDS = 0.2
_LONGEST = 300.0


def once(name: str, up: Up, console: Console) -> int:
    """Run a workflow, approving what it asks; print its record and how long everything took.

    Without a name it is one that needs no inputs, and nothing outside. Raises Misuse.
    """
    api = Reach(OverHttp(up.url, f"the stage at {up.url}", nobody), is_local=True)
    workflow = _chosen(name, workflows(up.project))
    began = time.monotonic()
    started, _ = api.post(at("workflows", workflow, "run"), {}, Prefer="respond-async")
    record = _followed(started["run_id"], api)
    up.deployer.took["ran"] = time.monotonic() - began
    print_record(record, api, "text", console)
    up.talk(timings(up.deployer.took))
    return FINE if record["status"] == "succeeded" else WRONG


def _chosen(name: str, found: Sequence[Workflow]) -> str:
    ids = {one.manifest["id"].replace("-", "_"): one.manifest["id"] for one in found}
    if name:
        if name.replace("-", "_") not in ids:
            hint = suggestion(name, ids.values(), "the workflows")
            raise Misuse(f"there is no workflow '{name}' in the project\n{hint}")
        return ids[name.replace("-", "_")]
    easy = [one for one in found if _is_easy(one)]
    for one in sorted(easy, key=_has_scripts):
        return one.manifest["id"]
    raise Misuse("no workflow of the project runs by itself\nname one: --once WORKFLOW")


def _is_easy(one: Workflow) -> bool:
    """Whether a workflow needs no inputs, and nothing but what ministack has."""
    program = one.own.program
    assert program is not None
    if (one.manifest["inputs"] or {}).get("required") or program.children:
        return False
    if {trigger["type"] for trigger in one.manifest["triggers"]} & {"git-push", "database"}:
        return False
    return not any(
        isinstance(step.kind, Action | AwsCall | EventWait) or step.is_build
        for step in every_step(program.steps)
    )


def _has_scripts(one: Workflow) -> bool:
    """Whether programs are called, which may not be there."""
    program = one.own.program
    assert program is not None
    return any(isinstance(step.kind, Script) for step in every_step(program.steps))


def _followed(run: str, api: Reach) -> Any:
    """Return the record of a run when it is over; whoever it asks says yes."""
    end = time.monotonic() + _LONGEST
    while True:
        record = api.get(at("runs", run))
        if is_over(record):
            return record
        if time.monotonic() > end:
            raise Misuse(f"the run {run} is not over after {_LONGEST:.0f} s")
        for task in api.get(at("tasks"), run=run, status="open", mine=False)["items"]:
            _approve(task["task_id"], api)
        time.sleep(_LOOK_SECONDS)


def _approve(task: str, api: Reach) -> None:
    """Answer a task as somebody who is asked, by the first answer that goes on."""
    found = api.get(at("tasks", task))
    person = next((one for one in found["assignees"] if "@" in one), None)
    caller = api if person is None else api.as_person(person)
    wanted = [one for one in ("approved", "skip", "fail") if one in found["answers"]]
    if wanted:
        caller.post(at("tasks", task, "status"), {"status": wanted[0]})
