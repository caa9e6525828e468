"""Whole words, lists of arrays, and patterns in brackets."""

from __future__ import annotations

import re

from compiler.check.shell.expansions import Expansions
from compiler.check.shell.syntax import Word

_ARRAY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


class Words(Expansions):
    """Reads words."""

    def word(self) -> Word:
        """Read the word that begins here; it is empty if none does."""
        outer, word = self.sink, Word(self.i)
        self.sink = word
        while self.i < len(self.text):
            char = self.text[self.i]
            if char in " \t\n;&|)":
                break
            if char == "(":
                if not self._bracket_in_word(word):
                    break
            elif char in "<>":
                if not self.text.startswith("(", self.i + 1):
                    break
                self.process()
            else:
                self.piece()
        word.end = self.i
        word.start, word.end = self.origin[word.start], self.origin[word.end]
        self.sink = outer
        return word

    def _bracket_in_word(self, word: Word) -> bool:
        start = self.i
        if _ARRAY.fullmatch(word.value) and not word.quoted:
            self._array(word)
            return True
        if word.pieces and self.text[start - 1] in "?*+@!" and word.pieces[-1][-1:] in "?*+@!":
            self.group()
            return True
        return False

    def group(self) -> None:
        """Read `( )` of a pattern, brackets and bars included."""
        start = self.i
        self.i += 1
        with self.deeper():
            while not self.peek(")"):
                if self.i >= len(self.text):
                    raise self.unclosed(start, "a bracket", ") where it ends")
                if self.peek("("):
                    self.group()
                elif self.text[self.i] in " \t\n;&|<>":
                    self.sink.pieces.append(self.text[self.i])
                    self.i += 1
                else:
                    self.piece()
        self.i += 1

    def _array(self, word: Word) -> None:
        start = self.i
        self.i += 1
        with self.deeper():
            while True:
                self.blanks()
                if self.i >= len(self.text):
                    raise self.unclosed(start, "the list of an array", ") where it ends")
                if self.peek("\n"):
                    self.newline()
                elif self.peek("#"):
                    self.comment()
                elif self.peek(")"):
                    break
                else:
                    element = self.word()
                    if element.start == element.end:
                        char = self.text[self.i]
                        raise self.broken(self.i, f'"{char}" stands in an array', f"write '{char}'")
                    word.elements.append(element)
        self.i += 1
        word.quoted = True
