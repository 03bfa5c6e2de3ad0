"""Commands that are typed to a session, and their answers."""

import pytest

from planewalk.core.program import Program
from planewalk.debug.conditions.grammar import parse
from planewalk.debug.session import Session
from planewalk.languages import registry
from planewalk.view.console.console import ALIASES, COMMANDS, Console, may_fork
from planewalk.view.console.watches import Watches
from tests.debug.test_session import session


def console(
    name: str = "mirrorfunge", source: bytes = b"12+.@", text: bytes | None = b""
) -> Console:
    return Console(Session(Program(registry.get(name), source), text, 0))


def test_stepping_says_what_happened_and_where_we_are() -> None:
    told = console()
    told.execute("step 2")
    happened, where = told.execute("step")
    assert happened.endswith("add, takes 1 and 2, gives 3") and where == "tick 3"
    assert told.execute("back") == ["tick 2"]


@pytest.mark.parametrize("words", ["goto 3", "g 3.0", "goto 3e0", "goto 0_3"])
def test_ticks_as_people_write_them(words: str) -> None:
    assert console().execute(words) == ["tick 3"]


def test_breakpoints_stop_runs_in_both_directions() -> None:
    told = console()
    assert told.execute("break 2,0 if heading = right") == ["breakpoint 1: 2,0 if heading = right"]
    told.execute("b at 4,0")
    assert told.execute("run")[0].startswith("tick 2, hit")
    assert told.execute("c")[0].startswith("tick 4, hit")
    assert told.execute("run") == told.execute("goto end") == ["tick 5, halted"]
    assert told.execute("reverse")[0].startswith("tick 4, hit")
    assert told.execute("delete 2") == ["breakpoint 2 is gone"]
    assert told.execute("reverse")[0].startswith("tick 2, hit")
    assert told.execute("delete 9") == ["there is no breakpoint 9; there are 1"]


def test_questions() -> None:
    told = console("refunge", b"+X!^")
    told.execute("end")
    assert told.execute("who 0,0") == [
        "0,0 = 86 ('V'), was 43 ('+'): at tick 1, by 'X' (carry) at 1,0"
    ]
    assert told.execute("who 3,0") == ["3,0 holds what it held at the beginning"]
    assert told.execute("life 0,0") == [
        "43 ('+') from the beginning",
        "86 ('V') at tick 1, by 'X' (carry) at 1,0",
    ]
    assert told.execute("output") == ["'V'"]
    assert told.execute("output 0") == ["'V' was written at tick 3, by '^' (carry) at 3,0"]
    assert told.execute("read 0,0")[0].startswith("86 ('V') was read at tick 3")


def test_edits_fork_and_branches_are_listed() -> None:
    told = console()
    told.execute("goto 2")
    assert told.execute("stack 0 = 7") == ["now on the branch 'stack[0] = 7 at 2'"]
    assert told.execute("stack") == ["7 1"]
    assert [line[:2] for line in told.execute("branches")] == ["  ", "* "]
    assert told.execute("switch main") == ["tick 2"]


@pytest.mark.parametrize(("name", "kind"), [("mirrorfunge", "whole "), ("webfunge", "")])
def test_stacks_take_characters_as_well(name: str, kind: str) -> None:
    told = console(name, b"12@", None)
    told.execute("goto 2")
    assert told.execute("stack 0 = 'a'") == ["now on the branch 'stack[0] = 97 at 2'"]
    assert told.session.state.held_stack[-1] == 97
    assert told.execute("stack 0 = b") == ["expected a number, or a character in quotes, not 'b'"]
    assert told.execute("stack 0 = 'ab'") == [f"expected a {kind}number, not 'ab'"]


def test_mistakes_are_answers() -> None:
    told = console()
    assert told.execute("stp") == ["'stp' is no command; did you mean 'step'?"]
    assert told.execute("goto x") == ["expected a whole number such as 1000 or 1e6, not 'x'"]
    assert told.execute("who there") == ["expected a place such as 5,2, not 'there'"]
    complaint, line, pointer = told.execute("break at x")
    assert "for example" in complaint and pointer == "   ^" and line == "at x"
    assert told.execute("") == []


