"""Events of scenarios and files: what the run is given, or why none would start."""

from __future__ import annotations

import re

import pytest

from cli.project.compile_file import Compiled, compile_whole
from cli.project.project import Projects
from cli.scenarios.event import NothingStarts, started
from tests.cli.calling import write

PUSH = {
    "ref": "refs/heads/main",
    "after": "0f1e",
    "repository": {"full_name": "org/app"},
    "sender": {"login": "alice"},
    "head_commit": {"id": "0f1e", "message": "fix", "author": {"email": "bob@example.com"}},
}


def compiled(folder, trigger: str, *root: str) -> Compiled:
    """Return a workflow with a trigger, which is called `t`."""
    text = "\n".join(["name: w", f"trigger: {trigger}", *root, "steps: [{id: a, run: echo}]"])
    write(folder / "w.yaml", text + "\n")
    return compile_whole(folder / "w.yaml", Projects())


def test_only_what_matters_of_a_webhook_has_to_be_written(tmp_path):
    push = compiled(
        tmp_path, "{type: git-push, name: t}", "concurrency: {group: '${{ github.sha }}'}"
    )
    given = started(push, "t", PUSH)
    assert given["inputs"] == {
        "commit": "0f1e",
        "author": "bob@example.com",
        "message": "fix",
        "branch": "main",
        "tag": None,
        "repository": "github.com/org/app",
    }
    assert given["run"]["started_by"] == "github:alice"
    assert given["github"]["sha"] == "0f1e"
    assert given["trigger"] == {"name": "t", "type": "git-push", "event_id": "event-1"}


def test_the_contract_is_left_to_who_asks(tmp_path):
    """A required input may still be given on the command line."""
    form = compiled(
        tmp_path, "{type: http, name: t}", "inputs: {a: string, b: {type: string, default: x}}"
    )
    assert started(form, "t", {"b": 1, "c": 2})["inputs"] == {"b": 1}


@pytest.mark.parametrize(
    ("trigger", "event", "told"),
    [
        ("{type: git-push, branch: live, name: t}", PUSH, "the branch 'main' is none of those"),
        ("{type: git-push, repository: org/b, name: t}", PUSH, "asks for org/b"),
        ("{type: git-push, event: pull_request, name: t}", PUSH, "does not ask for 'push'"),
        ("{type: http, condition: event.size > 3, name: t}", {"size": 1}, "does not hold"),
        ("{type: http, dedupe: {key: '${{ event.id }}'}, name: t}", {}, "`dedupe.key`"),
        ("{type: queue, queue: q, name: t}", {"Records": [{}, {}]}, "2 records; leave one"),
    ],
)
def test_an_event_that_starts_nothing_says_why(tmp_path, trigger, event, told):
    with pytest.raises(NothingStarts, match=re.escape(told)):
        started(compiled(tmp_path, trigger), "t", event)
