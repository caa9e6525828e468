"""The truth table of statuses on the local engine; `python -m bench.truth` plays more of it."""

from __future__ import annotations

import pytest

from bench.truth import main, played, sample

CASES = dict(sample(40))


@pytest.mark.parametrize("number", CASES)
def test_statuses_reasons_and_verdict_are_those_of_the_table(number):
    assert played(CASES[number]) == CASES[number]["expect"]


def test_the_bench_counts_what_is_as_in_the_table(capsys):
    assert main(["2"]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 as the truth table")
