"""What AWS rejects when a machine is created, in as far as emitted machines can get it wrong.

The rules are those by which local runs refuse a machine; emitted machines must besides be in
JSONata mode and within AWS's size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from local.admission import SCHEMA, Problem
from local.admission import check as admitted

__all__ = ["Problem", "check"]

DEFINITION_LIMIT = 1_048_576  # bytes


def check(definition: Mapping[str, Any]) -> list[Problem]:
    """Return everything AWS would reject the definition for."""
    if definition.get("QueryLanguage") != "JSONata":
        return [Problem(SCHEMA, "", "QueryLanguage must be JSONata")]
    problems = admitted(definition)
    if len(json.dumps(definition, ensure_ascii=False).encode()) > DEFINITION_LIMIT:
        problems.append(Problem(SCHEMA, "", "the definition is larger than 1 MiB"))
    return problems
