"""Carry out one step: what every action's function does around the action.

The result is stored under the step's key, so that a call repeated after a lost answer, a retry
of Lambda's or a resume returns it instead of doing the work again. An attempt that was cut off
leaves its claim behind: until the lease ends others are told `StepInProgress`, then the step is
in doubt, and only a repeatable action is carried out again.

A run that is resumed lets go of what is to run again before it starts; of what it is not sure
the stored result is held against what the call asks for now.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from functions import ports
from functions.domain.context import Context
from functions.domain.errors import (
    OutputTooLarge,
    StepError,
    StepInDoubt,
    StepInProgress,
    ValidationError,
    named_error,
)
from functions.domain.fingerprints import fingerprint
from functions.domain.keys import place_of, step_path
from functions.domain.masking import Masks
from functions.domain.moments import lasted
from functions.domain.outputs import final_outputs
from functions.domain.pointers import place_at
from functions.domain.services import Services
from functions.domain.texts import sound
from functions.usecases.failing import cleaned, failure_of, reported, unclaimed
from functions.usecases.keeping import Keeping
from functions.usecases.lasting import seconds_for
from functions.usecases.wanting import wanted_by
from functions.usecases.within import within
from protocol.payloads import CONTRACT, WITHHELD, ActionCall, Envelope, Json, Reference

INLINE_BYTES = 32_768
LEASE_MARGIN = timedelta(seconds=30)
"""What an attempt may take beyond its timeout before it counts as cut off."""
LOGGED_BYTES = 65_536
"""Of each stream; an event of CloudWatch Logs holds 256 KB."""
GRACE_SECONDS = 5.0
"""For an action to notice its own timeout; then it is left alone."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The adapters a call works with."""

    clock: ports.Clock
    results: ports.Results
    blobs: ports.Blobs
    files: ports.Files
    sources: ports.Sources
    secrets: ports.Secrets
    evaluate: Callable[[Json, Mapping[str, Json]], Json]
    inherited: Mapping[str, str]  # the environment that programs find
    logs: Path | None = None  # where to keep what scripts say; None: nowhere
    log: ports.Log | None = None  # where to tell what becomes of the calls
    services: Services = field(default_factory=Services)


def carry_out(call: ActionCall, action: ports.Carries, around: Surroundings) -> Envelope:
    """Carry out a call and return its envelope; raises a StepError where the step failed."""
    if call["run"]["contract"] > CONTRACT:
        raise ValidationError(
            f"the workflow speaks contract {call['run']['contract']}, this function {CONTRACT}"
        )
    if call.get("stored"):
        return _stored(call, around)
    if call.get("keep"):
        action = Keeping(action.name)
    started = around.clock.now()
    place = ports.Place(call["run"]["id"], step_path(call))
    seconds = seconds_for(call, place, started, around.results)
    attempt = ports.Attempt(
        started,
        started + timedelta(seconds=seconds) + LEASE_MARGIN,
        call["run"]["attempt"],
        fingerprint(call, action.name),
    )
    may_repeat = action.may_repeat(call["inputs"])
    try:
        claim = around.results.claim(place, attempt, repeatable=may_repeat)
        if isinstance(claim, ports.Finished) and not _stands(claim, place, attempt, around):
            claim = around.results.claim(place, attempt, repeatable=may_repeat, over=claim)
    except Exception as error:
        # Nothing has been done. If the claim is there all the same, the next call will meet it.
        raise unclaimed(error) from error
    if isinstance(claim, ports.Finished):
        return claim.envelope
    if isinstance(claim, ports.InProgress):
        raise StepInProgress(
            f"another attempt at '{call['step']}' is under way until {iso(claim.until)}"
        )
    if isinstance(claim, ports.InDoubt):
        said = claim.said or "it never reported; whether it had its effect is unknown"
        raise StepInDoubt(f"an attempt at '{call['step']}' began at {claim.since}: {said}")
    call = {**call, "attempt": claim.attempt}
    return _attempt(_Job(call, action, around, place, claim.claim, started, seconds, may_repeat))


def _stands(
    found: ports.Finished, place: ports.Place, attempt: ports.Attempt, around: Surroundings
) -> bool:
    """Return whether a result of an earlier attempt of the run is what this call would give."""
    if found.recheck is None:
        return True
    is_same = found.fingerprint in ("", attempt.fingerprint)  # none: a person told of it
    return is_same and not any(
        around.results.carried_out(place.run, step, attempt.run_attempt) for step in found.recheck
    )


