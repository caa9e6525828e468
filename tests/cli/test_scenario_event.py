"""Events of scenarios: what a trigger makes of them."""

from __future__ import annotations

from typing import Any

from cli.scenario_event import started
from compiler.diagnostics import Diagnostics
from compiler.document import read
from compiler.source import Source
from compiler.spec import decode

PUSH = {
    "ref": "refs/heads/main",
    "after": "0f1e",
    "repository": {"full_name": "org/app"},
    "sender": {"login": "alice"},
    "head_commit": {"id": "0f1e", "message": "fix", "author": {"email": "bob@example.com"}},
}
PULL = {
    "number": 7,
    "pull_request": {
        "title": "Cart",
        "user": {"login": "bob"},
        "head": {"ref": "cart", "sha": "9a8b"},
        "base": {"ref": "main"},
    },
    "repository": {"full_name": "org/app"},
}


def taken(trigger: str, event: dict[str, Any], variables: Any = None) -> Any:
    """Return what the run is given that a trigger starts from an event."""
    source = Source("w.yaml", f"name: w\ntrigger: {trigger}\nsteps: [{{id: a, run: echo}}]\n")
    diagnostics = Diagnostics(source)
    workflow = decode(read(source, diagnostics)[0], diagnostics)
    assert workflow is not None, list(diagnostics)
    return started(workflow.triggers[0], event, variables)


def test_a_push_gives_its_commit_author_message_branch_and_repository():
    assert taken("{type: git-push}", PUSH)["inputs"] == {
        "commit": "0f1e",
        "author": "bob@example.com",
        "message": "fix",
        "branch": "main",
        "repository": "github.com/org/app",
    }


def test_a_push_is_what_expressions_read_of_github():
    given = taken("{type: git-push}", PUSH)
    read_ = {name: given["github"][name] for name in ("event_name", "ref", "sha", "actor")}
    assert read_ == {
        "event_name": "push",
        "ref": "refs/heads/main",
        "sha": "0f1e",
        "actor": "alice",
    }
    assert given["run"] == {"started_by": "github:alice"}


def test_a_pull_request_has_a_head_and_a_base():
    github = taken("{type: git-push, event: pull_request}", PULL)["github"]
    assert (github["event_name"], github["head_ref"], github["base_ref"], github["sha"]) == (
        "pull_request", "cart", "main", "9a8b",
    )  # fmt: skip


def test_a_literal_stands_in_where_the_event_says_nothing_and_an_expression_always_wins():
    trigger = "{type: git-push, inputs: {author: me, message: '${{ event.ref }}', who: you}}"
    inputs = taken(trigger, PUSH)["inputs"]
    assert (inputs["author"], inputs["message"], inputs["who"]) == (
        "bob@example.com", "refs/heads/main", "you",
    )  # fmt: skip


def test_the_payload_of_an_event_is_the_inputs_where_none_are_mapped():
    assert taken("{type: event, event: user.signup}", {"a": 1, "b": [2]})["inputs"] == {
        "a": 1,
        "b": [2],
    }


def test_mapped_inputs_are_all_there_are_and_keep_their_types():
    trigger = "{type: event, event: e, inputs: {n: '${{ event.a.b }}', all: {x: '${{ event.a }}'}}}"
    inputs = taken(trigger, {"a": {"b": 2}, "c": 3})["inputs"]
    assert inputs == {"n": 2, "all": {"x": {"b": 2}}}


def test_an_event_that_the_condition_does_not_let_through_starts_nothing():
    trigger = "{type: event, event: e, condition: \"event.size == 'large'\"}"
    assert taken(trigger, {"size": "small"}) is None
    assert taken(trigger, {"size": "large"}) is not None


def test_expressions_read_the_stage_s_variables():
    trigger = "{type: http, inputs: {region: '${{ vars.region }}'}}"
    assert taken(trigger, {}, {"region": "eu"})["inputs"] == {"region": "eu"}
