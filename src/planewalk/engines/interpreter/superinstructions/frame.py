"""What stands around the machine code of superinstructions: how it is entered, and left."""

from __future__ import annotations

from typing import Any

from .layout import *
from .x86 import *

LEAVES, FRAME = 128, 256  # where it is left, and where superinstructions begin
WORD = 8


def write_frame(code: Any) -> None:
    """At the beginning: a function with the arguments of `perform`, which enters machine code, and
    what that ends with."""
    end = 0
    for opcode in (*SAVE, *TAKE_ARGUMENTS):
        end = put(code, end, opcode)
    for opcode, word in ((GET_COLUMN, HAND_X), (GET_ROW, HAND_Y), (GET_FUEL, FUEL)):
        end = put_with(code, end, opcode, WORD * word)
    end = put_with(code, put(code, end, ROW_TO_CELLS), TIMES_WIDTH, WORD * WIDTH)
    for opcode in ADD_HAND:
        end = put(code, end, opcode)
    for opcode, word in ((GET_RIGHTMOST, RIGHTMOST), (GET_LOWEST, LOWEST), (GET_ROWS, HEIGHT)):
        end = put_with(code, end, opcode, WORD * word)
    end = put_with(code, end, GO_THERE, WORD * ENTERED)
    assert end <= LEAVES
    assert _write_end(code) <= FRAME


def _write_end(code: Any) -> int:
    """What is to be told is in one number: which one it is about, the answer, and why it ends."""
    end = LEAVES
    for opcode, word in ((PUT_COLUMN, HAND_X), (PUT_ROW, HAND_Y), (PUT_FUEL, FUEL)):
        end = put_with(code, end, opcode, WORD * word)
    end = put_byte(code, put(code, put(code, end, COPY_WHY), SHIFT_COPY), WHY_BITS + 1)
    end = put(code, put_with(code, end, PUT_COPY, WORD * AT), COPY_WHY)
    end = put_byte(code, put(code, end, SHIFT_COPY), WHY_BITS)
    end = put_byte(code, put(code, end, KEEP_OF_COPY), 1)
    end = put_with(code, end, PUT_COPY, WORD * ANSWER)
    end = put_byte(code, put(code, end, KEEP_OF_WHY), (1 << WHY_BITS) - 1)
    for opcode in (*RESTORE, RETURN):
        end = put(code, end, opcode)
    return end
