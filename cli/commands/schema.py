"""`stepsmith schema`: the JSON Schema of workflow files."""

from __future__ import annotations

import argparse
import json

from cli.console import FINE, Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options: it has none."""
    del parser


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the schema."""
    from compiler.spec.schema import workflow_json_schema

    del arguments
    console.stdout.write(json.dumps(workflow_json_schema(), indent=2, ensure_ascii=False) + "\n")
    return FINE
