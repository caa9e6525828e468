"""Durations: `30s`, `15m`, `72h`, `3d`, or ISO 8601 of days and smaller, as whole seconds."""

from __future__ import annotations

import re

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST = 365 * 86400  # an execution of a standard state machine ends after a year

SHORT = r"[0-9]+[smhd]"
ISO = r"P(?=[0-9T])([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+S)?)?"
PATTERN = f"^({SHORT}|{ISO})$"

_SHORT = re.compile(r"([0-9]{1,12})([smhd])")
_ISO = re.compile(
    r"P(?=[0-9T])(?:([0-9]{1,12})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,12})H)?(?:([0-9]{1,12})M)?(?:([0-9]{1,12})S)?)?"
)
_LOOSE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)")
_COMPOUND = re.compile(r"(?:[0-9]{1,12}[smhd]\s*){2,8}")
_WORDS = (
    ("ms", "millisecond", "milliseconds", "msec"),
    ("s", "sec", "secs", "second", "seconds"),
    ("m", "min", "mins", "minute", "minutes"),
    ("h", "hr", "hrs", "hour", "hours"),
    ("d", "day", "days"),
    ("w", "wk", "week", "weeks"),
    ("mo", "mon", "month", "months"),
    ("y", "yr", "year", "years"),
)
_SECONDS = (0.001, 1, 60, 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400)
_EXAMPLES = "write a number with its unit: 30s, 15m, 72h or 3d"


class DurationError(ValueError):
    """What is wrong with a duration (`args[0]`, to stand after its name) and what to write."""

    def __init__(self, problem: str, help_: str) -> None:
        super().__init__(problem)
        self.help = help_


def seconds(text: str) -> int:
    """Return the seconds of a duration as the language writes it; raise `DurationError`."""
    found = _SHORT.fullmatch(text)
    if found:
        total = int(found[1]) * UNITS[found[2]]
    else:
        iso = _ISO.fullmatch(text)
        if iso is None:
            raise DurationError("is not a duration", suggestion(text))
        days, hours, minutes, rest = (int(part or 0) for part in iso.groups())
        total = days * 86400 + hours * 3600 + minutes * 60 + rest
    if total > LONGEST:
        raise DurationError(
            "is longer than a year, the longest that a run may take", "at most 365d"
        )
    return total


def shown(total: int) -> str:
    """Return a duration as one writes it: 5400 is `90m`."""
    for unit in ("d", "h", "m"):
        if total and total % UNITS[unit] == 0:
            return f"{total // UNITS[unit]}{unit}"
    return f"{total}s"


def suggestion(text: str) -> str:
    """Return what to write instead of a text that is no duration."""
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,12}", text):
        return f"a bare number has no unit; write {text}s, {text}m, {text}h or {text}d"
    if _COMPOUND.fullmatch(text):
        total = sum(int(n) * UNITS[u] for n, u in re.findall(r"([0-9]+)([smhd])", text))
        return f"write one number and one unit: {shown(total)}"
    loose = _LOOSE.fullmatch(text)
    unit = _unit(loose[2]) if loose else None
    if loose is None or unit is None:
        return _suggest_iso(text)
    amount = float(loose[1]) * _SECONDS[unit]
    if unit == 0 or amount < 1:
        return f"durations are whole seconds; write {max(1, round(amount))}s"
    if unit >= len(_WORDS) - 2:
        return f"months and years have no fixed length; write days, such as {shown(round(amount))}"
    return f"write {shown(round(amount))}"


def _unit(word: str) -> int | None:
    for index, words in enumerate(_WORDS):
        if word in words or (word.lower() in words and word != "M"):
            return index
    return 2 if word == "M" else None


def _suggest_iso(text: str) -> str:
    if re.match(r"P[0-9.]+[YMW]", text):
        return "years, months and weeks are not taken; write days, such as 30d or P30D"
    return _EXAMPLES
