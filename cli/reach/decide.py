"""Deciding a task: `stepsmith approve` and `stepsmith reject`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.console import FINE, Console, Misuse
from cli.reach.client import Reach, Refused, at
from cli.reach.show import add_format, print_json, task_named
from cli.reach.to import add_where, reach
from protocol.reading import read_json

if TYPE_CHECKING:
    from protocol.payloads import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of both."""
    parser.add_argument("task", metavar="TASK|STEP", help="a task's id, or the step that waits")
    parser.add_argument("--comment", metavar="TEXT", help="what is said with it")
    parser.add_argument(
        "--form",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a field of the task's form; may be repeated",
    )
    parser.add_argument("--run", metavar="RUN", help="the run whose step it is")
    add_where(parser)
    add_format(parser)


def decide(status: str, arguments: argparse.Namespace, console: Console) -> int:
    """Decide a task and tell what it came to; raises Misuse and Refused."""
    with reach(arguments, console) as api:
        task = task_named(arguments.task, api, arguments.run)
        if status not in task["answers"]:
            takes = ", ".join(task["answers"]) or "no answer of a person"
            raise Misuse(f"'{status}' is no answer to '{task['title']}': it takes {takes}")
        body: dict[str, Json] = {"status": status}
        if arguments.comment is not None:
            body["comments"] = arguments.comment
        if arguments.form:
            body["form"] = _filled(arguments.form, task["form"])
        caller = _caller(task, arguments.person, api)
        try:
            decided, _ = caller.post(at("tasks", task["task_id"], "status"), body)
        except Refused as refused:
            if refused.status != 404:
                raise
            asked = ", ".join(task["assignees"])
            who = "you are" if arguments.person is None else f"{arguments.person} is"
            raise Misuse(f"{who} not asked about '{task['title']}', but {asked}") from None
    if arguments.format == "json":
        print_json(console, decided)
    else:
        console.stdout.write(f"{_told(decided, status)}\n")
    return FINE


def _caller(task: Any, person: str | None, api: Reach) -> Reach:
    """Return who decides: whoever is named or logged in; here, else, the first who may.

    Here everybody may be anybody, so somebody who is asked is nearer at hand than somebody who is
    not.
    """
    if person is not None or not api.is_local or task["may_decide"]:
        return api
    voted = {vote["by"] for vote in task["votes"]}
    able = [one for one in task["assignees"] if one not in (*voted, task["started_by"])]
    return api.as_person(able[0]) if able else api


def _filled(pairs: Sequence[str], form: Any) -> dict[str, Json]:
    """Return what a form is filled in with: texts as they are, all else as JSON."""
    properties = form.get("properties", {}) if isinstance(form, dict) else {}
    filled: dict[str, Json] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise Misuse(f"--form {pair}: write NAME=VALUE")
        filled[name] = _value(text, properties.get(name))
    return filled


def _value(text: str, schema: object) -> Json:
    kind = schema.get("type", "string") if isinstance(schema, Mapping) else "string"
    if kind == "string":
        return text
    try:
        return read_json(text)
    except ValueError:
        return text  # the form says what is wrong with it


def _told(task: Any, status: str) -> str:
    if task.get("counted"):
        votes = sum(vote["status"] == status for vote in task["votes"])
        return f"{task['step_id']}: {status}, {votes} of {task['quorum']} that have to agree"
    by = (task["decision"] or {}).get("decided_by")
    return f"{task['step_id']}: {task['status']} by {by}"
