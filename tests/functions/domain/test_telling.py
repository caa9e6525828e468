"""The line of a failed script's talk that is put first."""

from __future__ import annotations

import pytest

from functions.domain.telling import telling_line


@pytest.mark.parametrize(
    ("stderr", "stdout", "line"),
    [
        ("", "..F\nFAILED tests/a.py::test_b - x\n1 failed", "FAILED tests/a.py::test_b - x"),
        ("", "FAILED a\nFAILED b\n", "FAILED a (and 1 more)"),
        ("Traceback:\n  File x\nKeyError: 'a'\n\n", "", "KeyError: 'a'"),
        ("warning: x\nfatal: not a git repository\nbye\n", "", "fatal: not a git repository"),
        ("one\ntwo\n", "three", "two"),
        ("", "only this\n", "only this"),
        (" \n", "only this\n", "only this"),
        ("", "", None),
    ],
)
def test_the_most_telling_line_is(stderr, stdout, line):
    assert telling_line(stderr, stdout) == line
