"""What is known of an expression before anything runs."""

from __future__ import annotations

import pytest

from compiler.diagnostics import Diagnostics
from compiler.expressions import Ref, infer
from compiler.expressions.types import (
    BOOLEAN,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    optional,
    show,
)
from compiler.source import Source
from tests.compiler.expressions.reading import Found, codes, expression

SCOPE: dict[str, Type] = {
    "inputs": Record(
        {
            "stage": TEXT,
            "count": NUMBER,
            "dry": BOOLEAN,
            "label": optional(TEXT),
            "tags": ListOf(TEXT),
            "config": Record({"url": TEXT}, open=True),
        }
    ),
    "steps": Record({"build": Record({"outputs": Record({"image-tag": TEXT})})}),
    "event": UNKNOWN,
}


def inferred(text: str) -> tuple[str, Found]:
    """Return the type of an expression as people read it, and what is reported."""
    diagnostics = Diagnostics(Source("test", text))
    return show(infer(expression(text), SCOPE, diagnostics)), codes(diagnostics)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("inputs.stage", "text"),
        ("inputs.label", "text or null"),
        ("inputs.label || 'none'", "text"),
        ("coalesce(inputs.label, 3)", "text or number"),
        ("inputs.dry && inputs.count", "boolean or number"),
        ("inputs.tags[0]", "text or null"),
        ("inputs.tags[inputs.count]", "text or null"),
        ("inputs.config.url", "text"),
        ("inputs.config.other.x", "anything"),
        ("event.pull_request.title", "anything"),
        ("steps.build.outputs.image-tag == 'x'", "boolean"),
        (
            "inputs[inputs.stage]",
            "text or number or boolean or list of text or object with url, ... or null",
        ),
        ("length(inputs.tags)", "number"),
        ("length(inputs.label)", "number or null"),
        ("join(inputs.tags)", "text"),
        ("keys(inputs)", "list of text"),
        ("fromJSON(inputs.stage).x", "anything"),
        ("format('{0}', event)", "text"),
        ("event == 3", "boolean"),
        ("inputs.label == null", "boolean"),
        ("inputs.label < 'b'", "boolean"),
    ],
)
def test_types(text, type_):
    """Types follow from the contexts; what is not known is silent."""
    assert inferred(text) == (type_, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("inputs.stag", [("unknown-member", "stag")]),
        ("steps.build.outputs.tag == 'x'", [("unknown-member", "tag")]),
        ("input.stage", [("unknown-context", "input")]),
        ("inputs.stage == production", [("unknown-context", "production")]),
        ("inputs.stage.x", [("no-such-access", "x")]),
        ("inputs.tags.x", [("no-such-access", "x")]),
        ("inputs.config[0]", [("no-such-access", "0")]),
        ("inputs.stage == 3", [("compare-types", "inputs.stage == 3")]),
        ("inputs.label != 3", [("compare-types", "inputs.label != 3")]),
        ("inputs.dry == 'true'", [("compare-types", "inputs.dry == 'true'")]),
        ("inputs.stage < 3", [("order-types", "inputs.stage < 3")]),
        ("inputs.dry > false", [("order-types", "inputs.dry > false")]),
        ("startsWith(inputs.count, '3')", [("argument-type", "inputs.count")]),
        ("contains(inputs.tags, 3)", [("argument-type", "3")]),
        (
            "inputs.stag.x == 3 && nope < 2",
            [("unknown-member", "stag"), ("unknown-context", "nope")],
        ),
        ("event[nope]", [("unknown-context", "nope")]),
    ],
)
def test_mistakes(text, found):
    """Each is reported once, at its place; what only follows from it is not."""
    assert inferred(text)[1] == found


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("inputs.stag", "did you mean 'stage'?"),
        ("inputs.stage == production", "for a text write 'production' in quotes"),
        ("always", "it is a function: write always()"),
        ("inputs.dry && contains", "it is a function: write contains(in, wanted)"),
        ("inputs.dry == 'true'", "write true without quotes"),
        ("inputs.stage == 3", "write '3' in quotes"),
        ("inputs.count == '3'", "write 3 without quotes"),
    ],
)
def test_help(text, help_):
    """The help says what to write."""
    diagnostics = Diagnostics(Source("test", text))
    infer(expression(text), SCOPE, diagnostics)
    assert [found.help for found in diagnostics] == [help_]


def test_the_caller_may_report_unknown_members_itself():
    """The hook gets the path and the place of the part that does not exist."""
    seen: list[tuple[str, int]] = []

    def hook(ref: Ref, at: int) -> bool:
        seen.append((ref.root, at))
        return ref.root == "steps"

    diagnostics = Diagnostics(Source("test", "steps.biuld.outputs.x == inputs.y"))
    infer(expression(diagnostics.source.text), SCOPE, diagnostics, hook)
    assert seen == [("steps", 1), ("inputs", 1)]
    assert codes(diagnostics) == [("unknown-member", "y")]


@pytest.mark.parametrize("text", ["contains(inputs.count, 2)", "contains(inputs.dry, 'a')"])
def test_a_wrong_first_argument_of_contains_is_one_mistake(text: str):
    """Whether the second could be in it is not asked."""
    assert [code for code, _ in inferred(text)[1]] == ["argument-type"]


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("needs.build.result", "write steps.build.status"),
        ("needs.build.result == 'success'", "write steps.build.status == 'succeeded'"),
        ("'failure' != needs.build.result", "write steps.build.status != 'failed'"),
        ("needs.build.result == 'odd'", "write steps.build.status"),
        ("needs.build.outputs.tag == 'success'", "write steps.build.outputs.tag"),
        ("strategy.job-index",
         "there is no matrix here: a step with `for_each` reads item and index"),
        ("needs.build.outputs.tag", "write steps.build.outputs.tag"),
        ("tasks.build.output.tag", "write steps.build.outputs.tag"),
        ("jobs.build", "write steps.build.status"),
        ("matrix.os", "give the step a `for_each` with the list, and write item"),
        ("params.stage", "write inputs.stage"),
        ("job.status", "write success() or failure() in a condition"),
        ("input.stage", "did you mean 'inputs'?"),
        ("inputs.tags == 'web'", "write contains(inputs.tags, 'web')"),
        ("inputs.tags == inputs.stage", "write contains(inputs.tags, inputs.stage)"),
        ("inputs.count == inputs.stage", "make it text: format('{0}', inputs.count)"),
    ],
)  # fmt: skip
def test_the_help_says_what_to_write_here(text: str, help_: str):
    """Names and habits of other tools."""
    diagnostics = Diagnostics(Source("test", text))
    infer(expression(text), SCOPE, diagnostics)
    assert [found.help for found in diagnostics] == [help_]
