"""Numbers of a compiler's own generator, which users of Inductor have by default: not eager's, but of the same law."""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from suites.harness import Check, clause, tensor

#: What users run with. In the other clauses Inductor is told to draw as eager does, whose numbers are compared there.
OWN: dict[str, object] = {"inductor.fallback_random": False}
MANY = 20_000

Facts = dict[str, torch.Tensor]


def _drawn(check: Check, program: Callable[..., Any], *arguments: torch.Tensor) -> Any:
    """What the compiled program returns, from a seed."""
    with torch.no_grad(), check.compiled(program, config=OWN) as run:
        torch.manual_seed(2026)
        return run(*arguments)


def _hold(check: Check, program: Callable[..., Facts], *arguments: torch.Tensor) -> None:
    """Demand that all be true that the compiled program says of the numbers it draws: each result is one boolean."""
    for name, fact in _drawn(check, program, *arguments).items():
        check.demand("random", name, True, fact.item())


def _near(seen: torch.Tensor, expected: float, within: float) -> torch.Tensor:
    return (seen - expected).abs() < within


def _hardly_twice(drawn: torch.Tensor) -> torch.Tensor:
    """Of many numbers of many bits hardly one comes twice."""
    return (drawn.sort().values.diff() == 0).sum() < 60


def _evenly(drawn: torch.Tensor, numbers: range, within: float) -> torch.Tensor:
    """Each of the numbers was drawn as often as any other."""
    shares = [_near((drawn == number).float().mean(), 1 / len(numbers), within) for number in numbers]
    return torch.stack(shares).all()


