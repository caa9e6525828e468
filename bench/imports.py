"""How long each function takes to import, beside the libraries it needs.

    python -m bench.imports

Each is imported in a fresh interpreter, and so are those among boto3, Powertools and pydantic
that it loads; the ratio of the two is printed. Exits 1 if one is above 1.3, or if `wake` or
`latches` load more than boto3.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FUNCTIONS = ("action", "api", "build", "intake", "latches", "records", "stored", "tasks", "wake")
"""Modules of `functions.handlers` that Lambda, or a build, begins with."""
RESOLVER = "aws_lambda_powertools.event_handler"
LIBRARIES = ("boto3", "aws_lambda_powertools.logging", RESOLVER, "pydantic")
MOST = 1.3
ONLY_BOTO3 = ("wake", "latches")
_ROUNDS = 7
_USES = {
    "boto3": "import boto3",
    "aws_lambda_powertools.logging": (
        "from aws_lambda_powertools.logging import Logger\n"
        "from aws_lambda_powertools.metrics import Metrics"
    ),
    RESOLVER: (
        "from aws_lambda_powertools.event_handler import APIGatewayHttpResolver\n"
        "APIGatewayHttpResolver(enable_validation=True)"
    ),
    "pydantic": "from pydantic import BaseModel",  # which is not loaded before it is asked for
}
_ENVIRONMENT = {
    "STEPSMITH_RESULTS_TABLE": "results",
    "STEPSMITH_LATCHES_TABLE": "latches",
    "STEPSMITH_BUCKET": "bucket",
    "STEPSMITH_TASKS_TABLE": "tasks",
    "STEPSMITH_ACTION": "run",
}
_TIMED = """
import json, sys, time
began = time.process_time()
{imports}
took = time.process_time() - began
print(json.dumps([took, [name for name in {libraries!r} if name in sys.modules]]))
"""


@dataclass(frozen=True, slots=True)
class Import:
    """What an import took, in seconds, and which of the libraries it loaded."""

    seconds: float
    libraries: tuple[str, ...]


def main() -> int:
    """Print a line for each function; return the exit code."""
    bad = False
    for name, module in targets().items():
        own, base = compared(module)
        needed = own.libraries
        ratio = own.seconds / base.seconds
        too_much = name in ONLY_BOTO3 and set(needed) - {"boto3"}
        bad = bad or ratio > MOST or bool(too_much)
        sign = "no" if ratio > MOST or too_much else "ok"
        millis = f"{own.seconds * 1000:6.0f} ms of {base.seconds * 1000:6.0f} ms"
        print(f"{sign}  {name:<32} {millis}  ratio {ratio:4.2f}  {', '.join(needed)}")
    return 1 if bad else 0


def targets() -> dict[str, str]:
    """Return the statements that import each function, with each action and router as well."""
    found = {name: f"import functions.handlers.{name}" for name in FUNCTIONS}
    from functions.http.app import ROUTERS
    from functions.wiring import ACTIONS

    for module in sorted(set(ROUTERS.values())):
        load = f"import functions.handlers.api, functions.http.{module}"
        found[f"api, router {module}"] = load
    for action, module in ACTIONS.items():
        load = f"import functions.handlers.action, functions.actions.{module}"
        found[f"action {action}"] = load
    return found


def compared(statement: str) -> tuple[Import, Import]:
    """Return the import of a function and that of the libraries it loads; the fastest rounds."""
    needed = timed(statement).libraries
    base = base_of(needed)
    rounds = [(timed(statement), timed(base)) for _ in range(_ROUNDS)]
    # The fastest of each: what is slower was somebody else's work on this machine.
    own, other = (min(pair[at].seconds for pair in rounds) for at in (0, 1))
    return Import(own, needed), Import(other, needed)


def base_of(libraries: Sequence[str]) -> str:
    """Return the statements that import libraries, as the functions use them."""
    return "\n".join(_USES[name] for name in libraries) or "pass"


def timed(statement: str) -> Import:
    """Return what an import takes in a fresh interpreter."""
    code = _TIMED.format(imports=statement, libraries=LIBRARIES)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**_ENVIRONMENT, "PATH": ""},
    )
    seconds, libraries = json.loads(done.stdout.splitlines()[-1])
    return Import(seconds, tuple(libraries))


if __name__ == "__main__":
    sys.exit(main())
