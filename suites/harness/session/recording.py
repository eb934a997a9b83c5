"""What a run writes into its ledger: the plan, then a record a cell."""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import suites
from suites.harness import torch_internals
from suites.harness.backends.registry import facts
from suites.harness.execution import environment
from suites.harness.planning import choice
from suites.harness.results import ledger, locking
from suites.harness.results.answering import NOBODYS
from suites.harness.results.known_bugs import Registry
from suites.harness.results.outcomes import Outcome, recorded
from suites.harness.results.places import Environment
from suites.harness.session import cells


def _settings(backends: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What differs from torch's defaults while programs are compiled: on all backends, and for comparing with one."""
    own = {name: dict(facts(name).config) for name in sorted(backends)}
    return {"everywhere": torch_internals.told_everywhere(), **{name: config for name, config in own.items() if config}}


def _typed(config: pytest.Config) -> str:
    """The command that began the run, as it was typed: ``parity gate`` tells its own in the environment."""
    words = getattr(config, "workerinput", {}).get("mainargv") or sys.argv
    return os.environ.get(ledger.TYPED) or shlex.join(["pytest", *map(str, words[1:])])


def named(nodeid: str, root: Path) -> list[str]:
    """How pytest is told of a test in the current directory: an installed clause by its module, else by the path.

    ``nodeid`` is pytest's name for it, from ``root`` on.
    """
    path, _, test = nodeid.partition("::")
    file, here = Path(os.path.normpath(root / path)), Path.cwd()
    if file.is_relative_to(cells.SUITES) and suites.__name__ != cells.SUITES.name:
        module = ".".join([suites.__name__, *file.relative_to(cells.SUITES).with_suffix("").parts])
        return ["--pyargs", f"{module}::{test}"]
    return [f"{file.relative_to(here) if file.is_relative_to(here) else file}::{test}"]


def _loads_itself(config: pytest.Config) -> bool:
    """Whether ``--backend`` is enough for the plugin to be loaded: where Parity is installed, and in its checkout."""
    return config.rootpath in (Path.cwd(), suites.HOME) or config.pluginmanager.hasplugin("parity")


def hold_ledger(config: pytest.Config) -> None:
    """Have this run alone write the ledger that its command line names, until it ends. Not for workers.

    Raises ``pytest.UsageError`` if another run writes it.
    """
    if not config.option.ledger:
        return
    held = contextlib.ExitStack()
    config.add_cleanup(held.close)
    try:
        held.enter_context(locking.locked(Path(config.option.ledger).resolve(), "pytest"))
        ledger.set_aside(Path(config.option.ledger).resolve())
    except locking.InUse as error:
        raise pytest.UsageError(f"{error}; wait for its end, or name another file with --ledger") from None
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


class Recorder:
    """One process's part of the run's ledger. ``worker`` is its name, empty in the controller."""

    def __init__(self, config: pytest.Config, worker: str, known: Registry) -> None:
        self.config, self.worker, self.known = config, worker, known
        given = getattr(config, "workerinput", {}).get("ledger") or config.option.ledger
        self.ledger_path = (
            Path(given).absolute() if given else Path(tempfile.mkdtemp(prefix="parity-")) / "ledger.jsonl"
        )
        #: Which cells the run has, once that is known.
        self.answering = NOBODYS
        self._writer: ledger.Writer | None = None

    @property
    def writer(self) -> ledger.Writer:
        """This process's ledger file, opened at the first record."""
        if self._writer is None:
            name = f"{self.ledger_path.name}.{self.worker or 'main'}"
            self._writer = ledger.Writer(self.ledger_path.with_name(name))
        return self._writer

    def plan(
        self,
        mine: Sequence[cells.Description],
        backends: Sequence[str],
        families: set[str],
        *,
        golden: str,
        whole: bool,
        arranged: Mapping[str, Any],
        first: int = 0,
        left_out: Sequence[str] = (),
        part: Mapping[str, Any] | None = None,
        later: Sequence[str] = (),
        elsewhere: Mapping[str, Sequence[str]] | None = None,
        of_others: Sequence[str] = (),
        others: Sequence[cells.Description] = (),
    ) -> None:
        """Write the ledger's first records: where and how cells run, their clauses and ``others``, and which cells.

        ``part`` is how many cells ``left_out`` is about, whether tests were named or deselected, and whether every
        family was collected. ``arranged`` is what the header says of a choice or a shard; the ``first`` cells are
        handed out one at a time. ``later`` are clauses, without their parameters, that only a later profile runs;
        ``elsewhere`` are those, by family, that only other devices have; ``of_others`` those of other backends alone.
        """
        option = self.config.option
        configuration = {
            "device": option.device,
            "profile": option.profile,
            "max_examples": option.max_examples,
            "cell_timeout": option.cell_timeout,
            "golden": golden,
            "waivers": [str(Path(file).absolute()) for file in option.waivers],
            "backends": list(option.backend or ()),
            "clauses": list(option.clause or ()),
            "modes": list(option.modes or ()),
            "families": sorted(families),
            "whole": whole,
            "left_out": list(left_out),
            **(part or {}),
            **arranged,
            "of_later_profiles": list(later),
            "on_other_devices": dict(elsewhere or {}),
            "of_other_backends": list(of_others),
        }
        header = environment.header(option.device)
        self.writer.write(
            {
                **header,
                "kind": "header",
                "schema": ledger.SCHEMA_VERSION,
                "started": ledger.now(),
                "command": _typed(self.config),
                "backends": {name: facts(name).version for name in backends},
                **({"sampled": os.environ[ledger.SAMPLED]} if ledger.SAMPLED in os.environ else {}),
                "settings": _settings({*backends, *(cell.backend for cell in mine)}),
                "configuration": configuration,
            }
        )
        for description in {cell.clause: cell for cell in (*mine, *others)}.values():
            self.writer.write(description.clause_record())
        self.writer.write(
            {
                "kind": "plan",
                "cells": [cell.id for cell in mine],
                "first": first,
                "nodeids": {cell.nodeid: cell.plan_record() for cell in mine},
            }
        )

    def write(self, cell: ledger.Cell, outcome: str, detail: str, seconds: float, *, keep: bool = True) -> ledger.Cell:
        """Write down what was seen of a cell, unless it is not to be kept; the cell as known bugs make it, to be shown.

        Raises `ValueError` for an outcome that no ledger may hold.
        """
        cell.outcome, cell.detail, cell.seconds = recorded(outcome), detail, seconds
        cell.worker, cell.memory_mib = self.worker, cells.peak_memory_mib()
        cell.reproduce = self.command(cell)
        if cell.outcome is Outcome.PASS:
            cell.program = ""
        return self.written(cell) if keep else self.judged(cell)

    def written(self, cell: ledger.Cell) -> ledger.Cell:
        """Write down a cell that is filled in; the cell as known bugs make it."""
        self.writer.write(cell.to_json())
        return self.judged(cell)

    def judged(self, cell: ledger.Cell) -> ledger.Cell:
        """A cell as known bugs make it."""
        return self.known.judge(cell, self.environment, self.answering)

    @functools.cached_property
    def environment(self) -> Environment:
        """Where the cells of this run are run."""
        return Environment.of(environment.place(self.config.option.device))

    def command(self, cell: ledger.Cell) -> str:
        """What to type to see this cell again."""
        option = self.config.option
        words = ["pytest", *named(cell.nodeid, self.config.rootpath)]
        if not _loads_itself(self.config):
            words += ["-p", f"{suites.__name__}.harness.plugin"]
        words += ["--backend", cell.backend, "--profile", choice.drawn_from(option.profile)]
        if option.device != "cpu":
            words += ["--device", option.device]
        words += ["--modes", ",".join(option.modes)] if option.modes else []
        words += ["--plain"] if option.plain else []
        return " ".join(shlex.quote(str(word)) for word in words)

    def end(self, exitstatus: int) -> None:
        """Say in the ledger that this worker came to its own end."""
        if self.worker or self._writer is not None:
            self.writer.write({"kind": "end", "worker": self.worker, "exitstatus": exitstatus, "ended": ledger.now()})
