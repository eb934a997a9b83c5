"""What this machine has, and what of Parity it can therefore run.

Nothing here imports torch unless it must, and nothing compiles unless it is asked to.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from suites.harness.execution import accelerations
from suites.harness.results.ledger import SCHEMA_VERSION

#: What one worker may need, in GiB: measured 0.6 for a worker, and a C++ compiler beside it.
WORKER_GIB = 1.5
#: What one worker may need of a GPU's memory, in GiB: its context takes 0.6 to 0.9, the largest clause as much again.
GPU_GIB = 2.0
#: Workers beyond one a core in a run of every family with Inductor: those that wait for kernels, which are compiled
#: together. Each costs 6 s to start, too much for a shorter run.
WAITING = 4
#: Cells that may wait for a kernel while others run, in forks of one process; and what one of those needs, in GiB.
CELLS_THAT_WAIT, FORK_GIB = 16, 0.75
#: The variable that asks for whole stacks of errors. `tools.cli` names it, too: where that fails it imports nothing.
STACKS = "PARITY_TRACEBACK"
#: Seconds that a compiler may take to say which it is.
_ANSWER = 20.0


@dataclasses.dataclass(frozen=True)
class Compiler:
    """The C++ compiler that Inductor would use: what was asked for, where it is, and its version's first line."""

    command: str
    path: str = ""
    version: str = ""
    problem: str = ""

    @property
    def found(self) -> bool:
        """Whether it is there and answers."""
        return bool(self.path) and not self.problem


def torch_version() -> str:
    """The version of torch, or an empty text where there is none. Does not import it."""
    loaded = sys.modules.get("torch")
    if loaded is not None and hasattr(loaded, "__version__"):
        return str(loaded.__version__)
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _candidates() -> list[str]:
    """What Inductor looks for, in its order (``torch._inductor.config.cpp.cxx``)."""
    config = sys.modules.get("torch._inductor.config")
    named = getattr(getattr(config, "cpp", None), "cxx", None)
    if named is None:
        named = os.environ.get("CXX", "clang++" if sys.platform == "darwin" else "g++")
    listed = [named] if isinstance(named, str) else list(named)
    return [command for command in listed if command]


def compiler() -> Compiler:
    """The C++ compiler that Inductor would use, found the way Inductor finds it. Runs ``--version`` and no more."""
    tried = _candidates() or ["g++"]
    answers = [_ask(command) for command in tried]
    return next((answer for answer in answers if answer.found), answers[0])


@functools.cache
def _ask(command: str) -> Compiler:
    path = shutil.which(command)
    if path is None:
        return Compiler(command, problem=f"{command!r} is not on PATH")
    try:
        result = subprocess.run([path, "--version"], capture_output=True, timeout=_ANSWER, check=True)
    except subprocess.TimeoutExpired:
        return Compiler(command, path, problem=f"{path} --version does not answer within {_ANSWER:g} s")
    except (OSError, subprocess.SubprocessError) as error:
        return Compiler(command, path, problem=f"{path} --version fails: {_last_line(error)}")
    # Some say it on the other stream, or in a language of their own.
    said = (result.stdout + b"\n" + result.stderr).decode(errors="replace").splitlines()
    return Compiler(command, path, next((line.strip() for line in said if line.strip()), "of no named version"))


@functools.cache
def _runtime_of_its_own(made: Compiler) -> str:
    """Why what a g++ builds holds a C++ runtime of its own, beside torch's; empty if it is shared, as it should be.

    What the two hand each other then dies: a package of AOTInductor's where it is loaded.
    """
    if not made.found or sys.platform != "linux":
        return ""
    library = "libstdc++.so"
    try:
        asked = subprocess.run([made.path, f"-print-file-name={library}"], capture_output=True, timeout=_ANSWER)
    except (OSError, subprocess.SubprocessError):
        return ""
    # It prints the name as it is where it finds none, and links the static one.
    if asked.stdout.decode(errors="replace").strip() != library:
        return ""
    return (
        f"{made.path} finds no shared {library} and links a static one, beside which torch has its own: what is built "
        f"dies where it is loaded; type: {compiler_advice(made.path)}"
    )


def _last_line(error: Exception) -> str:
    text = getattr(error, "stderr", None) or str(error)
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    return ([line for line in text.splitlines() if line.strip()] or ["no message"])[-1].strip()


def compiler_advice(besides: str = "", problem: str = "") -> str:
    """What to type to get a C++ compiler that Inductor finds, another than ``besides``, which has that ``problem``."""
    if re.search(r"\b(Python|pyconfig)\.h\b", problem):
        return headers_advice()
    if sys.platform == "darwin" and re.search(r"\bomp\.h\b|\b(lib|l)omp\b", problem):
        return "brew install libomp"
    if sys.platform == "darwin" and "CXX" not in os.environ:
        # Before they are installed there is a clang++ all the same, and a g++, which only say so.
        return "xcode-select --install"
    if "CXX" in os.environ and shutil.which("g++") and shutil.which("g++") != besides:
        return "unset CXX  (g++ is on PATH)"
    other = next((name for name in ("g++", "clang++") if shutil.which(name) not in (None, besides)), None)
    if other is not None:
        return f"export CXX={other}"
    installers = {
        "apt-get": "sudo apt-get install g++",
        "dnf": "sudo dnf install gcc-c++",
        "apk": "sudo apk add g++",
        "pacman": "sudo pacman -S gcc",
        "zypper": "sudo zypper install gcc-c++",
    }
    return next((text for name, text in installers.items() if shutil.which(name)), "install g++, or set CXX")


