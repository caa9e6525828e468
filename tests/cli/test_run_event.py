"""`stepsmith run --event`: runs that start from an event, as they do where they are deployed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.calling import call, write

WORKFLOW = """
name: W
trigger:
  - {type: git-push, event: [push, pull_request], name: git}
  - {type: event, event: user.signup, name: signup, inputs: {branch: "${{ event.user }}"}}
outputs:
  said: {value: "${{ inputs.branch }} ${{ coalesce(github.event_name, 'none') }}"}
steps:
  - {id: say, run: "true"}
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Make the current folder a git tree with a workflow and one commit."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "w.yaml", WORKFLOW)
    git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run([*git, "init", "-q", "-b", "cart"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "Add a cart"], check=True)
    return tmp_path


def said(*words) -> str:
    ended = call("run", "w.yaml", "--format", "json", *words)
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["outputs"]["said"]


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("event", ["push", "pull_request"])
def test_local_git_tells_of_a_push_and_a_pull_request(event):
    assert said("--event", event) == f"cart {event}"


def test_a_recorded_delivery_is_an_event_for_the_trigger_that_takes_its_kind(tree):
    """A webhook with its headers, an event of the bus: no trigger has to be named."""
    recorded = Path(__file__).parents[1] / "events"
    assert said("--event", str(recorded / "github_push.json")) == "main push"
    assert said("--event", str(recorded / "github_pull_request.json")) == "cart pull_request"
    bus = json.loads((recorded / "eventbridge_published.json").read_text())
    bus["detail"]["payload"] = {"user": "dora"}
    write(tree / "bus.json", json.dumps(bus))
    assert said("--event", "bus.json") == "dora none"


@pytest.mark.parametrize("name", ["sign-up", "sign_up", "Sign-Up"])
def test_a_file_is_an_event_for_the_trigger_that_is_named(tree, name):
    """As everywhere `-` and `_` are alike."""
    write(tree / "w.yaml", WORKFLOW.replace("name: signup", "name: sign-up"))
    write(tree / "event.json", '{"user": "carol"}')
    assert said("--event", "event.json", "--trigger", name) == "carol none"


RELEASE = """
name: W
trigger:
  - {type: git-push, name: git}
  - {type: git-push, tags: 'v*', name: release}
outputs:
  said: {value: "${{ trigger.name }} ${{ coalesce(inputs.tag, inputs.branch) }} ${{ github.ref }}"}
steps:
  - {id: say, run: "true"}
"""


def test_local_git_tells_of_a_pushed_tag(tree):
    """Of two triggers, one for branches and one for tags, each takes its own."""
    write(tree / "w.yaml", RELEASE)
    ended = call("run", "w.yaml", "--event", "tag")
    assert ended.code == 2
    assert "the commit that is checked out has no tag; try `git tag v1`" in ended.err
    subprocess.run(["git", "tag", "v1"], check=True)
    assert said("--event", "tag") == "release v1 refs/tags/v1"
    assert said("--event", "push") == "git cart refs/heads/cart"


@pytest.mark.usefixtures("tree")
def test_a_tag_is_for_no_trigger_that_asks_for_none():
    subprocess.run(["git", "tag", "v1"], check=True)
    ended = call("run", "w.yaml", "--event", "tag")
    assert ended.code == 2
    assert "no trigger of the workflow takes 'tag'" in ended.err


@pytest.mark.usefixtures("tree")
def test_an_input_wins_over_what_an_event_gives():
    assert said("--event", "push", "--input", "branch=mine") == "mine push"


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--event", "psuh"], "write push, tag, pull_request or a file"),
        (["--event", "w.yaml"], "several triggers take 'w.yaml': say --trigger NAME (git, signup)"),
        (["--event", "push", "--trigger", "sigup"], "did you mean 'signup'?"),
        (["--trigger", "git"], "give --event too"),
    ],
)
def test_a_wrong_call_exits_2_and_says_what_to_write(words, told):
    ended = call("run", "w.yaml", *words)
    assert ended.code == 2
    assert told in ended.err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("github_tag", "'git' starts no run: the tag 'v1.2.0': the trigger asks for no `tags`"),
        ("github_branch_deleted", "the branch 'cart' was deleted"),
        ("github_ping", "GitHub's ping"),
        ("github_pull_request_from_fork", "the trigger does not say `forks: true`"),
        ("sqs_message", "no trigger of the workflow takes"),
        ("eventbridge_s3_object_created", "no trigger of the workflow takes"),
    ],
)
@pytest.mark.usefixtures("tree")
def test_an_event_that_starts_nothing_says_why(name, told):
    file = Path(__file__).parents[1] / "events" / f"{name}.json"
    ended = call("run", "w.yaml", "--event", str(file))
    assert ended.code == 2
    assert told in ended.err


