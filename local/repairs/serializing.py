"""moto's answers, written several times as quickly, with the same content.

Whatever a service answers, moto looks for each member of its shape under up to ten names, found
anew each time: for an item of DynamoDB ten members for each of its values. Under which names a
plain dictionary may have a member follows from the member alone, so they are kept with its shape.
"""

from __future__ import annotations

from typing import Any

from moto.core import serialize, utils

_utils: Any = utils
_moto_call: Any = serialize.AttributePicker.__call__


def _pick(self: Any, context: Any) -> Any:
    found = context.obj
    if type(found) is not dict or context.shape is None:
        return _moto_call(self, context)
    value = None
    for name in _names(self, context):
        if name in found:
            value = found[name]
            break
        if "." in name:  # a path
            value = _utils.get_value(found, name, _utils.MISSING)
            if value is not _utils.MISSING:
                break
            value = None
    if self.response_transformers:
        path = f"{context.key_path}.{context.key}"
        for ending, transform in self.response_transformers.items():
            if path.endswith(ending):
                return transform(value)
    return value


def _names(picker: Any, context: Any) -> tuple[str, ...]:
    """Return the names that a plain dictionary may have a member under, the first the best."""
    shape = context.shape
    parent = getattr(shape, "parent", None)
    known: Any = shape.__dict__.get("_names")
    asked = (type(picker), context.key)
    if known is None or known[0] is not parent or known[1] != asked:
        names = tuple(dict.fromkeys(picker.get_possible_keys(context)))
        known = shape.__dict__["_names"] = (parent, asked, names)
    return known[2]  # type: ignore[no-any-return]


def install() -> None:
    """Make answers quick."""
    put: Any = setattr
    put(serialize.AttributePicker, "__call__", _pick)
