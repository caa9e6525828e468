"""Reports of tests in JUnit's form: how many, and which failed."""

from __future__ import annotations

import pytest

from functions.domain.junit import Results, parse

REPORT = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="4">
  <testcase classname="tests.test_login.TestLogin" name="test_redirects">
    <failure message="timeout
      after 30s">long trace</failure></testcase>
  <testcase classname="tests.test_pay" name="test_pays"><error>no database\nmore</error></testcase>
  <testcase classname="tests.test_pay" name="test_later"><skipped/></testcase>
  <testcase classname="tests.test_pay" name="test_fine"/>
</testsuite></testsuites>"""


def test_failures_and_errors_are_told_in_one_line_each():
    results = parse(REPORT)
    assert results == Results(
        4,
        1,
        ("TestLogin.test_redirects: timeout after 30s", "test_pay.test_pays: no database"),
    )
    assert results.passed == 1


def test_reports_add_up():
    assert (parse(REPORT) + parse(b"<testsuite><testcase name='a'/></testsuite>")).tests == 5


@pytest.mark.parametrize(
    "text", [b"", b"<html/>", b"<testsuite>", b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>']
)
def test_what_is_no_report_is_refused(text):
    with pytest.raises(ValueError, match="report"):
        parse(text)
