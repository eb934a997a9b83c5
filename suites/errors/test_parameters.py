"""Parameters out of their range are refused, not clamped or wrapped around."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("errors.parameters")
def test_dropout_probability_above_one(check: Check) -> None:
    """A probability is between 0 and 1."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.dropout(a * 2, 1.5)

    check(program, tensor(4)).raised("between 0 and 1")


@clause("errors.parameters")
def test_negative_size(check: Check) -> None:
    """No tensor has a negative size."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.zeros(a.shape[0] - 5) + 1

    check(program, tensor(3)).raised("must be non-negative")


@clause("errors.parameters")
def test_more_largest_elements_than_there_are(check: Check) -> None:
    """`topk` of five among three raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.topk(5).values * 2

    check(program, tensor(3)).raised("out of range")


@clause("errors.parameters")
def test_smallest_element_beyond_the_last(check: Check) -> None:
    """`kthvalue` counts from one to the number of elements."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.kthvalue(4).values * 2

    check(program, tensor(3)).raised("out of range")


@clause("errors.parameters")
def test_narrowing_beyond_the_end(check: Check) -> None:
    """`narrow` past the last row raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.narrow(0, 2, 3) * 2

    check(program, tensor(4, 2)).raised("exceeds dimension size")


@clause("errors.parameters")
def test_window_larger_than_the_dimension(check: Check) -> None:
    """`unfold` of a window that does not fit raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.unfold(0, 5, 1) * 2

    check(program, tensor(4)).raised("maximum size")


@clause("errors.parameters")
def test_stride_of_zero_in_a_pooling(check: Check) -> None:
    """A pooling does not stand still."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.max_pool2d(a, 2, stride=0)

    check(program, tensor(1, 1, 4, 4)).raised("zero")


@clause("errors.parameters")
def test_padding_of_more_than_half_a_pooling_window(check: Check) -> None:
    """A pooling pads with no more than half of its window."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.max_pool2d(a, 2, padding=2)

    check(program, tensor(1, 1, 4, 4)).raised("half of")


@clause("errors.parameters")
def test_reflection_wider_than_the_tensor(check: Check) -> None:
    """A reflection is narrower than what it reflects."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.pad(a, (4, 4), mode="reflect") * 2

    check(program, tensor(1, 3)).raised("Padding size")


@clause("errors.parameters")
def test_groups_that_do_not_divide_the_channels(check: Check) -> None:
    """The channels of a convolution are divided into equal groups."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(a, weight, groups=2)

    check(program, tensor(1, 3, 4, 4), tensor(4, 1, 2, 2)).raised("channels")


@clause("errors.parameters")
def test_kernel_larger_than_the_image(check: Check) -> None:
    """A convolution refuses a kernel that does not fit."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.conv1d(a, weight) * 2

    check(program, tensor(1, 1, 3), tensor(1, 1, 5)).raised("Kernel size can")


@clause("errors.parameters")
def test_dimension_reduced_twice(check: Check) -> None:
    """A dimension is reduced once."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum((0, 0))

    check(program, tensor(3, 4)).raised("appears multiple times")


@clause("errors.parameters")
def test_maximum_of_no_elements(check: Check) -> None:
    """No elements have no maximum."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[:0].max() * 2

    check(program, tensor(3)).raised("numel() == 0")


@clause("errors.parameters")
def test_arange_that_goes_the_other_way(check: Check) -> None:
    """`arange` upwards from five to one raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(5, 1, 1) + a

    check(program, tensor(4)).raised("bound")


@clause("errors.parameters")
def test_random_integers_between_no_bounds(check: Check) -> None:
    """`randint` needs a lower bound below the upper one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.randint(5, 5, (3,)) + a

    check(program, tensor(3)).raised("from")


@clause("errors.parameters")
def test_generic_view_dtype_that_does_not_divide(check: Check) -> None:
    """A view as a wider dtype needs a last dimension that divides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.view(torch.float64) * 2

    check(program, tensor(2, 3)).raised("divisible")


@clause("errors.parameters")
def test_celu_that_divides_by_zero(check: Check) -> None:
    """`celu` refuses an alpha of zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.celu(a * 2, 0.0)

    check(program, tensor(3)).raised("alpha")


@clause("errors.parameters", devices="cpu")
def test_repetitions_that_do_not_make_the_size(check: Check) -> None:
    """The size that `repeat_interleave` is told is what its repetitions come to."""

    def program(a: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        return a.repeat_interleave(counts, output_size=5)

    check(program, tensor(3), tensor(3, dtype=torch.int64, values=[1, 2, 1])).raised("allocated size")


@clause("errors.parameters")
def test_negative_padding_of_patches(check: Check) -> None:
    """Patches of an image are taken with padding, and not without its border."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.unfold(a, 2, padding=-1)

    check(program, tensor(1, 2, 4, 5)).raised("padding should be non-negative")


@clause("errors.parameters")
def test_negative_padding_of_joined_patches(check: Check) -> None:
    """Patches are joined into an image with padding, and not without its border."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.fold(a, (4, 5), 2, padding=-1)

    check(program, tensor(1, 4, 2)).raised("padding should be non-negative")


@clause("errors.parameters")
def test_gamma_function_of_no_dimensions(check: Check) -> None:
    """The multivariate gamma function is of one dimension at least."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.mvlgamma(a.abs() + 3, 0)

    check(program, tensor(3)).raised("greater than or equal to 1")


@clause("errors.parameters")
def test_negative_beta_of_a_smooth_loss(check: Check) -> None:
    """The difference at which a smooth absolute loss becomes linear is not negative."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.smooth_l1_loss(a, b, beta=-1.0)

    check(program, tensor(3), tensor(3)).raised("beta")
