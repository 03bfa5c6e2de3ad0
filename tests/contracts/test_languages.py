"""Every language of planewalk keeps what all languages promise."""

import pytest

from planewalk.apps.checking.check import Checker
from planewalk.apps.checking.laws import LAWS
from planewalk.examples import examples_of
from planewalk.languages import registry
from planewalk.testing import language_tests

TestRefunge = language_tests(registry.get("refunge"), programs=2)
TestMirrorfunge = language_tests(registry.get("mirrorfunge"), programs=2)
TestGemooy = language_tests(registry.get("gemooy"), programs=2)
TestWebfunge = language_tests(registry.get("webfunge"), programs=2)
TestBMProg = language_tests(registry.get("bmprog"), programs=2)

for _tests in (TestRefunge, TestMirrorfunge, TestGemooy, TestWebfunge, TestBMProg):
    pytest.mark.exhaustive(_tests.test_law_holds_for_example_program)


@pytest.mark.parametrize("name", registry.SUFFIXES)
def test_an_example_keeps_all_laws(name: str) -> None:
    language = registry.get(name)
    example = examples_of(language)[0]
    for law in LAWS:
        assert Checker(language, 0).judge_example(law, example) is None, law


def test_the_registry_knows_the_suffixes_without_importing() -> None:
    for name, suffixes in registry.SUFFIXES.items():
        assert registry.get(name).suffixes == suffixes
