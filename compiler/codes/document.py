"""Diagnostic codes of the `document` pass."""

from __future__ import annotations

from typing import Final

from compiler.codes import Code


def _steps(*lines: str) -> str:
    """Return a workflow of one step with some lines more."""
    return "\n".join(("name: hello", "steps:", "  - id: greet", *lines)) + "\n"


_RUN: Final = "    run: echo hello"

CODES: tuple[Code, ...] = (
    Code(
        slug="yaml-syntax",
        title="The file is no YAML here",
        explanation="The YAML parser cannot read on from this place. Text that holds signs of "
        "YAML is safe in quotes, or as a block of lines after `|`.",
        wrong=_steps(_RUN, "    artifacts: - greeting.txt"),
        right=_steps(_RUN, "    artifacts: [greeting.txt]"),
    ),
    Code(
        slug="tab-indentation",
        title="A line is indented with a tab",
        explanation="YAML indents with spaces only. The tab may stand in text, not before it.",
        wrong=_steps("\trun: echo hello"),
        right=_steps(_RUN),
    ),
    Code(
        slug="indentation",
        title="A line lines up with nothing above it",
        explanation="The keys of one mapping, and the dashes of one list, start in the same "
        "column. A line that starts elsewhere belongs to nothing.",
        wrong=_steps("     run: echo hello"),
        right=_steps(_RUN),
    ),
    Code(
        slug="missing-space",
        title="A space is missing after a colon or a dash",
        explanation="Without the space, `key:value` and `-item` are plain text to YAML.",
        wrong=_steps("    run:make"),
        right=_steps("    run: make"),
    ),
    Code(
        slug="colon-in-value",
        title="A colon and a space inside plain text",
        explanation="A colon before a space makes what is left of it a key. A value that holds "
        "one has to stand in quotes, or in a block after `|`.",
        wrong=_steps("    run: echo Deployed: yes"),
        right=_steps('    run: "echo Deployed: yes"'),
    ),
    Code(
        slug="comment-in-expression",
        title="A comment cuts an expression off",
        explanation="A `#` after a space begins a comment, also inside `${{ ... }}` where the "
        "value has no quotes.",
        wrong=_steps(_RUN, "    condition: ${{ run.id != 'a #1' }}"),
        right=_steps(_RUN, "    condition: \"${{ run.id != 'a #1' }}\""),
    ),
    Code(
        slug="yaml-tag",
        title="A value begins with an exclamation mark",
        explanation="To YAML `!word` is a tag that says how to read the value. A condition "
        "that begins with `!` is written inside `${{ ... }}` or in quotes.",
        wrong=_steps(_RUN, "    condition: !failure()"),
        right=_steps(_RUN, "    condition: ${{ !failure() }}"),
    ),
    Code(
        slug="expression-in-flow",
        title="An expression without quotes inside brackets",
        explanation="Inside `{...}` and `[...]` braces and commas belong to YAML. An expression "
        "there has to stand in quotes.",
        wrong=_steps(_RUN, "    env: {RUN: ${{ run.id }}}"),
        right=_steps(_RUN, '    env: {RUN: "${{ run.id }}"}'),
    ),
    Code(
        slug="reserved-character",
        title="A value begins with a sign of YAML",
        explanation="Plain text cannot begin with `@`, a backtick, `%`, `*`, `&` and a few "
        "other signs. In quotes it can.",
        wrong=_steps("    run: `make`"),
        right=_steps('    run: "`make`"'),
    ),
    Code(
        slug="text-after-quote",
        title="Text behind a closing quote",
        explanation="A value that begins with a quote ends with the next one like it. Quotes "
        "that belong to the text need quotes of the other kind around the whole value.",
        wrong=_steps('    run: "make" all'),
        right=_steps("    run: '\"make\" all'"),
    ),
    Code(
        slug="unknown-escape",
        title="A backslash that begins no escape",
        explanation="In double quotes a backslash begins an escape such as `\\n`. Write it "
        "twice, or use single quotes, where it is itself.",
        wrong=_steps('    run: "grep \\d file"'),
        right=_steps("    run: 'grep \\d file'"),
    ),
    Code(
        slug="not-closed",
        title="A quote or bracket is not closed",
        explanation="A quote or bracket was opened and what follows was read into it. A text "
        "of several lines is best written as a block after `|`.",
        wrong=_steps('    run: "echo hello'),
        right=_steps('    run: "echo hello"'),
    ),
    Code(
        slug="duplicate-key",
        title="A key stands twice in one mapping",
        explanation="Of two equal keys other tools silently take the last. Keys are compared "
        "after Unicode normalisation; a key may override one that `<<` merges in.",
        wrong=_steps(_RUN, "    run: echo goodbye"),
        right=_steps(_RUN),
    ),
    Code(
        slug="key-not-text",
        title="A key is a list or a mapping",
        explanation="Keys are text. Most often `{{ ... }}` was meant to be an expression, "
        "which starts with `${{`.",
        wrong=_steps(_RUN, "    condition: {{ success() }}"),
        right=_steps(_RUN, "    condition: ${{ success() }}"),
    ),
    Code(
        slug="merge-not-mapping",
        title="`<<` merges something that is no mapping",
        explanation="The value of `<<` is an alias of a mapping, or a list of them.",
        wrong=_steps(_RUN, "    env:", "      <<: production"),
        right=_steps(_RUN, "    env:", "      STAGE: production"),
    ),
    Code(
        slug="unknown-alias",
        title="An alias without its anchor",
        explanation="`*name` uses the value that was marked with `&name` further up.",
        wrong=_steps(_RUN, "    retry: *retry"),
        right=_steps(_RUN, "    retry: {max_attempts: 3}"),
    ),
    Code(
        slug="recursive-alias",
        title="A value that contains itself",
        explanation="An alias stands inside the value that its anchor marks, which would make "
        "the document endless.",
        wrong=_steps(_RUN, "    env: &env", "      OTHER: *env"),
        right=_steps(_RUN, "    env:", "      OTHER: value"),
    ),
    Code(
        slug="number-not-finite",
        title="Infinity, not-a-number, or a number too large",
        explanation="Workflows run on JSON, which has no such numbers.",
        wrong=_steps(_RUN, "    retry: {max_attempts: .inf}"),
        right=_steps(_RUN, "    retry: {max_attempts: 5}"),
    ),
    Code(
        slug="unreadable-character",
        title="A character that a workflow file cannot hold",
        explanation="Control characters, bytes that are no UTF-8, invisible line separators "
        "and spaces that are none. They often come with text copied from elsewhere.",
        wrong=_steps("    run:\u2028 echo hello"),
        right=_steps(_RUN),
    ),
    Code(
        slug="document-too-large",
        title="The file is too large, or grows too large when aliases are filled in",
        explanation="A file has at most 4,000,000 characters and 600,000 keys and values; "
        "aliases are used at most 10,000 times and stand for at most 100,000 keys and values.",
        wrong="name: bomb\n"
        "a0: &x0 [0, 1, 2, 3, 4, 5, 6, 7, 8]\n"
        + "".join(f"a{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 8)),
        right=_steps(_RUN),
    ),
    Code(
        slug="document-too-deep",
        title="Lists and mappings are nested too deep",
        explanation="At most 100 lists and mappings may stand inside one another.",
        wrong=_steps(_RUN, "    env: " + "[" * 101 + "]" * 101),
        right=_steps(_RUN, "    env: {STAGE: production}"),
    ),
    Code(
        slug="second-workflow",
        title="A file holds a second workflow",
        explanation="One file holds one workflow. `---` begins another YAML document: put what "
        "follows it into a file of its own.",
        wrong=_steps(_RUN, "---", "steps:", "  - id: leave", "    run: echo bye"),
        right=_steps(_RUN),
    ),
    Code(
        slug="empty-file",
        title="The file holds no workflow",
        explanation="There is nothing in it, or only comments.",
        wrong="# to be written\n",
        right=_steps(_RUN),
    ),
)
