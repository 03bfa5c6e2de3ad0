"""Tests for a language of your own, with pytest. In a test module of your package:

    from planewalk.testing import language_tests
    from snails import LANGUAGE

    TestSnails = language_tests(LANGUAGE)

That is all: pytest then runs what `planewalk check-language` runs, as tests of their own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .apps.checking.check import SOURCES, Checker, Problem, in_time
from .apps.checking.expectations import is_untrue, lacks_words, misbehaves, rows_of
from .apps.checking.laws import LAWS
from .apps.checking.report import told
from .core.instruction import Instruction
from .core.language import Language
from .examples import Example, examples_of

__all__ = ["language_tests"]


def language_tests(language: Language, *, programs: int = 20, seed: int = 0) -> type:
    """A class of tests for a language; so many random programs are tried for each law.

    The random programs are always the same, unless you give another seed.
    """
    import pytest

    checker = Checker(language, seed)
    rows = [row for _, row in rows_of(language)]
    table = [(row, example) for row in rows for example in row.examples]
    examples = examples_of(language)
    runs = [(example, run) for example in examples for run in example.runs]

    def expect(problem: Problem | str | None) -> None:
        if problem is not None:
            pytest.fail(problem if isinstance(problem, str) else told(problem), pytrace=False)

    class LanguageTests:
        """What every language promises."""

        @pytest.mark.parametrize("row", rows, ids=_name)
        def test_instruction_has_words_and_examples(self, row: Instruction) -> None:
            expect(lacks_words(row))

        @pytest.mark.parametrize(("row", "example"), table, ids=_name)
        def test_example_in_the_table_is_true(self, row: Instruction, example: str) -> None:
            expect(in_time(language, partial(is_untrue, language, row, example)))

        if examples:

            @pytest.mark.parametrize(("example", "run"), runs, ids=_name)
            def test_example_program_does_what_its_index_says(
                self, example: Example, run: dict[str, Any]
            ) -> None:
                expect(in_time(language, partial(misbehaves, language, example, run)))

            @pytest.mark.parametrize("law", LAWS)
            @pytest.mark.parametrize("example", examples, ids=_name)
            def test_law_holds_for_example_program(self, example: Example, law: str) -> None:
                expect(checker.judge_example(law, example))

        @pytest.mark.parametrize("law", [SOURCES, *LAWS])
        def test_law_holds_for_random_programs(self, law: str) -> None:
            for number in range(programs):
                expect(checker.judge_random(law, number))

    return LanguageTests


def _name(value: object) -> str | None:
    if isinstance(value, Instruction):
        return value.name
    return value.file if isinstance(value, Example) else None
