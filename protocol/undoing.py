"""What a close machine tells before and after each undo, and what it is answered."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from protocol.payloads import Json, Run


class UndoNote(TypedDict):
    """A close machine is about to undo a step's result, or has done so (`undone`).

    The first is answered with `UndoBegun`. `beside` are steps that the undo reads out of the item
    that it undoes, with how many of its `items` they stand in. `child` tells the run of one try of
    a step from that of another: a step that is tried again calls each time anew.
    """

    op: Literal["undo", "undone"]
    run: Run
    step: str
    items: list[int]
    child: NotRequired[dict[str, Json] | None]  # id and attempt of a run that was called
    beside: NotRequired[dict[str, int]]  # with `undo`
    status: NotRequired[str]  # with `undone`: what the undo came to


class UndoBegun(TypedDict):
    """The answer: whether an earlier close machine has undone it; records of steps beside it."""

    done: bool
    steps: NotRequired[dict[str, Json]]
