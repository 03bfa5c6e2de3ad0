"""Instructions of x86-64 as bytes: those that superinstructions are made of, and kernels that write
them down. An instruction is a number whose lowest byte comes first; what it is about follows.

What stands in which register all the time:

    rdi  the block of words             r9   the column beyond which no cell is marked
    rsi  the hand's cell                r10  the row below which no cell is marked
    edx  the hand's column              r11  how many rows there are
    ecx  the hand's row                 rbx  from a cell to its mark
    r8   fuel                           r12  the superinstructions
    eax, ebp, r14  what is needed now   r13  output
"""

from __future__ import annotations

from ...kernels.kernel import U8

# With a distance behind them, from the register in brackets.
LEFT_END, UPPER_END = 0x828D, 0xA98D  # lea eax, [rdx + ...]; lea ebp, [rcx + ...]
LOWER_END = 0xB18D44  # lea r14d, [rcx + ...]
ROWS_LESS = 0xB38D45  # lea r14d, [r11 + ...]
LOAD, LOAD_MORE = 0x86B60F, 0xB6B60F44  # movzx eax / r14d, byte [rsi + ...]
LOAD_COUNTER = 0xAEB60F  # movzx ebp, byte [rsi + ...]
ADD_TO, TAKE_FROM = 0x8600, 0x8628  # add / sub [rsi + ...], al
GET_WRITTEN, COMPARE_WRITTEN = 0xB78B4C, 0xB73B4C  # mov / cmp r14, [rdi + ...]
ADD_ONE = 0x87FF48  # inc qword [rdi + ...]
COMPARE, STORE = 0xBE80, 0x86C6  # cmp / mov byte [rsi + ...], and then 8 bits

# With a number behind them.
COMPARE_LEFT_END = 0xF881  # cmp eax, ...
BURN, UNBURN, COMPARE_FUEL = 0xE88149, 0xC08149, 0xF88149  # sub / add / cmp r8, ...
MOVE_HAND, MOVE_COLUMN, MOVE_ROW = 0xC68148, 0xC281, 0xC181  # add rsi / edx / ecx, ...
LESS, MORE = 0xED81, 0xC68141  # sub ebp, ...; add r14d, ...

# With 32 bits behind them.
ROUNDS_BURN = 0xC56948  # imul rax, rbp, ...
SET_WHY = 0xB8  # mov eax, ...
COUNT_ONE, COMPARE_COUNT = 0x2484FF41, 0x24BC8141  # inc / cmp dword [r12 + ...]; and 32 bits more
TEST_MARK = 0x1E84F6  # test byte [rsi + rbx + ...], and then 8 bits

# With 8 bits behind them.
MULTIPLY, MULTIPLY_MORE = 0xC06B, 0xF66B45  # imul eax, eax, ...; imul r14d, r14d, ...
IS_STEP, TEST_STEP = 0x3C, 0xA8  # cmp / test al, ...
WRITE = 0x35448843  # mov [r13 + r14 + ...], al
IF_GREATER_SKIP = 0x7F  # jg over so many bytes

# With nothing behind them.
IS_NEGATIVE = 0xED85  # test ebp, ebp
COMPARE_ROWS, COMPARE_SPAN = 0xDE3945, 0xF53944  # cmp r14d, r11d; cmp ebp, r14d
LEFT_RIGHTMOST, COLUMN_RIGHTMOST = 0xC83944, 0xCA3944  # cmp eax / edx, r9d
UPPER_LOWEST, ROW_LOWEST = 0xD53944, 0xD13944  # cmp ebp / ecx, r10d
NEGATE, ADD_MORE = 0xD8F7, 0xF00144  # neg eax; add eax, r14d
TIMES, ONE_BYTE, ONE_MORE = 0xC5AF0F, 0xEDB60F40, 0xC5FF  # imul eax, ebp; movzx ebp, bpl; inc ebp
COPY_STEP, COPY_COUNTER, ONE_LESS = 0xC589, 0xEE8941, 0xCDFF  # mov ebp, eax; mov r14d, ebp; dec ebp
TIMES_STEP, COUNTER_TIMES = 0xF0AF0F44, 0xEEAF0F41  # imul r14d, eax; imul ebp, r14d
NEGATE_MORE = 0xDEF741  # neg r14d
COMPARE_SPENT, SPEND = 0xC0394C, 0xC02949  # cmp rax, r8; sub r8, rax

