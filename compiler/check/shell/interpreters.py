"""Programs that take code: in which of their words, and how code reads a variable instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from compiler.check.shell.calls import program
from compiler.check.shell.syntax import Word

_SHELL = 'write "$NAME" in the code, in single quotes so that this shell leaves it alone'
_SSH = "write ${NAME@Q} there, which quotes the value for the shell of the other machine"
_SQL = "pass it on as a variable of the program, such as psql -v name=\"$NAME\" and :'name'"
_SED = (
    "use a program that reads its environment, such as perl -pe 's/VERSION/$ENV{NAME}/' or envsubst"
)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A program that takes code.

    `options` is a pattern of the options whose next word is code (`--x=CODE` too), after which,
    with `last`, there are only arguments; `valued` is one of those whose next word is
    none. `operand` numbers the operand that is code (counted from 1), and with `rest`
    those after it too. `stdin` says when it runs what it reads, if it is given no code: without
    a file (`-` is none) or `always`; `reading` is a pattern of the options that make it read.
    """

    instead: str
    options: str = r"(?!)"
    valued: str = r"(?!)"
    operand: int = 0
    rest: bool = False
    last: bool = False
    stdin: Literal["never", "without a file", "always"] = "never"
    reading: str = r"(?!)"


_BASH = Interpreter(
    _SHELL,
    r"-[a-zA-Z]*c|--command",
    r"[-+][a-zA-Z]*[oO]|--rcfile|--init-file",
    last=True,
    stdin="without a file",
    reading=r"-[a-zA-Z]*s",
)
_PYTHON = Interpreter(
    'write os.environ["NAME"] in the code',
    r"-[bBdEiIOqsSuvx]*c",
    "-W|-X",
    last=True,
    stdin="without a file",
)
_NODE = Interpreter(
    "write process.env.NAME in the code",
    r"-e|-p|-pe|--eval|--print",
    "-r|--require",
    last=True,
    stdin="without a file",
)
_PERL = Interpreter(
    "write $ENV{NAME} in the code", r"-[a-zA-Z0-9.]*[eE]", "-I|-M", stdin="without a file"
)
_AWK = Interpreter('write ENVIRON["NAME"] in the code', r"-e|--source", "-v|-F|-f|-i", operand=1)
_JQ = Interpreter("write $ENV.NAME in the code", r"(?!)", "--indent|-L|-f|--from-file", operand=1)
_SQL_OPTIONS = Interpreter(
    _SQL, r"-c|-e|--command|--execute|--eval", "-h|-p|-U|-u|-d|-D|-P|-f|-v", stdin="always"
)

INTERPRETERS: dict[str, Interpreter] = {
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh", "ash", "fish"), _BASH),
    **dict.fromkeys(("python", "python2", "python3", "pypy3"), _PYTHON),
    **dict.fromkeys(("node", "nodejs", "bun", "tsx"), _NODE),
    "deno": Interpreter('write Deno.env.get("NAME") in the code', r"eval"),
    "perl": _PERL,
    "ruby": Interpreter(
        'write ENV["NAME"] in the code', r"-[a-zA-Z]*e", "-I|-r", stdin="without a file"
    ),
    "php": Interpreter('write getenv("NAME") in the code', r"-r", "-d|-c", stdin="without a file"),
    "lua": Interpreter('write os.getenv("NAME") in the code', r"-e", "-l", stdin="without a file"),
    "Rscript": Interpreter('write Sys.getenv("NAME") in the code', r"-e"),
    "julia": Interpreter('write ENV["NAME"] in the code', r"-e|-E|--eval|--print"),
    "pwsh": Interpreter("write $env:NAME in the code", r"(?i:-c|-command)"),
    "osascript": Interpreter(
        'write system attribute "NAME" in the code', r"-e", stdin="without a file"
    ),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    **dict.fromkeys(("sed", "gsed"), Interpreter(_SED, r"-[nErsz]*e|--expression", "-f|-l", 1)),
    **dict.fromkeys(("jq", "gojq"), _JQ),
    "yq": Interpreter("write strenv(NAME) in the code", r"--expression", "-o|-p|-I|-f", 1),
    **dict.fromkeys(("psql", "mysql", "mariadb", "mongosh"), _SQL_OPTIONS),
    "sqlite3": Interpreter(_SQL, "-cmd", "-separator", operand=2, rest=True, stdin="always"),
    "ssh": Interpreter(
        _SSH,
        valued="-b|-c|-D|-E|-e|-F|-I|-i|-J|-L|-l|-m|-O|-o|-p|-Q|-R|-S|-W|-w",
        operand=2,
        rest=True,
        stdin="always",
    ),
    **dict.fromkeys(("su", "runuser", "script"), Interpreter(_SHELL, r"-[a-zA-Z]*c|--command")),
    "watch": Interpreter(_SHELL, valued="-n|-q|--interval", operand=1, rest=True),
    "parallel": Interpreter(_SHELL, valued="-j|-N|-I|--jobs", operand=1, rest=True),
}
BUILTINS: dict[str, Interpreter] = {
    "eval": Interpreter(_SHELL, operand=1, rest=True),
    "trap": Interpreter(_SHELL, operand=1),
    "alias": Interpreter(_SHELL, operand=1, rest=True),
    "source": Interpreter(_SHELL, stdin="without a file"),
    "compgen": Interpreter(_SHELL, r"-W|-C|-F"),
    ".": Interpreter(_SHELL, stdin="without a file"),
}
"""Commands of bash that take code; they count only where a command stands."""

