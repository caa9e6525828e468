"""The `stepsmith` command."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO, cast

from cli.commands.table import COMMANDS
from cli.console import (
    EXIT_CODES,
    FAULT,
    FINE,
    INTERRUPTED,
    MISUSED,
    Colour,
    Console,
    Misuse,
)

if TYPE_CHECKING:
    import argparse

_OPTIONS = """\
  --color auto|always|never  colour the output (default: on a terminal)
  --debug                    show where a fault of Stepsmith comes from
  --version                  print the version
  --help                     print this help, or that of a command
"""
_COLOURS = ("auto", "always", "never")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Command(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace, console: Console) -> int: ...


def entry() -> None:
    """Run the command of this process."""
    _open_what_is_closed()
    _end_in_order()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character
    try:
        code = main(sys.argv[1:], sys.stdout, sys.stderr, sys.stdin)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()  # whoever read has all they wanted
        code = FINE
    except OSError as error:
        _drop_output()
        sys.stderr.write(f"stepsmith: nothing more can be written: {error.strerror}\n")
        code = MISUSED
    sys.exit(code)


def _open_what_is_closed() -> None:
    """Put a stream that leads nowhere in the place of each that was closed (`>&-`).

    Python has None there; and the first file that is opened would become standard output.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _end_in_order() -> None:
    """Take a signal to end, and the end of the terminal, as Ctrl-C.

    Else scripts would go on without the run, and what a run has done would be told nowhere. What
    is ignored (`nohup`) stays so.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _drop_output() -> None:
    """Write nothing more: Python would complain when it flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(
    argv: Sequence[str],
    stdout: TextIO,
    stderr: TextIO,
    stdin: TextIO,
    environ: Mapping[str, str] | None = None,
) -> int:
    """Carry out one call and return its exit code; see `EXIT_CODES`.

    Raises BrokenPipeError where nobody reads `stdout` any more, OSError where a disk is full.
    """
    console = Console(stdout, stderr, stdin, os.environ if environ is None else environ)
    call = _Call(debug=False)
    try:
        call = _read(argv)
        console = replace(console, colour=call.colour)
        return _carry_out(call, console)
    except Misuse as misuse:
        name = f"stepsmith {call.command}" if call.command in COMMANDS else "stepsmith"
        stderr.write(f"{name}: {misuse}\n")
        return misuse.code
    except KeyboardInterrupt:
        stderr.write("stopped\n")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as fault:  # whatever it is, it is ours, and one line tells it
        if isinstance(fault, OSError) and fault.errno in _NO_ROOM:
            raise
        _report(fault, stderr, debug=call.debug)
        return FAULT


def _report(fault: Exception, stderr: TextIO, *, debug: bool) -> None:
    if debug:
        import traceback

        traceback.print_exception(fault, file=stderr)
    text = " ".join(str(fault).split())
    hint = "" if debug else "; --debug shows where it comes from"
    stderr.write(
        f"stepsmith: this is a fault of Stepsmith ({type(fault).__name__}: {text})"
        f"{hint}. Please report it with the workflow file\n"
    )


# --- the call -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Call:
    command: str | None = None
    rest: tuple[str, ...] = ()
    colour: Colour = "auto"
    debug: bool = False
    version: bool = False


def _read(argv: Sequence[str]) -> _Call:
    """Return the call with the options that every command has taken out of it."""
    call = _Call()
    rest: list[str] = []
    words = iter(argv)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word == "--debug":
            call = replace(call, debug=True)
        elif word == "--version" and not rest:
            call = replace(call, version=True)
        elif word == "--color":
            call = replace(call, colour=_colour(next(words, "")))
        elif word.startswith("--color="):
            call = replace(call, colour=_colour(word.partition("=")[2]))
        else:
            rest.append(word)
    if rest and not rest[0].startswith("-"):
        return replace(call, command=rest[0], rest=tuple(rest[1:]))
    return replace(call, rest=tuple(rest))


def _colour(word: str) -> Colour:
    if word not in _COLOURS:
        raise Misuse(f"--color takes auto, always or never, not '{word}'")
    return cast("Colour", word)


def _carry_out(call: _Call, console: Console) -> int:
    if call.version:
        from importlib.metadata import version

        console.stdout.write(f"stepsmith {version('stepsmith')}\n")
        return FINE
    if call.command == "help" or (call.command is None and set(call.rest) <= {"-h", "--help"}):
        call = _help_asked(call)
        if call.command is None:
            console.stdout.write(overview())
            return FINE
    if call.command is None:
        raise Misuse(f"there is no option '{call.rest[0]}'\n`stepsmith --help` lists the options")
    found = COMMANDS.get(call.command)
    if found is None:
        raise Misuse(_unknown(call.command))
    return _run(call.command, call.rest, console)


def _help_asked(call: _Call) -> _Call:
    """`help COMMAND` is `COMMAND --help`."""
    if call.command == "help" and call.rest:
        return replace(call, command=call.rest[0], rest=("--help",))
    return replace(call, command=None)


def _run(name: str, rest: Sequence[str], console: Console) -> int:
    from contextlib import redirect_stderr, redirect_stdout

    from cli.parser import Parser

    found = COMMANDS[name]
    command = cast("_Command", importlib.import_module(found.module))
    parser = Parser(name, f"{found.about[0].upper()}{found.about[1:]}.", found.examples)
    command.add_arguments(parser)
    try:
        with redirect_stdout(console.stdout), redirect_stderr(console.stderr):
            arguments = parser.parse_args(list(rest))
    except SystemExit:  # --help has printed what it prints
        return FINE
    return command.run(arguments, console)


def _unknown(command: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(command, COMMANDS, 1, 0.5)
    hint = f"did you mean '{near[0]}'?" if near else "`stepsmith --help` lists the commands"
    return f"there is no command '{command}'\n{hint}"


def overview() -> str:
    """Return the help of the command itself."""
    width = max(map(len, COMMANDS))
    commands = "".join(f"  {name:<{width}}  {e.about}\n" for name, e in COMMANDS.items())
    examples = "".join(f"  {COMMANDS[name].examples[0]}\n" for name in ("validate", "run", "graph"))
    return (
        "Stepsmith compiles workflows in YAML to AWS Step Functions, and runs them here.\n\n"
        f"usage: stepsmith COMMAND [OPTION ...]\n\ncommands:\n{commands}\n"
        f"options:\n{_OPTIONS}\nexamples:\n{examples}\n{EXIT_CODES}"
    )
