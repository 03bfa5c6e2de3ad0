"""What holds for every program in every language. The laws themselves are in `apps/checking`."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import planewalk
from planewalk.apps.checking.laws import LAWS, engines_agree
from planewalk.core.errors import SourceError
from planewalk.engines.base.policy import HASTY, following
from tests.laws.programs import LANGUAGES, SOME, sources, trials

STATUSES = {"halted", "limit", "stalled", "fault"}


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=2 * SOME)
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


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_all_laws_hold(name: str, data: st.DataObject) -> None:
    """All but that engines agree, which is tested for itself."""
    trial = data.draw(trials(name))
    with following(HASTY):
        for name, law in LAWS.items():
            assert law is engines_agree or law(trial) is None, name
