"""The contract of an action: `Inputs` and `Outputs` (pydantic) and `run(inputs, context)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel
from pydantic import ValidationError as Refused

from functions.domain.context import Context
from functions.domain.errors import ValidationError
from functions.domain.texts import sound
from protocol.payloads import Json

InputsT = TypeVar("InputsT", bound=BaseModel)
OutputsT = TypeVar("OutputsT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Action(Generic[InputsT, OutputsT]):
    """An action: what it takes, what it gives and what carries it out.

    `run` is written as *ensure*, not *create*: called again, it leaves what is there already.
    `repeatable` says that another attempt after one in doubt does no harm; `repeats` says so of
    one call by its inputs as they came, secrets left out. `reads_files`: it works on the source
    and on the files of other steps; `files` are outputs that name a file it made, kept for the
    steps behind. `error_types` are its own errors, which a retry may name. With `runner`
    `codebuild` it is carried out there on a stage, unless a step says `runner: lambda`: for
    programs that a function of Lambda does not have.
    """

    name: str
    inputs: type[InputsT]
    outputs: type[OutputsT]
    run: Callable[[InputsT, Context], OutputsT]
    repeatable: bool = False
    reads_files: bool = False
    error_types: tuple[type[Exception], ...] = ()
    description: str = ""
    files: tuple[str, ...] = ()
    repeats: Callable[[Mapping[str, Json]], bool] | None = None
    runner: Literal["lambda", "codebuild"] = "lambda"

    def may_repeat(self, raw: Mapping[str, Json]) -> bool:
        """Return whether a call with these inputs may be made again after one in doubt."""
        return self.repeatable or (self.repeats is not None and self.repeats(raw))

    def call(self, raw: Mapping[str, Json], context: Context) -> dict[str, Json]:
        """Carry the action out on inputs as they came; raises ValidationError for wrong ones."""
        try:
            inputs = self.inputs.model_validate(raw)
        except Refused as refused:
            raise _wrong(refused) from None
        given = self.run(inputs, context)
        try:
            outputs: dict[str, Json] = given.model_dump(mode="json")
        except UnicodeEncodeError:  # in the name of a member; it is done all the same
            outputs = type(given).model_validate(sound(given.model_dump())).model_dump(mode="json")
        return outputs


def _wrong(refused: Refused) -> ValidationError:
    """Return the error that lists everything wrong, each with the JSON pointer of its place."""
    found = [
        ("/" + "/".join(["inputs", *map(_token, error["loc"])]), error["msg"])
        for error in refused.errors(include_url=False, include_input=False)
    ]
    return ValidationError(
        "; ".join(f"{pointer}: {message}" for pointer, message in found),
        details=[{"pointer": pointer, "message": message} for pointer, message in found],
    )


def _token(part: int | str) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")
