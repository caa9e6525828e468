"""From text to expressions; every mistake is reported with its place and what to write."""

from __future__ import annotations

from compiler.diagnostics import Diagnostics
from compiler.expressions import foreign
from compiler.expressions.functions import FUNCTIONS, format_parts
from compiler.expressions.lexer import Lexer, Token
from compiler.expressions.nearest import did_you_mean
from compiler.expressions.syntax import (
    At,
    Binary,
    Call,
    Expr,
    Index,
    Literal,
    Not,
    Part,
    Place,
    Ref,
    constant_key,
)

_LEVEL = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4}
_LEVEL |= {"?": 1, ":": 1} | dict.fromkeys("+-*/%", 5)  # reported, and read over
_WORDS = {"and": "&&", "or": "||", "is": "==", "eq": "==", "in": "contains(list, value)"}
_CONSTANTS: dict[str, None | bool] = {"true": True, "false": False, "null": None}
_CONSTANTS_MEANT = {"none": "null", "nil": "null", "undefined": "null"}
_MOST_OPERATORS = 100
_DEEPEST = 30


def parse(text: str, at: At, diagnostics: Diagnostics) -> Expr | None:
    """Return the one bare expression (no `${{`) that `text` holds, or None after reporting.

    `at` gives the span of characters of `text` in the source.
    """
    return parse_between(text, 0, len(text), at, diagnostics)


def parse_between(text: str, start: int, end: int, at: At, diagnostics: Diagnostics) -> Expr | None:
    """Return the expression in characters `start` to `end` of `text`, or None after reporting."""
    lexer = Lexer(text, start, end, at, diagnostics)
    tokens = lexer.tokens()
    if lexer.is_broken or len(tokens) == 1:
        if not lexer.failed:
            help_ = "write an expression such as inputs.name or success()"
            message = "there is no expression here"
            diagnostics.error("expression-syntax", at(start, end), message, help=help_)
        return None
    parser = _Parser(tokens, at, diagnostics)
    expr = parser.whole()
    return None if lexer.failed or parser.failed else expr


class _Stop(Exception):
    """Raised after an error was reported, to go on at the next place that makes sense."""


