"""Manual steps on the local engine: the real machine, functions and tables, in virtual time."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from datetime import timedelta

import boto3
import pytest

from cli.output.progress import Progress, Style
from cli.project.local_program import local_program
from compiler.check import StageSettings, Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from functions.adapters.task_tokens import DynamoTaskTokens
from functions.domain.people import Directory
from functions.domain.task_links import Signer
from local.engine import REGION
from local.people import SETTINGS, News, People, Said, Staff
from local.workflow import Ran, Request, run_workflow
from protocol.payloads import MachineInput
from protocol.status import Rule

ALICE, BOB, LEAD, HEAD = (f"{name}@example.com" for name in ("alice", "bob", "lead", "head"))
HOUR = 3600.0
REVIEW = f"""
name: review
steps:
  - id: review
    type: manual
    title: Review staging
    assignees: [{ALICE}, {BOB}]
    timeout: 72h
    escalations:
      - after: 48h
        notify: {LEAD}
        message: Review overdue
      - after: 72h
        notify: {HEAD}
        message: Final reminder
  - id: after
    run: "echo deployed"
    depends_on: [review]
"""


def run(text: str, people: People, starter: str | None = None) -> Ran:
    """Compile a workflow and run it with people."""
    stage = StageSettings(approvers=(LEAD,))
    compilation = compile_source(Source("w.yaml", text), Surroundings(stage=stage))
    assert compilation.ok, [d.message for d in compilation.diagnostics]
    program = local_program(compilation)
    given: MachineInput = {
        "inputs": {},
        "run": {"id": "r", "attempt": 1, "started_by": starter},
    }
    return run_workflow(Request(program.machines, program.workflow, given, people=people))


def review(*said: Said, starter: str | None = None) -> tuple[Ran, list[str]]:
    """Run the article's example; return the run and who was told what, without the assignees."""
    ran = run(REVIEW, People(decisions={"review": said}), starter)
    (task,) = ran.tasks
    told = [key for key, notice in task.notices.items() if notice.outcome == "sent"]
    return ran, [key for key in told if not key.startswith("0/")]


def took(ran: Ran) -> timedelta:
    return ran.finished.completed_at - ran.finished.started_at


def test_approved_early_tells_nobody_else():
    began = time.monotonic()
    ran, told = review(Said("approved", after=5 * HOUR))
    assert ran.finished.status == "SUCCEEDED"
    assert told == []
    assert timedelta(hours=5) <= took(ran) < timedelta(hours=6)
    assert time.monotonic() - began < 30


def test_approved_between_the_reminders_has_told_the_first():
    ran, told = review(Said("approved", by=BOB, after=50 * HOUR, comments="fine"))
    assert ran.finished.status == "SUCCEEDED"
    assert told == [f"1/{LEAD}"]
    decision = ran.tasks[0].decision
    assert decision is not None
    assert (decision.decided_by, decision.comments) == (BOB, "fine")
    assert timedelta(hours=50) <= took(ran) < timedelta(hours=51)


def test_rejected_fails_the_run_and_nothing_is_deployed():
    ran, told = review(Said("rejected", after=60.0))
    assert (ran.finished.status, ran.tasks[0].status) == ("FAILED", "rejected")
    assert '"status":"rejected"' in (ran.finished.cause or "").replace(" ", "")
    assert "after" not in ran.rows
    assert told == []


def test_nobody_answers_times_out_and_never_approves():
    ran, told = review()
    assert (ran.finished.status, ran.tasks[0].status) == ("FAILED", "timed_out")
    assert "after" not in ran.rows
    assert told == [f"1/{LEAD}", f"end/{HEAD}"]
    assert timedelta(hours=72) <= took(ran) < timedelta(hours=73)


@pytest.mark.parametrize("after", [48 * HOUR, 72 * HOUR])
@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_a_decision_at_the_very_moment_of_a_timeout_counts_or_is_too_late_but_never_both(
    after, status
):
    ran, _ = review(Said(status, after=after))
    (task,) = ran.tasks
    assert task.status in (status, "timed_out")
    good = task.status == "approved"
    assert (ran.finished.status == "SUCCEEDED") == good
    assert ("after" in ran.rows) == good


