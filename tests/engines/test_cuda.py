"""Code for NVIDIA cards, as far as that can be seen without one."""

import ctypes
import itertools
import math
import re
import time
from typing import Any

import pytest

import planewalk
from planewalk.core.language import Drawing
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.native.values import Unwritable
from planewalk.engines.picture import Painter, PixelTally, cuda, driver
from planewalk.engines.picture.cuda import CudaPainter, kernel_text
from planewalk.engines.picture.driver import NoCard
from planewalk.engines.picture.ptx import assemble_ptx
from planewalk.examples import gallery
from tests.marks import plainly
from tests.patience import PATIENCE

CHIP = "sm_75"
LIMITS = Limits(steps=10_000)
EXAMPLES = [example.file for example in gallery("webfunge")]
SOME = ["plasma.wf", "julia.wf", "planet.wf"]
ROUNDED = r"^\s*(?:@\S+ )?((?:add|sub|mul|mad|fma|div|rcp|sqrt)\.\S*f(?:32|64))\s"
"""Operations that round: without .rn, drivers may join a product and a sum into one."""


def load(source: str) -> Program:
    return planewalk.load(source=source, language="webfunge")


def ptx_of(program: Program, fast: bool) -> str:
    return assemble_ptx(kernel_text(program, Painter(program, LIMITS), fast), CHIP)


def example(name: str) -> Program:
    return load(next(one for one in gallery("webfunge") if one.file == name).read().decode())


def unresolved(ptx: str) -> set[str]:
    """Functions that are called, or said to be elsewhere, and are not there."""
    defined = set(re.findall(r"^\.func .*?([\w$]+)\($", ptx, re.M))
    called = set(re.findall(r"\bcall(?:\.uni)?\s+(?:\(\w+\), )?([\w$%]+)", ptx))
    return (called - defined) | set(re.findall(r"^\.extern.*", ptx, re.M))


@pytest.mark.parametrize("name", plainly(SOME, EXAMPLES))
def test_exact_code_rounds_as_all_engines_do(name: str) -> None:
    ptx = ptx_of(example(name), fast=False)
    assert ".visible .entry paint(" in ptx and not unresolved(ptx)
    rounded = set(re.findall(ROUNDED, ptx, re.M))
    assert rounded and all(".rn." in op for op in rounded)
    assert "fma." not in ptx and ".approx" not in ptx and ".ftz" not in ptx


@pytest.mark.parametrize("name", plainly(SOME, EXAMPLES))
def test_fast_code_is_whole_and_has_32_bits(name: str) -> None:
    ptx = ptx_of(example(name), fast=True)
    assert ".visible .entry paint(" in ptx and not unresolved(ptx)
    assert not [op for op in re.findall(ROUNDED, ptx, re.M) if op.endswith("f64")]


def test_broken_code_is_refused() -> None:
    with pytest.raises(Unwritable, match=f"code for {CHIP} cannot be made"):
        assemble_ptx("define void @paint( {", CHIP)


def test_a_program_that_is_not_for_cards_is_refused() -> None:
    with pytest.raises(Unwritable):
        kernel_text(load(">1"), Painter(load(">1"), LIMITS), fast=False)


def test_languages_without_shading_are_refused() -> None:
    program = load("@")
    plain = Program(program.language._replace(drawing=Drawing()), program.source, program.options)
    with pytest.raises(Unwritable):
        kernel_text(plain, Painter(plain, LIMITS), fast=False)


def test_without_a_driver_there_is_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARY", "libno-such-driver.so")
    with pytest.raises(NoCard, match=r"no driver .*libno-such-driver"):
        CudaPainter(load("@"), LIMITS)


