"""Workflows changed the way hands, editors and merges change them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.golden.project import ROOT, workflows

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
Change: TypeAlias = Callable[[DrawFn, str], str]

SIGNS = (
    "\t", "\r", "\x00", "\x85", "\u2028", "\ufeff", "\u00a0", "\u200b", "\u202e", "\U0001f600",
    "e\u0301", "{", "}", "[", "]", "'", '"', ":", ": ", "#", " #", "&a ", "*a", "!", "!!str ", "|",
    ">", "-", "- ", "---\n", "...\n", "%", "@", "`", "?", ",", "<<: ", "\\", "${{", "}}", "${{ }}",
    "{%", "%}", "${Token}", "$(", "~", "=", '"\\ud83d"', '"\\0"', "\n", "\n\n", "  ",
)  # fmt: skip
KEYS = (
    "name", "id", "steps", "workflow", "jobs", "trigger", "inputs", "outputs", "schema", "env",
    "defaults", "source", "timeout", "concurrency", "on_failure", "notify", "action", "run", "type",
    "depends_on", "condition", "retry", "on_error", "for_each", "max_items", "repeat", "compensate",
    "checkpoint", "artifacts", "callback", "assignees", "due_in", "escalations", "quorum", "form",
    "for", "until", "event", "match", "payload", "uses", "with", "if", "needs", "on", "fail_fast",
    "max_attempts", "conditions", "backoff", "value", "required", "default", "properties", "items",
)  # fmt: skip
EXPRESSIONS = (
    "steps.build.outputs.artifact", "steps.x.status == 'failed'", "failure()", "!success()",
    "always() || inputs.a", "inputs.environment", "vars.region", "item.name", "index > 3",
    "secrets.TOKEN", "env.A", "env", "steps", "github.sha", "event.detail.id", "failure.step_id",
    "contains(inputs.a, 'x')", "format('{0}{1}', 1, 2)", "format('{', 1)", "fromJSON('{')",
    "inputs['a b']", "inputs.a[0][1]", "1 < 'a'", "((((1))))", "", "''", "a b", "1 +", "nope()",
    "join(keys(inputs), ',')", "length(steps.build.items)", "run.attempt >= 1e400", "'\\ud83d'",
)  # fmt: skip
WORDS = (
    "manual", "parallel", "subworkflow", "wait", "publish", "git-push", "schedule", "event",
    "build", "test", "deploy", "build-app", "./build_app.yaml", "aws:s3:listBuckets", "run-tests",
    "72h", "5m", "0s", "P1M", "1e999", "-1", "0755", "yes", "null", "true", ".inf", "2026-01-01",
    "group:release", "alice@example.com", "always", "pause", "continue", "codebuild",
)  # fmt: skip


@lru_cache(maxsize=1)
def seeds() -> tuple[str, ...]:
    """Return texts to start from: the workflows of the project and the files with mistakes."""
    folders = (ROOT / "workflows", ROOT / "tests" / "golden" / "reject")
    files = [file for folder in folders for file in workflows(folder)]
    return tuple(text for file in files if len(text := file.read_text("utf-8")) < 6_000)


@st.composite
def mutated(draw: DrawFn) -> str:
    """Return a workflow with one to four changes."""
    text = draw(st.sampled_from(seeds()))
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        text = change(draw, text)
    return text


def _values() -> st.SearchStrategy[Json]:
    expression = st.sampled_from(EXPRESSIONS).map(lambda inner: f"${{{{ {inner} }}}}")
    leaf: st.SearchStrategy[Json] = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**18), 10**18),
        st.floats(allow_nan=True, allow_infinity=True),
        st.sampled_from(WORDS),
        st.sampled_from(EXPRESSIONS).filter(lambda text: text.isprintable()),
        expression.filter(lambda text: text.isprintable()),
        st.text(st.characters(codec="utf-8"), max_size=8),
    )
    key = st.one_of(st.sampled_from(KEYS), st.text(st.characters(codec="utf-8"), max_size=4))
    step = st.dictionaries(st.sampled_from(KEYS), leaf, min_size=1, max_size=6)
    inner = st.recursive(
        leaf,
        lambda each: st.one_of(st.lists(each, max_size=4), st.dictionaries(key, each, max_size=4)),
        max_leaves=8,
    )
    steps = st.lists(st.one_of(step, st.dictionaries(key, inner, max_size=5)), max_size=4)
    root = st.fixed_dictionaries({"steps": steps}, optional=dict.fromkeys(KEYS[4:16], inner))
    return st.one_of(root, st.fixed_dictionaries({"workflow": root}), inner)


_VALUES = _values()


@st.composite
def structured(draw: DrawFn) -> str:
    """Return YAML of the language's own words, put together in ways that nobody meant."""
    written = yaml.dump(draw(_VALUES), Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
    return str(written)


# --- one change each


def _insert_sign(draw: DrawFn, text: str) -> str:
    at = _place(draw, text)
    return text[:at] + draw(st.sampled_from(SIGNS)) + text[at:]


def _insert_expression(draw: DrawFn, text: str) -> str:
    inner = draw(st.sampled_from(EXPRESSIONS))
    at = _place(draw, text)
    return f"{text[:at]}${{{{ {inner} }}}}{text[at:]}"


def _delete_characters(draw: DrawFn, text: str) -> str:
    at = _place(draw, text)
    return text[:at] + text[at + draw(st.integers(1, 12)) :]


def _cut_off(draw: DrawFn, text: str) -> str:
    return text[: _place(draw, text)]


def _on_lines(change: Callable[[DrawFn, list[str]], Sequence[str]]) -> Change:
    def changed(draw: DrawFn, text: str) -> str:
        lines = text.splitlines(keepends=True)
        return "".join(change(draw, lines)) if lines else text

    return changed


def _delete_line(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    del lines[draw(st.integers(0, len(lines) - 1))]
    return lines


def _duplicate_lines(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    at = draw(st.integers(0, len(lines) - 1))
    end = at + draw(st.integers(1, 6))
    return lines[:end] + lines[at:end] + lines[end:]


def _move_line(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    line = lines.pop(draw(st.integers(0, len(lines) - 1)))
    lines.insert(draw(st.integers(0, len(lines))), line)
    return lines


def _indent_line(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    at = draw(st.integers(0, len(lines) - 1))
    more = draw(st.integers(-4, 4))
    line = lines[at]
    lines[at] = (
        " " * more + line if more > 0 else line[min(-more, len(line) - len(line.lstrip())) :]
    )
    return lines


def _splice(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    other = draw(st.sampled_from(seeds())).splitlines(keepends=True)
    at = draw(st.integers(0, len(lines)))
    start = draw(st.integers(0, max(0, len(other) - 1)))
    return [*lines[:at], *other[start : start + draw(st.integers(1, 8))], *lines[at:]]


def _rename_key(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    keyed = [at for at, line in enumerate(lines) if ":" in line]
    if keyed:
        at = draw(st.sampled_from(keyed))
        key, _, rest = lines[at].partition(":")
        indent = key[: len(key) - len(key.lstrip(" -"))]
        lines[at] = f"{indent}{draw(st.sampled_from(KEYS))}:{rest}"
    return lines


def _change_value(draw: DrawFn, lines: list[str]) -> Sequence[str]:
    keyed = [at for at, line in enumerate(lines) if ":" in line]
    if keyed:
        at = draw(st.sampled_from(keyed))
        value = draw(
            st.sampled_from((*WORDS, "[]", "{}", "[a, b]", "{a: {b: c}}", "", "|", "!x y"))
        )
        lines[at] = f"{lines[at].partition(':')[0]}: {value}\n"
    return lines


def _place(draw: DrawFn, text: str) -> int:
    return draw(st.integers(0, len(text)))


CHANGES: tuple[Change, ...] = (
    _insert_sign,
    _insert_expression,
    _delete_characters,
    _cut_off,
    _on_lines(_delete_line),
    _on_lines(_duplicate_lines),
    _on_lines(_move_line),
    _on_lines(_indent_line),
    _on_lines(_splice),
    _on_lines(_rename_key),
    _on_lines(_change_value),
)
