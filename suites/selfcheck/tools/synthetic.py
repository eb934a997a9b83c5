"""Ledgers made by hand: one call gives a cell, a divergence or a whole file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from suites.harness.oracle.divergence import Divergence
from suites.harness.results.ledger import SCHEMA_VERSION, Cell, Ledger, read
from suites.harness.results.outcomes import Outcome

BACKENDS = ("aot_eager", "inductor")


def divergence(facet: str = "value", **changes: Any) -> Divergence:
    """A silent difference of ``facet``, first seen at inductor."""
    base: dict[str, Any] = {
        "facet": facet,
        "kind": "values differ",
        "where": "call 0: out[0]",
        "expected": "tensor([1., 2.])",
        "seen": "tensor([1., 3.])",
        "layer": "inductor",
    }
    return Divergence(**{**base, **changes})


def cell(
    outcome: str = "pass", clause: str = "mutation/inputs/add_", backend: str = "inductor", **changes: Any
) -> Cell:
    """A cell of that outcome; one that failed has a divergence unless ``changes`` says otherwise."""
    variant = changes.pop("variant", "train-static-plain")
    base: dict[str, Any] = {
        "id": f"{clause}[{backend}-{variant}]",
        "clause": clause,
        "family": clause.partition("/")[0],
        "sentence": "An in-place op on an input changes the caller's tensor.",
        "backend": backend,
        "variant": variant,
        "outcome": Outcome(outcome),
        "graphs": 1,
        "seconds": 0.25,
        "memory_mib": 400.0,
    }
    if outcome in ("fail", "inherited"):
        base["divergences"] = [divergence(layer=backend if outcome == "fail" else "aot_eager")]
    if outcome in ("crash", "timeout"):
        base["divergences"] = [divergence(outcome, kind="signal 11", silent=False, layer=backend)]
    if outcome != "pass":
        base["program"] = "def program(a):\n    a.add_(1)\n    return a < 2"
        base["reproduce"] = f"pytest 'suites/{clause}[{backend}]'"
    return Cell(**{**base, **changes})


def header(**changes: Any) -> dict[str, Any]:
    """A header of a run on two backends."""
    base: dict[str, Any] = {
        "kind": "header",
        "schema": SCHEMA_VERSION,
        "torch": "2.13.0+cpu",
        "python": "3.11.7",
        "platform": "Linux",
        "cores": 2,
        "compiler": "g++ 12",
        "device": "cpu",
        "revision": "abc123",
        "backends": dict.fromkeys(BACKENDS, ""),
        "configuration": {"backends": list(BACKENDS), "device": "cpu", "profile": "default"},
    }
    return {**base, **changes}


def clause(name: str) -> dict[str, Any]:
    """The record of a clause."""
    return {
        "kind": "clause",
        "id": name,
        "family": name.partition("/")[0],
        "sentence": "An in-place op on an input changes the caller's tensor.",
        "covers": ["T3.1"],
        "source": "suites/mutation/test_inputs.py:10",
    }


def ledger(*cells: Cell, planned: Iterable[str] = (), complete: bool = True, **changes: Any) -> Ledger:
    """A ledger of those cells, all planned; ``planned`` adds cells that never ran."""
    return Ledger(
        headers=[header(**changes)],
        clauses={each.clause: clause(each.clause) for each in cells},
        planned=[each.id for each in cells] + list(planned),
        cells={each.id: each for each in cells},
        complete=complete,
    )


def write(path: Path, book: Ledger) -> Path:
    """The ledger as a file."""
    lines: list[dict[str, Any]] = [*book.headers, *book.clauses.values(), {"kind": "plan", "cells": book.planned}]
    lines += [each.to_json() for each in book.cells.values()]
    if book.complete:
        lines.append({"kind": "end"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    read([path])
    return path


def every_outcome() -> Ledger:
    """Cells of every outcome that a ledger holds, on two backends and two families."""
    outcomes = [outcome for outcome in Outcome if outcome.recorded and outcome is not Outcome.PASS]
    cells = [cell(clause=f"mutation/inputs/case_{number}", backend=name) for number in range(6) for name in BACKENDS]
    cells += [cell(outcome, f"aliasing/outputs/{outcome}", detail=f"why {outcome}") for outcome in outcomes]
    # What is inherited is told where it comes from.
    cells.append(cell("unsupported", f"aliasing/outputs/{Outcome.INHERITED}", "aot_eager"))
    cells.append(
        cell(
            "fail",
            "aliasing/outputs/loud",
            divergences=[divergence("error", kind="RuntimeError invented", silent=False)],
        )
    )
    return ledger(*cells, planned=["aliasing/outputs/never[inductor-train]"])
