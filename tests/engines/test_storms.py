"""Code that is never worth compiling: engines look at it less and less often."""

from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.engines.base.policy import PATIENT
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.profile import Profile
from planewalk.languages import registry

STORM = rb"""X-<|+-\>
+~-/~ -/
X| ^vv*
v#^*->#X
* v+ <*/
\>| \#\~
^ *>/X\
#< --<>*
@+^X<-*
X|@+/v>\
"""
"""Its units are left after a few ticks, wherever they begin."""


def test_tries_in_vain_become_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = []
    watch = Profile.watch

    def counted(profile: Profile, *given: Any) -> Any:
        watched.append(given)
        return watch(profile, *given)

    monkeypatch.setattr(Profile, "watch", counted)
    language = registry.get("refunge")
    state, expected = (language.start(STORM, language.read_options({}), 0) for _ in range(2))
    at_once = PATIENT._replace(background=False)
    engine = PythonEngine(language, state, Limits(memory=None), at_once)
    assert engine.advance(100_000) is None
    assert 2 <= len(watched) <= 10  # tried again and again it would be some fifty times
    ReferenceEngine(language, expected).advance(100_000)
    assert state == expected
