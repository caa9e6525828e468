"""Signals and waits in every order, repeated and at the same time: one answer that counts."""

from __future__ import annotations

import itertools
import json
import sys
import threading

import pytest

from functions.adapters.latches import DynamoLatches
from functions.usecases.meet import noted, signal, wait
from local.workflow import SETTINGS
from protocol.names import LATCH_SKIP_FAILED

RUN = {
    "id": "r", "attempt": 1, "started_at": "t", "workflow": "w", "version": "1", "contract": 1,
}  # fmt: skip


class Answers:
    """Tokens that can be answered once, as Step Functions' can."""

    def __init__(self):
        self.taken = {}
        self.sent = 0
        self._lock = threading.Lock()

    def succeed(self, token, output):
        return self._take(token, output)

    def fail(self, token, error, cause):
        return self._take(token, (error, json.loads(cause)))

    def _take(self, token, answer):
        with self._lock:
            self.sent += 1
            return self.taken.setdefault(token, answer) is answer


def signalled(producer, consumers=("c",), **fields):
    return {
        "op": "signal", "run": RUN, "scope": "", "producer": producer,
        "consumers": list(consumers), "status": "succeeded", "counts": True,
        "bad": [], "values": {f"v_{producer}": 1}, **fields,
    }  # fmt: skip


def awaited(token, producers, consumer="c", **fields):
    return {
        "op": "await", "run": RUN, "scope": "", "consumer": consumer, "token": token,
        "producers": list(producers), **fields,
    }  # fmt: skip


@pytest.fixture
def latches(dynamodb, engine):
    return DynamoLatches(dynamodb, SETTINGS.latches_table, engine.clock)


@pytest.fixture
def meet(latches):
    """Send a message to the use case it is for."""

    def send(message, answers):
        (signal if message["op"] == "signal" else wait)(message, latches, answers)

    return send


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_whoever_comes_last_answers_with_everything(meet, order):
    messages = [signalled("p"), signalled("q"), awaited("t", "pq")]
    answers = Answers()
    for number, index in enumerate(order):
        assert not answers.taken, number
        meet(messages[index], answers)
    assert answers.taken["t"]["values"] == {"v_p": 1, "v_q": 1}
    assert answers.sent == 1


def test_what_items_wrote_down_is_read_without_anybody_waiting(meet, latches):
    """Each is called by its index; a note without a record still says that the item ended."""
    asked = {"op": "noted", "run": RUN, "scope": "1", "consumer": "each/items"}
    assert noted(asked, latches) == {"items": {}}
    record = {"status": "rejected", "outputs": {"by": "a"}, "error": {"type": "E"}}
    for index, told in (("0", record), ("12", None), ("0", record)):
        note = signalled(index, consumers=("each/items",), scope="1", values={"item": told})
        meet(note, Answers())
    meet(signalled("3", consumers=("each/items",), scope="2"), Answers())
    bare = {"status": "succeeded", "outputs": None, "error": None}
    assert noted(asked, latches) == {"items": {"0": record, "12": bare}}


def test_every_call_may_be_repeated(meet):
    answers = Answers()
    for message in (signalled("p"), signalled("p"), awaited("t", "p"), awaited("t", "p")):
        meet(message, answers)
    meet(signalled("p"), answers)
    assert list(answers.taken) == ["t"]


def test_a_wait_that_is_retried_is_answered_under_its_new_token(meet):
    answers = Answers()
    meet(awaited("old", "p"), answers)
    meet(awaited("new", "p"), answers)
    meet(signalled("p"), answers)
    assert list(answers.taken) == ["new"]
    meet(awaited("newer", "p"), answers)
    assert list(answers.taken) == ["new", "newer"]


def test_a_guarded_wait_is_told_to_skip_with_the_reason_and_who_was_bad(meet):
    answers = Answers()
    meet(awaited("t", "p", guard=True, bad=["x"], counting=True), answers)
    meet(signalled("p", status="failed", bad=["p"]), answers)
    assert answers.taken["t"] == (
        LATCH_SKIP_FAILED,
        {"bad": ["x", "p"], "statuses": {"p": "failed"}},
    )


def test_runs_attempts_scopes_and_consumers_do_not_meet(meet):
    answers = Answers()
    meet(signalled("p"), answers)
    meet(awaited("1", "p", consumer="d"), answers)
    meet({**awaited("2", "p"), "scope": "0"}, answers)
    meet({**awaited("3", "p"), "run": {**RUN, "id": "other"}}, answers)
    meet({**awaited("4", "p"), "run": {**RUN, "attempt": 2}}, answers)
    assert answers.taken == {}


@pytest.fixture
def restless():
    """Threads that change places all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_at_the_same_time_exactly_one_call_answers_each_consumer(meet):
    for round_ in range(10):
        run = {**RUN, "id": f"r{round_}"}
        consumers = ["c", "d", "e"]
        messages = [signalled(p, consumers) for p in "pqrs"]
        messages += [awaited(f"t{c}", "pqrs", consumer=c) for c in consumers]
        answers, start = Answers(), threading.Barrier(len(messages))

        def send(message, run=run, answers=answers, start=start):
            start.wait()
            meet({**message, "run": run}, answers)

        threads = [threading.Thread(target=send, args=(m,)) for m in messages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers.taken) == ["tc", "td", "te"]
        assert answers.sent == 3
        for answer in answers.taken.values():
            assert answer["values"] == {"v_p": 1, "v_q": 1, "v_r": 1, "v_s": 1}


@pytest.mark.parametrize("letter", ["a", "é", "字", "😀"])
def test_a_latch_holds_what_the_compiler_lets_through_whatever_its_script(meet, letter):
    """200,000 bytes of UTF-8 meet at most; an item of the table has 400 KB."""
    text = letter * (32_000 // len(letter.encode()))
    answers, producers = Answers(), "pqrstu"
    for producer in producers:
        meet(signalled(producer, values={f"v_{producer}": text}), answers)
    meet(awaited("t", producers), answers)
    assert answers.taken["t"]["values"] == {f"v_{producer}": text for producer in producers}