def test_completion() -> None:
    told = console()
    assert told.complete("bre") == ["break", "breaks"]
    assert told.complete("break wri") == told.complete("break 3,4 and wri") == ["written"]
    assert told.complete("switch ma") == ["main"]
    assert told.complete("u wri") == told.complete("back until wri") == ["written"]
    assert told.complete("why st") == ["stack"] and told.complete("goto ") == ["end"]
    assert told.complete("help bac") == ["back", "back-until"] and told.complete("? br") != []
    told.execute("watch stack[0]")
    assert told.complete("unwatch ") == ["stack[0]"] and told.complete("run ") == []


def test_every_alias_is_a_command_and_every_command_is_explained() -> None:
    assert not ALIASES.keys() & COMMANDS.keys()
    assert sum(len(each.aliases) for each in COMMANDS.values()) == len(ALIASES)
    told = console().execute("help")
    assert [line.partition(": ")[0].split()[0] for line in told] == list(COMMANDS)
    assert all(each.help for each in COMMANDS.values())
    assert console().execute("help g") == console().execute("HELP goto") == [told[3]]
    assert console().execute("help wyh") == ["'wyh' is no command; did you mean 'why'?"]


@pytest.mark.parametrize(
    ("line", "forks"),
    [("cell 1,0 = x", True), ("feed x", True), ("unread =", True), ("input", True)]
    + [("break cell 1,0 = 3", False), ("cell 1,0", False), ("tick = 3", False), ("step", False)],
)
def test_which_lines_may_fork_the_run(line: str, forks: bool) -> None:
    assert may_fork(line) == forks


def test_values_and_conditions_are_answered_as_they_are_now() -> None:
    told = console(source=b'12"a"@')
    told.execute("step 2")
    asked = ["tick", "depth", "stack[1]", "2,0", "at 2,0", "at 0,0", "new cell", "stack[0] = 2"]
    answers = ["2", "2", "1", "34 ('\"')", "true", "false", "true", "true"]
    assert [told.execute(words) for words in asked] == [[answer] for answer in answers]
    assert "is no command" in told.execute("att 2,0")[0]


def test_values_are_the_same_wherever_they_are_asked_for() -> None:
    told = console("webfunge", b'12"a"@')
    told.execute("step 4")
    values = {
        "tick": "4", "tick % 3": "1", "depth": "8", "top": "97", "stack[1]": "2", "stack 2": "1",
        "stack": "97 2 1 0 36 64 0 0", "walkers": "1", "heading": "right", "mode": "string",
        "register 5": "0", "register 128": "none", "stack[99]": "none", "cell 1,0": "50 ('2')",
        "1,0": "50 ('2')",
    }  # fmt: skip
    for words, value in values.items():
        if not words.startswith("cell"):  # a command, which tells more
            assert told.execute(words) == [value], words
        assert told.execute(f"watch {words}") == [f"{words} = {value}"]
        single = words not in ("stack", "heading", "mode")
        if single and value != "none" and words[0].isalpha():
            number = value.partition(" ")[0]
            assert told.execute(f"break {words} = {number}")[0].startswith("breakpoint")
            assert told.session.is_true_now(parse(f"{words} = {number}"))
    assert told.execute("heading = right") == ["true"] == told.execute("mode = string")
    assert told.pointed("1,0").startswith("1,0 = 50 ('2'): ")
    assert told.pointed("top") == "97"


