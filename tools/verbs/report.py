"""``parity report``: HTML, JUnit XML and Markdown, all derived from one ledger."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tools import exits, judging
from tools.exits import Fault
from tools.views import junit
from tools.views.pages import html, load_kill_matrix, markdown


@click.command("report", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("ledgers", nargs=-1, required=True, metavar="LEDGER...", type=click.Path(path_type=Path))
@click.option("--html", "html_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the HTML report.")
@click.option("--junit", "junit_file", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML.")
@click.option("--markdown", "markdown_file", type=click.Path(path_type=Path, dir_okay=False), help="Write Markdown.")
@click.option("--waivers", multiple=True, type=click.Path(path_type=Path), help="Your known bugs. Repeatable.")
@click.option("--kill-matrix", type=click.Path(path_type=Path), help="The file that the selfcheck suite wrote.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    ledgers: tuple[Path, ...],
    html_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    waivers: tuple[Path, ...],
    kill_matrix: Path | None,
    as_json: bool,
) -> int:
    """Write reports from LEDGER, or from those of the shards of a run. With no file named, print the Markdown summary.

    Exit 0 whatever the verdict is.
    """
    outcome, known = judging.conclude(judging.read_ledgers(ledgers), waivers)
    matrix = load_kill_matrix(kill_matrix)
    written = []
    for file, text in ((html_file, html), (markdown_file, markdown)):
        if file is not None:
            _write(file, text(outcome, known, matrix))
            written.append(str(file))
    if junit_file is not None:
        junit_file.parent.mkdir(parents=True, exist_ok=True)
        junit.write(junit_file, outcome)
        written.append(str(junit_file))
    if as_json:
        click.echo(json.dumps({"conformant": outcome.conformant, "line": outcome.line, "written": written}))
    elif written:
        click.echo("\n".join([outcome.line, *written]))
    else:
        click.echo(markdown(outcome, known, matrix), nl=False)
    return exits.CONFORMANT


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise Fault(f"cannot write {file}: {error.strerror or error}") from None
