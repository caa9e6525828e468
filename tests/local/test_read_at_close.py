"""What undos and handlers read of the steps of a run that failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from local.people import People, Said
from tests.local.runs import compiled, played

ANN = "ann@example.com"
PLACES = ["undo", "handler"]


def said(folder: Path, text: str, step: str, **more: Any) -> list[str]:
    """Run a workflow that fails; return what each call of a step wrote, sorted."""
    ran, record = played(compiled(text), {}, keep=folder / "kept", **more)
    assert ran.finished.status == "FAILED"
    told = [(undo["step"], undo["status"]) for undo in record["closing"]["undone"]]
    assert {status for _, status in told} <= {"undone"}
    logs = (folder / "kept/logs").rglob("*.stdout")
    return sorted(path.read_text().strip() for path in logs if path.parent.name.startswith(step))


def test_the_undo_of_an_item_reads_what_this_item_gave(tmp_path: Path):
    text = """
        steps:
          - id: each
            for_each: [a, b]
            run: echo "at=at ${{ item }}" >> "$GITHUB_OUTPUT"
            outputs: {at: }
            compensate:
              id: back
              run: echo ${{ item }} ${{ steps.each.outputs.at }} ${{ steps.each.status }}
          - {id: fall, run: exit 3}
    """
    assert said(tmp_path, text, "back") == ["a at a succeeded", "b at b succeeded"]


def test_the_undo_in_an_item_reads_the_steps_of_this_item(tmp_path: Path):
    """Of the items around it too; a list that was made in an item is that item's."""
    text = """
        steps:
          - {id: base, run: 'echo "n=0" >> "$GITHUB_OUTPUT"', outputs: {n: }}
          - id: outer
            type: parallel
            for_each: [a, b]
            steps:
              - id: first-one
                run: |
                  echo 'list=["${{ item }}1", "${{ item }}2"]' >> "$GITHUB_OUTPUT"
                  echo "name=of ${{ item }}" >> "$GITHUB_OUTPUT"
                outputs: {list: , name: }
              - {id: not-b, run: echo, condition: item == 'a', depends_on: [first-one]}
              - id: inner
                depends_on: [first-one]
                type: parallel
                for_each: ${{ fromJSON(steps.first-one.outputs.list) }}
                steps:
                  - id: deep
                    run: 'echo "v=v${{ item }}" >> "$GITHUB_OUTPUT"'
                    outputs: {v: }
                  - id: last
                    depends_on: [deep]
                    run: echo
                    compensate:
                      id: back
                      run: >-
                        echo ${{ item }} ${{ steps.deep.outputs.v }}
                        ${{ steps.first-one.outputs.name }} ${{ steps.base.outputs.n }}
          - {id: fall, run: exit 3}
    """
    expected = ["a1 va1 of a 0", "a2 va2 of a 0", "b1 vb1 of b 0", "b2 vb2 of b 0"]
    assert said(tmp_path, text, "back") == expected


@pytest.mark.parametrize("place", PLACES)
def test_an_output_that_travels_by_reference_is_read_whole(place: str, tmp_path: Path):
    look = '{id: look, run: "printf %s ${{ steps.big.outputs.all }} | wc -c"}'
    text = f"""
        steps:
          - id: big
            run: |
              echo "all=$(head -c 60000 /dev/zero | tr '\\0' x)" >> "$GITHUB_OUTPUT"
            outputs: {{all: }}
            {f"compensate: {look}" if place == "undo" else ""}
          - {{id: fall, run: exit 3}}
        {f"on_failure: [{look}]" if place == "handler" else ""}
    """
    assert said(tmp_path, text, "look") == ["60000"]


