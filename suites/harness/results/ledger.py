"""The ledger: JSON lines, one file a worker, flushed per record; everything Parity reports derives from it.

A ledger is a sequence of records, each a JSON object with a ``kind``:

``header``
    What ran where: torch, Python, platform, device, compiler, backends and their versions, configuration, revision,
    and which `accelerations` were on; ``started`` (ISO 8601, UTC) and the ``command`` that was typed; ``sampled``, of a
    run that was watched for where its processor time goes, says how.
``clause``
    One clause: id, family, sentence, the lines of the behaviour map it covers, where its source stands.
``plan``
    The ids of the cells that the run set out to do. A planned cell without a ``cell`` record was not run.
``cell``
    One cell's outcome (see `Cell`).
``processor``
    Where the run's processor time went, of a run that was sampled (`Ledger.processor`).
``end``
    The run came to its own end, at ``ended`` (ISO 8601, UTC); a ledger without one was interrupted.

Workers write ``<ledger>.<worker>`` beside the final file; the controller merges them. A torn line (a worker died while
writing) is skipped and counted, never an error; one with a record after it is damage, which no run leaves in a merged
ledger. A ledger whose name ends in ``.gz`` is read as it is.
"""

from __future__ import annotations

import dataclasses
import datetime
import errno
import glob
import gzip
import json
import os
import re
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from suites.harness.oracle.divergence import Divergence
from suites.harness.results.outcomes import Outcome, diverged, recorded

#: 2: outcomes are what was seen. In ledgers of schema 1 known bugs had been applied: `xfail` and `xpass` stand in them.
SCHEMA_VERSION = 2
#: What a record says of a cell that was planned, in a run that ended by itself before it.
NOT_RUN = "not run: the run ended before it"
#: The variable of the environment in which a command that starts pytest tells what was typed, for the header.
TYPED = "PARITY_COMMAND"
#: The variable in which whoever samples a run says how, for the header.
SAMPLED = "PARITY_SAMPLED"


@dataclasses.dataclass
class Cell:
    """The record of one cell: one clause x backend x variant."""

    id: str
    clause: str
    family: str
    sentence: str
    backend: str
    variant: str
    outcome: Outcome = Outcome.ERROR
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
    #: What it took of the processor, compilers included; 0 where that is not known.
    cpu_seconds: float = 0.0
    #: The largest fraction of the allowed error that any compared value used; 0 where everything was bitwise equal.
    tolerance: float = 0.0
    #: Whether the backend executed something of its graphs; None where nobody asked, or it cannot be told.
    executed: bool | None = None
    #: One line: why it failed, is vacuous, unsupported, ... Empty for a pass.
    detail: str = ""
    #: The end of what the program wrote to the error stream, where it raised on the backend and not in eager.
    stderr: str = ""
    #: The known bugs that explain it, by id, once it has been judged. No record holds them.
    bugs: list[str] = dataclasses.field(default_factory=list)
    #: The layers that it answers for, its backend first, once it has been judged. No record holds them.
    own: tuple[str, ...] = ()
    #: The source of the clause, for reports; only on cells that are not `pass`.
    program: str = ""
    #: The command that shows this cell again.
    reproduce: str = ""
    #: Canonical graph texts by stage, in the reference cell of a clause with goldens.
    goldens: dict[str, str] = dataclasses.field(default_factory=dict)
    #: A kernel was not built in the quick way of the run: what counts is a run that was made the plain way.
    plain_retry: bool = False
    #: What further runs of a cell that failed came to, each in a process of its own.
    repeats: list[str] = dataclasses.field(default_factory=list)
    #: Peak resident memory of the worker after this cell, in MiB.
    memory_mib: float = 0.0
    worker: str = ""
    #: pytest's name of the cell.
    nodeid: str = ""

    @property
    def counting(self) -> list[Divergence]:
        """Its divergences of layers that it answers for; all of them, where others answer for each."""
        own = self.own or (self.backend,)
        return [divergence for divergence in self.divergences if divergence.layer in own] or self.divergences

    @property
    def silent(self) -> bool:
        """Whether some divergence that counts is silent."""
        return any(divergence.silent for divergence in self.counting)

    def to_json(self) -> dict[str, Any]:
        """The cell as a ledger record."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del fields["bugs"], fields["own"]
        divergences = [divergence.to_json() for divergence in self.divergences]
        return {"kind": "cell", **fields, "outcome": str(self.outcome), "divergences": divergences}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Cell:
        """Read a ``cell`` record of this schema or an older one; unknown keys are ignored.

        Raises `ValueError` for an outcome that there is not, `TypeError` for a record that is not whole.
        """
        names = {field.name for field in dataclasses.fields(cls)}
        fields = {key: value for key, value in data.items() if key in names}
        fields["divergences"] = [Divergence.from_json(entry) for entry in data.get("divergences", ())]
        cell = cls(**fields)
        old = {judged.value: judged for judged in (Outcome.KNOWN, Outcome.UNEXPECTED_PASS)}.get(cell.outcome)
        cell.outcome = seen(old, cell) if old is not None else recorded(cell.outcome)
        return cell


def seen(outcome: Outcome, cell: Cell) -> Outcome:
    """What was seen of a cell, before known bugs made it ``outcome``."""
    if outcome is Outcome.UNEXPECTED_PASS:
        return Outcome.PASS
    if outcome not in (Outcome.KNOWN, Outcome.FAIL, Outcome.CRASH, Outcome.TIMEOUT):
        return outcome
    if cell.divergences and all(item.layer != cell.backend for item in cell.divergences):
        return Outcome.INHERITED
    if outcome is not Outcome.KNOWN:
        return outcome
    return diverged(item.facet for item in cell.divergences)


def now() -> str:
    """The time, ISO 8601 in UTC, to the second."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def line_of(record: Mapping[str, Any], *, sort_keys: bool = False) -> bytes:
    """A record as a line of a ledger, its end included.

    A lone surrogate, as of a file's name that is no UTF-8, stands there as JSON escapes it: every text comes back.
    """
    text = json.dumps(record, ensure_ascii=False, default=str, sort_keys=sort_keys)
    return text.encode(errors="backslashreplace") + b"\n"


