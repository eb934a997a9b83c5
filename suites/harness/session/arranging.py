"""What of the collected items runs, and in which order: the quick profile, shards, and what is told first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from suites.harness.backends.names import DEFAULT
from suites.harness.planning import choice, durations, shards
from suites.harness.planning.choice import Choice
from suites.harness.planning.durations import Durations
from suites.harness.planning.order import Order
from suites.harness.session import cells
from suites.harness.session.cells import Description

#: Cells that take longer than so many seconds begin early, so that none of them is the last to end.
LONG = 5.0


@dataclasses.dataclass
class Arranged:
    """The items that run, in their order; those that do not; and what the ledger's header says of it.

    The ``first`` items are handed out one at a time, so that all workers are at them.
    """

    items: list[pytest.Item]
    dropped: list[pytest.Item]
    first: int = 0
    #: The families of the whole run, of which a shard may have a part.
    families: set[str] = dataclasses.field(default_factory=set)
    configuration: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Arranger:
    """What a run was asked for. `pytest.UsageError` is raised for a shard, an order or a file of costs that is none."""

    profile: str
    shard: shards.Shard | None
    durations: Durations
    chosen: Choice
    #: Another order than the usual one.
    order: Order | None = None
    device: str = "cpu"

    @classmethod
    def of(cls, option: Any) -> Arranger:
        """What the command line asks for."""
        try:
            shard = shards.Shard.parse(option.shard) if option.shard else None
            order = Order.parse(option.order) if option.order else None
            recorded = durations.read(Path(option.costs) if option.costs else durations.PLACE)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
        return cls(option.profile, shard, recorded, choice.read(), order, option.device)

    def arrange(self, items: list[pytest.Item], *, narrowed: bool, whole: bool, ordered: bool) -> Arranged:
        """Choose and order.

        ``narrowed``: tests were named or deselected; ``whole``: all that there is was collected; ``ordered``: the usual
        order is that in which they were collected.
        """
        described = {item: cells.describe(item) for item in items if cells.is_cell(item)}
        result = Arranged(list(items), [])
        if self.profile == "quick" and described:
            self._keep_quick(result, described, narrowed=narrowed)
        result.families = {described[item].family for item in result.items if item in described}
        if self.shard is not None:
            self._keep_shard(result, described, self.shard, whole=whole and self.profile != "quick")
        if not ordered:
            self._order(result, described)
        if self.order is not None:
            result.items = self.order.arranged(result.items, lambda item: item.nodeid)
            result.first = len(result.items)
            result.configuration["order"] = str(self.order)
        return result

    def _keep_quick(self, result: Arranged, described: dict[pytest.Item, Description], *, narrowed: bool) -> None:
        mine = {item for item, cell in described.items() if self._is_quick(cell)}
        result.configuration["quick"] = {
            "cells": len(mine),
            "of": len(described),
            "missing": [] if narrowed else self._missing(described),
            "held_back": self.held_back({described[item].backend for item in mine}, narrowed=narrowed),
        }
        _keep(result, mine.__contains__)

    def held_back(self, backends: Collection[str], *, narrowed: bool) -> dict[str, int]:
        """How much the choice finds of what it did not know: found on torch's default backends, by all of it."""
        told = self.chosen.provenance.get("held_back", {})
        whole = not narrowed and set(DEFAULT) <= set(backends) <= self.chosen.backends
        return {key: told.get(key, 0) for key in ("of", "caught")} if whole else {}

    def _missing(self, described: dict[pytest.Item, Description]) -> list[str]:
        there = described.values()
        each = ({cell.clause for cell in there}, {cell.family for cell in there}, {cell.backend for cell in there})
        return self.chosen.missing(*each)

    def _keep_shard(
        self, result: Arranged, described: dict[pytest.Item, Description], shard: shards.Shard, *, whole: bool
    ) -> None:
        every = [described[item] for item in result.items if item in described]
        mine = shards.clauses_of(shard, [(cell.clause, cell.backend) for cell in every], self.durations)
        result.configuration["shard"] = {
            "number": shard.number,
            "of": shard.of,
            "cells": len(every),
            "digest": shards.digest(cell.id for cell in every),
            "whole": whole,
        }

        def in_shard(item: pytest.Item) -> bool:
            cell = described.get(item)
            return cell.clause in mine if cell is not None else shard.has_test(item.nodeid)

        _keep(result, in_shard)

    def _order(self, result: Arranged, described: dict[pytest.Item, Description]) -> None:
        """The quick cells first, then those that take long, each the longest first; the others as collected.

        Those that stop the device are last: one that does not come back takes no other cell with it.
        """

        def rank(item: pytest.Item) -> tuple[int, float]:
            cell = described.get(item)
            if cell is None:
                return (2, 0.0)
            if cells.scope_of(item).stops(self.device):
                return (3, 0.0)
            seconds = self.durations.seconds(cell.clause, cell.backend)
            if self._is_quick(cell):
                return (0, -seconds)
            return (1, -seconds) if seconds > LONG else (2, 0.0)

        ranks = {item: rank(item) for item in result.items}
        result.items.sort(key=ranks.__getitem__)
        result.first = sum(ranks[item] < (2, 0.0) for item in result.items)

    def _is_quick(self, cell: Description) -> bool:
        return self.chosen.has(cell.clause, cell.backend, cell.variant)


def _keep(result: Arranged, wanted: Callable[[pytest.Item], bool]) -> None:
    kept = [item for item in result.items if wanted(item)]
    left = set(kept)
    result.dropped += [item for item in result.items if item not in left]
    result.items = kept
