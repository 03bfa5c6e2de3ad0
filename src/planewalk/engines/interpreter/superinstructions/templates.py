"""A template compiler: superinstructions as machine code, without LLVM and at once.

What is performed often is written down once more, as instructions of the processor: for each part
of a superinstruction there is a template, into which its numbers are put. So nothing is read from a
table any more, and one superinstruction leads to the next by a jump. Whatever is rare is left to
the kernel that performs superinstructions, which does the same.

These are kernels, too: to write one down takes about a microsecond. They know x86-64; elsewhere
everything is performed by that kernel.
"""

from __future__ import annotations

from ...kernels.kernel import I32, I64, U8
from .frame import LEAVES
from .layout import *
from .x86 import *

ANY_BYTES, GUARD_BYTES, SUM_BYTES = 384, 16, 40
"""More than any takes, and for each guard and each sum."""
STUB, FAILING, UNBURNING, MARK, ROUNDS = 10, 31, 12, 14, 96
"""Bytes of what leaves, what counts that a trace has failed, what gives fuel back, what looks at a
mark, and at most of what divides by a step."""
WORD, HALF = 8, 4
ALWAYS, CONDITIONAL, IF_BYTES, ROW_QUESTION = 5, 6, 2, 9
"""Bytes of a jump, of one that may be taken, of that without its distance, and of the question
whether a row is so low that there may be marks."""
WHOLE = 255


def compile_one(words: I64, supers: I32, code: U8, at: int) -> None:
    """Write a superinstruction down as machine code, if there is room. What is rare stands with the
    stubs, far away, so that there is more in the processor's cache of what is not."""
    shape, end = supers[at + SHAPE], words[TEMPLATES_END]
    room, rows = words[STUBS_BEGIN] - end, supers[at + MOST_Y] - supers[at + LEAST_Y]
    if room < most_bytes(shape) or rows >= words[HEIGHT] or supers[at + CODE]:
        return
    fails = failing(words, supers, code, at)
    end = join(words, supers, code, end, at)
    supers[at + CODE] = end
    end = put_bounds(words, supers, code, end, at, fails)
    if shape & OUTPUT:
        end = put_at(code, end, GET_WRITTEN, WORD * WRITTEN)
        end = put_at(code, end, COMPARE_WRITTEN, WORD * MOST_WRITTEN)
        end = jump(code, end, IF_NOT_LESS, fails)
    end = put_guards(supers, code, end, at, fails)
    if shape & BITS:
        end = put_marks_question(words, supers, code, end, at, fails)
    if shape & LOOP:
        end = put_amount(code, end, COMPARE_FUEL, supers[at + TICKS])
        end = jump(code, end, IF_LESS, fails)
    else:
        end = put_amount(code, end, BURN, supers[at + TICKS])
        end = jump_far(code, end, IF_LESS, unburning(words, supers, code, at, fails))
    if supers[at + BASIC]:
        end = put_with(code, end, COUNT_ONE, HALF * (at + COUNT))
    if shape & LOOP:
        end = put_loop(words, supers, code, end, at)
    else:
        end = put_block(words, supers, code, end, at)
    words[TEMPLATES_END], words[LAST_TEMPLATE] = end, at
    if supers[at + STAMP] == supers[at + FOUND_IN]:
        supers[at + STAMP] = COMPILED


def most_bytes(shape: int) -> int:
    """What a superinstruction of a shape takes at most."""
    guards = (shape >> ONES & BITS) + (shape >> GUARDS & BITS)
    return ANY_BYTES + GUARD_BYTES * guards + SUM_BYTES * (shape & BITS)


def stub(words: I64, code: U8, at: int, answer: int, why: int) -> int:
    """Where it is left, on the state before or behind it."""
    words[STUBS_BEGIN] -= STUB
    begin = words[STUBS_BEGIN]
    end = put_with(code, begin, SET_WHY, (at << 1 | answer) << WHY_BITS | why)
    jump_far(code, end, GO, LEAVES)
    return begin


