"""Who listens to an event, by its name."""

from __future__ import annotations

import pytest

from functions.domain.listening import hears, near

NAMED = {"detail-type": ["user.signup"]}


@pytest.mark.parametrize(
    ("pattern", "heard"),
    [
        (NAMED, True),
        ({"detail-type": ["user.signpu"]}, False),
        ({"detail-type": [{"prefix": "user."}]}, True),
        ({"detail-type": [{"anything-but": ["user.signup"]}]}, False),
        ({"source": ["stepsmith"]}, True),
        ({"source": ["aws.s3"]}, False),
        ({"source": ["aws.s3"], **NAMED}, False),
        ({**NAMED, "detail": {"payload": {"mail": [{"exists": True}]}}}, True),
        ({**NAMED, "account": ["123456789012"]}, True),
        ({"detail": {"bucket": ["b"]}}, True),
        ({"$or": [{"source": ["aws.s3"]}, NAMED]}, True),
        ({"$or": [{"source": ["aws.s3"]}, {"detail-type": ["other"]}]}, False),
    ],
)
def test_a_pattern_hears_a_name_unless_no_event_of_that_name_can_fit(pattern, heard):
    assert hears(pattern, "user.signup") is heard


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("user.signpu", ["user.signup"]),
        ("User.Signup", ["user.signup"]),
        ("order.paid", []),
        ("user.signups", ["user.signup"]),
    ],
)
def test_names_that_may_be_meant(name, meant):
    patterns = [NAMED, {"detail-type": [{"prefix": "user.signp"}]}, {"source": ["x"]}]
    assert near(name, patterns) == meant
