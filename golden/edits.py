"""Pending edits: what workers record and what the controller does with it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from golden.expectation import Visit


class EditSink:
    """Appends what one worker records to ``<directory>/<worker>.jsonl``, flushed per record.

    Records are JSON objects with a ``kind``: `visit` (one look at a golden), `outcome` (what a cell came to) and
    `finish` (the worker came to its own end).
    """

    def __init__(self, directory: str | Path, worker: str = "main") -> None:
        self._path = Path(directory) / f"{worker}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def visit(self, visit: Visit) -> None:
        """Keep one visit."""
        self._write({"kind": "visit", **dataclasses.asdict(visit)})

    def outcome(self, cell: str, outcome: str, reason: str = "") -> None:
        """Keep what a cell came to; edits of a cell that is not `pass` are refused, with ``reason``."""
        self._write({"kind": "outcome", "cell": cell, "outcome": outcome, "reason": reason})

    def finish(self, *, full_run: bool) -> None:
        """Keep that the worker came to its end; ``full_run``: nothing was deselected, so absence means something."""
        self._write({"kind": "finish", "full_run": full_run})

    def _write(self, record: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
