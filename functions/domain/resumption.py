"""Decides about each step of a run that is resumed; see `functions.domain.resuming`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from functions.domain.resuming import (
    BAD,
    NOT_RUN,
    ByHand,
    Child,
    Entry,
    Known,
    Recheck,
    Resumption,
    Shape,
    Wishes,
    address_of,
    doubt_about,
    in_words,
    is_of,
    why_of,
)
from functions.domain.stored import (
    AGAIN,
    BEGUN,
    DONE,
    FAILED,
    IN_DOUBT,
    SUCCEEDED,
    UNDONE,
    StoredResult,
)
from protocol.manifest import ResumeManifest
from protocol.payloads import Json

_NOTHING_SAID: ResumeManifest = {"fingerprint": "", "reads": []}
_NOT_LOOKED_AT = ("aws", "publish")
"""Kinds whose results, where they are kept (`checkpoint`), are kept whatever they read."""
_NEW, _ASKED_FOR = "it is new", "you asked for it"
_FORGOTTEN = "what was in doubt is forgotten"


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a step means for those behind it.

    `takes_along`: whatever comes after it runs again. `moved`: what it gives may be another
    thing now. `maybe`: steps that perhaps run again, it among them.
    """

    why: str = ""
    takes_along: bool = False
    moved: bool = False
    maybe: frozenset[str] = frozenset()


def resumption(known: Known, wishes: Wishes) -> Resumption:
    """Return what a resume of a run does."""
    return _Deciding(known, wishes).decided()


