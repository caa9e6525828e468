"""The functions as they are packed: where each starts, and what it loads beside what it imports."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cdk.packaging.archive import Contents
from cdk.packaging.libraries import IN_RUNTIME, NEEDS, Libraries
from cdk.packaging.tracing import Traced, definitions, trace

OUR_ROOT = Path(__file__).parents[2]
"""What the packages `functions` and `protocol` lie in."""

_SERVICES = {
    "functions.adapters.eks_tokens": ("deploy-to-kubernetes",),
    "functions.adapters.kubernetes": ("deploy-to-kubernetes",),
    "functions.adapters.mail": ("notify", "send-transactional-email"),
    "functions.adapters.topics": ("notify",),
}
"""Adapters behind `functions.domain.services`, by the actions that ask for them."""

_NEVER = {"records": ("functions.adapters.answers",)}
"""What the functions that every stage has import only where they are not deployed."""
_TRACED_LIBRARIES = frozenset({"aws_lambda_powertools"})
"""Libraries of many parts, of which a function is given those it imports."""
_UNUSED = ("yaml/_yaml.",)
"""Files of libraries that nothing here loads."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a function is packed from.

    `handler` is `module.name`, as Lambda takes it; `loads` are modules that are imported by a
    name made up while it runs, `omits` those that it never comes to import. `files` are the
    project's, which lie in the archive as well.
    """

    handler: str
    loads: tuple[str, ...] = ()
    omits: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    def traced(self) -> Traced:
        """Return the modules that it needs."""
        module, _, name = self.handler.rpartition(".")
        starts = [f"{module}:{name}", *self.loads]
        return trace(OUR_ROOT, starts, omits=self.omits, files=self.files)


def core(name: str) -> Code:
    """Return the code of one of the functions that every stage has, such as `api`."""
    loads = tuple(routers()) if name == "api" else ()
    return Code(f"functions.handlers.{name}.handler", loads, _NEVER.get(name, ()))


def routers() -> list[str]:
    """Return the modules of routes, which the API loads when the first call asks for one."""
    folder = OUR_ROOT / "functions" / "http"
    return [
        f"functions.http.{path.stem}"
        for path in sorted(folder.glob("*.py"))
        if "router" in definitions(path)
    ]


def action(name: str) -> Code:
    """Return the code of the function that carries out a built-in action."""
    loads = (module_of(name),)
    return Code("functions.handlers.action.handler", loads, without_services([name]))


def module_of(action: str) -> str:
    """Return the module of a built-in action."""
    return f"functions.actions.{action.replace('-', '_')}"


def without_services(actions: Collection[str]) -> tuple[str, ...]:
    """Return the adapters that none of these actions asks for."""
    return tuple(adapter for adapter, users in _SERVICES.items() if not {*users} & {*actions})


def own_action(files: Iterable[Path]) -> Code:
    """Return the code of a function that carries out an action of the project's own."""
    return Code("functions.handlers.action.handler", (), tuple(_SERVICES), tuple(files))


def contents(
    code: Code, libraries: Libraries, given: Mapping[str, bytes] | None = None
) -> Contents:
    """Return what a function is packed from; `given` is what the project adds to it."""
    traced = code.traced()
    files = {path.relative_to(OUR_ROOT).as_posix(): path for path in traced.modules.values()}
    foreign = traced.foreign - IN_RUNTIME
    if code.files:  # what they import beside is what the project's requirements say
        foreign &= NEEDS.keys()
    found = {
        name: path
        for name, path in libraries.files(foreign - _TRACED_LIBRARIES).items()
        if not name.startswith(_UNUSED)
    }
    for library in sorted(foreign & _TRACED_LIBRARIES):
        found.update(_parts(library, traced, libraries))
    return Contents(files, found, libraries.key, given or {})


def _parts(library: str, traced: Traced, libraries: Libraries) -> dict[str, Path]:
    """Return what is imported of a library, and the whole of what that library needs."""
    starts = sorted(
        name
        for name in traced.imported
        if name.partition(".")[0] == library and _is_module(libraries.folder, name)
    )
    parts = trace(libraries.folder, starts, packages=[library])
    own = {path.relative_to(libraries.folder).as_posix(): path for path in parts.modules.values()}
    beside = {
        name: path
        for name, path in libraries.files([library]).items()
        if not name.startswith(f"{library}/")
    }
    return own | beside


def _is_module(folder: Path, name: str) -> bool:
    path = folder.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def files_below(folder: Path, name: str) -> dict[str, bytes]:
    """Return the files in a folder and below it, by their names below `name` in an archive."""
    paths: Iterable[Path] = sorted(folder.rglob("*")) if folder.is_dir() else ()
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in paths
        if path.is_file() and not {"__pycache__", ".git"} & {*path.relative_to(folder).parts}
    }
