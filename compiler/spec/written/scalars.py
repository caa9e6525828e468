"""The leaves of the language: what a text, a flag, a number or a duration may be written as.

A validator here raises `PydanticCustomError` whose type is one of our codes. Its context has `say`
(with `{key}` for the key's name and `{found}` for what stands there) and `help`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BeforeValidator, JsonValue, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from compiler.spec.durations import PATTERN, DurationError, seconds

T = TypeVar("T")
OPEN = "${{"
_SECRET = re.compile(r"\$\{\{\s*secrets\.([A-Za-z0-9_-]+)\s*\}\}")


def wrong(code: str, say: str, help_: str | None = None) -> PydanticCustomError:
    """Return an error of one of our codes."""
    return PydanticCustomError(code, "{say}", {"say": say, "help": help_})


def wrong_type(wanted: str, help_: str | None = None) -> PydanticCustomError:
    """Return the error for a value of another type than `wanted`."""
    return wrong("wrong-type", f"{{key}} is {{found}}, but must be {wanted}", help_)


def filled(value: object) -> object:
    """Refuse a key without a value."""
    if value is None:
        raise wrong("wrong-type", "{key} has no value", "write a value, or leave the key out")
    return value


Maybe = Annotated[T | None, BeforeValidator(filled)]


def source_text(value: object) -> str | None:
    """Return a text or a number as it was written (3.10 stays `3.10`), None for all else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    written = getattr(value, "text", None)
    return written if isinstance(written, str) else str(value)


def _text(value: object) -> str:
    text = source_text(value)
    if text is None:
        if isinstance(value, bool):
            raise wrong_type("text", f'quote it: "{str(value).lower()}"')
        raise wrong_type("text")
    return text


def _word(value: object) -> str:
    text = _text(value)
    if not text.strip():
        raise wrong("wrong-type", "{key} is empty", "write a text that says something")
    return text


def _fixed(value: object) -> str:
    text = _word(value)
    if OPEN in text:
        secret = _SECRET.fullmatch(text.strip())
        raise wrong(
            "fixed-value",
            "{key} holds an expression, but must be known before the run",
            # never the advice to write a secret's value into a file
            f"write the secret's name alone: {secret[1]}" if secret else "write the value itself",
        )
    return text


