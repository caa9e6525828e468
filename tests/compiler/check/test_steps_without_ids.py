"""A step without an id is called by its place, and never proposed."""

from __future__ import annotations

from tests.compiler.check.checked import checked

STEPS = """
    steps:
      - {id: a, run: echo}
      - run: echo
      - uses: owner/action@v1
      - id: b
        run: echo ${{ steps.step.outputs.x }} ${{ steps.zz.outputs.x }}
        depends_on: [a, step]
    """


def test_no_message_shows_an_id_that_nobody_wrote():
    found = checked(STEPS)
    assert found.codes == ["missing-key", "foreign-key", *["unknown-step"] * 3]
    assert [told.help for told in found.diagnostics if told.code == "unknown-step"] == [
        "the steps: 'a'",
        "the steps: 'a'",
        "the steps here: 'a'",
    ]


def test_a_message_about_such_a_step_says_where_it_stands():
    found = checked(
        """
        concurrency: {group: x, on_conflict: cancel_running}
        steps:
          - run: echo
            condition: always()
        """
    )
    warning = next(told for told in found.diagnostics if told.code == "cancels-unfinished-work")
    assert "'step at 3:5' is to run always" in warning.message


def test_a_step_whose_outputs_read_an_id_from_elsewhere_is_told_how_it_reads_its_own():
    found = checked(
        """
        steps:
          - id: build
            run: echo "version=1" >> "$GITHUB_OUTPUT"
            outputs: {version: "${{ steps.meta.outputs.version }}"}
          - {id: other, run: echo}
        """
    )
    assert found.codes == ["unknown-step"]
    assert found.helps == [
        "its own outputs are read as steps.build.outputs.version; the steps: 'other'"
    ]
