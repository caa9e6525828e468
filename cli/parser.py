"""Reading a command line: mistakes are told as the rest of the command tells them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from cli.console import EXIT_CODES, Misuse


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are raised as `Misuse`, and whose help ends with examples."""

    def __init__(self, command: str, description: str, examples: Sequence[str]) -> None:
        lines = "".join(f"  {example}\n" for example in examples)
        super().__init__(
            prog=f"stepsmith {command}",
            description=description,
            epilog=f"examples:\n{lines}\n{EXIT_CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the call."""
        raise Misuse(f"{message}\n`{self.prog} --help` shows how to call it")
