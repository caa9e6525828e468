"""Waits for events: which events end them."""

from __future__ import annotations

from functions.domain.awaited import awaited
from local.stubs import Stub
from tests.local.runs import compiled, played
from tests.local.stages import staged

WAIT = """
    inputs: {order: string, orders: {type: array, default: [{id: a}, {id: b}]}}
    steps:
      - {id: quote, run: x, outputs: {price: }}
      - id: paid
        type: wait
        event: payment.received
        match: event.order == inputs.order && event.amount >= steps.quote.outputs.price
        timeout: 1h
      - id: each
        type: wait
        depends_on: []
        for_each: ${{ inputs.orders }}
        event: {source: [shop], detail-type: [sent]}
        match: event.detail.id == item.id && event.detail.place == index
        timeout: 1h
"""


def waits(**inputs):
    """Return what the steps of a run waited for, by step and item."""
    ran, _ = played(
        compiled(WAIT), {"quote": Stub(1, {"price": 30})}, inputs={"order": "o-1", **inputs}
    )
    return {(one.place.step_id, *one.place.items): one.subject for one in ran.tasks}


def paid(**payload):
    """Return an event that was published, as EventBridge delivers it."""
    detail = {"event_id": "e", "payload": payload}
    return {"id": "1", "source": "stepsmith", "detail-type": "payment.received", "detail": detail}


def sent(**detail):
    """Return an event of the shop."""
    return {"id": "2", "source": "shop", "detail-type": "sent", "detail": detail}


def test_a_match_knows_the_run_it_was_written_for():
    found = waits()
    wait = found["paid",]
    good = {"order": "o-1", "amount": 30}
    assert awaited(wait, paid(**good)) == (good,)
    assert awaited(wait, paid(order="o-2", amount=30)) is None
    assert awaited(wait, paid(order="o-1", amount=29)) is None
    assert awaited(wait, paid(order="o-1")) is None
    assert awaited(wait, sent(order="o-1", amount=30)) is None


def test_an_item_s_match_knows_its_item():
    found = waits()
    assert awaited(found["each", 1], sent(id="b", place=1)) is not None
    assert awaited(found["each", 1], sent(id="a", place=0)) is None
    assert awaited(found["each", 0], sent(id="a", place=0)) is not None


ORDER = """
    name: order
    inputs: {number: integer}
    steps:
      - {id: place, type: publish, event: order.placed, payload: {order: "${{ inputs.number }}"}}
      - {id: other, type: wait, for: 1h}
      - id: packed
        type: wait
        event: order.packed
        match: event.order == inputs.number
        timeout: 3d
      - id: again
        type: wait
        event: order.packed
        match: event.order == inputs.number
        timeout: 1d
        on_error: continue
"""
PACK = """
    name: pack
    trigger: {type: event, event: order.placed}
    inputs: {order: integer}
    steps:
      - {id: tell, type: publish, event: order.packed, payload: {order: "${{ inputs.order }}"}}
"""


def test_an_answer_that_is_there_before_its_wait_ends_it_and_no_second_one(tmp_path):
    with staged(tmp_path, order=ORDER, pack=PACK) as bob:
        runs = [bob.run("order", number=number) for number in (1, 2)]

        records = [bob.record(run) for run in runs]

    for number, record in enumerate(records, 1):
        steps = {step["step_id"]: step for step in record["steps"]}
        assert steps["packed"]["outputs"]["event"] == {"order": number}
        assert steps["again"]["status"] == "timed_out"
