"""Everything a workflow runs in, for tests of what happens after it failed.

The emitted machines are played in virtual time; what they call are the real wrapper and the real
use cases on tables in memory, which outlive executions (`world`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from compiler.check import Surroundings
from compiler.check.workflows import contract
from compiler.manifest import manifest
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from functions.domain.records.closing import cut_off
from functions.domain.records.executions import Execution, close_name
from functions.domain.records.item import CLOSED, RunItem
from functions.domain.records.plan import Plan, plan_of
from functions.domain.resuming import Wishes
from functions.record_ports import Kept
from functions.usecases.close_run import Closer, left_inside
from functions.usecases.resume import Resumed, Resumer, plan_resume, resume
from protocol.names import RUN_FAILED, machine_name
from tests.asl_player import Machine, Played, Player
from tests.functions.resume.memory import Manifests, Results, Runs
from tests.functions.resume.world import (
    RUN,
    Does,
    Effect,
    Killed,
    Outside,
    PlayersClock,
    Stopped,
    stopped,
)
from tests.golden.project import surroundings

__all__ = ["RUN", "Does", "Effect", "Killed", "Stopped", "Town"]

Say = Callable[[str, Mapping[str, Any]], Does]


def well(_path: str, _call: Mapping[str, Any]) -> Does:
    """Let every step succeed."""
    return Does()


class Town:
    """The workflows deployed, what is stored of runs, and what was done."""

    def __init__(self, workflow: Mapping[str, Any], **called: Mapping[str, Any]) -> None:
        self.results = Results()
        self.runs = Runs()
        self.manifests = Manifests()
        self.effects: list[Effect] = []
        self.say: Say = well
        self.tolerates_repeats: frozenset[str] = frozenset()
        self.plays: list[Played] = []
        self.time = 0.0
        self.builds = 0  # begun on CodeBuild
        self.calls_of_records = 0
        self.stop_before_records: int | None = None
        self.no_answer_of_records = False
        self.has_records = True  # whether there is a record of what ended
        self.cut_off: list[Execution] = []  # workflows called that ended with their caller
        self.called: list[tuple[Played, Any]] = []  # every workflow called, with its input
        self.ended_at: dict[str, float] = {}  # when workflows called ended well, by run
        self.names: set[str] = set()
        self.deploy(workflow, **called)

    # --- deploying -----------------------------------------------------------------------------

    def deploy(self, workflow: Mapping[str, Any], **called: Mapping[str, Any]) -> None:
        """Compile workflows and put them in the place of what was there; each may call the next."""
        base = surroundings()
        known: dict[str, Any] = {}
        made: dict[str, Compilation] = {}
        for name, one in reversed([("main", workflow), *called.items()]):
            around = Surroundings(
                catalogue=base.catalogue,
                workflows=dict(known),
                runner_programs=frozenset({"bash", "echo", "true"}),
                stage=base.stage,
            )
            source = Source(f"workflows/{name}.yaml", json.dumps({"id": name, "name": name, **one}))
            found = compile_source(source, around)
            assert found.ok, [f"{d.code}: {d.message} ({d.help})" for d in found.diagnostics]
            assert found.workflow is not None
            known[name] = (contract(found.workflow, source.name),)
            made[name] = found
        self.machines = {m.id: Machine(m.definition) for one in made.values() for m in one.machines}
        self.compiled = made
        for name, one in made.items():
            self.manifests.deployed[name] = manifest(one, made)

    # --- running -------------------------------------------------------------------------------

    def run(self, inputs: Mapping[str, Any] | None = None) -> Played:
        """Start the run and play it to its end."""
        current = self.manifests.deployed["main"]
        self._keep_versions(current)
        run = {"id": RUN, "attempt": 1, "manifest": current["digest"]}
        return self.play("main", RUN, {"inputs": dict(inputs or {}), "run": run})

    def _keep_versions(self, current: Any) -> None:
        self.manifests.keep(current)
        for reference in current["children"]:
            self._keep_versions(self.manifests.deployed[reference])

    def play(self, reference: str, name: str, given: Any) -> Played:
        """Play an execution to its end, or to where everything stops; keep what records keep."""
        world = Outside(self)
        player = Player(self.time)
        self.names.add(name)
        world.add(name, given)
        child = player.start(
            self.machines[reference], given, world, name=name, label=f"m-{reference}"
        )
        try:
            player.run()
        except Stopped:
            for execution in player.executions:
                execution.abort()
        self.time = player.now + 3600
        self.plays.append(child.played)
        self._keep_records(world)
        return child.played

    def close(self, attempt: int = 1) -> Played:
        """Start the close machine of an attempt, as records do; again, if it was there before."""
        plan = self.plan_of("main")
        given: dict[str, Any] = {**self.runs.inputs[RUN, attempt], "failure": {"steps": []}}
        name = close_name(RUN, attempt)
        number = 1 + sum(one.startswith(name) for one in self.names)
        given["cut_off"] = cut_off(self.cut_off, plan)
        given["AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"] = "arn"
        if number > 1:
            name, given["again"] = f"{name}-{number}", number
            nothing: Any = None
            closer = Closer("test", self.runs, self.results, nothing, nothing, nothing)
            given["cut_off"] = left_inside(RUN, plan, closer)
        return self.play("main--close", name, given)

    def plan_of(self, workflow: str) -> Plan:
        """Return a workflow as records know it."""
        found = self.manifests.deployed[workflow]
        inside = {machine_name("test", one): self.plan_of(one) for one in found["children"]}
        return plan_of(found, inside)

    def _keep_records(self, world: Outside) -> None:
        for played, given in [(self.plays[-1], {}), *world.called]:
            told = json.loads(played.cause or "{}") if played.error == RUN_FAILED else {}
            for one in told.get("details", []):
                world.ended[one["step_id"]] = one["status"]
            if "run" in given:
                ends = {"SUCCEEDED": "succeeded", "ABORTED": "cancelled"}
                world.ended[given["run"]["step"]] = ends.get(played.status, "failed")
        for (run_id, attempt), given in world.given.items():
            workflow = world.workflows[run_id]
            current = self.manifests.deployed[workflow]
            self.runs.give(run_id, attempt, given)
            parent = given["run"].get("parent")
            self.runs.items[run_id] = RunItem(
                run_id, workflow, "", workflow, "2026-01-01T00:00:00.000Z", attempt=attempt,
                status=world.status_of(run_id, self.plays[-1]), phase=CLOSED,
                execution="arn", began_at="2026-01-01T00:00:00.000Z",
                manifest=current["digest"], parent=parent, settled=True,
            )  # fmt: skip
            steps = [
                {"step_id": step["id"], "status": world.ended.get(step["id"], "skipped")}
                for step in current["steps"]
            ]
            if self.has_records:
                record: Any = {"run_id": run_id, "run_attempt": attempt, "steps": steps}
                self.runs.records[run_id, attempt] = Kept(record, 1)
        for played, given in world.called:
            if played.status == "SUCCEEDED" and played.end is not None:
                self.ended_at[given["run"]["id"]] = played.end
            elif played.status == "ABORTED" and given["run"]["parent"] == RUN:
                self.cut_off.append(stopped(played, given))
        for known, parent in world.known:
            self.runs.executions.setdefault(parent, []).append(known)

    # --- resuming ------------------------------------------------------------------------------

    def resumer(self) -> Resumer:
        clock = PlayersClock(Player(self.time))
        return Resumer(clock, self.runs, self.results, self.manifests, self)

    def plan(self, **wishes: Any) -> Resumed:
        """Return what a resume would do."""
        return plan_resume(RUN, Wishes(**wishes), self.resumer())

    def resume(self, **wishes: Any) -> Played:
        """Resume the run and play it to its end."""
        before = len(self.plays)
        resume(RUN, Wishes(**wishes), "ann@example.com", self.resumer())
        assert len(self.plays) == before + 1
        return self.plays[-1]

    def start(self, reference: str, name: str, text: str) -> bool:
        """Start an execution, as `functions.ports.Machines` does, and play it."""
        if name in self.names:
            return False
        self.play(reference, name, json.loads(text))
        return True

    # --- what was done -------------------------------------------------------------------------

    def done(self, attempt: int | None = None) -> list[str]:
        """Return the paths of what was done, in order; of one attempt of the run, if asked so."""
        return [e.path for e in self.effects if attempt in (None, e.attempt)]
