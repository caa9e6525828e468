"""What a step may read, and what is said where it may not."""

from __future__ import annotations

import pytest

from compiler.check.program import Computed, Program, Script
from compiler.expressions.types import NUMBER, TEXT, Null, Type, Union, Unknown
from tests.compiler.check.checked import Checked, checked


def file(*lines: str) -> str:
    """Return a workflow with these lines of steps."""
    return "\n".join(("name: Reads", "steps:", *(f"  {line}" for line in lines)))


def reading(expression: str, *, depends_on: str | None = None) -> Checked:
    """Check a step that reads, after a build, a manual step and a block beside each other."""
    needs = depends_on or "[build, review, block, each]"
    return checked(
        file(
            "- {id: build, action: build-artifact, inputs: {source: app}, depends_on: []}",
            "- {id: review, type: manual, title: t, depends_on: []}",
            "- id: block",
            "  type: parallel",
            "  depends_on: []",
            "  steps:",
            "    - {id: child, run: echo, outputs: {x: a}}",
            "- id: each",
            "  run: echo",
            "  for_each: [1, 2]",
            "  outputs: {x: a}",
            f"- {{id: last, run: 'echo ${{{{ {expression} }}}}', depends_on: {needs}}}",
        )
    )


def type_read(found: Checked) -> Type:
    """Return the type of the only variable of the last step."""
    assert isinstance(found.program, Program), found.found
    kind = found.program.steps[-1].kind
    assert isinstance(kind, Script)
    (value,) = (value for _, value in kind.variables)
    assert isinstance(value, Computed)
    return value.type


@pytest.mark.parametrize(
    "expression",
    [
        "steps.build.outputs.artifact",
        "steps.build.status",
        "steps.build.error.message",
        "steps.build.reason",
        "steps.review.outputs.comments",
        "steps.review.outputs.form.anything",
        "steps.child.outputs.x",
        "steps.block.status",
        "steps.each.items[0].outputs.x",
        "steps.each.outputs[1].x",
        "run.id",
        "vars.region",
        "event.detail.x",
        "github.workflow",
        "trigger.name",
    ],
)
def test_what_can_be_read(expression: str):
    """Of every step before, and of the contexts that are always there."""
    assert reading(expression).found == []


@pytest.mark.parametrize(
    ("expression", "code", "place"),
    [
        ("steps.biuld.status", "unknown-step", "biuld"),
        ("steps.build.outcome", "unknown-step-member", "outcome"),
        ("steps.build.items", "unknown-step-member", "items"),
        ("steps.build.artifact", "unknown-step-member", "artifact"),
        ("steps.build.outputs.artefact", "unknown-output", "artefact"),
        ("steps.review.outputs.decision", "unknown-output", "decision"),
        ("steps[run.id].status", "steps-whole", "steps[run.id].status"),
        ("steps.last.status", "reads-itself", "steps.last.status"),
        ("inputs.x == vars.regoin", "unknown-member", "regoin"),
        ("secrets.A || run.id", "secret-not-here", "secrets.A"),
        ("item", "context-not-here", "item"),
        ("failure.step_id", "context-not-here", "failure.step_id"),
        ("env.HOME", "unknown-variable", "env.HOME"),
        ("github.sha", "no-git-push", "github.sha"),
    ],
)
def test_what_cannot_be_read(expression: str, code: str, place: str):
    """One finding each, at the very word."""
    assert reading(expression).found == [(code, place)]


def test_the_missing_dependency_is_printed_with_the_ones_written():
    """A child of a block is waited for through its block."""
    found = reading("steps.child.outputs.x", depends_on="[build]")
    assert found.codes == ["not-an-ancestor"]
    assert found.helps == ["add to this step: `depends_on: [build, block]`"]
    assert found.lines() == [14, 9]