def _stored(call: ActionCall, around: Surroundings) -> Envelope:
    """Return the result that a build stored, or that a resumed run keeps.

    Raises the error that the build stored, or StepInDoubt.
    """
    found = around.results.read(ports.Place(call["run"]["id"], step_path(call)))
    if isinstance(found, ports.Finished):
        return found.envelope
    if isinstance(found, ports.Failure):
        error = named_error(found.type, found.message, found.status_code)
        error.details = list(found.details)
        raise error
    reason = call.get("build_error") or "it stored no result"
    if call.get("keep"):
        raise ValidationError(f"'{call['step']}' could not be called: {reason}")
    raise StepInDoubt(f"the build of '{call['step']}' ended badly: {reason}")


@dataclass(frozen=True, slots=True)
class _Job:
    call: ActionCall
    action: ports.Carries
    around: Surroundings
    place: ports.Place
    claim: str
    started: datetime
    seconds: float
    may_repeat: bool


def _attempt(job: _Job) -> Envelope:
    """Do the claimed work; whatever it ends in is stored before it is reported."""
    log = job.around.log
    if log is not None:
        log.begun(job.call, job.action.name)
    masks = Masks()
    try:
        envelope = _work(job, masks)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is stored and reported)
        failed = _failure(job, error, masks)
        if log is not None:
            log.failed(failed, _took(job))
        # Where this cannot be stored the claim stays, and the step is in doubt in the end.
        with contextlib.suppress(Exception):
            at = job.around.clock.now()
            job.around.results.fail(job.place, job.claim, failure_of(failed), at)
        # What caused it may hold a secret, and Lambda prints causes.
        raise failed from (None if masks else error)
    try:
        job.around.results.finish(job.place, job.claim, envelope)
    except Exception as error:
        # The claim stays, so that later calls learn what is to be known: that nothing is.
        failed = _failure(job, _unsaved(job, error), masks)
        if log is not None:
            log.failed(failed, _took(job))
        raise failed from error
    if log is not None:
        log.succeeded(envelope, _took(job))
    return envelope


def _failure(job: _Job, error: Exception, masks: Masks) -> StepError:
    own = job.action.error_types
    return cleaned(reported(error, own=own, may_repeat=job.may_repeat), masks)


def _unsaved(job: _Job, error: Exception) -> Exception:
    """Return what an error after the action means: the effect is there, its result is lost."""
    if isinstance(error, StepError) or job.may_repeat:
        return error
    return StepInDoubt(
        f"'{job.call['step']}' was carried out, but what came of it could not be stored "
        f"({type(error).__name__}: {error})"
    )


def _took(job: _Job) -> float:
    return (job.around.clock.now() - job.started).total_seconds()


def _work(job: _Job, masks: Masks) -> Envelope:
    call, around = _resolved(job.call, job.around, masks), job.around
    # A program that was left alone may still be writing when the folder is taken away.
    scratch = tempfile.TemporaryDirectory(prefix="stepsmith-", ignore_cleanup_errors=True)
    with scratch as folder:
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        if job.action.reads_files:
            wanted = wanted_by(call["run"], job.seconds, around.secrets, masks)
            around.sources.lay(job.place.run, workspace, wanted)
            for path in call.get("files", ()):
                around.files.lay(job.place.run, path, workspace)
        context = _context(job, call, workspace, masks)
        try:
            given = within(
                job.seconds + GRACE_SECONDS,
                lambda: job.action.call(call["inputs"], context),
                f"step '{call['step']}' was stopped after {lasted(job.seconds)}",
                in_doubt=not job.may_repeat,
            )
        finally:
            _pass_on(around.log, context)
        try:
            return _kept(job, call, given, context)
        except Exception as error:
            raise _unsaved(job, error) from error


def _pass_on(log: ports.Log | None, context: Context) -> None:
    """Log the last of what the attempt's programs said."""
    if log is None or not context.logs.is_dir():
        return
    for path in sorted(context.logs.glob(f"attempt-{context.attempt}.*")):
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LOGGED_BYTES))
            text = file.read().decode("utf-8", errors="replace")
        if text.strip():
            log.said(path.suffix.removeprefix("."), context.masks.text(text))


def _kept(job: _Job, call: ActionCall, given: Mapping[str, Json], context: Context) -> Envelope:
    """Keep what an action gave and return the envelope of it."""
    around, workspace = job.around, context.workspace
    found = final_outputs(call, given, _derived(call, given, around))
    # What was done is done: no text that came with it may keep its result from being stored.
    outputs = {name: sound(value) for name, value in found.items()}
    paths = [*call.get("artifacts", ()), *_literal_files(call, outputs, workspace)]
    paths += [str(outputs[name]) for name in job.action.files if outputs.get(name)]
    if paths:
        around.files.store(job.place, workspace, paths)
    masked = {name: context.masks.value(value) for name, value in outputs.items()}
    inline, refs = _split(job, masked)
    envelope: Envelope = {
        "step": call["step"],
        "status": "succeeded",
        "attempt": call["attempt"],
        "started_at": iso(job.started),
        "timestamp": iso(around.clock.now()),
        "outputs": inline,
    }
    if refs:
        envelope["refs"] = refs
    if "child" in call:
        envelope["child"] = call["child"]
    return envelope


