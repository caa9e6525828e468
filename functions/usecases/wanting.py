"""Which source a step asks for, from the run that its call belongs to."""

from __future__ import annotations

from functions import ports
from functions.domain.errors import ValidationError
from functions.domain.masking import Masks
from functions.domain.source import Wanted
from protocol.environment import GITHUB_KEY
from protocol.payloads import WITHHELD, Run


def wanted_by(run: Run, seconds: float, secrets: ports.Secrets, masks: Masks) -> Wanted | None:
    """Return what a run's `source` asks for, None where it has none.

    Raises ValidationError where the workflow's `source` came to no repository.
    """
    source = run.get("source")
    if not isinstance(source, dict):
        return None
    repository, ref, keeper = (source.get(name) for name in ("repository", "ref", "run"))
    if not isinstance(repository, str) or not repository:
        raise ValidationError("`source.repository` is empty or null in this run")
    is_withheld = run.get("secrets") == WITHHELD

    def token() -> str | None:
        if is_withheld:
            return None
        try:
            value = secrets.get(GITHUB_KEY).strip()
        except KeyError:
            return None
        masks.add(value)
        return value or None

    return Wanted(
        run=keeper if isinstance(keeper, str) else run["id"],
        repository=repository,
        ref=ref if isinstance(ref, str) and ref else None,
        seconds=seconds,
        token=token,
        is_withheld=is_withheld,
    )
