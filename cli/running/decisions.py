"""What people say in a local run: decisions given beforehand, and answers at the prompt."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from cli.console import Misuse
from cli.shown import shown
from compiler.spec.durations import DurationError, seconds
from protocol.reading import read_json

if TYPE_CHECKING:
    from functions.domain.task import Task
    from local.people import Said
    from protocol.payloads import Json
    from protocol.status import Rule

_PATIENCE = 0.2
"""Seconds between two looks at whether the run is over while a person thinks."""
_WORDS = {
    "approved": "[a]pprove", "rejected": "[r]eject", "retry": "[r]etry", "skip": "[s]kip",
    "fail": "[f]ail",
}  # fmt: skip


def read_decisions(
    written: Sequence[str], rules: Mapping[str, Rule], person: str | None
) -> dict[str, tuple[Said, ...]]:
    """Return the decisions of `--decide STEP=STATUS[:BY[:AFTER]]`, by step, in their order.

    `person` decides where nobody is named. Raises Misuse for what cannot be a decision.
    """
    found: dict[str, tuple[Said, ...]] = {}
    problems: list[str] = []
    for one in written:
        step, equals, text = one.partition("=")
        if not equals:
            problems.append(f"--decide {one}: write STEP=STATUS, as review=approved")
        elif step not in rules:
            problems.append(_no_step(step, rules))
        else:
            said, wrong = _said(one, text, rules[step], person)
            problems += wrong
            found[step] = (*found.get(step, ()), said)
    if problems:
        raise Misuse("\n".join(dict.fromkeys(problems)))
    return found


def not_filled_in(
    decisions: Mapping[str, Sequence[Said]], forms: Mapping[str, Mapping[str, Json]]
) -> list[str]:
    """Return a note for each step whose form asks for more than a decision here can give.

    `forms` has those of the steps with one.
    """
    from functions.domain.task_forms import form_problems

    notes: list[str] = []
    for step, schema in forms.items():
        said = [one for one in decisions.get(step, ()) if one.status == "approved"]
        problems = form_problems(schema, None) if said else ()
        if problems:
            notes.append(
                f"note: --decide {step}=approved is refused: the form of '{step}' is not filled in "
                f"({problems[0].removeprefix('/form: ')}). A decision of a scenario has a `form`; "
                f"with --keep DIR `stepsmith approve {step} --form NAME=VALUE --keep DIR` does"
            )
    return notes


def _said(one: str, text: str, rule: Rule, person: str | None) -> tuple[Said, list[str]]:
    """Return the decision that a text is, and all that is wrong with it."""
    from local.people import Said

    status, _, rest = text.partition(":")
    by, _, after = rest.partition(":")
    known = ("approved", "rejected") if rule.manual else ("retry", "skip", "fail")
    problems: list[str] = []
    if status not in known:
        problems.append(f"--decide {one}: '{status}' is none of {', '.join(known)}")
    if by and "@" not in by:
        problems.append(f"--decide {one}: '{by}' is no mail address; write STATUS:PERSON:AFTER")
    passes = 0.0
    try:
        passes = float(seconds(after)) if after else 0.0
    except DurationError as error:
        problems.append(f"--decide {one}: '{after}' {error}; {error.help}")
    return Said(status, by or person, after=passes), problems


def _no_step(step: str, rules: Mapping[str, Rule]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(step, rules, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"its steps are {', '.join(rules)}"
    return f"--decide: the workflow has no step '{step}'; {hint}"


class Prompt:
    """Asks whoever sits at the terminal about tasks, one at a time."""

    def __init__(self, stdin: TextIO, stream: TextIO, person: str | None) -> None:
        self._stdin = stdin
        self._stream = stream
        self._person = person
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._typed = b""

    def close(self) -> None:
        """Let a question that is still open be: the run is over."""
        self._over.set()
        if self._lock.locked():
            self._say("\n")

    def ask(self, task: Task) -> Said | None:
        """Return what the person says of a task; None where they leave it open."""
        from local.people import Said

        with self._lock:
            choices = ", ".join(_WORDS[answer] for answer in task.answers if answer in _WORDS)
            self._say(f"\n{shown(task.title)}\n")
            for line in (task.description or "").splitlines():
                self._say(f"{shown(line)}\n")
            status = self._choice(f"{choices}, or leave it [o]pen? ", task.answers)
            if status is None:
                return None
            form = self._form(task) if status in ("approved", "skip") else None
            comments = self._line("comment (may be empty): ")
            return Said(status, self._person, comments or None, form)

    def _choice(self, question: str, answers: tuple[str, ...]) -> str | None:
        while True:
            word = self._line(question)
            if word is None or word.casefold() in ("o", "open"):
                return None
            meant = [answer for answer in answers if word and answer.startswith(word.casefold())]
            if len(meant) == 1:
                return meant[0]

    def _form(self, task: Task) -> Json:
        """Return what is filled in, field by field; texts as they are, all else as JSON."""
        fields = (task.form or {}).get("properties")
        if not isinstance(fields, dict):
            return None
        filled: dict[str, Json] = {}
        for name, schema in fields.items():
            kind = schema.get("type", "string") if isinstance(schema, dict) else "string"
            text = self._line(f"{name} ({kind}, may be empty): ")
            if text:
                filled[name] = text if kind == "string" else _json(text)
        return filled

    def _line(self, question: str) -> str | None:
        """Return a line that was typed, None at the end of the input or of the run."""
        self._say(question)
        while b"\n" not in self._typed:
            if self._over.is_set():
                return None
            ready, _, _ = select.select([self._stdin], [], [], _PATIENCE)
            if ready:
                came = os.read(self._stdin.fileno(), 4096)
                if not came:
                    return None
                self._typed += came
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _say(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _json(text: str) -> Json:
    try:
        return read_json(text)
    except ValueError:
        return text
