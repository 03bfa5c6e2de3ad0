"""Machine code for pages: made here, and run by the Python that pages have, in Node."""

from __future__ import annotations

import ctypes
import json
from itertools import product
from typing import Any

import pytest

from planewalk.apps.page.code import side_modules
from planewalk.apps.stock import LIST
from planewalk.core.base.fingerprint import fingerprint
from planewalk.core.errors import OptionError
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.native import side_module
from planewalk.engines.native.machine_code import assemble
from planewalk.engines.picture.painter import Painter
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.bare import bare
from tests.pyodide import in_pyodide, needs_pyodide

NEEDS_PILLOW = {
    "bmprog/picture-bmp-from-the-top", "bmprog/picture-bmp", "bmprog/picture-gif-first-frame",
    "bmprog/picture-ppm",
}  # fmt: skip
"""Pictures of other kinds than PNG, which no page reads."""


def test_without_a_linker_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_module, "LINKER", "no_such_linker")
    with pytest.raises(OptionError, match=r"pip install 'planewalk\[site\]'"):
        side_modules.__wrapped__()


def test_a_browser_that_takes_no_module_is_told_of() -> None:
    scene = """
from planewalk.engines.native import machine_code, side_module
assert side_module.load(b"an image") is None and not side_module.why_not_loaded()
assert machine_code.why_no_interpreter() == "no machine code of one came along with this page"
assert side_module.load(side_module.MAGIC + b"broken") is None
print(machine_code.why_no_interpreter())
"""
    assert bare(scene).startswith("this browser does not take the machine code")


PRODUCT = """
declare {i64, i1} @llvm.smul.with.overflow.i64(i64, i64)
define i64 @unit(i64 %y, i64 %x) {
  %both = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %y, i64 %x)
  %value = extractvalue {i64, i1} %both, 0
  %over = extractvalue {i64, i1} %both, 1
  %result = select i1 %over, i64 77, i64 %value
  ret i64 %result
}
"""


def test_products_overflow_when_they_do() -> None:
    """Those that are written for pages, here on this machine."""
    text = side_module.adapted(PRODUCT)
    assert "llvm.smul" not in text
    owner, call = assemble(text, prototype=ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3))
    near = [0, 1, 3, 1 << 31, 1 << 32, 3037000499, 3037000500, 1 << 62, 1 << 63]
    every = {sign * n + d for n in near for sign in (1, -1) for d in (-1, 0, 1)}
    for y, x in product(filter(fits, every), repeat=2):
        expected = y * x if fits(y * x) else 77
        assert call(y, x) == expected, (y, x)
    del owner


def fits(number: int) -> bool:
    return -(1 << 63) <= number < 1 << 63


@needs_pyodide
@pytest.mark.exhaustive
@pytest.mark.parametrize("language", registry.SUFFIXES)
def test_all_engines_of_a_page_agree(language: str) -> None:
    """On every conformance case and every example."""
    scene = f"from tests.page_agreement import report; print(report({language!r}))"
    said: dict[str, Any] = json.loads(in_pyodide(scene).splitlines()[-1])
    wrong = [(name, problem) for name, problem in said["wrong"] if name not in NEEDS_PILLOW]
    assert not wrong
    shares = {name: native / ticks for name, (ticks, native) in said["ticks"].items()}
    if language in ("refunge", "mirrorfunge", "gemooy"):
        assert shares["interpreter"] > 0.8 and shares["auto"] > 0.2
    signals, crowds, superinstructions = said["kernels"]
    assert signals == (language == "bmprog")
    assert crowds == (language == "refunge")
    assert superinstructions == (language == "refunge")


@needs_pyodide
@pytest.mark.exhaustive
def test_pictures_of_the_gallery_are_drawn_in_lanes_to_the_bit() -> None:
    scene = "import json; from tests.page_agreement import pictures; print(json.dumps(pictures()))"
    drawn: dict[str, str] = json.loads(in_pyodide(scene).splitlines()[-1])
    assert len(drawn) == len(gallery("webfunge"))
    language = registry.get("webfunge")
    for example in gallery("webfunge"):
        program = Program(language, example.read(), {"size": "96x54"})
        painter = Painter(program, Limits(language.rules.default_steps))
        assert fingerprint(painter.paint(1.5)) == drawn[example.file], example.file


SCENE = """
import planewalk
from planewalk.engines.choose import choose_engine, shortfall
from planewalk.core.limits import Limits
from planewalk.apps.store import DiskStore

for engine in ("auto", "interpreter", "llvm"):
    run = planewalk.run("sierpinski.ref", engine=engine, max_steps=60_000)
    assert run.steps == 60_000
    print(run.compiled.native)
for engine in ("interpreter", "llvm"):
    program = planewalk.load("sierpinski.ref")
    state = program.start(0)
    print(shortfall(engine, choose_engine(engine, program.language, state, Limits(), DiskStore())))
"""
LLVM = "a web page makes no machine code; going on with generated Python"


@needs_pyodide
@pytest.mark.exhaustive
def test_browsers_without_tail_calls_have_the_same_interpreters() -> None:
    *ticks, interpreter, llvm = in_pyodide(SCENE, "--no-experimental-wasm-return-call").splitlines()
    assert min(map(int, ticks[:2])) > 40_000
    assert (interpreter, llvm) == ("None", LLVM)


@needs_pyodide
@pytest.mark.exhaustive
def test_a_page_without_machine_code_runs_as_well_and_says_so() -> None:
    *ticks, interpreter, llvm = in_pyodide(SCENE, whole=False).splitlines()
    assert ticks == ["0"] * 3 and llvm == LLVM
    assert "no machine code of one came along with this page" in interpreter


@needs_pyodide
@pytest.mark.exhaustive
def test_what_lasting_runs_need_is_there_from_the_start() -> None:
    """Or one slice would take a quarter of a second."""
    scene = """
import sys
from planewalk.apps.page.tab import warm_up
warm_up()
print("planewalk.engines.interpreter.engine" in sys.modules)
print("planewalk.engines.scheduling.tiers" in sys.modules)
"""
    assert in_pyodide(scene).split() == ["True", "True"]


@needs_pyodide
@pytest.mark.exhaustive
def test_all_that_comes_along_can_be_loaded() -> None:
    """Files are named so that a person can tell what they are."""
    scene = """
import os
from planewalk.apps.stock import FOLDER
from planewalk.engines.native import side_module
for name in sorted(os.listdir(FOLDER)):
    if name.endswith(".wasm"):
        with open(os.path.join(FOLDER, name), "rb") as file:
            assert side_module.load(file.read()) is not None, side_module.why_not_loaded()
    print(name)
"""
    names = in_pyodide(scene).splitlines()
    assert {LIST, "refunge-interpreter-wasm32.wasm", "refunge-kernel-run-wasm32.wasm"} < {*names}
    assert {"superinstructions-driver-wasm32.wasm", "gemooy-interpreter.facts"} < {*names}
