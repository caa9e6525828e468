"""Manual steps and durations that contradict themselves."""

from __future__ import annotations

import pytest
import yaml

from compiler.check import StageSettings
from compiler.check.retries import pauses
from compiler.spec.model import Retry
from functions.domain.people import Directory
from tests.compiler.check.checked import checked

ZONE = "or another zone, such as +01:00, for the Z"
REVIEW = "name: A\nsteps:\n  - id: review\n    type: manual\n    title: Look\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("assignees: []", [("no-assignees", "assignees")]),
        ("assignees: [ann]", [("wrong-assignees", "ann")]),
        ("assignees: [Ann <ann@example.com>]", [("wrong-assignees", "Ann <ann@example.com>")]),
        (
            "assignees: ['ann@example.com,bob@example.com']",
            [("wrong-assignees", "'ann@example.com,bob@example.com'")],
        ),
        ("assignees: '${{ run.attempt }}'", [("wrong-assignees", "'${{ run.attempt }}'")]),
        ("assignees: '${{ run.started_by }}'", []),
        ("assignees: ['group:relase']", [("unknown-group", "'group:relase'")]),
        ("assignees: ['group:release']\n    quorum: 2", []),
        ("assignees: ['group:release']\n    quorum: 3", [("quorum-too-large", "3")]),
        (
            "assignees: [ann@example.com, ANN@example.com, 'group:release']\n    quorum: 3",
            [("quorum-too-large", "3")],
        ),
        ("assignees: [a@b.c, '${{ run.started_by }}']\n    quorum: 5", []),
        ("due_in: 72h", []),
        ("due_in: 73h", [("due-after-timeout", "73h")]),
        ("timeout: 24h\n    due_in: 25h", [("due-after-timeout", "25h")]),
        ("escalations: [{after: 72h}]", []),
        ("escalations: [{after: 73h}]", [("escalation-after-timeout", "73h")]),
        ("escalations: [{after: 1h, notify: ann}]", [("wrong-assignees", "ann")]),
        ("escalations: [{after: 1h, notify: 'group:x'}]", [("unknown-group", "'group:x'")]),
        ("title: ${{ secrets.T }}", [("duplicate-key", "title")]),
        ("description: ${{ secrets.T }}", [("secret-not-here", "secrets.T")]),
    ],
)
def test_who_decides_and_by_when(lines: str, expected: list[tuple[str, str]]):
    """An escalation at the very timeout is allowed, a later one is not."""
    assert checked(f"{REVIEW}    {lines}\n").found == expected


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        ("ann@example.com", []),
        ("ann", ["wrong-assignees"]),
        ("group:release", []),
        ("group:x", ["unknown-group"]),
    ],
)
@pytest.mark.parametrize("form", ["${{ env.WHO }}", "[${{ env.WHO }}, a@b.c]"])
@pytest.mark.parametrize("key", ["assignees: %s", "escalations: [{after: 1h, notify: %s}]"])
def test_people_who_are_known_now_are_looked_at_as_if_written(
    key: str, form: str, people: str, expected: list[str]
):
    """Behind a variable of the environment, too."""
    lines = key % form.replace("${{ env.WHO }}", "'${{ env.WHO }}'")
    found = checked(f"env: {{WHO: '{people}'}}\n{REVIEW}    {lines}\n")
    assert found.codes == expected


@pytest.mark.parametrize(
    ("until", "advice"),
    [
        ("2030-01-31T12:00:00Z", None),
        ("2030-01-31T12:00:00.5+01:00", None),
        ("${{ inputs.at }}", None),
        ("${{ env.AT }}", None),
        ("${{ inputs.day }}T06:00:00Z", None),
        ("tomorrow", "write date, time and zone, such as 2030-01-31T12:00:00Z"),
        ("2030-02-31T12:00:00Z", "write date, time and zone, such as 2030-01-31T12:00:00Z"),
        ("2030-01-31", f"write 2030-01-31T00:00:00Z, {ZONE}"),
        ("2030-01-31T12:00", f"write 2030-01-31T12:00:00Z, {ZONE}"),
        ("inputs.at", "write ${{ inputs.at }}"),
    ],
)  # fmt: skip
def test_a_wait_until_what_is_no_time_is_told_before_the_run(until: str, advice: str | None):
    found = checked(
        f"""
        name: A
        env: {{AT: "2030-01-31T12:00:00Z"}}
        inputs: {{at: string, day: string}}
        steps:
          - {{id: it, type: wait, until: "{until}"}}
          - {{id: use, run: "echo ${{{{ inputs.at }}}} ${{{{ inputs.day }}}}"}}
        """
    )
    assert found.codes == ([] if advice is None else ["wrong-wait"])
    assert found.helps == ([] if advice is None else [advice])


def test_without_approvers_somebody_has_to_be_named():
    """The help says where."""
    found = checked(REVIEW, stage=StageSettings(name="prod"))
    assert found.found == [("no-assignees", "review")]
    assert "'prod' in stepsmith.yaml" in str(found.helps[0])


ONE = StageSettings(
    groups={"all": ("ann@example.com", "ANN@example.com")},
    identities={"a.smith@example.com": "ann@example.com"},
)


