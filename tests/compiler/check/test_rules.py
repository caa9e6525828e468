"""The rule of each step, played through the truth table."""

from __future__ import annotations

import json
from pathlib import Path

from compiler.check.program import Program, every_step
from compiler.expressions import Binary, Call, Expr, Literal, Not, Ref
from protocol.status import (
    SKIPPED,
    SUCCEEDED,
    Outcome,
    Rule,
    decide,
    has_counting_dependency,
    is_bad,
    run_status,
)
from tests.compiler.check.checked import checked

CASES = json.loads((Path(__file__).parents[2] / "data" / "truth_table.json").read_text("utf-8"))


def rules(text: str) -> dict[str, Rule]:
    """Return the rules of a workflow that is fine."""
    found = checked(text)
    assert found.program is not None, found.found
    return {step.id: step.rule for step in every_step(found.program.steps)}


def written(case: dict[str, list[dict[str, object]]]) -> str:
    """Return a case of the table as a workflow."""
    steps = []
    for step in case["steps"]:
        manual = step.get("type") == "manual"
        steps.append({**step, **({"title": "look"} if manual else {"run": "true"})})
    return json.dumps({"name": "Case", "inputs": {"x": "boolean"}, "steps": steps}, indent=1)


def holds(expr: Expr, bad: set[str], contexts: dict[str, object]) -> object:
    """Evaluate the conditions that the table uses."""
    match expr:
        case Literal(value=value):
            return value
        case Ref(root=root, keys=keys):
            here = contexts[root]
            for key in keys:
                here = here.get(str(key)) if isinstance(here, dict) else None
            return here
        case Not(operand=operand):
            return not holds(operand, bad, contexts)
        case Binary(op="&&", left=left, right=right):
            return holds(left, bad, contexts) and holds(right, bad, contexts)
        case Binary(op=op, left=left, right=right):
            same = holds(left, bad, contexts) == holds(right, bad, contexts)
            return same == (op == "==")
        case Call(name=name):
            return {"success": not bad, "failure": bool(bad), "always": True}[name]
        case _:
            raise NotImplementedError(expr)


def play(program: Program, happens: dict[str, str], inputs: dict[str, bool]) -> dict[str, Outcome]:
    """Return how each step of a list ends when those that start end as said."""
    known = {step.id: step.rule for step in program.steps}
    outcomes: dict[str, Outcome] = {}
    above: dict[str, set[str]] = {}
    steps: dict[str, object] = {}
    for step in program.steps:
        above[step.id] = set(step.depends_on).union(*(above[need] for need in step.depends_on))
        bad = {other for other in above[step.id] if is_bad(known[other], outcomes[other].status)}
        contexts: dict[str, object] = {"inputs": inputs, "steps": steps}
        reason = decide(
            step.rule,
            bad_above=bad,
            has_counting=has_counting_dependency(step.rule, known, outcomes),
            condition=lambda step=step, bad=bad, contexts=contexts: (  # type: ignore[misc]
                step.condition is None or bool(holds(step.condition, bad, contexts))
            ),
        )
        ended = Outcome(SKIPPED, reason) if reason else Outcome(happens[step.id])
        outcomes[step.id] = ended
        decision = "approved" if ended.status == SUCCEEDED else ended.status
        decided = step.rule.manual and ended.status != SKIPPED
        outputs = {"status": decision} if decided else None
        steps[step.id] = {"status": ended.status, "outputs": outputs}
    return outcomes


def test_the_rules_of_the_truth_table():
    """Every fourth case (the emitted machines play all): statuses, reasons, the verdict."""
    for case in CASES[::4]:
        found = checked(written(case))
        assert found.program is not None, found.found
        outcomes = play(found.program, case["happens"], case["inputs"])
        expected = {
            step: Outcome(end["status"], end.get("reason"))
            for step, end in case["expect"]["steps"].items()
        }
        assert outcomes == expected, found.text
        known = {step.id: step.rule for step in found.program.steps}
        assert run_status(known, outcomes) == case["expect"]["run"]


def test_a_left_out_depends_on_is_the_step_above():
    """The first step starts at once; `[]` does so anywhere; ids and names are found alike."""
    found = rules(
        """
        name: Order
        steps:
          - {name: First One, run: echo}
          - {id: second-one, run: echo}
          - {id: third, run: echo, depends_on: []}
          - {id: fourth, run: echo, depends_on: [First One, second_one, first-one]}
        """
    )
    assert [(r.depends_on, r.written) for r in found.values()] == [
        ((), True),
        (("first_one",), False),
        ((), True),
        (("first_one", "second-one"), True),
    ]


def test_steps_of_a_block_and_jobs_start_at_once():
    """Unless they say otherwise."""
    found = rules(
        """
        name: Order
        steps:
          - id: block
            type: parallel
            steps:
              - {id: a, run: echo}
              - {id: b, run: echo}
              - {id: c, run: echo, depends_on: [a]}
        """
    )
    assert {r.id: r.depends_on for r in found.values()} == {
        "block": (),
        "a": (),
        "b": (),
        "c": ("a",),
    }


def test_what_continues():
    """`on_error: continue` tolerates every fault, a manual step's answers are told apart."""
    found = rules(
        """
        name: Faults
        steps:
          - {id: lint, run: echo, continue_on_failure: true}
          - {id: ask, type: manual, title: t, on_timeout: continue}
          - {id: hold, run: echo, on_error: pause}
        """
    )
    assert found["lint"].continues == {"failed", "timed_out", "cancelled"}
    assert found["ask"].continues == {"timed_out"}
    assert found["hold"].continues == frozenset()


def test_asking_for_a_child_asks_for_its_block():
    """Outside of a block only the block counts; inside, what is before it is no ancestor."""
    found = rules(
        """
        name: Lifted
        steps:
          - {id: before, run: echo}
          - id: block
            type: parallel
            steps:
              - {id: child, run: echo, condition: steps.before.status == 'failed'}
          - {id: after, run: echo, condition: "steps.child.status == 'failed'"}
        """
    )
    assert found["after"].asks == {"block"}
    assert found["child"].asks == frozenset()
