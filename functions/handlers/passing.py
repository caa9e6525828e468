"""Passing faults, told so that state machines try again.

What the stage's own functions do may be done again, but an error of theirs fails the run: of what
they raise, machines know the errors that Lambda has of its own. A table that does not answer for a
moment, longer than the SDK tries, is no other matter than Lambda not doing so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from functions.domain.causes import category_of
from functions.domain.errors import PassingFault, StepError

C = TypeVar("C")
R = TypeVar("R")


def tried_again(handle: Callable[[C, object], R]) -> Callable[[C, object], R]:
    """Return a handler whose passing faults are raised as PassingFault."""

    @wraps(handle)
    def told(event: C, context: object) -> R:
        try:
            return handle(event, context)
        except StepError:
            raise  # what the machine is to know
        except Exception as error:
            if category_of(error) is None:
                raise
            raise PassingFault(f"{type(error).__name__}: {error}") from error

    return told
