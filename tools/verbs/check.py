"""``parity check FILE...``: what differs between the eager and the compiled run of the programs in these files?"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from suites.harness.results.outcomes import Outcome, recorded
from tools import arguments, forking

if TYPE_CHECKING:
    from suites.harness.backends.backend import Backend
    from suites.harness.oracle.examine import Examination


@dataclasses.dataclass(frozen=True)
class Checked:
    """One file on one backend."""

    program: str
    backend: str
    verdict: Examination
    #: The grad mode of its calls.
    mode: str = "train"

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        verdict = self.verdict
        return {
            "program": self.program,
            "backend": self.backend,
            "mode": self.mode,
            "outcome": verdict.outcome,
            "layer": verdict.layer,
            "divergences": [
                {
                    "facet": item.facet,
                    "kind": item.kind,
                    "where": item.where,
                    "expected": item.expected,
                    "seen": item.seen,
                    "silent": item.silent,
                    "layer": item.layer,
                    "fingerprint": item.fingerprint,
                }
                for item in verdict.divergences
            ],
            "detail": verdict.detail,
            "graphs": verdict.counter.graphs,
            "seconds": round(verdict.seconds, 3),
            "plain_retry": verdict.plain_retry,
            "executed": verdict.executed,
        }


@click.command(
    "check",
    help="Run the programs in FILES eagerly and compiled and print every difference with its facet and layer.\n\n"
    "A file holds `program(*args)` and `inputs() -> tuple`; optional: `calls = [inputs, other_inputs]` (several calls "
    "of one compiled program), `TRAIN = True` (compare gradients, also of what `leaves()` returns), `DYNAMIC = True`, "
    '`CONFIG = {"inductor.memory_planning": True}` (settings of torch\'s compiler).',
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--backend", "backends", multiple=True, metavar="NAME", help="Backend to run on (repeatable).")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option(
    "--modes", type=arguments.Modes(), help="Grad modes of the calls [default: the first that the backend claims]"
)
@click.option("--timeout", type=click.FloatRange(min=1), default=120.0, show_default=True, help="Seconds a run.")
@click.option("--plain", is_flag=True, help="Do nothing for speed that a user would not do.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, per file and backend.")
def command(
    files: tuple[Path, ...],
    backends: tuple[str, ...],
    device: str,
    modes: tuple[str, ...] | None,
    timeout: float,
    plain: bool,
    as_json: bool,
) -> None:
    """The verb; see its help."""
    missing = [path for path in files if not path.is_file()]
    if missing:
        raise click.UsageError(f"{missing[0]}: no such file")
    from suites.harness.backends.backend import reference_backends
    from suites.harness.backends.registry import DEFAULT, facts, is_torchs_own, resolve

    forking.settle(backends or DEFAULT, device, plain=plain)
    console = Console(stderr=False, highlight=False)
    chosen = forking.available(map(arguments.canonical, backends or DEFAULT), device)
    layers = dict.fromkeys(layer for name in chosen for layer in (*reference_backends(name), name))
    forking.prime([resolve(name) for name in layers if is_torchs_own(name)], device)
    fails = broken = False
    for path in files:
        for backend, mode in ((name, mode) for name in chosen for mode in modes or facts(name).modes[:1]):
            if not as_json and console.is_terminal:
                console.print(f"[dim]{escape(str(path))} on {backend} ...[/dim]", end="\r")
            checked = check_apart(path, backend, device, timeout, mode)
            # Nothing shows that a program which never ran means the same.
            fails |= checked.verdict.outcome.diverges
            fails |= checked.verdict.outcome in (Outcome.VACUOUS, Outcome.FALLBACK)
            broken |= checked.verdict.outcome is Outcome.ERROR
            if as_json:
                click.echo(json.dumps(checked.to_json(), ensure_ascii=False))
            else:
                _print(console, checked)
    sys.exit(2 if broken else 1 if fails else 0)


def check_apart(path: Path, name: str, device: str, timeout: float, mode: str = "train") -> Checked:
    """`check_file`, in a fork of its own for a backend that is not torch's own: what it leaves behind stays there."""
    from suites.harness.backends.registry import is_torchs_own, resolve
    from suites.harness.execution.isolation import NO_RESULT, Finished, Raised, run_forked
    from suites.harness.oracle.examine import Examination

    def check() -> Checked:
        return check_file(path, resolve(name), device, timeout, mode)

    def check_there() -> Checked:
        checked = check()
        # What was observed is not for sending.
        return dataclasses.replace(checked, verdict=dataclasses.replace(checked.verdict, expected=None, seen=None))

    if is_torchs_own(name):
        return check()
    # Its runs have time limits of their own.
    outcome = run_forked(check_there, math.inf)
    if isinstance(outcome, Finished):
        checked: Checked = outcome.value
        return checked
    why = outcome.message if isinstance(outcome, Raised) else getattr(outcome, "how", NO_RESULT)
    return Checked(str(path), name, Examination(Outcome.ERROR, f"{name}: {why}"), mode)


