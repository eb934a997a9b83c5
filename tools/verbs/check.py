"""``parity check TARGET...``: what differs between the eager and the compiled run of these programs?"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from tools import arguments, exits, forking, targets
from tools.views.terminal import terminal

if TYPE_CHECKING:
    from suites.harness.programs.files import FileProgram, FileSettings
    from tools.checking import Checked


@click.command(
    "check",
    help="Run the programs that TARGETS name, eagerly and compiled, and print every difference with its facet and "
    "layer.\n\n"
    "A target is a file, `package.module:function`, the same with a class or an instance of torch.nn.Module or a call "
    "(`models:Net(3)`), a program of torch.export.save (`model.pt2`), or `-` for a file on standard input.\n\n"
    "A file holds `program(*args)` and `inputs() -> tuple`; optional: `calls = [inputs, other_inputs]` (several calls "
    "of one compiled program), `TRAIN = True` (compare gradients, also of what `leaves()` returns), `DYNAMIC = True`, "
    '`CONFIG = {"inductor.memory_planning": True}` (settings of torch\'s compiler). Any other target is called with '
    "--input, or with what these names mean beside it.",
)
@click.argument("words", nargs=-1, required=True, metavar="TARGETS...")
@click.option("--backend", "backends", multiple=True, metavar="NAME", help="Backend to run on (repeatable).")
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="EXPRESSION",
    help="An argument of every call, in Python: `torch.randn(3, 3)`, `mask=None` (repeatable).",
)
@click.option("--train/--no-train", default=None, help="Compare gradients, or do not; wins over TRAIN.")
@click.option("--dynamic/--static", default=None, help="Compile with dynamic shapes, or not; wins over DYNAMIC.")
@click.option(
    "--repro",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT.py",
    help="Write what diverges as a script of plain PyTorch: it exits 1 while that is so. A second one is OUT.2.py.",
)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option(
    "--modes", type=arguments.Modes(), help="Grad modes of the calls [default: the first that the backend claims]"
)
@click.option("--timeout", type=arguments.Amount(min=1), default=120.0, show_default=True, help="Seconds a run.")
@click.option("--plain", is_flag=True, help="Do nothing for speed that a user would not do.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, per target and backend.")
def command(
    words: tuple[str, ...],
    backends: tuple[str, ...],
    inputs: tuple[str, ...],
    train: bool | None,
    dynamic: bool | None,
    repro: Path | None,
    device: str,
    modes: tuple[str, ...] | None,
    timeout: float,
    plain: bool,
    as_json: bool,
) -> int:
    """The verb; see its help."""
    if repro is not None and not repro.absolute().parent.is_dir():
        raise exits.Fault(f"--repro {repro}: no folder {repro.absolute().parent}")
    forking.alone(device)
    from suites.harness.backends.names import DEFAULT, is_torchs_own, reference_backends
    from suites.harness.backends.registry import facts, resolve
    from suites.harness.programs.files import Asked
    from tools.checking import check_apart, failed, settings_of

    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="parity-check-"))
    programs = targets.programs(words, device, Asked(inputs, train, dynamic), Path(folder))
    names = list(dict.fromkeys(map(arguments.canonical, backends or DEFAULT)))
    console = terminal()
    results: list[Checked] = []
    asked: list[tuple[FileProgram, FileSettings]] = []
    for program in programs:
        found = settings_of(program, timeout)
        if isinstance(found, str):
            bad = [failed(program, name, mode, found) for name in names for mode in modes or ("train",)]
            results += bad
            _tell(console, bad if as_json else bad[:1], as_json, everywhere=True)
        else:
            asked.append((program, found))
    runs: list[tuple[str, str]] = []
    if asked:
        forking.settle(names, device, plain=plain)
        chosen = forking.available(names, device)
        runs = [(name, mode) for name in chosen for mode in modes or facts(name).modes[:1]]
        layers = dict.fromkeys(layer for name in chosen for layer in (*reference_backends(name), name))
        forking.prime([resolve(name) for name in layers if is_torchs_own(name)], device)
    places = _places(repro)
    for program, settings in asked:
        for backend, mode in runs:
            if not as_json and console.is_terminal:
                console.print(f"[dim]{escape(program.told)} on {escape(backend)} ...[/dim]", end="\r")
            checked = check_apart(program, settings, backend, timeout, mode)
            results.append(checked)
            written = _written(program, settings, checked, places, timeout) if repro is not None else ("", ())
            _tell(console, [checked], as_json, *written)
    if len(results) > 1 and not as_json:
        from tools.views import checked as view

        typed = [program.told for program in programs]
        table = view.table(sorted(results, key=lambda checked: typed.index(checked.program)))
        if view.width(table) <= console.width:  # Else it would say the same in pieces of words.
            console.print()
            console.print(table)
    if any(checked.outcome == "error" for checked in results):
        return exits.FAULT
    return exits.CONFORMANT if all(checked.conforms for checked in results) else exits.NOT_CONFORMANT


def _tell(
    console: Console,
    results: Sequence[Checked],
    as_json: bool,
    script: str = "",
    notes: Sequence[str] = (),
    *,
    everywhere: bool = False,
) -> None:
    """Print what came of a program, and of the script that was asked for."""
    from tools.views import checked as view

    for checked in results:
        if as_json:
            told = {"repro": script or None, "repro_notes": list(notes)} if script or notes else {}
            click.echo(json.dumps({**checked.to_json(), **told}, ensure_ascii=False))
            continue
        for line in view.lines(checked, everywhere=everywhere):
            console.print(line, soft_wrap=True)
        if script:
            console.print(f"  python {escape(script)}", soft_wrap=True)
        for note in notes:
            console.print(f"  [dim]{escape(note)}[/dim]", soft_wrap=True)


def _places(first: Path | None) -> Iterator[Path]:
    """Where scripts go: OUT.py, OUT.2.py, OUT.3.py and so on."""
    number = 1
    while first is not None:
        yield first if number == 1 else first.with_name(f"{first.stem}.{number}{first.suffix}")
        number += 1


def _written(
    program: FileProgram, settings: FileSettings, checked: Checked, places: Iterator[Path], timeout: float
) -> tuple[str, tuple[str, ...]]:
    """Write the script of what diverges: where it is, and what is to be said of it."""
    from tools.reproducing import reproduction

    if not checked.outcome.diverges:
        return "", ()
    made = reproduction(program, settings, checked, timeout)
    if not made.script:
        return "", tuple(f"no script: {note}" for note in made.notes)
    place = next(places)
    with exits.writing(place):
        place.write_text(made.script, encoding="utf-8")
    said = "it exits 1, and 0 once that is gone" if made.confirmed else "by itself it does not exit 1: see what differs"
    return str(place), (said, *made.notes)
