"""Patterns of branches and tags: which of them nothing can match.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
"""

from __future__ import annotations

import re

_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:]|\.\.|//|^/")
"""What git takes in no name of a branch or a tag: https://git-scm.com/docs/git-check-ref-format"""
_SET = re.compile(r"\[([A-Za-z0-9-]+)\]")
_WORDS = {"branch": "branch", "tags": "tag"}
_EXAMPLES = {"branch": "!main", "tags": "!v0*"}


def problem(pattern: str, key: str) -> tuple[str, str] | None:
    """Return what is wrong with a pattern of `branch` or `tags`, and what to write instead."""
    word = _WORDS[key]
    bare = pattern.removeprefix("!")
    if not bare:
        help_ = f"write what to leave out: a {word}, such as {_EXAMPLES[key]}"
        return "`!` leaves out nothing", help_
    for prefix in ("refs/heads/", "refs/tags/"):
        if bare.startswith(prefix):
            name = pattern.replace(prefix, "", 1)
            if prefix == "refs/tags/" and key == "branch":
                return f"`branch` is '{pattern}', which is a tag", f"write `tags: {name}`"
            if prefix == "refs/heads/" and key == "tags":
                return f"`tags` has '{pattern}', which is a branch", f"write `branch: {name}`"
            return f"a {word} is matched by its bare name, without {prefix}", f"write {name}"
    found = _NO_NAME.search(bare)
    if found is not None:
        return f"no {word} has {_shown(found[0])} in its name", "leave it out"
    return _operators(bare, word)


def _operators(bare: str, word: str) -> tuple[str, str] | None:
    """Return what is wrong with the sets of a pattern, or with `?`."""
    plain = _SET.sub("x", re.sub(r"\\.", "x", bare))
    if "[" in plain:
        return (
            "`[` begins no set of letters and digits",
            "write one such as [0-9] or [ab]",
        )
    if re.search(r"(^|[*?+])\?", plain):
        return (
            "`?` has no character before it that it could be about",
            f"`?` means that the character before may be missing; * is any part of a {word}",
        )
    return None


def _shown(text: str) -> str:
    return "a space" if text == " " else repr(text)
