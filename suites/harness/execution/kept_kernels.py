"""Kernels that were built stay for the next run; what that needs to know who takes them to another machine.

Inductor finds a kernel by its source and the compiler's command line. That says ``-march=native`` whatever the
processor, and nothing of the compiler's version or the system's libraries: kernels that come from elsewhere are for a
machine on which all of that is the same, torch's folder included. They are what the compiler would make again; nothing
that is tested is left out.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from pathlib import Path

from suites.harness.execution import environment

#: Lines of ``/proc/cpuinfo`` that say what a processor can do, on x86 and on ARM.
_ABILITIES = ("flags", "Features", "model name", "CPU part")
_PROCESSORS = Path("/proc/cpuinfo")
#: Characters of a key.
_LENGTH = 16


def place() -> str:
    """The folders of kernels that runs have built, as a pattern. Imports torch."""
    from suites.harness import torch_internals

    return f"{torch_internals.kernel_cache()}/parity*"


def key() -> str:
    """What is the same wherever such kernels can be used. Imports torch and asks the compiler for its version."""
    found = environment.compiler()
    facts = (
        environment.torch_version(),
        platform.python_version(),
        sys.prefix,
        platform.platform(),
        "/".join(platform.libc_ver()),
        found.path,
        found.version,
        environment.vector_instructions(),
        processor(),
    )
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:_LENGTH]


def processor() -> str:
    """What this machine's processor can do, as the system tells it."""
    if sys.platform == "darwin":
        asked = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True)
        return asked.stdout.strip() or platform.processor()
    try:
        lines = _PROCESSORS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.split("\t")[0].rstrip() in _ABILITIES}))