def test_no_commit_is_no_push(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "w.yaml", WORKFLOW)
    ended = call("run", "w.yaml", "--event", "push")
    assert ended.code == 2
    assert "is in no git tree with a commit" in ended.err


NOTED = """
name: W
trigger: {trigger}
concurrency: {{group: "${{{{ {group} }}}}"}}
steps:
  - id: say
    run: "true"
    condition: {condition}
"""
GIT, TAGS = "{type: git-push}", "{type: git-push, tags: v*, event: [push, pull_request]}"
MANY = "[{type: git-push, branch: main, tags: v*, event: [push, pull_request]}, {type: http}]"


@pytest.mark.parametrize(
    ("trigger", "group", "condition", "noted"),
    [
        (GIT, "run.id", "github.ref == 'x'", "'github.ref' is empty: --event push"),
        (GIT, "github.ref", "github['sha'] == 'x'",
         "'github.ref', 'github.sha' are empty: --event push"),
        (TAGS, "run.id", "github.sha == 'x'",
         "'github.sha' is empty: --event tag or pull_request"),
        (MANY, "run.id", "github.sha == 'x'",
         "'github.sha' is empty: --event push, tag or pull_request"),
        (MANY, "github.workflow", "event.user == 'x'",
         "'event.user' is empty: --event push, tag, pull_request or FILE"),
        ("{type: http}", "event.a", "event.b.c == 'x'",
         "'event.a', 'event.b' are empty: --event FILE"),
        (GIT, "run.id", "inputs.branch == 'x'", ""),
        (GIT, "github.workflow", "true", ""),
        ("{type: http, condition: event.a}", "run.id", "true", ""),
    ],
)  # fmt: skip
def test_what_only_an_event_gives_is_noted_where_there_is_none(
    tmp_path, monkeypatch, trigger, group, condition, noted
):
    """A condition on it skips its step: nobody should look for a mistake in the condition."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "w.yaml", NOTED.format(trigger=trigger, group=group, condition=condition))

    ended = call("run", "w.yaml")

    note = noted.replace("empty: ", "empty without an event: ")
    assert ended.code == 0
    first = ended.err.split("\n", 1)[0]
    assert first == f"note: {note} gives one" if noted else not first.startswith("note")


def test_what_called_workflows_read_of_a_push_is_noted_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", "{}")
    write(
        tmp_path / "workflows/called.yaml",
        """
        name: Called
        trigger: {type: git-push, branch: dev}
        steps: [{id: say, run: "true", condition: github.actor == 'ann'}]
        """,
    )
    calls = "jobs: {call: {uses: ./workflows/called.yaml}}\n"
    write(tmp_path / "workflows/a.yaml", f"name: A\ntrigger: {{type: git-push}}\n{calls}")
    write(tmp_path / "workflows/b.yaml", f"name: B\n{calls}")

    told = "note: 'github.actor' is empty without an event: --event push gives one\n"
    assert told in call("run", "workflows/a.yaml").err
    assert "note" not in call("run", "workflows/b.yaml").err


@pytest.mark.usefixtures("tree")
def test_nothing_is_noted_of_a_run_with_an_event():
    assert "note: 'github.event_name'" in call("run", "w.yaml", "--input", "branch=x").err
    assert "note" not in call("run", "w.yaml", "--event", "push").err


def test_handlers_know_the_failed_step_without_an_event(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "w.yaml",
        """
        name: W
        trigger: {type: git-push}
        steps: [{id: say, run: "false"}]
        on_failure: {id: tell, run: "echo ${{ github.event.workflow.failed_step.name }}"}
        """,
    )
    assert "note" not in call("run", "w.yaml").err
    write(
        tmp_path / "w.yaml",
        """
        name: W
        trigger: {type: git-push}
        steps: [{id: wait, type: wait, event: a.b, match: event.user == 'x', timeout: 1s}]
        """,
    )
    assert "note" not in call("run", "w.yaml").err
