"""The public samples: our machines do what those by hand do, at no more than the ratios told."""

from __future__ import annotations

import pytest

from bench.numbers.samples import SAMPLES, Sample, counted

BY_NAME = {sample.name: sample for sample in SAMPLES}


@pytest.mark.parametrize("sample", SAMPLES, ids=BY_NAME)
def test_a_sample_stays_within_its_ratios(sample: Sample):
    numbers = list(counted(sample, sample.workflow, sample.by_hand))

    assert len(numbers) == 6
    assert all(number.is_counted for number in numbers)
    assert [(one.what, one.ratio, one.most) for one in numbers if not one.is_kept] == []


def test_a_state_more_in_a_run_of_ours_passes_a_ratio():
    sample = BY_NAME["approvals"]
    rests = "".join(f"  - {{id: rest-{at}, type: wait, for: 0s}}\n" for at in range(2))
    longer = sample.workflow + rests  # the first is where a Pass would end the run

    numbers = list(counted(sample, longer, sample.by_hand))

    assert "approvals, all approve: transitions" in [one.what for one in numbers if not one.is_kept]


def test_runs_that_call_in_another_order_are_not_counted():
    sample = BY_NAME["saga"]
    by_hand = sample.by_hand
    states = by_hand["States"]
    states["confirm-car"]["Catch"][0]["Next"] = "cancel-car"  # pays nothing back

    with pytest.raises(AssertionError, match="the last step fails"):
        list(counted(sample, sample.workflow, by_hand))


def test_runs_that_end_in_another_way_are_not_counted():
    sample = BY_NAME["saga"]
    by_hand = sample.by_hand
    del by_hand["States"]["tell-failed"]["Next"]
    by_hand["States"]["tell-failed"]["End"] = True  # as if the trip were booked
    del by_hand["States"]["failed"]

    with pytest.raises(AssertionError, match="by hand SUCCEEDED"):
        list(counted(sample, sample.workflow, by_hand))
