"""A run's source on AWS: fetched once, by git or from GitHub, and the same for every step."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import boto3
import pytest

from functions.adapters.fetching import Fetcher
from functions.adapters.github import GitHubArchives
from functions.adapters.repositories import GitRepositories
from functions.adapters.storage import S3Sources
from functions.domain.errors import NetworkError, ServiceUnavailable, Throttled, ValidationError
from functions.domain.masking import Masks
from functions.domain.source import Wanted, repository_of
from functions.usecases.wanting import wanted_by
from local.engine import REGION, Engine
from tests.functions.actions.kit import Reply, serving
from tests.functions.actions.test_build_artifact import git

BUCKET = "the-files"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
WANTED = Wanted("run-1", "github.com/org/app", "main", 20, lambda: None)


@pytest.fixture
def client():
    with Engine({}):
        client = boto3.client("s3", region_name=REGION)
        client.create_bucket(Bucket=BUCKET)
        yield client


@pytest.fixture
def origin(tmp_path):
    """A repository whose branch main says one."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "one")
    return folder


def commit(folder: Path, text: str) -> str:
    (folder / "text").write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", text)
    return git(folder, "rev-parse", "HEAD")


def archive(**texts: str) -> bytes:
    """Return an archive as GitHub gives it: all below a folder, and a link that leads out."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"org-app-0123456/src/{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("org-app-0123456/passwd")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return raw.getvalue()


def github(texts=None, *, answer=None):
    """GitHub: main is at COMMIT, whose archive lies elsewhere."""

    def reply(call):
        if answer is not None and call.path.startswith("/repos/"):
            return answer
        if call.path == "/repos/org/app/commits/main":
            return Reply(body=COMMIT)
        if call.path == f"/repos/org/app/tarball/{COMMIT}":
            port = call.headers["host"].rpartition(":")[2]
            return Reply(302, headers={"Location": f"http://localhost:{port}/codeload"})
        return Reply(body=archive(**(texts or {"a": "x"})))

    return serving(reply)


def without_git(url: str) -> Fetcher:
    return Fetcher(git=None, archives=GitHubArchives(url))


def with_git() -> Fetcher:
    return Fetcher(git="/usr/bin/git", repositories=GitRepositories("file"))


def laid(client, fetcher, folder: Path, wanted: Wanted | None = WANTED, run: str = "run-1") -> Path:
    """Return a fresh workspace with the run's source."""
    workspace = folder / f"workspace-{sum(1 for _ in folder.iterdir())}"
    workspace.mkdir()
    S3Sources(lambda: client, BUCKET, fetcher).lay(run, workspace, wanted)
    return workspace


def files(workspace: Path) -> dict[str, str]:
    found = (path for path in workspace.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(workspace).as_posix(): path.read_text() for path in found}


# --- without git: GitHub's archive ---------------------------------------------------------------


def test_a_branch_is_looked_up_once_and_its_archive_fetched_once(client, tmp_path):
    with github() as (url, calls):
        for _ in range(3):
            assert files(laid(client, without_git(url), tmp_path)) == {"src/a": "x"}
    assert [call.path for call in calls] == [
        "/repos/org/app/commits/main", f"/repos/org/app/tarball/{COMMIT}", "/codeload",
    ]  # fmt: skip
    assert "authorization" not in calls[0].headers
    kept = client.head_object(Bucket=BUCKET, Key="runs/run-1/source.tar.gz")
    assert kept["Metadata"] == {"commit": COMMIT, "files": "only"}


def test_a_commit_is_fetched_as_it_is_and_with_the_token(client, tmp_path):
    wanted = replace(WANTED, ref=COMMIT, token=lambda: "t0k3n")
    with github() as (url, calls):
        laid(client, without_git(url), tmp_path, wanted)
    assert calls[0].path == f"/repos/org/app/tarball/{COMMIT}"
    assert calls[0].headers["authorization"] == "Bearer t0k3n"
    assert "authorization" not in calls[1].headers  # where archives lie is another host


