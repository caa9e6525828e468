"""Webhooks of GitHub: which of them start a run, and what a fork's run may see."""

from __future__ import annotations

from copy import deepcopy

import pytest

from functions.domain.triggers.recorded import recorded
from functions.domain.triggers.taking import Taken, take
from protocol.payloads import WITHHELD
from tests.functions.domain.triggers.taking import NOW, event, given, why, workflow

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
        ("github_tag", "the tag 'v1.2.0': the trigger asks for no `tags`"),
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


# --- tags ----------------------------------------------------------------------------------------

TAGS = "{type: git-push, tags: 'v*'}"


@pytest.mark.parametrize(
    ("filters", "takes_branch", "takes_tag"),
    [
        ("", True, False),  # unlike in GitHub's workflows, where no filter lets tags through
        ("branch: '**'", True, False),
        ("tags: 'v*'", False, True),
        ("branch: main, tags: 'v*'", True, True),
        ("branch: cart, tags: 'v*'", False, True),
        ("branch: main, tags: 'w*'", True, False),
        ("event: [push, pull_request], tags: 'v*'", False, True),
        ("paths: ['docs/**'], branch: main, tags: 'v*'", False, True),  # tags change no files
    ],
)
def test_branches_and_tags_start_what_asks_for_them(filters, takes_branch, takes_tag):
    trigger = f"{{type: git-push, {filters}}}"
    assert starts(trigger, "github_push") is takes_branch
    assert starts(trigger, "github_tag") is takes_tag
    assert starts(trigger, "github_tag_annotated") is takes_tag


@pytest.mark.parametrize(
    ("tags", "tag", "is_taken"),
    [
        ("v*", "v1.2.0", True),
        ("v*", "pre/v1", False),
        ("['**', '!*-rc*']", "v1-rc1", False),
        ("['**', '!*-rc*']", "v1", True),
        ("'!*-rc*'", "v1", True),
        ("'v[0-9]+.[0-9]+'", "v10.2", True),
        ("'v[0-9]+.[0-9]+'", "v10", False),
    ],
)
def test_a_tag_is_filtered_by_its_name(tags, tag, is_taken):
    trigger = f"{{type: git-push, tags: {tags}}}"
    assert starts(trigger, changed("github_tag", ref=f"refs/tags/{tag}")) is is_taken


def test_a_tag_or_branch_that_is_not_asked_for_says_so():
    assert why("{type: git-push, tags: w*}", "github_tag") == (
        "the tag 'v1.2.0' is none of those that the trigger asks for"
    )
    assert why(TAGS, "github_push") == (
        "it is a push to the branch 'main', and the trigger asks for tags alone"
    )


def test_a_pull_request_is_no_matter_of_tags():
    trigger = "{type: git-push, event: [push, pull_request], tags: 'v*'}"
    assert starts(trigger, "github_pull_request")
    assert "goes to the branch 'main'" in why(
        "{type: git-push, event: [push, pull_request], tags: 'v*', branch: x}",
        "github_pull_request",
    )


def test_a_tag_that_was_deleted_starts_nothing():
    gone = changed("github_tag", deleted=True, after="0" * 40, head_commit=None)
    assert why(TAGS, gone) == "the tag 'v1.2.0' was deleted"


def test_a_tag_that_was_moved_starts_a_run():
    moved = changed("github_tag", created=False, forced=True, before="1" * 40)
    assert starts(TAGS, moved)


def test_a_new_tag_is_told_twice_by_github_and_taken_once():
    """GitHub posts `create` beside `push`, if the webhook asks for both."""
    one = changed("github_tag", ref="v1.2.0", ref_type="tag", after=None, head_commit=None)
    one["headers"]["X-GitHub-Event"] = "create"
    assert why(TAGS, one) == "the trigger does not ask for 'create'"


COMMIT = "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"


@pytest.mark.parametrize(("name", "tag"), [("github_tag", "v1.2.0"),
                                           ("github_tag_annotated", "v2.0.0")])  # fmt: skip
def test_a_tag_gives_its_name_and_the_commit_it_is_at(name, tag):
    """`after` of an annotated tag is the tag's own object, which holds no files."""
    made = given(TAGS, name, "concurrency: {group: '${{ github.ref }}'}")
    assert made["inputs"] == {
        "commit": COMMIT,
        "author": "bob@example.com",
        "message": "feat: add user profile",
        "branch": None,
        "tag": tag,
        "repository": "github.com/org/app",
    }
    assert made["run"]["source"] == {"repository": "org/app", "ref": COMMIT}
    github = made["github"]
    assert (github["ref"], github["ref_name"], github["ref_type"], github["sha"]) == (
        f"refs/tags/{tag}", tag, "tag", COMMIT,
    )  # fmt: skip


def test_a_manifest_of_before_tags_takes_branches_alone():
    """Versions stay while their runs wait: they were made when triggers had no tags."""
    old = deepcopy(workflow("{type: git-push}"))
    del old["triggers"][0]["settings"]["tags"]
    for name, is_taken in (("github_push", True), ("github_tag", False)):
        came = recorded(old["triggers"][0], event(name), NOW)
        assert isinstance(take(old, old["triggers"][0], came), Taken) is is_taken


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