def failing(words: I64, supers: I32, code: U8, at: int) -> int:
    """Where it goes on if it cannot be performed: a trace with its first block."""
    if supers[at + BASIC] == 0:
        return stub(words, code, at, 0, STOPS)
    too_often = stub(words, code, at, 0, HAS_FAILED)
    falls_back = stub(words, code, at, 0, FALLS_BACK)
    words[STUBS_BEGIN] -= FAILING
    begin = words[STUBS_BEGIN]
    end = put_with(code, begin, COUNT_ONE, HALF * (at + FAILED))
    end = put_with(code, end, COMPARE_COUNT, HALF * (at + FAILED))
    end = jump_far(code, put_number(code, end, MOST_FAILED), IF_NOT_LESS, too_often)
    supers[at + FALL_BACK] = jump_far(code, end, GO, falls_back) - HALF
    return begin


def unburning(words: I64, supers: I32, code: U8, at: int, fails: int) -> int:
    """Where it goes on if there was too little fuel: it is given back."""
    words[STUBS_BEGIN] -= UNBURNING
    begin = words[STUBS_BEGIN]
    jump_far(code, put_amount(code, begin, UNBURN, supers[at + TICKS]), GO, fails)
    return begin


# What must hold -----------------------------------------------------------------------------------


def put_bounds(words: I64, supers: I32, code: U8, end: int, at: int, fails: int) -> int:
    """All cells must be there. The hand's own always is."""
    least_x, span_x = supers[at + LEAST_X], supers[at + SPAN_X]
    least_y, most_y = supers[at + LEAST_Y], supers[at + MOST_Y]
    if least_x or span_x != words[WIDTH] - 1:
        end = put_at(code, end, LEFT_END, least_x)
        end = put_amount(code, end, COMPARE_LEFT_END, span_x)
        end = jump(code, end, IF_ABOVE, fails)
    if least_y:
        end = put_at(code, end, UPPER_END, least_y)
    if least_y and most_y:  # less than as many rows as there are, less these
        end = put_at(code, end, ROWS_LESS, least_y - most_y)
        end = jump(code, put(code, end, COMPARE_SPAN), IF_NOT_BELOW, fails)
    elif least_y:
        end = jump(code, put(code, end, IS_NEGATIVE), IF_MINUS, fails)
    elif most_y:
        end = put_at(code, end, LOWER_END, most_y)
        end = jump(code, put(code, end, COMPARE_ROWS), IF_NOT_LESS, fails)
    return end


def put_guards(supers: I32, code: U8, end: int, at: int, fails: int) -> int:
    """Cells must hold what they are guarded for."""
    shape = supers[at + SHAPE]
    ones = at + PARTS + (shape >> ONES & BITS)
    for i in range(at + PARTS, ones):
        end = put_byte(code, put_at(code, end, COMPARE, supers[i]), 0)
        end = jump(code, end, IF_EQUAL, fails)
    for i in range(ones, ones + GUARD * (shape >> GUARDS & BITS), GUARD):
        end = put_byte(code, put_at(code, end, COMPARE, supers[i]), supers[i + 1])
        end = jump(code, end, IF_OTHER if supers[i + 1] >= MUST else IF_EQUAL, fails)
    return end


def put_marks_question(words: I64, supers: I32, code: U8, end: int, at: int, fails: int) -> int:
    """Cells that are written must have no mark. That is looked at only where there are any."""
    is_edge = supers[at + LEAST_X] == 0
    end = put(code, end, COLUMN_RIGHTMOST if is_edge else LEFT_RIGHTMOST)
    end = put_byte(code, put(code, end, IF_GREATER_SKIP), ROW_QUESTION)
    end = put(code, end, UPPER_LOWEST if supers[at + LEAST_Y] else ROW_LOWEST)
    sums = supers[at + SHAPE] & BITS
    words[STUBS_BEGIN] -= MARK * sums + ALWAYS
    marks, unmarked = words[STUBS_BEGIN], end + CONDITIONAL
    first = first_sum(supers, at)
    for i in range(first, first + SUM * sums, SUM):
        marks = put_byte(code, put_with(code, marks, TEST_MARK, supers[i]), HEEDED)
        marks = jump_far(code, marks, IF_OTHER, fails)
    jump_far(code, marks, GO, unmarked)
    return jump_far(code, end, IF_NOT_GREATER, words[STUBS_BEGIN])


