"""The ledger: JSON lines, one file a worker, flushed per record; everything Parity reports derives from it.

A ledger is a sequence of records, each a JSON object with a ``kind``:

``header``
    What ran where: torch, Python, platform, device, compiler, backends and their versions, configuration, revision,
    and which `accelerations` were on.
``clause``
    One clause: id, family, sentence, the lines of the behaviour map it covers, where its source stands.
``plan``
    The ids of the cells that the run set out to do. A planned cell without a ``cell`` record was not run.
``cell``
    One cell's outcome (see `Cell`).
``end``
    The run came to its own end; a ledger without one was interrupted.

Workers write ``<ledger>.<worker>`` beside the final file; the controller merges them. A torn line (a worker died while
writing) is skipped and counted, never an error.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from suites.harness.oracle.divergence import Divergence

SCHEMA_VERSION = 1

#: What a cell can come to. Only `fail`, `crash`, `timeout`, `error`, `vacuous` and `xpass` count against a gate.
OUTCOMES = (
    "pass",
    "fail",
    "inherited",
    "xfail",
    "xpass",
    "changed",
    "vacuous",
    "unsupported",
    "crash",
    "timeout",
    "error",
    "skip",
)


@dataclasses.dataclass
class Cell:
    """The record of one cell: one clause x backend x variant."""

    id: str
    clause: str
    family: str
    sentence: str
    backend: str
    variant: str
    outcome: str = "error"
    #: Per facet `same` or `differs`; a facet that this cell did not observe is absent.
    facets: dict[str, str] = dataclasses.field(default_factory=dict)
    divergences: list[Divergence] = dataclasses.field(default_factory=list)
    #: First diverging layer and fingerprint of the first divergence, for quick reading.
    layer: str = ""
    fingerprint: str = ""
    graphs: int = 0
    nodes: int = 0
    recompilations: int = 0
    compile_seconds: float = 0.0
    run_seconds: float = 0.0
    seconds: float = 0.0
    #: The largest fraction of the allowed error that any compared value used; 0 where everything was bitwise equal.
    tolerance: float = 0.0
    #: One line: why it failed, is vacuous, unsupported, ... Empty for a pass.
    detail: str = ""
    #: The waivers that matched, by id.
    waivers: list[str] = dataclasses.field(default_factory=list)
    #: The source of the clause, for reports; only on cells that are not `pass`.
    program: str = ""
    #: The command that shows this cell again.
    reproduce: str = ""
    #: Canonical graph texts by stage, in the reference cell of a clause with goldens.
    goldens: dict[str, str] = dataclasses.field(default_factory=dict)
    #: A kernel was not built in the quick way of the run: what counts is a run that was made the plain way.
    plain_retry: bool = False
    #: Peak resident memory of the worker after this cell, in MiB.
    memory_mib: float = 0.0
    worker: str = ""
    #: pytest's name of the cell.
    nodeid: str = ""

    @property
    def silent(self) -> bool:
        """Whether some divergence of this cell is silent."""
        return any(divergence.silent for divergence in self.divergences)

    @property
    def loud(self) -> bool:
        """Whether some divergence of this cell is loud."""
        return any(not divergence.silent for divergence in self.divergences)

    def to_json(self) -> dict[str, Any]:
        """The cell as a ledger record."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"kind": "cell", **fields, "divergences": [divergence.to_json() for divergence in self.divergences]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Cell:
        """Read a ``cell`` record; unknown keys are ignored."""
        names = {field.name for field in dataclasses.fields(cls)}
        fields = {key: value for key, value in data.items() if key in names}
        fields["divergences"] = [Divergence.from_json(entry) for entry in data.get("divergences", ())]
        return cls(**fields)


class Writer:
    """Appends records to one ledger file, each a whole line, flushed before `write` returns.

    Opened in append mode, so a forked child and its parent may hold the same file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record."""
        self._file.write(json.dumps(record, ensure_ascii=False, default=str).encode() + b"\n")

    def end_line(self) -> None:
        """End a line that was cut short, so that the next record has one of its own."""
        self._file.write(b"\n")

    def close(self) -> None:
        """Close the file; later writes raise."""
        self._file.close()


@dataclasses.dataclass
class Ledger:
    """What a ledger file says, read."""

    headers: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    clauses: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    planned: list[str] = dataclasses.field(default_factory=list)
    cells: dict[str, Cell] = dataclasses.field(default_factory=dict)
    complete: bool = False
    torn: int = 0

    @property
    def header(self) -> dict[str, Any]:
        """The first header, or an empty one."""
        return self.headers[0] if self.headers else {}

    @property
    def not_run(self) -> list[str]:
        """Planned cells that no record speaks of."""
        return [cell for cell in self.planned if cell not in self.cells]


def worker_files(path: Path) -> list[Path]:
    """The files that workers of the run with ledger ``path`` have written, in a stable order."""
    named = re.compile(re.escape(path.name) + r"\.(main|gw\d+)")
    return sorted(part for part in path.parent.glob(path.name + ".*") if named.fullmatch(part.name))


def records(path: Path) -> Iterable[dict[str, Any] | None]:
    """Yield each record of one file; ``None`` stands for a torn line."""
    with path.open("rb") as file:
        for line in file:
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                yield None
                continue
            yield record if isinstance(record, dict) and "kind" in record else None


def read(paths: Iterable[Path]) -> Ledger:
    """Read and merge ledger files. A later record of the same cell replaces an earlier one.

    Raises ``FileNotFoundError`` if a file is missing and ``ValueError`` if a record has a newer schema or is not one.
    """
    ledger = Ledger()
    for path in paths:
        for number, record in enumerate(records(path), 1):
            if record is None:
                ledger.torn += 1
                continue
            kind = record["kind"]
            try:
                if kind == "header":
                    if record.get("schema", 0) > SCHEMA_VERSION:
                        raise ValueError(
                            f"{path}: ledger schema {record['schema']} is newer than this Parity's {SCHEMA_VERSION}"
                        )
                    ledger.headers.append(record)
                elif kind == "clause":
                    ledger.clauses[record["id"]] = record
                elif kind == "plan":
                    ledger.planned = list(dict.fromkeys([*ledger.planned, *record["cells"]]))
                elif kind == "cell":
                    ledger.cells[record["id"]] = Cell.from_json(record)
                elif kind == "end":
                    ledger.complete = True
            except (KeyError, TypeError) as error:
                raise ValueError(f"{path}:{number}: not a ledger record: {error}") from None
    return ledger


def merge(path: Path) -> None:
    """Append every worker's records to the ledger at ``path`` and remove the workers' files.

    Torn lines are dropped here. The merged file is complete before any worker file goes.
    """
    parts = worker_files(path)
    if not parts:
        return
    scratch = path.with_name(f".{path.name}.merging")
    with scratch.open("wb") as merged:
        for part in [path, *parts] if path.exists() else parts:
            for record in records(part):
                if record is not None:
                    merged.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        merged.flush()
        os.fsync(merged.fileno())
    os.replace(scratch, path)
    for part in parts:
        part.unlink()