OF_EVERY_KIND = """
    steps:
      - {id: script, run: "echo x=1 >> $GITHUB_OUTPUT", outputs: {x: }}
      - {id: bad_script, run: exit 1, on_error: continue}
      - {id: pause, type: wait, for: 5s}
      - {id: event, type: wait, event: never, timeout: 1m, on_error: continue}
      - {id: tell, type: publish, event: e}
      - {id: aws, action: "aws:sqs:createQueue", inputs: {QueueName: q}}
      - {id: bad_aws, action: "aws:sqs:sendMessage", inputs: {QueueUrl: nowhere, MessageBody: m},
         on_error: continue}
      - {id: block, type: parallel, steps: [{id: inside, type: wait, for: 1s}]}
      - {id: yes, type: manual, title: Go?, assignees: [ann@example.com]}
      - {id: no, type: manual, title: Go?, assignees: [ann@example.com], on_reject: continue,
         depends_on: [yes]}
      - {id: late, type: manual, title: Go?, assignees: [ann@example.com], timeout: 1h,
         on_timeout: continue, depends_on: [yes]}
      - {id: each, type: wait, for: 1s, for_each: [1, 2], depends_on: [yes]}
      - {id: none, run: echo, for_each: "${{ fromJSON('[]') }}", depends_on: [yes]}
      - {id: over, run: echo, repeat: {until: "false", delay: 1s, max_attempts: 2},
         on_error: continue, depends_on: [yes]}
      - {id: refused, action: http-request, inputs: {url: "${{ fromJSON('1') }}"},
         on_error: continue, depends_on: [yes]}
      - {id: stopped, type: parallel, fail_fast: true, on_error: continue, depends_on: [yes],
         steps: [{id: cut, run: sleep 9}, {id: first, run: sleep 1; exit 1}]}
      - {id: called, type: subworkflow, workflow: child, depends_on: [yes]}
      - {id: skipped, type: publish, event: e, condition: steps.yes.status == 'failed'}
      - {id: fall, run: exit 3, depends_on: [yes]}
"""
CHILD = """
    name: child
    outputs: {z: {value: "${{ steps.a.outputs.z }}"}}
    steps: [{id: a, run: "echo z=9 >> $GITHUB_OUTPUT", outputs: {z: }}]
"""
STATUSES = {
    "script": "succeeded", "bad_script": "failed", "pause": "succeeded", "event": "timed_out",
    "tell": "succeeded", "aws": "succeeded", "bad_aws": "failed", "block": "succeeded",
    "inside": "succeeded", "yes": "succeeded", "no": "rejected", "late": "timed_out",
    "each": "succeeded", "none": "succeeded", "over": "failed", "refused": "failed",
    "stopped": "failed", "cut": "cancelled", "first": "failed", "called": "succeeded",
    "skipped": "skipped", "fall": "failed",
}  # fmt: skip


def test_a_handler_reads_what_every_kind_of_step_came_to(tmp_path: Path):
    """Whether a result of it is stored or not."""
    reads = {name: f"${{{{ steps.{name}.status }}}}" for name in STATUSES}
    reads |= {
        "by": "${{ steps.no.outputs.decided_by }}",
        "why": "${{ steps.bad_aws.error.type }}",
        "z": "${{ steps.called.outputs.z }}",
    }
    env = json.dumps({f"T_{name}": read for name, read in reads.items()})
    handlers = f"""
    on_failure:
      - {{id: look, run: env | grep ^T_, env: {env}}}
      - {{id: only, run: echo yes, condition: steps.no.status == 'rejected', depends_on: []}}
      - {{id: never, run: echo no, condition: steps.yes.status != 'succeeded', depends_on: []}}
    """
    people = People(decisions={"yes": (Said("approved", ANN),), "no": (Said("rejected", ANN),)})
    ran, record = played(
        compiled(OF_EVERY_KIND + handlers, child=CHILD), {}, keep=tmp_path / "kept", people=people
    )
    assert ran.finished.status == "FAILED"
    handled = {one["step_id"]: one["status"] for one in record["closing"]["handlers"]}
    assert handled == {"look": "succeeded", "only": "succeeded", "never": "skipped"}
    (log,) = (tmp_path / "kept/logs").rglob("look*/*.stdout")
    lines = log.read_text().splitlines()
    found = dict(line.removeprefix("T_").split("=", 1) for line in lines)
    assert found.pop("by") == ANN
    assert "Sqs" in found.pop("why")
    assert found.pop("z") == "9"
    assert found == STATUSES
