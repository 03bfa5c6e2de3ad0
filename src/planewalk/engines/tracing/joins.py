"""Joining the branches of an instruction that come to the same place with like values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .context import TraceContext
from .ir import (  # fmt: skip
    Block,
    ConditionalBranch,
    Join,
    Key,
    Node,
    Register,
    bounds_of,
    identity,
    is_loaded,
)
from .trees import Env, Path
from .words.registers import TracedRegisters


class Joins:
    """Makes one path of several."""

    def __init__(
        self, context: TraceContext, registers: TracedRegisters, numbers_apart: bool = True
    ) -> None:
        self.context, self.registers = context, registers
        self.numbers_apart = numbers_apart
        """Whether branches with different plain numbers are kept apart: each is worth a path."""

    def joined(self, origin: Path, done: list[Path]) -> list[Path]:
        """The paths on, of which those that come to the same place with like values are one."""
        groups: dict[Key, list[Path]] = {}
        for path in done:
            groups.setdefault(path.key, []).append(path)
        group = max(groups.values(), key=len)
        envs = self._even_out([path.env for path in group])
        env = self._common(envs) if len(group) > 1 else None
        if env is None:
            return done
        assert isinstance(origin.block.end, ConditionalBranch)
        join = Block()
        origin.block.end = origin.block.end._replace(join=join)
        for path, before in zip(group, envs, strict=True):
            pairs = zip(env.values(), before.values(), strict=True)
            path.block.end = Join([(a, b) for a, b in pairs if a is not b and isinstance(a, Node)])
        facts = {
            known: truth
            for known, truth in group[0].facts.items()
            if all(path.facts.get(known) == truth for path in group)
        }
        rows, *others = (self._rows_there(path.facts, path.env.grown) for path in group)
        everywhere = [row for known, row in rows.items() if all(known in it for it in others)]
        facts |= self.are_there(everywhere, env.grown)
        path = Path(join, group[0].key, env, origin.ticks + 1, facts, origin.decisions)
        return [path, *(path for path in done if path not in group)]

    def _rows_there(self, facts: dict[int, bool], grown: int) -> dict[Any, Any]:
        """The values that are known to be rows of the plane, by what they are known by."""
        graph = self.context.graph
        height = graph.make("height", (grown,), "int")
        found = {}
        for known, truth in facts.items():
            fact = graph.nodes[known]
            if truth and fact.op == "<" and fact.args[1] is height:
                found[identity(fact.args[0])] = fact.args[0]
        return found

    def are_there(self, rows: Iterable[Any], grown: int) -> dict[int, bool]:
        """The facts that these are rows. Planes never shrink: what was a row is one still."""
        graph = self.context.graph
        height = graph.make("height", (grown,), "int")
        return {graph.make("<", (row, height), "bool").id: True for row in rows}

    def facts_after_growth(self, facts: dict[int, bool]) -> dict[int, bool]:
        """What is known once the tick at hand has given the plane more rows."""
        grown = self.context.env.grown
        rows = self._rows_there(facts, grown - 1)
        return {**facts, **self.are_there([*rows.values(), self.context.grown - 1], grown)}

    def _common(self, envs: list[Env]) -> Env | None:
        """One environment for all of these: what differs is open in it. None if none should be."""
        first = envs[0]
        shapes = {
            (len(env.stack), env.drop, tuple(env.registers), tuple(env.cells)) for env in envs
        }
        if len(shapes) > 1:
            return None
        common = first.copy()
        common.sure = min(env.sure for env in envs)
        common.last = None
        for name in ("version", "grown", "reads"):
            counts = {getattr(env, name) for env in envs}
            setattr(common, name, max(counts) + (len(counts) > 1))
        merged = []
        for values in zip(*(env.values() for env in envs), strict=True):
            plain = not any(isinstance(value, Node) for value in values)
            if plain and all(repr(value) == repr(values[0]) for value in values):
                merged.append(values[0])
            elif plain and self.numbers_apart:
                return None
            elif all(value is values[0] for value in values) and not is_loaded(values[0]):
                merged.append(values[0])
            else:
                merged.append(self._either(values))
        common.set_values(merged)
        return common

    def _even_out(self, envs: list[Env]) -> list[Env]:
        """With whole registers everywhere that were touched in one of several branches."""
        touched = {slot for env in envs for slot in env.registers if isinstance(slot, Register)}
        if not touched:
            return envs
        even = [env.copy() for env in envs]
        for env in even:
            known = env.registers
            env.registers = {slot: value for slot, value in known.items() if slot not in touched}
            for slot in sorted(touched):
                value = known[slot] if slot in known else self.registers.at_start(slot)
                env.registers[slot] = value
        return even

    def _either(self, values: tuple[Any, ...]) -> Node:
        """A value that is one of these, depending on the branch that was taken."""
        graph = self.context.graph
        kinds = (value.kind for value in values if isinstance(value, Node))
        kind = next(kinds, type(values[0]).__name__)
        node = graph.make("either", (len(graph.nodes),), kind)
        bounds = [bounds_of(value) for value in values]
        node.low, node.high = min(low for low, _ in bounds), max(high for _, high in bounds)
        self.context.alternatives[node.id] = values
        return node
