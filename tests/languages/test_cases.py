"""Every conformance case, on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases import KNOWN_FAILURES, all_cases, case_name, known_failures, read_case

ENGINES = ["reference", "interpreter", "python", "llvm"]


def cases_of(engine: str) -> list[Any]:
    """All cases; those that are known to fail must fail, or they are to be taken off the list."""
    failing = known_failures(KNOWN_FAILURES / f"{engine}.txt")
    known = pytest.mark.xfail(strict=True, reason=f"in known_failures/{engine}.txt")
    return [
        pytest.param(
            path,
            engine,
            id=f"{case_name(path)}-{engine}",
            marks=[known] if case_name(path) in failing else [],
        )
        for path in all_cases()
    ]


@pytest.mark.parametrize(
    ("path", "engine"), [case for engine in ENGINES for case in cases_of(engine)]
)
def test_case(path: Path, engine: str) -> None:
    read_case(path).check(engine)


@pytest.mark.parametrize(
    ("path", "engine"), [case for engine in ("python", "llvm") for case in cases_of(engine)]
)
def test_case_compiled_at_once(path: Path, engine: str, record_property: Any) -> None:
    """However short it is; the tests end with a report of how much of it was compiled."""
    case = read_case(path)
    run = case.run(engine, eager=True)
    case.compare(run)
    record_property("compiled", [case.language, engine, run.steps, *run.compiled])


def test_most_of_a_short_program_is_compiled_at_once() -> None:
    """An engine that always left would be right about everything."""
    for name in ("mirrorfunge", "gemooy", "webfunge"):
        paths = [path for path in all_cases() if path.parent.name == name][:30]
        runs = [read_case(path).run("python", 200, eager=True) for path in paths]
        assert sum(run.compiled.python for run in runs) > 0.7 * sum(run.steps for run in runs)


def test_lists_of_known_failures_name_engines_and_cases() -> None:
    assert {path.name for path in KNOWN_FAILURES.iterdir()} == {f"{name}.txt" for name in ENGINES}
    names = {case_name(path) for path in all_cases()}
    for path in KNOWN_FAILURES.iterdir():
        listed = known_failures(path)
        assert set(listed) <= names, f"{path.name}: {set(listed) - names} are no cases"
        assert len(set(listed)) == len(listed), f"{path.name}: a case stands there twice"


def test_a_list_is_read_without_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "engine.txt"
    path.write_text("# why\n\ngemooy/one\n  refunge/two  # and why\n")
    assert known_failures(path) == ["gemooy/one", "refunge/two"]


@pytest.mark.parametrize("path", all_cases(), ids=case_name)
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
