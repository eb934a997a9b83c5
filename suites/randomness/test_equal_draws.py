"""Draws that are written alike: each has numbers of its own, though their operands and options are one another's."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Ways to draw, each of which a program asks for twice in the same words.
DRAWN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "waiting_times": lambda a: torch.zeros_like(a).exponential_(2.0),
    "uniform_over_noughts": lambda a: torch.zeros_like(a).uniform_(-1.0, 3.0),
    "normal_over_noughts": lambda a: torch.zeros_like(a).normal_(0.5, 2.0),
    "logarithmic_over_noughts": lambda a: torch.zeros_like(a).log_normal_(0.0, 0.5),
    "cauchy_over_noughts": lambda a: torch.zeros_like(a).cauchy_(),
    "trials_over_noughts": lambda a: torch.zeros_like(a).geometric_(0.2),
    "coins_over_noughts": lambda a: torch.zeros_like(a).bernoulli_(0.5),
    "uniform_over_what_is_written": lambda a: torch.nn.init.uniform_(torch.ones_like(a)),
    "integers_alike": lambda a: torch.randint_like(a, 1000),
    "normal_alike": torch.randn_like,
    "uniform_alike": torch.rand_like,
    "normal": lambda a: torch.normal(0.5, 2.0, a.shape),
    "counts": lambda a: torch.poisson(torch.ones_like(a) * 50),
    "coins": lambda a: torch.bernoulli(torch.full_like(a, 0.5)),
    "soft_choice": lambda a: functional.gumbel_softmax(a, tau=0.5),
    "hard_choice": lambda a: functional.gumbel_softmax(a, hard=True),
    "leaks": lambda a: functional.rrelu(-a.abs(), 0.1, 0.9, training=True),
    "dropout": lambda a: functional.dropout(a, 0.5),
    "dropout_that_keeps_the_mean": lambda a: functional.alpha_dropout(a, 0.5, training=True),
    "dropout_of_channels": lambda a: functional.dropout1d(a, 0.5),
    "attention": lambda a: functional.scaled_dot_product_attention(a, a, a, dropout_p=0.5),
    "sample_of_laplace": lambda a: torch.distributions.Laplace(a, 1.0).rsample(),
    "sample_of_cauchy": lambda a: torch.distributions.Cauchy(a, 1.0).rsample(),
    "sample_of_a_rate": lambda a: torch.distributions.Exponential(a.exp()).rsample(),
    "sample_of_gumbel": lambda a: torch.distributions.Gumbel(a, 1.0).rsample(),
    "sample_of_normal": lambda a: torch.distributions.Normal(a, 1.0).rsample(),
    "sample_of_gamma": lambda a: torch.distributions.Gamma(a.exp(), 1.0).rsample(),
}


@clause("T17", "randomness.draws", modes=("no_grad", "train"), devices="cpu")
@pytest.mark.parametrize("drawn", DRAWN)
def test_draws_in_the_same_words(check: Check, drawn: str) -> None:
    """What is drawn twice in the same words is two draws, as if they were written apart, in training too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first, second = DRAWN[drawn](a), DRAWN[drawn](a)
        return first * a, second * a, first - second

    result = check(program, tensor(5, 6), exact=False).drew_random()
    result.happened(bool(result.value("out[2]").any()), "the two draws differing")
