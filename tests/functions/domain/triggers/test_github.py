"""Webhooks of GitHub: which of them start a run, and what a fork's run may see."""

from __future__ import annotations

from copy import deepcopy

import pytest

from protocol.payloads import WITHHELD
from tests.functions.domain.triggers.taking import event, given, why

BOTH = "event: [push, pull_request]"


def changed(name: str, **fields):
    """Return a recorded webhook with other fields; None takes one away."""
    one = deepcopy(event(name))
    one["body"] |= fields
    one["body"] = {key: value for key, value in one["body"].items() if value is not None}
    return one


def starts(trigger: str, one) -> bool:
    """Return whether an event starts a run."""
    try:
        given(trigger, one)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("github_ping", "GitHub's ping: the webhook is set up"),
        ("github_tag", "the tag 'v1.2.0': tags start nothing"),
        ("github_branch_deleted", "the branch 'cart' was deleted"),
        ("github_pull_request_from_fork",
         "it comes from a fork, and the trigger does not say `forks: true`"),
    ],
)  # fmt: skip
def test_what_starts_nothing_says_why(name, reason):
    assert why(f"{{type: git-push, {BOTH}}}", name) == reason


def test_a_trigger_takes_the_events_it_asks_for():
    assert why("{type: git-push}", "github_pull_request") == (
        "the trigger does not ask for 'pull_request'"
    )
    assert why("{type: git-push, event: pull_request}", "github_push") == (
        "the trigger does not ask for 'push'"
    )


@pytest.mark.parametrize("kind", ["pull_request_review", "workflow_run", "push_protection"])
def test_other_events_of_github_start_nothing(kind):
    one = changed("github_pull_request")
    one["headers"]["X-GitHub-Event"] = kind
    assert why(f"{{type: git-push, {BOTH}}}", one) == f"the trigger does not ask for '{kind}'"


@pytest.mark.parametrize(
    ("action", "is_taken"),
    [("opened", True), ("synchronize", True), ("reopened", True), ("closed", False),
     ("labeled", False), ("edited", False), ("ready_for_review", False)],
)  # fmt: skip
def test_a_pull_request_starts_a_run_when_its_commits_change(action, is_taken):
    trigger = "{type: git-push, event: pull_request}"
    assert starts(trigger, changed("github_pull_request", action=action)) is is_taken


@pytest.mark.parametrize(
    ("repository", "is_taken"),
    [
        ("github.com/org/app", True),
        ("https://github.com/Org/App.git", True),
        ("git@github.com:org/app.git", True),
        ("org/app", True),
        ("github.com/org/other", False),
        ("github.com/other/app", False),
    ],
)
def test_a_trigger_takes_events_of_its_repository(repository, is_taken):
    trigger = f"{{type: git-push, repository: '{repository}'}}"
    assert starts(trigger, "github_push") is is_taken


@pytest.mark.parametrize(
    ("branches", "ref", "is_taken"),
    [
        ("main", "refs/heads/main", True),
        ("main", "refs/heads/mainline", False),
        ("[main, 'release/**']", "refs/heads/release/1/2", True),
        ("'feature/*'", "refs/heads/feature/a/b", False),
        ("['**', '!main']", "refs/heads/main", False),
        ("['**', '!main']", "refs/heads/cart", True),
        ("main", "refs/heads/feature/main", False),
    ],
)
def test_a_push_is_filtered_by_its_branch(branches, ref, is_taken):
    trigger = f"{{type: git-push, branch: {branches}}}"
    assert starts(trigger, changed("github_push", ref=ref)) is is_taken


def test_a_pull_request_is_filtered_by_the_branch_it_goes_to():
    assert starts("{type: git-push, event: pull_request, branch: main}", "github_pull_request")
    assert why("{type: git-push, event: pull_request, branch: cart}", "github_pull_request") == (
        "it goes to the branch 'main', none of those that the trigger asks for"
    )


@pytest.mark.parametrize(
    ("paths", "is_taken"),
    [
        ("['app/**']", True),  # added by the second commit
        ("['tests/**']", True),  # added by the first
        ("['docs/**']", False),
        ("['**', '!app/**', '!tests/**', '!**.md']", False),
        ("['**', '!app/**', '!tests/**']", True),  # README.md is left
        ("['*.md']", True),
    ],
)
def test_a_push_is_filtered_by_the_files_that_its_commits_touch(paths, is_taken):
    assert starts(f"{{type: git-push, paths: {paths}}}", "github_push") is is_taken


def test_a_push_that_does_not_tell_all_its_files_passes():
    trigger = "{type: git-push, paths: ['docs/**']}"
    assert starts(trigger, changed("github_push", commits=[], created=True))
    many = event("github_push")["body"]["commits"] * 1024
    assert starts(trigger, changed("github_push", commits=many))


def test_a_webhook_without_headers_is_told_by_what_it_holds():
    """So that a file may hold only the part that matters."""
    for name in ("github_push", "github_pull_request"):
        assert starts(f"{{type: git-push, {BOTH}}}", event(name)["body"])
    assert "ping" in why("{type: git-push}", event("github_ping")["body"])


# --- forks ---------------------------------------------------------------------------------------


def test_a_fork_s_run_sees_no_secrets():
    trigger = "{type: git-push, event: pull_request, forks: true}"
    assert given(trigger, "github_pull_request_from_fork")["run"]["secrets"] == WITHHELD
    assert "secrets" not in given(trigger, "github_pull_request")["run"]


def test_a_fork_that_is_gone_is_still_a_fork():
    one = event("github_pull_request_from_fork")
    one["body"]["pull_request"]["head"]["repo"] = None
    assert "fork" in why("{type: git-push, event: pull_request}", one)
    trigger = "{type: git-push, event: pull_request, forks: true}"
    assert given(trigger, one)["run"]["secrets"] == WITHHELD


def test_a_repository_that_is_a_fork_itself_may_have_pull_requests_of_its_own():
    one = event("github_pull_request")
    one["body"]["pull_request"]["head"]["repo"]["fork"] = True
    assert "secrets" not in given("{type: git-push, event: pull_request}", one)["run"]
