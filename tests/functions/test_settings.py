"""Settings come from the environment, and whatever is missing is told at once."""

from __future__ import annotations

import pytest

from functions.settings import (
    ApiSettings,
    EventSettings,
    RecordSettings,
    SettingsMissingError,
    TaskSettings,
)

EVENTS = {
    "STEPSMITH_EVENTS_TABLE": "events",
    "STEPSMITH_BUCKET": "files",
    "STEPSMITH_QUEUE": "queue",
    "STEPSMITH_MACHINES": "arn:aws:states:eu-central-1:123456789012:stateMachine:stage-",
    "STEPSMITH_RUNS_TABLE": "runs",
}
RECORDS = {
    "STEPSMITH_TASKS_TABLE": "tasks",
    "STEPSMITH_RUNS_TABLE": "runs",
    "STEPSMITH_RESULTS_TABLE": "results",
    "STEPSMITH_BUCKET": "files",
}


def test_each_field_is_read_from_its_variable_and_the_rest_is_as_declared():
    read = EventSettings.read({**EVENTS, "STEPSMITH_DEAD_LETTERS": "d", "HOME": "/"})

    assert (read.events_table, read.queue, read.dead_letters) == ("events", "queue", "d")
    assert (read.alias, read.region) == ("", None)


def test_what_is_not_text_is_taken_apart():
    read = RecordSettings.read(
        {**RECORDS, "STEPSMITH_LOGS": "a,b", "STEPSMITH_RETENTION_DAYS": "30"}
    )

    assert (read.logs, read.days, read.tasks.tasks_table) == (("a", "b"), 30, "tasks")


def test_a_login_is_json():
    read = ApiSettings.read({**EVENTS, **RECORDS, "STEPSMITH_LOGIN": '{"type": "oidc"}'})

    assert read.login == {"type": "oidc"}
    assert read.events.events_table == "events"


@pytest.mark.parametrize(
    ("kind", "given", "names"),
    [
        (TaskSettings, {}, ["STEPSMITH_TASKS_TABLE"]),
        (EventSettings, {}, list(EVENTS)),
        (RecordSettings, {}, list(RECORDS)),
        (ApiSettings, {}, [*EVENTS, *RECORDS]),
        (ApiSettings, EVENTS, [name for name in RECORDS if name not in EVENTS]),
    ],
)
def test_all_that_is_missing_is_told_once(kind, given, names):
    with pytest.raises(SettingsMissingError) as caught:
        kind.read(given)

    assert sorted(caught.value.names) == sorted(set(names))
    assert all(name in str(caught.value) for name in names)
