"""Meaning before text: two canonical texts, compared as graphs.

Two graphs mean the same when there is a one-to-one pairing of their nodes that keeps targets, constants, the order of
arguments and of inputs and outputs, and that does not swap two nodes which depend on each other through memory (one
writes what the other touches) or through the random generator. Names play no part.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Mapping, Sequence

from golden.graphs.explain import explain
from golden.graphs.graph_value import Block, GraphValue, Node, NotCanonical, Part, Ref, Value, parse, refs_of
from golden.graphs.targets import draws, is_opaque, is_view, short_target, writes
from golden.values import are_values, difference


@dataclasses.dataclass(frozen=True)
class Comparison:
    """`same`, `cosmetic`, `reordered` or `changed`; one sentence that explains it; a unified diff of the texts."""

    verdict: str
    explanation: str
    diff: str


def unified(expected: str, seen: str) -> str:
    """A unified diff from the golden to what was seen."""
    lines = difflib.unified_diff(expected.splitlines(), seen.splitlines(), "golden", "seen", lineterm="")
    return "\n".join(lines)


def compare_texts(expected: str, seen: str) -> Comparison:
    """Compare a golden with the text of the graph, or of the values, that were seen; never raises."""
    if expected == seen:
        return Comparison("same", "", "")
    if are_values(seen):
        explanation = difference(expected, seen)
        return Comparison("changed" if explanation else "same", explanation, unified(expected, seen))
    verdict, explanation = _judge(expected, seen)
    return Comparison(verdict, explanation, unified(expected, seen))


def _judge(expected: str, seen: str) -> tuple[str, str]:
    try:
        old = parse(expected)
    except NotCanonical as error:
        return "changed", f"the golden cannot be read as a graph ({error})"
    try:
        new = parse(seen)
    except NotCanonical as error:
        return "changed", f"the graph's text cannot be read back ({error})"
    pairing = Pairing(old, new)
    if not pairing.blocks_match(0, 0) or not pairing.all_blocks_used():
        return "changed", explain(old, new)
    swaps = [swap for old_block, new_block in pairing.pairs() for swap in _swaps(old_block, new_block, pairing)]
    bound = [swap for swap in swaps if swap.reason]
    if bound:
        return "changed", f"{bound[0].moved} now comes before {bound[0].other}, and {bound[0].reason}"
    if swaps:
        return "reordered", f"{swaps[0].moved} now comes before {swaps[0].other}; they are independent"
    return "cosmetic", "only names and spelling differ"


class Pairing:
    """The pairing of the nodes of two graphs, found from the outputs backwards.

    Arguments and outputs are ordered, so every node that an output needs has at most one partner; only nodes that no
    output needs (writes into inputs, dead code) are searched for.
    """

    def __init__(self, old: GraphValue, new: GraphValue) -> None:
        self._old = old.blocks
        self._new = new.blocks
        self._old_index = {block.name: index for index, block in enumerate(old.blocks)}
        self._new_index = {block.name: index for index, block in enumerate(new.blocks)}
        self._blocks: dict[int, int] = {}
        self._names: dict[int, dict[str, str]] = {}

    def names(self, old_block: Block) -> Mapping[str, str]:
        """Partner in the new graph of each node of a block of the old one."""
        return self._names[self._old_index[old_block.name]]

    def pairs(self) -> list[tuple[Block, Block]]:
        """The paired blocks, the graph itself first."""
        return [(self._old[old], self._new[new]) for old, new in self._blocks.items()]

    def all_blocks_used(self) -> bool:
        """Whether every block of both texts is part of the pairing."""
        return len(self._old) == len(self._new) == len(self._blocks)

    def blocks_match(self, old: int, new: int) -> bool:
        """Pair two blocks and everything in them."""
        if old in self._blocks or new in self._blocks.values():
            return self._blocks.get(old) == new
        self._blocks[old] = new
        matcher = _BlockMatcher(self, self._old[old], self._new[new])
        if not matcher.match():
            del self._blocks[old]
            return False
        self._names[old] = matcher.forth
        return True

    def nested(self, old_owner: Block, old_text: str, new_owner: Block, new_text: str) -> bool:
        """Whether two texts (``self.body_0``) name nested blocks that match."""
        old = _nested_index(old_owner, old_text, self._old_index)
        new = _nested_index(new_owner, new_text, self._new_index)
        return old is not None and new is not None and self.blocks_match(old, new)


def _nested_index(owner: Block, text: str, index: Mapping[str, int]) -> int | None:
    match = re.fullmatch(r"self\.([\w.]+)|getattr\(self, '([^']*)'\)", text)
    if match is None:
        return None
    name = re.sub(r"\W", "_", match[1] or match[2])
    return index.get(name if owner.name == "forward" else f"{owner.name}__{name}")


class _BlockMatcher:
    """Pairs the nodes of one block with those of another."""

    def __init__(self, pairing: Pairing, old: Block, new: Block) -> None:
        self._pairing = pairing
        self._old_block, self._new_block = old, new
        self._old = {node.name: node for node in old.nodes}
        self._new = {node.name: node for node in new.nodes}
        self.forth: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def match(self) -> bool:
        """Whether a pairing exists; afterwards ``forth`` holds it."""
        old, new = self._old_block, self._new_block
        if len(old.placeholders) != len(new.placeholders) or len(old.nodes) != len(new.nodes):
            return False
        for first, second in zip(old.placeholders, new.placeholders, strict=True):
            self._bind(first, second)
        return self._values(_as_tuple(old.output), _as_tuple(new.output)) and self._match_rest()

    def _match_rest(self) -> bool:
        """Pair what no output needs, last first: a later node brings the ones before it along.

        The first partner that fits is kept. Where several would fit, that can miss a pairing, never invent one.
        """
        for left in reversed(self._old_block.nodes):
            if left.name not in self.forth and not self._find_partner(left):
                return False
        return True

    def _find_partner(self, left: Node) -> bool:
        for candidate in reversed(self._new_block.nodes):
            if candidate.name in self._back or candidate.target != left.target:
                continue
            saved = dict(self.forth), dict(self._back)
            if self._refs(left.name, candidate.name):
                return True
            self.forth, self._back = saved
        return False

    def _bind(self, old: str, new: str) -> None:
        self.forth[old] = new
        self._back[new] = old

    def _refs(self, old: str, new: str) -> bool:
        """Pair two nodes and all that they need; a stack and not recursion, since graphs are deep."""
        waiting = [(old, new)]
        while waiting:
            first, second = waiting.pop()
            if first in self.forth or second in self._back:
                if self.forth.get(first) != second:
                    return False
                continue
            mine, theirs = self._old.get(first), self._new.get(second)
            if mine is None or theirs is None or not self._same_shape(mine, theirs):
                return False
            self._bind(first, second)
            waiting += list(zip(mine.refs(), theirs.refs(), strict=True))
        return True

    def _same_shape(self, old: Node, new: Node) -> bool:
        if old.target != new.target and not self._nested(old.target, new.target):
            return False
        if len(old.args) != len(new.args) or [key for key, _ in old.kwargs] != [key for key, _ in new.kwargs]:
            return False
        mine = (*old.args, *(value for _, value in old.kwargs))
        theirs = (*new.args, *(value for _, value in new.kwargs))
        return all(self._same_constants(a, b) for a, b in zip(mine, theirs, strict=True))

    def _same_constants(self, old: Value, new: Value) -> bool:
        """Equal but for the names of nodes; so the names come in the same places."""
        if isinstance(old, Ref) or isinstance(new, Ref):
            return isinstance(old, Ref) and isinstance(new, Ref)
        if old.kind != new.kind and not self._nested(old.kind, new.kind):
            return False
        return len(old.items) == len(new.items) and all(
            self._same_constants(a, b) for a, b in zip(old.items, new.items, strict=True)
        )

    def _nested(self, old: str, new: str) -> bool:
        return self._pairing.nested(self._old_block, old, self._new_block, new)

    def _values(self, old: Value, new: Value) -> bool:
        if not self._same_constants(old, new):
            return False
        return all(self._refs(a, b) for a, b in zip(refs_of(old), refs_of(new), strict=True))


def _as_tuple(output: Value) -> Value:
    return Part("tuple", output.items) if isinstance(output, Part) and output.kind == "list" else output


@dataclasses.dataclass(frozen=True)
class Swap:
    """Two nodes that changed places. ``reason`` says why that matters; empty when they are independent."""

    moved: str
    other: str
    reason: str


def _swaps(old: Block, new: Block, pairing: Pairing) -> list[Swap]:
    names = pairing.names(old)
    position = {node.name: index for index, node in enumerate(new.nodes)}
    order = [position[names[node.name]] for node in old.nodes]
    if order == sorted(order):
        return []
    effects = [_Effect.of(node, roots) for node, roots in _with_roots(old)]
    found = []
    for first in range(len(order)):
        for second in range(first + 1, len(order)):
            if order[first] > order[second]:
                reason = effects[first].clash(effects[second])
                moved, other = short_target(old.nodes[second].target), short_target(old.nodes[first].target)
                found.append(Swap(moved, other, reason))
    return found


@dataclasses.dataclass(frozen=True)
class _Effect:
    """What a node does besides computing: the memory that it may touch, whether it writes, whether it draws."""

    touches: frozenset[str]
    writes: bool
    random: bool
    opaque: bool

    @classmethod
    def of(cls, node: Node, touches: frozenset[str]) -> _Effect:
        """The effect of a node that may touch the memory of ``touches``."""
        opaque = is_opaque(node.target)
        return cls(touches, opaque or writes(node.target), draws(node.target), opaque)

    def clash(self, other: _Effect) -> str:
        """Why the order of the two matters; empty when it does not."""
        if self.opaque and other.opaque:
            return "both may have effects that the graph does not show"
        if self.random and other.random:
            return "both draw from the random generator"
        if (self.writes or other.writes) and self.touches & other.touches:
            return "one writes memory that the other touches"
        return ""


def _with_roots(block: Block) -> Sequence[tuple[Node, frozenset[str]]]:
    """Each node with the origins of all memory that it may touch; fresh results are origins of their own."""
    roots: dict[str, frozenset[str]] = {name: frozenset({name}) for name in block.placeholders}
    touched = []
    for node in block.nodes:
        operands = frozenset().union(*(roots.get(name, frozenset({name})) for name in node.refs()))
        own: frozenset[str] = frozenset()
        if is_opaque(node.target):
            own = operands | {node.name}
        elif is_view(node.target) or writes(node.target):
            own = operands
        roots[node.name] = own or frozenset({node.name})
        touched.append((node, operands | roots[node.name]))
    return touched
