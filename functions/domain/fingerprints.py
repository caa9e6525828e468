"""What a call of a step asks for, in a few characters: two calls with one fingerprint ask the same.

It is made of the action and of all that the step's inputs came to, secrets by their names. What
differs from attempt to attempt is left out, and so is what only says where things travel.
"""

from __future__ import annotations

import hashlib
import json

from protocol.payloads import ActionCall

_ASKED = (
    *("step", "inputs", "env", "secrets", "refs", "outputs", "defaults", "computed", "derived"),
    *("contexts", "artifacts", "files"),
)


def fingerprint(call: ActionCall, action: str) -> str:
    """Return the fingerprint of a call of an action: 32 hexadecimal digits."""
    asked = {name: call[name] for name in _ASKED if call.get(name)}  # type: ignore[literal-required]
    text = json.dumps([action, asked], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
