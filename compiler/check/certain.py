"""Whose success a reader can count on, because it would not run otherwise."""

from __future__ import annotations

from compiler.check.groups import Entry, Group, Groups
from compiler.check.readers import Reader
from compiler.spec import ManualStep


class Certain:
    """Asked with a step and who reads it: whether the step has succeeded for sure by then.

    A step without a condition, whose faults nobody tolerates, has at its end either succeeded or
    stopped what needs it, if the same holds for all steps before it.
    """

    def __init__(self, groups: Groups) -> None:
        self._not_plain = {
            id(group): sum(entry.bit for entry in group.entries if not _is_plain(entry))
            for group in groups.all
        }

    def __call__(self, entry: Entry, reader: Reader) -> bool:
        """Whether `entry`, which the reader comes after, has succeeded."""
        if not reader.is_stopped_by_failures:
            return False
        around = {id(here.group) for here in reader.entry.enclosing()} if reader.entry else set()
        for here in entry.enclosing():
            if not self._is_sure(here, here.group):
                return False
            if id(here.group) in around:
                return True
        return reader.entry is None

    def _is_sure(self, entry: Entry, group: Group) -> bool:
        before = group.above[entry.position] | entry.bit
        return not before & (self._not_plain[id(group)] | group.unsure)


def _is_plain(entry: Entry) -> bool:
    step = entry.step
    if isinstance(step, ManualStep) and "continue" in (step.on_reject, step.on_timeout):
        return False
    return step.condition is None and step.on_error == "fail"
