"""The code around the trees: it goes over a part of the picture, a block of pixels at a time."""

from __future__ import annotations

from string import Template

WIDE = '"prefer-vector-width"="512" "min-legal-vector-width"="512"'
"""All functions on vectors must agree in how those are passed."""

FRAME = Template("""
define i64 @unit(ptr noalias %w) $wide {
start:
$variables
$words
  %to.pixels = inttoptr i64 %pixels to ptr
  %to.steps = inttoptr i64 %steps to ptr
  %to.undone = inttoptr i64 %undone to ptr
  %to.over = inttoptr i64 %over to ptr
  %to.samples = inttoptr i64 %samples to ptr
  %wants.steps = icmp ne i64 %steps, 0
  %width.real = sitofp i64 %width to float
  %height.real = sitofp i64 %height to float
  %time.wide = bitcast i64 %time to double
  %time.real = fptrunc double %time.wide to float
  %limit.short = trunc i64 %limit to i32
$same_for_all
  br label %rows
rows:
  %y = phi i64 [ %top, %start ], [ %next.y, %row.done ]
  %block.first = phi i64 [ 0, %start ], [ %block, %row.done ]
  %found.first = phi i64 [ 0, %start ], [ %found, %row.done ]
  %more.rows = icmp slt i64 %y, %bottom
  br i1 %more.rows, label %columns, label %all.done
columns:
  %x = phi i64 [ %left, %rows ], [ %next.x, %block.done ]
  %block = phi i64 [ %block.first, %rows ], [ %next.block, %block.done ]
  %found = phi i64 [ %found.first, %rows ], [ %next.found, %block.done ]
  %more.columns = icmp slt i64 %x, %right
  br i1 %more.columns, label %block.begin, label %row.done
block.begin:
$places
  %x.inside = icmp slt <$lanes x i64> %x.words, %right.all
  %y.inside = icmp slt <$lanes x i64> %y.words, %bottom.all
  %inside = and <$lanes x i1> %x.inside, %y.inside
  %undone.at = getelementptr i64, ptr %to.undone, i64 %block
  %undone.word = load i64, ptr %undone.at
  %undone.bits = trunc i64 %undone.word to i$lanes
  %undone.lanes = bitcast i$lanes %undone.bits to <$lanes x i1>
  %active = and <$lanes x i1> %inside, %undone.lanes
  %given.x = sitofp <$lanes x i64> %x.words to <$lanes x float>
  %given.y = sitofp <$lanes x i64> %y.words to <$lanes x float>
$clearing
$trees
  br label %block.end
block.end:
  %row = sub i64 %y, %top
  %column = sub i64 %x, %left
  %row.begin = mul i64 %row, %stride
  %at = add i64 %row.begin, %column
$colours
  %ticks.now = load <$lanes x i32>, ptr %ticks
  %too.long = icmp sgt <$lanes x i32> %ticks.now, %limit.all
  %limited.before = load <$lanes x i1>, ptr %limited
  %limited.lanes = or <$lanes x i1> %limited.before, %too.long
  %limited.bits = bitcast <$lanes x i1> %limited.lanes to i$lanes
  %limited.word = zext i$lanes %limited.bits to i64
  %limited.at = getelementptr i64, ptr %to.over, i64 %block
  store i64 %limited.word, ptr %limited.at
  %marked.lanes = load <$lanes x i1>, ptr %marked
  %marked.bits = bitcast <$lanes x i1> %marked.lanes to i$lanes
  %marked.word = zext i$lanes %marked.bits to i64
  store i64 %marked.word, ptr %undone.at
  %either.bits = or i$lanes %marked.bits, %limited.bits
  %any.bits = icmp ne i$lanes %either.bits, 0
  %one.more = zext i1 %any.bits to i64
  br i1 %wants.steps, label %keep.steps, label %block.done
keep.steps:
$stepping
  br label %block.done
block.done:
  %next.x = add i64 %x, $across
  %next.block = add i64 %block, 1
  %next.found = add i64 %found, %one.more
  br label %columns
row.done:
  %next.y = add i64 %y, $down
  br label %rows
all.done:
  ret i64 %found.first
}
""")


def splat(kind: str, value: str, name: str, lanes: int) -> list[str]:
    """Lines that give one value to all lanes."""
    vector = f"<{lanes} x {kind}>"
    return [
        f"  {name}.one = insertelement {vector} poison, {kind} {value}, i64 0",
        f"  {name} = shufflevector {vector} {name}.one, {vector} poison, "
        f"<{lanes} x i32> zeroinitializer",
    ]


def vector(kind: str, values: list[int]) -> str:
    """A vector of whole numbers as text."""
    return "<" + ", ".join(f"{kind} {value}" for value in values) + ">"


def places(lanes: int, across: int) -> list[str]:
    """Lines that say in which column and row each lane is."""
    kind = f"<{lanes} x i64>"
    columns = vector("i64", [lane % across for lane in range(lanes)])
    rows = vector("i64", [lane // across for lane in range(lanes)])
    return [
        *splat("i64", "%x", "%x.all", lanes),
        *splat("i64", "%y", "%y.all", lanes),
        f"  %x.words = add {kind} %x.all, {columns}",
        f"  %y.words = add {kind} %y.all, {rows}",
    ]


def colours(lanes: int, across: int) -> list[str]:
    """Lines that store red, green and blue of every pixel, row by row."""
    one, two = f"<{lanes} x i8>", f"<{2 * lanes} x i8>"
    all_lanes = vector("i32", list(range(2 * lanes)))
    lines = [f"  %{name}.now = load {one}, ptr %{name}" for name in ("red", "green", "blue")]
    lines += [
        f"  %red.green = shufflevector {one} %red.now, {one} %green.now, "
        f"<{2 * lanes} x i32> {all_lanes}",
        f"  %blue.wide = shufflevector {one} %blue.now, {one} %blue.now, "
        f"<{2 * lanes} x i32> {all_lanes}",
        "  %at.byte = mul i64 %at, 3",
        "  %stride.bytes = mul i64 %stride, 3",
    ]
    for row in range(lanes // across):
        order = [
            lane + channel * lanes
            for lane in range(row * across, (row + 1) * across)
            for channel in range(3)
        ]
        lines += [
            f"  %row{row}.bytes = shufflevector {two} %red.green, {two} %blue.wide, "
            f"<{3 * across} x i32> {vector('i32', order)}",
            f"  %row{row}.skip = mul i64 %stride.bytes, {row}",
            f"  %row{row}.byte = add i64 %at.byte, %row{row}.skip",
            f"  %row{row}.to = getelementptr i8, ptr %to.pixels, i64 %row{row}.byte",
            f"  store <{3 * across} x i8> %row{row}.bytes, ptr %row{row}.to, align 1",
        ]
    return lines


def stepping(lanes: int, across: int) -> list[str]:
    """Lines that store how many steps every pixel took, row by row."""
    lines = []
    for row in range(lanes // across):
        order = vector("i32", list(range(row * across, (row + 1) * across)))
        lines += [
            f"  %row{row}.steps = shufflevector <{lanes} x i32> %ticks.now, <{lanes} x i32> poison,"
            f" <{across} x i32> {order}",
            f"  %row{row}.further = mul i64 %stride, {row}",
            f"  %row{row}.step = add i64 %at, %row{row}.further",
            f"  %row{row}.steps.to = getelementptr i32, ptr %to.steps, i64 %row{row}.step",
            f"  store <{across} x i32> %row{row}.steps, ptr %row{row}.steps.to, align 4",
        ]
    return lines
