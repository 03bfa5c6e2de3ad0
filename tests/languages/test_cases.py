"""Every conformance case, on every engine."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planewalk.languages import registry
from tests.cases import KNOWN_FAILURES, all_cases, case_name, known_failures, read_case
from tests.engines.agreement import quick_code

ENGINES = ["reference", "interpreter", "llvm"]


COMPILING = ["python", "llvm"]
SOME = frozenset(all_cases()[::8])
"""Those of which machine code is made in every run."""


@cache
def failing(engine: str) -> frozenset[str]:
    """The cases that are known to fail on an engine."""
    return frozenset(known_failures(KNOWN_FAILURES / f"{engine}.txt"))


@contextmanager
def as_expected(path: Path, engine: str) -> Iterator[None]:
    """A case that is known to fail on an engine must fail, or it is to be taken off the list."""
    try:
        yield
    except Exception as error:
        error.add_note(f"on the engine {engine}")
        if case_name(path) not in failing(engine):
            raise
    else:
        known = case_name(path) in failing(engine)
        assert not known, f"{case_name(path)} passes: take it off known_failures/{engine}.txt"


@pytest.mark.parametrize("path", all_cases(), ids=case_name)
def test_case(path: Path) -> None:
    case = read_case(path)
    for engine in ENGINES:
        with as_expected(path, engine):
            case.check(engine)


@pytest.mark.parametrize("path", all_cases(), ids=case_name)
def test_case_compiled_at_once(path: Path, record_property: Any) -> None:
    """However short it is; the tests end with a report of how much of it was compiled."""
    case = read_case(path)
    for engine in COMPILING if path in SOME else COMPILING[:1]:
        with as_expected(path, engine), quick_code():
            run = case.run(engine, eager=True)
            case.compare(run)
            record_property("compiled", [case.language, engine, run.steps, *run.compiled])


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", all_cases(), ids=case_name)
def test_case_in_good_machine_code(path: Path) -> None:
    """All of them, and with all that LLVM does to make code good."""
    case = read_case(path)
    with as_expected(path, "llvm"):
        case.compare(case.run("llvm", eager=True))


def test_most_of_a_short_program_is_compiled_at_once() -> None:
    """An engine that always left would be right about everything."""
    for name in ("mirrorfunge", "gemooy", "webfunge"):
        cases = [read_case(path) for path in all_cases() if path.parent.name == name][:30]
        runs = [case.run("python", 400, eager=True) for case in cases]
        assert sum(run.compiled.python for run in runs) > 0.7 * sum(run.steps for run in runs)
        runs = [case.run("llvm", 400, eager=True) for case in cases[6:12]]
        assert sum(run.compiled.native for run in runs) > 0.7 * sum(run.steps for run in runs)


def test_lists_of_known_failures_name_engines_and_cases() -> None:
    engines = {*ENGINES, *COMPILING}
    assert {path.name for path in KNOWN_FAILURES.iterdir()} == {f"{name}.txt" for name in engines}
    names = {case_name(path) for path in all_cases()}
    for path in KNOWN_FAILURES.iterdir():
        listed = known_failures(path)
        assert set(listed) <= names, f"{path.name}: {set(listed) - names} are no cases"
        assert len(set(listed)) == len(listed), f"{path.name}: a case stands there twice"


def test_a_list_is_read_without_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "engine.txt"
    path.write_text("# why\n\ngemooy/one\n  refunge/two  # and why\n")
    assert known_failures(path) == ["gemooy/one", "refunge/two"]


def test_a_case_expects_something_and_quotes_its_source() -> None:
    outputs = {f"output{kind}" for kind in ("", " escaped", " base64")}
    for path in all_cases():
        case = read_case(path)
        assert "\n> " in f"\n{case.prose}", f"{path}: quote the sentence or ruling it stands for"
        assert {"stop", "state", "result", *outputs} & set(case.sections), f"{path} expects nothing"


def test_a_case_on_a_list_must_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(path for path in all_cases() if path.parent.name == "gemooy")
    monkeypatch.setattr(f"{__name__}.failing", lambda engine: {case_name(path)})
    with as_expected(path, "python"):
        raise AssertionError("which is known")
    with pytest.raises(AssertionError, match="take it off"), as_expected(path, "python"):
        pass


def test_every_language_has_sixty_cases() -> None:
    counts = Counter(path.parent.name for path in all_cases())
    assert set(counts) == set(registry.SUFFIXES) and min(counts.values()) >= 60
