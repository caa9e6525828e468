"""How large a workflow file may be, checked before anything is built from it.

A definition holds some 800 steps (Step Functions takes 1,000,000 bytes); the limits leave room
for files several times that size, and none for documents that only grow when they are read.
"""

from __future__ import annotations

from typing import Final

#: Characters of a file's text, and bytes of a file.
MAX_SIZE: Final = 4_000_000
#: Lists and mappings inside one another.
MAX_DEPTH: Final = 100
#: What is said beyond that, and what to do.
TOO_DEEP: Final = (
    f"lists and mappings are nested more than {MAX_DEPTH} deep here",
    "a workflow needs a handful of levels; look for a bracket or dash too many",
)
#: Uses of anchors (`*name`) in a file.
MAX_ALIASES: Final = 10_000
#: Keys and values of a file.
MAX_NODES: Final = 600_000
#: Keys and values that the uses of anchors stand for, all taken together.
MAX_ALIASED_NODES: Final = 100_000
