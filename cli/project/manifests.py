"""The manifests of a project's workflows, each with its drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.drawing.cards import Laid, Scene, corner, scene
from cli.drawing.layout import Point
from cli.drawing.sketch import drawing
from cli.project.compile_file import Refused
from cli.project.project import Project, relative
from cli.project.targets import Target
from compiler.check.workflows import find
from compiler.diagnostics import Severity
from compiler.document.nodes import Json
from compiler.manifest import manifest
from compiler.pipeline import Compilation
from protocol.manifest import WorkflowManifest


@dataclass(frozen=True, slots=True)
class Workflow:
    """One version of a workflow: what was compiled, and its manifest.

    `called` has the workflows that it calls, directly or not, by the references that its machines
    use.
    """

    own: Compilation
    called: Mapping[str, Compilation]
    manifest: WorkflowManifest

    @property
    def reference(self) -> str:
        """Return the text that names exactly this version."""
        version = self.manifest["version"]
        return f"{self.manifest['id']}@{version}" if version else self.manifest["id"]


def workflows(project: Project, files: Iterable[Path] | None = None) -> list[Workflow]:
    """Return the workflows of a project, or those in the files named and what these call.

    Each file is compiled once. Raises Refused where one has mistakes, and Misuse where one cannot
    be read.
    """
    compiled = _compiled(project, [*(project.files if files is None else files)])
    found = [one for own in compiled.values() for one in own.diagnostics]
    if any(one.severity is Severity.ERROR for one in (*project.found, *found)):
        raise Refused([own.source.name for own in compiled.values()], [*project.found, *found],
                      colour=False)  # fmt: skip
    called = {file: _called(own, project, compiled) for file, own in compiled.items()}
    return [
        Workflow(own, called[file], _manifest(own, called[file])) for file, own in compiled.items()
    ]


def manifests(project: Project, files: Iterable[Path] | None = None) -> list[WorkflowManifest]:
    """Return the manifests of a project's workflows; raises what `workflows` does."""
    return [one.manifest for one in workflows(project, files)]


def _compiled(project: Project, files: list[Path]) -> dict[str, Compilation]:
    """Return what came of files and of those that they call, by their paths from the root."""
    found: dict[str, Compilation] = {}
    for path in files:  # grows while it is read
        file = relative(path, project.root)
        if file in found:
            continue
        found[file] = own = project.compile(path, Target(path, str(path)).read(), file)
        for reference in () if own.program is None else own.program.children:
            contract = find(reference, "", project.surroundings(path).workflows)
            if contract is not None:
                files.append(project.root / contract.file)
    return found


def _called(
    own: Compilation, project: Project, compiled: Mapping[str, Compilation]
) -> dict[str, Compilation]:
    found: dict[str, Compilation] = {}
    pending = [own]
    for caller in pending:  # grows while it is read
        around = project.surroundings(project.root / caller.source.name)
        for reference in () if caller.program is None else caller.program.children:
            contract = find(reference, "", around.workflows)
            if reference not in found and contract is not None:
                found[reference] = compiled[contract.file]
                pending.append(found[reference])
    return found


def _manifest(own: Compilation, called: Mapping[str, Compilation]) -> WorkflowManifest:
    made = manifest(own, called)
    made["graph"] = graph(own)
    return made


# --- the drawing ---------------------------------------------------------------------------------


def graph(compilation: Compilation) -> dict[str, Json]:
    """Return the drawing of a compiled workflow as data: cards and arrows with their places.

    `steps` and `handlers` (of `on_failure`) have `width`, `height`, `down` (whether layers
    follow one another from the top down), `cards` and `arrows`. A card has the step's `id`,
    `title`, `kind`, `about`, `condition`, `times` and `notes` as texts, and `x`, `y`, `width`,
    `height`; one that is a box has `inside`, again cards and arrows. Arrows lead `from` a step
    `to` another through `points`; `latch` where the one waits for the other across branches.
    All places are counted from the top left corner of `steps` or `handlers`.
    """
    drawn = drawing(compilation)
    return {
        "started_by": list(drawn.started_by),
        "steps": _scene(scene(drawn.steps), (0, 0)),
        "handlers": _scene(scene(drawn.handlers), (0, 0)),
    }


def _scene(found: Scene, at: Point) -> dict[str, Json]:
    x, y = at
    cards = found.sketch.cards
    places = found.placed.boxes
    return {
        "width": _rounded(found.placed.width),
        "height": _rounded(found.placed.height),
        "down": found.down,
        "cards": [
            _card(laid, (x + cx, y + cy))
            for laid, (cx, cy) in zip(found.cards, places, strict=True)
        ],
        "arrows": [
            {
                "from": cards[arrow.source].id,
                "to": cards[arrow.target].id,
                "latch": arrow.latch,
                "points": [[_rounded(x + px), _rounded(y + py)] for px, py in points],
            }
            for arrow, points in zip(found.sketch.arrows, found.placed.arrows, strict=True)
        ],
    }


def _card(laid: Laid, at: Point) -> dict[str, Json]:
    x, y = at
    card = laid.card
    made: dict[str, Json] = {
        "id": card.id,
        "title": card.title,
        "kind": card.kind,
        "about": card.about,
        "condition": card.condition,
        "times": card.times,
        "notes": list(card.notes),
        "x": _rounded(x),
        "y": _rounded(y),
        "width": _rounded(laid.width),
        "height": _rounded(laid.height),
    }
    if laid.inside is not None:
        dx, dy = corner(laid)
        made["inside"] = _scene(laid.inside, (x + dx, y + dy))
    return made


def _rounded(value: float) -> float:
    return round(value, 1)
