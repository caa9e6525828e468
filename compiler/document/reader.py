"""A source to its documents, on libyaml's parser."""

from __future__ import annotations

import re
from typing import Final

import yaml

from compiler.diagnostics import Diagnostics
from compiler.document import limits
from compiler.document.composer import Composer, Refused
from compiler.document.encoding import mend_characters
from compiler.document.nodes import Document, Mapping, Scalar
from compiler.document.parser import DOCUMENT_START, STREAM_END, Event, parser_of
from compiler.document.repair import Mended
from compiler.document.syntax import explain
from compiler.source import Source, Span

#: How often a file is mended and read again before the reader gives up on the rest, and how
#: many characters it reads for that in all.
MAX_REPAIRS: Final = 25
MAX_REREAD: Final = 5_000_000
# Characters that the parser would take for a line break or a blank, and people cannot see.
_UNSEEN = re.compile("[\x85\u2028\u2029\ufeff\x00]")


def read(source: Source, diagnostics: Diagnostics) -> tuple[Document, ...]:
    """Return the YAML documents of a file, each whole.

    Every mistake is reported to `diagnostics`; a document that could not be read to its end is
    left out, and so is what comes after it. Without any document an error is reported.
    """
    if len(source.text) > limits.MAX_SIZE:
        diagnostics.error(
            "document-too-large",
            Span(0, 0),
            f"the file has {len(source.text):,} characters, and at most {limits.MAX_SIZE:,} "
            "are read",
            help="split the workflow: move steps to a sub-workflow of its own file",
        )
        return ()
    mended = Mended(source.text)
    if not source.text.isascii() and _UNSEEN.search(mended.text):
        mend_characters(mended, diagnostics)
    documents: list[Document] = []
    found = Diagnostics(source)
    for _ in range(min(MAX_REPAIRS, 1 + MAX_REREAD // (len(source.text) + 1))):
        # What a failed attempt reports may follow from what is mended then: only the last counts.
        found, documents = Diagnostics(source), []
        if not _attempt(mended, diagnostics, found, documents):
            break
    if not documents and not found.has_errors and not diagnostics.has_errors:
        # Each trap reports what it finds: this only keeps the promise should one ever not.
        diagnostics.error("yaml-syntax", Span(0, 0), "the file is no YAML")
    for one in found:
        diagnostics.error(one.code, one.span, one.message, help=one.help, labels=one.labels)
    return tuple(documents)


def only(documents: tuple[Document, ...], diagnostics: Diagnostics) -> Document:
    """Return the document that holds a file's workflow, the first; report any other."""
    filled = [one for one in documents if not _is_empty(one)]
    for other in filled[1:]:
        root = other.root
        first = root.entries[0][0].span if isinstance(root, Mapping) else root.span
        diagnostics.error(
            "second-workflow",
            first,
            "the file holds a second workflow",
            help="put it into a file of its own",
        )
    return filled[0] if filled else documents[0]


def _is_empty(document: Document) -> bool:
    """Whether nothing stands between two `---`."""
    root = document.root
    if isinstance(root, Scalar):
        return root.value is None
    return isinstance(root, Mapping) and not root.entries


def _attempt(
    mended: Mended, diagnostics: Diagnostics, found: Diagnostics, documents: list[Document]
) -> bool:
    """Add the documents that can be read; return whether the text was mended for another try.

    What the parser cannot read goes to `diagnostics`, what is wrong in what it read to `found`.
    """
    try:
        _documents(mended, found, documents)
    except Refused:
        return False
    except (yaml.reader.ReaderError, UnicodeEncodeError):
        return mend_characters(mended, diagnostics)
    except yaml.YAMLError as error:
        return explain(error, mended, diagnostics)
    if not documents:
        what, least = "no workflow", "at least one step"
        if found.source.is_of_scenarios:
            what, least = "no scenarios", "`workflow:` and `cases:`"
        found.error(
            "empty-file",
            Span(0, 0),
            f"{found.source.name} holds {what}",
            help=f"write {least}; `stepsmith init` makes an example",
        )
    return False


def _documents(mended: Mended, found: Diagnostics, documents: list[Document]) -> None:
    parser = parser_of(mended.text)
    parsed = parser.get_event

    def mended_event() -> Event:
        return mended.event(parsed())

    next_event = mended_event if mended.changed else parsed
    try:
        composer = Composer(next_event, found)
        whole: list[Document] = []
        while True:
            event = next_event()  # an error here would still be one of the document before it
            documents += whole
            if isinstance(event, STREAM_END):
                return
            if isinstance(event, DOCUMENT_START):
                whole = [Document(found.source, composer.document())]
                next_event()  # the document's end
            else:
                whole = []
    finally:
        parser.dispose()
