"""The gallery: how many examples there are, and how they are told of.

That each does what its index says is tested in `contracts/test_languages.py`.
"""

import pytest

from planewalk.examples import Example, gallery
from planewalk.languages import registry


@pytest.mark.parametrize("example", gallery(), ids=lambda e: f"{e.language}/{e.file}")
def test_example_is_told_of_in_one_line(example: Example) -> None:
    assert example.title and example.description.endswith(".") and "\n" not in example.description


def test_an_index_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = gallery()
    monkeypatch.setattr("tomllib.loads", None)
    assert [example.file for example in gallery()] == [example.file for example in before]


@pytest.mark.parametrize("language", registry.SUFFIXES)
def test_every_language_has_eight_examples(language: str) -> None:
    assert len(gallery(language)) >= 8
