"""``parity gate``: run the suites, judge the ledger, write the report, leave with the verdict."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.text import Text

from suites.harness.backends.names import ALWAYS_THERE, DEFAULT, is_torchs_own
from suites.harness.execution import accelerations, environment
from suites.harness.execution.accelerations import Decision, Handover
from suites.harness.planning import choice, durations, outline, shards
from suites.harness.planning.order import Order
from suites.harness.results import ending, locking, records, summary
from suites.harness.results import ledger as ledgers
from suites.harness.results.known_bugs import Registry
from suites.harness.results.ledger import Ledger
from suites.harness.results.linting import of_others_alone
from suites.harness.results.verdict import Expectations, Reason, Verdict, shortfall, with_more
from suites.harness.session.terminal import unasked
from tools import arguments, exits, judging, launch, pytest_run
from tools.exits import CannotRun, Fault
from tools.views.progress import Shown, State, Tail
from tools.views.terminal import doing, terminal

if TYPE_CHECKING:
    from tools.views.pages import KillMatrix

#: How many variants of each clause run, and of how many clauses.
PROFILES = ("quick", "smoke", "default", "full")
#: Reasons that are about no cell and that the terminal shows; the report has all.
SHOWN = 3
#: The options that a ledger can be judged with.
_JUDGING = ("sources", "waivers", "golden", "report", "against", "kill_matrix", "as_json")
#: The ledger in a report folder, and what is judged beside it where another run's is there.
_LEDGER, _JUDGED = "ledger.jsonl", "judged.jsonl"


@dataclasses.dataclass(frozen=True)
class Request:
    """What `parity gate` was asked for. Empty ``backends`` or ``families``: the default ones, all."""

    backends: tuple[str, ...]
    device: str
    profile: str
    waivers: tuple[Path, ...]
    ledger: Path
    golden: str | None
    max_examples: int | None
    families: tuple[str, ...]
    workers: int
    report: Path
    as_json: bool
    plain: bool = False
    modes: tuple[str, ...] | None = None
    clauses: tuple[str, ...] = ()
    shard: str | None = None
    #: Ledgers to judge, the shards of one run where there are several; empty: run, and judge ``ledger``.
    sources: tuple[Path, ...] = ()
    costs: Path | None = None
    #: Another order of the cells than the usual one.
    order: str | None = None
    #: An earlier run, whose cells have to be here.
    against: Path | None = None
    repeat: int = 0
    cell_timeout: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The backends that run."""
        return self.backends or DEFAULT

    @property
    def log(self) -> Path:
        """Where pytest's own output goes."""
        return self.report / "pytest.log"

    @property
    def judged(self) -> tuple[Path, ...]:
        """The ledgers that the verdict is on."""
        return self.sources or (self.ledger,)

    @property
    def expectations(self) -> Expectations:
        """What the verdict has to find in the ledger."""
        return Expectations(
            backends=self.backends,
            families=self.families or self.planned_families(),
        )

    def planned_families(self) -> tuple[str, ...]:
        """The families that a run of everything on torch's own backends has cells of, as the record of costs tells."""
        part = self.backends or self.clauses or self.modes is not None
        if self.sources or part or self.device != "cpu":
            return ()
        clauses = choice.read().cells if self.profile == "quick" else durations.read().of_clause
        return tuple(sorted({clause.partition("/")[0] for clause in clauses}))

    def pytest_options(self) -> list[str]:
        """The options of the plugin, and pytest's own."""
        options = ["-q", "--tb=short", "-n0", f"--at-once={self.workers}", f"--ledger={self.ledger.resolve()}"]
        options += [f"--backend={name}" for name in self.backends]
        options += [f"--device={self.device}", f"--profile={self.profile}"]
        options += [f"--waivers={file.resolve()}" for file in self.waivers]
        options += [f"--golden={self.golden}"] if self.golden else []
        options += [f"--max-examples={self.max_examples}"] if self.max_examples else []
        options += ["--plain"] if self.plain else []
        options += [f"--modes={','.join(self.modes)}"] if self.modes else []
        options += [f"--clause={pattern}" for pattern in self.clauses]
        options += [f"--shard={self.shard}"] if self.shard else []
        options += [f"--repeat={self.repeat}"] if self.repeat else []
        options += [f"--cell-timeout={self.cell_timeout:g}"] if self.cell_timeout else []
        options += [f"--costs={self.costs.resolve()}"] if self.costs else []
        options += [f"--order={self.order}"] if self.order else []
        return options


