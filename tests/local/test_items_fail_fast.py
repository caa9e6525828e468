"""A for_each with `fail_fast` on the local engine: what it stops, tells, undoes and resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from local.people import People, Said
from local.stubs import Fail, Stub
from local.workflow import Ran
from tests.local.runs import compiled, played, steps_of
from tests.local.stages import staged

TELL = """
          - id: tell
            condition: always()
            run: echo "told=$ITEMS" >> "$GITHUB_OUTPUT"
            env: {ITEMS: "${{ toJSON(steps.patch.items) }}"}
            outputs: {told: "${{ steps.tell.outputs.told }}"}
"""


def both(record: Any) -> list[str]:
    """Return the statuses of all items: a later step read what the record says."""
    step = steps_of(record)["patch"]
    found = [item["status"] for item in step["items"]]
    assert [item["index"] for item in step["items"]] == [*range(len(found))]
    told = json.loads(steps_of(record)["tell"]["outputs"]["told"])
    assert [(one["index"], one["status"]) for one in told] == [*enumerate(found)]
    return found


def carried_out(ran: Ran, step: str) -> list[str]:
    return sorted(path for path in ran.rows if path.partition("/")[0] == step)


def test_one_after_the_other_none_is_begun_behind_a_bad_one():
    program = compiled(f"""
        steps:
          - id: patch
            for_each: [a, b, c, d]
            fail_fast: true
            max_concurrency: 1
            run: |
              test ${{{{ item }}}} != b
              echo "done="${{{{ item }}}} >> "$GITHUB_OUTPUT"
            outputs: {{done: "${{{{ steps.patch.outputs.done }}}}"}}
          {TELL.strip()}
    """)
    ran, record = played(program, {})
    assert both(record) == ["succeeded", "failed", "cancelled", "cancelled"]
    assert carried_out(ran, "patch") == ["patch/0", "patch/1"]
    step = steps_of(record)["patch"]
    assert step["outputs"] == [{"done": "a"}, None, None, None]
    assert step["error"]["message"].startswith("item 1 failed: ScriptFailed: ")
    assert step["items"][3] == {"index": 3, "status": "cancelled"}
    assert record["error"]["details"][0]["type"] == "ItemsFailed"


BLOCK = f"""
        steps:
          - id: patch
            type: parallel
            for_each: [a, b, c, d, e]
            fail_fast: true
            max_concurrency: 3
            steps:
              - {{id: begin, run: x}}
              - {{id: long, type: wait, for: 2h, condition: item == 'a', depends_on: [begin]}}
              - {{id: bad, run: x, condition: item == 'c', depends_on: [begin]}}
              - {{id: ask, type: manual, condition: item == 'd', depends_on: [begin],
                 assignees: [a@example.com]}}
          {TELL.strip()}
"""


def test_blocks_under_way_are_stopped_and_what_they_ask_is_closed():
    stubs = {"begin": Stub(60), "bad": Stub(600, fail=Fail("Broken", "no"))}
    ran, record = played(compiled(BLOCK), stubs)
    assert both(record) == ["cancelled", "succeeded", "failed", "cancelled", "cancelled"]
    steps = steps_of(record)
    assert steps["ask"]["items"][0]["status"] == "cancelled"
    assert steps["patch"]["completed_at"] == "2026-01-01T00:11:00.000Z"
    assert steps["patch"]["error"]["message"] == "item 2 failed: StepsFailed: bad failed: Broken"
    assert [task.status for task in ran.tasks] == ["cancelled"]
    assert steps["tell"]["status"] == "succeeded"


def test_a_persons_no_closes_the_other_questions():
    program = compiled(f"""
        steps:
          - id: patch
            type: manual
            for_each: [a, b, c, d]
            fail_fast: true
            max_concurrency: 3
            title: ${{{{ item }}}}
            assignees: [a@example.com]
            timeout: 2h
          {TELL.strip()}
    """)
    said = [Said("approved", after=60), Said("rejected", after=600), Said("approved", after=6000)]
    ran, record = played(program, {}, people=People(decisions={"patch": said}))
    assert both(record) == ["succeeded", "rejected", "cancelled", "cancelled"]
    assert sorted(task.status for task in ran.tasks) == [
        "approved", "cancelled", "cancelled", "rejected",
    ]  # fmt: skip


WIDE = f"""
        inputs: {{xs: array}}
        steps:
          - id: patch
            type: parallel
            for_each: "${{{{ inputs.xs }}}}"
            fail_fast: true
            max_items: 300
            max_concurrency: 80
            steps:
              - {{id: bad, run: x, condition: index == 50}}
              - {{id: work, type: wait, for: 20m, condition: index != 3}}
          {TELL.strip()}
