"""The tables that a resume works on, in memory; `test_tables` holds them against DynamoDB's."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from functions.domain.records.item import RunItem
from functions.domain.stored import (
    AGAIN,
    BEGUN,
    DONE,
    FAILED,
    IN_DOUBT,
    SUCCEEDED,
    UNDONE,
    StoredResult,
)
from functions.ports import Attempt, Claim, Claimed, Failure, Finished, InDoubt, InProgress, Place
from functions.record_ports import Kept, Known
from protocol.manifest import WorkflowManifest
from protocol.payloads import Envelope, Json


@dataclass(slots=True)
class Row:
    """An item of the table of results."""

    result: StoredResult
    envelope: Envelope | None = None
    failure: Failure | None = None
    fingerprint: str = ""
    recheck: tuple[str, ...] | None = None


class Results:
    """`functions.ports.Results` and `StoredResults`."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}

    def claim(
        self, place: Place, attempt: Attempt, *, repeatable: bool, over: Finished | None = None
    ) -> Claim:
        row = self.rows.get((place.run, place.path))
        if row is not None and not self._is_free(row, attempt, over, repeatable=repeatable):
            return self._taken(row, attempt.started_at)
        claim = str(uuid.uuid4())
        number = 1 if row is None else row.result.attempt + 1
        result = StoredResult(
            place.path,
            BEGUN,
            attempt.started_at,
            {},
            {},
            None,
            claim=claim,
            attempt=number,
            run_attempt=attempt.run_attempt,
            lease=attempt.lease,
            repeatable=repeatable,
        )
        self.rows[place.run, place.path] = Row(result, fingerprint=attempt.fingerprint)
        return Claimed(claim, number)

    @staticmethod
    def _is_free(row: Row, attempt: Attempt, over: Finished | None, *, repeatable: bool) -> bool:
        result = row.result
        if over is not None:
            return result.status == SUCCEEDED and result.claim == over.claim
        if result.status in (FAILED, UNDONE, AGAIN):
            return True
        if not repeatable:
            return False
        is_late = result.lease is not None and result.lease < attempt.started_at
        return result.status == IN_DOUBT or (result.status == BEGUN and is_late)

    @staticmethod
    def _taken(row: Row, now: datetime) -> Claim:
        result = row.result
        if result.status == SUCCEEDED:
            assert row.envelope is not None
            if row.recheck is None:
                return Finished(row.envelope)
            return Finished(row.envelope, row.recheck, row.fingerprint, result.claim)
        if result.status == IN_DOUBT:
            assert result.error is not None
            return InDoubt(str(result.at), result.error[1])
        assert result.lease is not None
        return InProgress(result.lease) if result.lease > now else InDoubt(str(result.at))

    def carried_out(self, run: str, step: str, run_attempt: int) -> bool:
        return any(row.run_attempt == run_attempt for row in self.of_step(run, step))

    def read(self, place: Place) -> Finished | Failure | None:
        row = self.rows.get((place.run, place.path))
        if row is None or row.result.status in (BEGUN, UNDONE, AGAIN):
            return None
        return Finished(row.envelope) if row.envelope is not None else row.failure

    def finish(self, place: Place, claim: str, envelope: Envelope) -> None:
        row = self.rows[place.run, place.path]
        if row.result.claim == claim and row.result.status == BEGUN:
            row.envelope = copy.deepcopy(envelope)
            row.result = replace(
                row.result,
                status=SUCCEEDED,
                lease=None,
                at=datetime.fromisoformat(envelope["timestamp"]),
                outputs=envelope["outputs"],
                refs=envelope.get("refs", {}),
                child=envelope.get("child"),
            )

    def fail(self, place: Place, claim: str, failure: Failure, at: datetime) -> None:
        row = self.rows[place.run, place.path]
        if row.result.claim == claim and row.result.status == BEGUN:
            row.failure = failure
            row.result = replace(
                row.result,
                status=IN_DOUBT if failure.in_doubt else FAILED,
                lease=None,
                at=at,
                outputs=failure.outputs,
                error=(failure.type, failure.message),
            )

    # --- stored results ------------------------------------------------------------------------

    def of_run(self, run: str) -> list[StoredResult]:
        return [row.result for key, row in sorted(self.rows.items()) if key[0] == run]

    def of_step(self, run: str, step: str) -> list[StoredResult]:
        return [result for result in self.of_run(run) if result.place.step == step]

    def begin_undo(self, run: str, path: str) -> bool:
        row = self.rows[run, path]
        if row.result.status == UNDONE:
            return row.result.undo == DONE
        was = row.result.was or row.result.status
        row.result = replace(row.result, status=UNDONE, was=was, undo=BEGUN)
        return False

    def note_undone(self, run: str, path: str) -> None:
        row = self.rows[run, path]
        if row.result.status == UNDONE:
            row.result = replace(row.result, undo=DONE)

    def let_go(self, run: str, result: StoredResult) -> bool:
        row = self.rows[run, result.path]
        if not self._is_same(row, result):
            return False
        was = row.result.was or row.result.status
        row.result = replace(row.result, status=AGAIN, was=was, lease=None, recheck=False)
        row.recheck = None
        return True

    def recheck(self, run: str, result: StoredResult, steps: Sequence[str] | None) -> bool:
        row = self.rows[run, result.path]
        if not self._is_same(row, result):
            return False
        row.recheck = None if steps is None else tuple(steps)
        row.result = replace(row.result, recheck=steps is not None)
        return True

    @staticmethod
    def _is_same(row: Row, result: StoredResult) -> bool:
        return (row.result.claim, row.result.status) == (result.claim, result.status)

    def record_done(
        self, run: str, path: str, run_attempt: int, envelope: Envelope, before: str | None
    ) -> bool:
        row = self.rows.get((run, path))
        if (None if row is None else row.result.claim) != before:
            return False
        at = datetime.fromisoformat(envelope["timestamp"])
        number = 1 if row is None else row.result.attempt
        result = StoredResult(path, SUCCEEDED, at, envelope["outputs"], {}, None,
                              claim=str(uuid.uuid4()), attempt=number,
                              run_attempt=run_attempt)  # fmt: skip
        self.rows[run, path] = Row(result, envelope)
        return True