def check_file(path: Path, backend: Backend, device: str, timeout: float, mode: str = "train") -> Checked:
    """Examine the program of one file on one backend, called in a grad mode, each run in a process of its own."""
    from suites.harness.execution.isolation import Finished, Raised, run_forked
    from suites.harness.execution.runners import forked
    from suites.harness.oracle.examine import FELL_BACK, Examination, examine
    from suites.harness.oracle.runs import ProgramError, of_file
    from suites.harness.programs.files import FileProgram

    program = FileProgram(path, device)
    read = run_forked(program.settings, timeout)
    if isinstance(read, Raised):
        return Checked(str(path), backend.name, Examination(Outcome.ERROR, read.message.removeprefix("BadProgram: ")))
    if not isinstance(read, Finished):
        how = getattr(read, "how", f"hangs for {timeout:g} s")
        return Checked(str(path), backend.name, Examination(Outcome.ERROR, f"{path}: importing the file: {how}"))
    subject = of_file(program, read.value, mode)
    try:
        verdict = examine(subject, backend, forked(subject, timeout))
    except ProgramError as error:
        verdict = Examination(Outcome.ERROR, str(error))
    except Exception as error:
        # The other files are still to be examined.
        verdict = Examination(
            Outcome.ERROR, f"a fault of Parity's own, please report it: {type(error).__name__}: {error}"
        )
    lost = next((item.facet for item in verdict.divergences if item.facet in ("crash", "timeout")), "")
    if verdict.outcome is Outcome.PASS and verdict.never_ran:
        verdict.outcome, verdict.detail = Outcome.VACUOUS, f"eager raises in every call: {verdict.never_ran}"
    if verdict.outcome is Outcome.PASS and verdict.executed is False:
        verdict.outcome, verdict.detail = Outcome.FALLBACK, FELL_BACK
    # Whose fault it is shows in the layer; that the program does not come back is what its author asks.
    verdict.outcome = recorded(lost) if lost else verdict.outcome
    return Checked(str(path), backend.name, verdict, mode)


def _print(console: Console, checked: Checked) -> None:
    verdict = checked.verdict
    outcome = verdict.outcome
    word = f"[{outcome.style}]{outcome.told}[/{outcome.style}]"
    mode = f" {checked.mode}" if checked.mode != "train" else ""
    line = f"{escape(checked.program)}  [bold]{escape(checked.backend)}[/bold]{mode}  {word}"
    about = outcome.meaning if outcome is Outcome.PASS else "" if verdict.divergences else verdict.detail
    console.print(f"{line}  {escape(about)}  [dim]{verdict.seconds:.1f} s[/dim]", soft_wrap=True)
    if verdict.plain_retry:
        console.print("  run again the plain way: a kernel was not built the quick way", style="dim")
    for text in _divergence_lines(verdict):
        console.print(text, soft_wrap=True)


def _divergence_lines(verdict: Examination) -> Iterator[str]:
    for item in verdict.divergences:
        kind = "[magenta]silent[/magenta]" if item.silent else "[yellow]loud[/yellow]"
        yield f"  {kind} [bold]{item.facet}[/bold]: {escape(item.kind)}, {escape(item.where)}"
        yield f"      expected  {escape(item.expected)}"
        yield f"      seen      {escape(item.seen)}"
        yield f"      first at  {escape(item.layer)}"
