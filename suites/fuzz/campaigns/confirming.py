"""Whether a find is there in a Python process that knows nothing of the campaign."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import suites
from suites.harness.oracle.divergence import Divergence

from ..reduction.script import script
from .finds import BY_CHECK, CONFIRMED, UNCONFIRMED

_SECONDS = 240.0
_JUDGE = f"""\
import sys
from {suites.__name__}.harness.execution.isolation import one_thread
one_thread()
from {suites.__name__}.fuzz.judging import judge
judgement = judge(open(sys.argv[1], encoding="utf-8").read(), sys.argv[2])
sys.exit(1 if any(one.fingerprint == sys.argv[3] for one in judgement.divergences) else 0)
"""


def standing(text: str, first: Divergence) -> str:
    """How sure it is that a program diverges so: one of `suites.fuzz.campaigns.finds.STANDINGS`."""
    if exits_one(script(text, first)):
        return CONFIRMED
    return BY_CHECK if diverges_in_a_new_process(text, first) else UNCONFIRMED


def exits_one(text: str, seconds: float = _SECONDS) -> bool:
    """Whether a script, run in a Python process of its own, exits with 1, and not for an error of the script's own."""
    return _exits_one(text, ["repro.py"], seconds)


def diverges_in_a_new_process(text: str, divergence: Divergence, seconds: float = _SECONDS) -> bool:
    """Whether the oracle sees that divergence of a program, on the layer where it was first seen, in a new process."""
    return _exits_one(text, ["-c", _JUDGE, "repro.py", divergence.layer, divergence.fingerprint], seconds)


def _environment() -> dict[str, str]:
    """That of this process, but that Parity is found from wherever it runs, and a backend's module beside it."""
    known = (str(suites.HOME), os.environ.get("PYTHONPATH", ""))
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, known))}


def _exits_one(text: str, arguments: list[str], seconds: float) -> bool:
    with tempfile.TemporaryDirectory(prefix="parity-confirming-") as folder:
        path = Path(folder) / "repro.py"
        path.write_text(text, encoding="utf-8")
        placed = [str(path) if argument == path.name else argument for argument in arguments]
        try:
            ended = subprocess.run(
                [sys.executable, *placed], capture_output=True, timeout=seconds, check=False, env=_environment()
            )
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 1 and b"Traceback (most recent call last)" not in ended.stderr[-3000:]
