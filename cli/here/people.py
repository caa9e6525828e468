"""Who is there on this machine: whom the project names, and who sits here."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.project.project import Project
    from functions.domain.people import Directory

_UNKNOWN = "you@localhost"


def directory_of(project: Project) -> Directory:
    """Return the people of a project's stage."""
    from functions.domain.people import Directory

    stage = project.settings.stage(project.stage)
    return Directory(stage.groups, stage.identities, stage.approvers)


def caller(root: Path, directory: Directory) -> str:
    """Return who calls where nobody is named: who commits here, else the first approver."""
    return _git_mail(root) or next(iter(people_of(directory)), _UNKNOWN)


def people_of(directory: Directory) -> tuple[str, ...]:
    """Return the people that the project names, the approvers first."""
    found: dict[str, None] = {}
    for one in directory.approvers:
        members = directory.groups.get(one.removeprefix("group:"), ())
        found |= dict.fromkeys(members if one.startswith("group:") else (one,))
    for members in directory.groups.values():
        found |= dict.fromkeys(members)
    found |= dict.fromkeys(directory.identities.values())
    return tuple(found)


def _git_mail(root: Path) -> str | None:
    try:
        found = subprocess.run(
            ["git", "-C", str(root), "config", "user.email"],
            capture_output=True,
            check=False,
            text=True,
        )
    except FileNotFoundError:
        return None
    mail = found.stdout.strip()
    return mail if "@" in mail else None
