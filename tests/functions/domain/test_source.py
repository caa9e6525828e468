"""How a repository may be written, and whose files a run works on."""

from __future__ import annotations

from typing import Any

import pytest

from functions.domain.errors import ValidationError
from functions.domain.source import Repository, repository_of, source_of
from functions.usecases.start_run import start_of


@pytest.mark.parametrize(
    "written",
    [
        "git@github.com:org/app.git",
        "git@github.com:org/app",
        "ssh://git@github.com/org/app.git",
        "https://github.com/org/app.git",
        "https://github.com/org/app",
        "https://github.com/org/app/",
        "https://someone@www.GitHub.com/org/app",
        "github.com/org/app",
        " github.com/org/app.git ",
        "org/app",
    ],
)
def test_all_spellings_of_a_repository_of_github_are_one(written):
    found = repository_of(written)
    assert found == Repository("github.com", "org/app", "https://github.com/org/app.git")
    assert found.is_on_github


@pytest.mark.parametrize(
    ("written", "host", "address"),
    [
        ("gitlab.com/group/sub/app", "gitlab.com", "https://gitlab.com/group/sub/app"),
        ("https://git.example.com/x/app.git", "git.example.com", None),
        ("git@git.example.com:x/app.git", "git.example.com", None),
        ("https://github.com.evil.example/org/app", "github.com.evil.example", None),
    ],
)
def test_others_keep_the_address_that_git_is_given(written, host, address):
    found = repository_of(written)
    assert (found.host, found.address) == (host, address or written)
    assert not found.is_on_github


@pytest.mark.parametrize(
    "written",
    [
        "app",
        "github.com/org",
        "org/app/more",
        "--upload-pack=x/y",
        "github.com/../app",
        "o/a b",
    ],
)
def test_what_is_no_repository_is_told(written):
    with pytest.raises(ValidationError, match=r"write it as github\.com/org/app"):
        repository_of(written)


def test_an_empty_one_names_the_key_it_came_from():
    with pytest.raises(ValidationError, match=r"`source\.repository` is empty or null"):
        repository_of(" ")


def manifest(*triggers: str, **more: Any) -> Any:
    listed = [
        {"type": "git-push", "settings": {} if one == "any" else {"repository": one}}
        for one in triggers
    ]
    return {"triggers": listed, "vars": {"branch": "next"}, "digest": "d", **more}


OWN = {"repository": "org/own", "ref": ["ref", "vars", "branch"]}
WEBHOOK = {"repository": "org/app", "ref": "c" * 40}


def test_a_webhook_s_commit_is_the_default_and_the_workflow_s_own_source_wins():
    assert source_of(manifest("any"), "r", {}, WEBHOOK) == {"run": "r", **WEBHOOK}
    own = source_of(manifest("any", checkout=OWN), "r", {"inputs": {}}, WEBHOOK)
    assert own == {"run": "r", "repository": "org/own", "ref": "next"}


def test_an_own_source_reads_what_the_run_is_given():
    read = {"repository": ["ref", "inputs", "repo"], "ref": ["ref", "github", "sha"]}
    given: Any = {"inputs": {"repo": "org/x"}, "github": {"sha": "abc"}}
    found = source_of(manifest(checkout=read), "r", given)
    assert found == {"run": "r", "repository": "org/x", "ref": "abc"}
    assert source_of(manifest(checkout=read), "r", {}) == {
        "run": "r", "repository": "", "ref": None,
    }  # fmt: skip


def test_by_hand_it_is_the_repository_of_the_trigger_where_the_inputs_say():
    for inputs, ref in (
        ({"commit": "c", "branch": "b"}, "c"),
        ({"branch": "b"}, "b"),
        ({"tag": "v1", "branch": None}, "v1"),
        ({}, None),
    ):
        given: Any = {"inputs": inputs}
        found = source_of(manifest("github.com/org/app"), "r", given)
        assert found == {"run": "r", "repository": "github.com/org/app", "ref": ref}
    assert source_of(manifest("any"), "r", {}) is None
    assert source_of(manifest("a/b", "c/d"), "r", {}) is None
    assert source_of(manifest(), "r", {}) is None


def test_the_input_of_an_execution_says_it():
    given: Any = {"inputs": {}, "run": {"started_by": None, "source": WEBHOOK}}
    text = start_of(manifest("any"), "run-1", given).text
    assert f'"source":{{"ref":"{"c" * 40}","repository":"org/app","run":"run-1"}}' in text
    assert '"source"' not in start_of(manifest(), "r", {"inputs": {}, "run": {}}).text
