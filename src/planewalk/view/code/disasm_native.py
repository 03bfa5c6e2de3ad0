"""Units as LLVM IR or as machine code, with the cells that each piece is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.language import Language
from ...core.state import State
from ...engines.compiled.task import Task
from ...engines.machine.maker import write_native
from ...engines.native.abi import Slot
from ...engines.native.code import NativeWriter
from ...engines.native.llvm import Care, assembly, best_care, optimised
from ...engines.native.values import Unwritable
from ...engines.python.python_engine import Unit
from ...engines.tracing.trees import Tree
from ...engines.window.window import highest
from .disasm import (
    Listing,
    ListingStyle,
    RecordingEngine,
    cells,
    place_ranges,
    places_of,
    stack_name,
    stance_name,
    stance_with_sign,
)  # fmt: skip

_LABEL = re.compile(r"([\w.-]+):(?: +; preds.*)?$|\S.*: +\S+ %([\w.-]+)$")
"""A label of IR; or one of machine code, where a comment has the name that it had in IR."""
_PART = re.compile(r"(?:enter|head|spent|tree)(\d+)")
_ON = re.compile(r"br label %head(\d+)$")
_LEAVE = re.compile(r"(?:ret i64 (\d+)|store i64 (\d+), ptr %exit)$")
_WORD = re.compile(r"getelementptr i64, ptr %w, i64 (\d+)$")


def _native(
    translate: Callable[[str, Care], str],
    engine: RecordingEngine,
    task: Task,
    unit: Unit,
    trees: list[Tree],
) -> Listing:
    """A unit as a longer run would have it, or the reason why it would not."""
    language, state, mark = engine.language, engine.state, engine.form.mark
    try:
        held = getattr(state.plane, "cells", {})
        _, writer = write_native(engine.finder, task, unit.entry, highest(held))
        text = writer.source()
        text = translate(text, best_care(writer.size))
    except Unwritable as reason:
        return Listing([f"{mark} it stays Python: {reason}"], trees)
    again = list(writer.trees.values())
    return Listing(list(_annotated(language, state, writer, text, mark)), again)


LLVM = ListingStyle(";", partial(_native, lambda text, _: text))
OPTIMISED = ListingStyle(";", partial(_native, optimised))
ASSEMBLY = ListingStyle("#", partial(_native, assembly))


def _annotated(
    language: Language, state: State, writer: NativeWriter, text: str, mark: str
) -> Iterator[str]:
    """The text with a header for each head, and the instructions that each block performs.

    Optimising joins blocks: then the first one's label is left, and the others' are gone.
    """
    told: set[int] = set()
    for line in text.splitlines():
        found = _LABEL.match(line)
        label = found[1] or found[2] if found else ""
        part = _PART.match(label)
        if part and int(part[1]) not in told:
            told.add(int(part[1]))
            yield ""
            for about in _about(language, state, int(part[1]), writer.tree(int(part[1]))):
                yield f"{mark} {about}"
        remark = _remark(language, state, writer, line)
        yield f"{line}  {mark} {remark}" if remark else line
        if label in writer.blocks:
            for stretch in stretches(language, writer.blocks[label].walked):
                yield f"  {mark} {stretch}"


def _about(language: Language, state: State, number: int, tree: Tree) -> Iterator[str]:
    places, most = places_of(tree), tree.longest
    yield f"head {number}: {stance_with_sign(language, state, tree.key.stance)}"
    ticks = f"at most {most:,} tick{'' if most == 1 else 's'}"
    facts = ", ".join(filter(None, (stack_name(tree.key.depth), ticks, cells(places))))
    yield f"  {facts}{':' if places else ''}"
    for line in place_ranges(places):
        yield f"    {line}"


def _remark(language: Language, state: State, writer: NativeWriter, line: str) -> str:
    """What a line of IR means for the walk."""
    if on := _ON.search(line):
        return f"on to {stance_name(language, writer.tree(int(on[1])).key.stance)}"
    if leave := _LEAVE.search(line):
        number = int(leave[1] or leave[2])
        why = "out of fuel" if number in writer.spent else "leave"
        return f"{why} at {stance_with_sign(language, state, writer.exits[number].key.stance)}"
    if word := _WORD.search(line):
        at = int(word[1])
        if at < Slot.SLOTS:
            return Slot(at).name.lower().replace("_", " ")
        return f"s{at - Slot.SLOTS + writer.layout.low} of the stack"
    return ""


def stretches(language: Language, walked: list[tuple[Stance, Instruction]]) -> Iterator[str]:
    """Instructions in the order of the walk, straight pieces put together."""
    begin, symbols, expected = "", "", None
    for stance, instruction in walked:
        if stance[:4] != expected:
            if symbols:
                yield f"{begin}: {symbols}"
            begin, symbols = stance_name(language, stance), ""
        symbol = instruction.symbol
        symbols += "·" if symbol == " " else symbol if symbol.isprintable() else "▫"
        expected = (stance.x + stance.dx, stance.y + stance.dy, stance.dx, stance.dy)
    if symbols:
        yield f"{begin}: {symbols}"
