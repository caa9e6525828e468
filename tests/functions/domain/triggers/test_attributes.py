"""DynamoDB's values as plain JSON, and back."""

from __future__ import annotations

import pytest
from boto3.dynamodb.types import TypeDeserializer
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.triggers.attributes import plain, plain_item, typed, typed_item

FRACTIONS = st.floats(allow_nan=False, allow_infinity=False, width=32).filter(lambda x: x % 1)
SCALARS = st.none() | st.booleans() | st.text(max_size=5) | st.integers(-(2**53), 2**53)


def json_of(scalars):
    """Return JSON with these scalars in it."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=8,
    )


@given(st.dictionaries(st.text(max_size=3), json_of(SCALARS | FRACTIONS)))
def test_plain_json_comes_back_as_it_went(item):
    assert plain_item(typed_item(item)) == item


@given(json_of(SCALARS))
def test_values_mean_what_boto3_reads_in_them(value):
    assert TypeDeserializer().deserialize(typed(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"N": "3"}, 3),
        ({"N": "3.0"}, 3),
        ({"N": "1E+2"}, 100),
        ({"N": "-0.25"}, -0.25),
        ({"N": "9007199254740993"}, "9007199254740993"),
        ({"N": "0.12345678901234567890123"}, "0.12345678901234567890123"),
        ({"NS": ["1", "2.5"]}, [1, 2.5]),
        ({"SS": ["a", "b"]}, ["a", "b"]),
        ({"B": "aGk="}, "aGk="),
        ({"BS": ["aGk="]}, ["aGk="]),
        ({"NULL": True}, None),
        ({"L": []}, []),
        ({"M": {}}, {}),
    ],
)
def test_each_type_has_its_plain_form(value, expected):
    found = plain(value)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize("value", [{}, {"S": 1}, {"N": "x"}, {"S": "a", "N": "1"}, "a", {"Z": 1}])
def test_what_is_no_value_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        plain(value)
