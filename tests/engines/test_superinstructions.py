"""Superinstructions: many ticks as one, and nothing that is different for it."""

import random
from itertools import product
from typing import Any

import pytest

from planewalk.core.geometry import Stance
from planewalk.core.instruction import Group, InstructionTable
from planewalk.core.limits import Limits
from planewalk.core.state import State, Walker
from planewalk.engines.base.policy import PATIENT, following
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.marks import RESTLESS
from planewalk.engines.interpreter.superinstructions import attend as attending
from planewalk.engines.interpreter.superinstructions import layout as w
from planewalk.engines.interpreter.superinstructions import perform as performing
from planewalk.engines.interpreter.superinstructions import table
from planewalk.engines.kernels.fenced import fence
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.refunge.brainfuck import brainfuck_to_refunge
from planewalk.languages.refunge.instructions import OUTPUT
from tests.marks import plainly

from .supers import REFUNGE, PlainDriver, begin, content, ways_of

SIGNS = b"~+-!><v^X@#/\\| a"
HEADINGS = ((1, 0), (0, 1), (-1, 0), (0, -1))
MODES = ("none", "add", "subtract", "output", "input")


def reference(source: bytes, ticks: int) -> State:
    state = begin(source)
    ReferenceEngine(REFUNGE, state).advance(ticks)
    return state


@pytest.fixture(scope="module")
def machine_code() -> None:
    table.assemble(None)


def interpreter(
    source: bytes | State,
    superinstructions: bool = True,
    limits: Limits | None = None,
    hot: tuple[int, int] = (2, 5),
    templates: bool = True,
) -> InterpreterEngine:
    """`hot` says how often something is performed before it becomes a trace and machine code."""
    state = begin(source) if isinstance(source, bytes) else source
    policy = PATIENT._replace(
        superinstructions=superinstructions, templates=templates,
        hot_superinstruction=hot[0], hotter_superinstruction=hot[1],
    )  # fmt: skip
    with following(policy):
        return InterpreterEngine(REFUNGE, state, limits or Limits())


def looping(chance: random.Random) -> bytes:
    """A field of which every row leads back to the first, so that it lives long; some have loops in
    which a test leads back."""
    width, height = chance.randint(2, 12), chance.randint(1, 5)
    weights = [chance.choice((0, 1, 1, 4)) + 0.01 for _ in SIGNS]
    rows = [bytearray(chance.choices(SIGNS, weights, k=width)) for _ in range(height)]
    if chance.random() < 0.5:
        rows[0][:] = rows[0].replace(b"^", b"v").replace(b"/", b"-").replace(b"\\", b"+")
    return b"\n".join(rows)


def brainfuck(chance: random.Random, depth: int = 0) -> str:
    """Loops that end, and others that do not."""
    parts = []
    for _ in range(chance.randint(1, 5)):
        kind = chance.random()
        if kind < 0.3 and depth < 3:
            parts.append(f"[{brainfuck(chance, depth + 1)}{chance.choice(('-', '', '>', '+'))}]")
        elif kind < 0.6:
            far = chance.randint(1, 4)
            steps = chance.choice(("+", "-", "++", "--", "+++++++"))
            there, back = ">" * far, "<" * far
            parts.append(f"[-{there}{steps}{back}]")
        else:
            parts.append(chance.choice("+-><.") * chance.randint(1, 9))
    return "".join(parts)


def loops(chance: random.Random) -> bytes:
    """A loop that ends when a cell is 0, in a row that is gone round for ever: what it does to the
    cells around the hand, which are all kinds of numbers, is random. Most lead the hand back."""
    hand, body = [0, 0], bytearray()
    moves = {ord(">"): (1, 0), ord("<"): (-1, 0), ord("v"): (0, 1), ord("^"): (0, -1)}
    for _ in range(chance.randint(2, 16)):
        sign = chance.choice(b"~+-><v^X><v^+-@@")
        there = [at + step for at, step in zip(hand, moves.get(sign, (0, 0)), strict=True)]
        if max(map(abs, there)) < 3:
            hand = there
            body.append(sign)
    if chance.random() < 0.8:
        body += b"~" + b"<" * hand[0] + b">" * -hand[0] + b"^" * hand[1] + b"v" * -hand[1]
    there, back = b"~vvvvv" + b">" * 5, b"~^^^^^" + b"<" * 5
    row = there + b"#/" + body + b"@\\" + back
    below = b" " * (len(there) + 1) + b"\\" + b" " * (len(body) + 1) + b"/"
    numbers = chance.choice((b"\1\2\377\200\0", bytes(range(256)).replace(b"\n", b"")))
    data = [bytes(chance.choice(numbers) for _ in range(len(row))) for _ in range(8)]
    return b"\n".join([row, below, *data])