class Writer:
    """Appends records to one ledger file, each a whole line, flushed before `write` returns.

    Opened in append mode, so a forked child and its parent may hold the same file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record. Raises `OSError` that names the file if it cannot be written."""
        line = line_of(record)
        try:
            written = self._file.write(line)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        if written != len(line):
            raise OSError(errno.ENOSPC, "only a part of a record could be written", str(self.path))

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
    #: The file and the number of the first torn line, and whether a record follows a torn one in its file.
    torn_at: str = ""
    damaged: bool = False
    #: Where processor time went: ``total`` seconds as the system counts them, and of them ``seen``, ``[phase, backend,
    #: seconds]`` each, without a backend outside of cells. One record a run: several of shards.
    processor: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    #: When the last of its workers ended, ISO 8601 in UTC; empty where none says so.
    ended: str = ""
    #: Of each cell, which header stands before it: in the ledger of shards, that of the machine that ran it.
    ran_under: dict[str, int] = dataclasses.field(default_factory=dict)

    @property
    def started(self) -> str:
        """When the run began, ISO 8601 in UTC; empty where no header says so."""
        return min((str(header["started"]) for header in self.headers if header.get("started")), default="")

    @property
    def duration(self) -> float | None:
        """Seconds from the beginning of the run to its end; ``None`` where the ledger does not tell."""
        try:
            began, ended = (datetime.datetime.fromisoformat(text) for text in (self.started, self.ended))
        except ValueError:
            return None
        return max(0.0, (ended - began).total_seconds())

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
    beside = path.parent.glob(f"{glob.escape(path.name)}.*")
    return sorted(part for part in beside if named.fullmatch(part.name))


def refuse_others(path: Path) -> None:
    """Raise `ValueError`, with a line, if no run can write its ledger there."""
    if path.suffix == ".gz":
        raise ValueError(f"{path}: a run writes its ledger as it goes, uncompressed; name one without .gz")
    if path.is_dir():
        raise ValueError(f"{path} is a directory, and not a ledger")
    if path.exists() and not next(iter(records(path)), {}):
        raise ValueError(f"{path} exists and is not a ledger; it is left alone: name another with --ledger")


def set_aside(path: Path) -> None:
    """Keep the last run's ledger under another name, and remove what its workers left.

    Raises `ValueError` as `refuse_others` does: what is no ledger is left alone.
    """
    refuse_others(path)
    if path.exists():
        os.replace(path, path.with_name(f"{path.stem}.previous{path.suffix}"))
    for part in worker_files(path):
        part.unlink()


