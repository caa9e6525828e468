"""A bash script as far as the compiler has to understand it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

DYNAMIC = "\0"
"""Stands in a word's value for what only the running shell knows."""


class Quoting(Enum):
    """How the text around an expression is quoted."""

    BARE = auto()
    DOUBLE = auto()
    SINGLE = auto()
    ANSI = auto()
    HEREDOC = auto()
    COMMENT = auto()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an expression cannot stand where it does.

    `why` follows the expression in a message; `instead` is what to write in the script once the
    value is in the variable NAME.
    """

    code: str
    why: str
    instead: str


@dataclass(slots=True)
class Hole:
    """An expression in a script.

    `at` is its place in the masked text; `vanishes` if it is (part of) a bare word of
    expressions only, which is no word if they are empty; `number` if the shell would evaluate
    its value as arithmetic.
    """

    at: int
    quoting: Quoting
    vanishes: bool = False
    number: bool = False
    refusal: Refusal | None = None

    def refuse(self, refusal: Refusal) -> None:
        """Refuse the expression; the first reason stays."""
        self.refusal = self.refusal or refusal


@dataclass(frozen=True, slots=True)
class Expansion:
    """A variable that the shell reads, at characters `start` to `end` of the masked text.

    `operator` is what says in braces what is done where it is not set: `:-`, `?` and the like.
    """

    name: str
    start: int
    end: int
    operator: str = ""


@dataclass(slots=True)
class Word:
    """A word of a command.

    `value` is its text without quotes, with `DYNAMIC` for each expansion and the mask's mark for
    each expression. `holes` are the expressions directly in it; `substitutions` the scripts in
    `$( )` and backticks, `processes` those in `<( )` and `>( )`.
    """

    start: int
    end: int = 0
    pieces: list[str] = field(default_factory=list)
    quoted: bool = False
    holes: list[Hole] = field(default_factory=list)
    elements: list[Word] = field(default_factory=list)
    substitutions: list[Script] = field(default_factory=list)
    processes: list[Script] = field(default_factory=list)

    @property
    def value(self) -> str:
        """The word's text as the command gets it, as far as it is known."""
        return "".join(self.pieces)


@dataclass(slots=True)
class Redirect:
    """A redirection of `descriptor` (empty: the usual one); `body` is the text of a heredoc."""

    operator: str
    target: Word
    descriptor: str = ""
    body: Word | None = None


@dataclass(slots=True)
class Command:
    """A simple command, or a compound one, whose commands are `body`.

    `keyword` is empty for a simple command, else `if`, `for`, `case`, `[[`, `((`, `(`, ...;
    `words` of a compound command are those of its header.
    """

    keyword: str = ""
    assignments: list[Word] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    body: Script = field(default_factory=lambda: Script([]))

    def all_words(self) -> Iterator[Word]:
        """Yield every word directly in the command, those of its redirections included."""
        for word in (*self.assignments, *self.words):
            yield word
            yield from word.elements
        for redirect in self.redirects:
            yield redirect.target
            if redirect.body is not None:
                yield redirect.body


@dataclass(slots=True)
class Script:
    """Pipelines, each a list of commands, in the order written."""

    pipelines: list[list[Command]]

    def commands(self) -> Iterator[Command]:
        """Yield the commands outside substitutions, compound ones before those in them."""
        for pipeline in self.pipelines:
            for command in pipeline:
                yield command
                yield from command.body.commands()

    def scripts(self) -> Iterator[Script]:
        """Yield this script and those in the substitutions of its words, on all levels."""
        yield self
        for command in self.commands():
            for word in command.all_words():
                for inner in (*word.substitutions, *word.processes):
                    yield from inner.scripts()


class BrokenScriptError(Exception):
    """The script's syntax is wrong at characters `start` to `end` of the masked text."""

    def __init__(self, start: int, end: int, message: str, help: str) -> None:
        super().__init__(message)
        self.start, self.end, self.message, self.help = start, end, message, help
