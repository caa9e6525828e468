"""`stepsmith graph`: the drawing as SVG and as Mermaid."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree as ET

import pytest

from cli.drawing import mermaid, svg
from cli.drawing.lettering import fitted, text_width
from cli.drawing.sketch import Arrow, Card, Drawing, Sketch, bare
from cli.project.project import workflow_files
from tests.cli.calling import call, write

ROOT = Path(__file__).parents[2]
NAME = "{http://www.w3.org/2000/svg}"
HOSTILE = '</text><script>alert(1)</script>"\'&]]>\x00\x1b\u202e end\nsubgraph x["y"] %% ${{ ;'

FLOW = """\
    name: Release
    trigger: {type: git-push, repository: github.com/org/app, branch: main}
    steps:
      - {id: build, run: make, depends_on: [], retry: {max_attempts: 3}}
      - {id: lint, run: echo, depends_on: [], on_error: continue}
      - {id: test, run: echo, depends_on: [build]}
      - id: review
        type: manual
        title: Fine?
        assignees: [a@example.com]
        depends_on: [build, lint]
        condition: ${{ steps.lint.status == 'succeeded' }}
      - id: ship
        type: parallel
        depends_on: [review, test]
        steps:
          - {id: us, run: echo}
          - {id: eu, run: echo, depends_on: [us]}
    on_failure:
      - {id: tell, run: echo}
    """


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """A workflow with a latch, a block, a person and a handler."""
    return write(tmp_path / "flow.yaml", FLOW)


def drawing_of(words: str) -> Drawing:
    """Return a drawing in which every text is the same."""
    inner = Card("inner", words, "script", words)
    cards = (
        Card("a", words, "action", words, words, (words,), words),
        Card("b", words, "block", words, inside=Sketch((inner,))),
    )
    sketch = Sketch(cards, (Arrow(0, 1, latch=True),))
    return Drawing(words, words, (words,), sketch, Sketch((inner,)))


def texts(drawn: str) -> list[str]:
    """Return the texts that a drawing shows."""
    root = ET.fromstring(drawn)
    return [element.text or "" for element in root.iter(f"{NAME}text")]


def test_svg_shows_the_steps_with_what_they_do(flow: Path):
    ended = call("graph", flow)

    assert (ended.code, ended.err) == (0, "")
    shown = texts(ended.out)
    for words in (
        "Release",
        "Started by push to github.com/org/app (main)",
        "build",
        "3 attempts",
        "failure tolerated",
        "a person decides, within 3d",
        "steps.lint.status == 'succeeded'",
        "After a failure",
        "tell",
    ):
        assert words in shown


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("'${{ inputs.list }}'", "for each item, 100 at most"),
        ("'${{ inputs.list }}', max_items: 7", "for each item, 7 at most"),
        ("[a, b]", "for each of 2 items"),
        ("[a, '${{ inputs.list }}', c], max_items: 7", "for each of 3 items"),
        ("[a]", "for each of 1 item"),
    ],
)
def test_a_list_that_is_written_out_is_counted(tmp_path: Path, items: str, words: str):
    step = f"{{id: a, run: echo, for_each: {items}}}"
    text = f"name: A\ninputs: {{list: {{type: array}}}}\nsteps:\n  - {step}\n"

    assert words in texts(call("graph", write(tmp_path / "a.yaml", text)).out)


def test_svg_has_an_arrow_for_each_dependency_and_dashes_latches(flow: Path):
    drawn = call("graph", flow).out

    arrows = re.findall(r'<path class="arrow ?([a-z]*)"', drawn)
    assert arrows.count("") == 6 - 1  # five dependencies beside the latch, one inside the block
    assert arrows.count("latch") == 1 + 1  # and the one in the legend


def test_svg_can_be_read_aloud_and_has_no_script(flow: Path):
    root = ET.fromstring(call("graph", flow).out)

    assert root.get("role") == "img"
    labels = (root.get("aria-labelledby") or "").split()
    told = {element.get("id"): element.text for element in root}
    assert told[labels[0]] == "Release"
    assert "review after build and lint" in (told[labels[1]] or "")
    assert all(element.tag != f"{NAME}script" for element in root.iter())


def test_svg_follows_the_page_into_the_dark(flow: Path):
    assert "@media(prefers-color-scheme:dark)" in call("graph", flow).out


def test_no_text_of_a_workflow_becomes_markup():
    drawn = svg.render(drawing_of(HOSTILE))

    root = ET.fromstring(drawn)
    assert {element.tag for element in root.iter()} == {
        f"{NAME}{tag}"
        for tag in ("svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "g")
    }
    assert "<script" not in drawn


def test_an_empty_drawing_is_a_drawing():
    ET.fromstring(svg.render(Drawing("", None, (), Sketch())))


def test_cards_stay_inside_the_drawing():
    root = ET.fromstring(svg.render(drawing_of("word " * 60)))

    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for group in root.iter(f"{NAME}g"):
        x, y = map(float, re.findall(r"-?[\d.]+", group.get("transform") or ""))
        for rect in group.iter(f"{NAME}rect"):
            right = x + float(rect.get("x", 0)) + float(rect.get("width", 0))
            bottom = y + float(rect.get("y", 0)) + float(rect.get("height", 0))
            assert right <= width
            assert bottom <= height


def test_mermaid_is_a_flowchart(flow: Path):
    ended = call("graph", flow, "--format", "mermaid")

    assert ended.code == 0
    assert ended.out == dedent("""\
        ---
        title: "Release"
        ---
        flowchart LR
          s0["build<br>script on CodeBuild<br>3 attempts"]
          s1["lint<br>script<br>failure tolerated"]
          s2["test<br>script"]
          s3{{"review<br>a person decides, within 3d<br>if steps.lint.status == 'succeeded'"}}
          subgraph s4["ship<br>parallel"]
            s4_0["us<br>script"]
            s4_1["eu<br>script"]
            s4_0 --> s4_1
          end
          s0 --> s2
          s0 -.-> s3
          s1 --> s3
          s2 --> s4
          s3 --> s4
          subgraph on_failure["After a failure"]
            h0["tell<br>script"]
          end
        """)


def test_mermaid_reads_no_text_as_its_own():
    lines = mermaid.render(drawing_of(HOSTILE)).split("\n")

    assert "<script" not in "".join(lines)
    lines = lines[lines.index("flowchart LR") :]
    assert sum(line.lstrip().startswith("subgraph") for line in lines) == 2
    assert all(line.count('"') == 2 for line in lines if "[" in line)


@pytest.mark.parametrize("path", workflow_files(ROOT / "workflows"), ids=lambda p: p.stem)
def test_every_shipped_workflow_can_be_drawn(path: Path):
    ended = call("graph", path)

    assert (ended.code, ended.err) == (0, "")
    ET.fromstring(ended.out)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("${{ a == 'b' }}", "a == 'b'"),
        ("a ==\n  'b'", "a == 'b'"),
        ("${{ a }} && ${{ b }}", "${{ a }} && ${{ b }}"),
    ],
)
def test_a_condition_is_shown_without_its_braces(written: str, shown: str):
    assert bare(written) == shown


def test_text_that_does_not_fit_ends_in_an_ellipsis():
    words = fitted("a rather long title of a step", 100, 13)

    assert words.endswith("…")
    assert text_width(words, 13) <= 100
    assert fitted("short", 100, 13) == "short"


def test_the_drawing_is_the_one_that_was_looked_at(flow: Path, update_golden: bool):
    """Look at it again, on a light and on a dark page, before it is written anew."""
    drawn = call("graph", flow).out

    golden = ROOT / "tests" / "golden" / "cli" / "release.svg"
    if update_golden:
        golden.write_text(drawn, "utf-8")
    assert drawn == golden.read_text("utf-8")