class Driver:
    """A driver that keeps accounts of what was taken from it; its kernels do nothing."""

    def __init__(self) -> None:
        self.taken: dict[str, set[int]] = {"context": set(), "module": set(), "memory": set()}
        self.refuses: dict[str, int] = {}
        """How many calls of a name are granted before it fails."""
        self.keep: list[Any] = []
        self.sent: list[bytes] = []
        self.numbers = itertools.count(1)

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self._call(name, *given)

    def _call(self, name: str, *given: Any) -> int:
        if name in self.refuses:
            self.refuses[name] -= 1
            if self.refuses[name] < 0:
                return 2
        if name == "cuDeviceGetCount":
            given[0]._obj.value = 1
        elif name == "cuDevicePrimaryCtxRetain":
            self._give("context", given[0])
        elif name == "cuModuleLoadDataEx":
            self._give("module", given[0])
        elif name == "cuMemAlloc_v2":
            self._give("memory", given[0])
        elif name == "cuMemcpyHtoD_v2":
            assert given[0].value in self.taken["memory"] and given[2].value == len(given[1])
            self.sent.append(given[1])
        elif name == "cuMemAllocHost_v2":
            room = ctypes.create_string_buffer(given[1].value)
            self.keep.append(room)
            given[0]._obj.value = ctypes.addressof(room)
            self.taken["memory"].add(given[0]._obj.value)
        elif name in ("cuMemFree_v2", "cuMemFreeHost"):
            self.taken["memory"].remove(given[0].value)
        elif name == "cuModuleUnload":
            self.taken["module"].remove(given[0].value)
        elif name == "cuDevicePrimaryCtxRelease_v2":
            self.taken["context"].pop()
        return 0

    def _give(self, kind: str, place: Any) -> None:
        place._obj.value = next(self.numbers)
        self.taken[kind].add(place._obj.value)

    @property
    def count(self) -> list[int]:
        return [len(things) for things in self.taken.values()]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Driver:
    found = Driver()
    real = ctypes.CDLL
    monkeypatch.setattr(driver, "LIBRARY", "a driver")
    monkeypatch.setattr(
        ctypes, "CDLL", lambda name, *more: found if name == "a driver" else real(name, *more)
    )
    monkeypatch.setattr(cuda, "assemble_ptx", lambda text, chip: "code")
    return found


def test_a_painter_gives_back_what_it_took(fake: Driver) -> None:
    painter = CudaPainter(load("0y1y4y@"), LIMITS)
    assert fake.count == [1, 1, 0]
    for size in (2, 5, 3):
        assert len(painter.paint(box=(0, 0, size, size))) == 3 * size * size
        assert fake.count == [1, 1, 4]
    painter.close()
    painter.close()
    assert fake.count == [0, 0, 0]


