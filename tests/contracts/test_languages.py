"""Every language of planewalk keeps what all languages promise."""

from __future__ import annotations

from planewalk.languages import registry
from planewalk.testing import language_tests

TestRefunge = language_tests(registry.get("refunge"), programs=2)
TestMirrorfunge = language_tests(registry.get("mirrorfunge"), programs=2)
TestGemooy = language_tests(registry.get("gemooy"), programs=2)
TestWebfunge = language_tests(registry.get("webfunge"), programs=2)
TestBMProg = language_tests(registry.get("bmprog"), programs=2)


def test_the_registry_knows_the_suffixes_without_importing() -> None:
    for name, suffixes in registry.SUFFIXES.items():
        assert registry.get(name).suffixes == suffixes
