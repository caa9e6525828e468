"""`stepsmith graph`: a workflow drawn."""

from __future__ import annotations

import argparse

from cli.console import FINE, WRONG, Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument("file", metavar="FILE", help="the workflow's file, - for standard input")
    parser.add_argument(
        "--format", choices=("svg", "mermaid"), default="svg", help="how to draw it (default: svg)"
    )
    parser.add_argument("--stage", metavar="NAME", help="the stage to draw for (default: local)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the drawing; mistakes go to standard error."""
    from cli.commands.reporting import compiled
    from cli.drawing import mermaid, svg
    from cli.drawing.sketch import drawing

    found = compiled([arguments.file], arguments.stage, console)
    if found is None:
        return WRONG
    render = mermaid.render if arguments.format == "mermaid" else svg.render
    console.stdout.write(render(drawing(found[0])))
    return FINE
