"""`stepsmith prune --left`: roles and rules that the stack does not know and nothing needs."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import boto3
import pytest
from moto import mock_aws

from cli.prune.delete import carry_out, items
from cli.prune.left import role, rule, waits_in
from cli.prune.others import Others
from cli.prune.plan import Wish, plan
from compiler.document.nodes import Json
from tests.cli.prune_town import Town, function, machine
from tests.emitted import compiled

ROLES = "arn:aws:iam::123456789012:role"
RULES = "arn:aws:events:eu-central-1:123456789012:rule/stepsmith-prod"
REGION = "eu-central-1"
PATTERNS: list[dict[str, Json]] = [
    {"detail-type": ["paid"]},
    {"source": ["shop"], "detail": {"total": [{"numeric": [">", 5]}], "test": [False]}},
    {"source": ["shop"], "detail": {"note": ["", "two\nlines", "${Token}", "{% x %}", None]}},
    {"detail": {"$or": [{"a": [1]}, {"b": [{"exists": True}]}]}},
]


def going(town: Town, *, left: bool = True, newest: int = 1) -> list[str]:
    """Return the names of the roles and rules that would be deleted."""
    made = plan(town.found(left=left), Wish(newest, left=left), town.names)
    return [item.of.of.name for item in items(made.others)]


def a_role(name: str) -> str:
    return f"{ROLES}/{name}"


def town_with_roles() -> Town:
    """Two versions of a machine and of its function, each with a role, and a run on the older."""
    town = Town()
    run = function("action-run")
    town.function(
        "action-run", 3, roles={0: a_role("f3"), **{n: a_role(f"f{n}") for n in (1, 2, 3)}}
    )
    town.machine("release", [f"{run}:1"], [f"{run}:2"], [f"{run}:3"], waiting="1")
    for number in (1, 2, 3):
        town.roles[f"{machine('release')}:{number}"] = a_role(f"m{number}")
    names = [*(f"{kind}{number}" for kind in "fm" for number in (1, 2, 3)), "gone"]
    town.others = [role(a_role(name), name) for name in names]
    return town


def test_a_role_goes_when_no_version_that_stays_has_it():
    town = town_with_roles()

    assert going(town) == ["f2", "m2", "gone"]
    assert going(town, newest=3) == ["gone"]
    assert going(town, left=False) == []


def test_nothing_that_is_left_goes_before_all_that_may_need_it_has():
    """A function that could not be deleted, or a machine, keeps what it has; so does all else."""
    for stuck in (f"{machine('release')}:2", f"{function('action-run')}:2"):
        town = town_with_roles()
        town.refused = {stuck: "no"}
        found, wish = town.found(left=True), Wish(1, left=True)

        carry_out(found, wish, town.names, plan(found, wish, town.names), town)

        assert a_role("m2" if "release" in stuck else "f2") not in town.deleted


def waiting(pattern: object) -> str:
    """Return a definition that waits for events of a pattern."""
    payload = {"op": "await_event", "pattern": pattern}
    return json.dumps({"States": {"wait": {"Arguments": {"Payload": payload}}}})


def test_a_rule_stays_while_a_version_that_stays_waits_by_it():
    town = Town()
    town.machine("release", [], [], [], waiting="1")
    arn = machine("release")
    for number, name in enumerate(("asked", "paid", "sent"), 1):
        town.definitions[f"{arn}:{number}"] = waiting({"detail-type": [name]})
        town.others.append(rule(f"{RULES}/{name}", name, {"detail-type": [name]}))
    town.definitions[arn] = town.definitions[f"{arn}:3"]

    assert going(town) == ["paid"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_compiled_wait_needs_the_rule_of_its_pattern(pattern: dict[str, Json]):
    """Whatever becomes of a pattern on its way: here into a machine, there through a template."""
    text = dedent(f"""\
        name: waits
        steps:
          - {{id: wait, type: wait, event: {json.dumps(pattern)}, timeout: 1h}}
        """)
    [found, *_] = compiled(text).machines
    named = dict.fromkeys(waits_in(found.to_json()), "")

    assert named
    assert rule("", "", pattern).is_needed(named)
    assert rule("", "", json.loads(spelled(pattern))).is_needed(named)
    assert not rule("", "", {"detail-type": ["another"]}).is_needed(named)
    assert not rule("", "", {**pattern, "account": ["1"]}).is_needed(dict.fromkeys(["x"], ""))


def spelled(value: Any) -> str:
    """Return a pattern as JSON in which numbers and truth values are texts."""
    text = json.dumps(value)
    for one in ("5", "1", "true", "false"):
        text = text.replace(f" {one},", f' "{one}",').replace(f"[{one}]", f'["{one}"]')
        text = text.replace(f" {one}]", f' "{one}"]').replace(f": {one}}}", f': "{one}"}}')
    return text


# --- what there is in an account ----------------------------------------------------------------


@pytest.fixture
def account():
    """Roles and rules of two stages whose names begin alike, and of nobody."""
    with mock_aws():
        iam = boto3.client("iam", region_name=REGION)
        allow = {"Effect": "Allow", "Action": "sts:AssumeRole"}
        trust = json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [{**allow, "Principal": {"Service": "states.amazonaws.com"}}],
            }
        )
        own = json.dumps({"Version": "2012-10-17", "Statement": [{**allow, "Resource": "*"}]})
        for name, stage in (("Old", "prod"), ("New", "prod"), ("Other", "prod-eu"), ("Plain", "")):
            tags = [{"Key": "stepsmith:stage", "Value": stage}] if stage else []
            full = f"stepsmith-prod-{name}"
            iam.create_role(RoleName=full, AssumeRolePolicyDocument=trust, Tags=tags)
            iam.put_role_policy(RoleName=full, PolicyName="own", PolicyDocument=own)
        events = boto3.client("events", region_name=REGION)
        events.create_event_bus(Name="stepsmith-prod")
        for bus in ("default", "stepsmith-prod"):
            for name, stage, said in (
                ("Waits", "prod", "What steps of release wait for, in some version"),
                ("Known", "prod", "What steps of release wait for, in some version"),
                ("Trigger", "prod", ""),
                ("Other", "prod-eu", "What steps of release wait for, in some version"),
            ):
                full = f"stepsmith-prod-{bus[:4]}-{name}"
                events.put_rule(
                    Name=full,
                    EventBusName=bus,
                    EventPattern=json.dumps({"detail-type": ["paid"]}),
                    Description=said,
                    Tags=[{"Key": "stepsmith:stage", "Value": stage}],
                )
                arn = f"arn:aws:sqs:{REGION}:123456789012:queue"
                events.put_targets(
                    Rule=full, EventBusName=bus, Targets=[{"Id": "queue", "Arn": arn}]
                )
        yield lambda service: boto3.client(service, region_name=REGION)


KNOWN = {
    "stepsmith-prod-New",
    "stepsmith-prod-defa-Known",
    "stepsmith-prod|stepsmith-prod-step-Known",
}
LEFT = ["stepsmith-prod-Old", "stepsmith-prod-step-Waits", "stepsmith-prod-defa-Waits"]


def test_what_bears_the_stages_tag_and_is_not_in_its_stack_is_left(account):
    assert [one.name for one in Others("prod", account).left(KNOWN)] == LEFT


def test_what_is_left_is_deleted_with_what_hangs_on_it(account):
    others = Others("prod", account)
    for one in [*others.left(KNOWN)]:
        others.delete(one.arn)

    assert [*others.left(KNOWN)] == []
    names = {one["RoleName"] for one in account("iam").list_roles()["Roles"]}
    assert names == {f"stepsmith-prod-{name}" for name in ("New", "Other", "Plain")}
    for bus in ("default", "stepsmith-prod"):
        found = account("events").list_rules(EventBusName=bus)["Rules"]
        assert len(found) == 3


def test_a_bus_that_is_gone_has_no_rules(account):
    events = account("events")
    for one in events.list_rules(EventBusName="stepsmith-prod")["Rules"]:
        events.remove_targets(Rule=one["Name"], EventBusName="stepsmith-prod", Ids=["queue"])
        events.delete_rule(Name=one["Name"], EventBusName="stepsmith-prod")
    events.delete_event_bus(Name="stepsmith-prod")

    names = [one.name for one in Others("prod", account).left(KNOWN)]
    assert names == ["stepsmith-prod-Old", "stepsmith-prod-defa-Waits"]
