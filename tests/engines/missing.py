"""A process from which LLVM is taken away."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from planewalk.engines.native import llvm


@contextmanager
def without_llvm() -> Iterator[None]:
    """For those who look for it meanwhile, LLVM is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "llvmlite.binding", None)
        llvm.why_not.cache_clear()
        assert llvm.why_not() is not None
        yield
    llvm.why_not.cache_clear()
