"""``parity report``: HTML, JUnit XML, Markdown, SARIF and annotations, all derived from ledgers."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import click

from suites.harness.planning import shards
from suites.harness.results import records
from suites.harness.results.known_bugs import where_cells_ran
from suites.harness.results.ledger import Ledger
from tools import exits, judging
from tools.exits import Fault
from tools.views import code_hosts, junit
from tools.views.pages import html, load_kill_matrix, markdown


@click.command("report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("ledgers", nargs=-1, required=True, metavar="LEDGER [OTHER...]", type=click.Path(path_type=Path))
@click.option("--html", "html_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the HTML report.")
@click.option("--junit", "junit_file", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML.")
@click.option("--markdown", "markdown_file", type=click.Path(path_type=Path, dir_okay=False), help="Write Markdown.")
@click.option("--waivers", multiple=True, type=click.Path(path_type=Path), help="Your known bugs. Repeatable.")
@click.option("--kill-matrix", type=click.Path(path_type=Path), help="The file that the selfcheck suite wrote.")
@click.option("--sarif", "sarif_file", type=click.Path(path_type=Path, dir_okay=False), help="Write SARIF 2.1.0.")
@click.option(
    "--record",
    "record_folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a small ledger; a run of a part adds to it.",
)
@click.option("--annotations", "annotate", is_flag=True, help="Print a line a cause that GitHub shows at its clause.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    ledgers: tuple[Path, ...],
    html_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    waivers: tuple[Path, ...],
    kill_matrix: Path | None,
    sarif_file: Path | None,
    record_folder: Path | None,
    annotate: bool,
    as_json: bool,
) -> int:
    """Write reports from LEDGER. With no file named, print the Markdown summary. Exit 0 whatever the verdict is.

    OTHER ledgers (other releases, devices, days) are judged alike, and the HTML report says of each clause where it
    holds. Where LEDGER is a shard's, those after it of the same run's shards are judged with it.
    """
    # What `gate --from` has put together begins with one shard's header, and is whole.
    of_shards = itertools.takewhile(lambda ledger: shards.is_alone(judging.read_part(ledger, only=())), ledgers)
    parts = len(list(of_shards)) or 1
    judged, beside = ledgers[:parts], ledgers[parts:]
    outcome, known = judging.conclude(judging.read_ledgers(judged), waivers)
    judging.told(outcome.ledger)
    others = [judging.known_of(book, waivers).judged(judging.told(book)) for book in map(judging.read_ledger, beside)]
    others += judging.recorded_elsewhere(outcome.ledger) if html_file is not None else []
    matrix = load_kill_matrix(kill_matrix)
    if junit_file is not None:
        exits.write(junit_file, junit.text(outcome))
    if html_file is not None:
        exits.write(html_file, html(outcome, known, matrix, others))
    if markdown_file is not None:
        exits.write(markdown_file, markdown(outcome, known, matrix))
    if sarif_file is not None:
        exits.write(sarif_file, code_hosts.sarif(outcome, known))
    record_file = record_folder / records.name_of(outcome.ledger) if record_folder is not None else None
    if record_file is not None:
        with exits.writing(record_file):
            records.write(_with_more(outcome.ledger, record_file), record_file)
    files = (html_file, markdown_file, junit_file, sarif_file, record_file)
    written = [str(file) for file in files if file is not None]
    if annotate:
        click.echo(code_hosts.github(outcome), nl=False)
    elif as_json:
        click.echo(json.dumps({"conformant": outcome.conformant, "line": outcome.line, "written": written}))
    elif written:
        click.echo("\n".join([outcome.line, *written]))
    else:
        click.echo(markdown(outcome, known, matrix), nl=False)
    return exits.CONFORMANT


def _with_more(book: Ledger, record: Path) -> Ledger:
    """What goes into a record: a run in one place, with what the record has of that it did not ask for."""
    places = {*where_cells_ran(book).values()}
    if len(places) > 1:
        raise Fault(f"its cells ran on {len(places)} unlike machines: record the shards of each by themselves")
    if not record.exists():
        return book
    try:
        return records.added(judging.read_ledger(record), book)
    except ValueError as error:
        raise Fault(f"{record}: {error}") from None
