"""What a step tells: operands, cells, registers, chance, and who is who."""

from planewalk.core.observation import Birth, Loss, Read, Step, Write
from planewalk.core.step import Halted
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.languages import registry
from planewalk.languages.bmprog.text import text_to_picture


def steps(name: str, source: bytes, count: int = 50, **options: object) -> list[Step]:
    language = registry.get(name)
    state = language.start(source, language.read_options(options), 0)
    return list(observe(Observer(language, state), count))


def test_operands_and_results() -> None:
    add = steps("mirrorfunge", b"934+.@")[3].actions[0]
    assert (add.instruction.symbol, add.popped, add.pushed) == ("+", (4, 3), (7,))
    assert (add.stance.x, add.stance.y, add.walkers) == (3, 0, (0,))


def test_a_value_that_is_replaced_in_place_is_taken() -> None:
    """Division looks at both before it takes any, and leaves the result where the lower one was."""
    divide = steps("mirrorfunge", b"84|.@")[2].actions[0]
    assert (divide.taken, divide.pushed) == ((8, 4), (2,))


def test_output_and_the_end() -> None:
    *_, write, end = steps("mirrorfunge", b"34+.@")
    assert (write.output, write.actions[0].output, write.stop) == (b"7", b"7", None)
    assert (end.tick, end.stop, end.moves[0].after.stance.x) == (4, Halted(), 4)


def test_cells_that_wishes_change_belong_to_the_step() -> None:
    step = steps("refunge", b"+X!^")[1]
    assert step.actions[0].reads == (Read(0, 0, 43),) and step.actions[0].writes == ()
    assert step.writes == (Write(0, 0, 43, 86),)
    assert step.actions[0].hand == (0, 0)


def test_cells_that_an_instruction_changes_belong_to_it() -> None:
    step = steps("gemooy", b"$ %\n #\n  @")[1]
    assert step.actions[0].writes == step.writes == (Write(2, 0, 0, 2),)
    assert step.actions[0].reads == (Read(2, 0, 0),)


def test_registers_and_notes() -> None:
    _, _, store, _, fetch, note, _ = (step.actions[0] for step in steps("webfunge", b"92.2&,@"))
    (stored,) = store.stored
    assert (stored.old, stored.new) == (0, 9)
    assert fetch.fetched == ((stored.name, 9),) and fetch.pushed == (9,)
    assert note.notes == (9,)


def test_a_fork_has_a_parent_and_a_walker_that_leaves_is_gone() -> None:
    found = steps("refunge", b"!\\\n Y^")
    (birth,) = found[2].born
    assert isinstance(birth, Birth) and (birth.number, birth.parents) == (1, (0,))
    (loss,) = found[3].gone
    assert isinstance(loss, Loss) and loss.number == 1
    assert [move.number for move in found[3].moves] == [0]


def test_signals_that_meet_act_together() -> None:
    board = text_to_picture(b".v.\n.>.\n.^.", ".png")
    step = steps("bmprog", board, arg=2)[3]
    (action,) = step.actions
    assert (action.walkers, action.instruction.symbol) == ((0, 1), ">")
    (move,), (loss,) = step.moves, step.gone
    assert (move.number, loss.number) == (0, 1)
    assert (move.after.stance.dx, move.after.stance.dy) == (-1, 0)


def test_a_split_has_parents() -> None:
    step = steps("bmprog", text_to_picture(b".*.", ".png"), arg=0)[2]
    (birth,) = step.born
    assert birth.parents == (0,) and step.moves[0].number == 0


def test_an_observer_goes_on_with_the_numbers_it_is_given() -> None:
    language = registry.get("mirrorfunge")
    state = language.start(b"12+.@", language.read_options({}), 0)
    list(observe(Observer(language, state), 2))
    (step,) = observe(Observer(language, state, numbers=[7]), 1)
    assert step.tick == 2 and step.actions[0].walkers == (7,)
