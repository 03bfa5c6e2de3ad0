"""The examples do what their index says."""

from __future__ import annotations

import pytest

import planewalk
from planewalk.examples import Example, gallery
from tests.cases import compare

EXAMPLES = gallery()
LANGUAGES = ["refunge", "mirrorfunge", "gemooy", "webfunge", "bmprog"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.language}/{e.file}")
def test_example_does_what_its_index_says(example: Example) -> None:
    assert example.runs, "an example shows at least one run"
    assert example.title and example.description.endswith(".") and "\n" not in example.description
    for expected in example.runs:
        options = {
            key.replace("-", "_"): value for key, value in expected.get("options", {}).items()
        }
        run = planewalk.run(
            source=example.read(),
            language=example.language,
            input=expected.get("input", ""),
            max_steps=expected.get("max-steps"),
            seed=expected.get("seed"),
            **options,
        )
        assert run.status == expected.get("status", "halted")
        assert run.output.decode() == expected.get("output", "")
        if "steps" in expected:
            assert run.steps == expected["steps"]
        if "value" in expected:
            assert run.value == expected["value"]
        if "state" in expected:
            compare(expected["state"], run.show())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_eight_examples(language: str) -> None:
    assert len(gallery(language)) >= 8
