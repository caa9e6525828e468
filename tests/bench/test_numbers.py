"""The one table of `make bench`: how it is asked for, written down, and what it is counted by."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as bench
from bench import soak
from bench.numbers import cost, makespan, prices
from bench.numbers.graphs import Graph
from bench.numbers.prices import Use, dollars
from bench.numbers.tally import Tally
from bench.table import Group, Number, rendered
from cli.scenarios.files import Loader

ROOT = Path(__file__).parents[2]
GOOD = Group("Sizes", "Counted.", (Number("all", 2.0, "B", most=2.0),))
BAD = Group("Sizes", "Counted.", (Number("all", 3.0, "B", most=2.0),))


@pytest.mark.parametrize(
    ("ours", "is_counted", "mark"),
    [
        (2.0, True, "| 2 |"),
        (2.1, True, "2 **passed**"),
        (2.1, False, "2 above"),
        (2.5, False, "2 above"),
        (2.6, False, "2 **passed**"),
    ],
)
def test_what_a_clock_tells_may_be_above_its_limit_by_a_quarter(
    ours: float, is_counted: bool, mark: str
):
    number = Number("all", ours, "s", most=2.0, is_counted=is_counted)

    assert mark in rendered([Group("Times", "Told by a clock.", (number,))])
    assert number.is_kept == ("passed" not in mark)


@pytest.mark.parametrize(("group", "code"), [(GOOD, 0), (BAD, 1)])
def test_a_limit_that_is_passed_is_marked_and_ends_with_one(
    group: Group, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(bench, "groups_of", lambda *_, **__: (group,))
    monkeypatch.setattr(bench, "compiled", lambda: None)

    assert bench.main(["limits", "--quick"]) == code

    said = capsys.readouterr()
    assert ("**passed**" in said.out) == bool(code)
    assert "### Sizes" in said.out
    assert "limits ..." in said.err


def test_our_modules_are_compiled_before_they_are_timed_as_the_peers_are(tmp_path: Path):
    (tmp_path / "compiler").mkdir()
    (tmp_path / "compiler" / "one.py").write_text("ONE = 1\n", encoding="utf-8")

    bench.compiled(tmp_path)

    assert len(list(tmp_path.rglob("one.*.pyc"))) == 1


def test_where_it_was_measured_names_no_machine(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    first = bench.told([GOOD]).splitlines()[0]

    assert ": 2 cores, " in first
    assert "/" not in first


def test_only_the_whole_is_written_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    page = tmp_path / "numbers.md"
    page.write_text(f"Before.\n\n{bench.BEGIN}\nold\n{bench.END}\n\nAfter.\n", encoding="utf-8")
    monkeypatch.setattr(bench, "PAGE", page)
    monkeypatch.setattr(bench, "NAMES", ("limits",))
    monkeypatch.setattr(bench, "groups_of", lambda *_, **__: (GOOD,))
    monkeypatch.setattr(bench, "compiled", lambda: None)

    for partly in (["limits", "--write"], ["--quick", "--write"], ["no-such-group"]):
        with pytest.raises(SystemExit, match="2"):
            bench.main(partly)
    assert "old" in page.read_text(encoding="utf-8")
    assert bench.main(["--write"]) == 0
    assert bench.main(["--write"]) == 0

    written = page.read_text(encoding="utf-8")
    assert written.startswith(f"Before.\n\n{bench.BEGIN}\n\nMeasured on ")
    assert written.endswith(f"| all | 2 B |  |  |  | 2 |\n\n{bench.END}\n\nAfter.\n")
    assert "old" not in written


@pytest.mark.parametrize("page", ["no marks", bench.BEGIN, bench.END])
def test_a_page_without_its_marks_is_refused(page: str):
    with pytest.raises(ValueError, match="lacks the line"):
        bench.replaced(page, "tables")


def test_every_module_of_numbers_is_measured_by_its_name():
    named = set()
    for path in (ROOT / "bench" / "numbers").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(n, ast.FunctionDef) and n.name in ("group", "groups") for n in tree.body):
            named.add(path.stem)

    assert set(bench.NAMES) == named


def test_soak_goes_on_after_a_failure_and_shows_it(capsys: pytest.CaptureFixture[str]):
    good = soak.soaked("good", ["platform"])
    bad = soak.soaked("bad", ["json.tool", "no-such-file"])

    assert (good, bad) == (True, False)
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("ok  good ")
    assert second.startswith("no  bad ")
    assert "no-such-file" in "".join(rest)


def test_soak_fails_if_any_fails_and_runs_all(monkeypatch: pytest.MonkeyPatch):
    ran: list[str] = []

    def soaked(name: str, _module: object) -> bool:
        ran.append(name)
        return name != "truth"

    monkeypatch.setattr(soak, "soaked", soaked)

    assert soak.main([]) == 1
    assert tuple(ran) == soak.NAMES
    assert soak.main(["resume"]) == 0
    assert soak.main(["resume", "nothing"]) == 2


def test_soak_names_modules_that_are_there():
    assert [n for n in soak.NAMES if not (ROOT / "bench" / f"{n}.py").is_file()] == []


def test_a_run_costs_what_its_parts_cost():
    """Ten transitions, two actions, a call of latches, five writes, two changes and a build."""
    use = Use(10, (1.0, 2.0), 1, 5, 2, (61.0,))

    found = dollars(use, own_seconds=0.1)

    gigabyte_seconds = 3.0 * 1 + 0.1 * 0.25 + 2 * 0.1 * 0.5
    assert found == pytest.approx(
        10 * 0.025 / 1e3  # transitions
        + 5 * 0.20 / 1e6  # calls: 2 of actions, 1, 2 of records
        + gigabyte_seconds * 0.0000166667
        + 7 * 0.625 / 1e6  # writes, 2 of them by records
        + 2 * 0.005  # 61 s are two minutes
    )
    assert use.runner_minutes == 2  # 64 s in one job
    assert Use(1, (), 0, 0, 0, ()).runner_minutes == 1  # no job has less


def test_functions_are_priced_with_the_memory_that_they_are_deployed_with():
    stack = _constants(ROOT / "cdk" / "stack.py")
    usual = _constants(ROOT / "cdk" / "constructs" / "functions.py")["memory"]

    assert stack["_ACTION"]["memory"] == prices.ACTION_MEGABYTES
    assert usual == prices.OWN_MEGABYTES
    assert all("memory" not in stack["_SIZES"][name] for name in ("latches", "stored", "tasks"))
    assert stack["_SIZES"]["records"]["memory"] == prices.RECORDS_MEGABYTES


def _constants(path: Path) -> dict[str, Any]:
    """Return what names are given plainly in a module, `INTAKE_SECONDS` taken for a minute."""
    text = path.read_text(encoding="utf-8").replace('"seconds": INTAKE_SECONDS', '"seconds": 60')
    return {
        node.target.id: ast.literal_eval(node.value)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Dict | ast.Constant)
    }


def test_a_write_in_a_transaction_counts_twice_and_a_read_never():
    tally = Tally()

    tally.take("PutItem", {"TableName": "a"})
    tally.take("GetItem", {"TableName": "a"})
    items = [{"Put": {"TableName": "a"}}, {"Update": {"TableName": "b"}}]
    tally.take("TransactWriteItems", {"TransactItems": items})
    tally.take("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "a"}}]})

    assert dict(tally.writes) == {"a": 3, "b": 2}


RETRIED = """
name: retried
outputs: {file: {value: "${{ steps.second.outputs.file }}"}}
steps:
  - id: first
    run: "true"
    runner: lambda
    retry: {count: 2, delay: 1m, jitter: none}
  - id: second
    run: "true"
    runner: codebuild
    outputs: {file: a.zip}
  - id: never
    condition: ${{ steps.first.status == 'failed' }}
    run: "true"
