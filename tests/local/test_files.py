"""Files that steps leave, through the emitted machine, the functions and real scripts."""

from __future__ import annotations

from pathlib import Path

from tests.local.runs import compiled, played


def left(folder: Path, text: str, **inputs: str) -> str:
    """Run a workflow for real and return what its last step, `tell`, said."""
    ran, _ = played(compiled(text), {}, inputs=inputs, keep=folder / "kept")
    assert ran.finished.status == "SUCCEEDED", ran.rows
    (said,) = (folder / "kept/logs").glob("tell/*.stdout")
    return said.read_text()


def test_in_a_for_each_a_step_finds_its_own_item_s_files_and_behind_it_all_are_found(tmp_path):
    text = """
        name: Files
        steps:
          - {id: before, run: echo base > base, artifacts: [base]}
          - id: each
            type: parallel
            for_each: [a, b]
            max_items: 2
            depends_on: [before]
            steps:
              - id: make
                run: mkdir d; cp base d/made-${{ item }}; echo ${{ item }} > last
                artifacts: [d, last]
              - id: inner
                for_each: [x, y]
                max_items: 2
                run: mkdir i; echo "$(cat last)${{ item }}" > i/of-${{ item }}
                artifacts: [i]
                depends_on: [make]
              - id: read
                depends_on: [inner]
                run: mkdir r; (cat last base; ls d i; cat i/*) | xargs > r/${{ item }}
                artifacts: [r]
          - {id: tell, run: "cat r/a r/b; ls d i | xargs; cat last i/of-x", depends_on: [each]}
    """
    assert left(tmp_path, text).splitlines() == [
        "a base d: made-a i: of-x of-y ax ay",
        "b base d: made-b i: of-x of-y bx by",
        "d: made-a made-b i: of-x of-y",
        "b",
        "bx",
    ]


def test_the_same_index_of_another_list_is_another_item(tmp_path):
    text = """
        name: Files
        steps:
          - {id: make, for_each: [a, b], run: "mkdir d; touch d/${{ item }}", artifacts: [d]}
          - id: use
            for_each: [1, 2]
            run: mkdir u; ls d | xargs > u/${{ item }}
            artifacts: [u]
            depends_on: [make]
          - {id: tell, run: cat u/1 u/2, depends_on: [use]}
    """
    assert left(tmp_path, text).splitlines() == ["a b", "a b"]


def test_the_last_round_s_files_reach_the_steps_behind_a_repeat(tmp_path):
    text = """
        name: Files
        inputs: {count: {type: string, required: true}}
        steps:
          - id: poll
            run: |
              echo x >> "$COUNT"
              n=$(grep -c x "$COUNT")
              mkdir d; echo $n > d/state; touch d/only-$n
              echo "n=$n" >> "$GITHUB_OUTPUT"
            env: {COUNT: "${{ inputs.count }}"}
            outputs: {n: "${{ steps.poll.outputs.n }}"}
            artifacts: [d]
            repeat: {until: steps.poll.outputs.n == '3', delay: 1s}
          - {id: tell, run: cat d/state; ls d, depends_on: [poll]}
    """
    said = left(tmp_path, text, count=str(tmp_path / "count"))
    assert said.splitlines() == ["3", "only-3", "state"]


def test_files_reach_into_blocks_and_out_of_them(tmp_path):
    text = """
        name: Files
        steps:
          - {id: before, run: echo base > base, artifacts: [base]}
          - id: both
            type: parallel
            depends_on: [before]
            steps:
              - {id: left, run: cp base left, artifacts: [left]}
              - id: deep
                type: parallel
                steps: [{id: right, run: cp base right, artifacts: [right]}]
              - {id: check, run: test -f left && test -f right, depends_on: [left, deep]}
          - {id: tell, run: cat base left right, depends_on: [both]}
    """
    assert left(tmp_path, text).split() == ["base", "base", "base"]
