"""``parity doctor``: what is here, what is missing, what will not run because of it, and what to type."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import os
import platform
import sys
from collections import Counter

import click
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from rich.console import Console
from rich.text import Text

from golden import bands
from suites.harness.execution import accelerations, environment, kept_kernels
from suites.harness.results import known_bugs, records
from suites.harness.results.places import Environment
from tools import exits, launch
from tools.verbs import list as clauses
from tools.views.terminal import doing, terminal

#: Memory below which even one worker may be killed, in GiB.
ENOUGH_GIB = 2.0
#: Vector instructions of x86, as torch names them; those that compute the least at once first.
_BY_WIDTH = ("DEFAULT", "AVX2", "AVX512")
_COMPILER, _BACKEND = "C++ compiler", "backend "


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing looked at. ``state`` is `ok`, `missing` (the default gate needs it) or `note` (it does not)."""

    name: str
    state: str
    text: str
    loses: str = ""
    type: str = ""


def examine(*, plain: bool = False) -> list[Finding]:
    """Everything that Parity looks for, in the order in which a person would fix it.

    Kernels are built as a run builds them, or as one with ``--plain`` does.
    """
    findings = [_python(), *_packages()]
    torch_here = bool(environment.torch_version())
    compiler = _compiler(plain)
    findings += [_torch(), compiler]
    findings += [_vector_instructions()] if torch_here else []
    findings += _errors() if torch_here and compiler.state == "ok" else []
    findings += [_accelerations(), machine()]
    if torch_here:
        findings += [*release(), _cuda(), _ranks(), *_backends()]
    return [*findings, *(what_runs() if torch_here else [_families()])]


def _python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()} at {sys.executable}")


def _packages() -> list[Finding]:
    """What Parity's own installation asks for and is not here."""
    try:
        asked = importlib.metadata.requires("parity-suite") or []
    except importlib.metadata.PackageNotFoundError:
        return [Finding("parity", "note", "runs from a checkout, not installed", "", "pip install -e '.[baseline]'")]
    missing = []
    for line in asked:
        need = Requirement(line)
        if need.marker is not None and not need.marker.evaluate({"extra": ""}):
            continue
        try:
            if need.specifier.contains(importlib.metadata.version(need.name), prereleases=True):
                continue
            found = importlib.metadata.version(need.name)
        except importlib.metadata.PackageNotFoundError:
            found = "none"
        missing.append(
            Finding(
                need.name,
                "missing",
                f"{found}; needed {need.specifier}",
                "everything",
                f"pip install '{need.name}{need.specifier}'",
            )
        )
    return missing or [Finding("packages", "ok", "all that Parity needs are installed")]


def _torch() -> Finding:
    version = environment.torch_version()
    if not version:
        return Finding("torch", "missing", "not installed", "everything", "pip install -e '.[baseline]'")
    if Version(version).release < (2, 11):
        return Finding(
            "torch", "missing", f"{version}; 2.11 or newer is needed", "everything", "pip install -e '.[baseline]'"
        )
    return Finding("torch", "ok", version)


def release() -> list[Finding]:
    """What holds on this release of torch: how goldens are compared, known bugs, runs that were made before."""
    version = environment.torch_version()
    minor = "{}.{}".format(*bands.release_of(version))
    if bands.is_baseline(version):
        goldens = Finding("goldens", "ok", f"strict: they are the graphs of torch {bands.BASELINE}")
    elif bands.is_recorded(version):
        others = sum(band.covers(bands.release_of(version)) for band in bands.load_bands().bands)
        told = (
            f"strict: they are the graphs of torch {bands.BASELINE}, but for {others} that this release has its own of"
        )
        goldens = Finding("goldens", "ok", told)
    else:
        text = (
            f"drift: they are the graphs of torch {bands.BASELINE}; one that is another here is told, and does not fail"
        )
        goldens = Finding("goldens", "note", text, "exact goldens", "pip install -e '.[baseline]'")
    known = known_bugs.load(known_bugs.default_files()).bugs.values()
    here = Environment(
        version, "cpu", vector=environment.vector_instructions(), compiler=environment.compiler().version
    )
    there = sum(any(each.holds_in(here) for each in bug.expectations()) for bug in known)
    bugs = Finding("known bugs", "ok", f"{there} of {len(known)} were seen on torch {minor} on cpu")
    unknown = records.newer_than_all(version)
    if unknown:
        update = "parity waivers update LEDGER --file suites/known_bugs --link 'none known'"
        return [goldens, bugs, Finding("records", "note", unknown, "a verdict on known bugs", update)]
    ran = [device for device in ("cpu", "cuda") if bands.release_of(version) in records.releases(device)]
    if "cpu" not in ran:
        text = f"none of torch {minor} on cpu: ranges of known bugs are guessed from its neighbours"
        return [goldens, bugs, Finding("records", "note", text)]
    return [goldens, bugs, Finding("records", "ok", f"torch {minor} ran before on {' and '.join(ran)}")]


