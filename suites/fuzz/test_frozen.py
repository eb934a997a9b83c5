"""What random search found, each as small as it gets: programs that torch compiles wrongly, or did."""

import tempfile
from pathlib import Path

import pytest

from suites.fuzz.generators.devices import on_cuda
from suites.harness import Check, clause

PLACE = Path(__file__).parent / "frozen"
#: What eager refuses, with what it says.
REFUSED = {
    "foreach_copy_into_an_input_with_a_history": "derivative for _foreach_copy_ is not implemented",
    "fraction_of_whole_numbers_in_place": "can't be cast to the desired output type",
    "kernels_of_attention_not_allowed": "No viable backend for scaled_dot_product_attention was found",
}
PROGRAMS = sorted(path.stem for path in PLACE.glob("*.py") if path.stem not in REFUSED)

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


@clause("D12", modes="train", fullgraph=False)
@pytest.mark.parametrize("program", sorted(REFUSED))
def test_program_that_eager_refuses(check: Check, program: str) -> None:
    """What eager raises on the compiled program raises on, too. What it does instead is told in the program's file."""
    check.file(PLACE / f"{program}.py").raised(REFUSED[program])


@clause("numbers.special-values", "layout.memory-formats", modes="train", fullgraph=False, devices="cuda")
@pytest.mark.parametrize(
    "program",
    [
        "channels_shuffled_of_transposed_images",
        "interpolated_channels_last",
        "pixels_unshuffled_channels_last",
        "sign_of_the_arctangent_of_a_negative_zero",
    ],
)
def test_program_on_a_gpu(check: Check, program: str) -> None:
    """The same of programs that torch compiles wrongly for a GPU alone, with all of their memory there."""
    with tempfile.TemporaryDirectory(prefix="parity-frozen-") as folder:
        path = Path(folder) / f"{program}.py"
        path.write_text(on_cuda((PLACE / path.name).read_text(encoding="utf-8")), encoding="utf-8")
        result = check.file(path)
        if program == "channels_shuffled_of_transposed_images":
            result.raised("view size is not compatible")
        else:
            result.computed()
