"""Looking at pages and links changes nothing: only a POST decides."""

from __future__ import annotations

import re

import boto3

from local.engine import REGION
from tests.functions.http.test_pages import link_of
from tests.functions.tasks.office import ALICE, BOB, CAROL, LEAD


def test_500_looks_change_no_byte_of_any_table(site):
    """Mail scanners, unfurlers of chats, preloading browsers: whatever is no POST."""
    scene = site.scene
    scene.open([ALICE, BOB, LEAD], due_in=60)
    dynamodb = boto3.client("dynamodb", region_name=REGION)

    def everything():
        names = dynamodb.list_tables()["TableNames"]
        return {name: dynamodb.scan(TableName=name)["Items"] for name in names}

    before = everything()
    paths = [
        link_of(scene), f"/tasks/{scene.id}", f"/tasks/{scene.id}?t=x", f"/api/tasks/{scene.id}",
        f"/api/tasks?mine=true&run={scene.run['id']}", f"{link_of(scene)}&utm_source=mail",
        f"/api/tasks/{scene.id}/status",
    ]  # fmt: skip
    assert site.call("GET", "/api/tasks", person=ALICE).status == 200
    looks = 1
    while looks < 500:
        for method in ("GET", "HEAD", "OPTIONS"):
            for path in paths:
                for person in (None, ALICE, CAROL):
                    answer = site.call(method, path, person=person)
                    assert answer.status < 500
                    if method == "HEAD":
                        assert answer.text == ""
                    looks += 1
        scene.clock.forward(hours=1)
    assert everything() == before
    assert re.search(r"\bpending\b", scene.task.status)
