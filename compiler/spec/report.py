"""Mistakes become diagnostics: what was found, in the words of YAML, at the place it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Named
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from compiler.diagnostics import Diagnostics, Label
from compiler.document.nodes import Document, Lost, Mapping, Node, Path, Scalar
from compiler.source import Span
from compiler.spec import keys, pasted, prune
from compiler.spec.written.parts import Written

M = TypeVar("M", bound=Written)
_LONGEST = 40
_ROUNDS = 4  # what is left out uncovers a mistake around it, or a renamed key one inside
_WANTED = {
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
}


@dataclass(frozen=True, slots=True)
class Read(Generic[M]):
    """What could be read of a mapping; `broken` if anything in it was reported."""

    value: M | None
    plain: dict[str, JsonValue]
    broken: bool


@dataclass(frozen=True, slots=True)
class Readable:
    """A mapping as written, what of it is good, and the paths of what was left out, as written."""

    plain: dict[str, JsonValue]
    good: dict[str, JsonValue]
    cut: set[Path] = field(default_factory=set)


class Reporter:
    """Reports mistakes by their paths in one document."""

    def __init__(self, document: Document, diagnostics: Diagnostics) -> None:
        self.document = document
        self.diagnostics = diagnostics
        self._untold = 0  # mistakes that only follow from one of the file's form
        self._guessed: set[Path] = set()  # keys, as written, that perhaps mean another

    def error(
        self,
        code: str,
        path: Path,
        message: str,
        help_: str | None = None,
        labels: Sequence[Label] = (),
    ) -> None:
        """Report a mistake in the value at `path`, unless what stands there was not read."""
        if self.lost(path):
            self._untold += 1
            return
        self.diagnostics.error(code, self.value(path), message, help=help_, labels=labels)

    def error_at_key(
        self,
        code: str,
        path: Path,
        message: str,
        help_: str | None = None,
        labels: Sequence[Label] = (),
    ) -> None:
        """Report a mistake about the key itself, unless it was not read."""
        key = self.document.key(path)
        if key is not None and isinstance(key.value, Lost):
            self._untold += 1
            return
        self.diagnostics.error(code, self.key(path), message, help=help_, labels=labels)

    @property
    def count(self) -> int:
        """How many mistakes there are so far."""
        return len(self.diagnostics) + self._untold

    def lost(self, path: Path) -> bool:
        """Whether the value at a path could not be read, which is reported already."""
        node = self.document.nearest(path)
        return isinstance(node, Scalar) and isinstance(node.value, Lost)

    def alias(self, path: Path, name: str | int, written: str | int) -> None:
        """Let what stands under `written` in the value at `path` be found under `name`."""
        self.document.aliases[(path, name)] = written

    def subject(self, path: Path) -> str:
        """Return what a message calls the value at a path."""
        return subject(self.document.written(path))

    def value(self, path: Path) -> Span:
        """Return where a value stands; of a mapping, its first key."""
        node = self.document.nearest(path)
        if isinstance(node, Mapping) and node.entries:
            return node.entries[0][0].span
        if isinstance(node, Scalar) and node.span.start == node.span.end:
            return self._dash(node) if path and isinstance(path[-1], int) else self.key(path)
        return node.span

    def _dash(self, item: Scalar) -> Span:
        """Return where the dash of an empty item of a list stands."""
        at = self.document.source.text.rfind("-", 0, item.span.start)
        return Span(at, at + 1) if at >= 0 else item.span

    def key(self, path: Path) -> Span:
        """Return where the key at the end of a path stands."""
        found = self.document.key(path)
        if found is not None:
            return found.span
        return self.document.nearest(path[:-1]).span if path else self.document.root.span

    def label(self, path: Path, text: str) -> Label:
        """Return a label for the value at another path."""
        return self.diagnostics.label(self.value(path), text)

    def found(self, path: Path) -> str:
        """Return what stands at a path, in the words of YAML."""
        return describe(self.document.nearest(path))

    def wrong_type(self, path: Path, wanted: str, help_: str | None = None) -> None:
        """Report a value of another type than `wanted`."""
        found = self.found(path)
        message = f"{self.subject(path)} is {found}, but must be {wanted}"
        if found == "empty":
            message = f"{self.subject(path)} has no value"
            is_item = bool(path) and isinstance(path[-1], int)
            instead = "write it, or take the dash out" if is_item else None
            help_ = instead or help_ or "write a value, or leave the key out"
        help_ = help_ or keys.help_for(path, self.document.nearest(path))
        self.error("wrong-type", path, message, help_)

    # --- mappings ---------------------------------------------------------------------------

    def read(self, model: type[M], plain: JsonValue, path: Path) -> Read[M]:
        """Check a mapping against its model and report every mistake in it.

        What has mistakes is left out of what is returned, and no more than that; `value` is None
        if a key that must be there is not, or was left out.
        """
        if not isinstance(plain, dict):
            named = "" if model.place.startswith("`") else f", {model.place}"
            self.wrong_type(path, f"a mapping{named}")
            return Read(None, {}, broken=True)
        good, broken = self.known(model, plain, path)
        try:
            return Read(model.model_validate(good), good, broken)
        except ValidationError as error:
            return self._without_mistakes(model, path, Readable(plain, good), error)

    def _without_mistakes(
        self, model: type[M], path: Path, part: Readable, error: ValidationError
    ) -> Read[M]:
        """Report what a validation found, leave it out, and validate the rest, time and again."""
        for _ in range(_ROUNDS):
            if not self._take_out(error, model, path, part):
                return Read(None, part.good, broken=True)
            try:
                return Read(model.model_validate(part.good), part.good, broken=True)
            except ValidationError as next_error:
                error = next_error
        bad = {detail["loc"][0] for detail in error.errors() if detail["loc"]}
        rest = {key: value for key, value in part.good.items() if key not in bad}
        try:
            return Read(model.model_validate(rest), rest, broken=True)
        except ValidationError:
            return Read(None, rest, broken=True)

    def known(
        self, model: type[Written], plain: dict[str, JsonValue], path: Path
    ) -> tuple[dict[str, JsonValue], bool]:
        """Report unknown keys; return the known ones with their values, and if there were any.

        A key that only has another spelling, or another tool's name, counts under its name here,
        so that no mistakes follow from it. Values that could not be read are left out.
        """
        good: dict[str, JsonValue] = {}
        written: dict[str, str] = {}
        broken = False
        known = keys.allowed(model)
        for key, value in plain.items():
            if key in known:
                good[key] = value
            elif key == "continue-on-failure" and "continue_on_failure" in known:
                written["continue_on_failure"] = key
            else:
                broken = True
                name = self.unknown_key(model, key, path, plain)
                if name is not None and keys.may_mean(name, value):
                    written.setdefault(name, key)
        for name, key in written.items():
            if name not in plain:
                good[name] = plain[key]
                self.alias(path, name, key)
        lost = [key for key, value in good.items() if isinstance(value, Lost)]
        for key in lost:
            del good[key]
        return good, broken or bool(lost)

    def unknown_key(
        self, model: type[Written], key: str, path: Path, beside: Named[str, JsonValue]
    ) -> str | None:
        """Report a key that a mapping does not have; return the one it stands for, if any.

        `beside` is the mapping.
        """
        at = (*path, key)
        message = f"`{key}` is not a key of {model.place}"
        name = keys.spelled(model, key)
        if name is not None:
            help_ = f"leave it out: `{name}` is there too" if name in beside else f"write `{name}`"
            self.error_at_key("unknown-key", at, message, help_)
            return name
        said, other = pasted.advice(model, key, beside.get(key)), keys.foreign(model, key)
        if said is not None or other is not None:
            self.error_at_key("foreign-key", at, message, said or (other and other[1]))
            return other[0] if other is not None and other[0] in keys.allowed(model) else None
        owner = keys.elsewhere(model, key)
        help_ = f"`{key}` belongs to {owner}" if owner else keys.advice(model, key)
        self.error_at_key("unknown-key", at, message, help_)
        guessed = None if owner else keys.mistyped(model, key)
        if guessed is not None:
            self._guessed.add(at)
        return guessed

    def _take_out(
        self, error: ValidationError, model: type[Written], path: Path, part: Readable
    ) -> bool:
        """Report what a validation found and take it out; return whether that changed anything."""
        cuts: list[Path] = []
        renamed = False
        for detail in error.errors(include_url=False, include_input=False):
            loc = tuple(p for p in detail["loc"] if not (isinstance(p, str) and p.startswith("<")))
            kind = detail["type"]
            if kind == "missing":
                if not self._explained(model, path, loc, part):
                    self._missing(model, path, loc)
                cuts.append(loc[:-1])
            elif kind == "extra_forbidden":
                self._rename(model, path, loc, part)
                renamed = True
            else:
                self._detail(detail, (*path, *loc))
                cuts.append(loc)
        part.cut.update(self.document.written((*path, *loc)) for loc in cuts)
        for at, index, before in prune.take_out(part.good, cuts):
            self._move((*path, *at), index, before)
        return renamed or any(cuts)

    def _explained(self, model: type[Written], path: Path, loc: Path, part: Readable) -> bool:
        """Whether it is reported already why a key that must be there is not."""
        if self.document.written((*path, *loc)) in part.cut:
            return True
        if len(loc) > 1:
            return False
        key = str(loc[0])
        return isinstance(part.plain.get(key), Lost) or any(
            other in part.plain for other in model.instead.get(key, ())
        )

    def _move(self, path: Path, index: int, before: int) -> None:
        """Let an item of a list, and what is inside it, be found under another index."""
        aliases = self.document.aliases
        here, there = (*path, index), (*path, before)
        aliases[(path, index)] = aliases.get((path, before), before)
        inside = [key for key in aliases if key[0][: len(here)] in (here, there)]
        for above, part in inside:
            written = aliases.pop((above, part))
            if above[: len(there)] == there:
                aliases[((*here, *above[len(there) :]), part)] = written

    def _rename(self, model: type[Written], path: Path, loc: Path, part: Readable) -> None:
        """Report a key of a mapping inside, and let it stand for the one it means."""
        names = tuple(part for part in loc[:-1] if isinstance(part, str))
        inner = prune.at(part.good, loc[:-1])
        key = str(loc[-1])
        if not isinstance(inner, dict) or key not in inner:
            return
        name = self.unknown_key(keys.nested(model, names), key, (*path, *loc[:-1]), inner)
        value = inner.pop(key)
        if name is not None and name not in inner and keys.may_mean(name, value):
            inner[name] = value
            self.alias((*path, *loc[:-1]), name, key)

    def _detail(self, detail: ErrorDetails, at: Path) -> None:
        kind = detail["type"]
        if self.document.written(at) in self._guessed:  # the key may be meant otherwise
            self._untold += 1
            return
        if kind in _WANTED:
            self.wrong_type(at, _WANTED[kind])
            return
        context = detail.get("ctx", {})
        say = str(context.get("say", "{key} cannot be {found}"))
        node = self.document.nearest(at)
        help_ = keys.fixed_name(at, node) if kind == "fixed-value" else None
        help_ = help_ or context.get("help") or keys.help_for(at, node)
        text = say.replace("{key}", self.subject(at)).replace("{found}", self.found(at))
        if "{found}" in say and self.found(at) == "empty":
            text = f"{self.subject(at)} has no value"
        self.error(kind if "say" in context else "wrong-type", at, text, help_ or None)

    def _missing(self, model: type[Written], path: Path, loc: Path) -> None:
        key = str(loc[-1])
        names = tuple(part for part in loc[:-1] if isinstance(part, str))
        owner = keys.nested(model, names)
        about = next(
            (f.description for n, f in owner.model_fields.items() if key in (n, f.alias)), None
        )
        help_ = f"add `{key}:`" + (f" ({about[0].lower()}{about[1:]})" if about else "")
        self.error("missing-key", (*path, *loc[:-1]), f"{owner.place} needs `{key}`", help_)


def subject(path: Path) -> str:
    """Return what a message calls the value at a path: its key, or "an item of" its key."""
    for index in range(len(path) - 1, -1, -1):
        part = path[index]
        if isinstance(part, str):
            return f"`{part}`" if index == len(path) - 1 else f"an item of `{part}`"
    return "the file"


def describe(node: Node) -> str:
    """Return what a node is, in the words of YAML: "the text 'x'", "a list", "true"."""
    if isinstance(node, Mapping):
        return "a mapping" if node.entries else "an empty mapping"
    if not isinstance(node, Scalar):
        return "a list" if node.items else "an empty list"
    value = node.value
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return node.text
    if isinstance(value, int | float):
        return f"the number {node.text}"
    return quoted(value)


def quoted(text: str) -> str:
    """Return a text as a message shows it: its first line, cut at 40 characters."""
    first = text.strip().split("\n", 1)[0]
    if first != text.strip() or len(first) > _LONGEST:
        first = first[:_LONGEST] + "..."
    return f"the text '{first}'"


def plain_list(value: JsonValue) -> Iterable[tuple[int, JsonValue]]:
    """Return the items of a list with their indices; nothing for all else."""
    return enumerate(value) if isinstance(value, list) else ()
