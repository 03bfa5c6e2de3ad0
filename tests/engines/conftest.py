"""Policies that tests of engines run by."""

from collections.abc import Iterator

import pytest

from planewalk.engines.base.policy import HASTY, PATIENT, following
from tests.engines.agreement import quick_code


@pytest.fixture
def in_the_foreground() -> Iterator[None]:
    """Code is made while the run waits for it, so that every run is the same."""
    with following(PATIENT._replace(background=False)):
        yield


@pytest.fixture
def at_once() -> Iterator[None]:
    with following(HASTY):
        yield


@pytest.fixture
def compile_soon() -> Iterator[None]:
    """Small programs do not live long enough to become hot by themselves."""
    with following(HASTY._replace(profile=20, short=50)), quick_code():
        yield
