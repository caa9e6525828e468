"""Archives of the functions: all they need, nothing else, the same bytes for the same source."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import boto3
import pytest

from cdk.model import CORE
from cdk.packaging.archive import Contents, pack
from cdk.packaging.binaries import misfits
from cdk.packaging.builds import PYTHONS, for_builds
from cdk.packaging.functions import OUR_ROOT, Code, action, contents, core, own_action, routers
from cdk.packaging.libraries import (
    IN_RUNTIME,
    NEEDS,
    Libraries,
    NotFetched,
    fetch,
    for_functions,
    installed,
)
from cdk.packaging.tracing import trace
from functions.http.app import ROUTERS
from functions.wiring import ACTIONS

LOCK = OUR_ROOT / "requirements.lock"
RUNTIME = ("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six.py", "urllib3")
"""What Lambda's Python has beside its standard library."""


def write(root: Path, files: dict[str, str]) -> Path:
    """Write modules below a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


# --- what a function needs ------------------------------------------------------------------------


WIRED = {
    "own/__init__.py": "",
    "own/handler.py": """\
        from own.wiring import small

        handler = lambda event, context: small()
        """,
    "own/wiring.py": """\
        from __future__ import annotations
        from typing import TYPE_CHECKING
        import plain

        if TYPE_CHECKING:
            from own.types_only import Shape

        def small() -> Shape:
            from own.small import make
            return helper(make())

        def helper(one):
            import behind_helper
            return one

        def large():
            import heavy
            from own.large import make
            return make()
        """,
    "own/small.py": "def make(): ...\n",
    "own/large.py": "def make(): ...\n",
    "own/types_only.py": "class Shape: ...\n",
    "own/routes.py": """\
        from own.small import router

        @router.get("/")
        def page():
            import behind_route
        """,
}


def test_only_what_the_handler_can_come_to_call_is_followed(tmp_path: Path):
    found = trace(write(tmp_path, WIRED), ["own.handler:handler"], packages=["own"])

    assert set(found.modules) == {"own", "own.handler", "own.small", "own.wiring"}
    assert found.foreign == {"plain", "behind_helper"}


def test_a_module_that_is_named_is_followed_as_a_whole(tmp_path: Path):
    starts = ["own.handler:handler", "own.wiring"]
    found = trace(write(tmp_path, WIRED), starts, packages=["own"])

    assert "own.large" in found.modules
    assert "heavy" in found.foreign


def test_what_a_decorator_hands_over_may_be_called(tmp_path: Path):
    found = trace(write(tmp_path, WIRED), ["own.routes"], packages=["own"])

    assert "behind_route" in found.foreign


def test_modules_that_are_never_imported_there_can_be_left_out(tmp_path: Path):
    root = write(tmp_path, WIRED)
    found = trace(root, ["own.wiring"], packages=["own"], omits=["own.large"])

    assert "own.large" not in found.modules


def test_all_routes_and_actions_are_known():
    assert {f"functions.http.{module}" for module in ROUTERS.values()} <= set(routers())
    for name, module in ACTIONS.items():
        assert f"functions.actions.{module}" in action(name).traced().modules


def test_modules_are_loaded_by_made_up_names_only_where_it_is_known():
    """Whoever calls import_module has its modules named in `cdk.packaging.functions`."""
    found = {
        path.relative_to(OUR_ROOT).as_posix()
        for path in (OUR_ROOT / "functions").rglob("*.py")
        if "import_module(" in path.read_text(encoding="utf-8")
    }

    assert found == {"functions/http/app.py", "functions/wiring.py"}


@pytest.mark.parametrize("name", ["latches", "stored", "wake"])
def test_what_only_speaks_to_aws_brings_no_library(name: str):
    assert core(name).traced().foreign <= IN_RUNTIME


def test_only_the_cluster_action_brings_yaml():
    assert {name for name in ACTIONS if "yaml" in action(name).traced().foreign} == {
        "deploy-to-kubernetes"
    }


# --- what is in an archive ------------------------------------------------------------------------


CODES = {name: core(name) for name in CORE} | {
    f"action-{name}": action(name) for name in ACTIONS
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CODES)
def test_an_archive_holds_all_that_its_function_imports(name: str, place: Path):
    """Every module in it is imported, by an interpreter that finds nothing else but boto3."""
    check(CODES[name], place)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one place where archives are unpacked, so that Python knows what it has compiled."""
    return Path(tmp_path_factory.mktemp("unpacked"))