"""


def test_chunks_in_child_executions_stop_each_other():
    """The items of a chunk that was aborted, and of one that was never begun, are told as well."""
    stubs = {"bad": Stub(60, fail=Fail("Broken", "no"))}
    ran, record = played(compiled(WIDE), stubs, inputs={"xs": [*range(130)]})
    found = both(record)
    assert len(found) == 130
    assert (found[3], found[50]) == ("succeeded", "failed")
    assert found.count("cancelled") == 128
    assert sorted(one.finished.status for one in ran.others) == ["ABORTED", "FAILED"]
    assert steps_of(record)["patch"]["error"]["message"].startswith("item 50 failed: ")
    assert str(record["completed_at"]) < "2026-01-01T00:02:00.000Z"


def test_a_nested_one_tells_of_its_own_items():
    program = compiled(f"""
        steps:
          - id: patch
            type: parallel
            for_each: [[a, b], [c, bad, d], [e]]
            fail_fast: true
            max_concurrency: 1
            steps:
              - {{id: one, for_each: "${{{{ item }}}}", fail_fast: true, max_concurrency: 1,
                 run: "test ${{{{ item }}}} != bad"}}
          {TELL.strip()}
    """)
    ran, record = played(program, {})
    assert both(record) == ["succeeded", "failed", "cancelled"]
    assert carried_out(ran, "one") == ["one/0/0", "one/0/1", "one/1/0", "one/1/1"]
    inner = {
        str(item["index"]): item["status"]
        for item in steps_of(record)["one"]["items"]
        if isinstance(item["index"], list)
    }
    assert inner == {
        "[0, 0]": "succeeded",
        "[0, 1]": "succeeded",
        "[1, 0]": "succeeded",
        "[1, 1]": "failed",
        "[1, 2]": "cancelled",
    }


def test_what_was_done_is_undone_newest_first(tmp_path: Path):
    """The bad item, which ended badly, and what was never begun leave nothing to undo."""
    program = compiled(f"""
        env: {{UNDONE: "{tmp_path}/undone"}}
        steps:
          - id: patch
            for_each: [a, b, c, d]
            fail_fast: true
            max_concurrency: 1
            run: test ${{{{ item }}}} != c
            compensate: {{run: 'echo ${{{{ item }}}} >> "$UNDONE"'}}
    """)
    _, record = played(program, {})
    assert (tmp_path / "undone").read_text().split() == ["b", "a"]
    items = steps_of(record)["patch"]["items"]
    assert [item.get("undone", False) for item in items] == [True, True, False, False]


SETTINGS = "stages: {{local: {{vars: {{done: '{0}/done', mended: '{0}/mended'}}}}}}\n"
WAVES = """
    name: waves
    env: {DONE: "${{ vars.done }}", MENDED: "${{ vars.mended }}"}
    steps:
      - id: wave
        for_each: [a, b, c, d]
        fail_fast: true
        max_concurrency: 1
        run: |
          echo ${{ item }} >> "$DONE"
          test ${{ item }} != c || test -e "$MENDED"
      - {id: last, run: 'echo last >> "$DONE"'}
"""


def test_a_resume_goes_on_with_the_items_that_were_left(tmp_path: Path):
    with staged(tmp_path, settings=SETTINGS.format(tmp_path), waves=WAVES) as bob:
        done = tmp_path / "done"
        run = bob.run("waves")
        assert bob.record(run)["status"] == "failed"
        assert done.read_text().split() == ["a", "b", "c"]
        (tmp_path / "mended").touch()
        plan = bob.post(f"/api/runs/{run}/resume", {"dry_run": True}).body
        assert [one["step_id"] for one in plan["again"]] == ["wave"]
        assert plan["following"] == ["last"]
        bob.post(f"/api/runs/{run}/resume")
        bob.until(lambda: bob.get(f"/api/runs/{run}").body["run_attempt"] == 2)
        record = bob.record(run)
        assert record["status"] == "succeeded"
        assert done.read_text().split() == ["a", "b", "c", "c", "d", "last"]
        assert [item["status"] for item in record["steps"][0]["items"]] == ["succeeded"] * 4
