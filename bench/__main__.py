"""What the product measures of itself, beside its peers: one document of tables.

    python -m bench [NAMES...] [--quick] [--write]

Without a name all groups are measured; progress goes to stderr. With --quick each is measured in
its short form. With --write the tables replace those in `docs/numbers.md`. Exits 1 where a limit
is passed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.table import Group, rendered

PAGE = Path(__file__).parents[1] / "docs" / "numbers.md"
BEGIN = "<!-- `make bench` writes what follows -->"
END = "<!-- `make bench` wrote what stands above -->"
NAMES = ("limits", "compiling", "samples", "levels", "makespan", "engines", "imports", "cost")
"""The modules in `bench.numbers`, in the order of the document."""

_PACKAGES = ("protocol", "compiler", "functions", "local", "cli", "bench")


def main(arguments: Sequence[str]) -> int:
    """Measure what is asked for and print it; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="measure in the short form")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name} as well")
    asked = parser.parse_args(arguments)
    if asked.write and (asked.names or asked.quick):
        parser.error("--write is for all groups in full: leave out names and --quick")
    compiled()
    groups = measured(asked.names or NAMES, quick=asked.quick)
    document = told(groups)
    sys.stdout.write(document)
    if asked.write:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), document), encoding="utf-8")
    return 0 if all(one.is_kept for group in groups for one in group.numbers) else 1


def compiled(root: Path = PAGE.parents[1]) -> None:
    """Have our modules' bytecode lie beside them, as pip leaves that of the peers.

    In a fresh clone there is none, and with PYTHONDONTWRITEBYTECODE none is ever written: then
    each process that is timed would compile our source, and find that of a peer compiled.
    """
    for package in _PACKAGES:
        compileall.compile_dir(root / package, quiet=1)


def measured(names: Sequence[str], *, quick: bool) -> list[Group]:
    """Return the groups of modules by their names; say on stderr what each took."""
    found: list[Group] = []
    for name in names:
        print(f"{name} ...", end="", flush=True, file=sys.stderr)
        began = time.perf_counter()
        found += groups_of(name, quick=quick)
        print(f" {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return found


def groups_of(name: str, *, quick: bool) -> tuple[Group, ...]:
    """Return the groups of one module, which has either `group` or `groups`."""
    module = import_module(f"bench.numbers.{name}")
    if hasattr(module, "groups"):
        return tuple(module.groups(quick=quick))
    return (module.group(quick=quick),)


def told(groups: Sequence[Group]) -> str:
    """Return the document: where and when it was measured, and the tables."""
    return f"{_where()}\n\n{rendered(groups)}"


def replaced(page: str, document: str) -> str:
    """Return a page with other tables between its two marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page lacks the line {END if begin else BEGIN}")
    return f"{before}{BEGIN}\n\n{document}\n{END}{after}"


def _where() -> str:
    system = f"{platform.system()} on {platform.machine()}"
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d}: {os.cpu_count()} cores, {system}, "
        f"Python {platform.python_version()}. Again: `make bench`."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
