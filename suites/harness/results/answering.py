"""Who answers for what a lower layer of torch does: in a run of torch's own layers, the lowest cell above it.

A candidate is not blamed for torch's layers. Where nothing else than they was asked for, whoever asks means torch, and
a fault of a layer that has no cell of its own would be nobody's: that of Dynamo alone, ``eager``, which no run has by
default, and that of any layer on which a clause does not run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from suites.harness.backends.names import is_torchs_own, reference_backends
from suites.harness.results.ledger import Cell, Ledger


@dataclasses.dataclass(frozen=True)
class Answering:
    """Which cells a run has, by id, and the backends that were asked for."""

    backends: frozenset[str]
    cells: frozenset[str]

    @classmethod
    def of(cls, ledger: Ledger) -> Answering:
        """Who answers in the run, or the shards of one, that wrote a ledger."""
        asked = frozenset(name for header in ledger.headers for name in asked_for(header))
        return cls(asked, frozenset((*ledger.planned, *ledger.cells)))

    @property
    def of_torch(self) -> bool:
        """Whether nothing but torch's own was asked for."""
        return bool(self.backends) and all(map(is_torchs_own, self.backends))

    def own(self, cell: Cell) -> tuple[str, ...]:
        """The layers that a cell answers for: its backend, and those beneath it up to one with a cell of its clause."""
        found = [cell.backend]
        if not (self.of_torch and is_torchs_own(cell.backend)):
            return tuple(found)
        for layer in reversed(reference_backends(cell.backend)):
            if f"{cell.clause}[{layer}-{cell.variant}]" in self.cells:
                break
            found.append(layer)
        return tuple(found)


#: Of cells by themselves, without their run: none answers for another layer than its own.
NOBODYS = Answering(frozenset(), frozenset())


def asked_for(header: Mapping[str, Any], *, by_name: bool = False) -> tuple[str, ...]:
    """The backends that a run was asked for, by its header: those that were named, or else the default ones.

    ``by_name``: none where nobody named any.
    """
    named = (header.get("configuration") or {}).get("backends")
    return tuple(map(str, named or (() if by_name else header.get("backends") or ())))
