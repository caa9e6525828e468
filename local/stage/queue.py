"""The queue that all events of a stage go through, in this process.

Messages come in batches; those that the function names as failed come again after a while, and
after some times are dead. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from __future__ import annotations

import hashlib
import json
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from local.clock import Clock
from local.engine import ACCOUNT, REGION

if TYPE_CHECKING:
    from protocol.payloads import EventMessage, StartKept, StartWaiting

Take: TypeAlias = Callable[[Mapping[str, Any]], Any]
"""Takes `{"Records": [...]}` of SQS and returns `batchItemFailures`."""

NAME, DEAD = "stepsmith-local-events", "stepsmith-local-dead-events"
MOST_MESSAGES = 10
MOST_RECEIVES = 5
AGAIN_AFTER = 30.0
"""Seconds of the clock before a message that failed comes again."""


@dataclass(slots=True)
class Message:
    """A message: its body as text, and how often it was received."""

    id: str
    body: str
    sent_at: datetime
    receives: int = 0


class Queue:
    """A queue; what it gives up goes to the function once more, as from the dead letters' queue.

    `fault` is told of what is lost even then.
    """

    def __init__(self, clock: Clock, fault: Callable[[str], None] = lambda _: None) -> None:
        self._clock = clock
        self._fault = fault
        self._waiting: deque[Message] = deque()
        self._lock = threading.Lock()
        self._news = clock.event()

    def send(self, message: EventMessage | StartWaiting | StartKept, *, delay: int = 0) -> None:
        """Put a message in, to be taken after some seconds; `functions.event_ports.Queue`."""
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        sent = Message(str(uuid.uuid4()), body, self._clock.now())
        if delay:
            self._clock.thread(self._later, (sent, float(delay))).start()
        else:
            self._put(sent)

    def work(self, take: Take) -> None:
        """Hand messages to a function from now on."""
        self._clock.thread(self._work, (take,), "queue").start()

    def _put(self, message: Message) -> None:
        with self._lock:
            self._waiting.append(message)
        self._news.set()

    def _later(self, message: Message, seconds: float) -> None:
        self._clock.sleep(seconds)
        self._put(message)

    def _work(self, take: Take) -> None:
        while True:
            self._news.wait()
            self._news.clear()
            while batch := self._batch():
                self._hand_on(batch, take)

    def _batch(self) -> list[Message]:
        with self._lock:
            count = min(MOST_MESSAGES, len(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]

    def _hand_on(self, batch: list[Message], take: Take) -> None:
        for message in batch:
            message.receives += 1
        try:
            answer = take({"Records": [self._record(message) for message in batch]})
            failures = (answer or {}).get("batchItemFailures", [])
            failed = {one["itemIdentifier"] for one in failures}
        except Exception:  # noqa: BLE001 (a function that raises has taken nothing)
            failed = {message.id for message in batch}
        for message in batch:
            if message.id not in failed:
                continue
            if message.receives >= MOST_RECEIVES:
                self._bury(message, take)
            else:
                self._clock.thread(self._later, (message, AGAIN_AFTER)).start()

    def _bury(self, message: Message, take: Take) -> None:
        try:
            take({"Records": [self._record(message, DEAD)]})
        except Exception as error:  # noqa: BLE001 (it is lost, whatever it is)
            self._fault(f"the queue: a message was lost: {type(error).__name__}: {error}")

    def _record(self, message: Message, queue: str = NAME) -> dict[str, Any]:
        millis = str(int(message.sent_at.timestamp() * 1000))
        return {
            "messageId": message.id,
            "receiptHandle": message.id,
            "body": message.body,
            "attributes": {
                "ApproximateReceiveCount": str(message.receives),
                "SentTimestamp": millis,
                "SenderId": ACCOUNT,
                "ApproximateFirstReceiveTimestamp": millis,
            },
            "messageAttributes": {},
            "md5OfBody": hashlib.md5(message.body.encode(), usedforsecurity=False).hexdigest(),
            "eventSource": "aws:sqs",
            "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}",
            "awsRegion": REGION,
        }
