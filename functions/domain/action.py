"""The contract of an action: `Inputs` and `Outputs` (pydantic) and `run(inputs, context)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel
from pydantic import ValidationError as Refused

from functions.domain.context import Context
from functions.domain.errors import ValidationError
from protocol.payloads import Json

InputsT = TypeVar("InputsT", bound=BaseModel)
OutputsT = TypeVar("OutputsT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Action(Generic[InputsT, OutputsT]):
    """An action: what it takes, what it gives and what carries it out.

    `repeatable` says that another attempt after one in doubt does no harm; `reads_files` that
    it works on the source and on the files of other steps.
    """

    name: str
    inputs: type[InputsT]
    outputs: type[OutputsT]
    run: Callable[[InputsT, Context], OutputsT]
    repeatable: bool = False
    reads_files: bool = False

    def call(self, raw: Mapping[str, Json], context: Context) -> dict[str, Json]:
        """Carry the action out on inputs as they came; raises ValidationError for wrong ones."""
        try:
            inputs = self.inputs.model_validate(raw)
        except Refused as refused:
            raise ValidationError(_said(refused)) from None
        outputs: dict[str, Json] = self.run(inputs, context).model_dump(mode="json")
        return outputs


def _said(refused: Refused) -> str:
    return "; ".join(
        f"input '{'.'.join(map(str, error['loc'])) or 'inputs'}': {error['msg']}"
        for error in refused.errors(include_url=False)
    )