def python_headers() -> Path | None:
    """The folder that holds Python.h, or ``None``."""
    places = (sysconfig.get_path("include"), sysconfig.get_path("platinclude"))
    return next((Path(place) for place in places if place and (Path(place) / "Python.h").exists()), None)


def headers_advice() -> str:
    """What to type to get Python.h for this Python."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    installers = {
        "apt-get": f"sudo apt-get install python{version}-dev",
        "dnf": "sudo dnf install python3-devel",
        "apk": "sudo apk add python3-dev",
        "zypper": "sudo zypper install python3-devel",
    }
    return next(
        (text for name, text in installers.items() if shutil.which(name)), f"install the headers of Python {version}"
    )


def prove_compiler(*, plain: bool = False) -> str | None:
    """Have Inductor build, load and run a kernel as a run does; decides which `accelerations` are on.

    One line saying what fails, with what to type, or ``None``.
    """
    if torch_version():
        from suites.harness.execution import accelerations

        accelerations.decide(["inductor"], plain=plain)
    return why_not("inductor")


def asks_for_stacks() -> bool:
    """Whether whole stacks of errors are to be shown."""
    return bool(os.environ.get(STACKS))


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def memory_gib() -> tuple[float, float]:
    """Total and available memory in GiB, the container's limit included."""
    import psutil

    memory = psutil.virtual_memory()
    total, available = memory.total / 2**30, memory.available / 2**30
    limit, used = (
        _cgroup("memory.max", "memory/memory.limit_in_bytes"),
        _cgroup("memory.current", "memory/memory.usage_in_bytes"),
    )
    if limit is not None and limit < memory.total:
        total = limit / 2**30
        available = min(available, (limit - (used or 0)) / 2**30)
    return round(total, 2), round(max(0.0, available), 2)


def _cgroup(*names: str) -> int | None:
    for name in names:
        try:
            return int((Path("/sys/fs/cgroup") / name).read_text())
        except (OSError, ValueError):
            continue
    return None


def worker_limit(device: str = "cpu", *, kernels: bool = False) -> int:
    """How many workers this machine carries: one a core, and `WORKER_GIB` of available memory each; at least one.

    On a GPU each also needs `GPU_GIB` of the GPU's free memory. ``kernels``: with `WAITING` more, for a run in which
    many wait for the C++ compiler.
    """
    if device.split(":")[0] == "cuda":
        return max(1, min(cores(), int(memory_gib()[1] / WORKER_GIB), int(free_gpu_gib() / GPU_GIB)))
    return max(1, min(cores() + WAITING * kernels, int(memory_gib()[1] / WORKER_GIB)))


def cells_that_wait(running: int) -> int:
    """How many cells may wait for a kernel, in forks of one process, beside so many that run."""
    return max(0, min(CELLS_THAT_WAIT, int(memory_gib()[1] / FORK_GIB) - 2 * running))


def free_gpu_gib() -> float:
    """Free memory of the first GPU in GiB, asked for in a fork; 0 where there is none. Imports torch."""
    import torch

    from suites.harness.execution.isolation import Finished, run_forked

    free = run_forked(lambda: torch.cuda.mem_get_info()[0] / 2**30 if torch.cuda.is_available() else 0.0, 60)
    return float(free.value) if isinstance(free, Finished) else 0.0


@functools.cache
def cuda() -> str:
    """The name of the first CUDA device, or an empty text. Imports torch.

    A fork is asked for it: where a process has so much as counted its devices, its forks may not use them. In a
    process that has (importing Inductor does), nothing is lost by asking here.
    """
    import torch

    from suites.harness.execution.isolation import Finished, run_forked

    def name() -> str:
        return torch.cuda.get_device_name(0) if torch.cuda.is_available() else ""

    named = run_forked(name, 60)
    return str(named.value) if isinstance(named, Finished) else name()


@functools.cache
def gpus() -> int:
    """How many CUDA devices there are, asked for in a fork as `cuda` is. Imports torch."""
    import torch

    from suites.harness.execution.isolation import Finished, run_forked

    counted = run_forked(torch.cuda.device_count, 60)
    return counted.value if isinstance(counted, Finished) else torch.cuda.device_count()


