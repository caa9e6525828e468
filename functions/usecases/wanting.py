"""Which source a step asks for, from the run that its call belongs to."""

from __future__ import annotations

from functions import ports
from functions.domain.masking import Masks
from functions.domain.source import Wanted
from protocol.environment import GITHUB_KEY
from protocol.payloads import WITHHELD, Run


def wanted_by(run: Run, seconds: float, secrets: ports.Secrets, masks: Masks) -> Wanted | None:
    """Return what a run's `source` asks for, None where it has none."""
    source = run.get("source")
    if not isinstance(source, dict):
        return None
    repository, ref, keeper = (source.get(name) for name in ("repository", "ref", "run"))
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
        # One that came to nothing is told of by whoever needs it: a local run has its files.
        repository=repository if isinstance(repository, str) else "",
        ref=ref if isinstance(ref, str) and ref else None,
        seconds=seconds,
        token=token,
        is_withheld=is_withheld,
    )
