"""What each step comes after: names to steps, and the order that follows."""

from __future__ import annotations

from compiler.check.context import Context
from compiler.check.graph import order
from compiler.check.groups import Entry, Group, Groups
from compiler.check.suggest import listed
from compiler.source import Span


def resolve(context: Context, groups: Groups) -> None:
    """Fill in the dependencies and ancestors of every group, reporting what cannot be.

    Unknown names and cycles are left out of the graph; the steps behind them are `unsure`.
    """
    for group in groups.all:
        unsure = 0
        for entry in group.entries:
            needs, known = _needs(context, groups, group, entry)
            group.dependencies.append(needs)
            if not known or entry.step.kind == "unknown":
                unsure |= entry.bit
        ordered = order(group.dependencies)
        for cycle in ordered.cycles:
            _report_cycle(context, groups, [group.entries[position] for position in cycle])
            unsure |= sum(1 << position for position in cycle)
        group.above = ordered.above
        group.sequence = ordered.sequence
        group.unsure = unsure
        if unsure:
            for entry in group.entries:
                if group.above[entry.position] & unsure:
                    group.unsure |= entry.bit


def _needs(
    context: Context, groups: Groups, group: Group, entry: Entry
) -> tuple[tuple[int, ...], bool]:
    """Return the positions a step depends on, and whether all of it was understood."""
    written = entry.step.depends_on
    if group.kind == "undo":
        return (), True  # refused where it is read
    if written is None:
        if entry.step.broken:
            return (), False
        is_first = entry.position == 0
        return (() if is_first else (entry.position - 1,)), True
    found: dict[int, None] = {}
    known = True
    for place, text in enumerate(written):
        span = _span(context, entry, place)
        other = _named(context, groups, entry, text, span)
        if other is None:
            known = False
        elif other is entry:
            known = False
            context.diagnostics.error(
                "cycle",
                span,
                f"step '{entry.id}' depends on itself",
                help="leave it out: a step can only come after other steps",
            )
        else:
            found[other.position] = None
    return tuple(found), known


def _span(context: Context, entry: Entry, place: int) -> Span:
    path = (*entry.step.path, "depends_on")
    item = context.node((*path, place))
    return item.span if item is not None else context.span(path)


def _named(context: Context, groups: Groups, asking: Entry, text: str, span: Span) -> Entry | None:
    """Return the step beside `asking` that `text` names by id or name, or report what it is."""
    named = text.strip()
    group = asking.group
    entry = groups.find(named)
    if entry is None:
        same = groups.by_name.get(named, [])
        own = [entry for entry in same if entry.group is group]
        if len(own) > 1:
            ids = ", ".join(f"'{entry.id}'" for entry in own)
            context.diagnostics.error(
                "ambiguous-name",
                span,
                f"several steps have the name '{named}'",
                help=f"write the id of the one you mean: {ids}",
            )
            return None
        entry = own[0] if own else (same[0] if same else None)
    if entry is None:
        _report_unknown(context, groups, asking, named, span)
        return None
    if entry.group is group:
        return entry
    _report_elsewhere(context, group, entry, named, span)
    return None


def _report_unknown(
    context: Context, groups: Groups, asking: Entry, named: str, span: Span
) -> None:
    group = asking.group
    close = groups.nearest(named, group)
    where = " among the handlers" if group is groups.handlers else ""
    message = f"there is no step '{named}'{where} to depend on"
    if "," in named:
        several = ", ".join(one.strip() for one in named.split(",") if one.strip())
        advice = f"write each as an item of a list: `depends_on: [{several}]`"
        context.diagnostics.error("unknown-step", span, message, help=advice)
        return
    if close is None or close is asking:
        ids = listed(entry.id for entry in group.entries if entry is not asking and entry.has_id)
        advice = f"the steps here: {ids}" if ids else "leave it out: there is no other step here"
        context.diagnostics.error("unknown-step", span, message, help=advice)
        return
    place = context.name_span(close.step)
    context.diagnostics.error(
        "unknown-step",
        span,
        message,
        help=f"did you mean '{close.id}' (line {context.line(place)})?",
        labels=[context.label(place, f"'{close.id}' is here")],
    )


def _report_elsewhere(context: Context, group: Group, entry: Entry, named: str, span: Span) -> None:
    """Report a dependency on a step that is known but belongs to another graph."""
    message, advice = _elsewhere(group, entry, named)
    label = context.label(context.name_span(entry.step), f"'{entry.id}' is here")
    context.diagnostics.error("outside-step", span, message, help=advice, labels=[label])


def _elsewhere(group: Group, entry: Entry, named: str) -> tuple[str, str]:
    """Return why a step of another graph cannot be depended on, and what to write instead."""
    if entry.undoes is not None:
        return (
            f"'{named}' is an undo: it runs after the steps, if at all",
            f"depend on the step that it undoes: `depends_on: [{entry.undoes.id}]`",
        )
    if group.is_of_handlers and not entry.group.is_of_handlers:
        return (
            f"'{named}' is a step, and handlers of `on_failure` depend on handlers only",
            "leave it out: handlers run when all steps have ended, and may read `steps.*`",
        )
    if entry.group.is_of_handlers and not group.is_of_handlers:
        return (
            f"'{named}' is a handler of `on_failure`: it runs after all steps have ended",
            "leave it out, or make it a step of its own under `steps`",
        )
    outer = next((inner for inner in entry.enclosing() if inner.group is group), None)
    if outer is not None:
        return (
            f"'{named}' is a step inside of the block '{outer.id}'",
            f"depend on the block: `depends_on: [{outer.id}]`; `steps.{entry.id}` may be read then",
        )
    block = group.owner
    assert block is not None, "only a block has steps outside of it"
    if entry in block.enclosing():
        return (
            f"'{named}' is the block this step is in",
            "leave it out: the steps of a block start when the block does",
        )
    return (
        f"'{named}' is outside of the block '{block.id}'",
        f"write it under the `depends_on` of '{block.id}': its steps start when the block does",
    )


def _report_cycle(context: Context, groups: Groups, cycle: list[Entry]) -> None:
    first = min(range(len(cycle)), key=lambda at: cycle[at].index)
    turned = cycle[first:] + cycle[:first]
    shown = turned if len(turned) <= 12 else turned[:11]
    names = [entry.id for entry in shown]
    if len(shown) < len(turned):
        names.append(f"... ({len(turned) - len(shown)} more)")
    path = " -> ".join([*names, turned[0].id])
    labels = [
        context.label(
            _edge(context, groups, entry, turned[(at + 1) % len(turned)]),
            f"'{entry.id}' depends on '{turned[(at + 1) % len(turned)].id}'",
        )
        for at, entry in enumerate(shown)
    ]
    context.diagnostics.error(
        "cycle",
        labels[0].span,
        f"these steps wait for each other: {path}",
        help="take one of these dependencies out",
        labels=labels[1:],
    )


def _edge(context: Context, groups: Groups, entry: Entry, to: Entry) -> Span:
    """Return where a step says that it depends on another."""
    for place, text in enumerate(entry.step.depends_on or ()):
        named = text.strip()
        if groups.find(named) is to or to.step.name == named:
            return _span(context, entry, place)
    return context.name_span(entry.step)