# Jumps, with the 32 bits of their distance behind them; shorter ones have a byte.
GO, IF_EQUAL, IF_OTHER = 0xE9, 0x840F, 0x850F
IF_ABOVE, IF_NOT_BELOW, IF_MINUS = 0x870F, 0x830F, 0x880F
IF_LESS, IF_NOT_LESS, IF_NOT_GREATER, IF_GREATER = 0x8C0F, 0x8D0F, 0x8E0F, 0x8F0F
GO_SHORT, IF_SHORT, CONDITION = 0xEB, 0x70, 15

NEAR = 0x40  # by how much less the last byte of an instruction is if its distance is a byte
SMALL = 2  # by how much more the byte before it is if its number is a byte


def put(code: U8, at: int, opcode: int) -> int:
    """Write an instruction; gives where it ends."""
    while opcode:
        code[at] = opcode & 255
        opcode, at = opcode >> 8, at + 1
    return at


def put_byte(code: U8, at: int, number: int) -> int:
    """8 bits."""
    code[at] = number & 255
    return at + 1


def put_number(code: U8, at: int, number: int) -> int:
    """32 bits."""
    for i in range(4):
        code[at + i] = number >> 8 * i & 255
    return at + 4


def get_number(code: U8, at: int) -> int:
    """32 bits, with their sign."""
    number = 0
    for i in range(4):
        number += code[at + i] << 8 * i
    return number - (1 << 32) if code[at + 3] >= 128 else number


def is_byte(number: int) -> int:
    return 1 if -128 <= number < 128 else 0


def put_with(code: U8, at: int, opcode: int, number: int) -> int:
    """An instruction with 32 bits behind it."""
    return put_number(code, put(code, at, opcode), number)


def put_at(code: U8, at: int, opcode: int, distance: int) -> int:
    """An instruction about something so far away."""
    at = put(code, at, opcode)
    if not is_byte(distance):
        return put_number(code, at, distance)
    code[at - 1] -= NEAR
    return put_byte(code, at, distance)


def put_amount(code: U8, at: int, opcode: int, number: int) -> int:
    """An instruction with a number."""
    at = put(code, at, opcode)
    if not is_byte(number):
        return put_number(code, at, number)
    code[at - 2] += SMALL
    return put_byte(code, at, number)


def jump_far(code: U8, at: int, opcode: int, target: int) -> int:
    """A jump to a place in the same code, which may be led elsewhere later."""
    at = put(code, at, opcode)
    return put_number(code, at, target - (at + 4))


def jump(code: U8, at: int, opcode: int, target: int) -> int:
    """A jump that stays as it is."""
    distance = target - (at + 2)
    if not is_byte(distance):
        return jump_far(code, at, opcode, target)
    short = GO_SHORT if opcode == GO else IF_SHORT + (opcode >> 8 & CONDITION)
    return put_byte(code, put(code, at, short), distance)


def lead(code: U8, at: int, target: int) -> None:
    """Have a jump, whose distance stands there, lead somewhere else."""
    put_number(code, at, target - (at + 4))


# Once, before all superinstructions ---------------------------------------------------------------

SAVE = (0x53, 0x55, 0x5441, 0x5541, 0x5641)  # push rbx, rbp, r12, r13, r14
RESTORE = (0x5E41, 0x5D41, 0x5C41, 0x5D, 0x5B)
TAKE_ARGUMENTS = (
    0xD38948, 0xF32948,  # mov rbx, rdx; sub rbx, rsi
    0xCC8949, 0xC5894D,  # mov r12, rcx; mov r13, r8
)  # fmt: skip
GET_COLUMN, GET_ROW, GET_FUEL = 0x978B48, 0x8F8B48, 0x878B4C  # mov rdx / rcx / r8, [rdi + ...]
PUT_COLUMN, PUT_ROW, PUT_FUEL = 0x978948, 0x8F8948, 0x87894C  # mov [rdi + ...], rdx / rcx / r8
GET_RIGHTMOST, GET_LOWEST, GET_ROWS = 0x8F8B4C, 0x978B4C, 0x9F8B4C  # mov r9 / r10 / r11, ...
ROW_TO_CELLS, TIMES_WIDTH = 0xC88948, 0x87AF0F48  # mov rax, rcx; imul rax, [rdi + ...]
ADD_HAND = (0xD00148, 0xC60148)  # add rax, rdx; add rsi, rax
GO_THERE = 0xA7FF  # jmp [rdi + ...]
COPY_WHY, PUT_COPY = 0xC589, 0xAF8948  # mov ebp, eax; mov [rdi + ...], rbp
SHIFT_COPY, KEEP_OF_COPY, KEEP_OF_WHY = 0xEDC1, 0xE583, 0xE083  # shr / and ebp, 8 bits; and eax
RETURN = 0xC3
