"""Division of numbers of 128 bits as LLVM IR: what LLVM would call for it is not everywhere.

Most divisions have a short answer, which takes one instruction where there is one for it: `divq` on
x86-64 divides 128 bits by 64, as long as the quotient has 64. What is divided by is often the same
again and again; from the second time on, two multiplications by its inverse are faster.
"""

from __future__ import annotations

from . import executable

HALF = 1 << 32

MEMORY = "[4 x i64]"
"""What a place that divides remembers, all 0 at first: what it divided by last; the limit that an
upper word must be below for the inverse to be used, 0 as long as there is none; the inverse; and
its shift, not 0 as soon as somebody has tried to find one."""
LEAST_INVERTED, MOST_INVERTED = 1 << 3, 1 << 61
"""What gets an inverse. Products of two remainders are below its limit, but for the very last; of
larger numbers they would be so at times, and no processor could guess when."""

BY_INSTRUCTION = """
define internal {i64, i64} @divided(i64 %high, i64 %low, i64 %x) {
  %both = call {i64, i64} asm sideeffect "divq $4", "={ax},={dx},0,1,r,~{flags}"(
    i64 %low, i64 %high, i64 %x)
  ret {i64, i64} %both
}
define internal i64 @apart(i64 %value) {
  %same = call i64 asm "", "=r,0"(i64 %value)
  ret i64 %same
}
"""
"""A quotient and what is left, where the upper word is less than what is divided by: else the
processor would stop. So it says `sideeffect`, and stays behind the question. `apart` is the number
itself, but LLVM does not know that: what it would make of formulas with it takes longer."""

BY_DIGITS = f"""
define internal i64 @apart(i64 %value) {{
  ret i64 %value
}}
define internal i64 @corrected(i64 %guess, i64 %rest, i64 %high, i64 %low, i64 %next) {{
  %far = icmp uge i64 %guess, {HALF}
  %product = mul i64 %guess, %low
  %shifted = shl i64 %rest, 32
  %there = or i64 %shifted, %next
  %above = icmp ugt i64 %product, %there
  %wrong = or i1 %far, %above
  %less = sub i64 %guess, 1
  %more = add i64 %rest, %high
  %fits = icmp ult i64 %more, {HALF}
  %far.still = icmp uge i64 %less, {HALF}
  %product.less = sub i64 %product, %low
  %shifted.more = shl i64 %more, 32
  %there.more = or i64 %shifted.more, %next
  %above.still = icmp ugt i64 %product.less, %there.more
  %wrong.still = or i1 %far.still, %above.still
  %twice = and i1 %fits, %wrong.still
  %least = sub i64 %less, 1
  %lower = select i1 %twice, i64 %least, i64 %less
  %found = select i1 %wrong, i64 %lower, i64 %guess
  ret i64 %found
}}
define internal {{i64, i64}} @divided(i64 %y.high, i64 %y.low, i64 %x) noinline {{
  %short = icmp eq i64 %y.high, 0
  br i1 %short, label %one, label %two
one:
  %only = udiv i64 %y.low, %x
  br label %done
two:
  %unused = call i64 @llvm.ctlz.i64(i64 %x, i1 false)
  %by = shl i64 %x, %unused
  %unused.wide = zext i64 %unused to i128
  %y.high.wide = zext i64 %y.high to i128
  %y.low.wide = zext i64 %y.low to i128
  %y.upper = shl i128 %y.high.wide, 64
  %y = or i128 %y.upper, %y.low.wide
  %scaled = shl i128 %y, %unused.wide
  %scaled.high = lshr i128 %scaled, 64
  %top = trunc i128 %scaled.high to i64
  %bottom = trunc i128 %scaled to i64
  %high = lshr i64 %by, 32
  %low = and i64 %by, {HALF - 1}
  %third = lshr i64 %bottom, 32
  %fourth = and i64 %bottom, {HALF - 1}
  %guess = udiv i64 %top, %high
  %rest = urem i64 %top, %high
  %first = call i64 @corrected(i64 %guess, i64 %rest, i64 %high, i64 %low, i64 %third)
  %top.shifted = shl i64 %top, 32
  %middle = or i64 %top.shifted, %third
  %taken = mul i64 %first, %by
  %left = sub i64 %middle, %taken
  %guess.2 = udiv i64 %left, %high
  %rest.2 = urem i64 %left, %high
  %second = call i64 @corrected(i64 %guess.2, i64 %rest.2, i64 %high, i64 %low, i64 %fourth)
  %first.shifted = shl i64 %first, 32
  %both = add i64 %first.shifted, %second
  br label %done
done:
  %found = phi i64 [ %only, %one ], [ %both, %two ]
  %product = mul i64 %found, %x
  %over = sub i64 %y.low, %product
  %part = insertvalue {{i64, i64}} undef, i64 %found, 0
  %whole = insertvalue {{i64, i64}} %part, i64 %over, 1
  ret {{i64, i64}} %whole
}}
"""
"""The same by the school's method with two digits of 32 bits each: the first guess from the upper
digit of what is divided by is too large by two at most."""