def test_what_the_card_leaves_is_counted(fake: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finishes two of four pixels in each row, and leaves one that faults to others."""
    program = load("0y!#v_111@\n    >aaa**k1@")
    painter = CudaPainter(program, Limits(steps=2_000))

    def fetch(to: Any, place: int, size: int) -> None:
        if place == painter._marks:
            ctypes.memmove(to, bytes([1, 1, 0, 0] * 3), size)

    monkeypatch.setattr(painter, "draw", lambda time, box: painter._make_room(12) or 6)
    monkeypatch.setattr(painter.card, "fetch", fetch)
    for most in (6, 5):  # those pixels alone, or all of them once more
        monkeypatch.setattr(cuda, "MOST_LEFT_OVER", most)
        painter.paint(box=(0, 0, 4, 3))
        assert painter.take_tally()[:4] == (12, 3, 0, 0)
    assert painter.take_tally() == PixelTally()
    painter.exact.single.limits = Limits(steps=2)
    monkeypatch.setattr(cuda, "MOST_LEFT_OVER", 6)
    painter.paint(box=(0, 0, 4, 3))
    assert painter.take_tally()[:4] == (12, 0, 6, 0)


TEXTURE = (5, 7, bytes(range(105)))


@pytest.mark.parametrize("fast", [False, True])
def test_textures_are_read_from_the_card(fast: bool) -> None:
    program = planewalk.load(source="0y2y/1y3y/0T@", language="webfunge", texture=[TEXTURE])
    ptx = ptx_of(program, fast)
    assert len(re.findall(r"ld\.global\S*\.[ub]8", ptx)) == 3 and not unresolved(ptx)


def test_the_fast_form_has_room_for_some_textures() -> None:
    """A float of 32 bits counts no further."""
    large = (2400, 2400, bytes(3 * 2400 * 2400))
    program = planewalk.load(source="0y2y/1y3y/0T@", language="webfunge", texture=[large])
    assert ptx_of(program, fast=False)
    with pytest.raises(Unwritable, match="textures have more than 16777216 bytes"):
        ptx_of(program, fast=True)


def on_this_machine(program: Program) -> bytes:
    """The picture that the code for a card draws, made for this processor: a group for each
    pixel, one after the other."""
    import llvmlite.binding as llvm

    width, height = program.options["size"]
    text = kernel_text(program, Painter(program, LIMITS), fast=False)
    text = text.replace("ptx_kernel ", "").replace(" addrspace(1)", "")
    for name, value in {"ctaid.x": "@column", "ctaid.y": "@row"}.items():
        text = _as_function(text, name, f"load i32, ptr {value}")
    for name, value in {"ntid": 1, "tid": 0}.items():
        for axis in "xy":
            text = _as_function(text, f"{name}.{axis}", f"add i32 {value}, 0")
    text = "@column = global i32 0\n@row = global i32 0\n" + text
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    column, row = (
        ctypes.c_int32.from_address(engine.get_global_value_address(name))
        for name in ("column", "row")
    )
    kinds = [ctypes.c_char_p] * 3 + [ctypes.c_int32] * 6
    kinds += [ctypes.c_double, ctypes.c_int32, ctypes.c_int64, ctypes.c_char_p]
    paint = ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address("paint"))
    size = width * height
    pixels, marks, count = (ctypes.create_string_buffer(n) for n in (3 * size, size, 4))
    samples = program.language.rules.samples(program.options)
    for row.value in range(height):
        for column.value in range(width):
            paint(
                pixels, marks, count, 0, 0, width, height, width, height,
                program.options["time"], LIMITS.steps, 0, samples,
            )  # fmt: skip
    assert not any(marks.raw)
    return pixels.raw


def _as_function(text: str, name: str, value: str) -> str:
    """Have what a thread is told about its place come from elsewhere."""
    register = f"llvm.nvvm.read.ptx.sreg.{name}"
    text = text.replace(
        f"declare i32 @{register}()", f"define i32 @{name}() {{\n%v = {value}\nret i32 %v\n}}"
    )
    return text.replace(f"@{register}", f"@{name}")


@pytest.mark.parametrize("time", [0.3, -1e-20, 1e30, math.inf, math.nan])
@pytest.mark.parametrize("source", ["0y2y/1y3y/0T@", "4y1y3y/1T@", "0y4y*1y4y/1T+0y4y-1y4y+0T@"])
def test_textures_are_exact_in_code_for_cards(source: str, time: float) -> None:
    options: Any = {"texture": [(3, 2, bytes(range(18))), TEXTURE], "size": (9, 5), "time": time}
    program = planewalk.load(source=source, language="webfunge", **options)
    painter = Painter(program, LIMITS)
    assert on_this_machine(program) == painter.paint()


def test_textures_are_brought_to_the_card(fake: Driver) -> None:
    program = Program(load("@").language, b"0y2y/1y3y/0T@", {"texture": [TEXTURE, TEXTURE]})
    painter = CudaPainter(program, LIMITS)
    for size in (2, 5, 3):
        painter.paint(box=(0, 0, size, size))
        assert fake.count == [1, 1, 5]
    assert fake.sent == [2 * TEXTURE[2]] * 2  # once more when there had to be more room
    painter.close()
    assert fake.count == [0, 0, 0]


def test_a_program_without_code_gives_the_card_back(fake: Driver) -> None:
    with pytest.raises(Unwritable):
        CudaPainter(load(">1"), LIMITS)
    assert fake.count == [0, 0, 0]
    fake.refuses["cuModuleGetFunction"] = 0
    with pytest.raises(NoCard, match="the card refuses cuModuleGetFunction"):
        CudaPainter(load("0y1y4y@"), LIMITS)
    assert fake.count == [0, 0, 0]


@pytest.mark.parametrize("granted", range(4))
def test_a_card_without_memory_gives_back_what_it_had(fake: Driver, granted: int) -> None:
    painter = CudaPainter(load("0y1y4y@"), LIMITS)
    painter.paint(box=(0, 0, 1, 1))
    fake.refuses = {"cuMemAlloc_v2": granted, "cuMemAllocHost_v2": 0}
    with pytest.raises(NoCard, match="the card refuses cuMemAlloc"):
        painter.paint(box=(0, 0, 9, 9))
    fake.refuses = {}
    assert len(painter.paint(box=(0, 0, 9, 9))) == 243 and fake.count == [1, 1, 4]
    painter.close()
    assert fake.count == [0, 0, 0]


def test_a_card_that_failed_is_let_go(fake: Driver) -> None:
    painter = CudaPainter(load("0y1y4y@"), LIMITS)
    painter.paint(box=(0, 0, 2, 2))
    fake.refuses = {"cuLaunchKernel": 0, "cuMemFree_v2": 0}
    with pytest.raises(NoCard, match="the card refuses cuLaunchKernel"):
        painter.paint(box=(0, 0, 2, 2))
    painter.close()
    assert fake.count[0] == 0


def test_whoever_draws_on_a_card_gives_it_back(fake: Driver) -> None:
    program = load("0y1y4y@")
    planewalk.render(program, size=(2, 2), device="cuda")
    assert len(list(planewalk.render(program, size=(2, 2), frames=3, device="cuda"))) == 3
    end = time.monotonic() + PATIENCE
    while any(fake.count) and time.monotonic() < end:
        time.sleep(0.01)  # it is done by a thread, for which nobody waits
    assert fake.count == [0, 0, 0]