"""
PLAYED = """
workflow: retried.yaml
cases:
  - name: the second call gets through
    stubs:
      first: {takes: 2s, fail: {type: Broken}, times: 1}
      second: {takes: 90s}
    expect: {status: succeeded}
"""


def test_a_play_counts_each_attempt_each_build_and_no_step_that_was_skipped(tmp_path: Path):
    (tmp_path / "stepsmith.yaml").write_text("stages: {local: {}}\n", encoding="utf-8")
    (tmp_path / "retried.yaml").write_text(RETRIED, encoding="utf-8")
    file = tmp_path / "retried.test.yaml"
    file.write_text(PLAYED, encoding="utf-8")

    run = cost.play(file, Loader())

    assert run.steps == 2
    assert run.use.action_seconds == (2.0, 2.0)
    assert (run.use.builds, run.use.build_minutes) == ((90.0,), 2)
    assert run.use.writes == 6  # two attempts and a build, each claimed and ended
    assert run.use.changes == 6 + 2  # and the start and the end of the execution
    assert run.use.own_calls == 1  # what the build stored is fetched, since it is read


def test_the_makespan_of_every_play_is_that_of_the_critical_path():
    group = makespan.group(quick=True)

    assert [number.ratio for number in group.numbers] == [1.0] * 4
    assert all(number.most == 1.0 and number.is_counted for number in group.numbers)


def test_random_graphs_are_the_same_each_time_and_differ_in_shape():
    graphs: tuple[Graph, ...] = makespan.random_graphs()

    assert graphs == makespan.random_graphs()
    assert len({(graph.steps, graph.edges) for graph in graphs}) == len(graphs)
    assert any(graph.edges for graph in graphs)