def records(path: Path) -> Iterable[dict[str, Any] | None]:
    """Yield each record of one file; ``None`` stands for a torn line."""
    return (record for _, record in _numbered(path))


def _numbered(path: Path, only: Container[str] | None = None) -> Iterable[tuple[int, dict[str, Any] | None]]:
    """Each record with the number of its line, but for those that are seen at a glance to be of other cells."""
    for number, line in enumerate(lines(path), 1):
        if not line.strip() or (only is not None and _is_of_another(line, only)):
            continue
        yield number, record_of(line)


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record that a line of a ledger is; None for one that is torn, or none of a ledger's."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "kind" in record else None


#: Bytes of a compressed ledger that are read at once.
_CHUNK = 1 << 20
_ID = b'"id": "'


def _is_of_another(line: bytes, only: Container[str]) -> bool:
    """Whether a whole line is the record of a cell that is none of those, as far as can be told without reading it."""
    if b'"kind": "cell"' not in line or not line.endswith(b"}\n"):
        return False
    start = line.find(_ID) + len(_ID)
    end = line.find(b'"', start)
    name = line[start:end]
    if start < len(_ID) or b"\\" in name or line.find(_ID, end) >= 0:
        return False
    return name.decode(errors="replace") not in only


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a ledger, compressed or not. One that was cut short ends in a torn line."""
    if path.suffix != ".gz":
        with path.open("rb") as file:
            yield from file
        return
    try:
        with gzip.open(path) as packed:
            rest = b""
            while chunk := packed.read1(_CHUNK):  # A tenth of the time that its own lines take.
                *whole, rest = (rest + chunk).split(b"\n")
                yield from (line + b"\n" for line in whole)
            if rest:
                yield rest
    except EOFError:
        yield b"cut short"
    except (zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: not a file that gzip has written: {error}") from None


def read(paths: Iterable[Path], *, only: Container[str] | None = None) -> Ledger:
    """Read and merge ledger files. A later record of the same cell replaces an earlier one. ``only``: of these cells.

    Raises ``FileNotFoundError`` if a file is missing and ``ValueError`` if a record has a newer schema or is not one,
    such as a cell with an outcome that there is not.
    """
    ledger = Ledger()
    for path in paths:
        torn_before = False
        for number, record in _numbered(path, only):
            if record is None:
                ledger.torn += 1
                ledger.torn_at = ledger.torn_at or f"{path}:{number}"
                torn_before = True
                continue
            ledger.damaged |= torn_before
            kind = record["kind"]
            schema = record.get("schema", 0) if kind == "header" else 0
            if not isinstance(schema, int):
                raise ValueError(f"{path}:{number}: not a ledger record: its schema is {schema!r}, and no number")
            if schema > SCHEMA_VERSION:
                raise ValueError(f"{path}: ledger schema {schema} is newer than this Parity's {SCHEMA_VERSION}")
            try:
                if kind == "header":
                    ledger.headers.append(record)
                elif kind == "clause":
                    ledger.clauses[record["id"]] = record
                elif kind == "plan":
                    ledger.planned = list(dict.fromkeys([*ledger.planned, *record["cells"]]))
                elif kind == "cell":
                    if only is None or record["id"] in only:
                        ledger.cells[record["id"]] = Cell.from_json(record)
                        ledger.ran_under[record["id"]] = max(len(ledger.headers) - 1, 0)
                elif kind == "processor":
                    ledger.processor.append(record)
                elif kind == "end":
                    ledger.complete = True
                    ledger.ended = max(ledger.ended, str(record.get("ended", "")))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}:{number}: not a ledger record: {error}") from None
    return ledger


def as_one(paths: Iterable[Path], *, complete: bool) -> Iterator[bytes]:
    """The lines of several ledger files as those of one file, which reads as they do together.

    What a file ends in that was cut short is left out, as in `merge`: followed by another file's it would be damage.
    ``complete``: whether their runs all came to their ends; else no line says of one that it did.
    """
    for path in paths:
        for line in lines(path):
            record = record_of(line) if b'"end"' in line or not line.endswith(b"\n") else {}
            if record is None and not line.endswith(b"\n"):
                continue
            if complete or record is None or record.get("kind") != "end":
                yield line if line.endswith(b"\n") else line + b"\n"


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
                    merged.write(line_of(record))
        merged.flush()
        os.fsync(merged.fileno())
    os.replace(scratch, path)
    for part in parts:
        part.unlink()
