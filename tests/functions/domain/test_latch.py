"""What a latch answers, held against the truth table that the compiler asks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.domain.latch import Arrival, Latch, Waiting, refusal, release
from protocol.names import LATCH_SKIP, LATCH_SKIP_FAILED
from protocol.status import UPSTREAM_FAILED, UPSTREAM_SKIPPED, Rule, decide

ERRORS = {UPSTREAM_FAILED: LATCH_SKIP_FAILED, UPSTREAM_SKIPPED: LATCH_SKIP, None: None}

ids = st.sampled_from(["a", "b", "c"])
sets = st.sets(ids).map(tuple)
arrivals = st.builds(
    Arrival,
    status=st.sampled_from(["succeeded", "failed", "skipped"]),
    counts=st.booleans(),
    bad=sets,
    values=st.just({}),
)
waits = st.builds(
    Waiting,
    token=st.just("t"),
    producers=st.just(("p", "q")),
    guard=st.just(True),
    bad=sets,
    counting=st.booleans(),
)


@given(waits, arrivals, arrivals)
def test_the_default_guard_is_that_of_the_truth_table(waiting, p, q):
    expected = decide(
        Rule("x"),
        bad_above={*waiting.bad, *p.bad, *q.bad},
        has_counting=waiting.counting or p.counts or q.counts,
        condition=lambda: True,
    )
    assert refusal(waiting, {"p": p, "q": q}) == ERRORS[expected]


@given(waits, arrivals, arrivals)
def test_a_wait_without_a_guard_is_always_let_through(waiting, p, q):
    unguarded = Waiting(waiting.token, waiting.producers, bad=waiting.bad)
    assert refusal(unguarded, {"p": p, "q": q}) is None


def test_a_latch_is_complete_with_all_its_producers_and_its_consumer():
    arrival = Arrival("succeeded", True, (), {})
    waiting = Waiting("t", ("p", "q"))
    assert Latch(None, {"p": arrival, "q": arrival}).complete() is None
    assert Latch(waiting, {"p": arrival}).complete() is None
    assert Latch(waiting, {"p": arrival, "q": arrival}).complete() == waiting


def test_the_answer_holds_statuses_and_values_of_all_producers():
    waiting = Waiting("t", ("p", "q"), bad=("own",))
    released = release(
        waiting,
        {
            "p": Arrival("failed", True, ("p",), {"x": 1}),
            "q": Arrival("skipped", False, ("p", "own"), {"y": None}),
        },
    )
    assert released == {
        "bad": ["own", "p"],
        "statuses": {"p": "failed", "q": "skipped"},
        "values": {"x": 1, "y": None},
    }
