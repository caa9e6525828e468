"""What the documents show of `stepsmith dev --stack`, on the stage of these tests.

Their blocks that say `stack` are carried out here, so that no page has to deploy a stage.
"""

from __future__ import annotations

import pytest

from tests.docs.carrying_out import Page
from tests.docs.pages import ROOT, blocks, executed
from tests.docs.terminal import is_shown

pytestmark = pytest.mark.slow

PAGES = {
    page: shown
    for page in executed()
    if (shown := [one for one in blocks(page.read_text("utf-8")) if "stack" in one.says])
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_stage_is_as_the_page_says(page, stage, monkeypatch):
    first, *rest = PAGES[page]
    monkeypatch.chdir(stage.project)
    typed = Page(stage.project, page.name)
    typed.terminal.url = stage.up.url

    command, *printed = first.text.splitlines()
    assert command == "$ stepsmith dev --stack"
    assert is_shown([*printed, "..."], stage.said.getvalue()), stage.said.getvalue()
    try:
        for block in rest:
            typed.try_out(block)
    finally:
        typed.end()
    assert typed.wrong == [], "\n".join(typed.wrong)
