"""The contracts of actions: those that come with Stepsmith, and the project's own."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.console import WRONG, Misuse
from compiler.check import ActionContract
from compiler.document.nodes import Json

if TYPE_CHECKING:
    from functions.domain.action import Action
    from functions.ports import Carries


class ActionFault(Misuse):
    """An action of the project that cannot be read; its text says which and why."""

    code = WRONG


class Actions(Mapping[str, ActionContract]):
    """Actions by name. The project's own are read when one is asked for that is not built in.

    Raises ActionFault then, where a file under `actions/` is no action.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built_in = _built_in()
        self._is_asked = False

    def __getitem__(self, name: str) -> ActionContract:
        if name in self._built_in:
            return self._built_in[name]
        self._is_asked = True
        return self._contracts[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._built_in, **self._contracts})

    def __len__(self) -> int:
        return len({**self._built_in, **self._contracts})

    def asked(self) -> dict[str, Carries]:
        """Return the project's own actions by name, where one was asked for; else none."""
        return dict(self._own) if self._is_asked else {}

    def files(self, names: Collection[str]) -> dict[str, Path]:
        """Return the files of those actions that are the project's own, by name."""
        own = [name for name in names if name not in self._built_in]
        return {name: self._found[name][1] for name in own if name in self._found}

    @property
    def _own(self) -> dict[str, Action[Any, Any]]:
        return {name: action for name, (action, _) in self._found.items()}

    @cached_property
    def _found(self) -> dict[str, tuple[Action[Any, Any], Path]]:
        paths = sorted(self._folder.glob("*.py")) if self._folder.is_dir() else []
        found: dict[str, tuple[Action[Any, Any], Path]] = {}
        for path in paths:
            if path.name.startswith(("_", "test_")):
                continue
            action = load(path)
            if action.name in found:
                raise ActionFault(f"{path}: there is another action '{action.name}'")
            found[action.name] = action, path
        return found

    @cached_property
    def _contracts(self) -> dict[str, ActionContract]:
        return {name: _contract_of(action) for name, action in self._own.items()}


def _built_in() -> dict[str, ActionContract]:
    file = resources.files("functions.actions").joinpath("catalogue.json")
    entries = json.loads(file.read_text(encoding="utf-8"))
    return {name: _contract(entry) for name, entry in entries.items()}


def _contract(entry: Mapping[str, Json]) -> ActionContract:
    inputs, outputs, errors = entry["inputs"], entry["outputs"], entry.get("error_types", [])
    assert isinstance(inputs, dict)
    assert isinstance(outputs, dict)
    assert isinstance(errors, list)
    return ActionContract(
        inputs=inputs,
        outputs=outputs,
        repeatable=entry.get("repeatable") is True,
        reads_files=entry.get("reads_files") is True,
        makes_files=bool(entry.get("files")),
        hands_on_callback=entry.get("callback") is True,
        runner="codebuild" if entry.get("runner") == "codebuild" else "lambda",
        error_types=tuple(map(str, errors)),
    )


def load(path: Path) -> Action[Any, Any]:
    """Return the action in a file. Raises ActionFault where it holds none."""
    import importlib.util
    import sys

    from functions.domain.action import Action

    name = f"stepsmith_project_actions.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ActionFault(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pydantic and dataclasses look annotations up
    try:
        spec.loader.exec_module(module)
    except Exception as fault:
        raise ActionFault(f"{path}: {type(fault).__name__}: {fault}") from fault
    action = getattr(module, "ACTION", None)
    if not isinstance(action, Action):
        raise ActionFault(f"{path}: it has no `ACTION`, so it is no action")
    return action


def _contract_of(action: Action[Any, Any]) -> ActionContract:
    return ActionContract(
        # A name that the action does not know would be ignored, so it is a mistake here.
        inputs={"additionalProperties": False, **action.inputs.model_json_schema()},
        outputs={
            "additionalProperties": False,
            **action.outputs.model_json_schema(mode="serialization"),
        },
        repeatable=action.repeatable,
        reads_files=action.reads_files,
        makes_files=bool(action.files),
        runner=action.runner,
        error_types=tuple(getattr(error, "__name__", str(error)) for error in action.error_types),
    )