def _context(job: _Job, call: ActionCall, workspace: Path, masks: Masks) -> Context:
    clock, logs = job.around.clock, job.around.logs
    return Context(
        run_id=job.place.run,
        step=call["step"],
        key=f"{job.place.run}/{job.place.path}",
        attempt=call["attempt"],
        env={name: _text(value) for name, value in call.get("env", {}).items()},
        inherited=job.around.inherited,
        seconds=job.seconds,
        workspace=workspace,
        callback=call.get("callback"),
        logs=workspace.parent if logs is None else logs / job.place.path.replace("/", "."),
        now=clock.now,
        sleep=clock.sleep,
        deadline=job.started + timedelta(seconds=job.seconds),
        literals=call.get("defaults", {}),
        files=tuple(place_of(path).step for path in call.get("files", ())),
        masks=masks,
    )


def _resolved(call: ActionCall, around: Surroundings, masks: Masks) -> ActionCall:
    """Return the call with secrets and references put where their pointers say."""
    resolved: ActionCall = json.loads(json.dumps(call))
    for pointer, reference in call.get("refs", {}).items():
        if reference is not None:
            place_at(resolved, pointer, around.blobs.get(reference))
    # As GitHub has it: what came from a fork finds an empty text where a secret would be.
    withheld = call["run"].get("secrets") == WITHHELD
    for pointer, parts in call.get("secrets", {}).items():
        pieces = [["secret", parts]] if isinstance(parts, str) else parts
        text = "".join(
            piece if kind != "secret" else "" if withheld else _secret(piece, around, masks)
            for kind, piece in pieces
        )
        place_at(resolved, pointer, text)
    return resolved


def _secret(name: str, around: Surroundings, masks: Masks) -> str:
    try:
        value = around.secrets.get(name)
    except KeyError:
        raise ValidationError(f"there is no secret '{name}' in this stage") from None
    masks.add(value)
    return value


def _derived(call: ActionCall, given: Mapping[str, Json], around: Surroundings) -> dict[str, Json]:
    own: Json = {"outputs": {**call.get("defaults", {}), **given}, "status": "succeeded"}
    contexts = call.get("contexts", {})
    others = contexts.get("steps")
    steps: dict[str, Json] = {**others} if isinstance(others, dict) else {}
    values: dict[str, Json] = {"env": dict(call.get("env", {})), **contexts}
    values["steps"] = {**steps, call["step"]: own}
    return {
        name: around.evaluate(portable, values)
        for name, portable in call.get("derived", {}).items()
    }


def _literal_files(call: ActionCall, outputs: Mapping[str, Json], workspace: Path) -> list[str]:
    """Literal outputs that name a file of the workspace; it is kept as an artifact is."""
    found = []
    for name, literal in call.get("defaults", {}).items():
        if not isinstance(literal, str) or not literal or outputs.get(name) != literal:
            continue
        path = Path(literal)
        inside = not path.is_absolute() and ".." not in path.parts
        if inside and len(literal) < 1024 and (workspace / path).is_file():
            found.append(literal)
    return found


def _split(job: _Job, outputs: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Reference]]:
    """Return what travels with the run and what goes by reference, the largest first."""
    call = job.call
    # What Step Functions counts: UTF-8 of the JSON as the function gives it, names included.
    sizes = {name: _bytes({name: value}) for name, value in outputs.items()}
    limit, kept = call.get("limit", INLINE_BYTES), call.get("inline", [])
    inline, refs = dict(outputs), dict[str, Reference]()
    free = () if kept == ["*"] else (name for name in outputs if name not in kept)
    movable = sorted(free, key=lambda name: (-sizes[name], name))
    while sum(sizes[name] for name in inline) > limit:
        if not movable:
            names = ", ".join(f"'{name}'" for name in inline)
            raise OutputTooLarge(
                f"the outputs {names} of step '{call['step']}' are read by the workflow itself "
                f"and take more than {limit} bytes"
            )
        name = movable.pop(0)
        refs[name] = job.around.blobs.put(job.place, name, inline.pop(name))
    return inline, refs


def _text(value: Json) -> str:
    """Return a value as a variable holds it: as inside a text, but with all of its digits."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _bytes(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def iso(moment: datetime) -> str:
    """Return a moment as the records write it: ISO 8601, UTC, milliseconds."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