GROWING = brainfuck_to_refunge(b">+[[>]+[<]>]").data
"""Goes to the end of the ones on its tape and adds one more, again and again."""
CARRYING = brainfuck_to_refunge(b"+[>+>+<[>-<[->>>+<<<]]>>>[-<<<+>>>]<<[->++<]<<]").data
"""Counts, and does something else whenever the count comes back to 0."""


# Rows --------------------------------------------------------------------------------------------


def test_every_row_does_what_its_instruction_does() -> None:
    """For every instruction, heading and mode, in every row of a small field, with and without a
    zero in the hand: what a row says is what the reference engine does."""
    chance, performed, tried = random.Random(1), 0, 0
    for sign, heading, mode, y, held in product(SIGNS, HEADINGS, MODES, range(3), (0, 200)):
        field = b"\n".join(bytes(chance.choice(b"\1\2\7\310") for _ in range(4)) for _ in "abc")
        x, hand = chance.randrange(4), (chance.randrange(4), chance.randrange(3))
        states = [begin(field), begin(field)]
        for state in states:
            plane: Any = state.plane
            plane.data[hand[1] * 4 + hand[0]] = held
            plane.data[y * 4 + x] = sign
            state.walkers[:] = [Walker(Stance(x, y, *heading, mode), hand)]
        plain = PlainDriver(states[0])
        plain.marks = bytearray([RESTLESS]) * 12  # all others end what is recorded
        plain.marks[y * 4 + x] = 0
        plain.advance(1)
        ReferenceEngine(REFUNGE, states[1]).advance(1)
        assert content(states[0]) == content(states[1]), (sign, heading, mode, y, held)
        performed, tried = performed + plain.performed, tried + 1
    assert performed > 0.6 * tried


def test_nearly_all_instructions_have_rows() -> None:
    """All but forks and input, in every posture."""
    plain = PlainDriver(begin(b"~"))
    for number, it in enumerate(ways_of(REFUNGE, begin(b"~"))):
        for sign in SIGNS.replace(b" ", b""):
            known = plain.rows[number * w.CODES + sign] != 0
            reads = it.posture.stance.mode == "input" and sign in b"><v^X"
            assert known != reads, (it.posture.stance, chr(sign))
        assert plain.rows[number * w.CODES + ord("Y")] == 0


# In Python, with fences --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", plainly(range(30), range(60)))
def test_random_fields_go_on_alike(seed: int) -> None:
    """In slices of any length, on buffers that have no places outside."""
    chance = random.Random(seed)
    source = looping(chance)
    plain, state = (
        PlainDriver(begin(source), room=chance.choice((2 * w.SIZE, 1 << 14))),
        begin(source),
    )
    engine = ReferenceEngine(REFUNGE, state)
    for _ in range(12):
        ticks = chance.choice((1, 2, 3, 10, 100, 200))
        plain.advance(ticks)
        engine.advance(ticks)
        assert content(plain.state) == content(state), source


@pytest.mark.parametrize("seed", range(20))
def test_cells_that_are_cleared_go_on_alike(seed: int) -> None:
    """With the option that makes `*` a mode."""
    chance = random.Random(seed)
    source = looping(chance).replace(b"+", b"*", 1).replace(b"~", b"*", 1)
    states = [begin(source, {"clear-mode": "true"}) for _ in range(2)]
    plain, engine = PlainDriver(states[0]), ReferenceEngine(REFUNGE, states[1])
    for ticks in (7, 60, 200):
        plain.advance(ticks)
        engine.advance(ticks)
        assert content(states[0]) == content(states[1]), source


