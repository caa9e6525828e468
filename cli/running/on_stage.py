"""`stepsmith run ID --on STAGE`: a run on a deployed stage, watched from here."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from cli.console import FINE, Console, Misuse
from cli.reach.client import Reach, Refused, at
from cli.reach.record import followed
from cli.reach.show import print_json
from cli.running.inputs import InputProblem, read_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.payloads import Json

_HERE_ONLY = {
    "source": "--source",
    "scenario": "--scenario",
    "event": "--event",
    "trigger": "--trigger",
    "until": "--until",
    "keep": "--keep",
    "person": "--as",
    "started_by": "--started-by",
    "decide": "--decide",
    "secret": "--secret",
}


def run_on(arguments: argparse.Namespace) -> int:
    """Start a run, tell what becomes of it and return the exit code; raises Misuse."""
    from cli.reach.to import reach

    here = [option for name, option in _HERE_ONLY.items() if getattr(arguments, name)]
    if here:
        raise Misuse(f"{here[0]} is for runs on this machine, not for --on {arguments.on}")
    console = Console(sys.stdout, sys.stderr, sys.stdin, arguments.environ, colour=arguments.colour)
    with reach(arguments, console) as api:
        name = str(arguments.file)
        inputs = _inputs(name, arguments, api)
        started, reply = api.post(at("workflows", name, "run"), inputs, Prefer="respond-async")
        run_id = reply.headers.get("x-run-id") or str(started.get("run_id"))
        console.stderr.write(f"run {run_id} of '{name}' at {api.place}\n")
        if arguments.detach:
            if arguments.format == "json":
                print_json(console, {"run_id": run_id, "status": "running"})
            else:
                console.stdout.write(f"{run_id}\n")
            return FINE
        return followed(run_id, api, arguments.format, console, f" --on {arguments.on}")


def _inputs(name: str, arguments: argparse.Namespace, api: Reach) -> dict[str, Json]:
    """Return the inputs, held against the contract of what is deployed; raises Misuse."""
    try:
        found: Any = api.get(at("workflows", name))
    except Refused as refused:
        if refused.status != 404:
            raise
        known = ", ".join(f"'{one['id']}'" for one in api.pages(at("workflows")))
        told = f"there are {known}" if known else "there is none at all"
        if name.endswith((".yaml", ".yml")):
            told = f"with --on a workflow is named by its id; {told}"
        raise Misuse(f"there is no workflow '{name}' at {api.place}\n{told}") from None
    contract: Mapping[str, Json] | None = found["inputs"]
    try:
        return read_inputs(arguments.input, arguments.inputs, contract)
    except InputProblem as problem:
        raise Misuse(str(problem)) from None