class _Deciding:
    def __init__(self, known: Known, wishes: Wishes) -> None:
        self._known = known
        self._wishes = wishes
        self._old, self._new = Shape(known.old), Shape(known.new)
        self._rows: dict[str, list[StoredResult]] = {}
        for row in known.rows:
            self._rows.setdefault(row.place.step, []).append(row)
        self._verdicts: dict[str, _Verdict] = {}
        self._kept: list[str] = []
        self._renewed = {s: at for s, at in known.renewed.items() if s in self._new.steps}
        self._made = Resumption()

    def decided(self) -> Resumption:
        """Return what is done with all steps."""
        made, known = self._made, self._known
        self._check_wishes()
        self._remove()
        for step in self._new.in_order():
            self._verdicts[step] = self._decide(step)
        for step in {**known.old["handlers"], **known.new["handlers"]}:
            self._let_go(self._rows.get(step, ()), forget=True)  # each attempt is handled anew
        if self._kept or self._renewed:
            kept = sorted(set(self._kept))
            made.resumed[known.run_id] = {"kept": kept, "renewed": self._renewed}
        made.takes_along = any(one.takes_along for one in self._verdicts.values())
        made.settle()
        return made

    def _check_wishes(self) -> None:
        children = {address_of(one) for one in self._known.children}
        for address in sorted(self._wishes.addresses()):
            at, dot, _ = address.partition(".")
            step = self._new.steps.get(at.partition("/")[0])
            if step is None or step["kind"] == "parallel" or (dot and at not in children):
                self._made.unknown.append(address)

    def _remove(self) -> None:
        for step in self._old.leaves:
            if step in self._new.leaves:
                continue
            rows = self._rows.get(step, [])
            if self._old.steps[step].get("undo") and any(row.may_be_there for row in rows):
                why = "it was removed, and only its `compensate` can undo it: put it back"
                self._made.refused.append(Entry(step, why))
                continue
            self._made.removed.append(step)
            self._let_go(rows, forget=True)

    def _decide(self, step: str) -> _Verdict:
        above = self._above(step)
        if self._new.steps[step]["kind"] == "subworkflow":
            return self._child(step, above)
        if self._new.steps[step].get("stored"):
            return self._stored(step, above)
        return self._repeated(step, above)

    def _above(self, step: str) -> _Verdict:
        """Return what a step has from those before it."""
        reads = {one: self._verdicts[one] for one in self._new.reads(step)}
        both = {one: self._verdicts[one] for one in self._new.after(step)} | reads
        along = next((one for one, verdict in both.items() if verdict.takes_along), None)
        if along is not None:
            return _Verdict(f"it comes after '{along}'", takes_along=True)
        maybe = frozenset[str]().union(*(verdict.maybe for verdict in both.values()))
        moved = next((one for one, verdict in reads.items() if verdict.moved), None)
        why = "" if moved is None else f"it reads '{moved}', which may give something else"
        if not why and maybe:
            why = f"it comes after '{min(maybe)}', which perhaps runs again"
        return _Verdict(why, moved=moved is not None, maybe=maybe)

    def _forced(self, step: str, above: _Verdict) -> str | None:
        """Return why all of a step runs again, whatever came of it; None where it need not."""
        if step in self._wishes.start:
            return _ASKED_FOR
        if step not in self._old.leaves:
            return _NEW
        about = [shape.steps[step].get("resume", _NOTHING_SAID) for shape in (self._old, self._new)]
        if about[0]["fingerprint"] != about[1]["fingerprint"]:
            return "it was changed"
        if set(self._old.after(step)) != set(self._new.after(step)):
            return "it comes after other steps now"
        return above.why if above.takes_along else None

    def _tolerates(self, step: str, status: str) -> bool:
        """Return whether a bad end stopped nothing: by the file, or because somebody skipped it."""
        return step in self._known.tolerated or self._new.tolerates(step, status)

    # --- steps with results of their own -------------------------------------------------------

    def _stored(self, step: str, above: _Verdict) -> _Verdict:
        rows = self._lately(step)
        doubt = self._in_doubt(step, rows)
        if doubt is not None:
            return doubt
        told = {a: o for a, o in self._wishes.done.items() if is_of(a, step)}
        if told:
            return self._by_hand(step, rows, told)
        forced = self._forced(step, above)
        if forced is not None:
            return self._all_again(step, rows, forced)
        bad, why = self._bad(step, rows)
        if why is not None:
            return self._some_again(step, rows, bad, why)
        if not rows:
            return self._not_run(step, above)
        if above.why and self._new.steps[step]["kind"] not in _NOT_LOOKED_AT:
            self._made.perhaps.append(Entry(step, above.why))
            steps = tuple(sorted(above.maybe))
            self._made.recheck += [Recheck(self._known.run_id, row, steps) for row in rows]
            return _Verdict(above.why, maybe=above.maybe | {step})
        self._made.kept.append(step)
        self._keep(step, rows)
        return _Verdict()

    def _lately(self, step: str) -> list[StoredResult]:
        """Return a step's results without those that a later attempt had no use for.

        Rounds, and items of a list that has become shorter, may be left over from before.
        """
        rows = self._rows.get(step, [])
        fresh = {row.place.items for row in rows if row.status != AGAIN}
        is_done = self._known.statuses.get(step) == SUCCEEDED
        return [
            row
            for row in rows
            if row.status != AGAIN or not (row.place.items in fresh or (fresh and is_done))
        ]

    def _in_doubt(self, step: str, rows: Sequence[StoredResult]) -> _Verdict | None:
        """Refuse a step that may have had its effect, unless it may be repeated, or is to be."""
        about, found = self._new.steps[step], list[str]()
        forgotten: list[StoredResult] = []
        for row in rows:
            address = "/".join([step, *map(str, row.place.items)])
            names = {step, address}
            is_half_undone = row.status == UNDONE and row.undo != DONE
            if row.status not in (BEGUN, IN_DOUBT) and not is_half_undone:
                continue
            if names & self._wishes.redo:
                forgotten.append(row)
            elif not (row.repeatable or about.get("repeatable") or names & {*self._wishes.done}):
                found.append(f"{doubt_about(row, address, self._known)}: say --redo, or --done")
        for address in sorted(self._wishes.redo):
            if is_of(address, step) and not forgotten:
                found.append("nothing of it is in doubt: to let it run again, say --from")
        if found:
            self._made.refused.append(Entry(step, found[0]))
            return _Verdict(found[0], takes_along=True)
        if forgotten:
            self._let_go([row for row in forgotten if row.status != UNDONE], forget=True)
        return None

    def _all_again(self, step: str, rows: Sequence[StoredResult], why: str) -> _Verdict:
        if not rows and why not in (_NEW, _ASKED_FOR):
            return self._not_run(step, _Verdict(why, takes_along=True))
        self._list_again(step, why, ran=bool(rows))
        self._let_go(self._rows.get(step, ()))
        if self._new.steps[step].get("resume", _NOTHING_SAID).get("callback"):
            self._renewed[step] = self._known.attempt
        return _Verdict(why, takes_along=True, moved=True)

    def _list_again(self, step: str, why: str, *, ran: bool) -> None:
        """List a step as one that runs again; one with a condition may be skipped this time."""
        if ran and self._new.rules[step]["has_condition"] and step not in self._wishes.start:
            self._made.perhaps.append(Entry(step, f"{why}; its condition is asked again"))
        else:
            self._made.again.append(Entry(step, why))

    def _bad(
        self, step: str, rows: Sequence[StoredResult]
    ) -> tuple[list[StoredResult], str | None]:
        """Return the results that do not count, and why; None where all do, or there are none."""
        bad = [row for row in rows if row.status != SUCCEEDED]
        if bad:
            items = sorted({row.place.items for row in bad if row.place.items})
            listed = ", ".join("/".join(map(str, one)) for one in items)
            return bad, f"{why_of(bad[0])}: item {listed}" if items else why_of(bad[0])
        status = self._known.statuses.get(step, "")
        if status not in BAD:
            return [], None
        about = self._new.steps[step].get("resume", _NOTHING_SAID)
        is_callback = about.get("callback", False)
        if any(row.place.round for row in rows) and not is_callback:
            return [*rows], f"it {in_words(status)}"  # the rounds ended well, and were not enough
        if not rows or is_callback or about.get("each"):
            return [], f"it {in_words(status)}"
        return [], None

    def _some_again(
        self, step: str, rows: Sequence[StoredResult], bad: list[StoredResult], why: str
    ) -> _Verdict:
        """Let what did not end well run again; what did, of the same list, stays."""
        is_forgotten = any(is_of(a, step) for a in self._wishes.redo)
        self._made.again.append(Entry(step, _FORGOTTEN if is_forgotten else why))
        self._let_go(bad)
        self._keep(step, [row for row in rows if row not in bad])
        status = self._known.statuses.get(step) or (
            "timed_out" if bad and all(row.is_late for row in bad) else "failed"
        )
        ended = all(row.status in (FAILED, BEGUN, IN_DOUBT, SUCCEEDED) for row in bad)
        tolerated = ended and self._tolerates(step, status)
        return _Verdict(why, takes_along=not tolerated, moved=True)

    def _not_run(self, step: str, above: _Verdict) -> _Verdict:
        self._made.following.append(step)
        return above

    def _by_hand(
        self, step: str, rows: Sequence[StoredResult], told: Mapping[str, Mapping[str, Json]]
    ) -> _Verdict:
        about = self._new.steps[step].get("resume", _NOTHING_SAID)
        for address, outputs in sorted(told.items()):
            items = tuple(int(part) for part in address.split("/")[1:] if part.isdigit())
            before = [row for row in rows if row.place.items == items]
            last = max(before, key=lambda row: row.place.round, default=None)
            missing = [name for name in about.get("gives", ()) if name not in outputs]
            if about.get("callback"):
                self._refuse(address, "an outside system ends it: let that answer")
            elif last is not None and last.status == SUCCEEDED:
                self._refuse(address, "it has a result: to have another, say --from")
            elif missing:
                self._refuse(address, f"say what it gave: {', '.join(missing)}")
            else:
                path = address if last is None else last.path
                self._made.by_hand.append(ByHand(self._known.run_id, path, outputs, last))
                if about.get("told"):
                    self._kept.append(path)
        self._made.kept.append(step)
        self._keep(step, [row for row in rows if row.status == SUCCEEDED])
        return _Verdict("you did it", takes_along=True)

    def _refuse(self, address: str, why: str) -> None:
        self._made.refused.append(Entry(address, why))

    # --- steps of which nothing is stored ------------------------------------------------------

    def _repeated(self, step: str, above: _Verdict) -> _Verdict:
        """Decide about a step that is carried out whenever the run comes to it."""
        self._refuse_by_hand(step, "nothing is ever stored of it")
        forced = self._forced(step, above)
        status = self._known.statuses.get(step)
        if status in NOT_RUN and forced not in (_NEW, _ASKED_FOR):
            return self._not_run(step, above)
        kind = self._new.steps[step]["kind"]
        why = "nothing is stored of it" if kind != "manual" else "approvals are asked again"
        self._made.again.append(Entry(step, forced or why))
        is_bad = status is not None and status in BAD and not self._tolerates(step, status)
        return _Verdict(why, forced is not None or is_bad, moved=True, maybe=above.maybe)

    def _refuse_by_hand(self, step: str, why: str) -> None:
        for address in sorted({*self._wishes.done, *self._wishes.redo}):
            if is_of(address, step):
                self._refuse(address, f"{why}, so it cannot be forgotten or told of")

    # --- sub-workflows -------------------------------------------------------------------------

    def _child(self, step: str, above: _Verdict) -> _Verdict:
        """Decide about a sub-workflow: begun anew, gone on with, or kept as a whole."""
        self._refuse_by_hand(step, "its steps have results, it has none")
        rows = self._lately(step)
        children = [one for one in self._known.children if one.place.step == step]
        has_run = bool(rows or children)
        status = self._known.statuses.get(step, "")
        forced = self._forced(step, above)
        if forced is not None and (has_run or forced in (_NEW, _ASKED_FOR)):
            self._list_again(step, forced, ran=has_run)
            self._let_go(self._rows.get(step, ()))
            self._renewed[step] = self._known.attempt
            return _Verdict(forced, takes_along=True, moved=True)
        if not has_run and status not in BAD:
            return self._not_run(step, above)
        return self._go_on(step, rows, children, above)

    def _go_on(
        self, step: str, rows: Sequence[StoredResult], children: Sequence[Child], above: _Verdict
    ) -> _Verdict:
        """Decide about the steps inside. A child whose result is kept is not entered again."""
        whole = {row.place.items for row in rows if row.status == SUCCEEDED}
        entered = bool({row.place.items for row in rows} - whole)
        along = entered
        for child in children:
            address = address_of(child)
            made = resumption(child.known, self._wishes.inside(address))
            items = child.place.items
            along = along or made.takes_along
            if items in whole and not (made.takes_along or made.refused or made.unknown):
                continue
            if items in whole:
                whole.discard(items)
                self._let_go(row for row in rows if row.place.items == items)
            self._made.take_in(address, made)
            entered = entered or bool(made.again or made.perhaps)
        self._keep(step, [row for row in rows if row.place.items in whole])
        status = self._known.statuses.get(step, "")
        is_bad = status in BAD
        if not (entered or is_bad):
            self._made.kept.append(step)
            return _Verdict(maybe=above.maybe)
        why = f"it {in_words(status)}; it goes on inside" if is_bad else "it goes on inside"
        self._made.again.append(Entry(step, why))
        tolerated = is_bad and self._tolerates(step, status)
        return _Verdict(why, (along or is_bad) and not tolerated, moved=True, maybe=above.maybe)

    # --- what is written -----------------------------------------------------------------------

    def _let_go(self, rows: Iterable[StoredResult], *, forget: bool = False) -> None:
        """Let results go that would be given back; with `forget` what is in doubt, too."""
        statuses = (SUCCEEDED, BEGUN, IN_DOUBT) if forget else (SUCCEEDED,)
        run = self._known.run_id
        self._made.let_go += [(run, row) for row in rows if row.status in statuses]

    def _keep(self, step: str, rows: Iterable[StoredResult]) -> None:
        """Keep results; of what the machine itself carries out it has to be told."""
        run, about = self._known.run_id, self._new.steps[step].get("resume", _NOTHING_SAID)
        for row in rows:
            if row.recheck:
                self._made.recheck.append(Recheck(run, row, None))
            if about.get("told"):
                self._kept.append(row.path)
