"""Event patterns, with the examples of EventBridge's documentation, and held against moto's.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto.events.models import EventPattern

from compiler.spec.patterns import problems
from protocol.patterns import matches

STOPPED = {
    "source": "aws.ec2",
    "detail-type": "EC2 Instance State-change Notification",
    "account": "123456789012",
    "time": "2026-03-02T09:00:00Z",
    "region": "us-east-1",
    "resources": ["arn:aws:ec2:us-east-1:123456789012:instance/i-0123456789", "other"],
    "detail": {
        "instance-id": "i-0123456789",
        "state": "stopped",
        "c-count": 5,
        "d-count": 300.0,
        "x-limit": 3.018e2,
        "ok": True,
        "nothing": None,
        "empty": "",
        "source-ip": "10.0.0.123",
        "path": "dir1/dir2/lib/file.png",
        "tags": [{"key": "team", "value": "web"}, {"key": "stage", "value": "prod"}],
        "many": [1, [2, 3]],
        "inner": {"deep": {"leaf": 1}},
        "none": [],
    },
}


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        ({"state": ["running", "stopped"]}, True),
        ({"state": ["Stopped"]}, False),
        ({"c-count": [5]}, True),
        ({"c-count": ["5"]}, False),
        ({"c-count": [5.0]}, False),  # written otherwise, so another number
        ({"d-count": [300.0]}, True),
        ({"ok": [True]}, True),
        ({"ok": [1]}, False),
        ({"nothing": [None]}, True),
        ({"empty": [None]}, False),
        ({"empty": [""]}, True),
        ({"state": [{"prefix": "sto"}]}, True),
        ({"state": [{"prefix": {"equals-ignore-case": "STO"}}]}, True),
        ({"state": [{"prefix": "STO"}]}, False),
        ({"path": [{"suffix": ".png"}]}, True),
        ({"path": [{"suffix": {"equals-ignore-case": ".PNG"}}]}, True),
        ({"state": [{"equals-ignore-case": "STOPPED"}]}, True),
        ({"state": [{"anything-but": "running"}]}, True),
        ({"state": [{"anything-but": ["running", "stopped"]}]}, False),
        ({"c-count": [{"anything-but": 4}]}, True),
        ({"missing": [{"anything-but": "x"}]}, False),
        ({"state": [{"anything-but": {"prefix": "run"}}]}, True),
        ({"state": [{"anything-but": {"prefix": ["run", "sto"]}}]}, False),
        ({"path": [{"anything-but": {"suffix": ".png"}}]}, False),
        ({"state": [{"anything-but": {"equals-ignore-case": ["STOPPED", "RUNNING"]}}]}, False),
        ({"path": [{"anything-but": {"wildcard": "*/lib/*"}}]}, False),
        ({"c-count": [{"numeric": [">", 0, "<=", 5]}]}, True),
        ({"c-count": [{"numeric": ["<", 5]}]}, False),
        ({"x-limit": [{"numeric": ["=", 301.8]}]}, True),
        ({"state": [{"numeric": [">", 0]}]}, False),
        ({"ok": [{"numeric": ["=", 1]}]}, False),
        ({"source-ip": [{"cidr": "10.0.0.0/24"}]}, True),
        ({"source-ip": [{"cidr": "10.0.1.0/24"}]}, False),
        ({"state": [{"cidr": "10.0.0.0/24"}]}, False),
        ({"path": [{"wildcard": "dir1/*/file.png"}]}, True),
        ({"path": [{"wildcard": "dir1/*.jpg"}]}, False),
        ({"path": [{"wildcard": r"dir1/\*"}]}, False),
        ({"c-count": [{"exists": True}]}, True),
        ({"missing": [{"exists": False}]}, True),
        ({"missing": [{"exists": True}]}, False),
        ({"nothing": [{"exists": True}]}, True),
        ({"inner": [{"exists": True}]}, False),  # leaves only
        ({"inner": {"deep": {"leaf": [1]}}}, True),
        ({"absent": {"deep": [{"exists": False}]}}, True),
        ({"state": {"deep": [{"exists": False}]}}, True),
        ({"none": [{"exists": False}]}, True),
        ({"many": [3]}, True),
        ({"many": [4]}, False),
        ({"tags": {"key": ["stage"], "value": ["prod"]}}, True),
        ({"tags": {"key": ["stage"], "value": ["web"]}}, False),  # of one item of the list
        ({"$or": [{"state": ["running"]}, {"c-count": [{"numeric": [">", 4]}]}]}, True),
        ({"$or": [{"state": ["running"]}, {"c-count": [4]}]}, False),
        ({"state": ["stopped"], "$or": [{"c-count": [4]}, {"missing": [{"exists": False}]}]}, True),
        ({"state": ["running", {"prefix": "st"}]}, True),
    ],
)
def test_a_pattern_means_what_eventbridge_says(detail, expected):
    pattern = {"source": ["aws.ec2"], "detail": detail}
    assert list(problems(pattern)) == []
    assert matches(pattern, STOPPED) is expected


def test_every_field_of_a_pattern_has_to_match():
    assert matches({"source": ["aws.ec2"], "resources": [{"prefix": "arn:aws:ec2:"}]}, STOPPED)
    assert not matches({"source": ["aws.s3"], "detail": {"state": ["stopped"]}}, STOPPED)
    assert not matches({"detail": {"state": ["stopped"], "c-count": [6]}}, STOPPED)


# --- held against moto's matcher, where that is right --------------------------------------------
# It takes true for 1 and 300 for 300.0, sees no objects in lists, and empty objects as leaves.

NAMES = st.sampled_from("abc")
TEXTS = st.text("ab*/", max_size=3)
SCALARS = TEXTS | st.integers(-2, 2) | st.none()
VALUES = SCALARS | st.lists(SCALARS, min_size=1, max_size=3)
OBJECTS = st.recursive(
    st.dictionaries(NAMES, VALUES, min_size=1, max_size=3),
    lambda inner: st.dictionaries(NAMES, VALUES | inner, min_size=1, max_size=3),
    max_leaves=4,
)
RANGE = st.tuples(st.sampled_from([">", ">=", "<", "<=", "="]), st.integers(-2, 2)).map(list)
TEXT_OPERATORS = st.sampled_from(["prefix", "suffix", "equals-ignore-case"])
FILTERS = (
    SCALARS
    | st.tuples(TEXT_OPERATORS, TEXTS).map(lambda pair: {pair[0]: pair[1]})
    | st.tuples(TEXT_OPERATORS, TEXTS).map(lambda pair: {"anything-but": {pair[0]: pair[1]}})
    | (TEXTS | st.integers(-2, 2)).map(lambda value: {"anything-but": value})
    | st.lists(TEXTS, min_size=1, max_size=2).map(lambda values: {"anything-but": values})
    | TEXTS.filter(lambda text: "**" not in text).map(lambda text: {"wildcard": text})
    | RANGE.map(lambda one: {"numeric": one})
    | st.booleans().map(lambda value: {"exists": value})
)
LEAVES = st.lists(FILTERS, min_size=1, max_size=2)
PATTERNS = st.recursive(
    st.dictionaries(NAMES, LEAVES, min_size=1, max_size=2),
    lambda inner: (
        st.dictionaries(NAMES, LEAVES | inner, min_size=1, max_size=2)
        | st.lists(inner, min_size=2, max_size=2).map(lambda both: {"$or": both})
    ),
    max_leaves=3,
)


@given(PATTERNS, OBJECTS)
def test_moto_says_the_same(pattern, event):
    assert list(problems(pattern)) == []
    assert matches(pattern, event) is EventPattern(None, pattern).matches_event(event)
