"""`stepsmith run --scenario`: one case of a scenario file, shown as a run."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from cli.console import FAULT, FINE, INTERRUPTED, WRONG, Misuse
from cli.here.secrets import secrets_here
from cli.output import text
from cli.output.progress import Progress, Style
from cli.output.record import summary
from cli.scenarios.cases import Case, Played
from cli.scenarios.files import Loaded, Loader, listed, named_by
from cli.scenarios.play import Surroundings, play
from cli.scenarios.text import differences
from local.engine import EngineFault
from local.source import SourceError, tree_of

_NOT_WITH = ("input", "inputs", "decide", "event", "trigger")


def run_case(arguments: argparse.Namespace) -> int:
    """Play the case that `--scenario` names; 1 if the run fails, or is not as expected.

    Raises Misuse for a wrong call: where the file has several cases it lists them.
    """
    given = [f"--{name}" for name in _NOT_WITH if getattr(arguments, name, None)]
    if given:
        raise Misuse(f"{given[0]} cannot be given with --scenario: the case says it")
    talk = Style.of(sys.stderr, arguments.colour)
    loaded = _loaded(arguments, colour=talk.colour)
    if loaded is None:
        return WRONG
    case = _the_case(loaded, arguments)
    program = loaded.subject.compiled.program
    progress = Progress(program.rules, sys.stderr, talk)
    around = Surroundings(
        source=arguments.source or tree_of(arguments.file),
        secrets=secrets_here(loaded.subject.compiled.project.root, arguments.environ),
        keep=arguments.keep,
        progress=progress.show,
        tell=progress.tell,
    )
    try:
        played = play(case, loaded.subject, around)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; running scripts were ended\n")
        return INTERRUPTED
    except SourceError as error:
        raise Misuse(str(error)) from None
    except EngineFault as fault:
        sys.stderr.write(f"stepsmith: {fault}\n")
        return FAULT
    progress.skipped(played.record)
    _print(played, loaded, arguments)
    return FINE if played.passed and played.record["status"] == "succeeded" else WRONG


def _loaded(arguments: argparse.Namespace, *, colour: bool) -> Loaded | None:
    named = named_by(arguments.scenario)
    if named.path.is_dir():
        raise Misuse(f"'{named.path}' is a folder\nname one scenario file")
    loaded, found = Loader(colour=colour).load(named)
    sys.stderr.write(text.render(found, colour=colour))
    if loaded is None:
        sys.stderr.write(text.summary([str(named.path)], found, colour=colour))
        return None
    workflow = loaded.scenario.workflow
    if workflow.resolve() != Path(arguments.file).resolve():
        raise Misuse(f"'{named.path}' is about '{workflow}', not '{arguments.file}'")
    return loaded


def _the_case(loaded: Loaded, arguments: argparse.Namespace) -> Case:
    if len(loaded.cases) == 1:
        return loaded.cases[0]
    raise Misuse(
        f"'{arguments.scenario}' has {len(loaded.cases)} cases: name one, "
        f"--scenario FILE:CASE\n{listed(loaded.scenario)}"
    )


def _print(played: Played, loaded: Loaded, arguments: argparse.Namespace) -> None:
    record, program = played.record, loaded.subject.compiled.program
    if arguments.format == "json":
        sys.stdout.write(json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    else:
        style = Style.of(sys.stdout, arguments.colour)
        sys.stdout.write(summary(record, arguments.file, program.lines, style))
    colour = Style.of(sys.stderr, arguments.colour).colour
    for remark in played.remarks:
        sys.stderr.write(f"note: {remark}\n")
    if not played.passed:
        sys.stderr.write("\nnot as the scenario expects:\n")
        sys.stderr.write(differences(loaded.scenario.source, played.differences, colour=colour))
