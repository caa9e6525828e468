"""What `stepsmith prune` deletes: versions that nothing needs, never one that something does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.prune.delete import Outcome, carry_out, items
from cli.prune.plan import Function, Machine, Plan, Unreadable, Wish, plan
from tests.cli.prune_town import Town, function, machine


def v(arn: str, number: int) -> str:
    return f"{arn}:{number}"


def going(town: Town, newest: int = 0, *, left: bool = False) -> set[str]:
    """Return what would be deleted, by the ends of ARNs: `parent:1`."""
    made = plan(town.found(), Wish(newest, left), town.names)
    return {_short(item.arn) for item in (*items(made.machines), *items(made.functions))}


def _short(arn: str) -> str:
    return arn.partition("stepsmith-prod-")[2]


# --- what stays ---------------------------------------------------------------------------------


def test_a_version_that_nothing_needs_goes():
    town = Town()
    town.machine("release", (), (), ())

    assert going(town) == {"release:1", "release:2"}


def test_what_the_alias_means_stays_also_when_it_is_an_old_one():
    """After a rollback by the alias, newer versions are those that nothing is started on."""
    town = Town()
    town.machine("release", (), (), (), live=1)

    assert going(town) == {"release:2", "release:3"}


def test_what_an_execution_is_open_on_stays():
    town = Town()
    town.machine("release", (), (), (), run_1="2")

    assert going(town) == {"release:1"}


def test_the_newest_stay_for_going_back():
    town = Town()
    town.machine("release", *[()] * 12)

    assert going(town, 10) == {"release:1", "release:2"}


def test_what_a_kept_version_names_stays_however_far():
    """A run on an old version calls the child, its close machine and the code it began with."""
    town = Town()
    town.function("action-run", 4)
    town.machine("child", [v(function("action-run"), 1)], [v(function("action-run"), 3)], ())
    town.machine("parent--close", [v(machine("child"), 2)], ())
    close = v(machine("parent--close"), 1)
    town.machine("parent", (), [v(machine("child"), 1), close], (), run_1="2")

    assert going(town) == {"parent:1", "action-run:2"}


def test_what_only_a_deleted_version_names_goes_with_it():
    town = Town()
    town.function("action-run", 3)
    town.machine("parent", [v(function("action-run"), 1)], [v(function("action-run"), 2)])

    assert going(town) == {"parent:1", "action-run:1"}


def test_the_newest_version_of_a_function_stays_for_the_stack():
    town = Town()
    town.function("latches", 2)

    assert going(town) == {"latches:1"}


def test_an_execution_whose_version_is_gone_still_needs_what_its_definition_names():
    """One started by hand without a version, or on a version that was deleted by hand."""
    town = Town()
    town.function("action-run", 3)
    town.machine("parent", (), (), astray={"by-hand": [v(function("action-run"), 1)]})

    assert going(town) == {"parent:1", "action-run:2"}
    assert "parent" not in going(town, left=True)


def test_versions_of_others_are_not_taken_for_ones_own():
    """A number that only begins alike, a name that only begins alike."""
    town = Town()
    town.function("action-run", 12)
    town.function("action-run-tests", 2)
    town.machine("parent", [v(function("action-run"), 11), v(function("action-run-tests"), 1)])

    assert going(town) == {f"action-run:{n}" for n in range(1, 11)}


# --- what is left over --------------------------------------------------------------------------


def test_what_is_left_over_goes_only_when_asked():
    town = Town()
    town.function("action-old", 2, left=True)
    town.machine("old", (), [v(function("action-old"), 2)], left=True)

    assert going(town, 1) == {"old:1", "action-old:1"}
    assert going(town, 1, left=True) == {"old", "action-old"}


@pytest.mark.parametrize("why", ["open", "named", "astray"])
def test_what_is_left_over_stays_while_something_needs_it(why):
    """A run under way on it, or one that may still call it; then it is treated as all others."""
    town = Town()
    town.function("action-old", 2, left=True)
    old = [[v(function("action-old"), 1)], [v(function("action-old"), 2)]]
    match why:
        case "open":
            town.machine("old", *old, left=True, run_1="1")
        case "named":
            town.machine("old", *old, left=True)
            town.machine("parent", [v(machine("old"), 1)], (), run_2="1")
        case "astray":
            town.machine("old", *old, left=True, astray={"run-1": [v(function("action-old"), 1)]})

    assert going(town, left=True) == ({"old:1"} if why == "astray" else set())


# --- all of it, on worlds that nobody thought of --------------------------------------------------

NAMES = ("a", "b", "c", "d")


@st.composite
def towns(draw: st.DrawFn) -> Town:
    """Machines that name versions made before them, at random; some are left over."""
    town = Town()
    counts = {name: draw(st.integers(1, 4)) for name in ("f", "g")}
    for name, count in counts.items():
        town.function(name, count, left=draw(st.booleans()))
    known = [v(function(name), n) for name, count in counts.items() for n in range(1, count + 1)]
    for name in NAMES:
        versions = draw(st.lists(st.lists(st.sampled_from(known), max_size=2), max_size=4))
        runs = draw(st.lists(st.integers(1, len(versions)), max_size=2)) if versions else []
        town.machine(
            name,
            *versions,
            live=draw(st.integers(1, len(versions))) if versions else None,
            left=draw(st.booleans()),
            **{f"run{at}": str(number) for at, number in enumerate(runs)},
        )
        known += [v(machine(name), number) for number in range(1, len(versions) + 1)]
    return town


def reached(town: Town, arns: set[str]) -> set[str]:
    """Return versions and all that they name, one after the other."""
    found = set(arns)
    while more := {n for one in found & town.definitions.keys() for n in town.names(one)} - found:
        found |= more
    return found


def remaining(town: Town, gone: set[str]) -> set[str]:
    """Return the versions that are there when some things are deleted."""
    every: list[Machine | Function] = [*town.machines.values(), *town.functions.values()]
    return {
        v(one.arn, number)
        for one in every
        for number in one.versions
        if one.arn not in gone and v(one.arn, number) not in gone
    }


def whole(made: Plan) -> set[str]:
    return {item.arn for item in (*items(made.machines), *items(made.functions))}


@given(towns(), st.integers(0, 3), st.booleans())
def test_whatever_is_there_can_do_all_it_could_before(town: Town, newest: int, left: bool):
    """No version that stays names one that goes; nothing open, live or new goes."""
    gone = whole(plan(town.found(), Wish(newest, left), town.names))
    there = remaining(town, gone)

    assert reached(town, there) == there
    for one in town.machines.values():
        opened = {v(one.arn, number) for number in one.open}
        assert opened <= there
        if not (one.is_left and left):
            means = {v(one.arn, number) for number in (*one.aliases, *one.versions[:newest])}
            assert {arn for arn in means if arn in town.definitions} <= there


@given(towns(), st.integers(0, 3))
def test_whatever_stays_is_needed(town: Town, newest: int):
    """Nothing is kept that is neither open, live, new, nor named by something that stays."""
    gone = whole(plan(town.found(), Wish(newest), town.names))
    roots = {
        v(one.arn, number)
        for one in town.machines.values()
        for number in (*one.open, *one.aliases, *one.versions[:newest])
    }
    roots |= town.machines.keys()
    roots |= {v(one.arn, number) for one in town.functions.values() for number in one.versions[:1]}

    assert remaining(town, gone) <= reached(town, roots)


@given(towns(), st.data())
def test_what_could_not_be_deleted_keeps_what_it_names(town: Town, data: st.DataObject):
    """Whatever AWS refuses, and however often: no version is left that names one that is gone."""
    wish = Wish(0, data.draw(st.booleans()))
    made = plan(town.found(), wish, town.names)
    asked = sorted(whole(made))
    if asked:
        refused = data.draw(st.lists(st.sampled_from(asked), unique=True))
        town.refused = dict.fromkeys(refused, "no")

    outcome = carry_out(town.found(), wish, town.names, made, town)

    there = remaining(town, set(town.deleted))
    assert reached(town, there) == there
    assert {item.arn for item in outcome.deleted} == set(town.deleted)
    assert {item.arn for item, _ in outcome.failed} <= town.refused.keys()


def test_nothing_more_is_deleted_where_nobody_can_tell_what_is_needed():
    town = Town()
    town.function("action-run", 2)
    town.machine("parent", [v(function("action-run"), 1)], ())
    town.refused = {v(machine("parent"), 1): "AccessDenied"}

    def names(arn: str) -> frozenset[str]:
        if arn == v(machine("parent"), 1):
            raise Unreadable("AccessDenied, too")
        return town.names(arn)

    found, wish = town.found(), Wish(0)
    outcome = carry_out(found, wish, names, plan(found, wish, names), town)

    assert (outcome.deleted, town.deleted) == ([], [])
    assert [why for _, why in outcome.failed] == ["AccessDenied", "AccessDenied, too"]
    assert isinstance(outcome, Outcome)