HALVES = """  %y.high.wide = lshr i128 %y, 64
  %x.high.wide = lshr i128 %x, 64
  %y.high = trunc i128 %y.high.wide to i64
  %x.high = trunc i128 %x.high.wide to i64
  %y.low = trunc i128 %y to i64
  %x.low = trunc i128 %x to i64
"""
"""The words that two numbers have."""

SHARE = (
    """
declare i64 @llvm.ctlz.i64(i64, i1)
define internal i128 @share(i128 %y, i128 %x) noinline {
"""
    + HALVES
    + """  %large = icmp ne i64 %x.high, 0
  br i1 %large, label %by.large, label %by.small
by.small:
  %upper = udiv i64 %y.high, %x.low
  %over = urem i64 %y.high, %x.low
  %rest = call {i64, i64} @divided(i64 %over, i64 %y.low, i64 %x.low)
  %lower = extractvalue {i64, i64} %rest, 0
  %upper.wide = zext i64 %upper to i128
  %upper.high = shl i128 %upper.wide, 64
  %lower.wide = zext i64 %lower to i128
  %both = or i128 %upper.high, %lower.wide
  ret i128 %both
by.large:
  %unused = call i64 @llvm.ctlz.i64(i64 %x.high, i1 false)
  %unused.wide = zext i64 %unused to i128
  %x.scaled = shl i128 %x, %unused.wide
  %x.top.wide = lshr i128 %x.scaled, 64
  %x.top = trunc i128 %x.top.wide to i64
  %y.half = lshr i128 %y, 1
  %y.half.low = trunc i128 %y.half to i64
  %y.half.high = lshr i64 %y.high, 1
  %guess = call {i64, i64} @divided(i64 %y.half.high, i64 %y.half.low, i64 %x.top)
  %about = extractvalue {i64, i64} %guess, 0
  %back = sub i64 63, %unused
  %scaled = lshr i64 %about, %back
  %some = icmp ne i64 %scaled, 0
  %some.wide = zext i1 %some to i64
  %surely = sub i64 %scaled, %some.wide
  %surely.wide = zext i64 %surely to i128
  %product = mul i128 %surely.wide, %x
  %left = sub i128 %y, %product
  %once.more = icmp uge i128 %left, %x
  %more = zext i1 %once.more to i128
  %found = add i128 %surely.wide, %more
  ret i128 %found
}
"""
)
"""Any two numbers without signs, of at most 2 ** 127."""