_VERSION = re.compile(r"(?<=[a-z])[0-9.]+\Z")
_TWO_VALUES = frozenset({"--arg", "--argjson", "--slurpfile", "--rawfile"})
_YQ_COMMANDS = frozenset({"eval", "e", "eval-all", "ea"})
_STDIN_FILES = frozenset({"-", "/dev/stdin", "/dev/fd/0"})


def interpreter(word: Word) -> Interpreter | None:
    """Return the interpreter that a word names, versions (`python3.12`) aside."""
    name = program(word)
    return INTERPRETERS.get(name) or INTERPRETERS.get(_VERSION.sub("", name))


@dataclass(frozen=True, slots=True)
class Usage:
    """The words of a call that are code; `reads` if it runs what it reads from its input."""

    code: tuple[Word, ...]
    reads: bool


def usage(interpreter: Interpreter, words: Sequence[Word]) -> Usage:
    """Return which of the words after an interpreter's name are code."""
    code, operands, reading = _sorted(interpreter, words)
    if interpreter.operand and not code:
        first = interpreter.operand - 1
        code = operands[first:] if interpreter.rest else operands[first : first + 1]
    if interpreter.stdin == "without a file":
        # A file `<( )` is what the commands in it write.
        code += operands[:1] if operands and operands[0].processes else []
        reading = reading or not operands or operands[0].value in _STDIN_FILES
    else:
        reading = interpreter.stdin == "always"
    return Usage(tuple(code), reading and not code)


def _sorted(interpreter: Interpreter, words: Sequence[Word]) -> tuple[list[Word], list[Word], bool]:
    """Return the code behind options, the operands, and whether an option says to read code."""
    code: list[Word] = []
    operands: list[Word] = []
    reading = False
    valued = re.compile(interpreter.valued)
    option = re.compile(rf"(?:{interpreter.options})(=.*)?\Z", re.DOTALL)
    only_arguments = interpreter.rest or interpreter.stdin == "without a file"
    rest = iter(words)
    for word in rest:
        value = word.value
        if operands and only_arguments:
            operands.append(word)
        elif match := option.match(value):
            code += [word] if match[1] else _next(rest, 1)
            if interpreter.last:
                break
        elif value in _TWO_VALUES or valued.fullmatch(value):
            _next(rest, 2 if value in _TWO_VALUES else 1)
        elif value[:1] in ("-", "+") and value not in _STDIN_FILES:
            reading = reading or re.fullmatch(interpreter.reading, value) is not None
        elif value and not (interpreter.operand and value in _YQ_COMMANDS):
            operands.append(word)
    return code, operands, reading


def _next(words: Iterator[Word], count: int) -> list[Word]:
    return list(islice(words, count))
