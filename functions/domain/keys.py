"""Keys of steps and latches, the same for every retry and resume of a call."""

from __future__ import annotations

from protocol.payloads import ActionCall, Run


def step_path(call: ActionCall) -> str:
    """Return the step's place in its run: `step[/item...][/r<n>]`."""
    parts = [call["step"], *map(str, call.get("items", ()))]
    if "iteration" in call:
        parts.append(f"r{call['iteration']}")
    return "/".join(parts)


def latch_key(run: Run, scope: str, consumer: str) -> str:
    """Return the key of the item that brings a consumer and its producers together.

    The run's attempt is a part of it: a resume starts with no signal given.
    """
    return f"{run['id']}/{run['attempt']}/{scope}/{consumer}"
