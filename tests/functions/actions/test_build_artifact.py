"""Building: a command in the source, and the file that came of it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from functions.actions.build_artifact import BuildError, action
from functions.adapters.repositories import GitRepositories, SameRepository
from functions.domain import errors
from functions.domain.services import Services
from tests.functions.actions.kit import context


def build(folder, repositories=None, literals=None, seconds=60, **inputs):
    services = Services(repositories=lambda: repositories or SameRepository())
    here = context(folder, seconds=seconds, literals=literals or {})
    return action(services).call(inputs, here)


def git(folder, *arguments):
    settings = ("-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *settings, *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository whose main says one and whose branch `next` says two."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for branch, text in (("main", "one"), ("next", "two")):
        git(folder, "checkout", "-q", "-B", branch)
        (folder / "text").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", text)
    return folder


COPY = "mkdir -p dist && cp text dist/"


def test_the_one_file_in_dist_is_the_artifact_and_the_commit_its_revision(tmp_path, repository):
    given = build(
        tmp_path, GitRepositories("file"), source=str(repository), branch="main", command=COPY
    )
    revision = git(repository, "rev-parse", "main")
    assert given == {"artifact": "dist/text", "revision": revision}
    assert (tmp_path / "workspace/dist/text").read_text() == "one"


def test_without_git_the_revision_is_the_digest_of_what_was_built(
    tmp_path, repository, monkeypatch
):
    """A function of Lambda has none; the clone may be one that a build has left."""
    git(tmp_path, "clone", "-q", str(repository), "workspace")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "mkdir", "cp"):
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(programs))

    given = build(tmp_path, command=COPY)

    assert given["artifact"] == "dist/text"
    assert len(given["revision"]) == 40


def test_a_branch_of_the_source_itself_may_be_built(tmp_path, repository):
    git(tmp_path, "clone", "-q", str(repository), "workspace")
    build(tmp_path, GitRepositories("file"), branch="next", command=COPY)
    assert (tmp_path / "workspace/dist/text").read_text() == "two"


def test_options_are_variables_of_the_command(tmp_path):
    (tmp_path / "workspace").mkdir()
    command = 'mkdir dist; echo "$OPTIMIZE $INCLUDE_TESTS $LEVEL" > dist/a'
    options = {"optimize": True, "include-tests": "a b", "level": None}
    first = build(tmp_path, command=command, options=options)
    assert (tmp_path / "workspace/dist/a").read_text() == "true a b \n"
    assert len(first["revision"]) == 40  # of the file, where there is no commit


def test_a_literal_output_names_the_artifact(tmp_path):
    given = build(tmp_path, command="touch a b", literals={"artifact": "b"})
    assert given["artifact"] == "b"


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"command": "true", "artifact": "out"}, "artifact not found at out: 'true' did not make"),
        ({"command": "true"}, "left nothing in 'dist'"),
        ({"command": "mkdir dist; touch dist/a dist/b"}, r"left 2 files in 'dist' \(a, b\)"),
    ],
)
def test_a_file_that_is_not_there_fails_the_step(tmp_path, inputs, said):
    with pytest.raises(errors.ArtifactNotFound, match=said):
        build(tmp_path, **inputs)


def test_a_build_that_fails_tells_its_exit_code_and_last_words(tmp_path):
    with pytest.raises(BuildError, match=r"^no compiler\n.*status_code=3") as raised:
        build(tmp_path, command="echo no compiler >&2; exit 3")
    assert raised.value.status_code == 3


def test_a_build_is_stopped_at_its_timeout(tmp_path):
    with pytest.raises(errors.StepTimedOut, match=r"was stopped after 0\.2 seconds"):
        build(tmp_path, command="sleep 60", seconds=0.2)


@pytest.mark.parametrize(
    "inputs",
    [
        {"source": "--upload-pack=touch x"},
        {"source": "ext::touch x"},
        {"branch": "--force"},
        {"branch": "a..b"},
        {"artifact": "../outside", "command": "true"},
        {"options": {"1": "x"}},
        {"options": {"a-b": 1, "a_b": 2}},
    ],
)
def test_what_would_be_an_option_of_git_or_lies_outside_is_refused(tmp_path, inputs):
    with pytest.raises(errors.ValidationError):
        build(tmp_path, GitRepositories(), **inputs)
    assert not list(tmp_path.rglob("x"))


def test_a_branch_that_is_not_there_is_no_fault_of_the_network(tmp_path, repository):
    with pytest.raises(errors.ValidationError, match="nowhere"):
        build(tmp_path, GitRepositories("file"), source=str(repository), branch="nowhere")
