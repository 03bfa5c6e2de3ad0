"""Machine code for pages: made here, and run by the Python that pages have, in Node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planewalk.apps.page.code import side_modules
from planewalk.apps.stock import LIST
from planewalk.core.errors import OptionError
from planewalk.engines.native import side_module
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
    """As one without tail calls: the run goes on, and it is said why it is slow."""
    scene = """
from planewalk.engines.native import machine_code, side_module
assert side_module.load(b"an image") is None and not side_module.why_not_loaded()
assert machine_code.why_no_interpreter() == "no machine code of one came along with this page"
assert side_module.load(side_module.MAGIC + b"broken") is None
print(machine_code.why_no_interpreter())
"""
    assert bare(scene).startswith("this browser lacks tail calls, or something else")


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


WITHOUT = """
import planewalk
from planewalk.engines.choose import choose_engine, shortfall
from planewalk.core.limits import Limits
from planewalk.apps.store import DiskStore

for engine in ("auto", "interpreter", "llvm"):
    run = planewalk.run("sierpinski.ref", engine=engine, max_steps=60_000)
    assert run.steps == 60_000 and run.compiled.native == 0, engine
program = planewalk.load("sierpinski.ref")
state = program.start(0)
chosen = choose_engine("interpreter", program.language, state, Limits(), DiskStore())
print(shortfall("interpreter", chosen))
print(shortfall("llvm", chosen))
"""


@needs_pyodide
@pytest.mark.exhaustive
def test_without_tail_calls_runs_are_slower_and_it_is_said() -> None:
    told = in_pyodide(WITHOUT, "--no-experimental-wasm-return-call").splitlines()
    assert told[0].startswith("there is no interpreter for it: this browser lacks tail calls")
    assert told[1] == "a web page makes no machine code; going on with generated Python"


@needs_pyodide
@pytest.mark.exhaustive
def test_a_page_without_machine_code_runs_as_well() -> None:
    told = in_pyodide(WITHOUT, whole=False).splitlines()
    assert "no machine code of one came along with this page" in told[0]


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
