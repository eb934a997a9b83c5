"""``parity regen``: record, review and apply pending edits of goldens.

Workers only record; this process edits, once, after all of them have ended.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console

from golden import bands
from golden.editing import apply, edits, journal
from suites.harness.execution import environment
from suites.harness.results import summary
from tools import exits, pytest_run
from tools.launch import PLUGIN, ROOT, families
from tools.views import regen_view
from tools.views.regen_view import AnyEdit

#: Recording again after this many changes means that the graphs differ from run to run.
MAX_ROUNDS = 4
#: pytest's exit codes after which the records are whole: all passed, some failed.
_WHOLE = (0, 1)
#: pytest's exit code for an id that is not there: a golden in a parametrize table is part of its test's id.
_NO_SUCH_TEST = 4
#: Characters of test ids on pytest's command line (Windows allows 32767 in all).
_LONGEST_COMMAND = 25_000
_MARKS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", ".git", "conftest.py")
_START = "import sys; sys.path[:] = {path!r}; import pytest; sys.exit(pytest.main())"


@dataclasses.dataclass(frozen=True)
class Setup:
    """What to run and where. ``options`` go to pytest as they are."""

    root: Path
    paths: tuple[str, ...]
    options: tuple[str, ...]
    #: pytest-xdist's; None: cells run in forks of one process, as in a gate.
    workers: str | None
    dist: str
    bands: Path

    @property
    def whole(self) -> bool:
        """Whether everything is collected, so that what no test reached may be called unreferenced."""
        return not self.paths and not self.options


class Unstable(exits.Fault):
    """The same golden got another graph in another run."""

    exit_code = exits.NOT_CONFORMANT


@click.command("regen")
@click.argument("paths", nargs=-1)
@click.option("--review", "action", flag_value="review", help="Walk through pending edits: accept, reject, skip.")
@click.option("--accept", "action", flag_value="accept", help="Apply every pending edit, then verify.")
@click.option("--check", "action", flag_value="check", help="Change nothing; exit 1 if anything is pending (for CI).")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(list(edits.CATEGORIES)),
    help="Only edits of this category (repeatable). Literals that no test reaches are emptied only with --only trim.",
)
@click.option("--from", "source", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Recorded edits.")
@click.option("--allow-dirty", is_flag=True, help="Also edit files with uncommitted changes.")
@click.option("--no-verify", is_flag=True, help="Do not run the touched tests again after the edits.")
@click.option("-n", "workers", help="pytest-xdist workers [default: none; cells are forks of one process].")
@click.option("--dist", default="load", show_default=True, help="pytest-xdist's way to spread tests.")
@click.option("--backend", "backends", multiple=True, help="Backend to run on (repeatable).")
@click.option("--root", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Root of the tests.")
@click.option("--bands", "band_folder", type=click.Path(file_okay=False, path_type=Path), help="Folder of the bands.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--pytest", "pytest_options", multiple=True, help="One more option for pytest (repeatable).")
def command(
    paths: tuple[str, ...],
    action: str | None,
    only: tuple[str, ...],
    source: Path | None,
    allow_dirty: bool,
    no_verify: bool,
    workers: str | None,
    dist: str,
    backends: tuple[str, ...],
    root: Path | None,
    band_folder: Path | None,
    as_json: bool,
    pytest_options: tuple[str, ...],
) -> None:
    """List pending edits of goldens; review and apply them.

    Runs the tests at PATHS (default: the suites) once in recording mode. Nothing is changed while tests run.
    """
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    if in_ci and action in ("accept", "review"):
        raise exits.Fault(f"--{action} is refused in CI (CI={os.environ['CI']}): use --check there, --{action} at home")
    where = (root or _root_of(paths)).resolve()
    options = (*(word for name in backends for word in ("--backend", name)), *pytest_options)
    setup = Setup(where, paths, options, workers, dist, (band_folder or bands.FOLDER).resolve())
    console = Console(stderr=as_json, soft_wrap=False)
    _recover(setup, console)
    with _edits_folder(source) as folder:
        plan = _restricted(_recorded(setup, folder, console, run=source is None), only)
        if action in ("accept", "review"):
            code = _change(setup, console, plan, action, only, allow_dirty, not no_verify)
        else:
            code = _list(console, plan, action, as_json)
    click.get_current_context().exit(code)


def _root_of(paths: Sequence[str]) -> Path:
    """The nearest folder around the first path (or the suites) that pytest would take for the root."""
    if not paths:
        return ROOT
    start = Path(paths[0].split("::", 1)[0]).resolve()
    if not start.exists():
        raise exits.Fault(f"no file or folder {paths[0]!r} to collect tests from")
    above = [start, *start.parents] if start.is_dir() else list(start.parents)
    if ROOT / "suites" in above:
        return ROOT
    for mark in _MARKS:
        found = next((folder for folder in above if (folder / mark).exists()), None)
        if found is not None:
            return found
    return above[0]


def _recover(setup: Setup, console: Console) -> None:
    found = journal.recover(setup.root)
    for file in found.finished:
        console.print(f"finished an interrupted change of {file}", soft_wrap=True, markup=False)
    for file in found.left_alone:
        console.print(f"{file} was edited after an interrupted change; left as it is", soft_wrap=True, markup=False)


@contextlib.contextmanager
def _edits_folder(source: Path | None) -> Iterator[Path]:
    if source is not None:
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="parity-regen-") as folder:
        yield Path(folder)


def _recorded(setup: Setup, folder: Path, console: Console, *, run: bool) -> edits.Plan:
    """Run the tests in recording mode (unless somebody has) and merge what they recorded."""
    passed = False
    if run:
        started = time.monotonic()
        code, tail = _pytest(setup, setup.paths, "record", folder)
        if code not in _WHOLE:
            raise exits.Fault(_failed_run(code, tail))
        passed = code == 0
        console.print(f"recorded in {time.monotonic() - started:.1f} s", highlight=False)
    records = edits.read_records(folder)
    if not records.visits and run:
        console.print("no test compared a golden; is the plugin of suites.harness loaded?", highlight=False)
    plan = edits.plan(records)
    whole = setup.whole and passed if run else records.full_run
    return _with_trims(setup, records, plan) if whole else plan


def _with_trims(setup: Setup, records: edits.Records, plan: edits.Plan) -> edits.Plan:
    """The plan with what nothing reaches; a golden of a clause that did not pass somewhere counts as reached."""
    literals = edits.unreferenced(_test_files(setup), records.visits)
    idle = {cell.split("[", 1)[0] for cell, (outcome, _) in records.outcomes.items() if outcome != "pass"}
    known = {visit.golden for visit in records.visits}
    known |= {band.golden for band in bands.load_bands(setup.bands).bands if band.golden.split("#", 1)[0] in idle}
    dropped = [
        edits.BandEdit(
            golden=band.golden,
            torch=band.range,
            new="",
            inline=None,
            category="trim",
            explanation="no release or no test reaches the band",
            old=band.text,
        )
        for band in apply.unreachable_bands(setup.bands, known)
    ]
    return dataclasses.replace(
        plan, bands=(*plan.bands, *dropped), known=frozenset(known), unreferenced=tuple(literals)
    )


def _test_files(setup: Setup) -> list[Path]:
    folders = [ROOT / "suites" / name for name in families()] if setup.root == ROOT else [setup.root]
    return [path for folder in folders for path in folder.rglob("test_*.py")]


def _pytest(setup: Setup, targets: Sequence[str], mode: str, folder: Path) -> tuple[int, str]:
    """Run pytest; its exit code and the end of its output."""
    path = [entry for entry in sys.path if entry]
    own = setup.root == ROOT
    places = targets or ([str(ROOT / "suites" / name) for name in families()] if own else [str(setup.root)])
    line = [
        *(sys.executable, "-c", _START.format(path=path), f"--rootdir={setup.root}", "-p", "no:cacheprovider", "-q"),
        *(("-p", PLUGIN) if own else ()),
        *_at_once(setup),
        f"--golden={mode}",
        *((f"--golden-edits={folder}",) if mode == "record" else ()),
        *setup.options,
        *places,
    ]
    with tempfile.TemporaryDirectory(prefix="parity-regen-log-") as logs:
        log = Path(logs) / "pytest.log"
        try:
            code = pytest_run.run(line, log)
        except pytest_run.Interrupted:
            raise exits.Fault("interrupted while tests ran; no file was changed by this run") from None
        return code, pytest_run.tail(log)


def _at_once(setup: Setup) -> Sequence[str]:
    """How several cells run at once. Each worker of xdist imports torch, collects and warms up the compiler by itself:
    of few cells that takes longer than they do.
    """
    if setup.workers is not None:
        return "-n", setup.workers, "--dist", setup.dist
    return "-n0", f"--at-once={environment.worker_limit()}"


def _failed_run(code: int, tail: str) -> str:
    """Why a run gave no whole records: pytest's own line where it has one, else the end of its output."""
    errors = [line.removeprefix("ERROR: ") for line in tail.splitlines() if line.startswith("ERROR: ")]
    if errors:
        return f"{errors[-1]}; nothing was changed"
    meaning = {2: "was interrupted", 3: "failed inside", 4: "was called wrongly", 5: "found no test"}
    return f"pytest {meaning.get(code, f'ended with {code}')}; nothing was changed. The end of its output:\n{tail}"