def test_who_is_second_takes_what_the_first_has_kept(client, tmp_path):
    class Late(Fetcher):
        """Another step is done while this one fetches."""

        def fetch(self, wanted, folder, commit=None):
            if not client.list_objects_v2(Bucket=BUCKET).get("Contents"):
                with github({"a": "first"}) as (url, _):
                    laid(client, without_git(url), tmp_path)
            return super().fetch(wanted, folder, commit)

    with github({"a": "second", "b": "second"}) as (url, _):
        late = Late(git=None, archives=GitHubArchives(url))
        assert files(laid(client, late, tmp_path)) == {"src/a": "first"}


def test_a_called_workflow_sees_the_files_of_its_caller(client, tmp_path):
    with github() as (url, calls):
        laid(client, without_git(url), tmp_path)
        asked = len(calls)
        assert files(laid(client, without_git(url), tmp_path, run="child-1")) == {"src/a": "x"}
    assert len(calls) == asked


def test_a_run_without_a_source_starts_with_nothing(client, tmp_path):
    assert files(laid(client, without_git("http://127.0.0.1:1"), tmp_path, None)) == {}


@pytest.mark.parametrize(
    ("reply", "error", "says"),
    [
        (Reply(404), ValidationError, "put a token .* into the secret 'github-token'"),
        (Reply(422), ValidationError, "no such repository, branch, tag or commit"),
        (Reply(401), ValidationError, "'github-token' is not valid"),
        (Reply(403), ValidationError, "it is forbidden"),
        (Reply(403, headers={"X-RateLimit-Remaining": "0"}), Throttled, "it allows far more"),
        (Reply(429), Throttled, "too many requests"),
        (Reply(503), ServiceUnavailable, "status_code=503"),
        (Reply(drop=True), NetworkError, "GitHub did not answer for the source org/app"),
    ],
)
def test_what_github_refuses_is_told_by_its_kind(client, tmp_path, reply, error, says):
    with github(answer=reply) as (url, _), pytest.raises(error, match=says):
        laid(client, without_git(url), tmp_path)
    assert not client.list_objects_v2(Bucket=BUCKET).get("Contents")


def test_a_fork_is_told_why_it_cannot_see_the_repository(client, tmp_path):
    wanted = replace(WANTED, is_withheld=True)
    with (
        github(answer=Reply(404)) as (url, _),
        pytest.raises(ValidationError, match="came from a fork and sees no secrets"),
    ):
        laid(client, without_git(url), tmp_path, wanted)


def test_other_hosts_need_git(client, tmp_path):
    wanted = replace(WANTED, repository="https://git.example.com/x/app")
    with pytest.raises(ValidationError, match="`runner: codebuild`"):
        laid(client, without_git("http://127.0.0.1:1"), tmp_path, wanted)


def test_a_broken_archive_is_a_fault_of_the_network(client, tmp_path):
    with (
        github(answer=Reply(body=b"not gzip")) as (url, _),
        pytest.raises(NetworkError, match="damaged"),
    ):
        laid(client, without_git(url), tmp_path, replace(WANTED, ref=COMMIT))


# --- with git: a clone ---------------------------------------------------------------------------


def test_with_git_it_is_a_clone_with_its_origin_that_stays_when_the_branch_moves(
    client, tmp_path, origin
):
    wanted = replace(WANTED, repository=f"file://{origin}")
    first = laid(client, with_git(), tmp_path, wanted)
    before = git(origin, "rev-parse", "HEAD")
    commit(origin, "two")
    second = laid(client, with_git(), tmp_path, wanted)
    for workspace in (first, second):
        assert files(workspace) == {"text": "one"}
        assert git(workspace, "rev-parse", "HEAD") == before
        assert git(workspace, "config", "remote.origin.url") == f"file://{origin}"
        assert git(workspace, "status", "--porcelain") == ""
    # A step without git has the same files.
    third = laid(client, without_git("http://127.0.0.1:1"), tmp_path, wanted)
    assert files(third) == {"text": "one"}


