"""What is known at a place of the control flow, and what a guard comes to there.

Planning follows every way through a scope and keeps, for each, whether anything above is bad
and how the steps that somebody asks about can have ended. Where that decides a guard, no
Choice is emitted: a skip is then static control flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from compiler.check.program import Step
from compiler.expressions import Binary, Call, Expr, Literal, Not, Ref
from compiler.plan.model import AllOf, AnyOf, Counts, Holds, NothingBad, Ran, Test
from protocol.status import FAULTS, SUCCEEDED

OK = "ok"
TOLERATED = "tolerated"
BAD = "bad"
SKIP = "skip"
LET_PASS = "let_pass"  # noqa: S105 (no password)
"""A manual step that ended badly with `continue`: not bad, but it does not count."""

Tri = bool | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known on a way.

    `bad`: something above in the frame is bad; `own`: this scope's own list of failures is
    filled; `upstream`: bad steps are known through latches. `known` holds, sorted, how steps can
    have ended; `frame` is the frame that `bad` speaks of.
    """

    bad: Tri = False
    own: Tri = False
    upstream: Tri = False
    known: tuple[tuple[str, frozenset[str]], ...] = ()
    frame: int = 0

    def of(self, step: str) -> frozenset[str] | None:
        """Return how a step can have ended, None where nothing is noted."""
        for name, classes in self.known:
            if name == step:
                return classes
        return None

    def with_known(self, step: str, classes: frozenset[str]) -> Facts:
        """Return these facts with how one step can have ended."""
        rest = [item for item in self.known if item[0] != step]
        rest.append((step, classes))
        if len(rest) > 1:
            rest.sort(key=lambda k: k[0])
        return self.knowing(tuple(rest))

    def knowing(self, known: tuple[tuple[str, frozenset[str]], ...]) -> Facts:
        """Return these facts with what is known of steps replaced."""
        return Facts(self.bad, self.own, self.upstream, known, self.frame)


def meet(left: Facts, right: Facts) -> Facts:
    """Return what holds on both ways."""
    if left == right:
        return left
    theirs = dict(right.known)
    known = tuple((name, classes | theirs[name]) for name, classes in left.known if name in theirs)
    return Facts(
        left.bad if left.bad == right.bad else None,
        left.own if left.own == right.own else None,
        left.upstream if left.upstream == right.upstream else None,
        known,
        left.frame,
    )


