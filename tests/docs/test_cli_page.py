"""The page of the commands is what the commands say of themselves."""

from __future__ import annotations

import re

from cli.commands.table import COMMANDS
from tests.docs.cli_page import PAGE, page, parser_of
from tests.docs.pages import ROOT


def test_the_page_is_current():
    """After a change: python -m tests.docs.cli_page."""
    assert PAGE.read_text(encoding="utf-8") == page() + "\n"


def test_every_command_is_on_it_with_every_option():
    found = dict(re.findall(r"(?ms)^## (\w+)\n(.*?)(?=^## |\Z)", page()))

    assert list(found) == list(COMMANDS)
    for name, entry in COMMANDS.items():
        options = [word for one in parser_of(name, entry)._actions for word in one.option_strings]
        assert [
            word for word in options if word not in {"-h", "--help"} if word not in found[name]
        ] == []


def test_every_argument_says_what_it_means():
    silent = [
        f"{name} {one.dest}"
        for name, entry in COMMANDS.items()
        for one in parser_of(name, entry)._actions
        if not one.help
    ]

    assert silent == []


def test_documents_name_no_option_that_a_command_lacks():
    """In running text as well, which is not carried out as the consoles of the documents are."""
    options = {
        name: {word for one in parser_of(name, entry)._actions for word in one.option_strings}
        for name, entry in COMMANDS.items()
    }
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    wrong = [
        f"{file.name}: stepsmith {name} {word}"
        for file in files
        for name, rest in re.findall(r"\bstepsmith (\w+)\b([^`\n|#]*)", file.read_text("utf-8"))
        if name in options
        for word in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)
        if word not in options[name] | {"--help", "--color", "--debug"}
    ]
    assert wrong == []
