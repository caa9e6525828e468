"""A Kubernetes API as far as deploying needs it: objects, server-side apply, rollouts."""

from __future__ import annotations

import json
from copy import deepcopy

from tests.functions.actions.kit import Call, Reply


class KubernetesApi:
    """Answers calls; a rollout is over after `polls` reads of the Deployment."""

    def __init__(self, polls: int = 1) -> None:
        self.objects: dict[str, dict] = {}
        self.polls = polls
        self.left: dict[str, int] = {}
        self.writes: list[tuple[str, str]] = []
        self.stuck = False
        self.outage = 0

    def __call__(self, call: Call) -> Reply:
        path = call.path.partition("?")[0]
        if self.outage:
            self.outage -= 1
            return Reply(503, {"kind": "Status", "message": "overloaded"})
        if call.method == "GET":
            return self._read(path)
        self.writes.append((call.headers["content-type"].partition("/")[2], path))
        return self._write(path, call)

    def _read(self, path: str) -> Reply:
        if path not in self.objects:
            return Reply(404, {"kind": "Status", "message": f"{path} not found"})
        found = self.objects[path]
        if path in self.left:
            self.left[path] -= 1
            if self.left[path] < 0 and not self.stuck:
                self._roll_out(found)
                del self.left[path]
        return Reply(body=deepcopy(found))

    def _write(self, path: str, call: Call) -> Reply:
        before = deepcopy(self.objects.get(path))
        if before is None and "apply" not in call.headers["content-type"]:
            return Reply(404, {"kind": "Status", "message": "not found"})
        if "invalid" in call.body.decode():
            return Reply(422, {"kind": "Status", "message": "spec is invalid"})
        found = self.objects.setdefault(path, {})
        _merge(found, json.loads(call.body))
        metadata = found.setdefault("metadata", {})
        if before is None or before.get("spec") != found.get("spec"):
            metadata["generation"] = metadata.get("generation", 0) + 1
            if "/deployments/" in path:
                self.left[path] = self.polls
                if self.stuck:
                    self._give_up(found)
        return Reply(body=deepcopy(found))

    @staticmethod
    def _roll_out(found: dict) -> None:
        metadata, replicas = found["metadata"], found["spec"].get("replicas", 1)
        notes = metadata.setdefault("annotations", {})
        key = "deployment.kubernetes.io/revision"
        notes[key] = str(int(notes.get(key, 0)) + 1)
        found["status"] = {
            "observedGeneration": metadata["generation"],
            "replicas": replicas,
            "updatedReplicas": replicas,
            "availableReplicas": replicas,
        }

    @staticmethod
    def _give_up(found: dict) -> None:
        found["status"] = {
            "observedGeneration": found["metadata"]["generation"],
            "conditions": [{"reason": "ProgressDeadlineExceeded", "message": "image not found"}],
        }


def _merge(found: dict, change: dict) -> None:
    for key, value in change.items():
        if isinstance(value, dict):
            _merge(found.setdefault(key, {}), value)
        elif isinstance(value, list) and all(isinstance(v, dict) and "name" in v for v in value):
            named = {one["name"]: one for one in found.setdefault(key, [])}
            for one in value:
                if one["name"] in named:
                    _merge(named[one["name"]], one)
                else:
                    found[key].append(one)
        else:
            found[key] = value
