"""Records: ledgers of runs that the repository keeps, small, so that what once was seen somewhere is not lost.

A record is a ledger with less in it: where the run was, what it planned, and of each cell what came of it, in which
facets and by which fingerprint; no programs, graphs or texts of values. Whatever reads a ledger reads it. Those that
come with Parity are in ``golden/records``, one a place: release of torch, device, vector instructions and C++
compiler, or model of GPU.
"""

from __future__ import annotations

import dataclasses
import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suites.contract import without_parameters
from suites.harness.oracle.divergence import Divergence
from suites.harness.results.ledger import Cell, Ledger, line_of, seen
from suites.harness.results.places import Environment, compiler_version

#: Where the records that come with Parity are.
DIRECTORY = Path(__file__).parents[3] / "golden" / "records"
#: What of a header says where a run was and what it was asked for.
_HEADER = (
    *(
        "kind",
        "schema",
        "torch",
        "python",
        "platform",
        "processor",
        "vector",
        "kernel_vector",
        "device",
        "gpu",
        "gpus",
        "triton",
        "compiler",
    ),
    *("accelerations", "revision", "parity", "backends", "settings", "configuration", "started", "sampled"),
)
_CELL = (
    *("kind", "id", "clause", "family", "backend", "variant", "outcome", "layer", "fingerprint", "graphs", "detail"),
    "executed",
)
_SUFFIX = ".jsonl.gz"
#: Backends whose cells of the tables of operators are told apart, in this order.
_TABLED = ("aot_eager", "aot_eager_decomp_partition", "inductor")
#: Characters that a line of detail keeps.
_DETAIL = 120


def paths() -> list[Path]:
    """The records that come with Parity, in a stable order."""
    return sorted(DIRECTORY.glob(f"*{_SUFFIX}"))


def name_of(ledger: Ledger) -> str:
    """What the file of a record is called: ``torch-2.11-cuda-h200.jsonl.gz``, ``torch-2.13-cpu-avx512-gcc12.jsonl.gz``.

    Where there are several GPUs, clauses of several ranks run: ``torch-2.11-cuda-h100-x2.jsonl.gz``.
    """
    here = Environment.of(ledger.header)
    on_cpu = [here.vector.lower(), _toolchain(here.compiler)]
    kind = on_cpu if here.device == "cpu" else [_model(str(ledger.header.get("gpu") or ""))]
    if (gpus := int(ledger.header.get("gpus") or 0)) > 1:
        kind.append(f"x{gpus}")
    parts = ["torch", ".".join(map(str, here.release)), here.device, *kind]
    return "-".join(part for part in parts if part) + _SUFFIX


def _toolchain(compiler: str) -> str:
    """``gcc12`` of ``g++ (Debian 12.2.0-14) 12.2.0``, ``clang17`` of ``clang version 17.0.6``; none of none."""
    family = re.search(r"clang|gcc|g\+\+", compiler.lower()) or re.match(r"\w+", compiler.lower())
    name = family[0].replace("g++", "gcc") if family else ""
    return name + compiler_version(compiler).partition(".")[0]


def _model(gpu: str) -> str:
    """What sets a model of GPU apart: ``h100`` of ``NVIDIA H100 80GB HBM3``, the whole name where no word is such."""
    model = re.search(r"\b[a-z]{1,3}\d+[a-z]*\b", gpu.lower())
    return model[0] if model else re.sub(r"[^a-z0-9]+", "-", gpu.lower()).strip("-")


def releases(device: str = "") -> list[tuple[int, int]]:
    """The minor releases of torch that there are records of, the oldest first; those on one ``device`` where named."""
    named = (re.match(r"torch-(\d+)\.(\d+)-([a-z]+)", path.name) for path in paths())
    return sorted({(int(name[1]), int(name[2])) for name in named if name and device in ("", name[3])})


def newer_than_all(torch: str) -> str | None:
    """One line for a version of torch that is newer than those of all records; ``None`` for any other."""
    here, ran = Environment(torch).release, releases()
    if not ran or here <= ran[-1]:
        return None
    newest = "{}.{}".format(*ran[-1])
    what = "what it does otherwise is new"
    return f"torch {torch} is newer than all that Parity has run on ({newest} is the newest): {what}"


