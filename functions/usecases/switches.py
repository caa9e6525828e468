"""Disable a workflow, and enable it again: its events wait meanwhile."""

from __future__ import annotations

from functions.event_ports import STALE
from functions.usecases.claim import Gate


def disable(workflow_id: str, gate: Gate) -> None:
    """Let no run of a workflow start; calls under way may start one for some seconds more."""
    gate.switches.switch(workflow_id, disabled=True)


def enable(workflow_id: str, gate: Gate) -> None:
    """Let runs of a workflow start again, and those that waited.

    Asked for a second time when no function can take the workflow for disabled any more: what
    one of them has laid aside in between is found then.
    """
    gate.switches.switch(workflow_id, disabled=False)
    gate.queue.send({"enabled": workflow_id})
    gate.queue.send({"enabled": workflow_id}, delay=2 * STALE)
