"""Drawn custom operators in drawn programs: a fixed few of those that campaigns run by the thousand."""

import tempfile
from pathlib import Path

import pytest

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.schemas.drawing import draw_program
from suites.harness import Check, clause

#: Numbers of programs that have every feature of schemas, operators and calls between them, and some others. Each is an
#: item of its own, so that one known divergence hides no other.
PROGRAMS = (248, 228, 10, 58, 163, 246, 244, 142, 15, 50, 3, 4)
#: Those that hold torch to a rule of its own which older releases do not have.
RULED_SINCE = {244: ">=2.13"}


@clause("T10.1", "T10.2", "T10.3", "T10.5", modes="train", fullgraph=False)
@pytest.mark.parametrize("number", PROGRAMS)
def test_program_of_drawn_operators(check: Check, number: int) -> None:
    """A program that calls operators with drawn schemas, on views and copies of one memory, means what eager means."""
    drawn = draw_program(Seeded(f"suite/{number}"), f"{number}33")
    with tempfile.TemporaryDirectory(prefix="parity-drawn-") as folder:
        path = Path(folder, "program.py")
        path.write_text(f"TORCH = {RULED_SINCE.get(number, '')!r}\n{drawn.text}", encoding="utf-8")
        result = check.file(path)
    result.computed_or_raised()
    result.happened(any("call" in family for family in drawn.families), "a call of a drawn operator")
