"""The archives of a deployment: what each function is packed from, and the file it comes to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from cdk.model import CORE, KNOW_PEOPLE, KNOW_WORKFLOWS
from cdk.packaging import libraries
from cdk.packaging.archive import Contents, Packed, pack
from cdk.packaging.builds import build_files, for_builds
from cdk.packaging.functions import OUR_ROOT, Code, action, contents, core, files_below, own_action
from cdk.packaging.libraries import Libraries, Wanted
from cli.deployment import Deployment, Undeployable
from protocol.names import action_name

FOLDER = "build"
ACTIONS = "actions"
TEMPLATES = "templates"
CONSOLE = "console"
REQUIREMENTS = "requirements.txt"
BUILDS = "builds"
"""What builds get is packed under this name."""
_MAIL = "action-send-transactional-email"


def lock() -> Path:
    """Return the lock that the functions' libraries are of."""
    shipped = Path(libraries.__file__).with_name("requirements.lock")
    return shipped if shipped.is_file() else OUR_ROOT / "requirements.lock"


def archives(found: Deployment, *, fetch: bool = False) -> dict[str, Packed]:
    """Pack all functions of a deployment and return their archives by their names.

    Raises what `known_libraries` does.
    """
    known = known_libraries(found, fetch=fetch)
    return packed(found, known, found.project.root / FOLDER / "functions")


def known_libraries(found: Deployment, *, fetch: bool = False) -> dict[str, Libraries]:
    """Return the libraries of a deployment, by what they are for.

    They are fetched where they are not there, or are of another lock, if `fetch` allows to reach
    the network; else that raises Undeployable.
    """
    folder = found.project.root / FOLDER
    places = {
        name: folder / "libraries" / f"{found.stage.architecture}{end}"
        for name, end in (("functions", ""), (BUILDS, "-builds"), (ACTIONS, "-actions"))
    }
    wanted = _wanted(found)
    missing = [name for name, one in wanted.items() if not one.is_in(places[name])]
    if missing and not fetch:
        raise Undeployable(
            f"libraries are not there, or not in the versions asked for: of {', '.join(missing)}\n"
            f"fetch them with `stepsmith build --stage {found.stage.name}`"
        )
    try:
        return {name: libraries.fetch(one, places[name]) for name, one in wanted.items()}
    except libraries.NotFetched as error:
        raise Undeployable(str(error)) from None


def _wanted(found: Deployment) -> dict[str, Wanted]:
    """Return which libraries a deployment needs, by what they are for."""
    architecture = found.stage.architecture
    wanted = {"functions": libraries.for_functions(lock(), architecture)}
    if found.has_builds:
        wanted[BUILDS] = for_builds(lock(), architecture)
    own = found.project.root / ACTIONS / REQUIREMENTS
    built = found.project.actions.files(found.built)
    if own.is_file() and (built or any(one.file for one in found.actions)):
        wanted[ACTIONS] = Wanted(own, architecture, None)
    return wanted


def packed(found: Deployment, known: Mapping[str, Libraries], folder: Path) -> dict[str, Packed]:
    """Pack all functions with libraries that are there, by what they are for."""
    made: dict[str, Packed] = {}
    usual = known["functions"]
    for name in CORE:
        code = core(name)
        made[name] = _packed(name, code, found, usual, folder)
    for one in found.actions:
        name = action_name(one.name)
        code = action(one.name) if one.file is None else own_action(_own_sources(found))
        more = {} if one.file is None else _own_files(found, known.get(ACTIONS))
        made[name] = _packed(name, code, found, usual, folder, more)
    if found.has_builds:
        made[BUILDS] = pack(folder / f"{BUILDS}.zip", _of_builds(found, known))
    return made


def _of_builds(found: Deployment, known: Mapping[str, Libraries]) -> Contents:
    """Return what builds get: the wrapper with all actions that some step has carried out there."""
    files = found.project.actions.files(found.built)
    own = {name: f"{ACTIONS}/{path.name}" for name, path in files.items()}
    given = _own_files(found, known.get(ACTIONS)) if own else {}
    built_in = [name for name in found.built if name not in own]
    return build_files(known[BUILDS], built_in, own, _own_sources(found) if own else (), given)


def _packed(
    name: str,
    code: Code,
    found: Deployment,
    known: Libraries,
    folder: Path,
    more: Mapping[str, bytes] | None = None,
) -> Packed:
    given = {**_project_files(name, found), **(more or {})}
    return pack(folder / f"{name}.zip", contents(code, known, given))


def _project_files(name: str, found: Deployment) -> dict[str, bytes]:
    """Return what the project adds to a function."""
    root = found.project.root
    given: dict[str, bytes] = {}
    if name in KNOW_PEOPLE:
        given["people.json"] = _json(found.people)
    if name in KNOW_WORKFLOWS:
        for reference, manifest in found.manifests.items():
            given[f"manifests/{reference}.json"] = _json(manifest)
    if name == "api":
        given |= files_below(OUR_ROOT / CONSOLE, CONSOLE)
    if name == _MAIL:
        given |= files_below(root / TEMPLATES, TEMPLATES)
    return given


def _own_sources(found: Deployment) -> list[Path]:
    return sorted((found.project.root / ACTIONS).glob("*.py"))


def _own_files(found: Deployment, own: Libraries | None) -> dict[str, bytes]:
    """Return the project's actions, without their tests, and the libraries they ask for."""
    files = files_below(found.project.root / ACTIONS, ACTIONS)
    given = {
        name: content
        for name, content in files.items()
        if not name.rpartition("/")[2].startswith("test_")
    }
    if own is not None:
        given |= {name: path.read_bytes() for name, path in own.everything().items()}
    return given


def has_templates(found: Deployment) -> bool:
    """Whether the project has templates of mails."""
    return (found.project.root / TEMPLATES).is_dir()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
