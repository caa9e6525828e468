"""What stands behind the ports: SQS, EventBridge, S3, Step Functions."""

from __future__ import annotations

import json

import boto3
import pytest
from botocore.exceptions import ClientError

from functions.adapters.bodies import S3Bodies
from functions.adapters.bus import EventBridgeBus, NotPublished
from functions.adapters.machines import Addresses
from functions.adapters.manifests import KeptManifests, deployed_in
from functions.adapters.queue import SqsQueue
from protocol.payloads import Json
from tests.functions.events.kit import ACCOUNT, BUCKET, REGION, manifest

PREFIX = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:"


@pytest.fixture
def s3(stage):
    return stage.s3


def test_a_large_event_goes_through_the_bucket(s3):
    sqs = boto3.client("sqs", region_name=REGION)
    url = sqs.create_queue(QueueName="events")["QueueUrl"]
    bodies = S3Bodies(lambda: s3, BUCKET)
    queue = SqsQueue(sqs, url, bodies)
    large: Json = {"text": "x" * 300_000}
    queue.send({"trigger": "a.b", "event": {"n": 1}})
    queue.send({"trigger": "a.b", "event": large})
    queue.send({"enabled": "a"}, delay=0)
    received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    small, kept, enabled = (json.loads(one["Body"]) for one in received)
    assert small == {"trigger": "a.b", "event": {"n": 1}}
    assert "event" not in kept
    assert bodies.get(kept["kept"]) == large
    assert enabled == {"enabled": "a"}


def test_an_event_is_put_on_the_stages_bus():
    put = []

    class Client:
        def put_events(self, **call):
            put.append(call)
            return {"FailedEntryCount": len(put) - 1, "Entries": [{"ErrorCode": "InternalFailure"}]}

    bus = EventBridgeBus(Client(), "stage")
    bus.publish("user.signup", {"event_id": "1", "payload": {}})
    [entry] = put[0]["Entries"]
    assert (entry["Source"], entry["DetailType"]) == ("stepsmith", "user.signup")
    assert json.loads(entry["Detail"]) == {"event_id": "1", "payload": {}}
    with pytest.raises(NotPublished, match="InternalFailure"):
        bus.publish("user.signup", {})


def test_manifests_lie_in_a_folder_and_stay_under_their_digests(tmp_path, s3):
    old, new = manifest(version="1"), manifest(version="2")
    for name, one in {"release": new, "release@2": new, "release@1": old}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(one), encoding="utf-8")
    kept = KeptManifests(lambda: deployed_in(str(tmp_path)), lambda: s3, BUCKET)
    assert kept.current("release") == new
    assert kept.current("release@1") == old
    assert [one["version"] for one in kept.all()] == ["2", "1"]
    kept.keep(old)
    later = KeptManifests(dict, lambda: s3, BUCKET)
    assert later.by_digest(old["digest"]) == old
    assert later.by_digest(new["digest"]) is None
    assert later.current("release") is None


def test_a_version_is_kept_once_a_process(stage):
    manifests = stage.fresh().gate.manifests
    with stage.calls.watched() as calls:
        for _ in range(3):
            manifests.keep(stage.deployed["release"])
        assert calls.names == ["PutObject"]


def test_runs_are_started_through_the_alias():
    addresses = Addresses("test", PREFIX, "live")
    assert addresses.machine("build-app@1") == f"{PREFIX}stepsmith-test-build-app-1:live"
    told = PREFIX.replace("stateMachine", "execution")
    assert addresses.execution("build-app@1", "r") == f"{told}stepsmith-test-build-app-1:r"


def test_an_execution_is_started_once_and_described(stage):
    machines = stage.gate.machines
    assert machines.start("release", "run-1", '{"a":1}')
    assert machines.start("release", "run-1", '{"a":1}'), "just this one is running"
    assert not machines.start("release", "run-1", '{"a":2}')
    found = machines.describe("release", "run-1")
    assert (found.status, found.stopped_at) == ("RUNNING", None)
    assert machines.describe("release", "run-2") is None
    stage.executions[0].status = "SUCCEEDED"
    assert not machines.start("release", "run-1", '{"a":1}')
    with pytest.raises(ClientError):
        machines.start("nothing", "run-1", "{}")
