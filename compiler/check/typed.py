"""Expressions of the workflow: parsed, their names resolved, their types inferred."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from compiler.check.context import Context
from compiler.check.contexts import GIT_FIELDS, are_triggers_known
from compiler.check.failed import FAILED
from compiler.check.groups import Groups
from compiler.check.program import Computed, Secret, Value
from compiler.check.program import Constant as Known
from compiler.check.readers import PLACES_OF_SECRETS, Reader
from compiler.check.reads import Reads
from compiler.check.rewrite import rewrite
from compiler.check.statuses import check_statuses
from compiler.check.suggest import listed, suggestion
from compiler.document.nodes import Mapping, Node, Path, Scalar
from compiler.document.offsets import place
from compiler.expressions import (
    Call,
    Constant,
    Expr,
    Index,
    Joined,
    Literal,
    Ref,
    Single,
    Template,
    expressions,
    parse_condition,
    parse_template,
    status_functions,
    walk,
)
from compiler.expressions.infer import infer
from compiler.expressions.types import TEXT, UNKNOWN, Record, Type
from compiler.source import Span
from compiler.spec import Values

_ALL = "*"


class Typed:
    """Turns the texts of a workflow into checked expressions."""

    def __init__(self, context: Context, groups: Groups, reads: Reads) -> None:
        self.context = context
        self.groups = groups
        self.reads = reads
        self._inputs: set[str] = set()
        self._lacking: set[str] = set()
        # Its places, what is written, and what to write: see compiler.check.unmarked.
        self.unmarked: list[tuple[tuple[Span, Span], str, str]] = []
        self._said_git_push = not are_triggers_known(context)
        self._manual = frozenset(
            entry.id for entry in groups.entries() if entry.step.kind == "manual"
        )

    @property
    def manual(self) -> frozenset[str]:
        """The ids of the manual steps."""
        return self._manual

    def reads_input(self, name: str) -> bool:
        """Whether some expression reads an input."""
        return name in self._inputs or _ALL in self._inputs

    def parsed(self, text: str, path: Path) -> Expr | None:
        """Return the expression of a condition as written, or None after reporting."""
        node = self.context.document.nearest(path)
        return parse_condition(text, at(node), self.context.diagnostics)

    def condition(self, text: str, path: Path, reader: Reader) -> Expr | None:
        """Return the expression of a condition, or None after reporting what is wrong with it."""
        expr = self.parsed(text, path)
        return None if expr is None else self.resolve(expr, reader)[0]

    def text(self, text: str, node: Node, reader: Reader) -> Value | None:
        """Return the value of a text that may hold expressions, or None after reporting."""
        template = parse_template(text, at(node), self.context.diagnostics)
        if template is None:
            return None
        return self.template(template, node.span, reader)

    def template(self, template: Template, span: Span, reader: Reader) -> Value | None:
        """Return the value of a parsed template, or None after reporting what is wrong."""
        if isinstance(template, Constant):
            return Known(template.text)
        found = expressions(template)
        if any(_secret(expr) for expr in found):
            return self._secret(template, span, reader)
        good = [self.resolve(expr, reader) for expr in found]
        if isinstance(template, Single):
            expr, type_ = good[0]
            if isinstance(expr, Literal):
                return Known(expr.value)
            return Computed(Single(expr), type_, span)
        left = iter(good)
        parts = tuple(part if isinstance(part, str) else next(left)[0] for part in template.parts)
        return Computed(Joined(parts), TEXT, span)

    def resolve(self, expr: Expr, reader: Reader) -> tuple[Expr, Type]:
        """Return the expression with its names resolved, and its type: unknown after an error."""
        errors = len(self.context.diagnostics)
        scope: dict[str, Type] = dict(reader.contexts)
        steps: dict[str, Type] = {}
        scope["steps"] = Record(steps, open=True)

        def named(ref: Ref) -> Expr:
            return self._named(ref, reader, scope, steps)

        expr = rewrite(expr, named)
        self._status_functions(expr, reader)
        if reader.part == "retry":
            expr = rewrite(expr, None, _after_failure)
        check_statuses(expr, self.context, self._manual)
        type_ = infer(expr, scope, self.context.diagnostics)
        return expr, type_ if len(self.context.diagnostics) == errors else UNKNOWN

    # -- names

    def _named(
        self, ref: Ref, reader: Reader, scope: dict[str, Type], steps: dict[str, Type]
    ) -> Expr:
        """Return a path with its name resolved; its context's type goes into the scope."""
        match ref.root:
            case "steps":
                return self._step(ref, reader, scope, steps)
            case "env":
                return self._env(ref, reader, scope)
            case "inputs":
                self._inputs.add(str(ref.keys[0]) if ref.keys else _ALL)
            case "vars":
                self._var(ref)
            case "secrets":
                scope["secrets"] = UNKNOWN
                self._secret_here(ref, reader)
            case "github":
                self._github(ref, scope)
            case root:
                if root not in scope:
                    self._no_context(ref, reader, scope)
        return ref

    def _var(self, ref: Ref) -> None:
        """Warn, once a name, of what other stages have and this one lacks: it is null here."""
        stage, name = self.context.surroundings.stage, ref.keys[0] if ref.keys else None
        others = stage.declared_vars.get(name, ()) if isinstance(name, str) else ()
        if not isinstance(name, str) or not others or name in stage.vars or name in self._lacking:
            return
        self._lacking.add(name)
        has = "stage" if len(others) == 1 else "stages"
        verb = "has" if len(others) == 1 else "have"
        self.context.diagnostics.warning(
            "var-not-in-stage",
            ref.span,
            f"the stage '{stage.name}' has no `vars.{name}`: it is null there",
            help=f"write `vars: {{{name}: ...}}` for the stage '{stage.name}' in stepsmith.yaml; "
            f"the {has} {listed(others)} {verb} it",
        )

    def _step(
        self, ref: Ref, reader: Reader, scope: dict[str, Type], steps: dict[str, Type]
    ) -> Expr:
        entry, type_ = self.reads.step(ref, reader)
        if entry is None:
            scope["steps"] = UNKNOWN
            return ref
        if entry.id != ref.keys[0]:
            first, second, *rest = ref.path
            ref = replace(ref, path=(first, replace(second, key=entry.id), *rest))
        steps[entry.id] = UNKNOWN if steps.get(entry.id) == UNKNOWN else type_
        return ref

    def _github(self, ref: Ref, scope: dict[str, Type]) -> None:
        type_ = scope.get("github")
        key = ref.keys[0] if ref.keys else None
        if ref.keys[:2] == ("event", "inputs"):
            scope["github"] = UNKNOWN
            names = [key for key in ref.keys[1:] if isinstance(key, str)]
            message = "`github.event` is what came from git, and has no member 'inputs'"
            self._error("unknown-member", ref.span, message, f"write `{'.'.join(names)}`")
        elif key in GIT_FIELDS and isinstance(type_, Record) and key not in type_.fields:
            scope["github"] = UNKNOWN
            self._no_git_push(ref)

    def _no_context(self, ref: Ref, reader: Reader, scope: dict[str, Type]) -> None:
        root = ref.root
        if root in ("item", "index"):
            message = f"`{root}` is read outside of a `for_each`"
            advice: str | None = "give the step a `for_each`, or read `steps.<id>.items`"
            if reader.entry is not None and reader.entry.step.for_each is not None:
                message = f"`{root}` is read in what is asked once for all items"
                advice = "write the condition on a step inside of a block with the `for_each`"
        elif root == "failure":
            message = "`failure` is there only in the handlers of `on_failure`"
            advice = "in a condition write `failure()`; of a step read `steps.<id>.error`"
        else:
            return  # the inference knows which contexts there are
        scope[root] = UNKNOWN
        self._error("context-not-here", ref.span, message, advice)

    def _no_git_push(self, ref: Ref) -> None:
        if self._said_git_push:
            return  # one mistake, wherever else it shows
        self._said_git_push = True
        self._error(
            "no-git-push",
            ref.span,
            f"`github.{ref.keys[0]}` is read, but no git push starts this workflow",
            "add a trigger `type: git-push`, or make the value an input",
        )

    def _env(self, ref: Ref, reader: Reader, scope: dict[str, Type]) -> Expr:
        """Return what a variable of the environment stands for, so that nobody needs to ask."""
        scope["env"] = UNKNOWN
        name = ref.keys[0] if ref.keys else None
        if not isinstance(name, str):
            message = "`env` is read here without naming one variable"
            self._error("env-whole", ref.span, message, "name it: `env.<NAME>`")
            return ref
        if name not in reader.env:
            self._no_variable(name, ref, reader)
            return ref
        value = reader.env[name]
        if value is FAILED:
            return ref
        found = _inlined(value, ref)
        if found is None:
            message = f"`env.{name}` holds a secret, which expressions cannot read"
            advice = f"in a script it is `${name}`; elsewhere write the secret itself"
            if not isinstance(value, Secret):
                message = f"`env.{name}` is a list or an object, not a text"
                advice = "give it a text, a number or an expression"
            self._error("env-not-readable", ref.span, message, advice)
            return ref
        for part in ref.path[2:]:
            key = part.key
            found = Index(found, Literal(key) if isinstance(key, str | int) else key, ref.place)
        return found

    def _no_variable(self, name: str, ref: Ref, reader: Reader) -> None:
        entry = reader.entry
        outer = self.context.workflow.env
        around = [] if entry is None else [here.step.env for here in entry.enclosing()]
        above = "" if entry is None else ", or move it to the `env` of the workflow"
        if name in (outer if entry is None else around[0]).entries and reader.part == "env":
            message = f"`env.{name}` stands in the same `env`: its variables cannot read each other"
            advice = f"write again what it holds{above}"
        elif entry is not None and name in around[0].entries:
            message = f"`env.{name}` is read before the step's own `env` is there"
            advice = f"write what it holds{above}"
        elif name in outer.entries:
            message = f"`env.{name}` is read where no `env` is there yet"
            advice = "write what it holds"
        elif any(self._is_written(name, env) for env in (outer, *around)):
            return  # what is wrong with it is said where it is written
        else:
            message = f"there is no `env.{name}` here"
            advice = suggestion(name, reader.env, "known here") or "add it to `env`"
        self._error("unknown-variable", ref.span, message, advice)

    def _is_written(self, name: str, env: Values) -> bool:
        """Whether an `env` has a variable of that name, readable or not."""
        node = self.context.node(env.path)
        return isinstance(node, Mapping) and node.get(name) is not None

    # -- secrets

    def _secret_here(self, ref: Ref, reader: Reader) -> None:
        advice = (
            f"secrets stand alone in a text: {PLACES_OF_SECRETS} may say `${{{{ secrets.NAME }}}}`"
        )
        message = "a secret cannot be part of an expression"
        if not reader.secrets:
            message = "a secret is not allowed here"
            advice = f"secrets may stand in {PLACES_OF_SECRETS} only"
        self._error("secret-not-here", ref.span, message, advice)

    def _secret(self, template: Single | Joined, span: Span, reader: Reader) -> Value | None:
        """Return a text made of literal parts and secrets, or None after reporting."""
        parts: list[tuple[str, str]] = []
        fine = True
        pieces: tuple[str | Expr, ...] = (
            (template.expr,) if isinstance(template, Single) else template.parts
        )
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(("text", piece))
                continue
            name = _secret_name(piece)
            if name is not None and reader.secrets:
                parts.append(("secret", name))
                continue
            fine = False
            if name is None and not _secret(piece) and reader.secrets:
                self._error(
                    "secret-mixed",
                    piece.span,
                    "a text with a secret in it holds another expression too",
                    "give the secret a variable or an input of its own",
                )
            else:
                self.resolve(piece, reader)
        return Secret(tuple(parts), span) if fine else None  # type: ignore[arg-type]

    # -- status functions

    def _status_functions(self, expr: Expr, reader: Reader) -> None:
        if reader.part in ("condition", "retry") or not status_functions(expr):
            return
        for inner in walk(expr):
            if isinstance(inner, Call) and inner.name in status_functions(inner):
                self._error(
                    "status-function-not-here",
                    inner.span,
                    f"`{inner.name}()` is asked outside of a condition",
                    "write it in a `condition`, or read `steps.<id>.status`",
                )

    def _error(self, code: str, span: Span, message: str, advice: str | None) -> None:
        self.context.diagnostics.error(code, span, message, help=advice)


