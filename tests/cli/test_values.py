"""Files of inputs and events: YAML as workflows have it, JSON, and what is said of neither."""

from __future__ import annotations

import pytest

from cli.values import ValuesProblem, values_in, values_of
from compiler.document.limits import MAX_SIZE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes\nb: 012", {"a": "yes", "b": "012"}),
        ("a: 2026-01-01\nb: 1:30", {"a": "2026-01-01", "b": "1:30"}),
        ("a: true\nb: 3\nc: 3.10\nd: ~", {"a": True, "b": 3, "c": 3.1, "d": None}),
        ('{"a": "\\ud83d\\ude00", "b": [1, 2.5e3]}', {"a": "😀", "b": [1, 2500.0]}),
        ("- 1", [1]),
    ],
)
def test_yaml_is_that_of_workflows_and_json_is_yaml(text, value):
    """So nothing becomes a date or a switch that would be text in a workflow."""
    found = values_of(text.encode(), "in.yaml")

    assert found == value
    assert all(type(one) in (str, int, float, bool, type(None), list) for one in _parts(found))


def _parts(value):
    return value.values() if isinstance(value, dict) else value


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"a: [1\n", "in.yaml", "in.yaml:1:4"),
        (b"a: 1\na: 2\n", "in.yaml", "in.yaml:2:1"),
        (b"a: !x 3\n", "in.yaml", "in.yaml:1:4"),
        (b"", "in.yaml", "nothing in it"),
        (b"a" * (MAX_SIZE + 1), "in.yaml", f"{MAX_SIZE:,} are read"),
        (b"a: 1\n---\nb: 2\n", "in.yaml", "2 documents"),
        (b"\xff", "in.yaml", "UTF-8"),
        (b'{"a" 1}', "in.json", "in.json:1:6: no JSON"),
        (b'{"a": NaN}', "in.json", "no JSON: NaN is no number"),
        (b'{"a": 1e999}', "in.json", "no JSON: 1e999 is too large"),
        (b"\xff", "in.json", "byte 1 is no UTF-8"),
        (b"[" * 100_000, "in.json", "no JSON"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(data, name, said):
    with pytest.raises(ValuesProblem) as caught:
        values_of(data, name)

    assert said in str(caught.value)
    assert "workflow" not in str(caught.value)
    assert "${{" not in str(caught.value), "nothing is evaluated in these files"


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ValuesProblem, match=r"cannot read '.*in.yaml': No such file"):
        values_in(tmp_path / "in.yaml")
    with pytest.raises(ValuesProblem, match="Is a directory"):
        values_in(tmp_path)