def _list(console: Console, plan: edits.Plan, action: str | None, as_json: bool) -> int:
    regen_view.listing(console, plan)
    if as_json:
        click.echo(json.dumps(regen_view.as_json(plan), ensure_ascii=False))
    blocked = [refusal for refusal in plan.refusals if not refusal.expected]
    if action == "check":
        return exits.NOT_CONFORMANT if plan.pending or blocked else exits.CONFORMANT
    if plan.pending:
        console.print("next: parity regen --review, or parity regen --accept", highlight=False)
    return exits.CONFORMANT


def _restricted(plan: edits.Plan, only: Sequence[str]) -> edits.Plan:
    """The plan with edits of the chosen categories; literals that no test reaches are edits only when asked for."""
    if not only:
        return plan
    literals = (*plan.edits, *plan.unreferenced)
    return dataclasses.replace(
        plan,
        edits=tuple(edit for edit in literals if edit.category in only),
        bands=tuple(edit for edit in plan.bands if edit.category in only),
        unreferenced=(),
    )


def _change(
    setup: Setup,
    console: Console,
    plan: edits.Plan,
    action: str,
    only: Sequence[str],
    allow_dirty: bool,
    verify: bool,
) -> int:
    """Apply what is accepted and see whether it holds."""
    wanted: list[AnyEdit] = [*plan.edits, *plan.bands]
    rejected = 0
    if action == "review":
        wanted, rejected = regen_view.review(console, wanted)
    refusals = [refusal.line for refusal in plan.refusals]
    blocked = sum(not refusal.expected for refusal in plan.refusals)
    changed, more = _applied(setup, wanted, plan.known, allow_dirty, ours=set())
    for line in (*refusals, *more):
        console.print(line, style="yellow", soft_wrap=True, highlight=False, markup=False)
    applied = [edit for edit in wanted if _was_applied(edit, changed)]
    told = f"{len(applied)} applied in {summary.count(len(changed), 'file')}" + (
        f", {rejected} rejected" if rejected else ""
    )
    console.print(told + (f", {len(refusals) + len(more)} refused" if refusals or more else ""), highlight=False)
    holds = True
    if verify and applied:
        holds = _verified(setup, console, applied, only, changed)
    return exits.CONFORMANT if holds and not blocked and not more else exits.NOT_CONFORMANT