def test_whoever_started_the_run_is_refused_and_told_so():
    heard: list[News] = []
    said = {"review": [Said("approved", by=ALICE, after=60.0)]}
    ran = run(REVIEW, People(decisions=said, tell=heard.append), starter=ALICE)
    assert [news.verdict.name for news in heard if news.verdict] == ["forbidden"]
    assert ran.tasks[0].status == "timed_out"


def test_a_quorum_takes_as_many_decisions_as_it_asks_for():
    text = REVIEW.replace("    timeout: 72h\n", "    timeout: 72h\n    quorum: 2\n")
    said = [Said("approved", after=60.0), Said("approved", after=3600.0)]
    ran = run(text, People(decisions={"review": said}))
    assert ran.finished.status == "SUCCEEDED"
    assert [vote.name for vote in ran.tasks[0].votes.values()] == [ALICE, BOB]


def test_somebody_at_the_prompt_is_asked_until_the_answer_is_one():
    answers = iter([Said("approved", by=HEAD), Said("maybe"), Said("approved")])
    ran = run(REVIEW, People(ask=lambda _: next(answers)))
    assert ran.finished.status == "SUCCEEDED"
    assert took(ran) < timedelta(hours=1)


def test_a_pause_is_ended_by_an_approver_and_the_step_tried_again(tmp_path):
    flag = tmp_path / "flag"
    text = f"""
name: paused
steps:
  - id: flaky
    run: 'test -e {flag} || {{ touch {flag}; exit 3; }}'
    on_error: pause
"""
    people = People(
        directory=Directory(approvers=(LEAD,)), decisions={"flaky": [Said("retry", after=9.0)]}
    )
    ran = run(text, people)
    assert ran.finished.status == "SUCCEEDED", ran.finished.cause
    assert [task.status for task in ran.tasks] == ["retry"]


def test_a_pause_that_nobody_ends_fails_with_the_step_s_own_error():
    text = "name: paused\nsteps:\n  - {id: bad, run: 'exit 3', on_error: pause}\n"
    ran = run(text, People(directory=Directory(approvers=(LEAD,))))
    assert ran.finished.status == "FAILED"
    assert "ScriptFailed" in (ran.finished.cause or "")
    assert ran.tasks[0].status == "timed_out"
    assert took(ran) >= timedelta(days=14)


def test_a_wait_for_an_event_that_does_not_come_times_out():
    text = """
name: waiting
steps:
  - {id: hold, type: wait, event: {source: [shop]}, timeout: 2h}
"""
    ran = run(text, People())
    assert ran.finished.status == "FAILED"
    assert "timed_out" in (ran.finished.cause or "")
    assert ran.tasks[0].status == "timed_out"


def test_no_token_stands_in_what_a_whole_run_writes_but_where_it_belongs(
    monkeypatch, caplog, capsys
):
    """Logs, records, progress, tasks and mails; the table of tokens and the history have them."""
    caplog.set_level(0)
    tokens: set[str] = set()
    written: list[str] = []
    keep, tasks_of, url_of = DynamoTaskTokens.keep, Staff.tasks, Signer.token

    def kept(self, task, token, order):
        tokens.add(token)
        keep(self, task, token, order)

    def signed(self, task, person):
        token = url_of(self, task, person)
        tokens.add(str(token))
        return token

    def closed(self):
        tasks = tasks_of(self)
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        for table in (SETTINGS.tasks_table, SETTINGS.outbox_table):
            written.append(json.dumps(dynamodb.scan(TableName=table)["Items"]))
        return tasks

    monkeypatch.setattr(DynamoTaskTokens, "keep", kept)
    monkeypatch.setattr(Signer, "token", signed)
    monkeypatch.setattr(Staff, "tasks", closed)
    progress = Progress({"review": Rule("review", manual=True)}, sys.stderr, Style(colour=False))
    said = Said("approved", by=BOB, after=60 * HOUR)
    ran = run(REVIEW, People(decisions={"review": [said]}, tell=progress.tell))
    assert ran.finished.status == "SUCCEEDED"
    ours = [one for one in caplog.records if not one.name.startswith(("botocore", "urllib3"))]
    output = capsys.readouterr()
    written += [*(one.getMessage() for one in ours), output.out, output.err]
    written.append(json.dumps([asdict(task) for task in ran.tasks], default=str))
    assert len(tokens) >= 4
    assert "Review overdue" in "".join(written)
    assert [token for token in tokens if any(token in text for text in written)] == []
