"""What goes wrong while code is made is refused for good, counted and told; the run goes on."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.cli.main import main
from planewalk.core.errors import LanguageError
from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.plane import BytePlane, SparsePlane, TextPlane
from planewalk.core.state import State, Walker
from planewalk.engines.base.policy import HASTY, PATIENT, following
from planewalk.engines.choose import choose_engine, compiled_ticks
from planewalk.engines.compiled.hot_spots import HotSpots
from planewalk.engines.machine import maker as native
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.python.source import SourceWriter
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.refusal import Refusal, Refusals, refusal_of
from planewalk.engines.tracing.tracer import Tracer
from planewalk.languages import registry

TABLE = InstructionTable("picky")


@TABLE.instruction("i")
def insist_on_a_number(m: Any) -> None:
    """Count; this is an error where nobody knows the number yet."""
    if not isinstance(m.peek(0), int):
        raise TypeError("that is no number")
    m.poke(0, m.peek(0) + 1)


@TABLE.instruction("c")
def count(m: Any) -> None:
    """Count."""
    m.poke(0, m.peek(0) + 1)


@TABLE.instruction("e")
def catch_everything(m: Any) -> None:
    """Count in steps; whoever catches exceptions catches no questions of the compiler."""
    try:
        by = 3 if m.peek(0) % 2 else 5
    except Exception:
        by = 1_000
    m.poke(0, m.peek(0) + by)


def start(source: bytes, options: Any, seed: int) -> State:
    return State(TextPlane([source.decode().strip()]), [Walker(Stance(0, 0, *RIGHT))], stack=[0])


LANGUAGE = Language(
    name="picky", title="Picky", summary="", suffixes=(".picky",), table=TABLE, start=start,
    decode=lambda plane, stance: TABLE[plane.cell(stance.x, stance.y)], move=torus,
    show=lambda state: {},
)  # fmt: skip

LINE = next(
    number
    for number, line in enumerate(Path(__file__).read_text().split("\n"), 1)
    if line.strip() == 'raise TypeError("that is no number")'
)
REFUSAL = Refusal("TypeError: that is no number", __file__, LINE)


LONG = b"i" + 30 * b"c"


def begin(source: bytes = LONG) -> State:
    return start(source, {}, 0)


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Each time that code was to be made."""
    found = []
    order = HotSpots.order

    def count(self: HotSpots, allowed: Any, entries: Any) -> None:
        found.append(entries)
        order(self, allowed, entries)

    monkeypatch.setattr(HotSpots, "order", count)
    with following(PATIENT._replace(background=False)):
        yield found


@pytest.mark.parametrize("kind", [PythonEngine, LLVMEngine])
def test_the_rest_of_the_program_is_compiled(kind: Any, refused: list, tries: list) -> None:
    engine, expected = kind(LANGUAGE, begin()), begin()
    engine.advance(20_000)
    ReferenceEngine(LANGUAGE, expected).advance(20_000)
    assert engine.state == expected
    assert set(engine.refusals) == {REFUSAL} and engine.refusals[REFUSAL] == len(refused)
    assert str(REFUSAL).endswith(f"that is no number, {__file__}:{LINE}")
    assert sum(compiled_ticks(engine)) > 10_000, "nearly all of it"