def first_sum(supers: I32, at: int) -> int:
    """Where its sums begin."""
    shape = supers[at + SHAPE]
    return at + PARTS + (shape >> ONES & BITS) + GUARD * (shape >> GUARDS & BITS)


# What is done -------------------------------------------------------------------------------------


def put_block(words: I64, supers: I32, code: U8, end: int, at: int) -> int:
    """All sums once, and where that leads."""
    shape, first = supers[at + SHAPE], first_sum(supers, at)
    for i in range(first, first + SUM * (shape & BITS), SUM):
        end = put_sum(code, end, supers[i], supers[i + 1], supers[i + 2] & WHOLE)
    if shape & OUTPUT:
        end = put_at(code, end, LOAD, supers[at + ASKED])
        end = put_byte(code, put(code, end, WRITE), 0)
        end = put_at(code, end, ADD_ONE, WORD * WRITTEN)
    if supers[at + MOVE]:
        end = put_amount(code, end, MOVE_HAND, supers[at + MOVE])
    if supers[at + MOVE_X]:
        end = put_amount(code, end, MOVE_COLUMN, supers[at + MOVE_X])
    if supers[at + MOVE_Y]:
        end = put_amount(code, end, MOVE_ROW, supers[at + MOVE_Y])
    if shape & QUESTION:
        end = put_at(code, end, COMPARE, supers[at + ASKED] - supers[at + MOVE])
        end = put_byte(code, end, supers[at + ASKED_VALUE])
        end = jump_far(code, end, IF_EQUAL, following(words, supers, code, at, 1))
        supers[at + JUMP_EQUAL] = end - HALF
    end = jump_far(code, end, GO, following(words, supers, code, at, 0))
    supers[at + JUMP] = end - HALF
    return end


def put_sum(code: U8, end: int, to: int, source: int, times: int) -> int:
    """Add a cell so many times to another."""
    if times == 0:
        return end
    if to == source and times == WHOLE:
        return put_byte(code, put_at(code, end, STORE, to), 0)
    end = put_at(code, end, LOAD, source)
    if times == WHOLE:
        return put_at(code, end, TAKE_FROM, to)
    if times > 1:
        end = put_byte(code, put(code, end, MULTIPLY), times)
    return put_at(code, end, ADD_TO, to)


def put_loop(words: I64, supers: I32, code: U8, end: int, at: int) -> int:
    """As many rounds as it takes. Mostly one is counted down in each; even numbers, with which it
    may never end, are left to others."""
    shape, first, asked = supers[at + SHAPE], first_sum(supers, at), supers[at + ASKED]
    ticks, value = supers[at + TICKS], supers[at + ASKED_VALUE]
    rest = first + SUM * (shape >> ASKED_SUMS & BITS)
    hands_over = stub(words, code, at, 0, HANDS_OVER)
    end = put_step(supers, code, end, first, rest)
    end = put_byte(code, put(code, end, IS_STEP), WHOLE)
    other_step = jump_far(code, end, IF_OTHER, words[STUBS_BEGIN] - ROUNDS)
    end = put_at(code, other_step, LOAD_COUNTER, asked)
    end = put_amount(code, end, LESS, value + 1)
    counted = put(code, put(code, end, ONE_BYTE), ONE_MORE)
    put_rounds(words, supers, code, at, hands_over, counted)
    end = put(code, put_with(code, counted, ROUNDS_BURN, ticks), COMPARE_SPENT)
    end = put(code, jump(code, end, IF_GREATER, hands_over), SPEND)
    end = put_byte(code, put_at(code, end, STORE, asked), value)
    for i in range(rest, first + SUM * (shape & BITS), SUM):
        times = supers[i + 2] & WHOLE
        if times:
            end = put_at(code, end, LOAD, supers[i + 1])
            if times > 1:
                end = put_byte(code, put(code, end, MULTIPLY), times)
            end = put_at(code, put(code, end, TIMES), ADD_TO, supers[i])
    end = jump_far(code, end, GO, following(words, supers, code, at, 1))
    supers[at + JUMP_EQUAL] = end - HALF
    return end