class Knowledge:
    """Static facts of a program's steps, asked while a scope is planned."""

    def __init__(self, steps: Mapping[str, Step], frames: Mapping[str, int]) -> None:
        self.steps = steps
        self._frames = frames
        self._unsure: dict[str, bool] = {}
        self._skippable: dict[str, bool] = {}
        for step in steps.values():  # file order: dependencies may come later in the file
            self._resolve(step.id)

    def _resolve(self, first: str) -> None:
        stack = [first]
        while stack:
            step = self.steps[stack[-1]]
            if step.id in self._skippable:
                stack.pop()
                continue
            missing = [d for d in step.depends_on if d not in self._skippable and d in self.steps]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._unsure[step.id] = self._may_lack(step)
            self._skippable[step.id] = _is_dynamic(step) or self._unsure[step.id]

    def _may_lack(self, step: Step) -> bool:
        """Whether, with nothing bad above, the step may have no dependency that counts."""
        if not step.depends_on:
            return False
        if step.rule.written:
            return all(self.may_not_count(d) for d in step.depends_on)
        above = step.depends_on[0]
        passing = self.steps[above].rule
        if passing.manual and passing.continues:
            return True
        return self._skippable[above] and self._unsure[above]

    def may_not_count(self, step: str) -> bool:
        """Whether, with nothing bad above, a finished step may not count as a dependency."""
        rule = self.steps[step].rule
        return self._skippable[step] or (rule.manual and bool(rule.continues))

    def may_be_skipped(self, step: str) -> bool:
        """Whether the step may be skipped although nothing above is bad."""
        return self._skippable[step]

    def is_unsure(self, step: str) -> bool:
        """Whether, with nothing bad above, the step may lack a dependency that counts."""
        return self._unsure[step]

    def classes(self, step: str, facts: Facts) -> frozenset[str]:
        """Return how a finished step can have ended on this way."""
        known = facts.of(step)
        rule = self.steps[step].rule
        is_clean = facts.bad is False and self._frames[step] == facts.frame
        if known is None:
            possible = {OK}
            if rule.continues:
                possible.add(LET_PASS if rule.manual else TOLERATED)
            if self._skippable[step] or not is_clean:
                possible.add(SKIP)
            possible.add(BAD)
            known = frozenset(possible)
        return known - {BAD} if is_clean else known

    # --- guards --------------------------------------------------------------------------------

    def guard(self, step: Step, facts: Facts) -> Tri | Test:
        """Return whether the step starts: known now, or the test to make."""
        rule = step.rule
        if rule.has_status_function:
            assert step.condition is not None
            value = self.truth(step.condition, facts)
            return Holds(step.condition) if value is None else value
        tests: list[Test] = []
        for test in self._default(step, facts):
            if test is False:
                return False
            if not isinstance(test, bool):
                tests.append(test)
        if not tests:
            return True
        return tests[0] if len(tests) == 1 else AllOf(tuple(tests))

    def _default(self, step: Step, facts: Facts) -> Iterator[Test | bool]:
        """Yield the parts of the guard of a step without a status function."""
        rule = step.rule
        nothing_bad = self._nothing_bad(step, facts)
        yield NothingBad(tuple(sorted(rule.asks))) if nothing_bad is None else nothing_bad
        if not rule.asks and self._unsure[step.id]:
            yield self.counting(step, facts)
        if step.condition is not None:
            value = self.truth(step.condition, facts)
            yield Holds(step.condition) if value is None else value

    def _nothing_bad(self, step: Step, facts: Facts) -> Tri:
        if facts.bad is False:
            return True
        if facts.bad is True and not step.rule.asks:
            return False
        return None

    def counting(self, step: Step, facts: Facts) -> bool | Test:
        """Return whether the step has no dependencies or one that counts."""
        if not step.depends_on:
            return True
        if not step.rule.written:
            return self._counting_above(step, facts)
        return self.any_counts(step.depends_on, facts)

    def any_counts(self, dependencies: Iterable[str], facts: Facts) -> bool | Test:
        """Return whether one of these finished steps counts as a dependency."""
        tests: list[Test] = []
        for name in dependencies:
            value = self._counts(name, facts)
            if value is True:
                return True
            if value is not False:
                tests.append(value)
        if not tests:
            return False
        return tests[0] if len(tests) == 1 else AnyOf(tuple(tests))

    def _counts(self, name: str, facts: Facts) -> bool | Test:
        verdicts = {c not in (SKIP, LET_PASS) for c in self.classes(name, facts)}
        return verdicts.pop() if len(verdicts) == 1 else Counts(name)

    def _counting_above(self, step: Step, facts: Facts) -> bool | Test:
        chain: list[str] = []
        result: bool | Test = True
        while step.depends_on and not step.rule.written:
            above = step.depends_on[0]
            if SKIP not in self.classes(above, facts):
                result = self._counts(above, facts)
                break
            chain.append(above)
            step = self.steps[above]
        else:
            result = self.counting(step, facts)
        for name in reversed(chain):
            ran = self.classes(name, facts) - {SKIP}
            then: bool | Test = True
            if LET_PASS in ran:
                then = Counts(name) if ran - {LET_PASS} else False
            if not ran or then == result:
                continue
            result = Ran(name, then, result)
        return result

    # --- conditions ------------------------------------------------------------------------------

    def truth(self, expr: Expr, facts: Facts) -> Tri:  # noqa: PLR0911 (kind by kind)
        """Return whether a condition holds on this way, None where only the run can tell."""
        match expr:
            case Literal(value=value):
                return bool(value) and value != "false"
            case Not(operand=operand):
                inner = self.truth(operand, facts)
                return None if inner is None else not inner
            case Binary(op="&&", left=left, right=right):
                return _both(self.truth(left, facts), self.truth(right, facts))
            case Binary(op="||", left=left, right=right):
                return _either(self.truth(left, facts), self.truth(right, facts))
            case Binary(op="==" | "!=" as op):
                return self._comparison(expr, op, facts)
            case Call(name="always"):
                return True
            case Call(name="cancelled"):
                return False
            case Call(name="success"):
                return None if facts.bad is None else not facts.bad
            case Call(name="failure"):
                return facts.bad
            case _:
                pass
        return None

    def _comparison(self, expr: Binary, op: str, facts: Facts) -> Tri:
        found = status_comparison(expr, self.steps)
        if found is None:
            return None
        step, is_decision, text = found
        verdicts = set()
        for outcome in self.classes(step, facts):
            values = self._statuses(step, outcome, is_decision)
            verdicts |= {value == text for value in values}
        if len(verdicts) != 1:
            return None
        return verdicts.pop() == (op == "==")

    def _statuses(self, step: str, outcome: str, is_decision: bool) -> frozenset[str | None]:
        rule = self.steps[step].rule
        if outcome == OK:
            return frozenset({"approved" if is_decision else SUCCEEDED})
        if outcome == SKIP:
            return frozenset({None if is_decision else "skipped"})
        if outcome == LET_PASS:
            return frozenset(rule.continues)
        if rule.manual:
            statuses: frozenset[str | None] = frozenset({"rejected", "timed_out"}) - rule.continues
            return statuses if is_decision else statuses | {"failed", "cancelled"}
        return frozenset(FAULTS)

    def refine(self, expr: Expr, facts: Facts) -> Facts:
        """Return the facts on the way on which a condition held."""
        match expr:
            case Binary(op="&&", left=left, right=right):
                return self.refine(right, self.refine(left, facts))
            case Call(name="success"):
                return replace(facts, bad=False)
            case Call(name="failure"):
                return replace(facts, bad=True)
            case Not(operand=Call(name="failure")):
                return replace(facts, bad=False)
            case Not(operand=Call(name="success")):
                return replace(facts, bad=True)
            case Binary(op="==" | "!=" as op):
                return self._refine_comparison(expr, op, facts)
            case _:
                pass
        return facts

    def _refine_comparison(self, expr: Binary, op: str, facts: Facts) -> Facts:
        found = status_comparison(expr, self.steps)
        if found is None:
            return facts
        step, is_decision, text = found
        kept = frozenset(
            outcome
            for outcome in self.classes(step, facts)
            if any(
                (value == text) == (op == "==")
                for value in self._statuses(step, outcome, is_decision)
            )
        )
        facts = facts.with_known(step, kept)
        return replace(facts, bad=True) if kept == {BAD} else facts