INVERSE = f"""
define internal {{i64, i64, i64}} @inverse(i64 %x) noinline {{
  %above = sub i64 %x, {LEAST_INVERTED}
  %between = icmp ule i64 %above, {MOST_INVERTED - LEAST_INVERTED}
  br i1 %between, label %one, label %none
one:
  %unused = call i64 @llvm.ctlz.i64(i64 %x, i1 false)
  %shift = sub i64 62, %unused
  %high = shl i64 1, %shift
  %both = call {{i64, i64}} @divided(i64 %high, i64 0, i64 %x)
  %inverse = extractvalue {{i64, i64}} %both, 0
  %limit = lshr i64 %x, 3
  %part = insertvalue {{i64, i64, i64}} undef, i64 %limit, 0
  %more = insertvalue {{i64, i64, i64}} %part, i64 %inverse, 1
  %whole = insertvalue {{i64, i64, i64}} %more, i64 %shift, 2
  ret {{i64, i64, i64}} %whole
none:
  ret {{i64, i64, i64}} {{i64 0, i64 0, i64 1}}
}}
define internal {{i64, i64}} @multiplied(
    i64 %y.high, i64 %y.low, i64 %x, i64 %inverse, i64 %shift) {{
  %other.shift = sub i64 64, %shift
  %up = call i64 @apart(i64 %other.shift)
  %upper = shl i64 %y.high, %up
  %lower = lshr i64 %y.low, %shift
  %top = or i64 %upper, %lower
  %top.wide = zext i64 %top to i128
  %inverse.wide = zext i64 %inverse to i128
  %both = mul i128 %top.wide, %inverse.wide
  %guess.wide = lshr i128 %both, 64
  %guess = trunc i128 %guess.wide to i64
  %next = add i64 %guess, 1
  %product = mul i64 %guess, %x
  %rest = sub i64 %y.low, %product
  %y.less = sub i64 %y.low, %x
  %y.apart = call i64 @apart(i64 %y.less)
  %rest.less = sub i64 %y.apart, %product
  %right = icmp slt i64 %rest.less, 0
  %found = select i1 %right, i64 %guess, i64 %next, !unpredictable !0
  %over = select i1 %right, i64 %rest, i64 %rest.less, !unpredictable !0
  %part = insertvalue {{i64, i64}} undef, i64 %found, 0
  %whole = insertvalue {{i64, i64}} %part, i64 %over, 1
  ret {{i64, i64}} %whole
}}
"""
"""A limit, an inverse and its shift; and by means of these, a quotient and what is left.

The inverse is 2 ** (64 + shift) / x, cut off, with a shift of two less than x has bits; the limit
is x / 8.

The upper word of (y >> shift) * inverse is never more than y / x, and less by what was cut off:
by less than 1 of y / 2 ** shift, which counts inverse / 2 ** 64, at most 1/2; and by less than 1
of the inverse, which counts (y >> shift) / 2 ** 64, less than 1/2. So the quotient is that guess
or the next number, and what is left tells which."""