def _compiler(plain: bool) -> Finding:
    found = environment.compiler()
    problem = environment.prove_compiler(plain=plain)
    if problem is None:
        return Finding(_COMPILER, "ok", f"{found.version} at {found.path} builds Inductor's kernels")
    text, _, advice = problem.partition("; type: ")
    return Finding(_COMPILER, "missing", text, "backend inductor on cpu, in every family", advice)


def _errors() -> list[Finding]:
    """Whether what a kernel throws can be caught; nothing to tell where it can."""
    text = accelerations.current().errors_of_kernels
    if not text:
        return []
    advice = environment.compiler_advice(environment.compiler().path)
    return [
        Finding("errors of kernels", "note", text, "cells on inductor in which a kernel raises: unsupported", advice)
    ]


def _vector_instructions() -> Finding:
    """What code for the CPU uses: torch's own kernels, and those that the compiler builds."""
    own, built = environment.vector_instructions(), accelerations.current().vector
    asked = [f"{name}={os.environ[name]}" for name in accelerations.VECTOR if os.environ.get(name)]
    text = f"{own} in torch's kernels, {built} in those that the C++ compiler builds" if built not in ("", own) else own
    text += f" ({', '.join(asked)})" if asked else ""
    if not (own in _BY_WIDTH and built in _BY_WIDTH and _BY_WIDTH.index(built) < _BY_WIDTH.index(own)):
        return Finding("vector instructions", "ok", text)
    advice = environment.compiler_advice(environment.compiler().path)
    return Finding("vector instructions", "note", text, f"Inductor's kernels for {own}", "" if asked else advice)


def _accelerations() -> Finding:
    """What a run does otherwise than a user, to be quick."""
    decision = accelerations.current()
    said: dict[str, list[str]] = {}
    for way, state in decision.ways.items():
        said.setdefault(state, []).append(way)
    text = "; ".join(f"{state.partition(': ')[0]}: {', '.join(ways)}{_why(state)}" for state, ways in said.items())
    return Finding("accelerations", "note" if decision.line else "ok", text, "speed" if decision.line else "")


def _why(state: str) -> str:
    _, _, why = state.partition(": ")
    return f" ({why})" if why else ""


def machine() -> Finding:
    """Cores and memory, and the cells at once that the gate takes for them."""
    total, available = environment.memory_gib()
    text = f"{environment.cores()} cores, {available:.1f} of {total:.1f} GiB free, for -n {environment.worker_limit()}"
    if available < ENOUGH_GIB:
        return Finding("machine", "note", text, "workers may be killed for memory", "parity gate -n 1")
    return Finding("machine", "ok", text)


def _cuda() -> Finding:
    name, version = environment.cuda(), environment.triton()
    if not name:
        return Finding("CUDA", "ok", "no device, and a run without --device cuda needs none")
    if not version:
        return Finding("CUDA", "note", f"{name}, but no Triton", "inductor with --device cuda", "pip install triton")
    return Finding("CUDA", "ok", f"{name}, Triton {version}")


def _backends() -> list[Finding]:
    from suites.harness.backends import registry as backends
    from suites.harness.backends.names import DEFAULT

    findings = []
    for name in DEFAULT:
        why = environment.why_not(name)
        try:
            backends.resolve(name)
        except backends.NoSuchBackend as error:
            why = str(error)
        findings.append(
            Finding(_BACKEND + name, "missing" if why else "ok", (why or "runs here").partition("; type: ")[0])
        )
    return findings


def _ranks() -> Finding:
    from suites.harness.execution import ranks

    if why := ranks.why_not(2, "cpu"):
        return Finding("ranks", "note", why, "clauses of several ranks, which are skipped")
    here = environment.gpus() if environment.cuda() else 0
    return Finding("ranks", "ok", f"several processes join by Gloo{f', and on {here} GPUs by NCCL' * (here > 1)}")


def _families() -> Finding:
    names = launch.families()
    if not names:
        return Finding("families", "missing", f"no clause family in {launch.ROOT / 'suites'}", "everything")
    return Finding("families", "ok", ", ".join(names))


def _is_about(releases: str, version: str) -> bool:
    return SpecifierSet(releases).contains(Version(version).base_version, prereleases=True)


