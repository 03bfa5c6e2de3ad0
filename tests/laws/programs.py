"""Random programs of every language, as hypothesis draws and shrinks them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from planewalk.apps.checking.programs import Stock
from planewalk.apps.checking.trial import Trial
from planewalk.core.state import State
from planewalk.engines.policy import EAGER, PATIENT, following
from planewalk.languages import registry

TEXT_LANGUAGES = ["refunge", "mirrorfunge", "gemooy", "webfunge"]
LANGUAGES = [*TEXT_LANGUAGES, "bmprog"]


FEW = settings.default.max_examples // 20
"""How many programs a law is tried on in machine code, which takes long to make."""


def policy_for(engine: str) -> AbstractContextManager[None]:
    """Random programs do not live long enough to become hot: compilers compile all at once."""
    return following(EAGER if engine in ("python", "llvm") else PATIENT)


@cache
def stock(name: str) -> Stock:
    return Stock(registry.get(name))


def trials(name: str) -> st.SearchStrategy[Trial]:
    return st.randoms(use_true_random=False).map(stock(name).trial)


def soups(name: str) -> st.SearchStrategy[bytes]:
    """Sources that are no changed examples, which may take long."""
    return st.randoms(use_true_random=False).map(stock(name).soup).map(str.encode)


def sources(name: str) -> st.SearchStrategy[bytes]:
    return trials(name).map(lambda trial: trial.source)


def started(name: str, source: bytes, seed: int = 7, **options: Any) -> State:
    language = registry.get(name)
    return language.start(source, language.read_options(options), seed)