@click.command("gate", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--backend", "backends", multiple=True, metavar="NAME", help="A name, or module:attribute. Repeatable.")
@click.option("--device", default="cpu", show_default=True, type=click.Choice(["cpu", "cuda"]))
@click.option("--profile", default="default", show_default=True, type=click.Choice(PROFILES))
@click.option("--waivers", multiple=True, type=click.Path(path_type=Path), help="Your known bugs. Repeatable.")
@click.option("--ledger", type=click.Path(path_type=Path), help="Where the ledger goes [default: DIR/ledger.jsonl]")
@click.option("--golden", type=click.Choice(["strict", "drift", "off"]), help="What a changed graph means.")
@click.option("--max-examples", type=click.IntRange(min=1), help="Examples of each property.")
@click.option("--family", "families", multiple=True, metavar="NAME", help="Only this clause family. Repeatable.")
@click.option("--clause", "clauses", multiple=True, metavar="PATTERN", help="Only clauses of such an id. Repeatable.")
@click.option("--modes", type=arguments.Modes(), help="Grad modes [default: those that the backend claims]")
@click.option("-n", "workers", type=click.IntRange(min=1), help="Cells at once [default: by cores and memory]")
@click.option("--report", default="parity-report", show_default=True, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="LEDGER",
    help="An earlier run: cells that it had on these backends, and that are gone, fail.",
)
@click.option("--repeat", type=click.IntRange(min=0), default=0, metavar="N", help="Run what failed N more times.")
@click.option(
    "--cell-timeout",
    "--timeout",
    "cell_timeout",
    type=arguments.Amount(min=0, min_open=True),
    metavar="SECONDS",
    help="Time limit of one cell [default: 300]",
)
@click.option("--shard", metavar="I/N", help="Run one of N parts that take about as long each.")
@click.option("--costs", type=click.Path(path_type=Path), help="A ledger that says what cells cost, for --shard.")
@click.option("--order", metavar="ORDER", help="Run cells `reversed`, or in an order drawn by SEED: `random:SEED`.")
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Judge this ledger without running; or, repeated, the shards of a run.",
)
@click.option(
    "--kill-matrix", type=click.Path(path_type=Path), help="What `pytest suites/selfcheck` wrote, to show too."
)
@click.option("--plain", is_flag=True, help="Do nothing for speed that a user would not do.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.pass_obj
def command(
    watcher: Callable[[Path], None] | None,
    backends: tuple[str, ...],
    device: str,
    profile: str,
    waivers: tuple[Path, ...],
    ledger: Path | None,
    golden: str | None,
    max_examples: int | None,
    families: tuple[str, ...],
    clauses: tuple[str, ...],
    modes: tuple[str, ...] | None,
    workers: int | None,
    report: Path,
    against: Path | None,
    repeat: int,
    cell_timeout: float | None,
    shard: str | None,
    costs: Path | None,
    order: str | None,
    sources: tuple[Path, ...],
    kill_matrix: Path | None,
    plain: bool,
    as_json: bool,
) -> int:
    """Run the suites on backends, judge the ledger against the known bugs, and write the report.

    Exit codes: 0 conformant, 1 not conformant, 2 wrong usage or a fault, 3 the environment cannot run it.
    """
    if sources:
        _refuse_running(click.get_current_context())
    console = terminal(stderr=as_json)
    request = Request(
        backends=tuple(dict.fromkeys(map(arguments.canonical, backends))),
        device=device,
        profile=profile,
        waivers=waivers,
        ledger=ledger or report / _LEDGER,
        sources=sources,
        golden=golden,
        max_examples=max_examples,
        families=arguments.families(families, clauses),
        workers=workers or environment.worker_limit(device),
        report=report,
        as_json=as_json,
        plain=plain,
        modes=modes,
        clauses=clauses,
        shard=shard,
        costs=costs,
        order=order,
        against=against,
        repeat=repeat,
        cell_timeout=cell_timeout,
    )
    with pytest_run.interruptible():
        return gate(request, console, kill_matrix, run=not sources, watcher=watcher)


def _refuse_running(context: click.Context) -> None:
    """Raise `click.UsageError` for an option that says what to run, beside ``--from``, which runs nothing."""
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name not in _JUDGING:
            raise click.UsageError(
                f"{option.opts[0]} says what to run, and --from runs nothing: the ledger has what it has"
            )


def gate(
    request: Request,
    console: Console,
    kill_matrix: Path | None,
    *,
    run: bool,
    watcher: Callable[[Path], None] | None = None,
) -> int:
    """Check what can be checked, run unless told not to, judge, write and show; the exit code.

    ``watcher`` is handed the ledger of a run that has ended, before it is judged.
    """
    from tools.views import pages

    launch.check_families(request.families)
    check_plan(request)
    record = judging.told(judging.read_ledger(request.against)) if request.against else None
    known = judging.load_known(request.waivers)
    matrix = pages.load_kill_matrix(kill_matrix)
    code = 0
    with contextlib.ExitStack() as held:
        if run:
            check_environment(request, console)
        with exits.writing(request.report):
            locks = held.enter_context(_alone(request, run=run))
        if run:
            code = run_suites(request, known, console, locks)
            if watcher is not None:
                watcher(request.ledger)
        # A machine that runs one shard answers for that one.
        book = judging.read_part(request.ledger) if run else judging.read_ledgers(request.sources)
        outcome, known = judging.conclude(book, request.waivers, request.expectations, golden=request.golden)
        outcome = _with_unexplained_failure(outcome, code)
        if record is not None:
            outcome = with_more(outcome, _fallen(request, outcome.ledger, record))
        with exits.writing(request.report):
            judged = write_report(request, outcome, known, matrix)
        show(request, outcome, known, judged, console)
    return exits.CONFORMANT if outcome.conformant else exits.NOT_CONFORMANT


def _fallen(request: Request, book: Ledger, record: Ledger) -> list[Reason]:
    try:
        return shortfall(book, record, request.families)
    except ValueError as error:
        raise Fault(f"--against {request.against}: {error}") from None


def check_plan(request: Request) -> None:
    """Raise `Fault` for a clause, a shard, an order, or a file of costs, that is none; for a shard held against a whole
    run. Nothing is collected for it.
    """
    if line := outline.of_no_clause(request.clauses, request.families):
        raise Fault(line)
    if request.shard and request.against:
        raise Fault("--against is for all shards together: give it to `parity gate --from` with the ledger of each")
    try:
        if request.shard:
            shards.Shard.parse(request.shard)
        if request.order:
            Order.parse(request.order)
        if request.costs:
            durations.read(request.costs)
    except ValueError as error:
        raise Fault(str(error)) from None


def check_environment(request: Request, console: Console) -> None:
    """Raise `CannotRun` if a backend does not exist, or lacks something here: before anything is written."""
    if not environment.torch_version():
        raise CannotRun(str(environment.why_not("eager")))
    sought = [name for name in request.names if name not in ALWAYS_THERE]
    if sought:
        more = f" and {len(sought) - SHOWN} more" if len(sought) > SHOWN else ""
        with doing(console, f"looking for {', '.join(sought[:SHOWN])}{more}", logged=True), launch.importing():
            from suites.harness.backends import registry as backends

            try:
                for name in sought:
                    backends.facts(name)
            except backends.NoSuchBackend as error:
                raise exits.no_such_backend(error) from None
    _refuse(request, lambda name: environment.why_not(name, request.device))


def decide(request: Request, console: Console) -> Decision:
    """What the run does for speed, after trials. Says what of that does not work here.

    Raises `CannotRun` if a backend cannot run here after all.
    """
    with doing(console, "trying what this machine can do for speed; clauses are collected meanwhile", logged=True):
        decision = accelerations.decide(request.names, plain=request.plain)
        _refuse(request, lambda name: environment.why_not(name, request.device) or _lacks(name, request.cell_timeout))
    for line in decision.lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    return decision


def _lacks(name: str, seconds: float | None) -> str:
    """What a backend that is not torch's own cannot import; see `suites.harness.backends.registry.lacks`."""
    if is_torchs_own(name):
        return ""
    from suites.harness.backends import registry

    return registry.lacks(name, seconds)


def _refuse(request: Request, why_not: Callable[[str], str | None]) -> None:
    """Raise `CannotRun` with the first reason why a backend cannot run, if there is one."""
    problem = next(filter(None, map(why_not, request.names)), None)
    if problem:
        others = [name for name in request.names if not environment.why_not(name, request.device)]
        instead = f" (or run without it: --backend {' --backend '.join(others)})" if others else ""
        raise CannotRun(problem + instead)


@contextlib.contextmanager
def _alone(request: Request, *, run: bool) -> Iterator[list[int]]:
    """Hold the locks of what is written, the report folder's ledger and that of a ``run``; their descriptors.

    Raises `Fault` if another run writes either.
    """
    written = (request.report / _LEDGER, *((request.ledger,) if run else ()))
    books = dict.fromkeys(path.resolve() for path in written)
    with contextlib.ExitStack() as held:
        try:
            found = [held.enter_context(locking.locked(book, "parity gate")) for book in books]
        except locking.InUse as error:
            raise Fault(f"{error}; wait for its end, or name another folder with --report") from None
        yield [descriptor for descriptor in found if descriptor is not None]


def run_suites(request: Request, known: Registry, console: Console, locks: Sequence[int] = ()) -> int:
    """Run pytest, showing how far it is, and merge the ledger; pytest's exit code, 0 or 1. pytest holds ``locks``, too.

    While pytest imports and collects, the compiler is tried: the first cell waits for what is decided.

    Raises `CannotRun` as `decide` does, and `Fault` if pytest itself fails, or the user stops it. The ledger so far is
    merged and kept in both cases.
    """
    with exits.writing(request.report):
        request.report.mkdir(parents=True, exist_ok=True)
        request.log.touch()
        _set_aside(request.ledger, ledgers.refuse_others)
    names = request.families or tuple(launch.families())
    command_line = launch.pytest_command(names, request.pytest_options())
    console.print(_opening(request, names), highlight=False)
    if unknown := records.newer_than_all(environment.torch_version()):
        console.print(Text(unknown, style="yellow"), soft_wrap=True)
    state, log_tail = State(known), Tail(request.ledger)
    try:
        with (
            contextlib.closing(Handover()) as handover,
            pytest_run.started(
                command_line,
                request.log,
                descriptors=(*locks, handover.reader),
                variables=handover.environment,
            ) as process,
        ):
            decision = decide(request, console)
            with exits.writing(request.report):
                _set_aside(request.ledger)
            handover.give(decision)
            with Shown(state, console, live=console.is_terminal and "CI" not in os.environ) as shown:

                def tick() -> None:
                    state.take(log_tail.new_records())
                    shown.update()

                def stopping() -> None:
                    console.print(
                        "stopping: workers finish what they do (Ctrl-C again stops them at once)", highlight=False
                    )

                code = pytest_run.watch(process, tick, stopping)
    except pytest_run.Interrupted:
        with exits.writing(request.ledger):
            ledgers.merge(request.ledger)
        raise Fault(_interrupted(request.ledger)) from None
    with exits.writing(request.ledger):
        ledgers.merge(request.ledger)
    # A shard may be left without a clause: its ledger says so.
    if code == launch.NOTHING_RAN and not (request.ledger.is_file() and request.shard):
        raise Fault(_without_cells(request))
    if code in (0, 1, launch.NOTHING_RAN):
        return code
    reason = pytest_run.reason_to_exit(request.log)
    if reason and code == exits.CANNOT_RUN:
        raise CannotRun(f"{reason}; {_so_far(request.ledger)}")
    if reason:
        raise Fault(f"{reason}; the whole output of pytest is in {request.log}")
    console.print(Text(pytest_run.tail(request.log)))
    how = f"was killed by signal {-code}" if code < 0 else f"failed (exit code {code})"
    raise Fault(f"pytest itself {how}; its whole output is in {request.log}")


def _opening(request: Request, names: tuple[str, ...]) -> str:
    backends = ", ".join(request.backends) or "the default backends"
    workers = f"{request.workers} worker{'' if request.workers == 1 else 's'}"
    families = ", ".join(names) if request.families else f"all {len(names)} families"
    return f"torch {environment.torch_version()}, {request.device}, {backends}, {workers}: {families}"


def _without_cells(request: Request) -> str:
    where = f"on {', '.join((*request.backends, request.device))} in the {request.profile} profile"
    return f"nothing to run: no clause that is asked for has a cell {where}"


def _interrupted(path: Path) -> str:
    return f"interrupted: {_so_far(path)}" if path.is_file() else "interrupted before any cell ran"


def _so_far(path: Path) -> str:
    if not path.is_file():
        return "no cell ran before"
    book = ledgers.read([path])
    planned = len(book.planned) or "?"
    ran = sum(cell.detail != ledgers.NOT_RUN for cell in book.cells.values())
    return f"{ran} of {planned} cells are in {path}; `parity gate --from {path}` judges them"


def _with_unexplained_failure(outcome: Verdict, code: int) -> Verdict:
    """pytest failed, and no cell says why: that is never green."""
    if code != 1 or not outcome.conformant:
        return outcome
    text = "pytest has failures that the ledger does not speak of"
    return dataclasses.replace(
        outcome, conformant=False, reasons=(Reason("error", text),), line=f"NOT CONFORMANT: {text}"
    )


def write_report(request: Request, outcome: Verdict, known: Registry, matrix: KillMatrix | None) -> Path:
    """Write the four files of the report folder; the ledger of what was judged.

    A run's ledger that lies there stays when another is judged, which is then beside it.
    """
    from tools.views import pages

    request.report.mkdir(parents=True, exist_ok=True)
    others = judging.recorded_elsewhere(outcome.ledger)
    pages.write_all(request.report, outcome, known, matrix, others)
    copy = request.report / _LEDGER
    parts = [part for path in request.judged for part in judging.parts_of(path)]
    if not parts or [path.resolve() for path in request.judged] == [copy.resolve()]:
        return copy
    # One of these may be the file that is written.
    lines = list(ledgers.as_one(parts, complete=outcome.ledger.complete))
    if request.sources and judging.parts_of(copy):
        copy = request.report / _JUDGED
    else:
        _set_aside(copy)
    copy.write_bytes(b"".join(lines))
    return copy


def _set_aside(path: Path, how: Callable[[Path], None] = ledgers.set_aside) -> None:
    try:
        how(path)
    except ValueError as error:
        raise Fault(str(error)) from None


def show(request: Request, outcome: Verdict, known: Registry, judged: Path, console: Console) -> None:
    """Print causes, matrix, verdict and where the report is; or one JSON object."""
    if request.as_json:
        json.dump(as_json(request, outcome, judged), sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")
        return
    # Commands and expected values are for copying: the terminal may wrap them, we do not.
    if outcome.against:
        console.print(ending.findings(outcome.against), highlight=False, soft_wrap=True)
    if outcome.ledger.torn and not outcome.ledger.damaged:
        console.print(Text(f"torn: {summary.torn(outcome.ledger)}", style="yellow"), soft_wrap=True)
    of_the_run = [reason for reason in outcome.reasons if not reason.cell]
    for reason in of_the_run[:SHOWN]:
        console.print(Text(f"{reason.kind}: {reason.text}", style="yellow"), soft_wrap=True)
    if len(of_the_run) > SHOWN:
        console.print(Text(f"and {len(of_the_run) - SHOWN} more, in the report", style="dim"))
    console.print(ending.matrix(outcome.ledger), crop=False)
    for line in choice.told(outcome.ledger.header):
        console.print(Text(line), soft_wrap=True)
    if without := unasked(outcome.ledger):
        console.print(Text(without, style="yellow"), soft_wrap=True)
    for line in of_others_alone(known, summary.asked(outcome.ledger)):
        console.print(Text(line, style="yellow"), soft_wrap=True)
    if explained := summary.explained(outcome.ledger):
        console.print(Text(explained))
    console.print(Text(outcome.line, style="bold green" if outcome.conformant else "bold red"), soft_wrap=True)
    console.print(f"report: {request.report / 'index.html'}", highlight=False, markup=False, soft_wrap=True)
    if judged.name == _JUDGED:
        line = f"{request.report / _LEDGER} is another run's, and stays; what was judged is in {judged}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def as_json(request: Request, outcome: Verdict, judged: Path) -> dict[str, Any]:
    """The verdict as one object: reasons, counts by backend and family, the cells that count against, the files."""
    return {
        "conformant": outcome.conformant,
        "exit": exits.CONFORMANT if outcome.conformant else exits.NOT_CONFORMANT,
        "line": outcome.line,
        "reasons": [dataclasses.asdict(reason) for reason in outcome.reasons],
        "matrix": summary.labelled(outcome.ledger),
        "causes": summary.causes(outcome.ledger),
        "torn": summary.torn(outcome.ledger),
        "left_out": summary.left_out(outcome.ledger),
        "executed": {
            backend: {"by_the_backend": by_it, "asked": asked}
            for backend, (by_it, asked) in summary.executed(outcome.ledger).items()
        },
        "against": [_cell_json(outcome.ledger, reason.cell) for reason in outcome.reasons if reason.cell],
        "report": str(request.report / "index.html"),
        "ledger": str(request.judged[0] if len(request.judged) == 1 else judged),
    }


def _cell_json(book: Ledger, name: str) -> dict[str, Any]:
    cell = book.cells[name]
    kept = ("id", "clause", "family", "sentence", "backend", "variant", "outcome", "layer", "detail", "reproduce")
    divergences = [divergence.to_json() for divergence in cell.divergences]
    standing = summary.standing(cell).label
    return {**{key: getattr(cell, key) for key in kept}, "standing": standing, "divergences": divergences}