@pytest.mark.parametrize(
    ("assignees", "people"),
    [
        ("[ann@example.com, ann@example.com]", 1),
        ("[ann@example.com, Ann@Example.com]", 1),
        ("[ann@example.com, ' ann@example.com']", 1),
        ("[ann@example.com, ann+work@example.com]", 1),
        ("[ann@example.com, a.smith@example.com]", 1),
        ("[ann@example.com, ａnn@example.com]", 1),
        ("['group:all']", 1),
        ("['group:all', Ann@example.com]", 1),
        ("[ann@example.com, anne@example.com]", 2),
        ("[ann@strasse.example, ann@straße.example]", 2),
    ],
)
def test_a_quorum_counts_people_as_the_run_does(assignees: str, people: int):
    """Spellings and accounts of one person are one: else a run would fail that compiled."""
    step = f"{{id: s, type: manual, title: A, quorum: 2, assignees: {assignees}}}"
    found = checked(f"name: A\nsteps: [{step}]\n", stage=ONE)
    assert found.codes == (["quorum-too-large"] if people < 2 else [])
    directory = Directory(ONE.groups, ONE.identities)
    assert len(directory.resolve(yaml.safe_load(assignees))) == people


PAUSES = {
    "a script": "{id: s, run: echo, on_error: pause}",
    "in a loop": "{id: s, run: echo, for_each: [1, 2], on_error: pause}",
    "in a block": "{id: p, type: parallel, steps: [{id: s, run: echo, on_error: pause}]}",
    "a wait for an event": "{id: s, type: wait, event: a.b, timeout: 1h, on_error: pause}",
}


@pytest.mark.parametrize("step", PAUSES.values(), ids=PAUSES)
def test_a_pause_where_nobody_can_be_asked_is_warned_of(step: str):
    text = f"name: A\nsteps: [{step}]\n"
    found = checked(text, stage=StageSettings(name="prod"))
    assert found.found == [("pause-asks-nobody", "pause")]
    assert "`approvers: [person@example.com]` for the stage 'prod'" in str(found.helps[0])
    assert found.program is not None, "it is a warning"
    assert checked(text).found == []
    other = checked(text.replace("pause", "continue"), stage=StageSettings(name="prod"))
    assert other.found == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("timeout: 15m", []),
        ("timeout: 16m", [("longer-than-lambda", "16m")]),
        ("timeout: 16m\n    callback: true", []),
        ("retry: {max_attempts: 3, delay: 10m}", []),
        ("retry: {max_attempts: 8, delay: 10m}", [("retry-beyond-deadline", "retry")]),
        ("timeout: 15m\n    retry: {max_attempts: 5}", [("retry-beyond-deadline", "retry")]),
        (
            "retry: {max_attempts: 2, backoff: {base_delay: 10s, max_delay: 5s}}",
            [("max-delay-too-short", "5s")],
        ),
        ("retry: {conditions: [{error_type: BuildError}]}", []),
        ("retry: {conditions: [{error_type: TestsError}]}", [("unknown-error-type", "TestsError")]),
        (
            "retry: {conditions: [{error_type: OutputMissing}]}",
            [("error-never-retried", "OutputMissing")],
        ),
        (
            "retry: {conditions: [{error_type: DeadlinePassed}]}",
            [("error-never-retried", "DeadlinePassed")],
        ),
    ],
)
def test_times_of_an_action_in_a_run_of_an_hour(lines: str, expected: list[tuple[str, str]]):
    """Lambda's fifteen minutes, and what the attempts may take in all."""
    text = "name: A\ntimeout: 1h\nsteps:\n  - id: it\n    action: build-artifact\n"
    found = checked(f"{text}    inputs: {{source: a}}\n    {lines}\n")
    assert [pair for pair in found.found if pair[0] != "timeout-beyond-deadline"] == expected


def test_defaults_may_name_the_errors_of_any_action():
    """They hold for steps that never end so, too."""
    found = checked(
        """
        name: A
        defaults:
          retry: {count: 1, conditions: [{error_type: BuildError}, {error_type: BuldError}]}
        steps:
          - {id: a, run: echo}
          - {id: b, run: echo}
        """
    )
    assert {code for code, _ in found.found} == {"unknown-error-type"}
    assert {place for _, place in found.found} == {"BuldError"}


@pytest.mark.parametrize(
    ("attempts", "rate", "cap", "expected"),
    [
        (1, 2.0, None, 0),
        (4, 2.0, None, 10 + 20 + 40),
        (4, 2.0, 15, 10 + 15 + 15),
        (5, 1.0, None, 4 * 10),
        (100_001, 1.0, None, 1_000_000),
        (100_001, 2.0, 10, 1_000_000),
    ],
)
def test_the_longest_time_between_attempts(
    attempts: int, rate: float, cap: int | None, expected: int
):
    """Counted out for a few attempts, and known at once for very many."""
    retry = Retry(path=(), max_attempts=attempts, base_delay=10, rate=rate, max_delay=cap)
    assert pauses(retry) == expected


def test_pauses_without_end_are_only_very_long():
    """No overflow, no endless counting."""
    retry = Retry(path=(), max_attempts=10**9, base_delay=1, rate=2.0)
    assert pauses(retry) > 10**10
