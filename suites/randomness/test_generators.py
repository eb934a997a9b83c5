"""Seeds and generators inside a program: what it sets, reads, saves and restores."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import built


def seeded(device: str = "cpu") -> torch.Generator:
    """A generator of one's own."""
    return torch.Generator(device).manual_seed(3)


class Noisy(torch.nn.Module):
    """A module that owns its generator: each call goes on where the call before it ended."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = seeded()

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Twice ``a``, and noise of its shape."""
        doubled = a * 2
        return doubled, torch.randn(a.shape, generator=self.generator)


@clause("T17", "randomness.generators", fullgraph=False)
def test_seed_set_by_the_program(check: Check) -> None:
    """`manual_seed` between two draws holds for the second one and for the caller's next."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = torch.rand(3) * a
        torch.manual_seed(11)
        return first, torch.rand(3) * a

    check(program, tensor(3)).drew_random()


@clause("T17", "randomness.generators", fullgraph=False)
def test_seed_set_anew_repeats_the_numbers(check: Check) -> None:
    """The same seed set before each of two draws makes them equal."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        torch.manual_seed(5)
        first = torch.randn(4, device=a.device)
        torch.manual_seed(5)
        return first * a, torch.randn(4, device=a.device) * a

    result = check(program, tensor(4)).drew_random()
    first, second = (result.value(path) for path in ("out[0]", "out[1]"))
    result.happened(torch.equal(first, second), "equal draws")


@clause("T17", modes=("train", "no_grad"))
def test_numbers_drawn_around_a_compiled_part(check: Check) -> None:
    """A compiled part that draws nothing, and its backward, leave the generator where it was between two draws."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).sin()

    def program(compile_part: Callable[[Any], Any], a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        run = compile_part(part)
        first = torch.rand(2, device=a.device)
        result = run(a)
        second = torch.rand(2, device=a.device)
        if a.requires_grad:
            (slope,) = torch.autograd.grad(run(a).sum(), a)
            second = torch.cat([second, slope, torch.rand(2, device=a.device)])
        return first, result, second, run(a) + torch.randn_like(a)

    check(program, tensor(4), in_parts=True).drew_random()


@clause("T17", fullgraph=False)
def test_generator_handed_to_the_program(check: Check) -> None:
    """A draw from an explicit generator advances that one and leaves the default one alone."""

    def program(a: torch.Tensor, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        scaled = a * torch.rand(4, generator=generator, device=a.device)
        return scaled, torch.randperm(5, generator=generator, device=a.device)

    result = check(program, tensor(4), built(seeded, check.device)).mutated(1)
    result.happened(not result.call.drew_random, "the default generator staying as it was")


@clause("T17", fullgraph=False)
def test_in_place_draw_from_a_generator(check: Check) -> None:
    """`normal_` and `bernoulli_` with an explicit generator draw from it, in turn with the default one."""

    def program(a: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        a.normal_(generator=generator)
        coins = torch.empty_like(a).bernoulli_(0.5, generator=generator)
        return torch.rand(4, device=a.device) + coins

    check(program, tensor(4), built(seeded, check.device)).mutated(0, "arg[1]").drew_random()


@clause("T17", fullgraph=False)
def test_generator_of_a_module_goes_on_from_call_to_call(check: Check) -> None:
    """A module's own generator is not seeded anew: the second call draws what follows the first call's numbers."""
    result = check(built(Noisy), calls=[(tensor(4),), (tensor(4),), (tensor(4),)])
    later = result.in_call(1).facts("out[1]").value
    result.happened(later is not None and not torch.equal(result.value("out[1]"), later), "other noise later")


@clause("T17", fullgraph=False)
def test_state_saved_and_restored_inside_the_program(check: Check) -> None:
    """`set_rng_state` of a state read before a draw makes the next draw equal to that one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        generators = torch.cuda if a.is_cuda else torch
        state = generators.get_rng_state()
        first = torch.rand(5, device=a.device) * a
        generators.set_rng_state(state)
        return first, torch.rand(5, device=a.device) * a

    result = check(program, tensor(5)).drew_random()
    first, second = (result.value(path) for path in ("out[0]", "out[1]"))
    result.happened(torch.equal(first, second), "equal draws")


@clause("T17", fullgraph=False)
def test_state_read_after_a_draw(check: Check) -> None:
    """`get_rng_state` in the program reads what the draw before it left."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        drawn = torch.rand(5) * a
        return drawn, torch.get_rng_state()

    check(program, tensor(5)).drew_random()


@clause("T17", fullgraph=False)
def test_draws_inside_fork_rng_are_forgotten(check: Check) -> None:
    """What is drawn inside ``fork_rng`` is drawn again after it."""

    def forked(a: torch.Tensor) -> torch.Tensor:
        with torch.random.fork_rng(devices=[a.device] if a.is_cuda else []):
            return torch.rand(4, device=a.device) * a

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        doubled = a * 2
        return forked(doubled), torch.rand(4, device=a.device) * doubled

    result = check(program, tensor(4)).drew_random()
    first, second = (result.value(path) for path in ("out[0]", "out[1]"))
    result.happened(torch.equal(first, second), "equal draws")


@clause("T17", devices="cpu")
def test_functionalized_random_operators_say_that_they_need_cuda(check: Check) -> None:
    """With ``functionalize_rng_ops`` and no CUDA a program that draws is refused, in so many words."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.rand_like(a)

    said = "nothing"
    with check.compiled(program, config={"functorch.functionalize_rng_ops": True}) as compiled:
        try:
            compiled(torch.zeros(3))
        except Exception as error:
            said = str(error)
        compiled.needs_aot_autograd()
    check.demand("error", "what is said", True, "CUDA" in said)
