"""Bring signals and waits together: latches keep the dependencies that do not nest.

Each call writes once to the latch of each consumer it names. Writes to one item come one after
the other, so exactly the last that a latch needs sees it complete, and that call answers. A call
that is repeated may see it complete again and answers again: the token then no longer waits,
which is as good.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from functions.domain.keys import latch_key
from functions.domain.latch import Arrival, Latch, Waiting, refusal, release
from protocol.items import ItemRecord, Items, Noted
from protocol.payloads import Await, Json, Signal
from protocol.status import SUCCEEDED

if TYPE_CHECKING:
    from functions.ports import Answers, Latches


def signal(message: Signal, latches: Latches, answers: Answers) -> None:
    """Tell the latches of all consumers that a producer has ended."""
    arrival = Arrival(
        status=message["status"],
        counts=message["counts"],
        bad=tuple(message["bad"]),
        values=message.get("values", {}),
    )
    for consumer in message["consumers"]:
        key = latch_key(message["run"], message["scope"], consumer)
        _answer(latches.arrive(key, message["producer"], arrival), answers)


def wait(message: Await, latches: Latches, answers: Answers) -> None:
    """Leave a consumer's token at its latch; answered at once where all have arrived."""
    waiting = Waiting(
        token=message["token"],
        producers=tuple(message["producers"]),
        guard=message.get("guard", False),
        bad=tuple(message.get("bad", ())),
        counting=message.get("counting", False),
    )
    key = latch_key(message["run"], message["scope"], message["consumer"])
    _answer(latches.wait(key, waiting), answers)


def noted(message: Noted, latches: Latches) -> Items:
    """Return what the items of a for_each wrote down as they ended; nobody waits for it."""
    key = latch_key(message["run"], message["scope"], message["consumer"])
    arrivals = latches.read(key).arrivals
    return {"items": {index: _item(one.values.get("item")) for index, one in arrivals.items()}}


def _item(record: Json) -> ItemRecord:
    told = record if isinstance(record, dict) else {}
    status = told.get("status")
    return {
        "status": status if isinstance(status, str) else SUCCEEDED,
        "outputs": told.get("outputs"),
        "error": told.get("error"),
    }


def _answer(latch: Latch, answers: Answers) -> None:
    waiting = latch.complete()
    if waiting is None:
        return
    released = release(waiting, latch.arrivals)
    answer: dict[str, Json] = json.loads(json.dumps(released))
    error = refusal(waiting, latch.arrivals)
    if error is None:
        answers.succeed(waiting.token, answer)
        return
    # The values stay behind: a skipped step reads none, and a cause has room for 32,768.
    del answer["values"]
    answers.fail(waiting.token, error, json.dumps(answer, separators=(",", ":")))
