"""Random programs of every language, as hypothesis draws and shrinks them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from planewalk.apps.checking.programs import Stock
from planewalk.apps.checking.trial import Trial
from planewalk.core.state import State
from planewalk.engines.base.policy import EAGER, following
from planewalk.languages import registry
from tests.engines.agreement import quick_code

TEXT_LANGUAGES = ["refunge", "mirrorfunge", "gemooy", "webfunge"]
LANGUAGES = [*TEXT_LANGUAGES, "bmprog"]


LONG = 1_000
"""More examples than this are for a long search."""
SOME = settings.default.max_examples // 5
"""How many programs a law is tried on, of each language, by each engine."""
FEW = settings.default.max_examples // 20
"""And where all of them are compiled."""
COMPILING = ["python", "llvm"]
"""Engines that must be eager: random programs do not live long enough to become hot."""


@contextmanager
def compiled_at_once() -> Iterator[None]:
    """Everything, and quickly."""
    with following(EAGER), quick_code():
        yield


@cache
def stock(name: str) -> Stock:
    return Stock(registry.get(name))


def dice() -> st.SearchStrategy[Random]:
    """Chance that hypothesis makes smaller if somebody looks for long; that takes five times as
    long to draw, so that others have a seed, which tells as well what went wrong."""
    if settings.default.max_examples > LONG:
        return st.randoms(use_true_random=False)
    return st.integers(0, 2**32).map(Random)


def trials(name: str) -> st.SearchStrategy[Trial]:
    return dice().map(stock(name).trial)


def soups(name: str) -> st.SearchStrategy[bytes]:
    """Sources that are no changed examples, which may take long."""
    return dice().map(stock(name).soup).map(str.encode)


def sources(name: str) -> st.SearchStrategy[bytes]:
    return trials(name).map(lambda trial: trial.source)


def started(name: str, source: bytes, seed: int = 7, **options: Any) -> State:
    language = registry.get(name)
    return language.start(source, language.read_options(options), seed)
