"""Diagnostic codes of the `expressions` pass."""

from __future__ import annotations

from typing import Final

from compiler.codes import Code

_INPUTS: Final = "name: deploy\ninputs:\n  environment: string\n  replicas: number\nsteps:\n"
_DEPLOY: Final = (
    "  - id: deploy\n    run: make ${{ inputs.environment }} REPLICAS=${{ inputs.replicas }}\n"
)


def _if(condition: str) -> str:
    """Return a workflow in which a step has this condition."""
    return f"{_INPUTS}{_DEPLOY}    condition: {condition}\n"


def _env(value: str) -> str:
    """Return a workflow in which a step gets this value by its environment."""
    return f"{_INPUTS}{_DEPLOY}    env:\n      TARGET: {value}\n"


CODES: tuple[Code, ...] = (
    Code(
        slug="expression-syntax",
        title="An expression cannot be read",
        explanation="An expression is made of names with points (`steps.build.outputs.image`), "
        "literals (`'text'`, `3`, `true`, `null`), calls such as `contains(list, value)`, the "
        "operators `== != < <= > >= && || !`, and brackets. There is no arithmetic and no "
        "`? :`; `condition && a || b` chooses between two values.",
        wrong=_if("inputs.replicas + 1 > 3"),
        right=_if("inputs.replicas > 2"),
    ),
    Code(
        slug="expression-operator",
        title="An operator of another language",
        explanation="Equality is `==`, its opposite `!=`; the words and, or, not are written "
        "`&&`, `||`, `!`. There are no filters with `|`.",
        wrong=_if("inputs.environment = 'production' and inputs.replicas > 2"),
        right=_if("inputs.environment == 'production' && inputs.replicas > 2"),
    ),
    Code(
        slug="expression-text",
        title="A quoted text cannot be read",
        explanation="Text stands in single or double quotes. In single quotes a quote is written "
        "twice, as in `'it''s'`, and a backslash is a backslash. Double quotes have the escapes "
        'of JSON: `\\n`, `\\"`, `\\\\`, `\\u00e9`.',
        wrong=_if("inputs.environment == 'production"),
        right=_if("inputs.environment == 'production'"),
    ),
    Code(
        slug="expression-number",
        title="A number cannot be read",
        explanation="Numbers are written as in JSON: `3`, `-1.5`, `2e3`; no leading zeros, no hex. "
        "Whole numbers keep 15 digits; longer ones, such as account numbers, are texts.",
        wrong=_if("inputs.replicas > 010"),
        right=_if("inputs.replicas > 10"),
    ),
    Code(
        slug="expression-too-large",
        title="An expression is too large",
        explanation="An expression has at most 100 operators and is nested 30 deep. A long chain "
        "of comparisons is shorter as `contains(fromJSON('[...]'), value)`, or belongs into a "
        "step whose output the condition reads.",
        wrong=_if("${{ " + "(" * 31 + "inputs.replicas > 3" + ")" * 31 + " }}"),
        right=_if("inputs.replicas > 3"),
    ),
    Code(
        slug="expression-unclosed",
        title="An expression is not closed",
        explanation="`${{` begins an expression, and `}}` ends it. A `}}` inside quotes does not. "
        "Text that shall hold `${{` itself is written `${{ '${{' }}`.",
        wrong=_env("app-${{ inputs.environment }"),
        right=_env("app-${{ inputs.environment }}"),
    ),
    Code(
        slug="condition-text",
        title="A condition with text around its expression",
        explanation="A condition is one expression, bare or as a whole inside one `${{ }}`. With "
        "text around it the value would be a text that is not empty, and so always true. In quotes "
        "`${{ }}` is text itself: write the name alone.",
        wrong=_if("${{ inputs.environment }} == 'production'"),
        right=_if("inputs.environment == 'production'"),
    ),
    Code(
        slug="unknown-function",
        title="No such function",
        explanation="The functions are success, failure, always, cancelled, contains, startsWith, "
        "endsWith, format, join, toJSON, fromJSON, length, keys and coalesce, written exactly so.",
        wrong=_if("startswith(inputs.environment, 'prod')"),
        right=_if("startsWith(inputs.environment, 'prod')"),
    ),
    Code(
        slug="function-arguments",
        title="A function with too few or too many arguments",
        explanation="Each function takes a fixed number of arguments; those with a question mark "
        "in its usage may be left out. `format` and `coalesce` take as many as wanted.",
        wrong=_if("startsWith(inputs.environment)"),
        right=_if("startsWith(inputs.environment, 'prod')"),
    ),
    Code(
        slug="format-pattern",
        title="The pattern of `format` is wrong",
        explanation="The pattern is a quoted text. `{0}` stands for the first value after it, "
        "`{1}` for the second; `{{` and `}}` are the brackets themselves.",
        wrong=_env("${{ format('app-{1}', inputs.environment) }}"),
        right=_env("${{ format('app-{0}', inputs.environment) }}"),
    ),
    Code(
        slug="unknown-context",
        title="A name that stands for nothing here",
        explanation="An expression reads contexts: inputs, vars, steps, env, item, index, run, "
        "trigger, event, github, failure, secrets, each where it exists. Text needs quotes.",
        wrong=_if("inputs.environment == production"),
        right=_if("inputs.environment == 'production'"),
    ),
    Code(
        slug="unknown-member",
        title="A member that does not exist",
        explanation="What is read is not declared. An unknown name would be null at run time, "
        "and a condition on it never hold, or a command get an empty argument.",
        wrong=_if("inputs.enviroment == 'production'"),
        right=_if("inputs.environment == 'production'"),
    ),
    Code(
        slug="no-such-access",
        title="Nothing can be read from this value in this way",
        explanation="Members are read from objects by name, items from lists by a number in "
        "brackets, counted from 0. Texts, numbers and booleans have neither.",
        wrong=_if("inputs.environment.name == 'production'"),
        right=_if("inputs.environment == 'production'"),
    ),
    Code(
        slug="compare-types",
        title="Values of different types are compared",
        explanation="`==` never converts: the text '3' and the number 3 are different, and so the "
        "comparison has always the same result. Outputs of scripts are texts.",
        wrong=_if("inputs.replicas == '3'"),
        right=_if("inputs.replicas == 3"),
    ),
    Code(
        slug="order-types",
        title="Values without an order are compared",
        explanation="`<`, `<=`, `>` and `>=` compare two numbers, or two texts character by "
        "character. Anything else has no order.",
        wrong=_if("inputs.environment > 3"),
        right=_if("inputs.replicas > 3"),
    ),
    Code(
        slug="argument-type",
        title="An argument of the wrong type",
        explanation="A function that gets a value of another type than it takes gives false or "
        "null at run time; where the type is known that is reported here.",
        wrong=_if("startsWith(inputs.replicas, '3')"),
        right=_if("startsWith(inputs.environment, 'prod')"),
    ),
)
