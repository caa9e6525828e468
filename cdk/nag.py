"""What cdk-nag would find and is left as it is, with the reasons; from synthesised templates.

    python -m cdk.nag [FOLDER]

prints each rule with its reasons and on how many constructs (default: `cdk.out`). That nothing
else is found is a test's business.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

_KIND = "aws:cdk:acknowledged-rules"
_PREFIX = "Annotation::"


def left(folder: Path) -> Counter[tuple[str, str]]:
    """Return how often each finding, by its rule and its reason, is left in synthesised stacks."""
    found: Counter[tuple[str, str]] = Counter()
    for file in sorted(folder.glob("*.metadata.json")):
        for entries in json.loads(file.read_text(encoding="utf-8")).values():
            for entry in entries if isinstance(entries, list) else [entries]:
                if entry.get("type") == _KIND:
                    for rule, reason in entry["data"].items():
                        # Which resources a wildcard stands for is in the template.
                        found[rule.removeprefix(_PREFIX).partition("[")[0], reason] += 1
    return found


def report(found: Counter[tuple[str, str]]) -> str:
    """Return a line for each rule and reason."""
    lines = [f"{rule:<22} {count:>4} x  {why}" for (rule, why), count in sorted(found.items())]
    rules = len({rule for rule, _ in found})
    lines.append(f"{sum(found.values())} findings of {rules} rules left, each said why")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the report and return the exit code."""
    folder = Path(arguments[0] if arguments else "cdk.out")
    if not any(folder.glob("*.metadata.json")):
        sys.stderr.write(f"there are no templates in {folder}: run `make synth`\n")
        return 2
    sys.stdout.write(report(left(folder)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
