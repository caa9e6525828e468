"""The errors a step's call can end in.

Lambda reports the name of the raised class, and the compiled machine matches on it, so each
class is called exactly as `protocol.names` spells it.
"""

from __future__ import annotations

from protocol.names import LAMBDA_SERVICE
from protocol.payloads import Json


class StepError(Exception):
    """An error of a step: a short text first, then what helps to find the cause.

    `status_code` is the number an author's retry condition sees: as reported, else the HTTP
    status, else the exit code. `outputs` is what the failed attempt had written, `details` what
    there is to say beside the message: one entry for each thing that is wrong. `in_doubt` says
    that the attempt may have had its effect all the same.
    """

    in_doubt = False

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        outputs: dict[str, Json] | None = None,
        details: list[Json] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        self.outputs: dict[str, Json] = outputs or {}
        self.details: list[Json] = details or []


class StepTimedOut(StepError):
    """The attempt was stopped at the step's own timeout or at the deadline."""


class DeadlinePassed(StepError):
    """The deadline had passed before the attempt began; no other attempt can be in time."""


class StepInProgress(StepError):
    """Another attempt still holds the step's lease."""


class StepInDoubt(StepError):
    """An attempt may have had its effect and did not report."""

    in_doubt = True


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


class ManifestError(StepError):
    """A manifest cannot be deployed as it is."""


class RolloutFailed(StepError):
    """A cluster has given up on a rollout."""


class MessageRejected(StepError):
    """A service does not take a message, and would not take it again."""


class NetworkError(StepError):
    """A service could not be reached, or the connection to it was lost."""


class TimeoutError(StepError):  # noqa: A001 (the category's name, which Lambda reports)
    """A service did not answer in time."""


class ServiceUnavailable(StepError):
    """A service says that it cannot serve for now."""


class Throttled(StepError):
    """A service says that there have been too many requests."""


CATEGORIES: dict[str, type[StepError]] = {
    error.__name__: error for error in (NetworkError, TimeoutError, ServiceUnavailable, Throttled)
}
"""The classes of `protocol.names.CATEGORIES`."""


PassingFault: type[Exception] = type(LAMBDA_SERVICE, (Exception,), {})
"""A service that a function needs did not answer, and may in a moment: machines try again."""


def named_error(name: str, message: str, status_code: int | None) -> StepError:
    """Return an error of a class of that name, which is what Lambda reports of it."""
    known = {one.__name__: one for one in StepError.__subclasses__()}
    kind: type[StepError] = known.get(name) or type(name, (StepError,), {})
    return kind(message, status_code=status_code)