def test_what_walkers_have_is_told_of_all_of_them() -> None:
    told = console("refunge", b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n")
    told.execute("goto 2")
    assert told.execute("heading") == ["left, right"] and told.execute("walkers") == ["2"]
    told = console("refunge", b"+X!^\n")
    told.execute("end")
    assert told.execute("walkers") == ["0"] and told.execute("heading") == ["none"]
    assert told.execute("mode") == ["none"]


def test_a_condition_takes_the_signs_of_its_language() -> None:
    told = console("gemooy", b"$%# @")
    asked = ["cell 2,0 = '#'", "cell 2,0 = '@'", "cell 4,0 != '#'"]
    assert [told.answer(words) for words in asked] == ["true", "false", "true"]
    assert "no cell of Gemooy shows 'x'" in told.execute("break cell 2,0 = 'x'")[0]


@pytest.mark.parametrize("words", ["stack[", "depth 5", "top >", "at x", "(at 1,1", "tick % 0"])
def test_what_is_almost_a_value_is_explained_as_one(words: str) -> None:
    assert "for example" in console().execute(words)[0]


@pytest.mark.parametrize("words", ["goto 1e300", "step 1e300", "goto 4611686018427387905"])
def test_a_tick_has_64_bits(words: str) -> None:
    told = console("bmprog", b">v\n^<\n")
    assert told.execute(words)[0].startswith("ticks are numbers up to 4,611,686,018,427,387,904")
    assert told.session.tick == 0


def test_cells_are_told_and_taken_in_the_signs_of_their_language() -> None:
    """A Gemooy cell holds a blank, `#` or `@`: that these are 0, 1 and 2 is nobody's business."""
    told = console("gemooy", b"$%# @")
    told.execute("goto 1")
    assert told.execute("cell 2,0")[0].startswith("2,0 = '#': handle. ")
    assert told.execute("cell 1,0 = @") == ["now on the branch \"cell 1,0 = '@' at 1\""]
    assert told.execute("1,0") == ["'@'"] and told.execute("watch 1,0") == ["1,0 = '@'"]
    assert told.execute("who 1,0") == ["1,0 = '@', was ' ': at tick 1, by hand"]
    assert told.execute("life 1,0") == ["' ' from the beginning", "'@' at tick 1, by hand"]
    assert told.execute("compare")[1] == "    cell 1,0: ' ' -> '@'"
    assert told.execute("cell 1,0 = x") == ["no cell of Gemooy shows 'x'"]
    assert "from 0 to 2, not 7" in told.execute("cell 1,0 = 7")[0]


def test_what_walkers_read_and_write_is_told_in_signs() -> None:
    told = console("gemooy", b"% $\n   #\n    @")
    lines = [told.execute("step")[0] for _ in range(3)]
    assert lines[1].endswith("handle, reads ' ' at 0,0, puts '@' at 0,0 (was ' ')")
    assert "turn, reads '@' at 0,0" in lines[2]


def test_a_plain_sign_is_what_a_cell_holds_and_digits_are_a_number() -> None:
    told = console(source=b"12+.@")
    star, five = "42 ('*')", "53 ('5')"
    for typed, held in (("*", star), ("'*'", star), ("42", star), ("'5'", five), ("5", "5")):
        told.execute(f"cell 2,0 = {typed}")
        assert told.execute("2,0") == [held]
    assert "a number, or a character in quotes" in told.execute("cell 2,0 = ab")[0]


LONG = "9" * 5000


@pytest.mark.parametrize(
    "line",
    [f"cell {LONG},1", f"who 1,{LONG}", f"watch {LONG},1", f"watch stack {LONG}", f"goto {LONG}"]
    + [f"break at {LONG},1", f"until depth > {LONG}", "input \ud800", "unread = \ud800"]
    + ["break output contains \ud800", "until " + "(" * 400 + "at 1,1" + ")" * 400],
)
def test_odd_numbers_and_texts_are_answered(line: str) -> None:
    told = console(text=None)
    (said, *_) = told.execute(line)
    assert said and len(told.session.branches) == 1


def test_a_watch_is_marked_where_it_has_changed_and_only_there() -> None:
    walk = session("mirrorfunge", b"12  +")
    watches = Watches(walk)
    watches.add("depth")
    found = []
    for _ in range(5):
        found += watches.lines()
        walk.forward()
    assert found == [
        ("depth = 0", False), ("depth = 1", True), ("depth = 2", True), ("depth = 2", False),
        ("depth = 2", False),
    ]  # fmt: skip
