"""Status change events of executions, as EventBridge delivers them.

https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

MOST_BYTES = 248 * 1024
"""Of an input or output that an event carries."""
_EPOCH = datetime.fromtimestamp(0, UTC)


def status_change(execution: Any) -> Mapping[str, Any]:
    """Return the event of an execution's (moto's) present status."""
    over = execution.exec_status.value == "SUCCEEDED"
    shown = {"input": execution.execution_input}
    if over:
        shown["output"] = json.dumps(execution.output, ensure_ascii=False)
    detail: dict[str, Any] = {
        "executionArn": execution.exec_arn,
        "stateMachineArn": execution.state_machine_arn,
        "name": execution.name,
        "status": str(execution.exec_status.value),
        "startDate": _millis(execution.start_date),
        "stopDate": _millis(execution.stop_date),
        "input": None,
        "output": None,
        "stateMachineVersionArn": execution.version_arn,
        "stateMachineAliasArn": execution.alias_arn,
        "redriveCount": 0,
        "redriveDate": None,
        "redriveStatus": "NOT_REDRIVABLE",
        "redriveStatusReason": None,
        "error": execution.error,
        "cause": execution.cause,
        "inputDetails": None,
        "outputDetails": None,
    }
    for name, text in shown.items():
        included = len(text.encode()) <= MOST_BYTES
        detail[name] = text if included else None
        detail[f"{name}Details"] = {"included": included}
    account, region = execution.account_id, execution.region_name
    moment = execution.stop_date or execution.start_date
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Step Functions Execution Status Change",
        "source": "aws.states",
        "account": account,
        "time": moment.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "region": region,
        "resources": [execution.exec_arn],
        "detail": detail,
    }


def _millis(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - _EPOCH) // timedelta(milliseconds=1)
