"""The pictures of the page in the documents are drawn from what the API renders."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from functions.http.html import Html

IMAGES = Path(__file__).parents[3] / "docs/images"


def test_each_picture_is_there_and_its_page_is_rendered():
    spec = importlib.util.spec_from_file_location("pictures", IMAGES / "make_task_pages.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    pages = dict(script.pages())
    assert set(pages) == {"pending", "overdue", "decided"}
    assert all(isinstance(page, Html) for page in pages.values())
    for name, look, _, _ in script.SHOTS:
        assert name in pages
        assert (IMAGES / f"task-{name}-{look}.png").is_file()