def test_a_child_that_reads_outside_needs_the_dependency_on_its_block():
    """The block's own line is the one to change."""
    found = checked(
        file(
            "- {id: build, run: echo}",
            "- id: block",
            "  type: parallel",
            "  depends_on: []",
            "  steps:",
            "    - {id: child, run: 'echo ${{ steps.build.status }}'}",
        )
    )
    assert found.helps == ["add to the block 'block': `depends_on: [build]`"]


def test_reading_a_step_that_comes_later_says_so():
    """Adding the dependency would be a cycle, so it is not proposed."""
    found = checked(
        file(
            "- {id: a, run: 'echo ${{ steps.b.status }}', depends_on: []}",
            "- {id: b, run: echo, depends_on: [a]}",
        )
    )
    assert found.codes == ["not-an-ancestor"]
    assert "depends_on" not in str(found.helps[0])


def test_nothing_follows_from_an_unknown_dependency():
    """Steps behind it may have the ancestor that is read; nobody can tell."""
    found = checked(
        file(
            "- {id: a, run: echo, depends_on: []}",
            "- {id: b, run: echo, depends_on: [aa]}",
            "- {id: c, run: 'echo ${{ steps.a.status }}', depends_on: [b]}",
        )
    )
    assert found.codes == ["unknown-step"]


def test_nothing_follows_from_a_broken_step():
    """Its outputs are not known, so reading them is no second mistake."""
    found = checked(
        file(
            "- {id: a, action: build-artefact, inputs: {}}",
            "- {id: b, run: 'echo ${{ steps.a.outputs.whatever }}'}",
            "- {id: c, id: c, run: 'echo ${{ steps.b.status }}'}",
        )
    )
    assert found.codes == ["unknown-action", "duplicate-key"]


def test_a_cycle_lists_every_step_with_its_line():
    """In the order in which they wait, beginning with the first of the file."""
    found = checked(
        file(
            "- {id: a, run: echo, depends_on: [c]}",
            "- {id: b, run: echo, depends_on: [a]}",
            "- {id: c, run: echo, depends_on: [b]}",
            "- {id: d, run: 'echo ${{ steps.b.outputs.x }}', depends_on: []}",
        )
    )
    assert found.found[0] == ("cycle", "c")
    assert "a -> c -> b -> a" in found.diagnostics[0].message
    assert found.lines() == [3, 5, 4]


def test_an_own_output_is_read_in_outputs_retry_and_repeat():
    """There it is what the step wrote itself."""
    found = checked(
        file(
            "- id: poll",
            "  run: |",
            '    echo "state=ready" >> "$GITHUB_OUTPUT"',
            "  outputs:",
            "    state: ${{ steps.poll.outputs.state }}",
            "    shout: ${{ steps.poll.outputs.state }}!",
            "  repeat: {until: steps.poll.outputs.state == 'ready', delay: 10s, max_attempts: 5}",
            "  retry:",
            "    count: 3",
            "    conditions:",
            "      - ${{ failure() }}",
            "      - ${{ contains(steps.poll.outputs.error, 'timeout') }}",
            "      - ${{ steps.poll.outputs.status_code == 503 }}",
            "      - ${{ steps.poll.outputs.state == 'busy' }}",
        )
    )
    assert found.found == []


def test_handlers_read_every_step_and_the_failure():
    """Steps are read as stored; handlers have dependencies of their own."""
    found = checked(
        """
        name: Handlers
        steps:
          - {id: a, run: echo, outputs: {x: a}, depends_on: []}
          - {id: b, run: echo, depends_on: []}
        on_failure:
          - id: first
            run: |
              echo ${{ failure.error.message }} ${{ failure.steps[0].step_id }} ${{ github.job }}
              echo ${{ github.event.workflow.failed_step }} ${{ steps.a.outputs.x }}
          - {id: second, run: 'echo ${{ steps.first.status }} ${{ steps.b.status }}'}
        """
    )
    assert found.found == []


