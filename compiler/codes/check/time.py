"""Codes of the check pass: retries and durations."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check.examples import limited, retry, steps

CODES: tuple[Code, ...] = (
    Code(
        "unknown-error-type",
        "A retry names an error that the step never ends in",
        "`error_type` is one of NetworkError, TimeoutError, ServiceUnavailable and Throttled, or "
        "an error that the action declares. A name that never comes up would never be retried.",
        retry("    conditions: [{error_type: NetwrkError}]"),
        retry("    conditions: [{error_type: NetworkError}]"),
    ),
    Code(
        "error-never-retried",
        "A retry names an error that another attempt cannot mend",
        "Wrong inputs, outputs that are missing or too large, and steps in doubt are never "
        "retried.",
        retry("    conditions: [{error_type: ValidationError}]"),
        retry("    conditions: [{error_type: NetworkError}]"),
    ),
    Code(
        "max-delay-too-short",
        "The longest pause of a retry is shorter than its first one",
        "`max_delay` bounds the growing pauses, the first of which is `base_delay`.",
        retry("    backoff: {type: exponential, base_delay: 1m, max_delay: 10s}"),
        retry("    backoff: {type: exponential, base_delay: 10s, max_delay: 1m}"),
    ),
    Code(
        "retry-beyond-deadline",
        "The attempts of a step may take longer than the run has",
        "All attempts at their full timeout, with the pauses between them, do not fit into the "
        "`timeout` of the run or of the block: the last ones would never be made.",
        limited(
            "10m",
            "- id: fetch",
            "  run: curl -f https://example.com",
            "  retry: {max_attempts: 5, delay: 5m}",
        ),
        limited(
            "1h",
            "- id: fetch",
            "  run: curl -f https://example.com",
            "  retry: {max_attempts: 5, delay: 5m, backoff: 1}",
        ),
    ),
    Code(
        "timeout-beyond-deadline",
        "A step may take longer than the run has",
        "The `timeout` of the run or of the block ends the step earlier than its own.",
        limited("5m", "- {id: build, run: echo, timeout: 10m}"),
        limited("10m", "- {id: build, run: echo, timeout: 5m}"),
    ),
    Code(
        "longer-than-lambda",
        "A step on Lambda may take longer than 15 minutes",
        "Lambda stops a function after 15 minutes. A script that needs longer goes to CodeBuild "
        "with `runner: codebuild`, which is also chosen for it where `runner` is left out.",
        steps("- {id: build, run: echo, runner: lambda, timeout: 1h}"),
        steps("- {id: build, run: echo, runner: codebuild, timeout: 1h}"),
    ),
    Code(
        "longer-than-a-year",
        "Attempts or repeats may take longer than a year",
        "Step Functions ends an execution after a year.",
        steps(
            "- id: poll",
            "  run: echo",
            "  retry: {max_attempts: 100, delay: 5d, backoff: 1}",
        ),
        steps(
            "- id: poll",
            "  run: echo",
            "  retry: {max_attempts: 10, delay: 5d, backoff: 1}",
        ),
    ),
)
