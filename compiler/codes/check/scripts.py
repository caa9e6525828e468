"""Codes of the check pass: scripts."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import steps

CODES: tuple[Code, ...] = (
    Code(
        "run-script-syntax",
        "A script is not valid bash",
        "A script is read before it ever runs, so that expressions in it can be passed safely.",
        steps("- {id: build, run: 'if true; then echo'}"),
        steps("- {id: build, run: 'if true; then echo; fi'}"),
    ),
    Code(
        "run-expression-place",
        "An expression stands where a value cannot be passed safely",
        "An expression in `run` never becomes script text: it is passed as an environment variable "
        "and replaced by a quoted reference. Where the shell wants a name, or evaluates what it "
        "finds as code, there is no such reference.",
        steps('- {id: build, run: "${{ run.id }} --version"}'),
        steps('- {id: build, run: "echo ${{ run.id }}"}'),
    ),
    Code(
        "run-quoted-heredoc",
        "An expression stands in a quoted heredoc",
        "In a heredoc with a quoted delimiter the shell replaces nothing.",
        steps(
            "- id: build",
            "  run: |",
            "    cat <<'END'",
            "    ${{ run.id }}",
            "    END",
        ),
        steps(
            "- id: build",
            "  run: |",
            "    cat <<END",
            "    ${{ run.id }}",
            "    END",
        ),
    ),
    Code(
        "run-interpreted-expression",
        "An expression would become code of another interpreter",
        "Code handed to `python -c`, `eval`, `ssh` and the like is read a second time: a value in "
        "it would be run. Pass it by `env` and read it there.",
        steps("- {id: build, run: 'python3 -c \"print(1, ${{ run.attempt }})\"'}"),
        steps(
            "- id: build",
            "  env: {ATTEMPT: '${{ run.attempt }}'}",
            "  run: 'python3 -c \"import os; print(os.environ[\\'ATTEMPT\\'])\"'".replace(
                "\\'", "''"
            ),
        ),
    ),
)
