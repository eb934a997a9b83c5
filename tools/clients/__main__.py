"""``python -m tools.clients [NAME...]``: run clients, keep what came of it, and draw the matrix of all of them.

Without a name it draws. ``--ledger`` keeps a run that was made before: of the one client that is named.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from suites.harness.results import records
from tools import clients, exits, judging
from tools.launch import ROOT
from tools.views.client_matrix import svg

PICTURE = ROOT / ".github" / "clients.svg"


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--ledger", type=click.Path(path_type=Path, exists=True), help="Keep this run and make none.")
@click.option("-n", "workers", type=click.IntRange(min=1), help="Workers of each run.")
def main(names: tuple[str, ...], ledger: Path | None, workers: int | None) -> None:
    """Run the clients NAMES by `parity gate`; write their records, their known bugs, and the picture."""
    known = {client.name: client for client in clients.clients()}
    for name in names:
        if name not in known:
            raise click.UsageError(f"no client {name!r}: {', '.join(known)}")
    if ledger is not None and len(names) != 1:
        raise click.UsageError("--ledger is the run of one client: name it")
    for name in names:
        keep(known[name], ledger, workers)
    PICTURE.write_text(svg(clients.matrix(known.values())), encoding="utf-8")
    click.echo(PICTURE.relative_to(ROOT))


def keep(client: clients.Client, ledger: Path | None, workers: int | None) -> None:
    """Run one client unless ``ledger`` is a run of it, and write its record and its known bugs anew."""
    with tempfile.TemporaryDirectory(prefix="parity-client-") as folder:
        if ledger is None:
            extra = ["-n", str(workers)] if workers else []
            code = _parity("gate", *client.arguments, *extra, "--report", folder)
            if code not in (exits.CONFORMANT, exits.NOT_CONFORMANT):
                sys.exit(code)
            ledger = Path(folder, "ledger.jsonl")
        outcome, _ = judging.conclude(judging.read_ledger(ledger), ())
        records.write(outcome.ledger, client.record)
        client.known_bugs.parent.mkdir(exist_ok=True)
        about = f"{client.name}: not looked into yet."
        _parity(
            "waivers",
            "update",
            str(ledger),
            "--file",
            str(client.known_bugs),
            "--link",
            "none known",
            "--reason",
            about,
        )


def _parity(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "tools.cli", *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    main()
