"""``parity reduce FILE``: the smallest program that diverges in the same way, as a script of plain PyTorch."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.markup import escape

from tools import arguments, exits, forking
from tools.exits import Fault
from tools.views.terminal import terminal


@click.command(
    "reduce",
    help="Make the program in FILE (as `parity check` takes it) as small as it gets while it still diverges in the "
    "same way, and write three files: OUT.py, a script of plain PyTorch that exits 1 while the bug lives; "
    "OUT.program.py, for `parity check`; OUT.md, a report for upstream.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--backend", default="inductor", show_default=True, metavar="NAME", help="Backend that diverges.")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--seconds", type=arguments.Amount(min=0), default=300.0, show_default=True, help="Stop after so long.")
@click.option("--timeout", type=arguments.Amount(min=1), default=60.0, show_default=True, help="Seconds a run.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to (default: FILE.reduced).")
@click.option("--plain", is_flag=True, help="Do nothing for speed that a user would not do.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    file: Path,
    backend: str,
    device: str,
    seconds: float,
    timeout: float,
    out: Path | None,
    plain: bool,
    as_json: bool,
) -> int:
    """The verb; see its help."""
    if not file.is_file():
        raise Fault(f"{file}: no such file")
    text, backend = _text_of(file), arguments.canonical(backend)
    target = out or file.with_name(f"{file.stem}.reduced")
    if not target.absolute().parent.is_dir():
        raise Fault(f"--out {target}: no folder {target.absolute().parent}")
    forking.settle([backend], device, plain=plain)
    import torch

    from suites.fuzz.campaigns import confirming
    from suites.fuzz.campaigns.campaign import reduced
    from suites.fuzz.campaigns.finds import STANDINGS
    from suites.fuzz.judging import Alike, judge_apart
    from suites.fuzz.kinds import kind_of
    from suites.fuzz.reduction.script import issue, script
    from suites.fuzz.reduction.search import statements

    forking.silence()
    forking.prime([forking.searched(backend, device)], device)
    found = judge_apart([text], backend, timeout)[0]
    if found.outcome == "error":
        raise Fault(found.detail.replace("program.py", str(file)))
    console = terminal()
    if not found.diverges or found.first is None:
        if as_json:
            click.echo(json.dumps({"program": str(file), "backend": backend, "outcome": found.outcome}))
        else:
            console.print(f"{escape(str(file))} on {escape(backend)}: nothing to reduce, it is {found.outcome}")
        return exits.CONFORMANT
    small = reduced(text, Alike(found.first, timeout), seconds, kind_of(text))
    # What is seen of the small program may be said in other words: other elements, other numbers.
    last = judge_apart([small.text], found.first.layer, timeout)[0].first or found.first
    places = [target.with_name(f"{target.name}{suffix}") for suffix in (".py", ".program.py", ".md")]
    for place, content in zip(
        places, (script(small.text, last), small.text, issue(small.text, last, torch.__version__)), strict=True
    ):
        exits.write(place, content)
    standing = confirming.standing(small.text, last)
    if as_json:
        told = {
            "program": str(file),
            "fingerprint": last.fingerprint,
            "layer": last.layer,
            "statements": statements(small.text),
            "tried": small.tried,
            "finished": small.finished,
            "standing": standing,
            "files": [str(place) for place in places],
        }
        click.echo(json.dumps(told))
        return exits.NOT_CONFORMANT
    console.print(f"[bold]{escape(last.fingerprint)}[/bold], first at {escape(last.layer)}", soft_wrap=True)
    console.print(small.text, highlight=False, markup=False)
    end = "nothing is left to try" if small.finished else f"stopped after {seconds:g} s; --seconds gives it more"
    console.print(f"{statements(small.text)} statements after {small.tried} candidates in {small.seconds:.0f} s; {end}")
    console.print(f"{standing}: {STANDINGS[standing]}")
    console.print(f"python {escape(str(places[0]))}", soft_wrap=True)
    return exits.NOT_CONFORMANT


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Fault(f"{file}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise Fault(f"{file}: cannot be read: {error.strerror or error}") from None
