"""The numbers that all kernels of cursors agree on: what stands where, and what it means."""

from __future__ import annotations

# What a cell does. Modes, mirrors and ways to carry are counted from these on.
NOTHING, SET_MODE, MIRROR, CARRY, JUMP, TEST, FORK = 0, 1, 7, 10, 15, 16, 17

# Ways are 0 to 3, clockwise from the right; 4 is to stay. These are the modes:
NONE, ADD, SUBTRACT, INPUT, OUTPUT, CLEAR = range(6)

# A cursor is six numbers: its cell and the column of that, way, mode, hand and the column of that.
CURSOR = 6
X, WAY, MODE, HAND, HAND_X = range(1, 6)

# A leap is six: ticks * 256 + new mode * 16 + action, two ways on (the second for zeros, or for the
# twin), the standing where it begins, cell * 4 + way, and what it adds to the hand and to the
# column of that.
# A way on is a leap, or ~standing while that is unknown.
LEAP = 6
NEXT, OVER, FROM, BY, ASIDE = range(1, 6)
SAME_MODE = 7
ASK, GO_ON, STOP, SPLIT = 5, 6, 7, 8  # actions besides the five ways to carry
LONGEST_LEAP, NEVER = 1_000, 1 << 20  # ticks; the latter of leaps that are not for one alone

# A group, of equal cursors that go as one, is ten: its leap or ~standing, the tick of the action of
# that, its hand before and after it, the column of the latter, what it adds to the cell there,
# counted in that of the hand; its modes before and after the leap; how many cursors it has; who
# else acts in the same tick; and the group whose cursors come behind those of this one, each behind
# its twin.
GROUP = 10
LEAP_AT, DUE, HELD, TARGET, TARGET_X, ADDED, CHANGE, MEMBERS, FOLLOWS, BEHIND = range(GROUP)
SLOTS = 1_024  # in `queue`: who does an action in each of the next ticks; more than a leap has

# A round is recorded in `log`: for each of its ticks where its actions begin, then those, each the
# group * 2, and 1 more if it held a zero. In `script` it is the same for operations, each a cell
# that is read, one that is changed (SHIFT bits up), how many times the former is added to it, and:
MOST_ROUND, MOST_ACTIONS, MOST_TEMPS = 2_048, 1 << 16, 1_024
ACTIONS = MOST_ROUND + 1  # where they begin, in `log` and in `script`
SHIFT = 24
FRESH, UNLESS_ZERO, UNLESS_MORE = 1 << 56, 1 << 57, 1 << 58  # it is 0 before; the round breaks

# Tags of scripts are less than MOST_TAGS. What is more is for all together: no group may write a
# cell that leaps pass over or that is barred, nor read it if the tag is odd.
MOST_TAGS = 1 << 30
PASSED, WRITING_BARRED, READING_BARRED = 2, 4, 5
CODE = MOST_TAGS + PASSED

# In `marks`: 1 << way for cursors that arrive so, and these for cells that are read or written.
READ, WRITTEN_TO = 16, 32
# What the run stops at, in words[BARRED]: what `marks` says, cells read among it; output, input.
MARKED, ALL_READING, ALL_OUTPUT, ALL_INPUT = 1, 2, 4, 8

# The numbers of a run, by their place in `words`.
(
    TICKS, WIDTH, HEIGHT, ROWS,  # ticks made; the field, and the rows there are memory for
    COUNT, ROOM, MOST, NOW,  # cursors, how many fit and may be; where in `cursors` they begin
    POSITION, ARRIVED, CLOSED, INPUT_ADDS, WRITTEN, MOST_WRITTEN,  # input and output
    COVERED, LEAPS, MOST_LEAPS, LEAPS_HEIGHT, SEEN, STALE,  # what is known of leaps
    TAG,  # what cells are tagged with that are added to others in this tick of a script
    STEP, _, _, _, _, SIDE, _, _, _, _,  # by way: what it adds to a cell and to a column
    BARRED, WORK,  # what the run stops at; what may be done in this call, in nanoseconds or so
    LOCKSTEP, FUTILE, BLOCKED, GROUPS,  # ticks for all together; stretches that were too short
    EXPECTED,  # cursors, when all groups that are about to fork have done so
    SPAN, COOL_DOWN, REPLAYED, BROKEN, TEMPS,  # rounds: see `rounds.py`
    END, LOST,  # the tick before which groups must stop; the first that needs a new leap
    BASE, BEGIN, LOGGED,  # when a round began, or -1; when one may; where its actions end
    WHOLE, MOST_GROUPS,  # groups when it began; those at which equal ones are put together again
    TO, SUMS, OTHERS, BYTE, GROWN, READING, OUTSIDE,  # a tick of all together: see `together.py`
    WORDS,
) = range(58)  # fmt: skip