def test_with_git_behind_a_step_without_it_is_a_clone_of_the_same_commit(client, tmp_path, origin):
    before = git(origin, "rev-parse", "HEAD")
    client.put_object(
        Bucket=BUCKET, Key="runs/run-1/source.tar.gz", Body=archive(a="x"),
        Metadata={"commit": before, "files": "only"},
    )  # fmt: skip
    commit(origin, "two")
    found = laid(client, with_git(), tmp_path, replace(WANTED, repository=f"file://{origin}"))
    assert (files(found), git(found, "rev-parse", "HEAD")) == ({"text": "one"}, before)


def test_a_ref_that_is_not_there_and_one_that_git_would_take_for_an_option(
    client, tmp_path, origin
):
    wanted = replace(WANTED, repository=f"file://{origin}")
    with pytest.raises(ValidationError, match=r"at 'gone' could not be cloned"):
        laid(client, with_git(), tmp_path, replace(wanted, ref="gone"))
    with pytest.raises(ValidationError, match="is no branch, tag or commit"):
        laid(client, with_git(), tmp_path, replace(wanted, ref="--upload-pack=x"))


def test_git_shows_the_token_to_github_alone_and_writes_it_nowhere(tmp_path, monkeypatch):
    seen = []

    def run(arguments, **more):
        seen.append((arguments, more["env"]))
        return subprocess.CompletedProcess(arguments, 0, stdout=COMMIT, stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    fetcher = Fetcher(git="git")
    token = replace(WANTED, token=lambda: "t0k3n")
    fetcher.fetch(token, tmp_path)
    assert not any("t0k3n" in part for arguments, _ in seen for part in arguments)
    assert seen[-1][1]["GIT_CONFIG_KEY_0"] == "http.https://github.com/.extraheader"
    fetcher.fetch(replace(token, repository="https://git.example.com/x/app"), tmp_path)
    assert "GIT_CONFIG_KEY_0" not in seen[-1][1]


# --- what a call asks for ------------------------------------------------------------------------


class Secrets:
    def __init__(self, **values: str) -> None:
        self.values = {name.replace("_", "-"): value for name, value in values.items()}

    def get(self, name: str) -> str:
        return self.values[name]


def run_of(**more):
    source = {"repository": "org/app", "ref": "main", "run": "caller"}
    return {"id": "r", "source": source, **more}


def test_a_call_asks_for_its_run_s_source_with_the_stage_s_token():
    masks = Masks()
    wanted = wanted_by(run_of(), 60, Secrets(github_token="t0k3n-of-github\n"), masks)
    assert wanted is not None
    assert (wanted.run, wanted.repository, wanted.ref) == ("caller", "org/app", "main")
    assert wanted.token() == "t0k3n-of-github"
    assert "t0k3n" not in masks.text("Bearer t0k3n-of-github")
    none = wanted_by(run_of(), 60, Secrets(), Masks())
    assert none is not None
    assert none.token() is None


def test_a_fork_s_run_gets_no_token():
    secrets = Secrets(github_token="t0k3n")
    wanted = wanted_by(run_of(secrets="withheld"), 60, secrets, Masks())
    assert wanted is not None
    assert (wanted.token(), wanted.is_withheld) == (None, True)


def test_a_run_without_a_source_asks_for_none_and_an_empty_one_is_told():
    assert wanted_by(run_of(source=None), 60, Secrets(), Masks()) is None
    run = run_of(source={"repository": None, "ref": None, "run": "r"})
    wanted = wanted_by(run, 60, Secrets(), Masks())
    assert wanted is not None
    with pytest.raises(ValidationError, match=r"`source\.repository` is empty or null"):
        repository_of(wanted.repository)
