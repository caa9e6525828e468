"""`stepsmith run --keep DIR`: a run that other commands can work on, now and later."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cli.here.at_work import Kept, Waiting, at_work
from cli.here.laid import laid_whole
from cli.here.people import caller, people_of
from cli.reach.client import Reach, Refused, at
from cli.reach.kept import InProcess
from cli.reach.record import is_over

if TYPE_CHECKING:
    from cli.running.job import Job
    from functions.domain.records.shape import RunRecord
    from local.stage.setting import Setting
    from local.stage.stage import Stage

_LOOK_SECONDS = 0.02
_PATIENCE = 30.0
"""Seconds for what follows a run's end to be done with."""


def run_kept(job: Job) -> tuple[RunRecord, bool]:
    """Carry a run out; return its record, and whether it was stopped. Raises Misuse."""
    from functions.actions.processes import stop_all
    from local.engine import INTERRUPTED
    from local.stage.setting import Setting

    arguments, compiled = job.arguments, job.compiled
    root = compiled.project.root.absolute()
    waiting = Waiting(arguments.keep, sys.stderr, job.progress.tell)
    people = job.people if job.people.ask else replace(job.people, ask=waiting.ask)

    def setting(url: str) -> Setting:
        return Setting(
            api=url,
            people=people,
            secrets=job.secrets,
            actions=compiled.project.actions.asked(),
            source=job.source,
            mail=waiting.mail,
            fault=waiting.fault,
        )

    told = {
        "project": str(root),
        "file": str(arguments.file.absolute()),
        "source": str(job.source.absolute()),
    }
    directory = people.directory
    person = arguments.person or caller(root, directory)
    kept = Kept(arguments.keep, told, person, people_of(directory))
    with at_work(kept, setting, waiting) as stage:
        laid = laid_whole(compiled)
        stage.lay([replace(one, secrets=one.secrets | job.secrets.keys()) for one in laid])
        run_id = str(job.given["run"]["id"])
        execution = stage.start(laid[0].manifest, run_id, job.given)
        finished = stage.engine.wait(execution, job.progress.show, stop_all)
        record = settled(stage, run_id, person)
    return record, finished.error == INTERRUPTED


def settled(stage: Stage, run_id: str, person: str) -> RunRecord:
    """Return a run's record when nothing of it goes on any more."""
    api = Reach(InProcess(stage, "here", person), is_local=True)
    until = time.monotonic() + _PATIENCE
    record: Any = None
    while record is None or not is_over(record):
        try:
            record = api.get(at("runs", run_id))
        except Refused as refused:
            if refused.status != 404:
                raise
        if time.monotonic() > until:
            raise TimeoutError(f"the record of {run_id} was not written")
        time.sleep(_LOOK_SECONDS)
    found: RunRecord = record
    return found
