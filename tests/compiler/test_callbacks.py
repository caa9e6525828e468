"""Steps that an outside system ends: a bad answer is one of the failures that a retry is for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asl_player import Call, Outcome, Played, lambda_result, play
from tests.emitted import compiled
from tests.golden.project import surroundings

ORDER = {
    "id": "order",
    "action": "http-request",
    "callback": True,
    "inputs": {"url": "https://shop.example.com"},
}


class Shop:
    """What a run calls: `answers` are what the shop answers, one for each time it is asked."""

    def __init__(self, *answers: dict[str, Any] | str) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    def __call__(self, call: Call) -> Outcome:
        payload = call.arguments["Payload"]
        match payload.get("op"):
            case None:
                self.asked.append(payload["iteration"])
                return Outcome(lambda_result({"step": "order", "outputs": {}}))
            case "open_callback":
                number = len(self.asked)
                url = {"url": "https://us.example.com/c", "round": number + 1 if number else None}
                return Outcome(lambda_result(url))
            case "await_callback":
                answer = self.answers.pop(0)
                if answer != "silence":
                    self._answer(call, answer)
                return Outcome()
            case _:  # expire
                return Outcome.fail("StepTimedOut", "no answer came in time")

    @staticmethod
    def _answer(call: Call, answer: dict[str, Any] | str) -> None:
        player, token = call.player, call.token
        if isinstance(answer, str):
            player.at(1, lambda: player.fail(token, answer, "said the shop"))
        else:
            player.at(1, lambda: player.succeed(token, {"outputs": answer}))


def ordered(shop: Shop, **more: Any) -> Played:
    """Play a workflow that orders something and gives what came back."""
    base = surroundings()
    outputs = {"number": {"value": "${{ steps.order.outputs.number }}"}}
    made = compiled(
        {"name": "w", "steps": [ORDER | more], "outputs": outputs},
        catalogue=base.catalogue,
        stage=base.stage,
    )
    given = {"inputs": {}, "run": {"id": "run-1", "attempt": 1}}
    played = play(made.machines[0].definition, given, shop)
    assert played.query_errors == []
    return played


def test_without_a_retry_a_bad_answer_fails_the_step() -> None:
    shop = Shop("OutOfStock")
    assert ordered(shop).status == "FAILED"
    assert shop.asked == [None]


@pytest.mark.parametrize("bad", ["OutOfStock", "silence"])
def test_a_retry_asks_the_outside_system_again_as_another_round(bad: str) -> None:
    """Else the stored result of the action would be given back, and nobody would be asked."""
    shop = Shop(bad, bad, {"number": 7})
    played = ordered(shop, retry={"max_attempts": 3, "delay": "1s"}, timeout="10m")
    assert (played.status, played.output) == ("SUCCEEDED", {"number": 7})
    assert shop.asked == [None, 2, 3]


def test_a_retry_is_for_the_errors_that_it_names() -> None:
    shop = Shop("OutOfStock")
    retry = {"max_attempts": 3, "delay": "1s", "conditions": [{"error_type": "NetworkError"}]}
    assert ordered(shop, retry=retry).status == "FAILED"
    assert shop.asked == [None]


def test_the_retries_of_an_answer_come_to_an_end() -> None:
    shop = Shop("Busy", "Busy")
    assert ordered(shop, retry={"max_attempts": 2, "delay": "1s"}).status == "FAILED"
    assert shop.asked == [None, 2]
