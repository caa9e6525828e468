"""The YAML parser's events, as far as this pass reads them.

libyaml's parser where PyYAML was built with it, else PyYAML's own, which is slower and gives the
same events.
"""

from __future__ import annotations

from typing import Final, Protocol, cast

import yaml
from yaml.parser import Parser as _PyParser
from yaml.reader import Reader
from yaml.scanner import Scanner


class Mark(Protocol):
    """A place: characters from the start of the text."""

    @property
    def index(self) -> int:
        """The offset."""
        ...


class Event(Protocol):
    """What all events have in common, and (`anchor` on) what those of nodes have."""

    start_mark: Mark
    end_mark: Mark
    anchor: str | None
    tag: str | None
    value: str
    style: str | None


class Parser(Protocol):
    """Gives one event after the other; raises `yaml.YAMLError` where the text is no YAML."""

    def get_event(self) -> Event:
        """Return the next event."""
        ...

    def dispose(self) -> None:
        """Let go of what the parser holds."""
        ...


SCALAR: Final[type[object]] = yaml.ScalarEvent
ALIAS: Final[type[object]] = yaml.AliasEvent
MAPPING_START: Final[type[object]] = yaml.MappingStartEvent
SEQUENCE_START: Final[type[object]] = yaml.SequenceStartEvent
DOCUMENT_START: Final[type[object]] = yaml.DocumentStartEvent
STREAM_END: Final[type[object]] = yaml.StreamEndEvent


class PythonParser(Reader, Scanner, _PyParser):
    """PyYAML's parser in Python."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        _PyParser.__init__(self)


_PARSER: Final = getattr(getattr(yaml, "cyaml", None), "CParser", PythonParser)


def parser_of(text: str) -> Parser:
    """Return a parser at the start of `text`."""
    return cast("Parser", _PARSER(text))
