"""Records of runs that an API gives: printed, and followed until the run is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cli.console import FINE, INTERRUPTED, WRONG, Console
from cli.reach.client import Reach, Refused, at
from cli.reach.show import print_json
from functions.domain.records.shape import ENDS

if TYPE_CHECKING:
    from functions.domain.records.shape import RunRecord

_LOOK_SECONDS = 1.0
_SIGNS = {
    "running": ("▸", "started", "faint"),
    "waiting": ("◆", "waits", "strong"),
    "paused": ("◆", "paused", "strong"),
    "succeeded": ("✓", "succeeded", "good"),
    "failed": ("✗", "failed", "bad"),
    "timed_out": ("✗", "timed out", "bad"),
    "rejected": ("✗", "rejected", "bad"),
    "skipped": ("-", "skipped", "faint"),
    "cancelled": ("-", "cancelled", "faint"),
}


def print_record(record: RunRecord, api: Reach, format: str, console: Console) -> None:
    """Print a record, as `stepsmith run` does."""
    if format == "json":
        print_json(console, record)
        return
    from cli.output.progress import Style
    from cli.output.record import summary

    style = Style(console.colours(console.stdout))
    text = summary(record, _file_of(record, api), {}, style, time="")
    console.stdout.write(text.lstrip("\n"))


def _file_of(record: RunRecord, api: Reach) -> str:
    """Return the file of a run's workflow as its project spells it, else the workflow's id."""
    digest = record.get("manifest")
    try:
        found = api.get(at("workflows", record["workflow_id"]), digest=digest)
    except Refused:
        return record["workflow_id"]
    return str(found["file"])


def is_over(record: RunRecord) -> bool:
    """Whether nothing of a run goes on: neither it nor what follows its failure."""
    closing = record.get("closing")
    return record["status"] in ENDS and (closing is None or closing["status"] != "running")


def follow(
    run_id: str,
    api: Reach,
    console: Console,
    pause: Callable[[], object] = lambda: time.sleep(_LOOK_SECONDS),
) -> RunRecord:
    """Tell what becomes of a run's steps until it is over, and return its record."""
    from cli.output.progress import Style

    style = Style(console.colours(console.stderr))
    seen: dict[str, str] = {}
    while True:
        record: RunRecord = api.get(at("runs", run_id))
        width = max((len(step["step_id"]) for step in record["steps"]), default=0)
        for step in record["steps"]:
            name, status = step["step_id"], step["status"]
            if seen.get(name, "pending") != status and status in _SIGNS:
                sign, what, tone = _SIGNS[status]
                more = _more(step)
                told = style(f"{sign} {name:<{width}}  {what:<9}", tone) + more
                console.stderr.write(f"{told.rstrip()}\n")
                console.stderr.flush()
            seen[name] = status
        if is_over(record):
            return record
        pause()


def _more(step: Any) -> str:
    from cli.output.paint import shown

    error = step.get("error")
    if error is not None:
        return "  " + shown(error["message"].split("\n", 1)[0])
    return f"  ({step['reason']})" if step.get("reason") else ""


def followed(run_id: str, api: Reach, format: str, console: Console, where: str) -> int:
    """Follow a run, print its record and return the exit code; Ctrl-C leaves it going."""
    try:
        record = follow(run_id, api, console)
    except KeyboardInterrupt:
        console.stderr.write(f"the run goes on: `stepsmith runs {run_id}{where}` shows it\n")
        return INTERRUPTED
    print_record(record, api, format, console)
    return FINE if record["status"] == "succeeded" else WRONG
