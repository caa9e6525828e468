"""`make demo`: a workflow compiled and run on this machine, on a repository made for it."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from local.demo.project import make

_REVIEW = "review=approved:bob@example.com:48h"
_COMMAND = "import cli.main; cli.main.entry()"


def main(argv: list[str] | None = None) -> int:
    """Run the demo and return the exit code of the run it shows."""
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--break", dest="broken", action="store_true", help="break a test")
    parser.add_argument("--public", action="store_true", help="announce the release as well")
    parser.add_argument("--ask", action="store_true", help="be asked for the review yourself")
    parser.add_argument("--json", action="store_true", help="print the record as JSON")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the repository here")
    options = parser.parse_args(argv)
    if shutil.which("git") is None:
        _say("the demo makes a git repository, but there is no program `git` on this machine")
        return 2
    with tempfile.TemporaryDirectory(prefix="stepsmith-demo-") as scratch:
        folder = (options.keep or Path(scratch, "greeter")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        registry = Path(scratch, "registry")
        registry.mkdir()
        workflow = make(folder, broken=options.broken)
        return _show(workflow, registry, options)


def _show(workflow: Path, registry: Path, options: argparse.Namespace) -> int:
    arguments = [str(workflow), "--input", f"registry={registry}"]
    if not options.ask:
        arguments += ["--decide", _REVIEW]
    if options.public:
        arguments += ["--input", "audience=public"]
    if options.json:
        arguments += ["--format", "json"]
    _say(
        f"A git repository with a small package and its tests: {workflow.parent}",
        f"Its workflow: {workflow.name}",
        "",
        f"$ stepsmith run {shlex.join(arguments)}",
    )
    # The programs beside this Python first: scripts call `python`, which must have pytest.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, "run", *arguments],
        env={**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    _say("", *_next(options))
    return done.returncode


def _next(options: argparse.Namespace) -> list[str]:
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    again = f"{python} -m local.demo"
    tries = {
        f"{again} --break": (options.broken, "a bug: the failing test is named, the exit code 1"),
        f"{again} --ask": (options.ask, "the review asks you, here at the terminal"),
        f"{again} --public": (options.public, "the step that was skipped runs"),
        f"{again} --json": (options.json, "the record as a program reads it"),
        f"{again} --keep greeter": (options.keep, "keep the repository and change it"),
    }
    return ["Try next:"] + [
        f"  {command:<{len(again) + 15}} {what}"
        for command, (done, what) in tries.items()
        if not done
    ]


def _say(*lines: str) -> None:
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