@pytest.mark.parametrize("where", ["explore", "source"])
def test_what_goes_wrong_elsewhere_is_not_tried_for_ever(
    where: str, refused: list, tries: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("in the\nmiddle of it")

    monkeypatch.setattr(SourceWriter if where == "source" else Tracer, where, fail)
    for state in (
        begin(b"cccc"),
        State(BytePlane(4, bytearray(b"cccc")), begin().walkers, stack=[0]),
    ):
        tries.clear()
        engine, expected = PythonEngine(LANGUAGE, state), state.copy()
        engine.advance(60_000)
        ReferenceEngine(LANGUAGE, expected).advance(60_000)
        assert engine.state == expected and 0 < len(tries) < 10
        (why,) = engine.refusals
        assert why.why == "ZeroDivisionError: in the" and engine.refusals[why] == len(tries)


def test_machine_code_that_cannot_be_made(refused: list, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no such instruction")

    monkeypatch.setattr(native.NativeUnit, "assemble", fail)
    with following(HASTY):
        engine, expected = LLVMEngine(LANGUAGE, begin(b"cccc")), begin(b"cccc")
        engine.advance(20_000)
    ReferenceEngine(LANGUAGE, expected).advance(20_000)
    assert engine.state == expected and engine.native_ticks == 0
    assert [why.why for why in engine.refusals] == ["RuntimeError: no such instruction"]
    assert len(refused) < 5


def test_an_interpreter_tells_as_well(refused: list, tries: list) -> None:
    """Of the instruction alone, not of cells that decode does not know."""
    engine = choose_engine("interpreter", LANGUAGE, begin(), Limits())
    engine.advance(200)
    assert set(engine.refusals) == {REFUSAL}  # type: ignore[attr-defined]


def test_an_engine_that_has_climbed_tells_as_well(refused: list, tries: list) -> None:
    with following(HASTY):
        engine = choose_engine("auto", LANGUAGE, begin(), Limits())
    assert engine.refusals == {}  # type: ignore[attr-defined]
    while engine.state.tick < 5_000:
        engine.advance(5_000 - engine.state.tick)
    assert set(engine.refusals) == {REFUSAL}  # type: ignore[attr-defined]


def test_instructions_that_catch_exceptions_catch_no_questions() -> None:
    with following(HASTY):
        for kind in (PythonEngine, LLVMEngine):
            engine, expected = kind(LANGUAGE, begin(b"e")), begin(b"e")
            engine.advance(1_000)
            ReferenceEngine(LANGUAGE, expected).advance(1_000)
            assert engine.state == expected and sum(compiled_ticks(engine)) > 500


UNUSED: dict[str, Callable[[Any, Any], Any]] = {
    "//": lambda m, value: 1 // value,
    "%": lambda m, value: 1 % value,
    "quotient": lambda m, value: m.quotient(1, value),
    "below": lambda m, value: m.below(value),
    "<<": lambda m, value: 1 << (value - 1),
    "effort": lambda m, value: m.effort(value - 1),
    "effort of floats": lambda m, value: m.effort(1 if value else 0.5),
}


@pytest.mark.usefixtures("compile_soon")
@pytest.mark.parametrize("kind", [PythonEngine, LLVMEngine])
@pytest.mark.parametrize("word", UNUSED)
def test_an_error_comes_up_even_if_nobody_wants_the_result(word: str, kind: Any) -> None:
    table = InstructionTable("unused")

    @table.instruction("u")
    def count_down(m: Any) -> None:
        UNUSED[word](m, m.peek(0))
        m.poke(0, m.peek(0) - 1)

    language = Language(
        name="unused", title="Unused", summary="for tests", suffixes=(), table=table,
        start=lambda *_: State(TextPlane(["u"]), []), move=torus, show=lambda state: {},
        decode=lambda plane, stance: table[ord("u")],
    )  # fmt: skip
    state = State(TextPlane(["u"]), [Walker(Stance(0, 0, *RIGHT))], stack=[100])
    engine = kind(language, state)
    with pytest.raises(LanguageError, match="after 100 steps"):
        while True:
            engine.advance(200)
    assert (state.tick, state.stack) == (100, [0])


def test_an_error_without_words_and_places_inside() -> None:
    try:
        SparsePlane(holds=(1, 2))
    except ValueError as error:
        why = refusal_of(error)
        assert why.file == __file__ and why.why.startswith("ValueError: a cell that nobody")
    try:
        raise KeyError
    except KeyError as error:
        assert refusal_of(error).why == "KeyError"
    counts = Refusals()
    assert REFUSAL.told(1) == str(REFUSAL) and REFUSAL.told(1_234) == f"{REFUSAL} (1,234 times)"
    assert not counts


# What is said of it ---------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file in that language, which is found for every file."""
    monkeypatch.setattr(registry, "find", lambda *_: LANGUAGE)
    file = tmp_path / "count.picky"
    file.write_bytes(LONG)
    return str(file)


def test_disasm_says_what_was_not_compiled(program: str, capsys: Any, refused: list) -> None:
    assert main(["disasm", program]) == 0
    out, err = capsys.readouterr()
    assert f"# not compiled: TypeError: that is no number, {__file__}:{LINE}" in out and not err
    assert "def unit(" in out


def test_disasm_where_nothing_runs_in_compiled_code(program: str, capsys, refused: list) -> None:
    Path(program).write_bytes(b"i")
    assert main(["disasm", program]) == 0
    out = capsys.readouterr().out
    first, second, *_ = out.split("\n")
    assert "0 of 100,000 steps ran in compiled code" in first and str(REFUSAL) in second


def test_disasm_of_what_goes_wrong_at_once(
    program: str, capsys: Any, refused: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tracer, "explore", lambda *_: 1 // 0)
    assert main(["disasm", program]) == 0
    first, second, _ = capsys.readouterr().out.split("\n")
    assert first.startswith("# nothing was compiled: what is hot in its 100,000 steps cannot be")
    assert second.startswith("# not compiled: ZeroDivisionError")


def test_bench_says_what_was_not_compiled(program: str, capsys: Any, refused: list) -> None:
    words = ["bench", program, "--seconds", "0.1", "--max-steps", "30000", "--engines"]
    assert main([*words, "reference,python"]) == 0
    err = capsys.readouterr().err
    assert f"count.picky: python: {REFUSAL}" in err and "Traceback" not in err
    assert main([*words, "reference,python", "--json"]) == 0
    (why,) = json.loads(capsys.readouterr().out)["not_compiled"]
    assert why.pop("times") > 0
    assert why == {"program": "count.picky", "engine": "python", **REFUSAL._asdict()}