def triton() -> str:
    """The version of Triton, or an empty text. Does not import it."""
    if importlib.util.find_spec("triton") is None:
        return ""
    for name in ("triton", "pytorch-triton", "triton-rocm", "pytorch-triton-rocm"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "of unknown version"


def uses_inductor(backend: str) -> bool:
    """Whether that built-in backend is Inductor in one of its modes."""
    return backend == "inductor" or backend.startswith(("inductor_", "inductor-"))


def missing_package(needed: str) -> str | None:
    """One line: what is needed (``"transformers>=5"``, or nothing) is not installed; ``None`` if it is."""
    if not needed:
        return None
    requirement = Requirement(needed)
    try:
        installed = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        found = "which is not installed"
    else:
        if requirement.specifier.contains(installed, prereleases=True):
            return None
        found = f"and {installed} is installed"
    return f"it needs {requirement}, {found}; type: pip install '{requirement}'"


def why_not(backend: str, device: str = "cpu") -> str | None:
    """One line: why this environment cannot run that backend on that device, with what to type; ``None`` if it can."""
    if not torch_version():
        return "torch is not installed; type: pip install 'torch>=2.11'"
    if device.split(":")[0] == "cuda":
        if not cuda():
            return f"backend {backend!r} on cuda: torch {torch_version()} sees no CUDA device; use --device cpu"
        if uses_inductor(backend) and not triton():
            return f"backend {backend!r} on cuda needs Triton; type: pip install triton"
    if backend == "aot_inductor" and (alone := _runtime_of_its_own(compiler())):
        return f"backend {backend!r}: {alone}"
    if not uses_inductor(backend):
        return None
    found = compiler()
    if not found.found:
        return f"backend {backend!r} needs a C++ compiler: {found.problem}; type: {compiler_advice(found.path)}"
    if python_headers() is None:
        return (
            f"backend {backend!r} needs the headers of Python: no Python.h in {sysconfig.get_path('include')}; "
            f"type: {headers_advice()}"
        )
    decision = accelerations.current()
    if decision.problem and decision.fits:
        if _OF_PYTHON.search(decision.problem) and ".so" not in decision.problem:
            shadow = shadowing(sys.path)
            advice = f"; {shadow} hides the standard module of that name: rename it" if shadow else ""
            return f"backend {backend!r} raises here before it builds a kernel: {decision.problem}{advice}"
        return (
            f"backend {backend!r} needs a C++ compiler: {found.path} does not build Inductor's kernels: "
            f"{decision.problem}; type: {compiler_advice(found.path, decision.problem)}"
        )
    return None


#: An error of Python's own, which no compiler raises.
_OF_PYTHON = re.compile(r"\b(ImportError|ModuleNotFoundError|AttributeError|NameError|SyntaxError|TypeError): ")


def shadowing(path: Sequence[str]) -> str:
    """The first file or package on that path that is found in place of a module of Python's; empty if there is none."""
    home = Path(sysconfig.get_path("stdlib")).resolve()
    for folder in map(Path, path):
        if folder.resolve() == home:
            break
        if folder.is_dir():
            for name in sorted(sys.stdlib_module_names):
                for place in (folder / f"{name}.py", folder / name / "__init__.py"):
                    if place.is_file():
                        return str(place)
    return ""


def vector_instructions() -> str:
    """The vector instructions that torch finds in the processor: ``AVX2``, ``AVX512``, ``DEFAULT``. Imports torch."""
    import torch

    return str(torch.backends.cpu.get_cpu_capability()) if torch_version() else ""


def place(device: str = "cpu") -> dict[str, str]:
    """What known bugs tell places apart by, as a ledger's header names it. Imports torch.

    ``vector`` is what torch's own kernels use, ``kernel_vector`` what those that Inductor has the compiler build do,
    where that was tried: a compiler may not know all that the processor has. ``ATEN_CPU_CAPABILITY`` lowers both.
    """
    found = compiler()
    return {
        "torch": torch_version(),
        "platform": platform.platform(),
        "vector": vector_instructions(),
        "kernel_vector": accelerations.current().vector,
        "device": device,
        "compiler": found.version or found.problem,
    }


def git_revision() -> str:
    """The revision of the checkout that Parity runs from, with `+` where it has changes; empty when installed."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return ""
    try:
        run = functools.partial(subprocess.run, capture_output=True, text=True, timeout=20, check=True, cwd=root)
        revision = run(["git", "rev-parse", "--short=12", "HEAD"]).stdout.strip()
        return revision + ("+" if run(["git", "status", "--porcelain", "-uno"]).stdout.strip() else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def cpu_name() -> str:
    """The processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def header(device: str = "cpu") -> dict[str, Any]:
    """The header record of a ledger; the caller adds ``backends`` and ``configuration``."""
    found = compiler()
    total, available = memory_gib()
    return {
        "kind": "header",
        "schema": SCHEMA_VERSION,
        **place(device),
        "python": platform.python_version(),
        "processor": cpu_name(),
        "cores": cores(),
        "memory_gib": total,
        "memory_available_gib": available,
        "gpu": cuda() if device.split(":")[0] == "cuda" else "",
        "gpus": gpus() if device.split(":")[0] == "cuda" else 0,
        "triton": triton(),
        "compiler_path": found.path,
        "accelerations": accelerations.current().ways,
        "revision": git_revision(),
        "parity": _own_version(),
    }


def _own_version() -> str:
    try:
        return importlib.metadata.version("parity-suite")
    except importlib.metadata.PackageNotFoundError:
        return ""
