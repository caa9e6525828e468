"""`stepsmith prune`: what it says, whom it asks, and what it tells of what went wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from cli.main import main
from cli.prune import account as prune_account
from cli.prune.plan import version
from tests.cli.calling import Ended, call, write
from tests.cli.prune_town import Town, function, machine

GOLDEN = Path(__file__).parents[1] / "golden" / "cli" / "prune.txt"


@pytest.fixture
def town(tmp_path, monkeypatch):
    """A stage `prod` whose runs are on several versions."""
    write(tmp_path / "stepsmith.yaml", "stages: {prod: {region: eu-central-1}}\n")
    monkeypatch.chdir(tmp_path)
    town = Town()
    run, notify = function("action-run"), function("action-notify")
    town.function("action-notify", 2, left=True)
    town.function("action-run", 9)
    town.machine("build_app", *([version(run, n)] for n in range(1, 10)))
    town.machine("old", [version(notify, 1)], left=True)
    child = machine("build_app")
    town.machine(
        "release",
        *([version(child, n), version(run, n)] for n in (1, 2, 3, 4, 5, 9)),
        **{"release-4f2a": "2", "release-77b1": "2", "release-9c03": "4"},
    )
    monkeypatch.setattr(prune_account, "account_of", lambda *_: town)
    return town


class Terminal(io.StringIO):
    """Standard input where somebody sits; `then` is what happens while they think."""

    then = staticmethod(lambda: None)

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        self.then()
        return super().readline(size)


def at_terminal(*words: str, says: str, then=lambda: None) -> Ended:
    out, err, stdin = io.StringIO(), io.StringIO(), Terminal(says)
    stdin.then = then
    return Ended(main([*words], out, err, stdin, {}), out.getvalue(), err.getvalue())


WORDS = ("prune", "--on", "prod", "--newest", "2")


@pytest.mark.usefixtures("town")
def test_it_says_what_goes_and_why_the_rest_stays(update_golden):
    ended = call(*WORDS, "--dry-run")

    if update_golden:
        GOLDEN.write_text(ended.out, encoding="utf-8")
    assert ended == Ended(0, GOLDEN.read_text(encoding="utf-8"), "")


def test_a_dry_run_deletes_nothing(town):
    call(*WORDS, "--dry-run")
    call(*WORDS, "--dry-run", "--left", "--format", "json")

    assert town.deleted == []


def test_somebody_at_a_terminal_is_asked(town):
    no = at_terminal(*WORDS, says="\n")

    assert (no.code, town.deleted) == (0, [])
    question = "delete 6 versions of machines and 4 versions of functions? [y/N] "
    assert no.err == f"{question}nothing was deleted\n"

    yes = at_terminal(*WORDS, says="y\n")

    assert yes.code == 0
    assert yes.out.endswith("deleted 6 versions of machines and 4 versions of functions\n")
    assert len(town.deleted) == 10


def test_what_has_become_needed_while_somebody_thought_stays(town):
    """A run that was started on an old version by hand between the question and the answer."""
    arn = machine("release")

    def started():
        town.machine(
            "release",
            *([version(machine("build_app"), n)] for n in (1, 2, 3, 4, 5, 9)),
            meanwhile="1",
        )

    ended = at_terminal(*WORDS, says="yes\n", then=started)

    assert ended.code == 0
    assert version(arn, 1) not in town.deleted
    assert version(machine("build_app"), 1) not in town.deleted
    assert version(arn, 3) in town.deleted
    assert version(arn, 2) not in town.deleted  # nobody was told that it goes


def test_without_a_terminal_somebody_has_to_have_said_yes(town):
    refused = call(*WORDS)

    assert refused.code == 2
    assert "--yes" in refused.err
    assert "--dry-run" in refused.err
    assert (refused.out, town.deleted) == ("", [])

    assert call(*WORDS, "--yes").code == 0
    assert town.deleted


def test_callers_are_deleted_before_what_they_call(town):
    call("prune", "--on", "prod", "--newest", "0", "--left", "--yes")

    at = {arn: place for place, arn in enumerate(town.deleted)}
    assert at[version(machine("release"), 1)] < at[version(machine("build_app"), 1)]
    assert at[version(machine("build_app"), 1)] < at[version(function("action-run"), 1)]


def test_what_was_not_deleted_is_told_and_keeps_what_it_needs(town):
    town.refused = {version(machine("release"), 1): "TooManyRequests"}

    ended = call(*WORDS, "--yes")

    assert ended.code == 1
    assert ended.err == "not deleted: version 1 of machine release: TooManyRequests\n"
    assert version(machine("build_app"), 1) not in town.deleted
    assert version(function("action-run"), 1) not in town.deleted
    assert version(machine("release"), 3) in town.deleted


def test_programs_read_what_stays_what_went_and_what_did_not(town):
    town.refused = {version(machine("release"), 1): "no"}

    told = json.loads(call(*WORDS, "--yes", "--format", "json").out)

    assert told["place"] == "stage 'prod' in eu-central-1 of 123456789012"
    assert {"arn": version(machine("release"), 6), "why": "'live' means it"} in told["kept"]
    assert told["deleted"] == town.deleted
    assert told["not_deleted"] == [{"arn": version(machine("release"), 1), "why": "no"}]


def test_nothing_to_do_is_no_mistake(tmp_path, monkeypatch):
    write(tmp_path / "stepsmith.yaml", "stages: {prod: {region: eu-central-1}}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(prune_account, "account_of", lambda *_: Town())

    ended = call(*WORDS, "--yes")

    assert ended.code == 0
    assert ended.out.endswith("nothing to be deleted\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--on", "prod", "--newest", "-1", "--yes"), "write a number from 0 on"),
        (("--on", "prod", "--yes", "--dry-run"), "not allowed with"),
        (("--yes",), "--on"),
        (("--on", "pord", "--yes"), "there is no stage 'pord'"),
    ],
)
def test_a_call_that_is_wrong_says_so(words, told, tmp_path, monkeypatch):
    write(tmp_path / "stepsmith.yaml", "stages: {prod: {region: eu-central-1}}\n")
    monkeypatch.chdir(tmp_path)

    ended = call("prune", *words)

    assert ended.code == 2
    assert told in ended.err
