"""What became of each step of a run: see `functions.domain.records.steps`."""

from __future__ import annotations

from functions.domain.records.said import said, stamp
from functions.domain.records.shape import ErrorRecord, ItemRecord, StepRecord
from functions.domain.records.steps import Story, records_of

__all__ = ["ErrorRecord", "ItemRecord", "StepRecord", "Story", "records_of", "said", "stamp"]
