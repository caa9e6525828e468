"""The errors a step's call can end in.

Lambda reports the name of the raised class, and the compiled machine matches on it, so each
class is called exactly as `protocol.names` spells it.
"""

from __future__ import annotations

from protocol.payloads import Json


class StepError(Exception):
    """An error of a step: a short text first, then what helps to find the cause.

    `status_code` is the number an author's retry condition sees: as reported, else the HTTP
    status, else the exit code. `outputs` is what the failed attempt had written.
    """

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        outputs: dict[str, Json] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        self.outputs: dict[str, Json] = outputs or {}


class StepTimedOut(StepError):
    """The attempt was stopped at the step's own timeout or at the run's deadline."""


class StepInProgress(StepError):
    """Another attempt still holds the step's lease."""


class StepInDoubt(StepError):
    """An earlier attempt may have had its effect and did not report."""


class OutputTooLarge(StepError):
    """An output that the machine reads itself is larger than what may travel with the run."""


class OutputMissing(StepError):
    """A declared output was not written."""


class ArtifactNotFound(StepError):
    """A file that the step should leave, or needs, is not there."""


class ProgramNotFound(StepError):
    """A script calls a program that this machine does not have."""


class ScriptFailed(StepError):
    """A script ended with another exit code than 0."""


class ValidationError(StepError):
    """Inputs or outputs that are not of the shape the action or the contract asks for."""


def named_error(name: str, message: str, status_code: int | None) -> StepError:
    """Return an error of a class of that name, which is what Lambda reports of it."""
    known = {one.__name__: one for one in StepError.__subclasses__()}
    kind: type[StepError] = known.get(name) or type(name, (StepError,), {})
    return kind(message, status_code=status_code)