DIVISION = (
    """
define internal {i128, i128} @division(i128 %y, i128 %x, ptr %memory) {
"""
    + HALVES
    + """  %small = icmp eq i64 %x.high, 0
  br i1 %small, label %by.small, label %by.other
by.small:
  %limit.at = getelementptr i64, ptr %memory, i64 1
  %inverse.at = getelementptr i64, ptr %memory, i64 2
  %shift.at = getelementptr i64, ptr %memory, i64 3
  %last = load volatile i64, ptr %memory
  %limit = load volatile i64, ptr %limit.at
  %again = icmp eq i64 %x.low, %last
  %near = icmp ult i64 %y.high, %limit
  %quick = and i1 %again, %near
  br i1 %quick, label %by.inverse, label %by.any, !prof !2
by.inverse:
  %inverse = load volatile i64, ptr %inverse.at
  %shift = load volatile i64, ptr %shift.at
  %by.inverse.both = call {i64, i64} @multiplied(
    i64 %y.high, i64 %y.low, i64 %x.low, i64 %inverse, i64 %shift)
  br label %by.one
by.any:
  %below = icmp ult i64 %y.high, %x.low
  %plain = icmp sge i64 %y.high, 0
  %fits = and i1 %below, %plain
  br i1 %fits, label %by.word, label %long, !prof !2
by.word:
  %by.word.both = call {i64, i64} @divided(i64 %y.high, i64 %y.low, i64 %x.low)
  br i1 %again, label %met, label %new
new:
  store volatile i64 %x.low, ptr %memory
  store volatile i64 0, ptr %limit.at
  store volatile i64 0, ptr %shift.at
  br label %by.one
met:
  %tried = load volatile i64, ptr %shift.at
  %first = icmp eq i64 %tried, 0
  br i1 %first, label %learn, label %by.one, !prof !1
learn:
  %learnt = call {i64, i64, i64} @inverse(i64 %x.low)
  %learnt.limit = extractvalue {i64, i64, i64} %learnt, 0
  %learnt.inverse = extractvalue {i64, i64, i64} %learnt, 1
  %learnt.shift = extractvalue {i64, i64, i64} %learnt, 2
  store volatile i64 %learnt.limit, ptr %limit.at
  store volatile i64 %learnt.inverse, ptr %inverse.at
  store volatile i64 %learnt.shift, ptr %shift.at
  br label %by.one
by.one:
  %both = phi {i64, i64} [ %by.inverse.both, %by.inverse ], [ %by.word.both, %new ],
    [ %by.word.both, %met ], [ %by.word.both, %learn ]
  %found = extractvalue {i64, i64} %both, 0
  %over = extractvalue {i64, i64} %both, 1
  %found.wide = zext i64 %found to i128
  %over.wide = zext i64 %over to i128
  br label %done
by.other:
  %either = or i128 %y, %x
  %signed = icmp slt i128 %either, 0
  br i1 %signed, label %long, label %by.large, !prof !1
by.large:
  %once = icmp uge i128 %y, %x
  %taken = select i1 %once, i128 %x, i128 0, !unpredictable !0
  %left = sub i128 %y, %taken
  %once.wide = zext i1 %once to i128
  %twice = icmp uge i128 %left, %x
  br i1 %twice, label %long, label %done, !prof !1
long:
  %y.negative = icmp slt i128 %y, 0
  %x.negative = icmp slt i128 %x, 0
  %y.turned = sub i128 0, %y
  %x.turned = sub i128 0, %x
  %y.size = select i1 %y.negative, i128 %y.turned, i128 %y
  %x.size = select i1 %x.negative, i128 %x.turned, i128 %x
  %size = call i128 @share(i128 %y.size, i128 %x.size)
  %negative = xor i1 %y.negative, %x.negative
  %turned = sub i128 0, %size
  %share = select i1 %negative, i128 %turned, i128 %size
  %product = mul i128 %share, %x
  %behind = sub i128 %y, %product
  br label %done
done:
  %quotient = phi i128 [ %found.wide, %by.one ], [ %once.wide, %by.large ], [ %share, %long ]
  %rest = phi i128 [ %over.wide, %by.one ], [ %left, %by.large ], [ %behind, %long ]
  %part = insertvalue {i128, i128} undef, i128 %quotient, 0
  %whole = insertvalue {i128, i128} %part, i128 %rest, 1
  ret {i128, i128} %whole
}
"""
)
"""A quotient cut off towards zero, and what is left: at once where one word divides it or it is
less than 2, and of any two numbers by `share`.

A number that is met twice in a row gets an inverse, which takes as long as a division. Memory is
`volatile`: in registers it would be in the way of loops that divide by more than a word."""


def division_ir(instruction: bool = executable.KNOWN) -> str:
    """What divides, by this processor's own instruction if it is known to have one."""
    return (BY_INSTRUCTION if instruction else BY_DIGITS) + SHARE + INVERSE + DIVISION


def learn_instructions() -> None:
    """Have LLVM read instructions that stand in a text; it would end the process else."""
    import llvmlite.binding as llvm

    llvm.initialize_native_asmparser()
