"""What many walkers did is told in about as many steps as there are walkers."""

import pytest

from planewalk.core.state import Walker
from planewalk.core.step import Stop
from planewalk.engines.stepping.observe import Observer
from planewalk.languages import registry
from planewalk.view.walk import telling


def test_what_became_of_walkers_is_looked_up_once_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    language = registry.get("refunge")
    state = language.start(b"    \nY/ |\n    ", language.read_options({}), 0)
    stance = state.walkers[0].stance
    state.walkers = [Walker(stance._replace(x=n % 4, y=1), (0, 0)) for n in range(12)]
    step = Observer(language, state).step()
    assert step is not None and not isinstance(step, Stop)
    expected = [telling.tell_action(language, action, step) for action in step.actions]
    made = []
    real = telling._Fates
    monkeypatch.setattr(telling, "_Fates", lambda step: made.append(step) or real(step))
    lines = list(telling.trace_lines(language, step))
    assert len(made) == 1
    assert [line.split("  ")[-1] for line in lines[:12]] == expected
    assert any("sets out" in line for line in expected)