class _Parser:
    def __init__(self, tokens: list[Token], at: At, diagnostics: Diagnostics) -> None:
        self._tokens = tokens
        self._next = 0
        self._at = at
        self._diagnostics = diagnostics
        self._operators = 0
        self._depth = 0
        self.failed = False

    def whole(self) -> Expr | None:
        try:
            expr = self._binary(1)
            token = self._tokens[self._next]
            if token.kind != "end":
                self._unexpected(token, after=True)
        except _Stop:
            return None
        return expr

    # -- errors

    def _error(
        self, code: str, start: int, end: int, message: str, help_: str | None = None
    ) -> None:
        self.failed = True
        self._diagnostics.error(code, self._at(start, end), message, help=help_)

    def _unexpected(self, token: Token, *, after: bool) -> None:
        """Report a token that cannot stand where it does, and stop."""
        if token.kind == "lost" or self._tokens[self._next - 1].kind == "lost":
            raise _Stop  # it follows from what was reported there
        code, help_ = "expression-syntax", None
        start, end = token.start, token.end
        if token.kind == "end":
            last = self._tokens[self._next - 1] if self._next else token
            start, end = last.start, last.end
            message = f'the expression ends too early, after "{last.text}"'
            help_ = "write a value after it"
        elif not after:
            message = f'"{token.text}" stands where a value is expected'
            if token.text == ")":
                help_ = "write a value before it, or take the bracket out"
        elif token.text in (")", "]"):
            message = f'"{token.text}" closes nothing'
            help_ = "take it out"
        elif token.kind == "number" and token.text[0] == "-":
            message = f'"{token.text}" is a number, and there is no arithmetic'
            help_ = "compute it in a step and read its output"
        elif token.kind == "name" and self._tokens[self._next - 1].kind == "text":
            message = f'"{token.text}" follows a text that already ended'
            help_ = "inside single quotes a quote is written '', as in 'it''s'"
        else:
            message = f'"{token.text}" follows a complete expression'
            help_ = "write an operator between them: && || == != < <= > >="
        self._error(code, start, end, message, help_)
        raise _Stop

    def _enter(self, token: Token) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._too_large(token)

    def _too_large(self, token: Token) -> None:
        message = "the expression is too large"
        help_ = (
            f"at most {_MOST_OPERATORS} operators, {_DEEPEST} deep; split it over steps' outputs"
        )
        self._error("expression-too-large", token.start, token.end, message, help_)
        self._next = len(self._tokens) - 1
        raise _Stop

    # -- operators

    def _binary(self, level: int) -> Expr:
        left = self._unary()
        while True:
            token = self._tokens[self._next]
            op = token.text if token.kind in ("op", "lost") else self._word_operator(token)
            found = _LEVEL.get(op, 0)
            if found < level:
                return left
            self._operators += 1
            if self._operators > _MOST_OPERATORS:
                self._too_large(token)
            self._next += 1
            right = self._binary(found + 1)
            left = Binary(op, left, right, left.place.to(right.place))

    def _word_operator(self, token: Token) -> str:
        """Return the operator that a word such as `and` stands for, after reporting it."""
        meant = _WORDS.get(token.text.lower()) if token.kind == "name" else None
        if meant is None:
            return ""
        message = f'"{token.text}" is not an operator of this language'
        self._error("expression-operator", token.start, token.end, message, f"write {meant}")
        if meant not in _LEVEL:
            raise _Stop
        return meant

    def _unary(self) -> Expr:
        while self._tokens[self._next].kind == "lost":
            self._next += 1
        token = self._tokens[self._next]
        is_not = token.kind == "op" and token.text == "!"
        if token.kind == "name" and token.text.lower() == "not" and self._begins_value():
            message = f'"{token.text}" is not an operator of this language'
            self._error("expression-operator", token.start, token.end, message, "write !")
            is_not = True
        if not is_not:
            return self._postfix()
        self._next += 1
        self._enter(token)
        operand = self._unary()
        self._depth -= 1
        return Not(operand, Place(token.start, operand.place.end, self._at))

    def _begins_value(self) -> bool:
        following = self._tokens[self._next + 1]
        return following.kind in ("name", "text", "number") or following.text in ("(", "!")

    # -- values

    def _postfix(self) -> Expr:
        base = self._primary()
        path: list[Part] = list(base.path) if isinstance(base, Ref) else []
        is_path = isinstance(base, Ref)
        start = base.place.start
        while True:
            token = self._tokens[self._next]
            if token.kind != "op" or token.text not in (".", "["):
                break
            self._next += 1
            part = self._member(token) if token.text == "." else self._bracket(token)
            if is_path:
                path.append(part)
            else:
                key = part.key
                if isinstance(key, str | int):
                    key = Literal(key, part.place)
                base = Index(base, key, Place(start, part.place.end, self._at))
        if is_path and len(path) > 1:
            return Ref(tuple(path), Place(start, self._tokens[self._next - 1].end, self._at))
        return base

    def _member(self, dot: Token) -> Part:
        token = self._tokens[self._next]
        if token.kind == "name":
            self._next += 1
            return Part(token.text, Place(token.start, token.end, self._at))
        if token.kind == "lost":
            raise _Stop
        help_ = "write a name after the point, or ['...'] around other keys"
        if token.kind == "number":
            help_ = f"write [{token.text.split('.')[0]}] for an item of a list"
        message = f'"{token.text or "."}" cannot follow a point'
        if token.kind == "end":
            message, token = "a name is missing after the point", dot
        self._error("expression-syntax", token.start, token.end, message, help_)
        raise _Stop

    def _bracket(self, opening: Token) -> Part:
        inner = self._inside(opening, "]")
        return Part(constant_key(inner), inner.place)

    def _inside(self, opening: Token, closing: str) -> Expr:
        """Return the expression up to `closing`; after an error, go on behind it."""
        self._enter(opening)
        try:
            inner = self._binary(1)
            token = self._tokens[self._next]
            if token.text != closing or token.kind != "op":
                self._not_closed(opening, token, closing)
        except _Stop:
            if not self._skip(closing):
                raise
            inner = Literal(None)
        self._next += 1
        self._depth -= 1
        return inner

    def _not_closed(self, opening: Token, token: Token, closing: str) -> None:
        if token.kind == "end" or token.text in (")", "]"):
            message = f'"{opening.text}" is not closed'
            help_ = f'write "{closing}" after its expression'
            self._error("expression-syntax", opening.start, opening.end, message, help_)
            raise _Stop
        self._unexpected(token, after=True)

    def _skip(self, *closing: str) -> bool:
        """Go on to one of `closing` at this depth; False if there is none."""
        depth = 0
        while self._tokens[self._next].kind != "end":
            token = self._tokens[self._next]
            if token.kind == "op":
                if depth == 0 and token.text in closing:
                    return True
                depth += (token.text in "([") - (token.text in ")]")
                if depth < 0:
                    return False
            self._next += 1
        return False

    def _primary(self) -> Expr:
        token = self._tokens[self._next]
        kind, text = token.kind, token.text
        if kind == "name":
            self._next += 1
            following = self._tokens[self._next]
            if following.text == "(" and following.kind == "op":
                return self._call(token, following)
            return self._name(token)
        if kind in ("text", "number"):
            self._next += 1
            return Literal(token.value, Place(token.start, token.end, self._at))
        if kind == "op" and text == "(":
            self._next += 1
            return self._inside(token, ")")
        self._unexpected(token, after=False)
        raise _Stop

    def _name(self, token: Token) -> Expr:
        place = Place(token.start, token.end, self._at)
        text = token.text
        if text in _CONSTANTS:
            return Literal(_CONSTANTS[text], place)
        meant = _CONSTANTS_MEANT.get(text.lower(), text.lower())
        if meant in _CONSTANTS and self._tokens[self._next].text not in (".", "["):
            message = f'"{text}" is no value of this language'
            self._error("expression-syntax", token.start, token.end, message, f"write {meant}")
        return Ref((Part(text, place),), place)

    def _call(self, name: Token, opening: Token) -> Expr:
        self._next += 1
        self._enter(opening)
        args: list[Expr] = []
        token = self._tokens[self._next]
        while token.text != ")" or token.kind != "op":
            args.append(self._argument(opening))
            token = self._tokens[self._next]
            if token.text == ",":
                self._next += 1
                token = self._tokens[self._next]
                if token.text == ")" and token.kind == "op":
                    self._unexpected(token, after=False)
        self._next += 1
        self._depth -= 1
        call = Call(name.text, tuple(args), Place(name.start, token.end, self._at))
        self._check_call(call, name)
        return call

    def _argument(self, opening: Token) -> Expr:
        try:
            arg = self._binary(1)
            token = self._tokens[self._next]
            if token.kind != "op" or token.text not in (",", ")"):
                self._not_closed(opening, token, ")")
        except _Stop:
            if not self._skip(",", ")"):
                raise
            return Literal(None)
        return arg

    def _check_call(self, call: Call, name: Token) -> None:
        signature = FUNCTIONS.get(call.name)
        if signature is None:
            message = f'there is no function "{call.name}"'
            help_ = (
                foreign.FUNCTIONS.get(call.name)
                or did_you_mean(call.name, FUNCTIONS)
                or f"the functions are {', '.join(FUNCTIONS)}"
            )
            self._error("unknown-function", name.start, name.end, message, help_)
        elif not signature.takes(len(call.args)):
            given = f"{len(call.args)} argument{'' if len(call.args) == 1 else 's'}"
            message = f'"{call.name}" cannot be called with {given}'
            help_ = f"write {signature.usage}"
            self._error("function-arguments", call.place.start, call.place.end, message, help_)
        elif call.name == "format":
            self._check_format(call)

    def _check_format(self, call: Call) -> None:
        pattern = call.args[0]
        start, end = pattern.place.start, pattern.place.end
        if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
            if not self.failed:
                help_ = "write it as format('{0} and {1}', a, b)"
                message = "the pattern of format is not a quoted text"
                self._error("format-pattern", start, end, message, help_)
            return
        try:
            wanted = [part for part in format_parts(pattern.value) if isinstance(part, int)]
        except ValueError as error:
            help_ = "write {0} for the first value, and {{ or }} for a bracket"
            self._error("format-pattern", start, end, str(error), help_)
            return
        missing = [place for place in wanted if place >= len(call.args) - 1]
        if missing:
            message = f"the pattern asks for {{{missing[0]}}}, and there is no such value"
            count = len(call.args) - 1
            help_ = f"values are counted from 0, and {count} follow the pattern"
            self._error("format-pattern", start, end, message, help_)
