"""How errors are reported: one stable class a category, no secrets, bearable texts."""

from __future__ import annotations

import re
from typing import Any

import botocore.exceptions as boto
import pytest
import requests

from functions.domain import errors
from functions.domain.masking import Masks
from functions.usecases.failing import LONGEST_MESSAGE, MOST_DETAILS, cleaned, failure_of, reported

STATUS = re.compile(r"status_code=(\d{1,9})")
"""What the compiled machine looks for."""


class Declared(errors.StepError):
    """An error that an action declares."""


class Plain(Exception):
    """An error that an action declares, and not of ours."""


def raised_from(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def throttled() -> boto.ClientError:
    answer: Any = {
        "Error": {"Code": "SlowDown", "Message": "slow down"},
        "ResponseMetadata": {"HTTPStatusCode": 503},
    }
    return boto.ClientError(answer, "Put")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (requests.ConnectionError("no route"), errors.NetworkError),
        (requests.ConnectTimeout(), errors.TimeoutError),
        (throttled(), errors.Throttled),
        (raised_from(ValueError("in here"), ConnectionRefusedError()), errors.NetworkError),
    ],
)
def test_an_error_of_a_library_becomes_its_category(error, expected):
    report = reported(error, own=(), may_repeat=False)
    assert type(report) is expected
    assert type(report).__name__ in errors.CATEGORIES
    assert str(error) in str(report)


def test_a_declared_error_stays_what_it_is_whatever_caused_it():
    error = raised_from(Declared("refused"), ConnectionRefusedError())
    assert reported(error, own=(Declared,), may_repeat=False) is error
    plain = raised_from(Plain("refused"), ConnectionRefusedError())
    assert type(reported(plain, own=(Plain,), may_repeat=False)).__name__ == "Plain"


def test_an_error_without_a_category_keeps_its_name():
    report = reported(KeyError("x"), own=(), may_repeat=False)
    assert (type(report).__name__, str(report)) == ("KeyError", "'x'")


@pytest.mark.parametrize(
    ("may_repeat", "expected"), [(False, errors.StepInDoubt), (True, errors.TimeoutError)]
)
def test_a_lost_answer_leaves_the_step_in_doubt_unless_it_may_be_repeated(may_repeat, expected):
    report = reported(requests.ReadTimeout(), own=(), may_repeat=may_repeat)
    assert type(report) is expected
    assert failure_of(cleaned(report, Masks())).in_doubt is not may_repeat


def test_the_status_code_stands_in_the_message_once():
    report = cleaned(reported(throttled(), own=(), may_repeat=False), Masks())
    assert STATUS.findall(str(report)) == ["503"]
    again = cleaned(report, Masks())
    assert STATUS.findall(str(again)) == ["503"]


def test_a_long_message_is_cut_and_keeps_its_status_code():
    report = cleaned(Declared("é" * 40_000, status_code=7), Masks())
    assert len(str(report)) < LONGEST_MESSAGE + 40
    assert STATUS.findall(str(report)) == ["7"]


def test_secrets_are_masked_in_all_of_an_error():
    error = Declared("bad hunter2", outputs={"a": ["hunter2"]}, details=[{"b": "hunter2"}])
    clean = cleaned(error, Masks(["hunter2"]))
    assert (str(clean), clean.outputs, clean.details) == ("bad ***", {"a": ["***"]}, [{"b": "***"}])


def test_what_is_stored_of_a_failure_fits_into_an_item():
    outputs: Any = {"small": "kept", "large": "x" * 400_000}
    error = Declared("m", outputs=outputs, details=["é" * 5_000] * 5_000)
    failure = failure_of(cleaned(error, Masks()))
    assert dict(failure.outputs) == {"small": "kept"}
    assert 0 < len(failure.details) <= MOST_DETAILS
    assert len(str(failure).encode()) < 300_000
