"""Which line of a failed script's talk tells most about the failure."""

from __future__ import annotations

import re

_TEST = re.compile(r"^(?:FAILED|ERROR) \S+.*", re.MULTILINE)
_RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt)\b.*", re.MULTILINE)
_WORDS = re.compile(
    r"^.*\b(?:error|fatal|failed|failure|cannot|denied)\b.*$", re.IGNORECASE | re.MULTILINE
)
_LONGEST = 400
TAIL = 2_000


def telling_line(stderr: str, stdout: str) -> str | None:
    """Return the line to put first, or None where the script said nothing.

    Failed tests as pytest lists them come first, then an exception's own line, then a line
    that speaks of an error, then the last words.
    """
    tests: list[str] = [match.strip() for match in _TEST.findall(stdout) + _TEST.findall(stderr)]
    if tests:
        more = f" (and {len(tests) - 1} more)" if len(tests) > 1 else ""
        return tests[0][:_LONGEST] + more
    for pattern, text in ((_RAISED, stderr), (_WORDS, stderr), (_RAISED, stdout), (_WORDS, stdout)):
        found = pattern.findall(text)
        if found:
            return str(found[-1]).strip()[:_LONGEST]
    words = (stderr.strip() or stdout.strip()).splitlines()
    return words[-1].strip()[:_LONGEST] if words else None


def failure_text(headline: str, exit_code: int, stderr: str, stdout: str) -> str:
    """Return an error's text: the headline, the exit code, the last of what was said.

    A retry condition of the compiled machine looks for `status_code=N` in it.
    """
    parts = [headline, f"exit code {exit_code} (status_code={exit_code})"]
    for name, text in (("stderr", stderr), ("stdout", stdout)):
        tail = text.strip()[-TAIL:]
        if tail:
            parts.append(f"--- {name}\n{tail}")
    return "\n".join(parts)
