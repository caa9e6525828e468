"""Located nodes to plain data: what validators and JSON writers take."""

from __future__ import annotations

from typing import Self

from compiler.document.nodes import Json, Mapping, Node, Scalar


class SourceInt(int):
    """A whole number that remembers how it was written."""

    text: str

    def __new__(cls, value: int, text: str) -> Self:
        """Return `value`, written as `text`."""
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[SourceInt], tuple[int, str]]:
        return SourceInt, (int(self), self.text)


class SourceFloat(float):
    """A number with a fraction or exponent that remembers how it was written: `3.10`, `1e3`."""

    text: str

    def __new__(cls, value: float, text: str) -> Self:
        """Return `value`, written as `text`."""
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[SourceFloat], tuple[float, str]]:
        return SourceFloat, (float(self), self.text)


def to_plain(node: Node) -> Json:
    """Return `node` as dicts (keys as text), lists and scalars, each call a fresh copy.

    Numbers come as `SourceInt` and `SourceFloat`, so that a text field can keep `3.10` as
    written.
    """
    if isinstance(node, Scalar):
        value = node.value
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, int):
            return SourceInt(value, node.text)
        return SourceFloat(value, node.text)
    if isinstance(node, Mapping):
        return {key.text: to_plain(value) for key, value in node.entries}
    return [to_plain(item) for item in node.items]