def test_an_undo_reads_its_step_and_what_is_before_it():
    """What is beside it may not have run."""
    found = checked(
        """
        name: Undo
        steps:
          - {id: a, run: echo, outputs: {x: a}, depends_on: []}
          - id: b
            run: echo
            outputs: {y: b}
            compensate: {run: 'echo ${{ steps.a.outputs.x }} ${{ steps.b.outputs.y }}'}
          - {id: c, run: echo, depends_on: []}
          - id: d
            run: echo
            depends_on: [b]
            compensate: {run: 'echo ${{ steps.c.status }}'}
        """
    )
    assert found.found == [("not-an-ancestor", "steps.c.status")]


def is_optional(type_: Type) -> bool:
    """Whether null is among the options of a type."""
    return isinstance(type_, Union) and any(isinstance(one, Null) for one in type_.options)


def test_an_output_is_certain_where_the_reader_runs_only_after_success():
    """Nothing needs to guard it."""
    assert type_read(reading("steps.build.outputs.artifact")) == TEXT
    assert type_read(reading("run.attempt")) == NUMBER


@pytest.mark.parametrize(
    ("producer", "reader"),
    [
        ("condition: run.attempt == 1", ""),
        ("on_error: continue", ""),
        ("on_error: pause", ""),
        ("depends_on: []", "condition: always()"),
        ("depends_on: []", "condition: steps.a.status == 'failed'"),
    ],
)
def test_an_output_may_be_null_where_the_step_may_not_have_succeeded(producer: str, reader: str):
    """Skipped, tolerated, or read by a step that runs after failures too."""
    found = checked(
        file(
            f"- {{id: a, action: build-artifact, inputs: {{source: app}}, {producer}}}",
            f'- {{id: b, run: "echo ${{{{ steps.a.outputs.artifact }}}}", {reader}}}',
        )
    )
    assert is_optional(type_read(found))


def test_a_missing_contract_makes_everything_unknown():
    """Without a contract and without a trigger, a run may be given anything."""
    assert type_read(reading("inputs.whatever")) == Unknown()


def test_the_inputs_of_a_trigger_are_the_contract_where_there_is_none():
    """What no trigger gives cannot be read."""
    found = checked(
        """
        name: Pushed
        trigger:
          type: git-push
          repository: github.com/org/app
          inputs: {environment: staging}
        steps:
          - {id: a, run: 'echo ${{ inputs.environment }} ${{ inputs.commit }} ${{ inputs.comit }}'}
        """
    )
    assert found.found == [("unknown-member", "comit")]


def test_a_block_among_the_handlers_belongs_to_them():
    """Its steps read every step, and no step can depend on them."""
    found = checked(
        """
        name: Handlers
        steps:
          - {id: a, run: echo, outputs: {x: a}}
          - {id: b, run: 'echo ${{ steps.east.status }}', depends_on: [east]}
        on_failure:
          - id: both
            type: parallel
            steps:
              - {id: east, run: 'echo ${{ steps.a.outputs.x }} ${{ failure.name }}'}
              - {id: west, run: echo, depends_on: [a]}
        """
    )
    assert found.found == [
        ("reads-later-step", "steps.east.status"),
        ("outside-step", "east"),
        ("outside-step", "a"),
    ]


def test_very_many_mistakes_in_very_many_steps_are_still_reported():
    """With fewer proposals, as comparing all with all would take minutes."""
    count = 400
    steps = (f"- {{id: s{at}, run: echo, depends_on: [nosuchstep{at}]}}" for at in range(count))
    found = checked(file(*steps))
    assert found.codes == ["unknown-step"] * count


def test_what_only_other_stages_have_is_warned_of_once_and_named():
    found = reading("vars.only_in_production == 1 && vars.only_in_production != 2")
    assert found.codes == ["var-not-in-stage"]
    assert "the stage 'prod' has it" in str(found.helps[0])
    assert found.program is not None, "it is a warning"
