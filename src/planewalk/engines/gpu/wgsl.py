"""Recorded trees as WGSL: one function from the start values of a pixel to its colour.

Trees stand one after another, those of a loop inside one; `head` says which comes next. `s0, s1,
...` are the stack, `r0, r1, ...` registers, `t1, t2, ...` values in between. Comments say which
cells were walked over, and which way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.base.deadline import Pause, no_pause
from ...core.program import Program
from ..picture.lane_tracer import GIVEN
from ..tracing.footprint import blocks, blocks_from, nodes_in
from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Join, Node
from ..tracing.trees import Env, Tree
from .comments import stretches
from .expressions import bare, expression, name_of, named, open_in, unrounded, vector
from .library import choosing, looking, needed
from .order import Component, in_order, longest_ways
from .record import Ends, Recorder, record


class Shader:
    """What the shaders of a program are made of: functions in WGSL, the callees first.

    `shade(x, y, ..., seed)` gives red, green and blue from 0 to 255, not yet cut off to whole
    numbers, and `seed_of_pixel(seed, x, y)` the chance of a pixel. `cells` are those of the
    program, row by row, if it looks at them. `certain` says that no pixel faults or hits the step
    limit, whatever it is.
    """

    def __init__(self, program: Program, limit: int, pause: Pause = no_pause) -> None:
        self.program = program
        self.limit = limit
        writer = ShaderWriter(program, record(program, pause), limit)
        pause()
        self.certain = writer.certain()
        text = "\n".join(writer.shade())
        seed = _seed_of_pixel(program)
        plane: Any = program.start(0).plane
        looks = looking(text, plane)
        rows = range(plane.height if looks else 0)
        self.cells = [plane.cell(x, y) for y in rows for x in range(plane.width)]
        tables = [*looks, *choosing(text)]
        wanted = "\n".join([text, seed, *tables, "level"])
        self.functions = [*needed(wanted), *tables, seed, text]


def _seed_of_pixel(program: Program) -> str:
    """The rule that gives each pixel a chance of its own."""
    shading = program.language.drawing.shading
    assert shading is not None

    def mix(seed: str, counter: str) -> str:
        return f"mixed({seed}, {counter})"

    text = shading.seed(mix, "seed", "u32(x)", "u32(y)")
    head = "fn seed_of_pixel(seed: vec2<u32>, x: f32, y: f32) -> vec2<u32>"
    return f"{head} {{\n    return {text};\n}}"


class ShaderWriter:
    """Writes the function `shade`.

    Parts stand one after another, and each looks whether it is meant: `head` is the number of the
    tree that comes next, or of a moment at which the step limit was reached, or that of the end.
    """

    def __init__(self, program: Program, recorder: Recorder, limit: int) -> None:
        self.program, self.plane = program, program.start(0).plane
        self.endings, self.moments = recorder.notes.endings, recorder.notes.moments
        self.start, self.channels = recorder.first_stack(), recorder.channels
        self.limit = limit
        self.parts = in_order(recorder.trees)
        self.trees = [tree for part in self.parts for tree in part.trees]
        self.heads = {tree.key: number for number, tree in enumerate(self.trees)}
        self.longest = longest_ways(self.parts)
        self.limits: list[tuple[int, list[tuple[list[int], list[Any]]]]] = []
        """Where the step limit may be reached: a number for `head`, and the colours then."""
        self.registers = {node.args[0] for node in self._used("register")}
        self.leaving: list[tuple[int, Tree, Block, int]] = []
        """What leads out of the loop that is being written: a number for `head`, a block."""
        self.numbers = len(self.trees)
        """The first number for `head` that is not yet taken."""
        self.lines: list[str] = []
        self.leaves = False

    def certain(self) -> bool:
        """Whether it is known that every pixel ends as it should."""
        within = all(self.longest[tree.key] + tree.longest < self.limit for tree in self.trees)
        faulty = (Ends.BLACK, Ends.SPENT)
        return within and not any(ending.how in faulty for ending in self.endings.values())

    def shade(self) -> list[str]:
        body: list[str] = self.lines
        for number, part in enumerate(self.parts):
            self._part(part, first=number == 0)
        self._at_limits()
        self.lines = []
        self._line(0, "// Red, green and blue of a pixel, from 0 to 255.")
        operands = ", ".join(f"{name}: f32" for name in GIVEN)
        self._line(0, f"fn shade({operands}, seed: vec2<u32>) -> vec3<f32> {{")
        self._declare("\n".join(body))
        self.lines += body
        self._line(1, "return colour;")
        self._line(0, "}")
        return self.lines

    def _declare(self, body: str) -> None:
        """The variables that the body uses."""
        used = set(re.findall(r"\w+", body))
        known = {f"s{i}": value for i, value in enumerate(self.start)}
        for name, value in known.items():
            if name in used:
                self._line(1, f"var {name}: f32 = {bare(expression(value))};")
        found = [name for name in used - known.keys() if re.fullmatch(r"[sre]\d+", name)]
        for name in sorted(found, key=lambda name: ("sre".index(name[0]), int(name[1:]))):
            self._line(1, f"var {name}: f32 = 0.0;")
        self._line(1, "var colour: vec3<f32> = vec3<f32>(0.0, 0.0, 0.0);")
        for name in ("steps", "head"):
            if name in used:
                self._line(1, f"var {name}: u32 = 0u;")

    def _used(self, op: str) -> Iterator[Node]:
        """The nodes of that kind that some tree reads."""
        for tree in self.trees:
            for block in blocks(tree):
                envs = [*self.moments.get(block, {}).values()]
                if isinstance(block.end, (Goto, Exit)):
                    envs.append(block.end.env)
                values = [value for env in envs for value in env.values()]
                if isinstance(block.end, ConditionalBranch):
                    values.append(block.end.condition)
                yield from (node for node in nodes_in(values) if node.op == op)

    # Parts -----------------------------------------------------------------------------------

    def _part(self, part: Component, first: bool) -> None:
        self.part = part
        numbers = [self.heads[tree.key] for tree in part.trees]
        asked = f"head == {numbers[0]}u"
        if len(numbers) > 1:
            asked = f"head >= {numbers[0]}u && head <= {numbers[-1]}u"
        if not part.loops:
            tree = part.trees[0]
            self._once("" if first else asked, tree, tree.root, 0, 0)
            return
        self._line(1, "loop {" if first else f"if ({asked}) {{ loop {{")
        for number, tree in zip(numbers, part.trees, strict=True):
            if len(numbers) > 1:
                self._line(2, f"if (head == {number}u) {{")
            self._block(tree, tree.root, 2 + (len(numbers) > 1), set(), 0, 0)
            if len(numbers) > 1:
                self._line(2, "}")
        self._line(1, "}" if first else "} }")
        leaving, self.leaving = self.leaving, []
        self.part = Component([], False)
        for number, tree, block, tick in leaving:
            self._once(f"head == {number}u", tree, block, tick, tick + 1)

    def _once(self, asked: str, tree: Tree, block: Block, begins: int, unseen: int) -> None:
        """A block and what follows, not to come again. Where a way must jump over the rest it is
        written as a loop that is left at once."""
        self.leaves = self._jumps(tree, block)
        opening = " ".join([f"if ({asked}) {{"] * bool(asked) + ["loop {"] * self.leaves)
        if opening:
            self._line(1, opening)
        self._block(tree, block, 2 if opening else 1, set(), begins, unseen)
        if opening:
            self._line(1, " ".join("}" * opening.count("{")))

    def _jumps(self, tree: Tree, block: Block) -> bool:
        """Whether a way ends before the last line of what is written for a block."""
        reach = self.longest[tree.key] + tree.longest >= self.limit
        return reach or any(
            isinstance(one.end, ConditionalBranch) and one.end.join is not None
            for one in blocks_from(block)
        )

    def _leads_out(self, block: Block) -> bool:
        """Whether a block of a loop leads nowhere but out of it, for good."""
        inside = {tree.key for tree in self.part.trees}
        ends = [one.end for one in blocks_from(block)]
        return not any(
            isinstance(end, Join) or (isinstance(end, Goto) and end.key in inside) for end in ends
        )

    def _at_limits(self) -> None:
        """What the colour is where the step limit was reached, by the steps that were left."""
        for number, ways in self.limits:
            self._line(1, f"if (head == {number}u) {{ // at the step limit")
            there: set[int] = set()
            self._define(named([value for _, colour in ways for value in colour], there), 2, there)
            if len(ways) == 1:
                self._line(2, f"colour = {vector(ways[0][1], there)};")
            else:
                self._line(2, f"switch ({self.limit}u - steps) {{")
                for at, (ticks, colour) in enumerate(ways):
                    label = f"case {', '.join(f'{tick}u' for tick in ticks)}"
                    label = "default" if at == len(ways) - 1 else label
                    self._line(3, f"{label}: {{ colour = {vector(colour, there)}; break; }}")
                self._line(2, "}")
            self._line(1, "}")

    def _leave(self, depth: int) -> None:
        """Jump over the rest of what is written for this head."""
        if self.part.loops or self.leaves:
            self._line(depth, "break;")

    # Blocks ----------------------------------------------------------------------------------

    def _block(
        self, tree: Tree, block: Block, depth: int, there: set[int], begins: int, unseen: int
    ) -> None:
        """One block, which begins at that tick of the tree. The step limit has been checked for all
        ticks before `unseen`."""
        end = block.end
        assert end is not None
        if isinstance(end, ConditionalBranch):
            last = max(self.moments[block])
            self._look_at_limit(tree, block, unseen, last, depth)
            # What the cells up to here have computed is most often used on both sides.
            state = [*self.moments[block][last].values(), end.condition]
            self._compute(block, begins, state, depth, there)
            self._branch(tree, end, depth, there, last)
        elif isinstance(end, Join):
            self._compute(block, begins, [value for _, value in end.values], depth, there)
            for node, value in end.values:
                self._line(depth, f"{name_of(node)} = {bare(expression(value, there))};")
        elif isinstance(end, Goto):
            changes = self._changes(end.env)
            self._look_at_limit(tree, block, unseen, end.ticks - 1, depth)
            self._compute(block, begins, [value for _, value in changes], depth, there)
            self._goto(end, changes, depth, there)
        else:
            how, env = self.endings[block]
            coloured = how in (Ends.DONE, Ends.SPENT)
            colour = self._colour(env) if coloured else [0.0, 0.0, 0.0]
            if how is not Ends.NEVER:
                self._look_at_limit(tree, block, unseen, end.ticks, depth, colour)
            self._compute(block, begins, colour, depth, there)
            self._line(depth, f"colour = {vector(colour, there)};")
            if len(self.parts) > 1 or self.part.loops:
                self._line(depth, "head = END;")
            self._leave(depth)

    def _branch(
        self, tree: Tree, end: ConditionalBranch, depth: int, there: set[int], tick: int
    ) -> None:
        self._line(depth, f"if ({bare(expression(end.condition, there))}) {{")
        self._side(tree, end.yes, depth + 1, there, tick)
        self._line(depth, "} else {")
        self._side(tree, end.no, depth + 1, there, tick)
        self._line(depth, "}")
        if end.join is not None:
            self._block(tree, end.join, depth, there, tick + 1, tick + 1)

    def _side(self, tree: Tree, block: Block, depth: int, there: set[int], tick: int) -> None:
        """One side of a branch. What leads out of a loop is written behind it, so that the loop has
        only what is done again and again."""
        if self.part.loops and self._leads_out(block):
            self.leaving.append((self.numbers, tree, block, tick))
            self._line(depth, f"head = {self.numbers}u;")
            self.numbers += 1
            self._line(depth, "break;")
        else:
            self._block(tree, block, depth, set(there), tick, tick + 1)

    def _changes(self, env: Env) -> list[tuple[str, Any]]:
        """What a way on stores where."""
        changes = [(f"s{i}", unrounded(value)) for i, value in enumerate(env.stack)]
        for slot, value in env.registers.items():
            if slot in self.registers:  # else nobody reads it
                changes.append((f"r{slot}", unrounded(value)))
        return [
            (name, value)
            for name, value in changes
            if not (isinstance(value, Node) and name_of(value) == name)
        ]

    def _goto(self, end: Goto, changes: list[tuple[str, Any]], depth: int, there: set[int]) -> None:
        targets = {name for name, _ in changes}
        # Storing one changes what another reads, so those are read first.
        held: dict[str, str] = {}
        for _, value in changes:
            for name in sorted({name_of(node) for node in open_in([value], there)} & targets):
                if name not in held:
                    held[name] = f"old_{name}"
                    self._line(depth, f"let old_{name}: f32 = {name};")
        for name, value in changes:
            self._line(depth, f"{name} = {bare(expression(value, there, held))};")
        self._line(depth, f"steps += {end.ticks}u;")
        if len(self.trees) > 1:
            self._line(depth, f"head = {self.heads[end.key]}u;")
        if any(tree.key == end.key for tree in self.part.trees):
            self._line(depth, "continue;")
        else:
            self._leave(depth)

    def _look_at_limit(
        self,
        tree: Tree,
        block: Block,
        first: int,
        last: int,
        depth: int,
        colour: list[Any] | None = None,
    ) -> None:
        """If the steps run out in this block, the colour is that of the moment.

        Nothing has to be looked at where the limit is out of reach, or changes nothing.
        """
        if last < first or self.longest[tree.key] + last < self.limit:
            return
        groups: dict[tuple[Any, ...], tuple[list[int], list[Any]]] = {}
        for tick in range(first, last + 1):
            then = self._colour_at(block, tick)
            groups.setdefault(_keys(then), ([], then))[0].append(tick)
        ways = list(groups.values())
        if colour is not None and len(ways) == 1 and _keys(ways[0][1]) == _keys(colour):
            return
        head = f"head = {self.numbers}u;"
        self.limits.append((self.numbers, ways))
        self.numbers += 1
        self._line(depth, f"if ({self.limit}u - steps <= {last}u) {{ {head} break; }}")

    def _colour_at(self, block: Block, tick: int) -> list[Any]:
        """The colour before a tick. Steps that only move on leave no moment of their own."""
        later = [at for at in self.moments.get(block, {}) if at >= tick]
        if later:
            return self._colour(self.moments[block][min(later)])
        assert isinstance(block.end, (Goto, Exit))
        return self._colour(block.end.env)

    def _colour(self, env: Env) -> list[Any]:
        return [unrounded(value) for value in self.channels(env.stack)]

    # Values ----------------------------------------------------------------------------------

    def _compute(
        self, block: Block, begins: int, wanted: list[Any], depth: int, there: set[int]
    ) -> None:
        """Name what the end of a block needs, under comments that say where it comes from."""
        new = named(wanted, there)
        moments = self.moments.get(block, {})
        for count, comment in stretches(self.program, self.plane, block.walked):
            self._line(depth, f"// {comment}")
            begins += count
            # All that the cells up to here have computed stands in the environment after them.
            env = next((moments[at] for at in sorted(moments) if at >= begins), None)
            if env is not None:
                here = {node.id for node in nodes_in(env.values())}
                self._define([node for node in new if node.id in here], depth, there)
        self._define(new, depth, there)

    def _define(self, nodes: Iterable[Node], depth: int, there: set[int]) -> None:
        for node in nodes:
            if node.id not in there:
                text = bare(expression(node, there))
                kind = "f32" if node.kind == "float" else "u32"
                self._line(depth, f"let t{node.id}: {kind} = {text};")
                there.add(node.id)

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)


def _keys(values: Iterable[Any]) -> tuple[Any, ...]:
    """The same for values that are always equal."""
    return tuple(value.id if isinstance(value, Node) else repr(value) for value in values)
