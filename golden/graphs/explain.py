"""How two graphs differ, in the words of somebody who reviews the change."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Sequence

from golden.graphs.graph_value import Block, GraphValue, Node, Part, Ref, Value, refs_of
from golden.graphs.targets import short_target, writes

#: More findings than this are counted, not told.
MAX_FINDINGS = 4


@dataclasses.dataclass(frozen=True)
class Finding:
    """One difference. ``cause`` does not depend on names and positions, so equal causes can be put together."""

    cause: str
    sentence: str


def explain(old: GraphValue, new: GraphValue) -> str:
    """One sentence on how ``new`` differs from ``old``."""
    sentences = [finding.sentence for finding in findings(old, new)]
    if not sentences:
        return "the nodes are the same, but they are wired in another way"
    told, rest = sentences[:MAX_FINDINGS], len(sentences) - MAX_FINDINGS
    more = f"; and {rest} more {'difference' if rest == 1 else 'differences'}" if rest > 0 else ""
    return "; ".join(told) + more


def findings(old: GraphValue, new: GraphValue) -> list[Finding]:
    """Nodes that are gone, new, replaced or moved, arguments, inputs and outputs, nested graphs."""
    found: list[Finding] = []
    by_name = {block.name: block for block in new.blocks}
    for block in old.blocks:
        partner = by_name.pop(block.name, None)
        if partner is None:
            found.append(Finding("a nested graph is gone", f"the nested graph {block.name} is gone"))
            continue
        where = "" if block is old.blocks[0] else f"in {block.name}: "
        for finding in _Alignment(block, partner).findings():
            found.append(Finding(finding.cause, where + finding.sentence))
    for name in by_name:
        found.append(Finding("a nested graph is new", f"the nested graph {name} is new"))
    return found


class _Alignment:
    """Two blocks laid side by side: which nodes correspond, which are gone, which are new."""

    def __init__(self, old: Block, new: Block) -> None:
        self.old, self.new = old, new
        self.partners: dict[str, str] = dict(zip(old.placeholders, new.placeholders, strict=False))
        self.gone: list[Node] = []
        self.added: list[Node] = []
        self.replaced: list[tuple[Node, Node]] = []
        self.rewritten: list[tuple[Sequence[Node], Sequence[Node]]] = []
        self.kept: list[tuple[Node, Node]] = []
        self.moved: list[tuple[Node, Node]] = []
        self._align()

    def _align(self) -> None:
        matcher = difflib.SequenceMatcher(
            None, [node.target for node in self.old.nodes], [node.target for node in self.new.nodes], autojunk=False
        )
        for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
            before, after = self.old.nodes[start:stop], self.new.nodes[new_start:new_stop]
            if kind == "equal":
                self.kept += list(zip(before, after, strict=True))
            elif kind == "replace" and len(before) == len(after):
                self.replaced += list(zip(before, after, strict=True))
            elif kind == "replace":
                self.rewritten.append((before, after))
                self.partners[before[-1].name] = after[-1].name
            else:
                self.gone += before
                self.added += after
        self._find_moved()
        for mine, theirs in (*self.kept, *self.replaced, *self.moved):
            self.partners[mine.name] = theirs.name
        self._unpartnered_old = {node.name for node in self.old.nodes} - set(self.partners)
        self._unpartnered_new = {node.name for node in self.new.nodes} - set(self.partners.values())

    def _find_moved(self) -> None:
        for mine in list(self.gone):
            theirs = next((node for node in self.added if node.target == mine.target), None)
            if theirs is not None:
                self.gone.remove(mine)
                self.added.remove(theirs)
                self.moved.append((mine, theirs))

    def findings(self) -> Iterator[Finding]:
        """The differences, most telling first."""
        yield from self._inputs()
        yield from self._gone_and_new()
        for mine, theirs in self.replaced:
            before, after = _distinct(mine.target, theirs.target)
            yield Finding(f"{before} became {after}", f"{_described(mine, self.old)} became {after}")
        for before_nodes, after_nodes in self.rewritten:
            sentence = f"{_listed(before_nodes)} became {_listed(after_nodes)}"
            yield Finding(sentence, sentence)
        for mine, theirs in (*self.kept, *self.moved):
            yield from self._arguments(mine, theirs)
        for mine, theirs in self.moved:
            where = f"it was {_position(mine, self.old)}, it is {_position(theirs, self.new)}"
            target = short_target(mine.target)
            yield Finding(f"{target} moved", f"{target} moved: {where}")
        yield from self._outputs()

    def _inputs(self) -> Iterator[Finding]:
        mine, theirs = len(self.old.placeholders), len(self.new.placeholders)
        if mine != theirs:
            yield Finding("the number of inputs", f"the graph takes {_count(theirs, 'input')}, it took {mine}")

    def _gone_and_new(self) -> Iterator[Finding]:
        back = {theirs: mine for mine, theirs in self.partners.items()}
        old_outputs, new_outputs = set(refs_of(self.old.output)), set(refs_of(self.new.output))
        for node in self.gone:
            target = short_target(node.target)
            if _copies_one_of(node, self.partners, new_outputs):
                told = f"{_into(node)} moved out of the graph, which returns its source instead"
                yield Finding(f"{target} moved out of the graph", told)
            else:
                yield Finding(f"{target} is gone", f"{_described(node, self.old)} is gone")
        for node in self.added:
            target = short_target(node.target)
            if _copies_one_of(node, back, old_outputs):
                told = f"{_into(node)} moved into the graph, which returned its source before"
                yield Finding(f"{target} moved into the graph", told)
            else:
                yield Finding(f"an extra {target}", f"{_described(node, self.new)} is new")

    def _arguments(self, mine: Node, theirs: Node) -> Iterator[Finding]:
        target = short_target(mine.target)
        if len(mine.args) != len(theirs.args):
            told = f"{target} takes {_count(len(theirs.args), 'argument')}, it took {len(mine.args)}"
            yield Finding(f"the number of arguments of {target}", told)
        for index, (old, new) in enumerate(zip(mine.args, theirs.args, strict=False), 1):
            if self._differs(old, new):
                told = f"argument {index} of {target} is {spelled(new)}, it was {spelled(old)}"
                yield Finding(f"argument {index} of {target}", told)
        old_kwargs, new_kwargs = dict(mine.kwargs), dict(theirs.kwargs)
        for key in sorted(old_kwargs.keys() | new_kwargs.keys()):
            told = self._keyword(target, key, old_kwargs.get(key), new_kwargs.get(key))
            if told:
                yield Finding(f"{key} of {target}", told)

    def _keyword(self, target: str, key: str, old: Value | None, new: Value | None) -> str:
        if old is None:
            return f"{target} gained {key}={spelled(new)}" if new is not None else ""
        if new is None:
            return f"{target} lost {key}={spelled(old)}"
        return f"{key} of {target} is {spelled(new)}, it was {spelled(old)}" if self._differs(old, new) else ""

    def _differs(self, old: Value, new: Value) -> bool:
        """Whether two values differ in a way that a gone or a new node does not explain already."""
        if isinstance(old, Ref) and isinstance(new, Ref):
            explained = old.name in self._unpartnered_old or new.name in self._unpartnered_new
            return self.partners.get(old.name) != new.name and not explained
        if isinstance(old, Part) and isinstance(new, Part):
            if old.kind != new.kind or len(old.items) != len(new.items):
                return True
            return any(self._differs(a, b) for a, b in zip(old.items, new.items, strict=True))
        return True

    def _outputs(self) -> Iterator[Finding]:
        old, new = _items(self.old.output), _items(self.new.output)
        if len(old) != len(new):
            told = f"the graph returns {_count(len(new), 'value')}, it returned {len(old)}"
            yield Finding("the number of outputs", told)
            return
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            if self._differs(before, after):
                told = f"output {index} is {spelled(after)}, it was {spelled(before)}"
                yield Finding("what is returned", told)


def spelled(value: Value) -> str:
    """A value as the text has it."""
    if isinstance(value, Ref):
        return value.name
    items = [spelled(item) for item in value.items]
    if value.kind == "list":
        return f"[{', '.join(items)}]"
    if value.kind == "tuple":
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if value.kind == "dict":
        return "{" + ", ".join(f"{key}: {item}" for key, item in zip(items[::2], items[1::2], strict=False)) + "}"
    if value.kind.endswith("="):
        return value.kind + "".join(items)
    return f"{value.kind[:-2]}({', '.join(items)})" if value.kind.endswith("()") else value.kind


def _copies_one_of(node: Node, partners: dict[str, str], outputs: set[str]) -> bool:
    """Whether a node writes into its first argument what the other graph returns."""
    return writes(node.target) and any(partners.get(name) in outputs for name in list(node.refs())[1:2])


def _distinct(old: str, new: str) -> tuple[str, str]:
    """Two targets, short unless only their overloads differ."""
    if short_target(old) != short_target(new):
        return short_target(old), short_target(new)
    return old.removeprefix("torch.ops."), new.removeprefix("torch.ops.")


def _listed(nodes: Sequence[Node]) -> str:
    return ", ".join(short_target(node.target) for node in nodes)


def _items(output: Value) -> Sequence[Value]:
    return output.items if isinstance(output, Part) and output.kind in ("tuple", "list") else (output,)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _into(node: Node) -> str:
    first = next(node.refs(), None)
    return short_target(node.target) + (f" into {first}" if first else "")


def _described(node: Node, block: Block) -> str:
    """``aten.clone of primals_1 before aten.mul``: what, of what, and who uses it first."""
    told = short_target(node.target)
    first = next(node.refs(), None)
    owner = next((other for other in block.nodes if other.name == first), None)
    if owner is not None:
        told += f" of the result of {short_target(owner.target)}"
    elif first is not None:
        told += f" of {first}"
    user = next((other for other in block.nodes if node.name in other.refs()), None)
    if user is not None:
        return f"{told} before {short_target(user.target)}"
    return f"{told} before the return" if node.name in refs_of(block.output) else told


def _position(node: Node, block: Block) -> str:
    index = next(index for index, other in enumerate(block.nodes) if other is node)
    return "first" if index == 0 else f"after {short_target(block.nodes[index - 1].target)}"
