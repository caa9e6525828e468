"""`stepsmith run`: compile a workflow and run it on this machine."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import redirect_stderr
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from cli.console import FAULT, FINE, INTERRUPTED, WRONG, Misuse
from cli.output.progress import Progress, Style
from cli.output.record import summary
from cli.running.decisions import Prompt, not_filled_in, read_decisions
from cli.running.inputs import InputProblem, read_inputs
from cli.running.job import Job
from cli.running.secrets import given_secrets, masked, not_given
from functions.domain.masking import Masks

if TYPE_CHECKING:
    from cli.project.compile_file import Compiled
    from compiler.check.program import Step
    from local.people import People
    from local.program import Program
    from local.record import RunRecord
    from protocol.payloads import Json, MachineInput
    from protocol.status import Rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options on a parser."""
    parser.set_defaults(colour="auto", environ=os.environ)
    parser.add_argument(
        "file", type=Path, metavar="FILE|ID", help="the workflow's file, or its id in the project"
    )
    parser.add_argument(
        "--on",
        metavar="STAGE",
        help="run it on a deployed stage, by its id (an address of an API will do as well)",
    )
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an input of the workflow; may be repeated",
    )
    parser.add_argument("--inputs", type=Path, metavar="FILE", help="a JSON or YAML file of inputs")
    parser.add_argument(
        "--source",
        type=Path,
        metavar="DIR",
        help="what the steps work on (default: the file's git tree, else its folder)",
    )
    parser.add_argument(
        "--decide",
        action="append",
        default=[],
        metavar="STEP=STATUS[:BY[:AFTER]]",
        help="decide a step: approved or rejected; retry, skip or fail a paused one. "
        "AFTER is a duration of the workflow's time; may be repeated",
    )
    parser.add_argument(
        "--as",
        dest="person",
        metavar="PERSON",
        help="who decides here (default: the first who may)",
    )
    parser.add_argument(
        "--started-by",
        metavar="PERSON",
        help="who starts the run, and so may not approve it (default: nobody known)",
    )
    parser.add_argument(
        "--event",
        metavar="push|tag|pull_request|FILE",
        help="start from an event: one of local git, or one in a JSON or YAML file",
    )
    parser.add_argument("--trigger", metavar="NAME", help="the trigger that takes the event")
    parser.add_argument(
        "--scenario",
        metavar="FILE[:CASE]",
        help="play a case of a scenario file: its inputs, stubs and decisions",
    )
    parser.add_argument(
        "--secret",
        action="append",
        default=[],
        metavar="NAME",
        help="give the run a secret, its value from the environment or the file .secrets; "
        "may be repeated",
    )
    parser.add_argument(
        "--until", metavar="STEP", help="carry out only this step and what it depends on"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print the record"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep the run here, for other commands to work on, and wait for people: "
        "`stepsmith approve STEP --keep DIR` answers",
    )
    parser.add_argument(
        "--detach", action="store_true", help="with --on: do not wait for the run's end"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out and return its exit code; raises Misuse for a wrong call."""
    from cli.project.compile_file import Refused, compile_whole
    from cli.project.project import Projects

    if arguments.on is not None:
        from cli.running.on_stage import run_on

        return run_on(arguments)
    file = arguments.file = found_file(arguments.file)
    if arguments.source is not None and not arguments.source.is_dir():
        raise Misuse(f"the source '{arguments.source}' is not a folder")
    for option, person in (("--as", arguments.person), ("--started-by", arguments.started_by)):
        if person is not None and "@" not in person:
            raise Misuse(f"{option} takes a mail address, not '{person}'")
    if arguments.detach:
        raise Misuse("--detach is for runs on a stage: a run on this machine needs this process")
    if arguments.scenario is not None:
        _refuse_with_scenario(arguments)
        from cli.running.scenario import run_case

        return run_case(arguments)
    try:
        colour = Style.of(sys.stderr, arguments.colour).colour
        compiled = compile_whole(file, Projects(), colour=colour, until=arguments.until)
    except Refused as refused:
        sys.stderr.write(str(refused))
        return WRONG
    given = _begun(arguments, compiled)
    try:
        contract = compiled.program.inputs
        given["inputs"] = read_inputs(
            arguments.input, arguments.inputs, contract, event=given["inputs"]
        )
    except InputProblem as problem:
        raise Misuse(str(problem)) from None
    secrets = given_secrets(arguments.secret, compiled, arguments.environ)
    masks = Masks(secrets.values())
    for note in (*not_given(arguments.secret, compiled), *_not_begun(arguments, compiled)):
        sys.stderr.write(f"{note}\n")
    with redirect_stderr(masked(sys.stderr, masks)):
        return _carry_out(compiled, given, secrets, masks, arguments)


def found_file(word: Path) -> Path:
    """Return the file that a word means: itself, else that of a workflow of the project here."""
    from cli.project.project import Projects, root_of
    from cli.project.settings import FILE
    from cli.project.targets import not_there
    from compiler.check.suggest import suggestion
    from compiler.check.workflows import find

    if word.is_file():
        return word
    if word.is_dir():
        raise Misuse(f"'{word}' is a folder\nname one workflow file")
    root = root_of(Path.cwd())
    name = str(word)
    if root is None or len(word.parts) > 1 or word.suffix in (".yaml", ".yml"):
        raise Misuse(not_there(word))
    workflows = Projects().of(root / FILE).surroundings(root / FILE).workflows
    contract = find(name, "", workflows)
    if contract is None:
        known = suggestion(name, [*workflows], "the workflows of the project")
        raise Misuse(f"there is no file '{word}', and no workflow of that id\n{known}")
    return Path(os.path.relpath(root / contract.file))


def _refuse_with_scenario(arguments: argparse.Namespace) -> None:
    if arguments.secret:
        raise Misuse(
            "--secret cannot be given with --scenario: "
            "a case finds secrets in the environment and in .secrets"
        )
    if arguments.until is not None:
        raise Misuse("--until cannot be given with --scenario: a case is about the whole workflow")


def _begun(arguments: argparse.Namespace, compiled: Compiled) -> MachineInput:
    """Return the input of the run; of its inputs those that an event gives."""
    given: MachineInput = {"inputs": {}, "run": {"started_by": None}}
    if arguments.event is not None:
        from cli.running.event import begun_by

        folder = arguments.source or arguments.file.resolve().parent
        given = begun_by(arguments.event, arguments.trigger, compiled, folder)
    elif arguments.trigger is not None:
        raise Misuse("--trigger says which trigger takes an event: give --event too")
    run_id = f"{compiled.program.workflow[:40]}-{token_hex(10)}"
    given["run"] = {"id": run_id, "attempt": 1, **given["run"]}
    if arguments.started_by is not None:
        given["run"]["started_by"] = arguments.started_by
    return given


def _not_begun(arguments: argparse.Namespace, compiled: Compiled) -> list[str]:
    if arguments.event is not None:
        return []
    from cli.running.without_event import not_begun

    return not_begun(compiled)


def _carry_out(
    compiled: Compiled,
    given: MachineInput,
    secrets: dict[str, str],
    masks: Masks,
    arguments: argparse.Namespace,
) -> int:
    from local.engine import EngineFault
    from local.source import SourceError, tree_of

    program = compiled.program
    talk = Style.of(sys.stderr, arguments.colour)
    progress = Progress(program.rules, sys.stderr, talk)
    source = arguments.source or tree_of(arguments.file)
    prompt = _prompt(arguments)
    people = _people(compiled, arguments, progress, prompt)
    job = Job(compiled, given, source, secrets, people, progress, arguments)
    try:
        if arguments.keep is not None:
            from cli.running.kept import run_kept

            record, stopped = run_kept(job)
        else:
            record, stopped = _run_alone(job)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; running scripts were ended\n")
        return INTERRUPTED
    except SourceError as error:
        raise Misuse(str(error)) from None
    except EngineFault as fault:
        sys.stderr.write(f"stepsmith: {fault}\n")
        return FAULT
    finally:
        if prompt is not None:
            prompt.close()
    if compiled.left_out:
        record["not_carried_out"] = list(compiled.left_out)
    progress.skipped(record)
    _print(record, program, masks, arguments)
    if stopped:
        return INTERRUPTED
    return FINE if record["status"] == "succeeded" else WRONG


def _run_alone(job: Job) -> tuple[RunRecord, bool]:
    """Carry a run out that nothing is left of; return its record, and whether it was stopped."""
    from local.engine import INTERRUPTED as STOPPED
    from local.record import build
    from local.workflow import Request, run_workflow

    program = job.compiled.program
    request = Request(
        program.machines,
        program.workflow,
        job.given,
        job.source,
        job.secrets,
        people=job.people,
        actions=job.compiled.project.actions.asked(),
        # What was handed in as a secret is one, even where only a step reads it that is left out.
        reads=program.secrets | job.secrets.keys(),
    )
    ran = run_workflow(request, job.progress.show)
    started_by = job.given["run"]["started_by"]
    record = build(ran, program, started_by if isinstance(started_by, str) else None)
    return record, ran.finished.error == STOPPED


def _prompt(arguments: argparse.Namespace) -> Prompt | None:
    """Return who is asked where nothing is decided beforehand: whoever sits at a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return Prompt(sys.stdin, sys.stderr, arguments.person)


def _people(
    compiled: Compiled, arguments: argparse.Namespace, progress: Progress, prompt: Prompt | None
) -> People:
    from functions.domain.people import Directory
    from local.people import People

    stage = compiled.project.surroundings(arguments.file).stage
    decisions = read_decisions(arguments.decide, _rules(compiled), arguments.person)
    for note in not_filled_in(decisions, _forms(compiled)):
        sys.stderr.write(f"{note}\n")
    return People(
        directory=Directory(stage.groups, stage.identities, stage.approvers),
        decisions=decisions,
        ask=None if prompt is None else prompt.ask,
        tell=progress.tell,
    )


def _decided(compiled: Compiled) -> dict[str, Step]:
    """Return all that people may be asked about, by id: handlers and called workflows' steps too.

    Of two with one id the workflow's own is told.
    """
    from compiler.check.program import every_step

    programs = [one.program for one in (*compiled.called.values(), compiled.own)]
    steps = (every_step((*one.handlers, *one.steps)) for one in programs if one is not None)
    return {step.id: step for found in steps for step in found}


def _rules(compiled: Compiled) -> dict[str, Rule]:
    found = compiled.program.rules  # in file order, as a message lists them
    return {**found, **{name: step.rule for name, step in _decided(compiled).items()}}


def _forms(compiled: Compiled) -> dict[str, dict[str, Json]]:
    """Return the forms of manual steps."""
    from compiler.check.program import Manual

    kinds = {name: step.kind for name, step in _decided(compiled).items()}
    return {
        name: kind.form
        for name, kind in kinds.items()
        if isinstance(kind, Manual) and isinstance(kind.form, dict)
    }


def _print(
    record: RunRecord, program: Program, masks: Masks, arguments: argparse.Namespace
) -> None:
    if arguments.format == "json":
        shown = masks.value(json.loads(json.dumps(record))) if masks else record
        sys.stdout.write(json.dumps(shown, indent=2, ensure_ascii=False) + "\n")
        return
    text = summary(record, arguments.file, program.lines, Style.of(sys.stdout, arguments.colour))
    sys.stdout.write(masks.text(text))
