"""What a local stage's runs said: one file of JSON lines a run, as CloudWatch Logs has them."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from functions.record_ports import LogLine, LogPage, NoSuchPlace
from functions.usecases.carry_out import iso

if TYPE_CHECKING:
    from functions.domain.errors import StepError
    from functions.ports import Clock
    from functions.record_ports import Span
    from protocol.payloads import ActionCall, Envelope, Json


class RunLogs:
    """`functions.ports.Log` into files, and `functions.record_ports.RunLogs` out of them.

    Each thread carries one step out at a time.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._at = threading.local()

    def begun(self, call: ActionCall, action: str) -> None:
        """Log the begin of an attempt; what this thread logs until the next belongs to it."""
        self._at.run = call["run"]["id"]
        self._at.place = {
            "step": call["step"],
            "items": call.get("items", []),
            "attempt": call["attempt"],
        }
        self._write("info", f"attempt begun ({action})")

    def said(self, stream: str, text: str) -> None:
        """Log what a program said on a stream."""
        self._write("info", text, stream)

    def succeeded(self, envelope: Envelope, seconds: float) -> None:
        """Log a success."""
        del envelope
        self._write("info", f"attempt succeeded after {seconds:.1f} s")

    def failed(self, error: StepError, seconds: float) -> None:
        """Log a failure."""
        doubt = ", and may have had its effect" if error.in_doubt else ""
        told = f"attempt failed after {seconds:.1f} s{doubt}: {type(error).__name__}: {error}"
        self._write("error", told)

    def lines(
        self,
        run_id: str,
        step: str | None,
        span: Span,
        limit: int,
        after: Mapping[str, Json] | None,
    ) -> LogPage:
        """Return lines of a run, the oldest first; raises NoSuchPlace."""
        del span  # a run's lines are all in one file
        begin = (after or {}).get("line", 0)
        if not isinstance(begin, int):
            raise NoSuchPlace
        found: list[LogLine] = []
        for number, line in enumerate(self._lines(run_id)):
            if number < begin or step not in (None, line.step):
                continue
            if len(found) == limit:
                return LogPage(found, {"line": number})
            found.append(line)
        return LogPage(found)

    def _lines(self, run: str) -> list[LogLine]:
        try:
            text = self._file(run).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [LogLine(**json.loads(line)) for line in text.splitlines()]

    def _write(self, level: str, text: str, stream: str | None = None) -> None:
        at: datetime = self._clock.now()
        line = {"at": iso(at), **self._at.place, "level": level, "text": text, "stream": stream}
        with self._lock:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._file(self._at.run).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _file(self, run: str) -> Path:
        safe = "".join(one if one.isalnum() or one in "-_." else "_" for one in run)
        return self._folder / f"{safe.lstrip('.')}.jsonl"