def status_comparison(expr: Binary, steps: Mapping[str, Step]) -> tuple[str, bool, str] | None:
    """Return (step, whether its decision is meant, text) of `steps.x.status == 'text'`."""
    for ref, literal in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(ref, Ref) and isinstance(literal, Literal) and ref.root == "steps":
            keys = ref.keys
            if len(keys) + 1 != len(ref.path) or not isinstance(literal.value, str):
                continue
            step = step_named(keys, steps)
            if step is None:
                continue
            if keys[1:] == ("status",):
                return step.id, False, literal.value
            if keys[1:] == ("outputs", "status") and step.rule.manual:
                return step.id, True, literal.value
    return None


def step_named(keys: tuple[str | int, ...], steps: Mapping[str, Step]) -> Step | None:
    """Return the step that a path below `steps` names; `-` and `_` are alike."""
    if not keys or not isinstance(keys[0], str):
        return None
    for spelling in (keys[0], keys[0].replace("_", "-"), keys[0].replace("-", "_")):
        step = steps.get(spelling)
        if step is not None:
            return step
    wanted = keys[0].replace("-", "_")
    return next((s for name, s in steps.items() if name.replace("-", "_") == wanted), None)


def _is_dynamic(step: Step) -> bool:
    """Whether the condition may be false although nothing above is bad."""
    match step.condition:
        case None | Call(name="success" | "always") | Not(operand=Call(name="failure")):
            return False
        case _:
            pass
    return True


def _both(left: Tri, right: Tri) -> Tri:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _either(left: Tri, right: Tri) -> Tri:
    if left is True or right is True:
        return True
    return None if left is None or right is None else False
