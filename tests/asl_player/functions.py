"""The functions that Step Functions adds to JSONata; None stands for undefined.

What they do with odd arguments is as measured on AWS by sfnx. A Python error is an error of the
expression.
"""

from __future__ import annotations

import hashlib
import json
import random
import uuid
from collections.abc import Callable

from tests.asl_player.values import Value, to_value

_HASHES = {
    "MD5": "md5",
    "SHA-1": "sha1",
    "SHA-256": "sha256",
    "SHA-384": "sha384",
    "SHA-512": "sha512",
}


def own_functions(seed: int) -> dict[str, Callable[..., Value]]:
    """Return the functions by name; `$random` and `$uuid` go on from the seed."""
    source = random.Random(seed)

    def next_random(own_seed: Value = None) -> Value:
        return (source if own_seed is None else random.Random(_number(own_seed))).random()

    def next_uuid() -> Value:
        return str(uuid.UUID(int=source.getrandbits(128), version=4))

    return {
        "hash": _hash,
        "parse": _parse,
        "partition": _partition,
        "random": next_random,
        "range": _range,
        "uuid": next_uuid,
    }


def _partition(items: Value = None, size: Value = None) -> Value:
    """Batches; without a size one batch; of nothing, or of size 0, undefined."""
    if items is None:
        return None
    if not isinstance(items, list):
        raise TypeError("$partition needs an array")
    if size is None:
        return [items]
    length = int(_number(size))
    if length < 0:
        raise ValueError("$partition needs a size of at least 0")
    if length == 0 or not items:
        return None
    return [items[start : start + length] for start in range(0, len(items), length)]


def _range(first: Value = None, last: Value = None, step: Value = None) -> Value:
    """Whole numbers up to `last` included, as a sequence: one is itself, none is undefined."""
    if first is None or last is None or step is None:
        return None
    start, stop, stride = (int(_number(value)) for value in (first, last, step))
    if stride == 0:
        return None
    numbers = list(range(start, stop + (1 if stride > 0 else -1), stride))
    if len(numbers) > 1:
        return numbers
    return numbers[0] if numbers else None


def _hash(text: Value, *algorithm: Value) -> Value:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("$hash needs a string")
    if not algorithm:
        return None
    (name,) = algorithm
    return hashlib.new(_HASHES[name], text.encode("utf-8", "surrogatepass")).hexdigest()


def _parse(text: Value = None) -> Value:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("$parse needs a string")
    return to_value(json.loads(text))


def _number(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected a number, not {value!r}")
    return value
