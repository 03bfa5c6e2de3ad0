"""What tools tell of boards that have streams."""

from __future__ import annotations

from typing import Any

import planewalk
from planewalk.apps.studio.recording import through
from planewalk.apps.tui.panels import cell_part
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.core.stream import InputStream
from planewalk.debug.session import Session
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.languages.bmprog.rules import LANGUAGE
from planewalk.languages.bmprog.text import text_to_picture
from planewalk.view.walk.telling import trace_lines

CAT = ".........#"
DELAYED = "....#\n>v...\n.v...\nv<...\n....."
"""The strobe goes a way round, the bits go straight down."""


def program(board: str, options: dict[str, Any]) -> Program:
    given = {name.replace("_", "-"): value for name, value in options.items()}
    return Program(LANGUAGE, text_to_picture(board.encode(), ".png"), given)


def start(board: str, data: bytes, **options: Any) -> State:
    state = program(board, options).start(0)
    state.input = InputStream(data)
    return state


def traced(state: State) -> list[str]:
    steps = observe(Observer(LANGUAGE, state))
    return [line for step in steps for line in trace_lines(LANGUAGE, step)]


def test_what_arrives_is_no_deed_of_a_lone_walker() -> None:
    lines = traced(start(CAT, b"\1", stream=4))
    assert lines[0].endswith("  nothing")
    assert lines[1] == (
        "       0 together: reads '\\x01' from the input, stores 1 in register arrived (was 0), "
        "stores 5 in register due (was 1), a walker comes in at 0,0 heading down, a walker comes "
        "in at 1,0 heading down"
    )


def test_a_tick_without_walkers_is_told_if_something_arrives() -> None:
    lines = traced(start("^#\n^#", b"1 0", stream="ask", stream_as="numbers"))
    assert any(line.startswith("       4 together: reads ' 0' from the input") for line in lines)


def test_pending_bits_and_what_was_asked_for_are_told() -> None:
    lines = traced(start("^#\n^#", b"1 0", stream="ask", stream_as="numbers"))
    (asking,) = [line for line in lines if line.startswith("       3 ")]
    assert asking.endswith("steer, gone, asks for a symbol, stores 5 in register due (was 0)")
    lines = traced(start("#.", b"1", stream="ask", stream_as="numbers"))
    assert lines[-1].endswith("stores 1 in register pending (was 0)")


def causes(board: str, data: bytes, index: int, **options: Any) -> list[str]:
    walk = Session(program(board, options), data)
    walk.goto(40)
    cause = walk.why(output=index)
    assert cause is not None
    return list(cause.lines())


def test_output_comes_from_the_byte_of_its_symbol_alone() -> None:
    assert causes(CAT, b"Hi", 1, stream=4) == [
        "computed, tick 5",
        "  byte 1 of the input, at tick 4",
    ]


def test_output_leads_back_through_the_board() -> None:
    lines = causes(DELAYED, b"\4", 0, stream=90)
    assert lines[0].startswith("computed")
    for cell in ("'>' (steer) at 0,1", "'<' (steer) at 1,3", "'v' (steer) at 0,3"):
        assert any(cell in line for line in lines), lines
    assert "byte 0 of the input, at tick 0" in lines[-1]


def written(stream: str) -> list[str]:
    moment = planewalk.picture(
        source=text_to_picture(CAT.encode(), ".png"), language="bmprog", stream=stream, at=0
    )
    assert moment.to_bytes(".png") and moment.svg()
    return [line.text for line in moment.layout.rulers()]


def test_pictures_name_the_columns_where_there_are_streams() -> None:
    words = written("ask")
    assert words.count("strobe") == words.count("128") == 2
    assert "strobe" not in written("off")


def test_text_names_the_columns_letter_below_letter() -> None:
    for stream, words in (("ask", True), ("off", False)):
        moment = planewalk.picture(source=text_to_picture(b".....\n....#", ".png"), stream=stream)
        lines = [line.strip() for line in moment.to_bytes(".txt").decode().split("\n")]
        assert ("\n".join(["s", "t", "r", "o", "b", "e1248", "0│"]) in "\n".join(lines)) == words
        assert ("\n".join(["s1248", "t", "r", "o", "b", "e"]) in "\n".join(lines)) == words


def test_frames_of_a_page_name_the_columns_once() -> None:
    walk = Session(program(CAT, {"stream": 4}), b"a")
    first, second = through(walk, range(2), (0, 0, 9, 0), lambda: False)
    assert first["columnPorts"][:2] == [["strobe", "strobe"], ["1", "1"]]
    assert first["ports"] == [["start", "end"]] and "columnPorts" not in second


def test_the_debugger_names_the_column_of_the_cursor() -> None:
    for stream, expected in (("ask", True), ("off", False)):
        walk = Session(program(CAT, {"stream": stream}), b"")
        words = "\n".join(line.plain for line in cell_part(walk, (3, 0), 60).lines)
        assert ("column 3: 4 in above, 4 out below" in words) is expected


def test_graphs_say_what_leaving_does_and_how_often_symbols_come() -> None:
    graph = planewalk.graph(
        source=text_to_picture(CAT.encode(), ".png"), language="bmprog", stream=4, input=b"\1\1"
    )
    strobe = next(s for s in graph.flow.stretches if s.first == (0, 0) and s.heading == "down")
    assert (strobe.deed, strobe.gone, strobe.entered) == ("writes the symbol", 2, 2)
    assert "writes the symbol" in graph.dot()


def test_explanations_say_what_leaving_does() -> None:
    told = planewalk.explain(
        source=text_to_picture(b"^#\n^#", ".png"),
        language="bmprog",
        stream="ask",
        stream_as="numbers",
        input=b"0 0",
    )
    assert "gone, asks for a symbol" in str(told)
    off = planewalk.explain(source=text_to_picture(b"v.\n..", ".png"), language="bmprog")
    assert "symbol" not in str(off)


def test_a_bad_numeral_is_told_where_the_program_ends() -> None:
    reason = "number 2 of the input, at byte 3, is no decimal number: '-5'"
    options: dict[str, Any] = {"stream": 4, "stream_as": "numbers"}
    assert any(reason in line for line in traced(start(CAT, b"1 -5", **options)))
    source = text_to_picture(CAT.encode(), ".png")
    told = planewalk.explain(source=source, language="bmprog", input=b"1 -5", **options)
    assert str(told).endswith(f"the program ended after 5 steps: {reason}")