def put_rounds(words: I64, supers: I32, code: U8, at: int, hands_over: int, counted: int) -> None:
    """How many rounds it takes, if an odd number is added in each: what is missing, divided by it.
    For that its inverse is found, of which each round of Newton's way doubles the true bits: an odd
    number is its own inverse in the lowest three."""
    words[STUBS_BEGIN] -= ROUNDS
    end = put_byte(code, put(code, words[STUBS_BEGIN], TEST_STEP), 1)
    end = put(code, jump(code, end, IF_EQUAL, hands_over), COPY_STEP)
    for _ in range(2):
        end = put(code, put(code, end, COPY_COUNTER), TIMES_STEP)
        end = put_amount(code, put(code, end, NEGATE_MORE), MORE, 2)
        end = put(code, end, COUNTER_TIMES)
    end = put(code, put_at(code, end, LOAD_MORE, supers[at + ASKED]), NEGATE_MORE)
    end = put_amount(code, end, MORE, supers[at + ASKED_VALUE])
    end = put(code, put(code, end, COUNTER_TIMES), ONE_LESS)
    jump_far(code, put(code, put(code, end, ONE_BYTE), ONE_MORE), GO, counted)


def put_step(supers: I32, code: U8, end: int, first: int, rest: int) -> int:
    """What is added in each round to the cell that ends them."""
    for i in range(first, rest, SUM):
        times = supers[i + 2] & WHOLE
        end = put_at(code, end, LOAD if i == first else LOAD_MORE, supers[i + 1])
        if i > first:
            end = put_byte(code, put(code, end, MULTIPLY_MORE), times)
            end = put(code, end, ADD_MORE)
        elif times == WHOLE:
            end = put(code, end, NEGATE)
        elif times > 1:
            end = put_byte(code, put(code, end, MULTIPLY), times)
    return end


# Where that leads ---------------------------------------------------------------------------------


def following(words: I64, supers: I32, code: U8, at: int, answer: int) -> int:
    """The machine code that follows by an answer, or what leaves for it."""
    follows = supers[at + LINK + answer]
    if is_compiled(supers, at, follows):
        return supers[follows + CODE]
    return stub(words, code, at, answer, WANTS_NEXT)


def is_compiled(supers: I32, at: int, follows: int) -> int:
    """Whether what follows is machine code, too; so is what follows itself."""
    return 1 if supers[follows + STAMP] == COMPILED or follows == at else 0


def link(supers: I32, code: U8, at: int, answer: int) -> None:
    """From now on machine code goes on with what follows by this answer, if that is some, too."""
    follows = supers[at + LINK + answer]
    if supers[at + CODE] and supers[at + JUMP + answer] and is_compiled(supers, at, follows):
        lead(code, supers[at + JUMP + answer], supers[follows + CODE])


def join(words: I64, supers: I32, code: U8, end: int, at: int) -> int:
    """Where the code of a superinstruction begins: if it follows what was written last, in place of
    the jump with which that ends. So code that is gone through in a row stands in a row."""
    last = words[LAST_TEMPLATE]
    jump_at, equal_at = supers[last + JUMP], supers[last + JUMP_EQUAL]
    if jump_at and supers[last + LINK] == at:
        supers[last + JUMP] = 0
        return end - ALWAYS
    if equal_at and supers[last + LINK_EQUAL] == at:
        if jump_at:  # then the question is turned round, and the other answer jumps
            put(code, equal_at - IF_BYTES, IF_OTHER)
            lead(code, equal_at, jump_at + HALF + get_number(code, jump_at))
        supers[last + JUMP], supers[last + JUMP_EQUAL] = equal_at if jump_at else 0, 0
        return end - ALWAYS
    return end


def fall_back(supers: I32, code: U8, at: int) -> None:
    """The same for a trace that has failed, and its first block."""
    basic = supers[at + BASIC]
    if supers[at + CODE] and supers[basic + CODE]:
        lead(code, supers[at + FALL_BACK], supers[basic + CODE])


def close(supers: I32, code: U8, at: int) -> None:
    """Have what leads to a trace that was dropped go on with its first block."""
    if supers[at + CODE]:
        jump_far(code, supers[at + CODE], GO, supers[at + FALL_BACK] - 1)
