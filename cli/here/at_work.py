"""A stage at work in this process, for one run: kept in a folder, and reached over HTTP meanwhile.

Where somebody is asked and nobody sits at a terminal, it waits as long as it takes: for
`stepsmith approve --keep DIR`, or the task's page.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cli.here import addresses
from cli.here.kept_folder import held
from cli.here.saving import saved_meanwhile
from functions.domain.task_rules import Verdict
from local.people import News, Said

if TYPE_CHECKING:
    from functions.domain.task import Task
    from functions.domain.task_messages import Message
    from local.stage.setting import Setting
    from local.stage.stage import Stage

_LOOK_SECONDS = 0.1


class Waiting:
    """Waits for what is decided elsewhere, and says once for each task how to decide it."""

    def __init__(self, folder: Path, stream: TextIO, tell: Callable[[News], None]) -> None:
        self._folder = folder
        self._stream = stream
        self._tell = tell
        self._links: dict[str, str] = {}
        self._over = threading.Event()
        self.stage: Stage | None = None

    def mail(self, message: Message) -> None:
        """Take note of a mail's link."""
        if message.link is not None:
            self._links.setdefault(message.task_id, message.link)

    def ask(self, task: Task) -> Said | None:
        """Say how a task is decided, and wait until it is; `local.people.People.ask`."""
        assert self.stage is not None
        step = task.task_id if task.place.items else task.place.step_id
        folder = shlex.quote(str(self._folder))
        answer = "" if "approved" in task.answers else " --answer retry"
        link = self._links.get(task.task_id)
        page = f", or open {link}" if link else ""
        self._stream.write(
            f"waiting for somebody: stepsmith approve {step}{answer} --keep {folder}{page}\n"
        )
        self._stream.flush()
        while not self._over.wait(_LOOK_SECONDS):
            now = self.stage.task(task.task_id)
            if now is not None and not now.is_open:
                self._told(now)
                break
        return None

    def _told(self, task: Task) -> None:
        """Say who has answered, as far as somebody did."""
        decision = task.decision
        if decision is None or decision.decided_by is None:
            return
        said = Said(task.status, decision.decided_by, decision.comments)
        seconds = (decision.decided_at - task.opened_at).total_seconds()
        self._tell(News("answered", task, seconds, said=said, verdict=Verdict("decided", task)))

    def fault(self, text: str) -> None:
        """Say what a function could not do."""
        self._stream.write(f"stepsmith: {text}\n")
        self._stream.flush()

    def end(self) -> None:
        """Wait for nothing any more."""
        self._over.set()


@dataclass(frozen=True, slots=True)
class Kept:
    """What is to be at work: in which folder, and what is told of it there."""

    folder: Path
    told: Mapping[str, str]
    person: str
    people: tuple[str, ...] = ()


@contextmanager
def at_work(
    kept: Kept, setting: Callable[[str], Setting], waiting: Waiting | None
) -> Iterator[Stage]:
    """Have a stage at work, with what is kept and to be reached; saved meanwhile and at the end.

    `setting` is told the stage's address. Raises Misuse where a process is at work there already.
    """
    from cli.here.served import console_folder
    from local.server.server import Server, Site
    from local.stage import state
    from local.stage.stage import Stage

    folder = kept.folder
    with (
        held(folder),
        Server() as server,
        Stage(replace(setting(server.url), keep=folder), state.clock_of(folder)) as stage,
    ):
        if waiting is not None:
            waiting.stage = stage
        fault = setting(server.url).fault
        server.serve(Site(stage.answer, console_folder(), kept.person, kept.people, fault))
        addresses.write(folder / addresses.KEPT, server.url)
        try:
            with saved_meanwhile(stage, kept.told):
                yield stage
        finally:
            if waiting is not None:
                waiting.end()
            addresses.remove(folder / addresses.KEPT)
            stage.save(kept.told)
