"""A step's form, a JSON Schema, as fields of a page; and what was sent, as JSON again.

What is in the schema and is no field of HTML (nested objects, lists of anything) is asked for as
JSON. Whether a form is right says the domain, not the page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import quote

from functions.domain.json_text import storable
from functions.http.html import Html, Part, joined, tag
from protocol.payloads import Json

PREFIX = "form."
_FEW = 4
"""Choices shown all at once; more are a list that opens."""
_LONG = 200
_INPUTS = {"date": "date", "email": "email", "uri": "url", "time": "time"}
_AUTOCOMPLETE = {"email": "email", "uri": "url"}

_Kind: TypeAlias = Literal["text", "number", "switch", "choice", "choices", "lines", "json"]


@dataclass(frozen=True, slots=True)
class Filled:
    """What somebody has filled in: the form, and what is wrong with it by property."""

    form: dict[str, Json] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def properties_of(schema: Mapping[str, Json] | None) -> dict[str, dict[str, Json]]:
    """Return the properties that a form asks for."""
    found = (schema or {}).get("properties")
    if not isinstance(found, dict):
        return {}
    return {name: one if isinstance(one, dict) else {} for name, one in found.items()}


def fields(
    schema: Mapping[str, Json] | None,
    sent: Mapping[str, Sequence[str]],
    problems: Mapping[str, str],
) -> list[Html]:
    """Return the fields of a form, with what was sent before and what was wrong with it.

    Nothing sent: the schema's defaults stand there.
    """
    required = _required(schema)
    return [
        _field(name, one, sent.get(PREFIX + name) if sent else None, problems.get(name), required)
        for name, one in properties_of(schema).items()
    ]


def filled(schema: Mapping[str, Json] | None, sent: Mapping[str, Sequence[str]]) -> Filled:
    """Return the form that was sent. What is empty is left out."""
    found = Filled()
    required = _required(schema)
    for name, one in properties_of(schema).items():
        texts = [text.replace("\r\n", "\n") for text in sent.get(PREFIX + name, ())]
        try:
            value = _value(one, texts)
        except ValueError:
            found.problems[name] = _WRONG[_kind(one)]
            continue
        if value == [] and name not in required:
            continue
        if value is not None:
            found.form[name] = value
        elif name in required:
            found.problems[name] = "Please fill this in."
    return found


_WRONG: dict[_Kind, str] = {
    "text": "Please write a text.",
    "number": "Please write a number.",
    "switch": "Please choose.",
    "choice": "Please choose one of these.",
    "choices": "Please choose from these.",
    "lines": "Please write one a line.",
    "json": "Please write JSON.",
}


def _kind(schema: Mapping[str, Json]) -> _Kind:
    inner = _items(schema)
    named = schema.get("type")
    if "enum" in schema or "const" in schema:
        return "choice"
    if named in ("number", "integer"):
        return "number"
    if named == "boolean":
        return "switch"
    if named == "string":
        return "text"
    if named == "array" and isinstance(inner.get("enum"), list):
        return "choices"
    if named == "array" and inner.get("type") == "string":
        return "lines"
    return "json"


def _value(schema: Mapping[str, Json], texts: Sequence[str]) -> Json:
    """Return the value that texts of a field stand for, None for nothing; raises ValueError."""
    kind = _kind(schema)
    first = texts[0].strip() if texts else ""
    if kind == "switch":
        return bool(first)
    if kind == "choices":
        return [_chosen(text, _items(schema)) for text in texts]
    if not first:
        return None
    if kind == "number":
        whole = schema.get("type") == "integer"
        return int(first) if whole else _number(first)
    if kind == "choice":
        return _chosen(first, schema)
    if kind == "lines":
        return [line.strip() for line in texts[0].split("\n") if line.strip()]
    if kind == "json":
        return storable(first)
    return texts[0] if _is_long(schema) else first


def _number(text: str) -> float | int:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() and "e" not in text.lower() else number


def _chosen(text: str, schema: Mapping[str, Json]) -> Json:
    for option in _options(schema):
        if _token(option) == text:
            return option
    raise ValueError(text)


def _options(schema: Mapping[str, Json]) -> list[Json]:
    found = schema.get("enum")
    return found if isinstance(found, list) else [schema["const"]] if "const" in schema else []


def _items(schema: Mapping[str, Json]) -> Mapping[str, Json]:
    found = schema.get("items")
    return found if isinstance(found, dict) else {}


def _required(schema: Mapping[str, Json] | None) -> frozenset[str]:
    found = (schema or {}).get("required")
    return frozenset(str(one) for one in found) if isinstance(found, list) else frozenset()


def _token(option: Json) -> str:
    """Return what an option is called in the form that is sent; of a text, itself."""
    return option if isinstance(option, str) else json.dumps(option)


# --- how they look


def _field(
    name: str,
    schema: Mapping[str, Json],
    sent: Sequence[str] | None,
    problem: str | None,
    required: frozenset[str],
) -> Html:
    kind = _kind(schema)
    about = _Field(
        name=name,
        schema=schema,
        texts=list(sent) if sent is not None else _default(schema, kind),
        is_required=name in required,
        problem=problem,
    )
    if kind == "switch":
        return _switch(about)
    if kind == "choices" or (kind == "choice" and len(_options(schema)) <= _FEW):
        return _set(about, many=kind == "choices")
    control = _select(about) if kind == "choice" else _input(about, kind)
    return tag("div", about.label(), about.hints(), control, class_="field")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    schema: Mapping[str, Json]
    texts: list[str]
    is_required: bool
    problem: str | None

    @property
    def id(self) -> str:
        return PREFIX + quote(self.name, safe="")  # an id has no spaces

    @property
    def sent_as(self) -> str:
        return PREFIX + self.name

    @property
    def title(self) -> str:
        return str(self.schema.get("title") or self.name.replace("_", " ").capitalize())

    @property
    def mark(self) -> Part:
        return None if self.is_required else tag("span", " (optional)", class_="quiet")

    @property
    def described(self) -> str | None:
        ids = [f"{self.id}:about"] if self.schema.get("description") else []
        return " ".join([*ids, *([f"{self.id}:problem"] if self.problem else [])]) or None

    def label(self) -> Html:
        return tag("label", self.title, self.mark, for_=self.id)

    def hints(self) -> Html:
        description = self.schema.get("description")
        return joined(
            [
                tag("p", str(description), class_="hint", id=f"{self.id}:about")
                if description
                else None,
                tag("p", self.problem, class_="problem", id=f"{self.id}:problem")
                if self.problem
                else None,
            ]
        )

    def attributes(self) -> dict[str, str | bool | None]:
        return {
            "id": self.id,
            "name": self.sent_as,
            "required": self.is_required,
            "aria_describedby": self.described,
            "aria_invalid": "true" if self.problem else None,
        }

    def limit(self, name: str) -> int | None:
        value = self.schema.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


def _input(about: _Field, kind: _Kind) -> Html:
    schema, text = about.schema, about.texts[0] if about.texts else ""
    if kind in ("lines", "json") or _is_long(schema):
        return tag("textarea", text, **about.attributes(), rows="4")
    if kind == "number":
        step = "1" if schema.get("type") == "integer" else "any"
        bounds = {
            "min": _text(schema.get("minimum")),
            "max": _text(schema.get("maximum")),
            "step": step,
            "inputmode": "numeric" if step == "1" else "decimal",
        }
        return tag("input", type="number", value=text, **about.attributes(), **bounds)
    named = str(schema.get("format"))
    return tag(
        "input",
        type=_INPUTS.get(named, "text"),
        value=text,
        **about.attributes(),
        minlength=about.limit("minLength"),
        maxlength=about.limit("maxLength"),
        autocomplete=_AUTOCOMPLETE.get(named, "off"),
    )


def _select(about: _Field) -> Html:
    options = [tag("option", "Choose …", value="")]
    options += [
        tag("option", _token(one), value=_token(one), selected=_token(one) in about.texts)
        for one in _options(about.schema)
    ]
    return tag("select", options, **about.attributes())


def _set(about: _Field, *, many: bool) -> Html:
    """Return choices that are all shown: of several, or of one."""
    options = _options(_items(about.schema) if many else about.schema)
    rows = [
        tag(
            "label",
            tag(
                "input",
                type="checkbox" if many else "radio",
                name=about.sent_as,
                value=_token(one),
                checked=_token(one) in about.texts,
                required=about.is_required and not many,
            ),
            tag("span", _token(one)),
            class_="option",
        )
        for one in options
    ]
    legend = tag("legend", about.title, about.mark)
    return tag(
        "fieldset",
        legend,
        about.hints(),
        rows,
        class_="field",
        aria_describedby=about.described,
    )


def _switch(about: _Field) -> Html:
    box = tag(
        "input",
        type="checkbox",
        id=about.id,
        name=about.sent_as,
        value="true",
        checked=bool(about.texts),
        aria_describedby=about.described,
    )
    label = tag("label", box, tag("span", about.title), class_="option", for_=about.id)
    return tag("div", label, about.hints(), class_="field")


def _default(schema: Mapping[str, Json], kind: _Kind) -> list[str]:
    default = schema.get("default")
    if default is None or (kind == "switch" and default is not True):
        return []
    if kind == "choices":
        return [_token(one) for one in default] if isinstance(default, list) else []
    if kind == "lines" and isinstance(default, list):
        return ["\n".join(str(one) for one in default)]
    return [json.dumps(default, ensure_ascii=False) if kind == "json" else _token(default)]


def _is_long(schema: Mapping[str, Json]) -> bool:
    longest = schema.get("maxLength")
    return schema.get("format") == "textarea" or (isinstance(longest, int) and longest > _LONG)


def _text(value: Json) -> str | None:
    return None if value is None or isinstance(value, bool) else str(value)
