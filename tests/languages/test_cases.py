"""Every conformance case, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import all_cases, read_case

ENGINES = ["reference", "python", "llvm"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", all_cases(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path, engine: str) -> None:
    read_case(path).check(engine)


@pytest.mark.parametrize("path", all_cases(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_case_expects_something_and_quotes_its_source(path: Path) -> None:
    case = read_case(path)
    assert "\n> " in f"\n{case.prose}", "quote the sentence or ruling it stands for"
    expectations = {"stop", "state", "result"} | {
        f"output{kind}" for kind in ("", " escaped", " base64")
    }
    assert expectations & set(case.sections)


@pytest.mark.parametrize("language", ["refunge", "mirrorfunge", "gemooy", "webfunge", "bmprog"])
def test_every_language_has_sixty_cases(language: str) -> None:
    assert sum(path.parent.name == language for path in all_cases()) >= 60