def _was_applied(edit: AnyEdit, changed: set[Path]) -> bool:
    return isinstance(edit, edits.BandEdit) or Path(edit.file).resolve() in changed


def _applied(
    setup: Setup, wanted: Sequence[AnyEdit], known: frozenset[str] | None, allow_dirty: bool, ours: set[Path]
) -> tuple[set[Path], list[str]]:
    """Make the edits in one change. Gives the changed files, and a line for everything that was refused."""
    literals = [edit for edit in wanted if isinstance(edit, edits.Edit)]
    band_edits = [edit for edit in wanted if isinstance(edit, edits.BandEdit)]
    refusals = []
    if not allow_dirty:
        files = {Path(edit.file) for edit in literals} - ours
        for path in sorted(apply.dirty(setup.root, files)):
            refusals.append(f"{os.path.relpath(path)}: refused, it has uncommitted changes; commit, or --allow-dirty")
            literals = [edit for edit in literals if Path(edit.file) != path]
    sources = apply.prepare(literals)
    recorded = [edit for edit in band_edits if edit.category != "trim"]
    trims = len(recorded) < len(band_edits)
    try:
        changes = [sources]
        if band_edits:
            changes.append(
                apply.prepare_bands(setup.bands, recorded, set(known) if trims and known is not None else None)
            )
        changed = apply.make(setup.root, changes)
    except (journal.CannotCommit, bands.BadBands) as error:
        raise exits.Fault(str(error)) from None
    return {path.resolve() for path in changed}, [*refusals, *sources.refusals]