class Runs:
    """What of `functions.record_ports.Runs` a resume uses."""

    def __init__(self) -> None:
        self.items: dict[str, RunItem] = {}
        self.inputs: dict[tuple[str, int], Mapping[str, Json]] = {}
        self.records: dict[tuple[str, int], Kept] = {}
        self.executions: dict[str, list[Known]] = {}

    def get(self, run_id: str) -> RunItem | None:
        return self.items.get(run_id)

    def change(
        self, run_id: str, wish: Callable[[RunItem | None], RunItem | None]
    ) -> RunItem | None:
        wanted = wish(self.items.get(run_id))
        if wanted is not None:
            self.items[run_id] = wanted
        return self.items.get(run_id)

    def give(self, run_id: str, attempt: int, given: Mapping[str, Json]) -> None:
        self.inputs.setdefault((run_id, attempt), copy.deepcopy(given))

    def given(self, run_id: str, attempt: int) -> Mapping[str, Json] | None:
        return self.inputs.get((run_id, attempt))

    def kept(self, run_id: str, attempt: int) -> Kept | None:
        return self.records.get((run_id, attempt))

    def known(self, run_id: str) -> list[Known]:
        return self.executions.get(run_id, [])

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a resume does not use {name}")


@dataclass(slots=True)
class Manifests:
    """`functions.ports.Manifests`."""

    deployed: dict[str, WorkflowManifest] = field(default_factory=dict)
    kept: dict[str, WorkflowManifest] = field(default_factory=dict)

    def current(self, reference: str) -> WorkflowManifest | None:
        return self.deployed.get(reference)

    def all(self) -> Sequence[WorkflowManifest]:
        return list(self.deployed.values())

    def by_digest(self, digest: str) -> WorkflowManifest | None:
        return self.kept.get(digest)

    def keep(self, manifest: WorkflowManifest) -> None:
        self.kept[manifest["digest"]] = manifest