def what_runs() -> list[Finding]:
    """What there is to run, and what of it does not run on these devices, this release of torch, or these packages."""
    try:
        records = clauses.collect()
    except exits.Fault as error:
        return [Finding("clauses", "missing", str(error), "everything", "pytest --collect-only suites")]
    here = {"cpu", "cuda"} if environment.cuda() else {"cpu"}
    elsewhere = [record for record in records if record["devices"] and here.isdisjoint(record["devices"])]
    families = {record["family"] for record in records}
    text = f"{len(records) - len(elsewhere)} in {len(families)} families"
    if elsewhere:
        counted = Counter(record["family"] for record in elsewhere)
        which = ", ".join(f"{number} of {family}" for family, number in sorted(counted.items()))
        devices = " and ".join(sorted({device for record in elsewhere for device in record["devices"]}))
        text += f"; {len(elsewhere)} more are about {devices} alone: {which}"
    found = [Finding("clauses", "ok" if records else "missing", text)]
    version = environment.torch_version()
    others = Counter(record["torch"] for record in records if not _is_about(record["torch"], version))
    if others:
        text = ", ".join(f"{count} about torch {wanted}" for wanted, count in sorted(others.items()))
        found.append(Finding("releases", "note", f"clauses that do not run on torch {version}: {text}"))
    lacking = Counter(record["needs"] for record in records if environment.missing_package(record["needs"]))
    for needed, count in sorted(lacking.items()):
        text = f"{count} clauses do not run without {needed}, an option of the full profile"
        found.append(Finding("other packages", "note", text, type=f"pip install '{needed}'"))
    return found


@click.command("doctor", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--plain", is_flag=True, help="Do nothing for speed that a user would not do.")
@click.option(
    "--kernels", is_flag=True, help="Say where built kernels are kept and what they are for, as path= and key= alone."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(plain: bool, kernels: bool, as_json: bool) -> int:
    """Say what is here, what is missing, what will not run because of it, and what to type.

    Exit codes: 0 the default gate can run, 3 it cannot.
    """
    if kernels:
        return _tell_kernels(as_json)
    console = terminal(stderr=as_json)
    with doing(console, "looking"):
        findings = examine(plain=plain)
    missing = [finding for finding in findings if finding.state == "missing"]
    code = exits.CANNOT_RUN if missing else exits.CONFORMANT
    if as_json:
        click.echo(json.dumps({"exit": code, "findings": [dataclasses.asdict(finding) for finding in findings]}))
        return code
    _show(findings, console)
    if missing:
        console.print(
            Text(f"parity gate cannot run in full: {', '.join(each.name for each in missing)}", style="bold red")
        )
        if able := _able(findings):
            console.print(Text(f"what can run: parity gate {able}"), soft_wrap=True)
    else:
        console.print(Text("all that parity gate needs is here; type: parity gate --profile quick", style="bold green"))
    return code


def _tell_kernels(as_json: bool) -> int:
    """What a CI that keeps kernels between its runs has to know, in lines that GitHub takes as outputs of a step."""
    if not environment.torch_version():
        raise exits.CannotRun("torch is not installed: no kernels")
    told = {"path": kept_kernels.place(), "key": kept_kernels.key()}
    click.echo(json.dumps(told) if as_json else "\n".join(f"{name}={value}" for name, value in told.items()))
    return exits.CONFORMANT


def _able(findings: list[Finding]) -> str:
    """The options for those of the default backends that run here, where others are all that is missing."""
    missing = {finding.name for finding in findings if finding.state == "missing"}
    backends = {finding.name: finding.state for finding in findings if finding.name.startswith(_BACKEND)}
    if missing - {_COMPILER, *backends}:
        return ""
    return " ".join(f"--backend {name.removeprefix(_BACKEND)}" for name, state in backends.items() if state == "ok")


def _show(findings: list[Finding], console: Console) -> None:
    width = max(len(finding.name) for finding in findings)
    marks = {"ok": ("ok     ", "green"), "note": ("note   ", "yellow"), "missing": ("MISSING", "bold red")}
    for finding in findings:
        mark, style = marks[finding.state]
        line = Text(f"{mark} ", style=style).append(f"{finding.name:<{width}}  {finding.text}", style="default")
        console.print(line, soft_wrap=True)
        indent = " " * (width + 10)
        if finding.loses:
            console.print(Text(f"{indent}without it: {finding.loses}"), soft_wrap=True)
        if finding.type:
            console.print(Text(f"{indent}type: {finding.type}", style="bold"), soft_wrap=True)