def _verified(
    setup: Setup,
    console: Console,
    applied: Sequence[AnyEdit],
    only: Sequence[str],
    changed: set[Path],
) -> bool:
    """Run the touched tests plainly; where that fails, record again until nothing is pending."""
    done: dict[tuple[str, str], str] = {}
    touched = _tests_of(setup.root, applied)
    if not touched:
        return True
    ours = set(changed)
    for _ in range(MAX_ROUNDS):
        for edit in applied:
            _note(done, edit)
        started = time.monotonic()
        code, tail = _pytest(setup, touched, "strict", setup.root)
        if code == _NO_SUCH_TEST:
            touched = sorted({test.split("::", 1)[0] for test in touched})
            code, tail = _pytest(setup, touched, "strict", setup.root)
        if code == 0:
            console.print(f"verified in {time.monotonic() - started:.1f} s: the touched tests pass", highlight=False)
            return True
        with tempfile.TemporaryDirectory(prefix="parity-regen-") as folder:
            again, _ = _pytest(setup, touched, "record", Path(folder))
            if again not in _WHOLE:
                raise exits.Fault(_failed_run(again, tail))
            pending = _restricted(edits.plan(edits.read_records(Path(folder))), only)
        applied = [*pending.edits, *pending.bands]
        if not applied:
            told = f"the goldens hold, but touched tests fail for another reason:\n{tail}"
            console.print(told, soft_wrap=True, highlight=False, markup=False)
            return False
        changed, refusals = _applied(setup, applied, None, False, ours)
        ours |= changed
        if refusals:
            raise exits.Fault("; ".join(refusals))
    raise Unstable(f"goldens were still changing after {MAX_ROUNDS} rounds")


def _note(done: dict[tuple[str, str], str], edit: AnyEdit) -> None:
    """Keep what a golden was set to; raises `Unstable` where the same cell gave something else before."""
    goldens = edit.goldens if isinstance(edit, edits.Edit) else (edit.golden,)
    for key in itertools.product(goldens, edit.cells):
        if done.setdefault(key, edit.new) != edit.new:
            raise Unstable(f"{key[0]}: two graphs in two runs of {key[1]}; make the test deterministic")


def _tests_of(root: Path, applied: Sequence[AnyEdit]) -> list[str]:
    """The touched tests, or their files where that would be too long a command line."""
    # Node ids are relative to the root, and the command may have been called from elsewhere.
    tests = sorted({f"{root}{os.sep}{test}" for edit in applied for test in edit.tests})
    if sum(map(len, tests)) < _LONGEST_COMMAND:
        return tests
    return sorted({test.split("::", 1)[0] for test in tests})