def some_program(chance: random.Random, seed: int) -> bytes:
    """Each kind by turns."""
    if seed % 3 == 0:
        return looping(chance)
    if seed % 3 == 1:
        return loops(chance)
    return brainfuck_to_refunge(brainfuck(chance).encode()).data


@pytest.mark.parametrize("seed", plainly([*range(40), 46, 71], range(120)))
def test_traces_go_on_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second time on."""
    monkeypatch.setattr(performing, "MOST_FAILED", 2)
    chance = random.Random(seed)
    sources = (GROWING, CARRYING)
    source = sources[seed] if seed < len(sources) else some_program(chance, seed)
    plain, state = PlainDriver(begin(source), hot=(2, 5)), begin(source)
    engine = ReferenceEngine(REFUNGE, state)
    for _ in range(8):
        ticks = chance.choice((7, 100, 1_000))
        plain.advance(ticks)
        engine.advance(ticks)
        assert content(plain.state) == content(state), source
    if seed < len(sources):
        assert plain.performed > 0.8 * state.tick


# As machine code ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("machine_code")
@pytest.mark.parametrize("seed", plainly(range(60), range(120)))
def test_machine_code_goes_on_like_the_interpreter(seed: int) -> None:
    """Hundreds of thousands of ticks, in slices, with and without superinstructions."""
    chance = random.Random(seed)
    source = some_program(chance, seed)
    one, other = interpreter(source), interpreter(source, False)
    for _ in range(8):
        ticks = chance.choice((1, 50, 3_000, 100_000))
        stops = one.advance(ticks), other.advance(ticks)
        assert content(one.state) == content(other.state), source
        if any(stops):
            break
    assert other.supers is None


@pytest.mark.usefixtures("machine_code")
def test_they_do_nearly_all_the_work() -> None:
    """Nested loops, of which the innermost is not gone round at all."""
    source = brainfuck_to_refunge(b"+[>++++++[>+++++++[>+++<-]<-]<]").data
    engine = interpreter(source)
    engine.advance(2_000_000)
    assert engine.supers is not None
    performed = shapes(engine)
    assert sum(count for _, count in performed) < 100_000
    assert any(shape & w.LOOP for shape, _ in performed)
    alone = interpreter(source, False)
    alone.advance(2_000_000)
    assert content(engine.state) == content(alone.state)


@pytest.mark.usefixtures("machine_code")
def test_long_ways_round_become_the_same_ones() -> None:
    """Though a round is no multiple of the longest one."""
    engine = interpreter(b"~>~<~" * 5_000)
    engine.advance(10_000_000)
    assert len(shapes(engine)) < 100


def shapes(engine: InterpreterEngine) -> list[tuple[int, int]]:
    """What superinstructions there are, and how often each was performed."""
    assert engine.supers is not None
    entries, found = memoryview(engine.supers._table).cast("i"), []
    with entries:
        at = w.FIRST
        while at < engine.supers._taken:
            shape = entries[at + w.SHAPE]
            found.append((shape, entries[at + w.COUNT]))
            guards = (shape >> w.ONES & w.BITS) + w.GUARD * (shape >> w.GUARDS & w.BITS)
            end = at + w.PARTS + guards + w.SUM * (shape & w.BITS)
            at = -(-end // w.LINE) * w.LINE
    return found


CLOCKED = InstructionTable("clocked")


@CLOCKED.instruction("t", "", Group.INPUT_OUTPUT)
def tell(m: Any) -> None:
    """Write the tick."""
    m.wish((OUTPUT, m.tick % 256))


def clocked_decode(plane: Any, stance: Stance) -> Any:
    here = plane.data[stance[1] * plane.width + stance[0]]
    return CLOCKED[here] if here == ord("t") else REFUNGE.decode(plane, stance)


@pytest.mark.usefixtures("machine_code")
def test_ticks_in_between_know_what_time_it_is() -> None:
    """The interpreter performs them, with fuel for a few ticks."""
    language = REFUNGE._replace(name="clocked", decode=clocked_decode)
    source = b"~v" + b"~>+X~<" * 9 + b"t~^\n" + b"\7" * 59
    states = [begin(source), begin(source)]
    with following(PATIENT):
        engine = InterpreterEngine(language, states[0], Limits())
    engine.advance(5_000)
    ReferenceEngine(language, states[1]).advance(5_000)
    assert engine.supers is not None and len(states[0].output) > 80
    assert content(states[0]) == content(states[1])


# Loops -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("machine_code")
def test_a_loop_that_changes_what_it_is_guarded_by() -> None:
    """It counts two cells down. It is ended by the first, and asks about the second in between,
    which is 0 long before: in that round it takes a tick less."""
    body = b"~>-<~>>@+~<->~<<"
    there = b"~vv"
    row = there + b"#/" + body + b"@\\~^^"
    below = b" " * (len(there) + 1) + b"\\" + b" " * (len(body) + 1) + b"/"
    source = b"\n".join([row, below, bytes([200, 1, 77]) + b" " * (len(row) - 3)])
    one, other = interpreter(source), interpreter(source, False)
    for ticks in (*range(1_500, 2_200, 100), 3_000, 50_000):
        one.advance(ticks)
        other.advance(ticks)
        assert content(one.state) == content(other.state)


@pytest.mark.parametrize("first", range(0, 256, 5))
@pytest.mark.parametrize("step", [0, 1, 3, 251, 255, 2, 6])
def test_rounds_are_counted(first: int, step: int) -> None:
    """As many as it takes, at least one; where nothing is added, for ever."""
    data, found = first, 0
    while found < 257:
        found, data = found + 1, (data + step) % 256
        if data == 0:
            break
    supers = [0] * (w.PARTS + w.SUM)
    supers[w.PARTS : w.PARTS + w.SUM] = 0, 1, 1
    shape = w.LOOP + (1 << w.ASKED_SUMS) + 1
    counted = performing.rounds(supers, [first, step], w.PARTS, 0, 0, 0, shape)
    never = performing.FOR_EVER if step == 0 and first else 1
    assert counted == (found if step % 2 else never)


@pytest.mark.usefixtures("machine_code")
@pytest.mark.parametrize(
    "body", [b"v", b"^", b">", b"<", b"vv>", b"^<", b"~v>", b"+v", b"-v", b"+>", b"+v~<"]
)
@pytest.mark.parametrize("plain", [True, False])
def test_scans_end_at_edges(body: bytes, plain: bool) -> None:
    """A hand that goes on while it holds something: beyond the last row there is nothing yet, round
    the side it comes back, above the first row the cursor is gone."""
    there = b"~vvvv>>>"
    row = there + b"#/" + body + b"@\\~"
    below = b" " * (len(there) + 1) + b"\\" + b" " * (len(body) + 1) + b"/"
    source = b"\n".join([row, below, *[b"\5" * len(row)] * 30])
    for ticks in (40, 200, 1_111):
        driver = PlainDriver(begin(source)) if plain else interpreter(source)
        driver.advance(ticks)
        assert content(driver.state) == content(reference(source, ticks))


# Cells on the walker's own way -------------------------------------------------------------------


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.usefixtures("machine_code")
def test_a_cell_that_is_changed_and_changed_back_is_seen_in_between(plain: bool) -> None:
    """The hand adds 62 to a cell, which is a jump by then; the walker passes it; then that is taken
    back. In the end the cell holds what it held, but the jump was gone."""
    source = b"~<<<<<<<<+>" + bytes([ord("#") - ord(">") + 256]) + b"~<->~<"
    assert source.index(b">") == len(source) - 8, "where the hand is by then"
    for ticks in range(1, 80):
        expected = content(reference(source, ticks))
        if plain:
            driver = PlainDriver(begin(source))
            driver.advance(ticks)
            assert content(driver.state) == expected
        else:
            engine = interpreter(source)
            engine.advance(ticks)
            assert content(engine.state) == expected


# Limits ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("machine_code")
def test_output_ends_at_its_limit() -> None:
    """No byte more than there is room for, and none lost."""
    source = brainfuck_to_refunge(b"+[.+.-]").data
    limits = Limits(output=20_001)
    one, other = interpreter(source, True, limits), interpreter(source, False, limits)
    for _ in range(4):
        one.advance(1_000_000)
        other.advance(1_000_000)
        assert bytes(one.state.output) == bytes(other.state.output)
        assert one.state.tick == other.state.tick
    assert len(one.state.output) > 20_000


@pytest.mark.usefixtures("machine_code")
def test_little_memory_is_enough() -> None:
    """Then there is room for few; all are forgotten whenever it is used up."""
    source = brainfuck_to_refunge(b"+[" + b">+++[->++<]>[-]<<" * 200 + b"]").data
    limits = Limits(memory=1 << 20)
    engine, alone = interpreter(source, True, limits), interpreter(source, False)
    engine.advance(3_000_000)
    alone.advance(3_000_000)
    assert engine.supers is not None
    assert engine.supers.memory() <= (1 << 20) // table.SHARE
    assert engine.marks is not None and engine.marks.epoch > 5, "they were forgotten"
    assert content(engine.state) == content(alone.state)


def test_nothing_is_found_once_all_are_forgotten() -> None:
    """There is no room for one more; then the table begins anew."""
    plain = PlainDriver(begin(GROWING), hot=(2, 5))
    plain.advance(2_000)
    words, taken = plain.words, plain.words[w.TAKEN]
    assert any(plain.lookup) and taken > w.FIRST
    words[w.ROOM], epoch = taken + w.SIZE - 1, words[w.EPOCH]
    assert words[w.LAST_TEMPLATE]
    buffers: Any = (words, plain.state.plane.data, plain.marks, plain.rows, plain.supers)
    found = attending.find(*buffers, plain.lookup, plain.notebook, 1, 0)
    assert found < 0 and words[w.TAKEN] == w.FIRST and words[w.EPOCH] == epoch + 1
    assert not any(plain.lookup) and words[w.LAST_TEMPLATE] == 0


@pytest.mark.usefixtures("machine_code")
def test_epochs_beyond_31_bits() -> None:
    """Their stamps begin again, and what had the same stamp long ago is not found."""
    source = brainfuck_to_refunge(b"+[>+++[->++<]>[-]<<]").data
    engine = interpreter(source)
    engine.advance(10_000)
    assert engine.marks is not None and engine.supers is not None
    plane: Any = engine.state.plane
    at = plane.data.rindex(b"@")
    engine.marks.epoch += w.STAMPS + 1  # the same stamp as before
    plane.data[at] = ord(" ")
    alone = interpreter(begin(source), False)
    alone.advance(10_000)
    other: Any = alone.state.plane
    other.data[at] = ord(" ")
    engine.advance(10_000)
    alone = interpreter(alone.state, False)
    alone.advance(10_000)
    assert content(engine.state) == content(alone.state)


@pytest.mark.usefixtures("machine_code")
def test_none_where_it_cannot_be_noted_which_cells_they_pass() -> None:
    """Then somebody could write those unseen."""
    source = brainfuck_to_refunge(b"+[>+<]").data
    engine = interpreter(source, True, Limits(memory=len(source)))
    engine.advance(10_000)
    assert engine.supers is None


def test_none_where_kernels_run_as_python_with_fences(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no address, and machine code would call 0."""
    fence(monkeypatch.setattr)
    for kernel in (table.PERFORM, table.ATTEND):
        monkeypatch.setattr(kernel, "_native", None)
    assert not table.is_ready()
    engine = interpreter(brainfuck_to_refunge(b"+[>+<]").data, True)
    engine.advance(10_000)
    assert engine.supers is None


def test_their_machine_code_is_made_beside_a_run_that_goes_on(monkeypatch) -> None:
    """If none is kept, and not before."""
    ready: list[bool] = []
    monkeypatch.setattr(table, "is_ready", lambda: bool(ready))
    monkeypatch.setattr(table, "assemble", lambda store: ready.append(True))
    source = brainfuck_to_refunge(b"+[>+<]").data
    with following(PATIENT._replace(worth_kernels=50_000)):
        engine = InterpreterEngine(REFUNGE, begin(source), Limits())
    engine.advance(10_000)
    assert not ready and engine.supers is None
    engine.advance(50_000)
    engine.advance(10)
    assert ready
