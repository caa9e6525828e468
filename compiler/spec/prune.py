"""What has mistakes is taken out of plain data, and no more than that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from compiler.document.nodes import Path


def at(plain: JsonValue, path: Path) -> JsonValue:
    """Return what stands at a path, None if nothing does."""
    for part in path:
        if isinstance(plain, dict) and isinstance(part, str):
            plain = plain.get(part)
        elif isinstance(plain, list) and isinstance(part, int) and part < len(plain):
            plain = plain[part]
        else:
            return None
    return plain


def take_out(plain: JsonValue, paths: Iterable[Path]) -> Iterator[tuple[Path, int, int]]:
    """Take the values at `paths` out of `plain`, and lists and mappings that are empty then.

    Yields the path of a list, an index in it, and which one the item there had before.
    """
    wanted = sorted({_place(plain, path) for path in paths if path}, key=len, reverse=True)
    done: set[Path] = set()
    lists: dict[Path, set[int]] = {}
    while wanted:
        path = wanted.pop(0)
        if path in done or not path:
            continue
        done.add(path)
        above, last = at(plain, path[:-1]), path[-1]
        if isinstance(above, list) and isinstance(last, int):
            gone = lists.setdefault(path[:-1], set())
            gone.add(last)
            empty = len(gone) == len(above)
        else:
            assert isinstance(above, dict)
            above.pop(str(last), None)
            empty = not above
        if empty and path[:-1]:
            wanted.append(path[:-1])
            wanted.sort(key=len, reverse=True)
    for path, gone in lists.items():
        yield from _close_up(plain, path, gone)


def _place(plain: JsonValue, path: Path) -> Path:
    """Return a path up to the last part that is there: `x` may stand for the list of it."""
    for length in range(len(path)):
        above = at(plain, path[:length])
        if not isinstance(above, dict | list):
            return path[:length]
    return path


def _close_up(plain: JsonValue, path: Path, gone: set[int]) -> Iterator[tuple[Path, int, int]]:
    items = at(plain, path)
    if not isinstance(items, list):
        return
    kept = [index for index in range(len(items)) if index not in gone]
    items[:] = [items[index] for index in kept]
    yield from ((path, new, old) for new, old in enumerate(kept) if new != old)
