"""Brainfuck programs do the same before and after their translation to Refunge."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import planewalk
from planewalk.core.errors import SourceError
from planewalk.languages.refunge.brainfuck import DEFAULTS, brainfuck_to_refunge
from planewalk.languages.refunge.brainfuck_plane import HALF

LEFT = b"\nmoved left of the first cell\n"


def brainfuck(
    source: bytes, data: bytes = b"", limit: int = 100_000, eof: str = "0"
) -> tuple[bytes, bool, int]:
    """A plain interpreter: the output, whether the program ended, and its number of steps.

    Moving left of the first cell ends the program, which says so.
    """
    code = [chr(byte) for byte in source if chr(byte) in "+-<>[].,"]
    partner, begun = {}, []
    for index, sign in enumerate(code):
        if sign == "[":
            begun.append(index)
        elif sign == "]":
            partner[index] = begun.pop()
            partner[partner[index]] = index
    tape, place, at, steps, output = [0], 0, 0, 0, bytearray()
    incoming = iter(data)
    while at < len(code):
        if steps == limit:
            return bytes(output), False, steps
        steps += 1
        sign = code[at]
        if sign in "+-":
            tape[place] = (tape[place] + (1 if sign == "+" else -1)) % 256
        elif sign == ">":
            place += 1
            tape += [0] * (place == len(tape))
        elif sign == "<":
            place -= 1
            if place < 0:
                output += LEFT
                break
        elif sign == ".":
            output.append(tape[place])
        elif sign == ",":
            at_end = tape[place] if eof == "keep" else int(eof) % 256
            tape[place] = next(incoming, at_end)
        elif (sign == "[") == (tape[place] == 0):
            at = partner[at]
        at += 1
    return bytes(output), True, steps


def refunge(source: bytes, **options: str) -> bytes:
    return brainfuck_to_refunge(source, ".ref", {**DEFAULTS, **options}).data


def check(source: bytes, data: bytes = b"", limit: int = 100_000, eof: str = "0") -> planewalk.Run:
    expected, ended, steps = brainfuck(source, data, limit, eof)
    run = planewalk.run(
        source=refunge(source, eof=eof), language="refunge", input=data,
        max_steps=50 * steps + 5_000,
    )  # fmt: skip
    if ended:
        assert (run.status, run.output) == ("halted", expected)
    else:
        assert run.output.startswith(expected)
    return run


HELLO = b"""
    Seventy and thirty are near to all letters of the greeting
    ++++++++++ [ > +++++++ > ++++++++++ > +++ > + <<<< - ]
    > ++ . > + . +++++++ . . +++ . >> . << - . --- . ++++++ . - . < + .
