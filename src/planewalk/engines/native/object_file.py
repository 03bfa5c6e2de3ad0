"""Objects as LLVM makes them, linked into images of code.

As much of ELF for x86-64 as LLVM's code for one process needs: sections that are only read, and
addresses in full. Whatever else turns up raises `NotUnderstood`, and is left to LLVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct, error

from ...core.base.named import NamedTuple
from ..base.executable import address_of_function
from .code_image import WORD, BorrowedWord, CodeImage, WordRun

HEADER = Struct("<16sHHIQQQIHHHHHH")
SECTION = Struct("<IIQQQQIIQQ")
SYMBOL = Struct("<IBBHQQ")
RELOCATION = Struct("<QQq")

ELF = b"\x7fELF\2\1\1"
"""How files of 64 bits begin whose lowest bytes come first."""
RELOCATABLE, X86_64 = 1, 62
PROGRAM, SYMBOLS, RELOCATIONS, SHORT_RELOCATIONS = 1, 2, 4, 9
UNWINDING = 0x7000_0001
"""Tables for unwinding the stack, which are not needed here."""
WRITABLE, LOADED, EXECUTABLE, THREAD_LOCAL = 1, 2, 4, 0x400
NOWHERE = 0
ADDRESS, RELATIVE = 1, 24
MOST_ALIGNED = 4096
MOST_CODE = 1 << 31
UNIT = "unit"


class NotUnderstood(Exception):
    """There is something in an object that is not known here."""


class ObjectSection(NamedTuple):
    """A part of an object."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    item: int


class ObjectSymbol(NamedTuple):
    """What a name stands for: where in which section, if any."""

    name: str
    section: int
    value: int


def image_of(content: bytes) -> CodeImage:
    """The machine code of an object, as it lies in memory."""
    try:
        return _Linking(content).image()
    except (error, IndexError, ValueError, OverflowError) as reason:
        raise NotUnderstood(str(reason)) from None


def borrowed_names(content: bytes) -> list[str]:
    """The functions that an object of any processor calls without having them, if it is ELF."""
    if not content.startswith(ELF):
        return []
    linking = _Linking(content)
    tables = [section for section in linking.sections if section.kind == SYMBOLS]
    symbols = [symbol for table in tables for symbol in linking.targets(table)]
    return [symbol.name for symbol in symbols if symbol.section == NOWHERE and symbol.name]


class _Linking:
    """An object that becomes an image."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.sections = list(self._sections())
        self.places: dict[int, int] = {}
        """Where sections begin in the image, by number."""
        self.code = bytearray()
        self.words: list[int] = []
        self.borrowed: list[BorrowedWord] = []

    def image(self) -> CodeImage:
        if self.machine != X86_64:
            raise NotUnderstood("code of another processor")
        self._lay_out()
        for section in self.sections:
            if section.kind == SHORT_RELOCATIONS:
                raise NotUnderstood("relocations without addends")
            if section.kind == RELOCATIONS and section.info in self.places:
                self._relocate(section)
        return CodeImage(bytes(self.code), self._entry(), list(_runs(self.words)), self.borrowed)

    def _sections(self) -> Iterator[ObjectSection]:
        ident, kind, self.machine, _, _, _, offset, _, _, _, _, size, count, _ = HEADER.unpack_from(
            self.content
        )
        if not ident.startswith(ELF) or kind != RELOCATABLE:
            raise NotUnderstood("another kind of object")
        if size != SECTION.size:
            raise NotUnderstood("sections that are described in another way")
        for number in range(count):
            yield ObjectSection(*SECTION.unpack_from(self.content, offset + number * size))

    def _lay_out(self) -> None:
        """Put all that has to be in memory one behind the other."""
        for number, section in enumerate(self.sections):
            if not section.flags & LOADED or section.kind == UNWINDING:
                continue
            if section.kind != PROGRAM or section.flags & (WRITABLE | THREAD_LOCAL):
                raise NotUnderstood("sections that are not only read")
            alignment = max(section.alignment, 1)
            if alignment > MOST_ALIGNED or len(self.code) + section.size > MOST_CODE:
                raise NotUnderstood("sections that are too large")
            self.code += bytes(-len(self.code) % alignment)
            self.places[number] = len(self.code)
            self.code += self._bytes(section)

    def _bytes(self, section: ObjectSection) -> bytes:
        found = self.content[section.offset : section.offset + section.size]
        if len(found) != section.size:
            raise NotUnderstood("a section that is cut off")
        return found

    def targets(self, section: ObjectSection) -> list[ObjectSymbol]:
        if section.kind != SYMBOLS:
            raise NotUnderstood("no table of names")
        names = self._bytes(self.sections[section.link])
        return [
            ObjectSymbol(names[name : names.index(0, name)].decode(), where, value)
            for name, _, _, where, value, _ in SYMBOL.iter_unpack(self._bytes(section))
        ]

    def _relocate(self, section: ObjectSection) -> None:
        begin, size = self.places[section.info], self.sections[section.info].size
        targets = self.targets(self.sections[section.link])
        for at, about, addend in RELOCATION.iter_unpack(self._bytes(section)):
            if at + WORD > size:
                raise NotUnderstood("a relocation outside of its section")
            self._relocate_word(begin + at, about & 0xFFFF_FFFF, targets[about >> 32], addend)

    def _relocate_word(self, at: int, kind: int, target: ObjectSymbol, addend: int) -> None:
        if kind == ADDRESS and target.section == NOWHERE:
            self._borrow(at, target.name, addend)
            return
        value = self._place(target) + addend
        if kind == RELATIVE:
            self._put(at, value - at)
        elif kind == ADDRESS and 0 <= value <= len(self.code):
            self._put(at, value)
            self.words.append(at)
        else:
            raise NotUnderstood(f"a relocation of kind {kind}")

    def _borrow(self, at: int, name: str, addend: int) -> None:
        if "\n" in name or address_of_function(name) is None:
            raise NotUnderstood(f"no function {name!r} in this process")
        self._put(at, 0)
        self.borrowed.append(BorrowedWord(at, name, addend))

    def _place(self, target: ObjectSymbol) -> int:
        if target.section not in self.places:
            raise NotUnderstood(f"{target.name!r}, which is in no section that is loaded")
        return self.places[target.section] + target.value

    def _put(self, at: int, value: int) -> None:
        self.code[at : at + WORD] = value.to_bytes(WORD, "little", signed=True)

    def _entry(self) -> int:
        tables = [section for section in self.sections if section.kind == SYMBOLS]
        (unit,) = (
            target for table in tables for target in self.targets(table) if target.name == UNIT
        )
        place = self._place(unit)
        if not self.sections[unit.section].flags & EXECUTABLE or place >= len(self.code):
            raise NotUnderstood("a unit that is no code")
        return place


def _runs(offsets: Iterable[int]) -> Iterator[WordRun]:
    """Words that follow each other, together."""
    begin = end = -1
    for offset in sorted(offsets):
        if offset != end:
            if begin >= 0:
                yield WordRun(begin, (end - begin) // WORD)
            begin = offset
        end = offset + WORD
    if begin >= 0:
        yield WordRun(begin, (end - begin) // WORD)
