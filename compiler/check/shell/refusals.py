"""Where in a script an expression cannot stand, and what to write instead.

NAME in a text is the environment variable that the author will give the value to.
"""

from __future__ import annotations

from compiler.check.shell.syntax import Refusal

_PLACE = "run-expression-place"

BACKSLASH = Refusal(
    _PLACE,
    "comes right after a backslash, which would quote what replaces it",
    'write \\\\ for a backslash of the text, and "$NAME"',
)
DOLLAR = Refusal(
    _PLACE,
    "comes right after a $, where the name of a variable is expected",
    'write \\$ for a dollar sign of the text, or "${!NAME}" for the variable it names',
)
VARIABLE = Refusal(
    _PLACE,
    "stands where the name of a variable is expected",
    'write "${!NAME}" for the variable it names, or printf -v "$NAME" %s ... to set it',
)
SUBSCRIPT = Refusal(
    _PLACE,
    "stands in the index of an array, which the shell evaluates as code",
    "write [$NAME] there, once the script has made sure that it is a number or a known key",
)
FUNCTION = Refusal(
    _PLACE, "stands where the name of a function is expected", 'write case "$NAME" in ... esac'
)
COMMAND = Refusal(
    _PLACE,
    "stands where a command is expected, and would be the name of one program",
    'write case "$NAME" in ... esac, or to run it as code on purpose: bash -c "$NAME"',
)
DESCRIPTOR = Refusal(
    _PLACE,
    "stands where the number of a redirection is expected",
    'write case "$NAME" in ... esac',
)
OPERATOR = Refusal(
    _PLACE,
    "follows another expression in a test, where an operator is expected",
    'write the operator in the script, as in [ "$NAME" = "$OTHER" ]',
)
DELIMITER = Refusal(
    _PLACE,
    "stands in the word that ends a heredoc, where the shell replaces nothing",
    "write a fixed word there; NAME can stand in the lines, as ${NAME}",
)
ARRAY_TEXT = Refusal(
    _PLACE,
    "stands in a value that `declare` reads as code",
    'write the array as declare -a list=("$NAME")',
)
RANGE = Refusal(
    _PLACE,
    "stands in a range in braces, where the shell replaces nothing",
    'write $(seq 1 "$NAME")',
)
QUOTED_HEREDOC = Refusal(
    "run-quoted-heredoc",
    "stands in a heredoc whose delimiter is quoted, where the shell replaces nothing",
    "write ${NAME}, and take the quotes from the delimiter",
)


def code_of(program: str, instead: str) -> Refusal:
    """Return the refusal of an expression that would become code of a program."""
    return Refusal("run-interpreted-expression", f"would become code of `{program}`", instead)
