"""A step's form, a JSON Schema, as fields of a page.

What is in the schema and is no field of HTML (nested objects, lists of anything) is asked for as
JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from functions.http.form_values import (
    DATE_TIME,
    LOCAL,
    PREFIX,
    Kind,
    is_long,
    items_of,
    kind_of,
    options_of,
    properties_of,
    required_of,
    token_of,
    type_of,
)
from functions.http.html import Html, Part, joined, tag
from protocol.payloads import Json

_FEW = 4
"""Choices shown all at once; more are a list that opens."""
_INPUTS = {
    "date": "date", "date-time": "datetime-local", "email": "email", "uri": "url", "time": "time",
}  # fmt: skip
_AUTOCOMPLETE = {"email": "email", "uri": "url"}
_HOW: dict[Kind, str] = {
    "lines": "One a line.",
    "json": "As JSON: {…}, […], a number, or a text in quotes.",
}


def fields(
    schema: Mapping[str, Json] | None,
    sent: Mapping[str, Sequence[str]],
    problems: Mapping[str, str],
) -> list[Html]:
    """Return the fields of a form, with what was sent before and what was wrong with it.

    Nothing sent: the schema's defaults stand there. The first that is wrong has the focus.
    """
    required, asked = required_of(schema), properties_of(schema)
    first = next((name for name in asked if problems.get(name)), None)
    return [
        _field(
            name,
            one,
            sent.get(PREFIX + name, []) if sent else None,
            problems.get(name),
            is_required=name in required,
            is_first=name == first,
        )
        for name, one in asked.items()
    ]


def _field(
    name: str,
    schema: Mapping[str, Json],
    sent: Sequence[str] | None,
    problem: str | None,
    *,
    is_required: bool,
    is_first: bool,
) -> Html:
    kind = kind_of(schema)
    about = _Field(
        name=name,
        schema=schema,
        texts=list(sent) if sent is not None else _default(schema, kind),
        is_required=is_required,
        problem=problem,
        is_first=is_first,
    )
    if kind == "switch":
        return _switch(about)
    if kind == "choices" or (kind == "choice" and len(options_of(schema)) <= _FEW):
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
    is_first: bool = False

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
        told = {"about": self.schema.get("description"), "how": self.how, "problem": self.problem}
        return " ".join(f"{self.id}:{what}" for what, text in told.items() if text) or None

    @property
    def how(self) -> str | None:
        """Return how it is written, where that cannot be seen."""
        if self.schema.get("format") == DATE_TIME and kind_of(self.schema) == "text":
            return "In UTC."
        return _HOW.get(kind_of(self.schema))

    def label(self) -> Html:
        return tag("label", self.title, self.mark, for_=self.id)

    def hints(self) -> Html:
        description = self.schema.get("description")
        return joined(
            [
                tag("p", str(description), class_="hint", id=f"{self.id}:about")
                if description
                else None,
                tag("p", self.how, class_="hint", id=f"{self.id}:how") if self.how else None,
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
            "autofocus": self.is_first,
        }

    def limit(self, name: str) -> int | None:
        value = self.schema.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


def _input(about: _Field, kind: Kind) -> Html:
    schema, text = about.schema, about.texts[0] if about.texts else ""
    if kind in ("lines", "json") or is_long(schema):
        return tag("textarea", text, **about.attributes(), rows="4")
    if kind == "number":
        step = "1" if type_of(schema) == "integer" else "any"
        bounds = {
            "min": _text(schema.get("minimum")),
            "max": _text(schema.get("maximum")),
            "step": step,
            "inputmode": "numeric" if step == "1" else "decimal",
        }
        return tag("input", type="number", value=text, **about.attributes(), **bounds)
    named = str(schema.get("format"))
    shown = LOCAL.fullmatch(text.removesuffix("Z")) if named == DATE_TIME and text else None
    if named == DATE_TIME and text and not shown:
        named = ""  # of another zone, or none at all: a browser would not show it
    return tag(
        "input",
        type=_INPUTS.get(named, "text"),
        value=shown[0] if shown else text,
        step="1" if shown and shown[2] else None,
        **about.attributes(),
        minlength=about.limit("minLength"),
        maxlength=about.limit("maxLength"),
        autocomplete=_AUTOCOMPLETE.get(named, "off"),
    )


def _select(about: _Field) -> Html:
    options = [tag("option", "Choose …", value="")]
    options += [
        tag("option", token_of(one), value=token_of(one), selected=token_of(one) in about.texts)
        for one in options_of(about.schema)
    ]
    return tag("select", options, **about.attributes())


def _set(about: _Field, *, many: bool) -> Html:
    """Return choices that are all shown: of several, or of one."""
    options = options_of(items_of(about.schema) if many else about.schema)
    rows = [
        tag(
            "label",
            tag(
                "input",
                type="checkbox" if many else "radio",
                name=about.sent_as,
                value=token_of(one),
                checked=token_of(one) in about.texts,
                required=about.is_required and not many,
                aria_invalid="true" if about.problem else None,
                autofocus=about.is_first and not at,
            ),
            tag("span", token_of(one)),
            class_="option",
        )
        for at, one in enumerate(options)
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
        aria_invalid="true" if about.problem else None,
        autofocus=about.is_first,
    )
    label = tag("label", box, tag("span", about.title), class_="option", for_=about.id)
    return tag("div", label, about.hints(), class_="field")


def _default(schema: Mapping[str, Json], kind: Kind) -> list[str]:
    default = schema.get("default")
    if default is None or (kind == "switch" and default is not True):
        return []
    if kind == "choices":
        return [token_of(one) for one in default] if isinstance(default, list) else []
    if kind == "lines" and isinstance(default, list):
        return ["\n".join(str(one) for one in default)]
    return [json.dumps(default, ensure_ascii=False) if kind == "json" else token_of(default)]


def _text(value: Json) -> str | None:
    return None if value is None or isinstance(value, bool) else str(value)