def lay(folder: Path, files: Mapping[str, Path]) -> None:
    """Let a folder hold just these files; what is there from the function before is used."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink()}
    for name in there - files.keys():
        (folder / name).unlink()
    for name in files.keys() - there:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(files[name])


def check(code: Code, place: Path) -> None:
    """Import all modules of an archive, and all packages it brings, where nothing else is."""
    found = contents(code, installed())
    unpacked, runtime, compiled = place / "code", place / "runtime", place / "compiled"
    lay(unpacked, {**found.files, **found.libraries})
    lay(runtime, {name: Path(boto3.__file__).parents[1] / name for name in RUNTIME})
    traced = code.traced()
    brought = (traced.foreign - IN_RUNTIME) & NEEDS.keys()
    modules = [one for one in traced.modules if not one.endswith("__init__")]
    program = f"import sys; sys.path[:0] = [{str(unpacked)!r}, {str(runtime)!r}]\n" + "".join(
        f"import {one}\n" for one in [*modules, *sorted(brought)]
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", f"pycache_prefix={compiled}", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"STEPSMITH_ACTION": "run", "AWS_DEFAULT_REGION": "eu-central-1"},
    )
    assert done.returncode == 0, done.stderr


def test_an_action_of_the_projects_own_brings_what_it_imports(tmp_path: Path):
    file = tmp_path / "greet.py"
    file.write_text(
        "from pydantic import BaseModel\nfrom functions.domain.action import Action\n"
        "def run(inputs, context):\n    import urllib3\n    import something_else\n"
    )

    found = contents(own_action([file]), installed())

    assert "pydantic/__init__.py" in found.libraries
    assert "urllib3/__init__.py" in found.libraries
    assert "functions/domain/action.py" in found.files
    assert not [name for name in found.files if "kubernetes" in name]


def test_a_missing_part_is_noticed(tmp_path: Path):
    """The check above can fail."""
    code = Code("functions.handlers.wake.handler", omits=("functions.domain.task",))
    with pytest.raises(AssertionError, match=r"No module named 'functions\.domain\.task'"):
        check(code, tmp_path)


def test_the_same_contents_make_the_same_bytes(tmp_path: Path):
    made = []
    for name in ("a", "b"):
        source = write(tmp_path / name / "source", {"x.py": "X = 1\n", "y.py": "Y = 2\n"})
        files = {path.name: path for path in sorted(source.iterdir(), reverse=name == "b")}
        packed = pack(tmp_path / f"{name}.zip", Contents(files, {}, "", {"z.json": b"{}"}))
        made.append(packed.path.read_bytes())

    assert made[0] == made[1]
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["x.py", "y.py", "z.json"]
        assert {one.date_time[0] for one in archive.infolist()} == {1980}


def test_what_is_packed_already_is_packed_anew_only_for_a_change(tmp_path: Path):
    source = write(tmp_path / "source", {"x.py": "X = 1\n"})
    contents_ = Contents({"x.py": source / "x.py"}, {}, "", {})
    first = pack(tmp_path / "a.zip", contents_).path.stat().st_mtime_ns

    assert pack(tmp_path / "a.zip", contents_).path.stat().st_mtime_ns == first
    (source / "x.py").write_text("X = 2\n")
    assert pack(tmp_path / "a.zip", contents_).path.stat().st_mtime_ns > first


# --- libraries ------------------------------------------------------------------------------------


def test_every_library_is_locked():
    wanted = for_functions(LOCK, "arm64").listed
    for name in {name for needs in NEEDS.values() for name in needs}:
        assert f"\n{name}==" in f"\n{wanted}"
    for name in ("boto3", "botocore", "python-dateutil"):
        assert f"\n{name}==" in f"\n{for_builds(LOCK, 'arm64').listed}"
    assert "--hash=sha256:" in wanted


def test_other_libraries_are_fetched_for_another_lock_processor_or_python(tmp_path: Path):
    other = tmp_path / "requirements.lock"
    other.write_text(LOCK.read_text().replace("urllib3==", "urllib3==99."))
    wanted = [
        for_functions(LOCK, "arm64"),
        for_functions(LOCK, "x86_64"),
        for_functions(other, "arm64"),
        for_builds(LOCK, "arm64"),
    ]

    assert len({one.stamp for one in wanted}) == len(wanted)
    (tmp_path / "stamp").write_text(wanted[0].stamp)
    assert [one.is_in(tmp_path) for one in wanted] == [True, False, False, False]
    assert (3, 13) in PYTHONS


def test_libraries_that_cannot_be_had_are_told_without_leaving_half_of_them(tmp_path: Path):
    """The lock of another project, which no index can satisfy."""
    lock = tmp_path / "requirements.lock"
    lock.write_text("urllib3==0.0.1 \\\n    --hash=sha256:" + "0" * 64 + "\n")

    with pytest.raises(NotFetched, match="could not be fetched"):
        fetch(for_functions(lock, "arm64"), tmp_path / "libraries")

    assert not (tmp_path / "libraries").exists()


def elf(path: Path, machine: int) -> Path:
    """Write what begins as a compiled file for a machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x03\0" + machine.to_bytes(2, "little"))
    return path


@pytest.mark.parametrize(
    ("name", "machine", "told"),
    [
        ("core.cpython-313-aarch64-linux-gnu.so", 0xB7, None),
        ("core.abi3.so", 0xB7, None),
        ("core.cpython-313-x86_64-linux-gnu.so", 0x3E, "compiled for x86_64"),
        ("core.cpython-312-aarch64-linux-gnu.so", 0xB7, "compiled for Python 312"),
        ("core.cpython-313-aarch64-linux-musl.so", 0xB7, "aarch64-linux-musl"),
    ],
)
def test_a_compiled_file_has_to_fit_the_functions(
    name: str, machine: int, told: str | None, tmp_path: Path
):
    found = misfits({name: elf(tmp_path / name, machine)}, "arm64")

    assert found == [] if told is None else told in found[0]


def test_a_file_of_another_system_does_not_fit(tmp_path: Path):
    path = tmp_path / "core.cpython-313-darwin.so"
    path.write_bytes(b"\xcf\xfa\xed\xfe" + b"\0" * 20)

    assert "another system than Linux" in misfits({path.name: path}, "arm64")[0]


def test_the_libraries_here_fit_the_machine_here():
    """The check reads real files, those of this Python, and tells them from others."""
    import platform

    files = {
        name: path
        for name, path in installed().of(["pydantic-core"]).items()
        if name.endswith(".so")
    }
    here = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
    if sys.platform != "linux" or here is None:
        pytest.skip("only Linux has files like those of Lambda")
    other = "arm64" if here == "x86_64" else "x86_64"
    assert files
    assert misfits(files, here, sys.version_info[:2]) == []
    assert len(misfits(files, other, sys.version_info[:2])) == len(files)


def test_a_library_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(NotFetched, match="urllib3"):
        Libraries(tmp_path).files(["urllib3"])
