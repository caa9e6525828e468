"""Which modules a function needs, read off its source without importing it.

Imports inside of functions count only where the function can be called from the handler: so a
module that wires everything brings each Lambda no more than that Lambda's own wiring.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

OURS = ("functions", "protocol")
EVERYTHING = "*"
"""All that a module defines; what an import of the module itself reaches."""
_HARMLESS = frozenset({"cache", "contextmanager", "property", "staticmethod", "classmethod"})
"""Decorators that leave it to whoever knows the function's name to call it."""


@dataclass(frozen=True, slots=True)
class Traced:
    """The modules of our own, by name with their files, and the names of foreign packages.

    `imported` are the foreign modules that are named, or what may be one of a package; `parts`
    are the definitions of our own that can come to be used, as (module, name).
    """

    modules: Mapping[str, Path]
    parts: frozenset[tuple[str, str]]
    foreign: frozenset[str]
    imported: frozenset[str]


def trace(
    root: Path,
    starts: Iterable[str],
    *,
    packages: Iterable[str] = OURS,
    omits: Iterable[str] = (),
    files: Iterable[Path] = (),
) -> Traced:
    """Return what `starts` need; each is a module, or `module:name` for a part of one.

    `root` holds the `packages`; all others are foreign. `omits` are modules that are imported
    somewhere on the way, but never by these functions. `files` lie elsewhere, and need something
    too. Raises FileNotFoundError for a start that is not there.
    """
    tracer = _Tracer(root, frozenset(packages), frozenset(omits))
    for start in starts:
        module, _, name = start.partition(":")
        if tracer.file(module) is None:
            raise FileNotFoundError(f"there is no module {module} in {root}")
        tracer.reach(module, name or EVERYTHING)
    for file in files:
        tracer.follow(file)
    return tracer.traced()


def definitions(file: Path) -> frozenset[str]:
    """Return the names that a module defines."""
    return frozenset(_Module(file.stem, file).definitions)


@dataclass(frozen=True)
class _Module:
    name: str
    file: Path

    @cached_property
    def body(self) -> list[ast.stmt]:
        tree = ast.parse(self.file.read_text(encoding="utf-8"), str(self.file))
        return [one for one in tree.body if not _is_for_types_only(one)]

    def parts(self, name: str) -> list[ast.AST]:
        """Return what a definition of it may come to run, as far as it matters here."""
        if name not in self._parts:
            self._parts[name] = [*_told(_executed(self.definitions[name], inside=True))]
        return self._parts[name]

    @cached_property
    def _parts(self) -> dict[str, list[ast.AST]]:
        return {}

    @cached_property
    def at_import(self) -> list[ast.AST]:
        """What runs when it is imported, as far as it matters here."""
        return [one for node in self.body for one in _told(_executed(node, inside=False))]

    @cached_property
    def definitions(self) -> dict[str, ast.AST]:
        return {name: node for node in self.body for name in _defined(node)}

    @property
    def package(self) -> str:
        is_package = self.file.name == "__init__.py"
        return self.name if is_package else self.name.rpartition(".")[0]


@cache
def _file_of(root: Path, module: str) -> Path | None:
    path = root.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


@cache
def _module_in(name: str, file: Path) -> _Module:
    """Return a module; what it was parsed to is shared by all functions that are packed."""
    return _Module(name, file)


@dataclass
class _Tracer:
    root: Path
    packages: frozenset[str]
    omits: frozenset[str]
    _known: dict[str, _Module | None] = field(default_factory=dict)
    _reached: set[tuple[str, str]] = field(default_factory=set)
    _run: dict[str, _Module] = field(default_factory=dict)
    _imported_modules: set[str] = field(default_factory=set)

    def file(self, module: str) -> Path | None:
        is_own = module.partition(".")[0] in self.packages
        return _file_of(self.root, module) if is_own else None

    def traced(self) -> Traced:
        files = {name: module.file for name, module in sorted(self._run.items())}
        foreign = frozenset(name.partition(".")[0] for name in self._imported_modules)
        return Traced(files, frozenset(self._reached), foreign, frozenset(self._imported_modules))

    def reach(self, name: str, part: str) -> None:
        """Follow what a part of a module needs, and what importing the module needs."""
        if name in self.omits or (name, part) in self._reached:
            return
        module = self._module(name)
        if module is None:
            self._imported_modules |= {name, f"{name}.{part}"} - {f"{name}.{EVERYTHING}"}
            return
        self._reached.add((name, part))
        self._import(module)
        if part == EVERYTHING:
            for one in module.definitions:
                self.reach(name, one)
        elif part in module.definitions:
            self._follow(module, module.parts(part))

    def follow(self, file: Path) -> None:
        """Follow what all of a file needs that is no module of ours."""
        module = _Module(file.stem, file)
        nodes = [*module.at_import, *(n for part in module.definitions for n in module.parts(part))]
        self._follow(module, [one for one in nodes if not isinstance(one, ast.Name)])

    def _module(self, name: str) -> _Module | None:
        if name not in self._known:
            file = self.file(name)
            self._known[name] = None if file is None else _module_in(name, file)
        return self._known[name]

    def _import(self, module: _Module) -> None:
        """Follow what runs when a module is imported, its packages first."""
        if module.name in self._run:
            return
        self._run[module.name] = module
        parent = module.name.rpartition(".")[0]
        if parent:
            found = self._module(parent)
            if found is not None:
                self._import(found)
        self._follow(module, module.at_import)

    def _follow(self, module: _Module, nodes: Iterable[ast.AST]) -> None:
        for one in nodes:
            if isinstance(one, ast.Import):
                for alias in one.names:
                    self._imported(alias.name, EVERYTHING)
            elif isinstance(one, ast.ImportFrom):
                base = _absolute(one, module)
                for alias in one.names:
                    self._imported_from(base, alias.name)
            elif isinstance(one, ast.Name) and one.id in module.definitions:
                self.reach(module.name, one.id)

    def _imported(self, name: str, part: str) -> None:
        if name.partition(".")[0] not in sys.stdlib_module_names:
            self.reach(name, part)

    def _imported_from(self, base: str, name: str) -> None:
        if self.file(f"{base}.{name}") is not None:
            self.reach(f"{base}.{name}", EVERYTHING)
        else:
            self._imported(base, name)


def _told(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that tell of something needed: imports, and names."""
    return (one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom | ast.Name))


def _executed(node: ast.AST, *, inside: bool) -> Iterator[ast.AST]:
    """Yield the nodes that run with a node; with `inside`, those of a definition's own body.

    What a statement of a module defines is run when it is used; a lambda may be at any time.
    """
    pending = [node]
    while pending:
        one = pending.pop()
        if _is_for_types_only(one):
            continue
        yield one
        if (
            isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
            and not inside
            and not _is_registered(one)
        ):
            pending += [*one.decorator_list, *one.args.defaults]
            pending += [default for default in one.args.kw_defaults if default is not None]
        else:
            pending += list(ast.iter_child_nodes(one))


def _is_registered(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator hands a function to somebody who may call it, as those of routes do."""
    return any(
        not (isinstance(one, ast.Name) and one.id in _HARMLESS) for one in node.decorator_list
    )


def _is_for_types_only(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _absolute(node: ast.ImportFrom, module: _Module) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module.package.split(".")
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])