def added(before: Ledger, now: Ledger) -> Ledger:
    """A record with what a later run saw: its cells, in place of those of the same id.

    Of a run of a part (also one on fewer backends, or of fewer variants) the rest stays: the record of a whole run
    stays one, all else of its header is of ``now``, and one of a run that did not come to its end has, with the cells
    that it lacked. Raises `ValueError`, with a line, where the two ran with other versions of torch or compilers: known
    bugs tell these apart. Of a whole run what only a later profile runs stays, of clauses that there still are, unless
    that was with another version.
    """
    others = [what for what in ("torch", "compiler") if before.header.get(what) != now.header.get(what)]
    whole = is_whole(now) and not _has_less(now, before)
    if whole:
        before = Ledger() if others else _of_later_profiles(before, now)
    elif others:
        one, other = (str(book.header.get(others[0]) or "") for book in (before, now))
        raise ValueError(f"the record is of {others[0]} {one!r}, and this run of a part of {other!r}: run all of it")
    asked, earlier = (dict(book.header.get("configuration") or {}) for book in (now, before))
    families = sorted({*earlier.get("families", ()), *asked.get("families", ())})
    kept = {"profile": earlier.get("profile"), "whole": True} if earlier.get("whole") and not whole else {}
    for named in ("backends", "clauses"):
        asked.pop(named, None)  # The part's, and not the record's.
    planned, cells = list(dict.fromkeys([*before.planned, *now.planned])), {**before.cells, **now.cells}
    backends = {**(before.header.get("backends") or {}), **(now.header.get("backends") or {})}
    return Ledger(
        headers=[{**now.header, "backends": backends, "configuration": {**asked, **kept, "families": families}}],
        planned=planned,
        cells=cells,
        complete=before.complete or set(planned) <= cells.keys(),
        ended=now.ended,
    )


def _has_less(now: Ledger, before: Ledger) -> bool:
    """Whether a run had fewer backends than a record, or fewer variants of its clauses."""
    fewer = set(before.header.get("backends") or ()) - set(now.header.get("backends") or ())
    profiles = [(book.header.get("configuration") or {}).get("profile") for book in (now, before)]
    return bool(fewer) or (profiles[0] == "smoke" and profiles[1] not in ("smoke", None))


def _of_later_profiles(before: Ledger, now: Ledger) -> Ledger:
    """What of a record a whole run did not ask for, of clauses that it knows of."""
    later = set((now.header.get("configuration") or {}).get("of_later_profiles", ()))
    known = {cell.clause for cell in now.cells.values()}
    cells = before.cells.values()
    kept = {each.id: each for each in cells if each.clause in known or without_parameters(each.clause) in later}
    return dataclasses.replace(before, planned=[name for name in before.planned if name in kept], cells=kept)


def is_whole(ledger: Ledger) -> bool:
    """Whether it is of a run of all that its profile has, to the end."""
    return ledger.complete and bool((ledger.header.get("configuration") or {}).get("whole"))


def row(ledger: Ledger) -> str:
    """A line of the table of records in Markdown: the profile that ran whole, and how many cells there are, of the
    tables of operators (by backend) and of networks of Hugging Face, which only the full profile runs whole.
    """
    whole = str((ledger.header.get("configuration") or {}).get("profile")) if is_whole(ledger) else "-"
    counts = Counter(("/".join(cell.clause.split("/")[:2]), cell.backend) for cell in ledger.cells.values())
    tables = [counts["operators/table", backend] for backend in _TABLED]
    networks = sum(count for (file, _), count in counts.items() if file == "models/hugging_face")
    told = [f"{count:,}" if count else "-" for count in (len(ledger.cells), *tables, networks)]
    return f"| {' | '.join([f'`{name_of(ledger).removesuffix(_SUFFIX)}`', whole, *told])} |"


def write(ledger: Ledger, path: Path) -> None:
    """Write the record of a ledger; the same ledger gives the same bytes. Raises `OSError` if it cannot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(b"".join(line_of(record, sort_keys=True) for record in _records(ledger)))


def _records(ledger: Ledger) -> Iterator[dict[str, Any]]:
    header = {key: value for key, value in {"kind": "header", **ledger.header}.items() if key in _HEADER}
    if "accelerations" in header:
        # Why one is off names folders of the machine that it was tried in.
        header["accelerations"] = {name: re.sub(r"/\S*/", "", how) for name, how in header["accelerations"].items()}
    yield header
    yield {"kind": "plan", "cells": ledger.planned}
    for name in sorted(ledger.cells):
        yield _cell(ledger.cells[name])
    if ledger.complete:
        yield {"kind": "end", "ended": ledger.ended}


def _cell(cell: Cell) -> dict[str, Any]:
    told = {key: value for key, value in cell.to_json().items() if key in _CELL and (value or value is False)}
    told["outcome"] = str(seen(cell.outcome, cell))
    told["detail"] = cell.detail[:_DETAIL]
    told["sentence"] = ""
    told["seconds"] = round(cell.seconds, 2)
    if cell.divergences:
        told["divergences"] = [_divergence(item) for item in cell.divergences]
    return told


def _divergence(item: Divergence) -> dict[str, Any]:
    # Where something was raised names files of the machine.
    return dataclasses.replace(item, expected="", seen="", raised_in="", stack="").to_json()
