"""Interpreters between runs: what is known of one, its text, and its machine code.

They are kept apart, since a run that finds good code does without the text, which is long.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any

from ...core.base.fingerprint import fingerprint
from ..native.abi import UnitIR
from ..native.cache_format import MOST_BYTES, Damaged, Kept, NotPlain, dump, load
from ..native.machine_code import UNIT, Care, Store, recall_named, remember

TEXT = b"planewalk text 1\n"


class KeptInterpreter:
    """The place of one interpreter in a store."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name

    def put(self, written: UnitIR) -> None:
        """Keep all but the machine code."""
        with suppress(NotPlain):
            outline = written._replace(text=_outline(written.text), size=0)
            known = dump([Kept(outline, 0, {}, False)])
            self.store.put(self._text_name(), TEXT + zlib.compress(written.text.encode(), 1))
            self.store.put(self.name, known)

    def known(self) -> UnitIR | None:
        """What is known of it, with an outline of its text; None if it is not there, or not
        whole."""
        content = self.store.get(self.name)
        if content is None:
            return None
        try:
            (kept,) = load(content)
        except (Damaged, ValueError):  # it will be made again
            return None
        return kept.written

    def with_text(self, known: UnitIR) -> UnitIR | None:
        """The same with its text, from which machine code is made."""
        text = self._text()
        if text is None or _outline(text) != known.text:
            return None
        return known._replace(text=text, size=len(text))

    def _text(self) -> str | None:
        content = self.store.get(self._text_name())
        if content is None or not content.startswith(TEXT):
            return None
        inflating = zlib.decompressobj()
        try:
            text = inflating.decompress(content[len(TEXT) :], MOST_BYTES).decode()
        except (zlib.error, ValueError):
            return None
        return text if inflating.eof else None

    def code(self, care: Care) -> tuple[Any, Any] | None:
        """Its machine code on this machine, and what owns that."""
        return recall_named(self.store, self._code_name(care), UNIT)

    def remember(self, text: str, care: Care) -> None:
        """Have machine code found again that was made from its text."""
        remember(self.store, self._code_name(care), text, care)

    def _text_name(self) -> str:
        return fingerprint(f"text of {self.name}".encode())

    def _code_name(self, care: Care) -> str:
        return f"interpreter {self.name} {care.name}"


ENTRY = "\nenter"


def _outline(text: str) -> str:
    """As much of a text as what is known of it is checked against: where it is entered."""
    return ENTRY * text.count(ENTRY)