def _expression(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = source_text(value)
    if text is None:
        raise wrong_type("an expression", "write it as text, such as ${{ inputs.x == 'y' }}")
    if not text.strip():
        raise wrong("wrong-type", "{key} is empty", "write an expression, or leave the key out")
    return text


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise wrong_type("true or false", flag_help(value))


def flag_help(value: object) -> str | None:
    """Return what to write for a value that was to be true or false."""
    if isinstance(value, str) and value.lower() in ("yes", "on", "y", "true"):
        return "write true; yes, on and quoted words are text in YAML 1.2"
    if isinstance(value, str) and value.lower() in ("no", "off", "n", "false"):
        return "write false; no, off and quoted words are text in YAML 1.2"
    if isinstance(value, str) and OPEN in value:
        return "an expression cannot stand here: this is decided before the run"
    return None


def _whole(least: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            help_ = "write it without quotes" if _digits(value) else None
            raise wrong_type("a whole number", help_)
        if value < least:
            raise wrong("out-of-range", f"{{key}} is {{found}}, but must be at least {least}")
        return int(value)

    return check


def _digits(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()


def _rate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type("a number, or a mapping of type, base_delay and max_delay")
    if not 1 <= value <= 100:
        raise wrong("out-of-range", "{key} is {found}, but must be from 1 to 100")
    return float(value)


def _duration(value: object) -> int:
    if isinstance(value, bool) or (source_text(value)) is None:
        raise wrong_type("a duration", "write a number with its unit: 30s, 15m, 72h or 3d")
    text = source_text(value) or ""
    if OPEN in text:
        raise wrong(
            "fixed-value",
            "{key} holds an expression, but must be known before the run",
            "write a duration, such as 15m",
        )
    try:
        return seconds(text)
    except DurationError as error:
        raise wrong("bad-duration", f"{{key}} is {{found}}, which {error}", error.help) from None


def _positive_duration(value: object) -> int:
    total = _duration(value)
    if total == 0:
        raise wrong("out-of-range", "{key} is no time at all", "write at least 1s")
    return total


def _pause(value: object) -> int | str:
    text = source_text(value)
    if text is not None and OPEN in text:
        return text
    return _duration(value)


def _mapping(value: object) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise wrong_type("a mapping of names to values")
    return value


def one_of(
    *choices: str, why: Callable[[str], str | None] | None = None
) -> Callable[[object], str]:
    """Return a validator that takes one of some words; `why` explains one that is not."""

    def check(value: object) -> str:
        if isinstance(value, str) and value in choices:
            return value
        help_ = None
        text = str(value).lower() if isinstance(value, bool) else value
        if isinstance(text, str):
            help_ = (why(text) if why else None) or did_you_mean(text, choices)
        raise wrong("unknown-value", f"{{key}} is {{found}}, but must be {either(choices)}", help_)

    return check


def choice(
    *choices: str, why: Callable[[str], str | None] | None = None
) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return the annotations of a field that takes one of some words."""
    return BeforeValidator(one_of(*choices, why=why)), WithJsonSchema({"enum": list(choices)})


def either(words: Sequence[str]) -> str:
    """Return words as one enumerates them: `a`, `b` or `c`."""
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def did_you_mean(word: str, choices: Sequence[str]) -> str | None:
    """Return a question for the nearest choice, or None if none is near."""
    near = nearest(word, choices)
    return f"did you mean `{near}`?" if near else None


def nearest(word: str, choices: Sequence[str], cutoff: float = 0.7) -> str | None:
    """Return the choice that a mistyped word most likely means."""
    folded = {c.lower().replace("-", "_"): c for c in choices}
    written = word.lower().replace("-", "_")
    found = difflib.get_close_matches(written, folded, n=1, cutoff=cutoff)
    if found:
        return folded[found[0]]
    # Of a short word two letters in the wrong order are a third: `rnu`.
    return next((c for one, c in folded.items() if sorted(one) == sorted(written)), None)


def listed(value: object) -> object:
    """Let one text stand for a list of one."""
    return [value] if source_text(value) is not None else value


_TEXT = {"type": ["string", "number"]}
_DURATION = {"type": "string", "pattern": PATTERN, "examples": ["30s", "15m", "72h", "3d", "PT1H"]}
_EXPRESSION = {"type": ["string", "boolean", "number"]}

Text: TypeAlias = Annotated[str, PlainValidator(_text), WithJsonSchema(_TEXT)]
Word: TypeAlias = Annotated[str, PlainValidator(_word), WithJsonSchema(_TEXT)]
Fixed: TypeAlias = Annotated[str, PlainValidator(_fixed), WithJsonSchema(_TEXT)]
Expression: TypeAlias = Annotated[str, PlainValidator(_expression), WithJsonSchema(_EXPRESSION)]
Flag: TypeAlias = Annotated[bool, PlainValidator(_flag), WithJsonSchema({"type": "boolean"})]
Count: TypeAlias = Annotated[
    int, PlainValidator(_whole(1)), WithJsonSchema({"type": "integer", "minimum": 1})
]
CountOrNone: TypeAlias = Annotated[
    int, PlainValidator(_whole(0)), WithJsonSchema({"type": "integer", "minimum": 0})
]
Rate: TypeAlias = Annotated[
    float,
    PlainValidator(_rate),
    WithJsonSchema({"type": "number", "minimum": 1, "maximum": 100}),
]
Duration: TypeAlias = Annotated[int, PlainValidator(_positive_duration), WithJsonSchema(_DURATION)]
DurationOrNone: TypeAlias = Annotated[int, PlainValidator(_duration), WithJsonSchema(_DURATION)]
Pause: TypeAlias = Annotated[
    int | str,
    PlainValidator(_pause),
    WithJsonSchema({"anyOf": [_DURATION, {"type": "string", "pattern": r"\$\{\{"}]}),
]
Free: TypeAlias = Annotated[
    dict[str, JsonValue], PlainValidator(_mapping), WithJsonSchema({"type": "object"})
]
Anything: TypeAlias = Annotated[JsonValue, PlainValidator(lambda value: value), WithJsonSchema({})]

_LIST = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
Texts: TypeAlias = Annotated[tuple[Word, ...], BeforeValidator(listed), WithJsonSchema(_LIST)]
FixedTexts: TypeAlias = Annotated[tuple[Fixed, ...], BeforeValidator(listed), WithJsonSchema(_LIST)]
