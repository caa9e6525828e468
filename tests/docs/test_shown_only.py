"""What the pages show and nothing carries out is listed here, so that nothing else comes to it."""

from __future__ import annotations

from tests.docs.pages import ROOT, executed, shown_only

REASONS = {
    "docs/deployment.md": (
        "make build",  # fetches the libraries of Lambda, then needs an account
        "aws cognito-idp admin-create-user",  # `test_commands.py` holds aws calls to AWS's models
        "aws stepfunctions list-state-machine-versions",
    ),
    "docs/tutorial.md": (
        "stepsmith build",  # an account
        "stepsmith run publish --on dev",
    ),
}
"""By page, how each block begins that no test carries out, and why it is so."""


def test_no_other_block_is_shown_only():
    found = {
        page.relative_to(ROOT).as_posix(): blocks
        for page in executed()
        if (blocks := shown_only(page))
    }

    assert list(found) == list(REASONS)
    for page, blocks in found.items():
        begins = [block.text.removeprefix("$ ") for block in blocks]
        assert len(begins) == len(REASONS[page])
        assert [
            text
            for text, begin in zip(begins, REASONS[page], strict=True)
            if not text.startswith(begin)
        ] == []
