"""The tables of docs/truth-table.md, from `protocol/status.py`; run as a module it writes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from protocol.status import (
    FAILED,
    REJECTED,
    SKIPPED,
    SUCCEEDED,
    TIMED_OUT,
    Outcome,
    Rule,
    decide,
    has_counting_dependency,
    is_bad,
    run_status,
)
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "truth-table.md"


@dataclass(frozen=True, slots=True)
class End:
    """A step `a` that ended so, as the page calls it."""

    told: str
    status: str
    manual: bool = False
    continues: frozenset[str] = frozenset()

    def rule(self) -> Rule:
        """Return the rule of the step, the first of its workflow."""
        return Rule("a", manual=self.manual, continues=self.continues)


ENDS = (
    End("`succeeded`", SUCCEEDED),
    End("`failed`", FAILED),
    End("`timed_out`", TIMED_OUT),
    End("`failed`, with `on_error: continue`", FAILED, continues=frozenset({FAILED, TIMED_OUT})),
    End("`skipped`", SKIPPED),
    End("`rejected`", REJECTED, manual=True),
    End("`timed_out`, a manual step", TIMED_OUT, manual=True),
    End(
        "`rejected`, with `on_reject: continue`",
        REJECTED,
        manual=True,
        continues=frozenset({REJECTED}),
    ),
    End(
        "`timed_out`, with `on_timeout: continue`",
        TIMED_OUT,
        manual=True,
        continues=frozenset({TIMED_OUT}),
    ),
)
CONDITIONS = ("no condition", "`success()`", "`failure()`", "`always()`", "`steps.a.status == '…'`")


def after(end: End, condition: str) -> str:
    """Return what becomes of `b` with `depends_on: [a]`; the last condition names a's status."""
    asks = condition == CONDITIONS[-1]
    rule = Rule(
        "b",
        depends_on=("a",),
        has_condition=condition != CONDITIONS[0],
        has_status_function=condition.endswith("()`"),
        asks=frozenset({"a"}) if asks and end.status != SUCCEEDED else frozenset(),
    )
    bad = ["a"] if is_bad(end.rule(), end.status) else []
    holds = {CONDITIONS[1]: not bad, CONDITIONS[2]: bool(bad)}.get(condition, True)
    counting = has_counting_dependency(
        rule, {"a": end.rule(), "b": rule}, {"a": Outcome(end.status)}
    )
    return _told(decide(rule, bad_above=bad, has_counting=counting, condition=lambda: holds))


def left_out(first: str, second: str) -> str:
    """Return what becomes of the third step of a list, after two that ended so."""
    rules = {
        "a": Rule("a"),
        "b": Rule("b", depends_on=("a",), written=False),
        "c": Rule("c", depends_on=("b",), written=False),
    }
    ended = {"a": Outcome(first), "b": Outcome(second)}
    bad = [step for step, one in ended.items() if is_bad(rules[step], one.status)]
    counting = has_counting_dependency(rules["c"], rules, ended)
    return _told(decide(rules["c"], bad_above=bad, has_counting=counting, condition=lambda: True))


def written(first: str, second: str) -> str:
    """Return what becomes of `c` with `depends_on: [b]`, where `b` has `depends_on: [a]`."""
    rules = {
        "a": Rule("a"),
        "b": Rule("b", depends_on=("a",)),
        "c": Rule("c", depends_on=("b",)),
    }
    ended = {"a": Outcome(first), "b": Outcome(second)}
    bad = [step for step, one in ended.items() if is_bad(rules[step], one.status)]
    counting = has_counting_dependency(rules["c"], rules, ended)
    return _told(decide(rules["c"], bad_above=bad, has_counting=counting, condition=lambda: True))


def _told(reason: str | None) -> str:
    return "runs" if reason is None else f"`{reason}`"


def tables() -> dict[str, list[str]]:
    """Return the lines of each table by its name."""
    return {"after": list(_after()), "lists": list(_lists())}


def _after() -> Iterator[str]:
    heads = " | ".join(CONDITIONS)
    yield f"| `a` ended | {heads} | the run |"
    yield f"| --- |{' --- |' * (len(CONDITIONS) + 1)}"
    for end in ENDS:
        cells = " | ".join(after(end, condition) for condition in CONDITIONS)
        verdict = run_status({"a": end.rule()}, {"a": Outcome(end.status)})
        yield f"| {end.told} | {cells} | {verdict} |"


def _lists() -> Iterator[str]:
    yield "| `a` | `b` | `c`, all left out | `c`, all written |"
    yield "| --- | --- | --- | --- |"
    for first, second in (
        (SUCCEEDED, SUCCEEDED),
        (SUCCEEDED, SKIPPED),
        (SUCCEEDED, FAILED),
        (SKIPPED, SUCCEEDED),
        (SKIPPED, SKIPPED),
        (FAILED, SKIPPED),
    ):
        yield f"| {first} | {second} | {left_out(first, second)} | {written(first, second)} |"


def replaced(page: str) -> str:
    """Return the page with its tables as they are now."""
    for name, lines in tables().items():
        head, begin, rest = page.partition(f"<!-- table: {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        assert end, f"the page has no table '{name}'"
        page = "".join((head, begin, *(f"{line}\n" for line in lines), end, tail))
    return page


def main() -> int:
    """Write the tables into the page."""
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
