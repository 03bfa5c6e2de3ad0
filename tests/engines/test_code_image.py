"""Kept machine code is loaded without LLVM, and does what LLVM's own loading would do."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from array import array
from collections.abc import Callable
from contextlib import nullcontext
from struct import Struct
from typing import Any
from unittest import mock

import pytest

from planewalk.apps.store import DiskStore
from planewalk.core.limits import Limits
from planewalk.engines.base import executable
from planewalk.engines.interpreter import loader as interpreter
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.kernels.kernel import I64, Kernel
from planewalk.engines.native import code_image, machine_code
from planewalk.engines.native.code_image import BorrowedWord, CodeImage, NotWhole, WordRun
from planewalk.engines.native.object_file import RELOCATION, NotUnderstood, image_of
from planewalk.engines.native.processor import processor
from planewalk.engines.native.values import Unwritable
from planewalk.languages import registry
from tests.engines.missing import without_llvm
from tests.engines.stores import MemoryStore
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.skipif(not executable.KNOWN, reason="LLVM loads kept code here"),
    pytest.mark.skipif(machine_code.why_not() is not None, reason="there is no machine code here"),
]

NUMBER = ctypes.CFUNCTYPE(ctypes.c_uint64)
BRANCHES = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i64 @unit(ptr %w, i64 %n) {
  switch i64 %n, label %none [
    i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d i64 4, label %e i64 5, label %f
  ]
a: store i64 11, ptr %w
  ret i64 1
b: %x = load i64, ptr %w
  %y = mul i64 %x, 3
  ret i64 %y
c: ret i64 333
d: %z = load i64, ptr %w
  %k = and i64 %z, 7
  call void @llvm.memset.p0.i64(ptr %w, i8 7, i64 %k, i1 false)
  ret i64 4
e: ret i64 5555
f: store i64 0, ptr %w
  ret i64 -6
none: ret i64 -1
}
"""
"""With a table of addresses, and a function of the process."""


def loaded(image: bytes) -> int:
    """What code gives that returns a number."""
    owner, address = code_image.load(image)
    assert owner.address <= address
    number: int = NUMBER(address)()
    return number


def returning(number: int) -> bytes:
    """Code that returns a number of 64 bits, which it holds from its third byte on."""
    return b"\x48\xb8" + number.to_bytes(8, "little") + b"\xc3"


@pytest.fixture(scope="module")
def kept() -> tuple[bytes, bytes]:
    """An object, and what is kept of it."""
    objects: list[bytes] = []
    machine, store = machine_code.here(), MemoryStore()
    packed = machine.packed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "packed", lambda code: objects.append(code) or packed(code))
        machine_code.assemble(BRANCHES, store)
    ((content,), (code,)) = store.values(), objects
    return code, content


def answers(unit: Any) -> list[tuple[int, int]]:
    """What it returns and leaves for each way through it."""
    given = []
    for way in range(-1, 8):
        word = ctypes.c_int64(0x1234_5675)
        given.append((unit(ctypes.addressof(word), way), word.value))
    return given


@pytest.mark.parametrize("words", [1, 3])
def test_the_address_is_added_to_every_word_of_a_run_and_to_no_other(words: int) -> None:
    data = b"".join(number.to_bytes(8, "little") for number in range(100, 105))
    code = returning(0) + data
    begin = len(returning(0)) + 8
    for at in range(5):
        load_word = CodeImage(code + _reading(at), len(code), [WordRun(begin, words)], [])
        owner, address = code_image.load(load_word.dump())
        moved = owner.address if 1 <= at <= words else 0
        assert NUMBER(address)() == 100 + at + moved


def _reading(at: int) -> bytes:
    """Code behind five words that returns one of them: `mov rax, [rip - n]`, `ret`."""
    back = 7 + 8 * (5 - at)
    return b"\x48\x8b\x05" + (-back).to_bytes(4, "little", signed=True) + b"\xc3"


