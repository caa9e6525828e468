"""A query of DynamoDB reads what it asks for, as on AWS, and not the whole table.

moto sorts all items of a table, several times, for each query: with 10,000 items a page of 50
takes a second. Here it is given those that the key conditions can mean, in order; of a page,
no more than the page needs. What comes out is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.dynamodb.models.table import Table

_moto_query = Table.query
_moto_all_items = Table.all_items
_GIVEN = "_stepsmith_given"


def _query(self: Any, *args: Any, **kwargs: Any) -> Any:
    names = ("hash_key", "range_comparison", "range_objs", "limit", "exclusive_start_key")
    given = dict(zip(names, args, strict=False)) | kwargs
    given.setdefault("scan_index_forward", args[5] if len(args) > 5 else True)
    given.setdefault("index_name", args[7] if len(args) > 7 else None)
    setattr(self, _GIVEN, _meant(self, given))
    try:
        return _moto_query(self, *args, **kwargs)
    finally:
        delattr(self, _GIVEN)


def _all_items(self: Any) -> Any:
    found = getattr(self, _GIVEN, None)
    return _moto_all_items(self) if found is None else found


def _meant(table: Any, given: dict[str, Any]) -> list[Any]:
    """Return the items that a query can find, in the order that moto would bring them into."""
    if given["index_name"] is None:
        part = table.items.get(given["hash_key"])
        if part is None:
            return []
        return [*part.values()] if table.range_key_attr else [part]
    index = next((i for i in table.all_indexes() if i.name == given["index_name"]), None)
    conditions = given.get("hash_key_conditions") or []
    if index is None or not conditions:
        return _moto_all_items(table)
    wanted = [(name, value.type, value.value) for name, value in conditions]
    found = [item for item in _every(table) if _has(item, wanted)]
    sorts = [key["AttributeName"] for key in index.schema if key["KeyType"] == "RANGE"]
    keys = [*sorts, table.hash_key_attr, *filter(None, [table.range_key_attr])]
    if (
        not sorts
        or len(given.get("range_key_conditions") or ()) > 1
        or any(
            item.attrs.get(name) is None or item.attrs[name].type != "S"
            for item in found
            for name in keys
        )
    ):
        return found
    return _page(found, keys, given)


def _page(found: list[Any], keys: list[str], given: dict[str, Any]) -> list[Any]:
    """Return of items those that a page begins with, one more than it holds."""
    forward = given["scan_index_forward"] is not False

    def key(item: Any) -> tuple[str, ...]:
        return tuple(item.attrs[name].value for name in keys)

    found.sort(key=key, reverse=not forward)
    start = given.get("exclusive_start_key")
    if start:
        first = tuple(str(start[name]["S"]) for name in keys if name in start)
        if len(first) == len(keys):
            is_behind: Callable[[Any], bool] = (
                (lambda item: key(item) > first) if forward else (lambda item: key(item) < first)
            )
            found = [item for item in found if is_behind(item)]
    if given.get("range_comparison"):
        values = given["range_objs"]
        sort = keys[0]
        found = [
            item for item in found if item.attrs[sort].compare(given["range_comparison"], values)
        ]
    limit = given.get("limit")
    return found if limit is None else found[: limit + 1]


def _every(table: Any) -> Any:
    for part in table.items.values():
        if table.range_key_attr:
            yield from part.values()
        else:
            yield part


def _has(item: Any, wanted: list[tuple[str, str, Any]]) -> bool:
    for name, kind, value in wanted:
        found = item.attrs.get(name)
        if found is None or found.value != value or found.type != kind:
            return False
    return True


def install() -> None:
    """Let queries read what they ask for."""
    put: Any = setattr
    put(Table, "query", _query)
    put(Table, "all_items", _all_items)
