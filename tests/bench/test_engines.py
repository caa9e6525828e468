"""The machines that engines are timed on: what comes of them, and what is said of who cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bench.numbers import engines
from bench.numbers.engines import MINISTACK, OURS, SFNX, Case, cases, timed
from bench.numbers.peers import Local, Machine, Ministack, Refused, Sfnx
from bench.table import Number
from local.ministack import server

CASES = cases()
SHORT = [case for case in CASES if case.machine.name in ("one", "wait", "approval")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.machine.name)
def test_ours_and_sfnx_give_what_has_to_come_of_a_machine(case: Case):
    with Local() as ours:
        took = timed(case, {OURS: ours, SFNX: Sfnx()}, 1)

    assert {name: took[name] for name in (OURS, SFNX) if isinstance(took[name], str)} == {}


@pytest.fixture(scope="module")
def ministack() -> Iterator[Ministack]:
    """A ministack as it comes."""
    if not server.is_made(server.usual_folder()):
        pytest.skip("there is no environment of ministack")
    with Ministack() as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("case", SHORT, ids=lambda case: case.machine.name)
def test_ministack_gives_it_too_or_is_not_asked(case: Case, ministack: Ministack):
    took = timed(case, {MINISTACK: ministack}, 1)

    assert isinstance(took[MINISTACK], str) == (MINISTACK in case.cannot)


class Scripted:
    """An engine that gives the same output for every machine, or refuses all."""

    def __init__(self, output: Any = None, refuses: str = "") -> None:
        self.output, self.refuses = output, refuses

    def make(self, machine: Machine) -> None:
        """Take any machine."""

    def run(self, _machine: Machine) -> Any:
        """Give the output."""
        if self.refuses:
            raise Refused(self.refuses)
        return self.output


ONE = Case("one", Machine("one", {}), {"a": 1}, {"c": "knows no tokens"})


def test_an_engine_that_does_not_run_a_machine_is_in_the_table_with_the_reason():
    took = timed(ONE, {OURS: Scripted({"a": 1}), SFNX: Scripted(refuses="no Maps")}, 1)
    took[MINISTACK] = "its time-outs take real time"

    first, second = engines._beside(ONE, took)

    assert (first.peer, first.theirs) == ("sfnx.testing: cannot: no Maps", None)
    assert (second.peer, second.theirs) == ("ministack: its time-outs take real time", None)
    assert took["c"] == "knows no tokens"


def test_an_engine_that_gives_something_else_is_not_timed():
    took = timed(ONE, {OURS: Scripted({"a": 1}), SFNX: Scripted({"a": True})}, 1)

    assert took[SFNX] == 'ends with another output: {"a": true}'
    assert isinstance(took[OURS], float)


def test_ours_must_run_all_machines():
    took = timed(ONE, {OURS: Scripted(refuses="no Maps")}, 1)

    with pytest.raises(Refused, match="one: cannot: no Maps"):
        list(engines._beside(ONE, took))


def test_a_peer_that_is_not_installed_is_told():
    numbers: list[Number] = list(engines._beside(ONE, {OURS: 1.0, SFNX: 2.0}))

    assert [(one.peer, one.ratio) for one in numbers] == [
        ("sfnx.testing", 0.5),
        ("ministack: not measured, `make setup` installs it", None),
    ]