def test_loaded_code_does_what_it_does_when_llvm_loads_it(
    kept: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, content = kept
    assert content.startswith(machine_code.IMAGE)
    image = image_of(code)
    assert max(run.words for run in image.runs) > 4, "a table"
    assert {word.name for word in image.borrowed} == {"memset"}
    key = machine_code.key_of(BRANCHES, machine_code.Care.ALL)
    owner, ours = machine_code.recall(BRANCHES, MemoryStore({key: content})) or (None, None)
    assert isinstance(owner, executable.ExecutableMemory)
    monkeypatch.setattr(executable, "KNOWN", False)
    as_object = machine_code.here().packed(code)
    assert as_object.startswith(machine_code.OBJECT)
    key = machine_code.key_of(BRANCHES, machine_code.Care.ALL)  # that of a machine not known
    engine, theirs = machine_code.recall(BRANCHES, MemoryStore({key: as_object})) or (None, None)
    assert type(engine).__name__ == "ExecutionEngine"
    assert answers(ours) == answers(theirs) != []


def test_borrowed_words_are_addresses_of_this_process() -> None:
    memset = ctypes.cast(ctypes.CDLL(None).memset, ctypes.c_void_p).value or 0
    for addend in (0, 5, -3):
        words = [BorrowedWord(2, "memset", addend)]
        assert loaded(CodeImage(returning(99), 0, [], words).dump()) == memset + addend
    unknown = CodeImage(returning(99), 0, [], [BorrowedWord(2, "no such function", 0)])
    with pytest.raises(NotWhole, match="no such function"):
        code_image.load(unknown.dump())


def test_code_is_never_writable_and_executable_at_once() -> None:
    owner, _ = code_image.load(CodeImage(returning(1), 0, [], []).dump())
    with open("/proc/self/maps") as file:
        (rights,) = (
            line.split()[1]
            for line in file
            if int(line.partition("-")[0], 16) <= owner.address
            < int(line.split()[0].partition("-")[2], 16)
        )  # fmt: skip
    assert rights == "r-xp"


@pytest.mark.parametrize("wrong", [
    CodeImage(returning(1), 11, [], []), CodeImage(returning(1), 0, [WordRun(4, 1)], []),
    CodeImage(returning(1), 0, [WordRun(2, 2)], []),
    CodeImage(returning(1), 0, [WordRun(2, 1 << 31)], []),
    CodeImage(returning((1 << 64) - 1), 0, [WordRun(2, 1)], []),
    CodeImage(returning(1), 0, [], [BorrowedWord(4, "memset", 0)]), CodeImage(b"", 0, [], []),
])  # fmt: skip
def test_places_outside_of_the_code_are_refused(wrong: CodeImage) -> None:
    with pytest.raises(NotWhole):
        code_image.load(wrong.dump())


def test_damage_to_any_byte_is_noticed(kept: tuple[bytes, bytes]) -> None:
    content = kept[1]
    key = machine_code.key_of(BRANCHES, machine_code.Care.ALL)
    for at in range(len(content)):
        damaged = content[:at] + bytes([content[at] ^ 0x5A]) + content[at + 1 :]
        for harmed in (damaged, content[:at]):
            assert machine_code.recall(BRANCHES, MemoryStore({key: harmed})) is None
    assert machine_code.recall(BRANCHES, MemoryStore({key: content + b"\0"})) is None


def test_no_damage_behind_a_good_checksum_harms_the_process() -> None:
    """All that is not the code itself, byte by byte: it is refused, or stays within the image."""
    runs, words = [WordRun(2, 1), WordRun(13, 2)], [BorrowedWord(29, "memset", 0)]
    image = CodeImage(returning(1) + bytes(32), 0, runs, words).dump()
    refused = 0
    for at in range(len(image) - 43):
        for value in (0, 0x41, 0x80, 0xFF):
            try:
                code_image.load(image[:at] + bytes([value]) + image[at + 1 :])
            except NotWhole:
                refused += 1
    assert refused > 100
    for end in range(len(image)):
        with pytest.raises(NotWhole):
            code_image.load(image[:end])


def test_what_is_not_understood_is_left_to_llvm(kept: tuple[bytes, bytes]) -> None:
    code = kept[0]
    relocations = _relocations(code)
    assert relocations
    for kind in (2, 9, 42, 0xFFFF):
        at, about, addend = RELOCATION.unpack_from(code, relocations[0])
        other = bytearray(code)
        RELOCATION.pack_into(other, relocations[0], at, about >> 32 << 32 | kind, addend)
        with pytest.raises(NotUnderstood, match=f"kind {kind}"):
            image_of(bytes(other))
        assert machine_code.here().packed(bytes(other)).startswith(machine_code.OBJECT)


def test_calls_of_functions_that_are_not_there_are_refused() -> None:
    """LLVM divides numbers of 128 bits by a function that no process of ours need have."""
    text = """
        define i64 @unit(ptr %w, i64 %n) {
          %wide = sext i64 %n to i128
          %more = mul i128 %wide, %wide
          %less = udiv i128 %more, %wide
          %found = trunc i128 %less to i64
          ret i64 %found
        }
    """
    store = MemoryStore()
    with (
        mock.patch.object(executable, "address_of_function", lambda name: None),
        pytest.raises(Unwritable, match="functions that are not there: __udivti3"),
    ):
        machine_code.assemble(text, store)
    assert not store


def _relocations(code: bytes) -> list[int]:
    """Where relocations of addresses in the code itself are."""
    found = []
    (offset,) = Struct("<Q").unpack_from(code, 40)
    (count,) = Struct("<H").unpack_from(code, 60)
    for number in range(count):
        kind, begin, size, info = Struct("<4xI16xQQ4xI").unpack_from(code, offset + 64 * number)
        (flags,) = Struct("<Q").unpack_from(code, offset + 64 * info + 8)
        if kind == 4 and flags & 4:
            found += range(begin, begin + size, RELOCATION.size)
    return found


@pytest.mark.parametrize("harm", [
    lambda code: b"",
    lambda code: b"\xcf\xfa\xed\xfe" + code[4:],  # a Mac's
    lambda code: code[:18] + b"\xb7" + code[19:],  # for another processor
    lambda code: code[:16] + b"\3" + code[17:],  # a library
])  # fmt: skip
def test_other_objects_are_not_understood(
    harm: Callable[[bytes], bytes], kept: tuple[bytes, bytes]
) -> None:
    with pytest.raises(NotUnderstood):
        image_of(harm(kept[0]))


def test_an_object_with_any_damage_is_not_understood_or_stays_within_bounds(
    kept: tuple[bytes, bytes],
) -> None:
    code, understood = kept[0], 0
    for at in range(0, len(code), 3):
        try:
            content = image_of(code[:at] + bytes([code[at] ^ 0xFF]) + code[at + 1 :]).dump()
        except NotUnderstood:
            continue
        code_image.load(content)
        understood += 1
    assert 0 < understood < len(code) // 3


def test_where_memory_may_not_be_executed_nothing_is_loaded(
    kept: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forbidding:
        def __getattr__(self, name: str) -> Any:
            return (lambda *words: -1) if name == "mprotect" else getattr(system, name)

    system = executable._system()
    monkeypatch.setattr(executable, "_system", Forbidding)
    store = MemoryStore({machine_code.key_of(BRANCHES, machine_code.Care.ALL): kept[1]})
    assert machine_code.recall(BRANCHES, store) is None


def test_the_processor_is_what_llvm_takes_it_for() -> None:
    import llvmlite.binding

    features = llvmlite.binding.get_host_cpu_features()
    assert machine_code.has_long_vectors() == bool(features.get("avx512f"))
    _, family, extended = (processor().answers[leaf] for leaf in (0, 1, 2))
    assert bool(family[1] & 1 << 28 and processor().saved & 6 == 6) == bool(features.get("avx"))
    assert bool(extended[1] & 1 << 8) == bool(features.get("bmi2"))


def test_code_is_kept_for_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    names = set()
    found = processor()
    for other in (found, found._replace(saved=found.saved ^ 4), found._replace(answers=())):
        monkeypatch.setattr(
            "planewalk.engines.native.processor.processor", lambda other=other: other
        )
        machine_code._surroundings.cache_clear()
        names.add(machine_code.key_of("text", machine_code.Care.ALL))
    machine_code._surroundings.cache_clear()
    assert len(names) == 3


# Without LLVM ------------------------------------------------------------------------------------


def added_up(numbers: I64, count: int) -> int:
    total = 0
    for i in range(count):
        total += numbers[i]
    return total


def test_a_kept_kernel_needs_no_llvm() -> None:
    store = MemoryStore()
    Kernel(added_up).assemble(store)
    kernel = Kernel(added_up)
    with without_llvm():
        kernel.assemble(store)
    assert kernel.ready and kernel(array("q", [3, 4, 5]), 2) == 7


SOURCE, STEPS = b"1$", 1_000


def test_a_kept_interpreter_needs_no_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    store, language = MemoryStore(), registry.get("mirrorfunge")
    states = []
    for surroundings in (nullcontext(), without_llvm()):
        monkeypatch.setattr(interpreter, "_MADE", {})
        state = language.start(SOURCE, language.read_options({}), 0)
        with surroundings:
            engine = InterpreterEngine(language, state, Limits(), store)
        engine.advance(STEPS)
        assert engine.refused is None and engine.native_ticks > 0
        states.append(state)
    assert states[0] == states[1]


def test_without_kept_code_it_is_said_why_there_is_no_interpreter(monkeypatch) -> None:
    language = registry.get("mirrorfunge")
    monkeypatch.setattr(interpreter, "_MADE", {})
    state = language.start(SOURCE, language.read_options({}), 0)
    with without_llvm():
        engine = InterpreterEngine(language, state, Limits(), MemoryStore())
    assert engine.refused is not None and "llvmlite is not installed" in engine.refused


SCRIPT = """
import sys
from planewalk.apps.cli.main import main
code = main()
print(code, "llvmlite.binding" in sys.modules)
"""


def test_a_run_that_finds_its_code_has_not_loaded_llvm(tmp_path: Any) -> None:
    language, folder = registry.get("mirrorfunge"), tmp_path / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpreter, "_MADE", {})
        state = language.start(SOURCE, language.read_options({}), 0)
        interpreter.interpreter_for(language, state, DiskStore(str(folder)))
    (tmp_path / "p.mf").write_bytes(SOURCE)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "run", "p.mf", "--max-steps", "1000000"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "PLANEWALK_CACHE": str(folder)},
    )  # fmt: skip
    assert done.stdout.endswith("3 False\n"), done.stderr


def test_memory_is_left_alone_when_python_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules may have gone before it."""
    memory = executable.ExecutableMemory(8)
    monkeypatch.setattr(executable, "sys", None)
    monkeypatch.setattr(executable, "_system", None)
    monkeypatch.setattr(executable.ExecutableMemory, "_is_ending", staticmethod(lambda: True))
    memory.__del__()
    memory.size = 0
