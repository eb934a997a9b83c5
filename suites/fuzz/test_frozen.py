"""What random search found, each as small as it gets: programs that torch compiles wrongly, or did."""

from pathlib import Path

import pytest

from suites.harness import Check, clause

PLACE = Path(__file__).parent / "frozen"
PROGRAMS = sorted(path.stem for path in PLACE.glob("*.py"))

#: What these return is zeros in eager, too, or nothing.
OF_ZEROS = ("difference_of_nothing", "dropout_of_everything")


@clause(
    "mutation.self-reference",
    "mutation.copy-then-mutate",
    "mutation.overlapping-views",
    "autograd.functions",
    modes="train",
    fullgraph=False,
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_that_search_found(check: Check, program: str) -> None:
    """The compiled program means what the eager one means. What is wrong with it is told in the program's file."""
    result = check.file(PLACE / f"{program}.py")
    if program in OF_ZEROS:
        result.unchanged(0)
    else:
        result.computed()
