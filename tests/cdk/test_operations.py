"""The page for whoever is on call knows each alarm, and no other."""

from __future__ import annotations

import json
import re

from tests.architecture.project import ROOT
from tests.cdk.synthesis import Templates, of_type

PAGE = ROOT / "docs" / "operations.md"


def headings(title: str) -> list[str]:
    """Return the headings below one of the second rank."""
    text = PAGE.read_text(encoding="utf-8")
    part = re.search(rf"(?ms)^## {title}\n(.*?)(?=^## |\Z)", text)
    assert part is not None
    return re.findall(r"(?m)^### (\w+)$", part[1])


def test_each_alarm_has_its_heading_and_no_heading_is_without_alarm(templates: Templates):
    alarms = of_type(templates.root, "AWS::CloudWatch::Alarm")
    names = [re.sub(r"^Alarms|[0-9A-F]{8}$", "", name) for name in alarms]

    assert sorted(headings("The alarms")) == sorted(names)


def test_each_alarm_looks_at_five_minutes_and_rings_from_one_on(templates: Templates):
    for alarm in of_type(templates.root, "AWS::CloudWatch::Alarm").values():
        properties = alarm["Properties"]
        assert (properties["Period"], properties["EvaluationPeriods"]) == (300, 1)
        assert properties["Threshold"] == 1
        assert properties["TreatMissingData"] == "notBreaching"


def test_whoever_writes_to_a_topic_or_queue_that_has_a_policy_is_let_by_it(templates: Templates):
    """With a policy the default one is gone, which lets in whatever is of the account."""
    found = {
        (kind, each["Principal"]["Service"])
        for kind in ("AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy")
        for policy in of_type(templates.root, kind).values()
        for each in policy["Properties"]["PolicyDocument"]["Statement"]
        if each["Effect"] == "Allow"
    }

    assert found == {
        ("AWS::SNS::TopicPolicy", "cloudwatch.amazonaws.com"),
        ("AWS::SQS::QueuePolicy", "events.amazonaws.com"),
    }


def test_the_alarms_may_write_to_the_topic_that_they_tell(templates: Templates):
    [policy] = of_type(templates.root, "AWS::SNS::TopicPolicy").values()
    [allow] = [
        each
        for each in policy["Properties"]["PolicyDocument"]["Statement"]
        if each["Effect"] == "Allow"
    ]
    told = {
        json.dumps(action)
        for alarm in of_type(templates.root, "AWS::CloudWatch::Alarm").values()
        for action in alarm["Properties"]["AlarmActions"]
    }

    assert allow["Action"] == "sns:Publish"
    assert told == {json.dumps(allow["Resource"])}
    [topic] = policy["Properties"]["Topics"]
    assert topic == allow["Resource"]
    source = json.dumps(allow["Condition"]["ArnLike"]["aws:SourceArn"])
    assert ":cloudwatch:" in source
    assert ":alarm:*" in source


def test_the_names_that_it_tells_are_those_of_the_template(templates: Templates):
    """Of queues, tables and functions, by what CloudFormation calls them."""
    names = set(templates.root["Resources"])
    told = re.findall(r"`(Queues\w+|Tables\w+|\w+Function)(?:\.{3})?`", PAGE.read_text("utf-8"))

    assert told
    assert [one for one in told if not any(name.startswith(one) for name in names)] == []


def test_each_log_group_has_a_row(templates: Templates):
    text = PAGE.read_text(encoding="utf-8")
    groups = {
        one["Properties"]["LogGroupName"].rpartition("/")[2]
        for one in of_type(templates.root, "AWS::Logs::LogGroup").values()
    }
    table = re.search(r"(?ms)^\| group \|.*?\n\n", text)
    assert table is not None
    told = set(re.findall(r"`(?:/stepsmith/prod/)?([a-z-]+)`", table[0])) | {"action-"}

    missing = {name for name in groups if not name.startswith("action-")} - told
    assert missing == set()
    assert "`/stepsmith/prod/action-NAME`" in table[0]


def test_the_dashboard_has_the_name_that_it_tells(templates: Templates):
    [board] = of_type(templates.root, "AWS::CloudWatch::Dashboard").values()

    assert f"`{board['Properties']['DashboardName']}`" in PAGE.read_text(encoding="utf-8")