"""


def test_hello() -> None:
    assert check(HELLO).output == b"Hello\nnkqpI"


@pytest.mark.parametrize(("source", "data"), [
    pytest.param(b"", b"", id="nothing"),
    pytest.param(b"only a comment", b"", id="comment"),
    pytest.param(b"+++[>,.<-]", b"ab", id="three-bytes-of-two"),
    pytest.param(b",+[-.[-],+]", b"cat\xff", id="cat-until-255"),
    pytest.param(b">,[>,]<[.<]", b"reverse me\0", id="reverse"),
    pytest.param(b"+++[>+++[>+++[>+++[>+<-]<-]<-]<-]>>>>.", b"", id="nested-loops"),
    pytest.param(b"-[>+>+<<-]>.>.<[-]<[>>>+<<<-]>>>.", b"", id="copy"),
    pytest.param(b"+[>+]", b"", id="endless-tape"),
    pytest.param(b"+.<.", b"", id="left-end"),
    pytest.param(b"+[[[[.-]]]].", b"", id="loops-in-loops"),
    pytest.param(b"[.]+[]", b"", id="empty-loop"),
    pytest.param(b"+[[].]", b"", id="empty-inner-loop"),
    pytest.param(b"+" * 300 + b"." + b"-" * 130 + b".", b"", id="wrapping"),
    pytest.param(b">>>>>+<<<<<+[>]+.>.", b"", id="unsteady-loop"),
    pytest.param(b"+>++>+++[<]>[.>]", b"", id="scans"),
    pytest.param(b"+++>>>" + b"+>" * 150 + b"<" * 153 + b"[->+<]>.", b"", id="long-line"),
    pytest.param(b">" * 300 + b"+" * 40 + b".", b"", id="long-reach"),
    pytest.param(b"+[>" * 60 + b"+." + b"<-]" * 60 + b"+.", b"", id="there-and-back"),
    pytest.param(b",[.,]", b"cat", id="the-commonest"),
])  # fmt: skip
def test_program(source: bytes, data: bytes) -> None:
    check(source, data, limit=2_000)


@pytest.mark.parametrize(
    ("eof", "expected"), [("0", b"abc\0"), ("-1", b"abc\xff"), ("keep", b"abcc")]
)
def test_the_end_of_input(eof: str, expected: bytes) -> None:
    assert check(b",.,.,.,.", b"abc", eof=eof).output == expected
    assert eof != "-1" or check(b",+[-.,+]", b"abc", eof=eof).output == b"abc"


def test_moving_left_of_the_first_cell_can_end_the_program_without_a_word() -> None:
    for source in (b"+.<.", b"+[<]."):
        assert check(source).output.endswith(LEFT)
        run = planewalk.run(source=refunge(source, left="end"), language="refunge")
        assert (run.status, LEFT in run.output) == ("halted", False)


def test_what_leaves_the_tape_for_sure_is_noted() -> None:
    notes = brainfuck_to_refunge(b"+>+\n .<<  <.<\n>>>[<<<<+>>>>-]").notes
    assert [note.partition(" moves left")[0] for note in notes] == ["line 2, column 3: <<<"]
    assert not brainfuck_to_refunge(b">>[<]>[>]<<<").notes, "there it depends"
    (note,) = brainfuck_to_refunge(b">+[<+<>>-]").notes
    assert note.startswith("line 1, column 6: < moves left of the first cell")


def test_what_stays_on_the_tape_for_sure_is_not_watched() -> None:
    for source in (HELLO, b">>+[<+<+>>-]<<.", b"+[>]>><<."):
        assert b"|" not in refunge(source), source
    assert b"|" in refunge(b"+[>]<")


def test_every_cell_knows_what_it_comes_from() -> None:
    source = b"+++ three,\n here [ -\n - ] ..\n[>+<-]" + b"+" * 13 + b"<" * 12 + b"\n.[\n,]" * 30
    converted = brainfuck_to_refunge(source)
    lines = source.decode().split("\n")
    found = {(origin.line, origin.column): origin.text for origin in converted.origins.values()}
    assert [text for _, text in sorted(found.items())][:9] == [
        "+++", ",", "[", "--", "]", ".", ".", "[>+<-]", "++++++++++" + "+…"
    ]  # fmt: skip
    assert all(lines[line - 1][column - 1] == text[0] for (line, column), text in found.items())
    assert len(found) == 10 + 4 * 30 and found[4, 20] == "<" * 12
    assert found[34, 2] == "]", "as far as the last line"
    rows = converted.data.decode().split("\n")
    assert all(rows[y][x] != " " for x, y in converted.origins)
    reads = {origin.text for (x, y), origin in converted.origins.items() if rows[y][x] == "?"}
    assert reads == {","}


DEEP = 1_000


def test_deep_nesting() -> None:
    # The way out of so many loops is long: leave by the left end of the tape, from the innermost.
    source = b"+[>" * DEEP + b"+." + b"<" * (DEEP + 1) + b"<-]" * DEEP
    assert check(source).output == b"\1" + LEFT
    assert len(refunge(source)) < 20_000_000


def test_deep_nesting_without_anything_between_is_one_loop() -> None:
    source = b"+" + b"[" * DEEP + b".-" + b"]" * DEEP
    assert check(source).output == b"\1"
    assert len(refunge(source)) < 1_000


def test_a_long_program_stays_small() -> None:
    text = refunge(b"+>-<[>]." * 700)
    assert max(map(len, text.splitlines())) < 2 * HALF
    assert len(text) < 200_000


def test_few_steps_each() -> None:
    steps = brainfuck(HELLO)[2]
    assert check(HELLO).steps < 4 * steps


@pytest.mark.parametrize(
    ("source", "place"),
    [(b"+]", (1, 0)), (b"[", (0, 0)), (b"ab\n [[]\n", (1, 1)), (b"[]\n[]\n  ]", (2, 2))],
)
def test_unmatched_brackets_have_a_place(source: bytes, place: tuple[int, int]) -> None:
    with pytest.raises(SourceError) as error:
        refunge(source)
    assert error.value.place == place


STRAIGHT = st.text("+-<>>.,", max_size=12)
RUNS = st.builds(lambda sign, count: sign * count, st.sampled_from("+->"), st.integers(1, 140))
STROKES = st.sampled_from(["[-]", "[->+<]", "[>-<-]", "[>]", "[<]", "[>+>+<<-]", "# "])
PROGRAMS = st.recursive(
    STRAIGHT | RUNS | STROKES,
    lambda inner: st.lists(inner | inner.map("[{}]".format), min_size=1, max_size=4).map("".join),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(PROGRAMS, st.binary(max_size=5), st.sampled_from(["0", "-1", "keep"]))
def test_any_program_does_the_same(source: str, data: bytes, eof: str) -> None:
    check(source.encode(), data, limit=300, eof=eof)
    check(b">>+>" + source.encode() + b"+.", data, limit=300, eof=eof)
