"""What holds for every program in every language. The laws themselves are in `apps/checking`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import planewalk
from planewalk.apps.checking.laws import LAWS
from planewalk.core.errors import SourceError
from planewalk.engines.policy import HASTY, following
from tests.laws.programs import LANGUAGES, sources, trials

STATUSES = {"halted", "limit", "stalled", "fault"}


@pytest.mark.parametrize("name", LANGUAGES)
@given(data=st.data())
def test_any_bytes_run_or_are_a_clear_error(name: str, data: st.DataObject) -> None:
    source = data.draw(st.binary(max_size=200) | sources(name))
    try:
        run = planewalk.run(
            source=source, language=name, input=b"x1 ", max_steps=200, max_memory=1 << 24
        )
    except SourceError as error:
        assert name == "bmprog" and str(error)
    else:
        assert run.status in STATUSES
        json.loads(run.to_json())


@pytest.mark.parametrize("law", [law for law in LAWS if law != "engines agree"])
@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=15)
@given(data=st.data())
def test_a_law_holds(name: str, law: str, data: st.DataObject) -> None:
    with following(HASTY):
        assert LAWS[law](data.draw(trials(name))) is None