def at(node: Node) -> Callable[[int, int], Span]:
    """Return where characters of the text of a node stand."""
    if isinstance(node, Scalar):
        return partial(place, node)
    return lambda _start, _end: node.span


def _secret(expr: Expr) -> bool:
    return any(isinstance(inner, Ref) and inner.root == "secrets" for inner in walk(expr))


def _secret_name(expr: Expr) -> str | None:
    """Return NAME if the expression is `secrets.NAME` and no more."""
    if not isinstance(expr, Ref) or expr.root != "secrets" or len(expr.path) != 2:
        return None
    key = expr.path[1].key
    return key if isinstance(key, str) else None


def _inlined(value: Value, ref: Ref) -> Expr | None:
    """Return the expression that a variable of the environment stands for."""
    match value:
        case Known(value=None | bool() | int() | float() | str() as plain):
            return Literal(plain, ref.place, known_from=ref)
        case Computed(template=Single(expr=expr)):
            return replace(expr, place=ref.place)
        case Computed(template=Joined(parts=parts)):
            pattern = "".join(f"{{{at}}}" for at in range(len(parts)))
            args = (Literal(part) if isinstance(part, str) else part for part in parts)
            return Call("format", (Literal(pattern), *args), ref.place)
        case _:
            return None


def _after_failure(call: Call) -> Expr:
    """In `retry.conditions` the attempt has failed: `failure()` is true there."""
    if call.name in ("failure", "always"):
        return Literal(value=True, place=call.place)
    if call.name in ("success", "cancelled"):
        return Literal(value=False, place=call.place)
    return call
