"""Outputs of a step: what a script wrote, and what comes of it with the author's own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from functions.domain.errors import OutputMissing, ValidationError
from protocol.payloads import ActionCall, Json

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_OWN_OUTPUT = 4  # ["ref", "steps", step, "outputs", name]
MOST_BYTES = 1_048_576
"""Of the file a script writes its outputs to."""


def parse_output_file(text: str) -> dict[str, str]:
    """Return the outputs in a `$GITHUB_OUTPUT` file: `name=value` and `name<<END` ... `END`.

    A later value of a name replaces an earlier one. Raises ValidationError where a line is
    neither, quoting it.
    """
    outputs: dict[str, str] = {}
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at].removesuffix("\r")
        at += 1
        if not line.strip():
            continue
        name, value, at = _entry(line, lines, at)
        if not _NAME.fullmatch(name):
            raise ValidationError(f"'{name}' is not a name an output can have, in line {at}")
        outputs[name] = value
    return outputs


def _entry(line: str, lines: list[str], at: int) -> tuple[str, str, int]:
    heredoc, equals = line.find("<<"), line.find("=")
    if heredoc != -1 and (equals == -1 or heredoc < equals):
        name, end = line[:heredoc], line[heredoc + 2 :]
        for stop in range(at, len(lines)):
            if lines[stop].removesuffix("\r") == end:
                return name, "\n".join(lines[at:stop]), stop + 1
        raise ValidationError(f"the output '{name}' has no closing line '{end}'")
    if equals == -1:
        raise ValidationError(
            f"'{line[:80]}' in the output file is neither name=value nor name<<END"
        )
    return line[:equals], line[equals + 1 :], at


def final_outputs(
    call: ActionCall, given: Mapping[str, Json], derived: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the step's outputs: what it gave, else the author's literals; expressions win.

    Raises OutputMissing where a declared output has no value from anywhere.
    """
    outputs = {**call.get("defaults", {}), **given, **call.get("computed", {}), **derived}
    missing = [name for name in call.get("outputs", ()) if name not in outputs]
    missing += [n for n, value in derived.items() if value is None and _is_own(call, n)]
    if missing:
        names = ", ".join(f"'{name}'" for name in missing)
        noun = "output" if len(missing) == 1 else "outputs"
        raise OutputMissing(f"step '{call['step']}' did not write its {noun} {names}")
    return outputs


def _is_own(call: ActionCall, name: str) -> bool:
    """Return whether an output is declared as what the step itself wrote, and nothing more."""
    portable = call.get("derived", {}).get(name)
    return isinstance(portable, list) and portable[:_OWN_OUTPUT] == [
        "ref",
        "steps",
        call["step"],
        "outputs",
    ]
