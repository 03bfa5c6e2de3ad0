"""Code for NVIDIA cards, as far as that can be seen without one."""

from __future__ import annotations

import re

import pytest

import planewalk
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.picture import Painter, driver
from planewalk.engines.picture.cuda import CudaPainter, kernel_text
from planewalk.engines.picture.driver import NoCard
from planewalk.engines.picture.ptx import assemble_ptx
from planewalk.engines.values_ir import Unwritable
from planewalk.examples import gallery

CHIP = "sm_75"
LIMITS = Limits(steps=10_000)
EXAMPLES = [example.file for example in gallery("webfunge")]
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_exact_code_rounds_as_all_engines_do(name: str) -> None:
    ptx = ptx_of(example(name), fast=False)
    assert ".visible .entry paint(" in ptx and not unresolved(ptx)
    rounded = set(re.findall(ROUNDED, ptx, re.M))
    assert rounded and all(".rn." in op for op in rounded)
    assert "fma." not in ptx and ".approx" not in ptx and ".ftz" not in ptx


@pytest.mark.parametrize("name", EXAMPLES)
def test_fast_code_is_whole_and_has_32_bits(name: str) -> None:
    ptx = ptx_of(example(name), fast=True)
    assert ".visible .entry paint(" in ptx and not unresolved(ptx)
    assert not [op for op in re.findall(ROUNDED, ptx, re.M) if op.endswith("f64")]


def test_what_is_called_and_not_there_is_seen() -> None:
    text = """
declare double @elsewhere(double)
define ptx_kernel void @paint(ptr %out) {
  %a = load double, ptr %out
  %b = call double @elsewhere(double %a)
  store double %b, ptr %out
  ret void
}"""
    assert unresolved(assemble_ptx(text, CHIP))


def test_broken_code_is_refused() -> None:
    with pytest.raises(Unwritable, match=f"code for {CHIP} cannot be made"):
        assemble_ptx("define void @paint( {", CHIP)


def test_a_program_that_is_not_for_cards_is_refused() -> None:
    with pytest.raises(Unwritable):
        kernel_text(load(">1"), Painter(load(">1"), LIMITS), fast=False)


def test_languages_without_shading_are_refused() -> None:
    program = load("@")
    plain = Program(program.language._replace(shading=None), program.source, program.options)
    with pytest.raises(Unwritable):
        kernel_text(plain, Painter(plain, LIMITS), fast=False)


def test_without_a_driver_there_is_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "LIBRARY", "libno-such-driver.so")
    with pytest.raises(NoCard, match=r"no driver .*libno-such-driver"):
        CudaPainter(load("@"), LIMITS)
