"""``parity list``: every clause with its sentence and the lines of the behaviour map it covers, and the reverse."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from suites import contract
from suites.harness.results import ledger as ledgers
from tools import exits, launch
from tools.exits import Fault
from tools.views.terminal import terminal

#: Seconds that collecting every clause may take.
_LIMIT = 300


def collect(families: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The clause records of those families, or of all; by family and id. Collects with pytest and runs nothing.

    Raises `Fault` with pytest's own last line if collecting fails, and where it does not end within `_LIMIT` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="parity-list-") as folder:
        ledger = Path(folder) / "ledger.jsonl"
        options = ["--collect-only", "-qq", "-n", "0", "--profile=smoke", f"--ledger={ledger}"]
        command = launch.pytest_command(families or launch.families(), options)
        try:
            result = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_LIMIT,
                env=launch.pytest_environment(),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Fault(f"collecting the clauses did not end within {_LIMIT:g} s") from None
        if result.returncode not in (0, launch.NOTHING_RAN):
            lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
            told = next(
                (line for line in lines if line.startswith(("ERROR", "E  "))), lines[-1] if lines else "no output"
            )
            raise Fault(f"collecting the clauses failed (pytest exit code {result.returncode}): {told.strip()}")
        book = ledgers.read([part for part in (ledger, *ledgers.worker_files(ledger)) if part.exists()])
    return sorted(book.clauses.values(), key=lambda record: (record["family"], record["id"]))


@click.command("list", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--family", "families", multiple=True, metavar="NAME", help="Only this clause family. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on standard output.")
@click.option("--map", "as_map", is_flag=True, help="The map of behaviours with each line's clauses, as Markdown.")
def command(families: tuple[str, ...], as_json: bool, as_map: bool) -> int:
    """List every clause: its id, sentence, and the lines of the behaviour map that it covers. Runs nothing.

    A table on a terminal. Elsewhere a line a clause, with tabs between: id, lines of the map, sentence.
    """
    if as_map and (as_json or families):
        raise click.UsageError("--map is of all families, and is Markdown: give neither --family nor --json with it")
    launch.check_families(families)
    clauses = collect(families)
    if as_map:
        covers = {contract.without_parameters(record["id"]): record.get("covers") or () for record in clauses}
        click.echo(contract.page(covers), nl=False)
        return exits.CONFORMANT
    if as_json:
        kept = ("id", "family", "sentence", "covers", "devices", "torch", "needs", "file", "line")
        click.echo(json.dumps([{key: record.get(key) for key in kept} for record in clauses], ensure_ascii=False))
        return exits.CONFORMANT
    if not sys.stdout.isatty():
        for record in clauses:
            click.echo(_line(record))
        return exits.CONFORMANT
    console = terminal()
    for family in dict.fromkeys(record["family"] for record in clauses):
        console.print(_table(family, [record for record in clauses if record["family"] == family]))
    console.print(f"{len(clauses)} clause{'' if len(clauses) == 1 else 's'}", highlight=False)
    return exits.CONFORMANT


def _line(record: dict[str, Any]) -> str:
    columns = (record["id"], " ".join(record.get("covers") or ()), record.get("sentence") or "")
    return "\t".join(" ".join(column.split()) for column in columns)


def _table(family: str, clauses: list[dict[str, Any]]) -> Table:
    table = Table(title=f"{family} ({len(clauses)})", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("clause", overflow="fold", ratio=4)
    table.add_column("covers", overflow="fold", ratio=1)
    table.add_column("what must hold", ratio=5)
    for record in clauses:
        name = record["id"].removeprefix(f"{family}/")
        table.add_row(Text(name), Text(" ".join(record.get("covers") or ())), Text(record.get("sentence") or ""))
    return table
