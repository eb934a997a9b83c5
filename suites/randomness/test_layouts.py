"""Draws into memory that is not contiguous: which element gets which number of the stream."""

import torch

from suites.harness import Check, clause, tensor


@clause("T17", "randomness.layouts", shapes=("static", "dynamic"))
def test_draw_like_a_transposed_tensor(check: Check) -> None:
    """`rand_like` of a transposed tensor has its strides, and fills them in the order in which eager does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.rand_like(a.t()) + 1

    check(program, tensor(3, 5)).drew_random().strides("out", 1, 5)


@clause("T17", "randomness.layouts")
def test_draw_like_a_permuted_intermediate(check: Check) -> None:
    """`randn_like` of an intermediate in channels-last order draws into that order."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        images = a.to(memory_format=torch.channels_last) * 2
        return torch.randn_like(images), images

    check(program, tensor(2, 3, 4, 5)).drew_random().strides("out[0]", 60, 1, 15, 3)


@clause("T17", "randomness.layouts")
def test_draws_like_turned_volumes(check: Check) -> None:
    """What is drawn like a view of three dimensions in another order lies as it does, or in rows if that is told."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned = a.permute(2, 0, 1)
        rows = torch.randn_like(turned, memory_format=torch.contiguous_format)
        return torch.rand_like(turned), rows, torch.randint_like(turned, 9)

    check(program, tensor(2, 3, 4)).drew_random().strides("out[0]", 1, 12, 4).strides("out[1]", 6, 3, 1)


@clause("T17", "randomness.layouts")
def test_draws_into_a_format_that_is_told(check: Check) -> None:
    """What is drawn like images in rows, in channels last because it is told so, is drawn as eager does."""

    def program(image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        last = torch.rand_like(image, memory_format=torch.channels_last)
        return last, torch.randn_like(image * 2, memory_format=torch.channels_last)

    check(program, tensor(2, 3, 4, 5)).drew_random().strides("out[0]", 60, 1, 15, 3)


@clause("T17", "randomness.layouts")
def test_draw_like_an_expanded_tensor(check: Check) -> None:
    """`rand_like` of an expanded tensor draws one number for each element, not for each place in memory."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.rand_like(a.expand(4, 3))

    result = check(program, tensor(1, 3)).drew_random()
    result.happened(len(result.value("out").unique()) == 12, "twelve numbers")


@clause("T17", "randomness.layouts", modes="train")
def test_dropout_after_a_transposition(check: Check) -> None:
    """Dropout of a transposed tensor drops the elements that eager drops, and gradients follow them home."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout((a * 2).t(), 0.4)

    check(program, tensor(5, 7)).drew_random().gradient(0)


@clause("T17", "randomness.layouts", modes="train")
def test_dropout_after_a_permutation_made_contiguous(check: Check) -> None:
    """Dropout of a contiguous copy of a permuted tensor drops in the order of the copy."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(a.permute(2, 0, 1).contiguous(), 0.5) * 3

    check(program, tensor(2, 3, 4)).drew_random().gradient(0)


@clause("T17", "randomness.layouts")
def test_in_place_draw_into_a_transposed_view(check: Check) -> None:
    """`normal_` on a transposed view of an intermediate gives each element eager's number, and no other layout."""

    def program(a: torch.Tensor) -> torch.Tensor:
        scaled = a * 2
        scaled.t().normal_(1.0, 0.5)
        return scaled

    check(program, tensor(4, 6)).drew_random().strides("out", 6, 1)


@clause("T17", "randomness.layouts")
def test_coins_tossed_into_a_transposed_view(check: Check) -> None:
    """`bernoulli_` on a transposed view of an intermediate tosses eager's coins, and leaves the layout as it is."""

    def program(a: torch.Tensor) -> torch.Tensor:
        coins = torch.zeros(3, 5, device=a.device)
        coins.t().bernoulli_(0.5)
        return coins + a

    check(program, tensor(3, 5)).drew_random().strides("out", 5, 1)


@clause("T17", "randomness.layouts")
def test_in_place_draw_into_every_second_column(check: Check) -> None:
    """`uniform_` on a strided view of an input draws for the view's elements alone and leaves the others."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a[:, ::2].uniform_(2, 3)
        return torch.rand(3)

    check(program, tensor(4, 5)).mutated(0).drew_random()


@clause("T17", "randomness.layouts")
def test_large_draw_into_a_transposed_view(check: Check) -> None:
    """`normal_` of sixteen elements or more fills by another rule, which looks at the layout: so do its numbers."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat, transposed = torch.empty(6, 5).normal_(), torch.empty(5, 6).t().normal_()
        return flat * a, transposed * a

    check(program, tensor(6, 5)).drew_random()
