"""What is said of words: which there are, and which of them are compiled."""

from pathlib import Path
from typing import Any

import pytest
from scripts import word_probe
from scripts.word_probe import ENDS, compiles, trials
from scripts.words import Word, words

from planewalk.core.errors import LanguageError
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.numbers.pure import PURE
from planewalk.core.state import State
from planewalk.core.vocabulary import NumberWords, Vocabulary
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine

TICKS = 120
WORDS = list(words())
PAGE = Path(__file__).parents[2] / "docs" / "words.md"


def test_every_word_is_listed() -> None:
    kinds = (Vocabulary, NumberWords)
    declared = {name for kind in kinds for name in vars(kind) if not name.startswith("_")}
    declared |= set(Vocabulary.__annotations__) | set(PURE)
    assert sorted(word.name for word in WORDS) == sorted(declared)


@pytest.mark.parametrize(
    "shown", ["tick", "depth", "input_ended", "hand_x", "pop()", "put(x, y, value)", "sin(x)"]
)
def test_words_are_shown_as_they_are_used(shown: str) -> None:
    assert shown in map(str, WORDS)
    assert f"| `{shown}` | " in PAGE.read_text()


def ran(kind: type[ReferenceEngine | PythonEngine], language: Language, state: State) -> object:
    """An engine after some ticks; what it raised, if it did."""
    engine = kind(language, state, Limits(memory=1 << 17))
    try:
        while state.tick < TICKS and engine.advance(TICKS - state.tick) is None:
            pass
    except LanguageError as error:
        return str(error)
    return engine


def compiled_ticks(engine: PythonEngine) -> int:
    return sum(unit.ticks for unit in set(engine.units.at.values()))


@pytest.mark.exhaustive
@pytest.mark.usefixtures("compile_soon")
@pytest.mark.parametrize("word", WORDS, ids=str)
def test_the_table_does_not_lie(word: Word) -> None:
    """Words that are said to compile run in compiled code, and no others; all engines agree."""
    in_python = in_machine_code = 0
    for language, state in trials(word):
        states = [state.copy() for _ in range(3)]
        kinds = (ReferenceEngine, PythonEngine, LLVMEngine)
        ends = [ran(*pair) for pair in zip(kinds, [language] * 3, states, strict=True)]
        if isinstance(ends[0], str):
            assert ends[0] == ends[1] == ends[2]
            continue
        assert states[0] == states[1] == states[2]
        assert isinstance(ends[1], PythonEngine) and isinstance(ends[2], LLVMEngine)
        in_python += compiled_ticks(ends[1])
        in_machine_code += ends[2].native_ticks
    assert (in_python > 0) is compiles(word)
    all_bits = word.name == "draw"  # as they are, they need more than a machine's whole numbers
    assert (in_machine_code > 0) is (compiles(word) and not all_bits)


ODD: dict[str, list[tuple[str, Any]]] = {
    "reach": [("x", None), ("y", 2.5)], "put": [("x", 2.5), ("value", None), ("value", 0.5)],
    "write": [("data", "text"), ("data", ())], "quotient": [("y", 2.5)],
    "effort": [("ticks", -1), ("ticks", 0.5)], "below": [("bound", 0), ("bound", -5)],
}  # fmt: skip
"""What words cannot be given, some of it after a while."""


@pytest.mark.usefixtures("compile_soon", "refused")
@pytest.mark.parametrize("name", ODD)
def test_what_words_cannot_be_given_is_the_same_mistake_everywhere(name: str, monkeypatch) -> None:
    word = next(word for word in WORDS if word.name == name)
    usual = word_probe._argument
    for odd_one, odd in ODD[name]:

        def argument(word: str, parameter: str, odd_one: str = odd_one, odd: Any = odd) -> Any:
            given = usual(word, parameter)
            return (lambda m: odd if m.tick > 60 else given(m)) if parameter == odd_one else given

        monkeypatch.setattr(word_probe, "_argument", argument)
        for language, state in trials(word):
            states = [state.copy() for _ in range(3)]
            kinds = (ReferenceEngine, PythonEngine, LLVMEngine)
            ends = [ran(*pair) for pair in zip(kinds, [language] * 3, states, strict=True)]
            assert states[0] == states[1] == states[2]
            told = [end if isinstance(end, str) else "" for end in ends]
            assert told[0] == told[1] == told[2]
            assert told[0] or name == "reach", "only hands may be anywhere"


def test_the_page_says_what_the_compiler_does() -> None:
    said = {word.name: "ends the run" if word.name in ENDS else compiles(word) for word in WORDS}
    assert said["tick"] is said["below"] is said["register"] is True
    assert said["note"] is False and said["halt"] == "ends the run"
    shown = {True: "yes", False: "no"}
    lines = PAGE.read_text().splitlines()
    for word in WORDS:
        (line,) = [line for line in lines if line.startswith(f"| `{word}` | ")]
        assert line.endswith(f" | {shown.get(said[word.name], 'ends the run')} |")