def _of(check: Check, *sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.ones(*sizes, dtype=dtype, device=check.device)


@clause("randomness.laws", modes="no_grad")
def test_law_of_uniform_numbers(check: Check) -> None:
    """Uniform numbers fill their range evenly; its end is not among them, and hardly one comes twice."""

    def program(a: torch.Tensor) -> Facts:
        unit, shifted = torch.rand_like(a), torch.empty_like(a).uniform_(-3, 2)
        rows = torch.rand(100, 20, 10, device=a.device).flatten()
        return {
            "in the unit interval": ((unit >= 0) & (unit < 1)).all(),
            "mean": _near(unit.mean(), 0.5, 0.011),
            "variance": _near(unit.var(), 1 / 12, 0.003),
            "a tenth of them": _near(((unit * 10).floor() == 7).float().mean(), 0.1, 0.011),
            "near nought": (unit < 0.002).any() & (unit > 0.998).any(),
            "neighbours": _near(((unit[1:] - 0.5) * (unit[:-1] - 0.5)).mean(), 0.0, 0.003),
            "twice": _hardly_twice(unit),
            "in another interval": ((shifted >= -3) & (shifted < 2)).all() & _near(shifted.mean(), -0.5, 0.06),
            "twice in rows": _hardly_twice(rows),
            "of both": _near(((unit - 0.5) * (shifted + 0.5)).mean(), 0.0, 0.02),
        }

    _hold(check, program, _of(check, MANY))


@clause("randomness.laws", modes="no_grad")
def test_few_numbers_that_are_drawn_differ(check: Check) -> None:
    """No two of a few numbers are the same, though they are too few for a register of the processor, or a bit more."""

    def program(*given: torch.Tensor) -> Facts:
        def differ(drawn: torch.Tensor) -> torch.Tensor:
            return (drawn[:, None] == drawn[None]).sum() == len(drawn)

        uniform = {f"{len(a)} uniform": differ(torch.rand_like(a)) for a in given}
        normal = {f"{len(a)} normal": differ(torch.randn_like(a)) for a in given}
        whole = {f"{len(a)} whole": differ(torch.randint(2**40, a.shape, device=a.device)) for a in given}
        return uniform | normal | whole

    _hold(check, program, *(_of(check, count) for count in (2, 3, 7, 19)))


@clause("randomness.laws", modes="no_grad")
def test_draws_of_one_program_are_apart(check: Check) -> None:
    """What a program draws several times is another each time: of one shape or several, in a row, or beside another."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Facts:
        def apart(*draws: torch.Tensor) -> torch.Tensor:
            flat = [drawn.flatten()[: len(b)] for drawn in draws]
            pairs = [(first, second) for place, first in enumerate(flat) for second in flat[:place]]
            return torch.stack([(first != second).float().mean() > 0.99 for first, second in pairs]).all()

        sizes = a.shape, a.shape, b.shape, (5, len(b))
        uniform, normal = [torch.rand(size, device=a.device) for size in sizes], [torch.randn_like(a) for _ in range(3)]
        whole = [torch.randint(2**30, size, device=a.device) for size in sizes]
        masks = [functional.dropout(a) == 0 for _ in range(2)]
        first, second = uniform[:2]
        return {
            "uniform": apart(*uniform),
            "normal": apart(*normal, torch.randn(b.shape, device=a.device)),
            "whole": apart(*whole),
            "like": apart(torch.rand_like(a), torch.rand_like(b), torch.rand_like(a), *uniform),
            "with a number between": apart(torch.rand_like(a) + normal[0].sum(), torch.rand_like(a) + normal[0].sum()),
            "uncorrelated": _near(((first - 0.5) * (second - 0.5)).mean(), 0.0, 0.005),
            "normal numbers uncorrelated": _near((normal[0] * normal[1]).mean(), 0.0, 0.06),
            "masks": _near((masks[0] == masks[1]).float().mean(), 0.5, 0.03),
        }

    _hold(check, program, _of(check, MANY), _of(check, 40))


@clause("randomness.laws", modes="no_grad")
def test_law_of_normal_numbers(check: Check) -> None:
    """Normal numbers have their mean, their deviation, and as many far out as there should be, in each dtype."""

    def program(a: torch.Tensor, half: torch.Tensor, deviation: torch.Tensor) -> Facts:
        plain, moved, low = torch.randn_like(a), torch.empty_like(a).normal_(3, 0.5), torch.randn_like(half).float()
        spread = torch.normal(2.0, deviation)
        rows, columns = a[:50, None] * 2, deviation[:60] + 1
        grid, turned = (torch.normal(rows, columns) - rows) / columns, (torch.normal(columns, rows) - columns) / rows
        drawn = torch.randn(200, 100, device=a.device).flatten()
        return {
            "mean": _near(plain.mean(), 0.0, 0.04),
            "variance": _near(plain.var(), 1.0, 0.06),
            "third moment": _near((plain**3).mean(), 0.0, 0.15),
            "beyond two deviations": _near((plain.abs() > 2).float().mean(), 0.0455, 0.008),
            "beyond three": ((plain > 3).any() & (plain < -3).any() & (plain.abs() < 7).all()),
            "neighbours": _near((plain[1:] * plain[:-1]).mean(), 0.0, 0.04),
            "twice in rows": _hardly_twice(drawn),
            "moved": _near(moved.mean(), 3.0, 0.02) & _near(moved.std(), 0.5, 0.015),
            "half precision": _near(low.mean(), 0.0, 0.04) & _near(low.var(), 1.0, 0.06) & low.isfinite().all(),
            "each its deviation": _near(((spread - 2) / deviation).var(), 1.0, 0.06),
            "of rows and columns": _near(grid.var(), 1.0, 0.15) & _near(turned.var(), 1.0, 0.15),
            "each its own in a row": (grid.diff(dim=1).abs() > 1e-4).float().mean() > 0.99,
            "each its own in a column": (turned.diff(dim=0).abs() > 1e-4).float().mean() > 0.99,
        }

    _hold(check, program, _of(check, MANY), _of(check, MANY, dtype=torch.float16), _of(check, MANY).cumsum(0))


@clause("randomness.laws", modes="no_grad")
def test_law_of_drawn_integers(check: Check) -> None:
    """Integers come from all of their range, the lower bound with them and the upper without, also of many bits."""

    def program(a: torch.Tensor) -> Facts:
        few = torch.randint(-3, 5, (MANY,), device=a.device)
        wide = torch.randint(-(2**40), 2**40, (MANY,), device=a.device)
        narrow = torch.randint_like(a, 2, 4).to(torch.int8)
        one = torch.randint(7, 8, (MANY,), device=a.device)
        below, like = torch.randint(3, (MANY,), device=a.device), torch.randint_like(a, 3)
        order = torch.randperm(500, device=a.device)
        rows = torch.randint(2**40, (200, 100), device=a.device).flatten()
        return {
            "between": ((few >= -3) & (few < 5)).all(),
            "each of them": _evenly(few, range(-3, 5), 0.013),
            "of many bits": (wide > 2**39).any() & (wide < -(2**39)).any() & ((wide & 1) == 0).any(),
            "within many bits": ((wide >= -(2**40)) & (wide < 2**40)).all(),
            "twice in rows": _hardly_twice(rows),
            "of few": _near((narrow == 3).float().mean(), 0.5, 0.02) & ((narrow == 2) | (narrow == 3)).all(),
            "of one": (one == 7).all(),
            "below a bound": _evenly(below, range(3), 0.018) & _evenly(like, range(3), 0.018),
            "an order": (order.sort().values == torch.arange(500, device=a.device)).all(),
            "another order": (order != torch.arange(500, device=a.device)).any(),
        }

    _hold(check, program, _of(check, MANY))


@clause("randomness.laws", modes="no_grad")
def test_law_of_coins_and_dropout(check: Check) -> None:
    """Coins fall as often as told; dropout drops as many as told, and scales what is left by as much."""

    def program(a: torch.Tensor, chances: torch.Tensor, images: torch.Tensor) -> Facts:
        coins, tossed = torch.bernoulli(chances), torch.empty_like(a).bernoulli_(0.3)
        dropped, channels = functional.dropout(a, 0.25), functional.dropout2d(images, 0.5)
        again = functional.dropout(a, 0.25)
        return {
            "coins": _near(coins[chances < 0.5].mean(), 0.25, 0.02) & _near(coins[chances > 0.5].mean(), 0.75, 0.02),
            "told": _near(tossed.mean(), 0.3, 0.017) & ((tossed == 0) | (tossed == 1)).all(),
            "certain": (torch.bernoulli(a) == 1).all() & (torch.bernoulli(a * 0) == 0).all(),
            "dropped": _near((dropped == 0).float().mean(), 0.25, 0.016),
            "scaled": ((dropped == 0) | ((dropped - 4 / 3).abs() < 1e-5)).all(),
            "anew": _near(((dropped == 0) & (again == 0)).float().mean(), 0.0625, 0.009),
            "whole channels": (channels.amin((2, 3)) == channels.amax((2, 3))).all(),
            "half of the channels": _near((channels[:, :, 0, 0] == 0).float().mean(), 0.5, 0.06),
        }

    chances = torch.linspace(0, 1, MANY, device=check.device)
    _hold(check, program, _of(check, MANY), chances, _of(check, 40, 50, 2, 3))


@clause("randomness.laws", modes="no_grad")
def test_law_of_random_slopes(check: Check) -> None:
    """Random slopes leave what is positive as it is, and fill their range evenly for what is not."""

    def program(a: torch.Tensor) -> Facts:
        small = a * torch.linspace(0.01, 0.99, MANY, device=a.device)
        kept, bent = functional.rrelu(small, 0.2, 0.6, training=True), functional.rrelu(-small, 0.2, 0.6, training=True)
        usual, module = functional.rrelu(-a, training=True), torch.nn.RReLU(-0.5, 0.5)(-2 * a)
        slopes = bent / -small
        return {
            "positive": (kept == small).all(),
            "nought": (functional.rrelu(a - 1, training=True) == 0).all(),
            "in their range": ((slopes >= 0.1999) & (slopes <= 0.6001)).all(),
            "mean": _near(slopes.mean(), 0.4, 0.006),
            "variance": _near(slopes.var(), 0.16 / 12, 0.0006),
            "another each": _hardly_twice(usual),
            "usual": _near(usual.mean(), -11 / 48, 0.003) & (usual <= -0.1249).all() & (usual >= -0.3334).all(),
            "of a module": _near(module.mean(), 0.0, 0.03) & _near((module > 0.5).float().mean(), 0.25, 0.018),
            "in place": _near(functional.rrelu_(a * -3, 0.5, 1.0, training=True).mean(), -2.25, 0.03),
        }

    _hold(check, program, _of(check, MANY))


@clause("randomness.laws", modes="no_grad")
def test_law_of_waiting_times(check: Check) -> None:
    """Exponential, geometric, log-normal and Cauchy numbers have their ranges, their means or their quartiles."""

    def program(a: torch.Tensor) -> Facts:
        waiting, turns = torch.empty_like(a).exponential_(2.0), torch.empty_like(a).geometric_(0.4)
        sizes, odd = torch.empty_like(a).log_normal_(0.5, 0.25), torch.empty_like(a).cauchy_(1.0, 0.5)
        return {
            "exponential": (waiting >= 0).all() & _near(waiting.mean(), 0.5, 0.02) & _near(waiting.std(), 0.5, 0.04),
            "exponential, far out": _near((waiting > 1).float().mean(), 0.1353, 0.013),
            "geometric": (turns >= 1).all() & (turns == turns.floor()).all() & _near(turns.mean(), 2.5, 0.08),
            "geometric, at once": _near((turns == 1).float().mean(), 0.4, 0.018),
            "log-normal": _near(sizes.log().mean(), 0.5, 0.01) & _near(sizes.log().std(), 0.25, 0.008),
            "Cauchy": _near((odd < 1).float().mean(), 0.5, 0.018) & _near((odd < 1.5).float().mean(), 0.75, 0.016),
        }

    _hold(check, program, _of(check, MANY))


@clause("randomness.laws", modes="no_grad")
def test_equal_seeds_draw_equal_numbers(check: Check) -> None:
    """A seed repeats the numbers of a program that it drew before, no other does, and nor does a second call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + torch.rand_like(a), torch.randn_like(a) * a, functional.dropout(a, 0.5), a + torch.rand_like(a)

    def numbers(run: Callable[..., Any], seed: int | None = None) -> list[list[float]]:
        if seed is not None:
            torch.manual_seed(seed)
        return [part.tolist() for part in run(_of(check, 64))]

    with torch.no_grad(), check.compiled(program, config=OWN) as run:
        first, second, repeated, other = numbers(run, 3), numbers(run), numbers(run, 3), numbers(run, 4)
    check.demand("random", "the same numbers of the same seed", True, first == repeated)
    for which, there in (("of the next call", second), ("of another seed", other)):
        shared = [place for place, (one, another) in enumerate(zip(first, there, strict=True)) if one == another]
        check.demand("random", f"draws with the numbers {which}", [], shared)
    check.demand("random", "two draws of one call are two", True, first[0] != first[3])


@clause("randomness.laws", modes="no_grad", shapes="dynamic")
def test_draws_of_another_size(check: Check) -> None:
    """Of a program that is compiled for all sizes each call draws as many numbers as it needs, and new ones."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.rand_like(a), torch.randn(a.shape[0] + 1, device=a.device)

    with torch.no_grad(), check.compiled(program, dynamic=True, config=OWN) as run:
        torch.manual_seed(5)
        drawn = [run(_of(check, size)) for size in (40, 41, 40, 600)]
    unit, normal = (torch.cat(parts) for parts in zip(*drawn, strict=True))
    check.demand("random", "how many", [(721,), (725,)], [tuple(unit.shape), tuple(normal.shape)])
    check.demand("random", "in the unit interval", True, bool(((unit >= 0) & (unit < 1)).all()))
    check.demand("random", "means", True, bool(_near(unit.mean(), 0.5, 0.06) & _near(normal.mean(), 0.0, 0.2)))
    check.demand("random", "numbers that came twice", 0, unit.numel() - unit.unique().numel())


def _gradient(check: Check, program: Callable[[torch.Tensor], torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """The result and the gradient of its sum, for a tensor of ones."""
    a = _of(check, 400).requires_grad_()
    with check.compiled(program, config=OWN) as run:
        torch.manual_seed(11)
        result = run(a)
        result.sum().backward()
    assert a.grad is not None, "the program is differentiable"
    return result.detach(), a.grad


@clause("randomness.laws", modes="train")
def test_gradient_of_what_is_multiplied_by_drawn_numbers(check: Check) -> None:
    """Backward multiplies by the numbers that forward has drawn: of two dropouts, of noise and of random slopes."""

    def program(a: torch.Tensor) -> torch.Tensor:
        noisy = functional.dropout(functional.dropout(a, 0.3), 0.4) * (torch.rand_like(a) + 1)
        signs = torch.arange(a.numel(), device=a.device) % 2 * 2 - 1
        return functional.rrelu(noisy * signs, 0.1, 0.4, training=True) * torch.randn_like(a)

    result, gradient = _gradient(check, program)
    check.demand("random", "dropped", True, bool(_near((result == 0).float().mean(), 0.58, 0.13)))
    check.demand("autograd", "the gradient has the same factors", True, torch.allclose(result, gradient, rtol=1e-5))


@clause("randomness.laws", modes="train")
def test_dropout_that_is_computed_again(check: Check) -> None:
    """A checkpointed region that is computed again drops again what it dropped, whatever is drawn in between."""

    def region(a: torch.Tensor) -> torch.Tensor:
        return functional.dropout(functional.dropout(a, 0.5).sin(), 0.25)

    def program(a: torch.Tensor) -> torch.Tensor:
        first: torch.Tensor = checkpoint(region, a, use_reentrant=False)
        return first * (torch.rand_like(a) + 1).detach().sign() + functional.dropout(a.detach(), 0.5) * 0

    result, gradient = _gradient(check, program)
    expected = torch.cos(torch.tensor(2.0)) * 2 * 4 / 3
    kept = torch.where(result != 0, expected.to(result.device), torch.zeros_like(result))
    check.demand("random", "dropped", True, bool(_near((result == 0).float().mean(), 0.625, 0.13)))
    check.demand("autograd", "gradient where forward has let pass", True, torch.allclose(gradient, kept, rtol=1e-5))


@clause("randomness.laws", "numbers.near-misses", modes="train")
def test_law_of_weights_that_attention_drops(check: Check) -> None:
    """Attention written out drops as many weights as told, the same ones in backward, of scores scaled and biased so.

    The values are ones where place and width are the same: what is attended to are the weights themselves.
    """
    numbers = torch.arange(4 * 8 * 8 * 8.0, device=check.device).view(4, 8, 8, 8)
    query, key = (numbers * 0.7).sin() * 2, (numbers * 1.3).cos() * 2
    value, bias = torch.zeros_like(numbers), torch.linspace(-1, 1, 32, device=check.device).view(4, 1, 1, 8)
    ones = torch.eye(8, device=check.device)
    plain, turned, half = "plain", "turned", "half"
    forms: list[tuple[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]]] = [
        (plain, lambda q, k: q @ k / 5.0),
        (plain, lambda q, k: q @ k * 0.2),
        (plain, lambda q, k: q @ k / 5.0 + bias),
        (turned, lambda q, k: q @ k / 5.0),
        (turned, lambda q, k: q @ k / 5.0 + bias),
        (turned, lambda q, k: q @ k + bias),
        (half, lambda q, k: q @ k / 5.0),
        (half, lambda q, k: (q / 5.0) @ k),
    ]

    def parts(form: str, *tensors: torch.Tensor) -> list[torch.Tensor]:
        return [
            part if form == plain else (part.half() if form == half else part).permute(0, 2, 1, 3) for part in tensors
        ]

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> list[torch.Tensor]:
        results = []
        for number, (form, scores) in enumerate(forms, 1):
            diagonal = ones if form == plain else ones[:, None]
            q, k, v = parts(form, query * number, key / number, value * number + diagonal)
            kept = functional.dropout(scores(q, k.transpose(-2, -1)).float().softmax(-1), 0.25)
            results.append((kept.half() if form == half else kept) @ v)
        return results

    with check.compiled(program, config=OWN) as run:
        torch.manual_seed(2026)
        attended = run(query.requires_grad_(), key.requires_grad_(), value.requires_grad_())
        torch.stack([each.sum(dtype=torch.float32) for each in attended]).sum().backward()
    columns = torch.zeros_like(value)
    for number, ((form, scores), kept) in enumerate(zip(forms, attended, strict=True), 1):
        q, k = parts(form, query.detach() * number, key.detach() / number)
        weights = scores(q, k.transpose(-2, -1)).float().softmax(-1)
        scaled = ((kept * 0.75 - weights).abs() < (1e-2 if form == half else 1e-5)) | (kept == 0)
        dropped = _near((kept == 0).float().mean(), 0.25, 0.045)
        check.demand("random", f"dropped of form {number}", True, bool(dropped))
        check.demand("random", f"scaled of form {number}", True, bool(scaled.all()))
        sums = kept.detach().float().sum(2)[..., None] * number
        columns += sums if form == plain else sums.transpose(1, 2)
    gradient = value.grad
    assert gradient is not None, "the program is differentiable"
    check.demand("autograd", "gradient where forward has let pass", True, torch.allclose(gradient, columns, rtol=1e-3))


@clause("randomness.laws", modes="no_grad")
def test_numbers_in_low_precision_are_less_than_one(check: Check) -> None:
    """`rand` and `rand_like` draw numbers below one, in half precision and in bfloat16, too.

    As they are handed out: within a kernel they may have a precision that they lose there.
    """

    def program() -> tuple[torch.Tensor, ...]:
        half = torch.rand(100_000, dtype=torch.float16, device=check.device)
        return half, torch.rand_like(torch.zeros(100_000, dtype=torch.bfloat16, device=check.device))

    half, brain = _drawn(check, program)
    check.demand("random", "half below one", True, bool((half < 1).all()))
    check.demand("random", "bfloat16 below one", True, bool((brain < 1).all()))


@clause("randomness.laws", modes="no_grad")
def test_numbers_in_double_precision_have_all_their_bits(check: Check) -> None:
    """`rand` and `randn` in double precision draw numbers that single precision does not hold."""

    def program() -> tuple[torch.Tensor, ...]:
        wide = torch.rand(1_000, dtype=torch.float64, device=check.device)
        return wide, torch.randn(1_000, dtype=torch.float64, device=check.device)

    for name, numbers in zip(("rand", "randn"), _drawn(check, program), strict=True):
        check.demand("random", f"{name} in single precision", False, bool((numbers == numbers.float()).sum() > 100))


@clause("randomness.laws", modes="no_grad")
def test_whole_numbers_of_trials(check: Check) -> None:
    """`geometric_` of whole numbers draws how many trials it takes: one at least, and often more."""

    def program() -> tuple[torch.Tensor, ...]:
        many = torch.zeros(10_000, dtype=torch.int64, device=check.device).geometric_(0.3)
        return many, torch.zeros(10_000, dtype=torch.int16, device=check.device).geometric_(0.3)

    try:
        drawn, refused = _drawn(check, program), ""
    except NotImplementedError as error:
        drawn, refused = (), str(error)
    check.demand("error", "what is refused", "", refused)
    for name, numbers in zip(("int64", "int16"), drawn, strict=True):
        check.demand("random", f"least of {name}", 1, int(numbers.min()))
        check.demand("random", f"mean of {name}", True, bool(_near(numbers.double().mean(), 1 / 0.3, 0.2)))


@clause("randomness.laws", "layout.like", modes="no_grad")
def test_form_of_drawn_numbers(check: Check) -> None:
    """What is drawn has the dtype and the sizes that were asked for, and lies in memory as eager's would."""

    def program(turned: torch.Tensor, images: torch.Tensor) -> dict[str, torch.Tensor]:
        plain, last = torch.contiguous_format, torch.channels_last
        wide, where = torch.float64, turned.device
        return {
            "like what is turned": torch.rand_like(turned),
            "normal": torch.randn_like(turned),
            "whole": torch.randint_like(turned, 3),
            "whole, between": torch.randint_like(turned, 2, 9),
            "last": torch.rand_like(images, memory_format=last),
            "normal, last": torch.randn_like(images, memory_format=last),
            "whole, last": torch.randint_like(images, 5, memory_format=last),
            "plain again": torch.rand_like(images.contiguous(memory_format=last), memory_format=plain),
            "wide": torch.rand_like(turned, dtype=wide),
            "wide, last": torch.randn_like(images, dtype=wide, memory_format=last),
            "narrow": torch.randint_like(images, 4, dtype=torch.int8),
            "halves": torch.rand(2, 3, dtype=torch.float16, device=where),
            "brain": torch.randn(3, dtype=torch.bfloat16, device=where),
            "of few bits": torch.randint(2, 9, (2, 3), dtype=torch.int32, device=where),
            "of 64": torch.randint(9, (2, 3), device=where),
            "floats": torch.randint(9, (2, 3), dtype=torch.float32, device=where),
            "dropped": functional.dropout(turned, 0.5) * 2,
        }

    arguments = _of(check, 4, 2, 3).permute(2, 0, 1), _of(check, 2, 3, 4, 5)
    drawn = _drawn(check, program, *arguments)
    for name, expected in program(*arguments).items():
        seen = drawn[name]
        check.demand("dtype", name, expected.dtype, seen.dtype)
        check.demand("shape", name, expected.shape, seen.shape)
        check.demand("layout", name, expected.stride(), seen.stride())


@clause("randomness.laws", modes=("train", "no_grad"))
def test_nothing_is_drawn_in_evaluation(check: Check) -> None:
    """In evaluation a random slope is the middle of its range, and dropout of each kind lets everything through."""

    def program(a: torch.Tensor, images: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "slopes": functional.rrelu(a, 0.1, 0.5, training=False),
            "usual slopes": functional.rrelu(a * 2),
            "slopes in place": functional.rrelu_(a * 3, 0.25, 1.0),
            "slopes of a module": torch.nn.RReLU(-0.5, 0.25).eval()(a),
            "dropout": functional.dropout(a, 0.5, training=False) * 2,
            "self-normalising": functional.alpha_dropout(a, 0.25, training=False) + 1,
            "channels": functional.dropout2d(images, 0.5, training=False) * 3,
            "self-normalising channels": functional.feature_alpha_dropout(images, 0.5, training=False) - 1,
        }

    check(program, tensor(4, 3), tensor(2, 3, 2, 2), config=OWN).gradient(0, 1).computed()


@clause("randomness.laws", "randomness.layouts", modes="no_grad")
def test_layouts_of_what_is_drawn(check: Check) -> None:
    """What is drawn like a tensor lies in memory as it does, or in the format that is told, as in eager."""

    def program(volume: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = volume.permute(2, 0, 1)
        last = image.to(memory_format=torch.channels_last)
        return {
            "turned": torch.rand_like(turned),
            "turned on": torch.randn_like(volume.permute(1, 2, 0)),
            "turned twice": torch.rand_like(turned.mT),
            "in rows": torch.randn_like(turned, memory_format=torch.contiguous_format),
            "in channels last": torch.rand_like(last),
            "in channels last, told": torch.rand_like(image, memory_format=torch.channels_last),
            "in channels last, also told": torch.randn_like(image, memory_format=torch.channels_last),
            "whole": torch.randint_like(turned, 9),
            "every second": torch.rand_like(volume[:, ::2]),
        }

    inputs = _of(check, 2, 3, 4), _of(check, 2, 3, 4, 5)
    drawn = _drawn(check, program, *inputs)
    for name, expected in program(*inputs).items():
        check.demand("layout", name, expected.stride(), drawn[name].stride())
