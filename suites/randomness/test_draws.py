"""Operators that draw: which numbers, how many, and where the generator is afterwards."""

import torch

from suites.harness import Check, clause, tensor


@clause("T17", "randomness.draws", shapes=("static", "dynamic"))
def test_two_draws_of_one_shape_are_two_draws(check: Check) -> None:
    """Two equal random calls are not one: each draws its own numbers, in the order in which they are written."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = torch.rand(a.shape[0], 3, device=a.device)
        second = torch.rand(a.shape[0], 3, device=a.device)
        return first - second, first * a

    result = check(program, tensor(5, 3)).drew_random()
    result.happened(bool(result.value("out[0]").all()), "the two draws differing")


@clause("T17", "randomness.draws", modes=("no_grad", "train"), devices="cpu")
def test_draws_that_are_read_the_other_way_round(check: Check) -> None:
    """Numbers are drawn in the order in which the draws are written, whichever of them is read first."""
    # On a GPU what is taken apart into uniform numbers is drawn by another kernel than eager's.

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        drawn = [
            torch.rand(3, device=a.device),
            torch.bernoulli(a.detach().sigmoid()),
            torch.randn(3, device=a.device),
            torch.randint(9, (3,), device=a.device),
            torch.nn.functional.dropout(a * 2, 0.5),
            torch.empty(3, device=a.device).exponential_(),
            torch.randperm(3, device=a.device),
            torch.normal(a.detach(), 0.5),
        ]
        return [each * (place + 2) + a for place, each in enumerate(reversed(drawn))]

    check(program, tensor(3)).drew_random()


@clause("T17", "randomness.draws", modes="train")
def test_dead_draw_between_live_ones(check: Check) -> None:
    """A draw whose result nothing reads still takes its share of the stream before the next one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first = torch.randn_like(a)
        torch.rand(3)
        return a * first + torch.randn_like(a)

    check(program, tensor(4, 3)).drew_random().gradient(0)


@clause("T17", "randomness.draws", modes=("no_grad", "train"))
def test_draw_that_nothing_reads_or_follows(check: Check) -> None:
    """A draw whose result nothing reads moves the generator that the caller goes on with."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.rand(3)
        return a * 2

    check(program, tensor(3)).drew_random()


@clause("T17", "randomness.draws")
def test_dead_dropout_before_a_draw(check: Check) -> None:
    """Dropout whose result nothing reads draws its mask before the draw that is written after it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.nn.functional.dropout(a * 3, 0.5)
        return a * torch.randn_like(a)

    check(program, tensor(4, 3)).drew_random()


@clause("T17", "randomness.draws")
def test_dead_draws_of_every_kind(check: Check) -> None:
    """Dead draws of other operators move the next draw, too."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.bernoulli(torch.full((7,), 0.5))
        torch.multinomial(torch.ones(3), 1)
        torch.normal(torch.zeros(3), 1.0)
        torch.randperm(4)
        torch.empty(3).exponential_()
        return a * torch.rand(3)

    check(program, tensor(3)).drew_random()


@clause("T17", "randomness.draws")
def test_draw_that_only_lends_its_shape(check: Check) -> None:
    """A draw of which only the shape and dtype are used is drawn all the same."""

    def program(a: torch.Tensor) -> torch.Tensor:
        noise = torch.rand(4, 2)
        return torch.zeros_like(noise) + a + torch.rand(2)

    check(program, tensor(4, 2)).drew_random()


@clause("T17", "randomness.draws")
def test_draw_that_is_multiplied_by_zero(check: Check) -> None:
    """A draw that no value depends on, for it is multiplied by zero, is drawn all the same."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a + torch.rand_like(a) * 0 + torch.rand_like(a)

    result = check(program, tensor(3, 5)).drew_random()
    result.forward.expect("""\
def forward(self, arg0_1):
    rand_like = torch.ops.aten.rand_like.default(arg0_1)
    mul = torch.ops.aten.mul.Tensor(rand_like, 0)
    add = torch.ops.aten.add.Tensor(arg0_1, mul)
    rand_like_1 = torch.ops.aten.rand_like.default(arg0_1)
    add_1 = torch.ops.aten.add.Tensor(add, rand_like_1)
    return (add_1,)
""")


@clause("T17")
def test_draws_of_integers_keep_their_bounds(check: Check) -> None:
    """`randint` and `randint_like` draw eager's integers between their bounds, in the dtype that is asked for."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        narrow = torch.randint(-5, 6, (9,), dtype=torch.int8)
        return narrow, torch.randint_like(a, 100, 1 << 40), torch.randint_like(a.float(), 3)

    check(program, tensor(6, dtype=torch.int64)).drew_random()


@clause("T17", shapes=("static", "dynamic"))
def test_random_permutation_of_rows(check: Check) -> None:
    """`randperm` shuffles the rows of an input as eager does, also where the number of rows is symbolic."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        order = torch.randperm(a.shape[0])
        return a[order], order

    check(program, tensor(9, 2)).drew_random()


@clause("T17", "numbers.near-misses", modes=("train", "no_grad"))
def test_rows_added_at_places_that_are_drawn(check: Check) -> None:
    """Rows are added where a permutation begins: as they are, scaled, as columns, or twice each."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        places = torch.randperm(a.shape[0], device=a.device)[: rows.shape[0]]
        return {
            "places": places,
            "added": torch.index_add(a, dim=0, source=rows, index=places),
            "scaled": torch.index_add(a, dim=0, source=rows, index=places, alpha=-2),
            "columns": torch.index_add(a, dim=1, source=rows.T, index=places),
            "one place twice": torch.index_add(a, 0, torch.cat([places, places]), torch.cat([rows, rows * 2])),
            "taken": a[places] * rows,
        }

    result = check(program, tensor(4, 4), tensor(3, 4)).drew_random().gradient(0, 1)
    if check.device == "cpu":  # Another device draws other numbers.
        result.values().expect("""\
out['places'] = int64[3] [0, 1, 3]
out['added'] = float32[4, 4] [[-1.524, -3.392, 1.679, -0.9683], [-2.704, 0.3016, -1.263, 1.564], [0.2331, -0.2048,
    -0.6802, 0.9823], [-2.05, -0.9175, 2.008, -1.076]]
out['scaled'] = float32[4, 4] [[1.872, 3.275, 1.178, -0.5437], [4.236, 2.061, 0.1815, 2.81], [0.2331, -0.2048,
    -0.6802, 0.9823], [4.676, 1.025, -0.8463, -1.591]]
out['columns'] = float32[4, 4] [[-1.524, -3.483, 1.512, -3.069], [-2.613, 0.3016, -0.7813, 1.332], [0.4, -0.6862,
    -0.6802, 1.934], [0.05057, -0.6855, 1.057, -1.076]]
out['one place twice'] = float32[4, 4] [[-3.788, -7.836, 2.012, -1.251], [-7.33, -0.871, -2.225, 0.7331], [0.2331,
    -0.2048, -0.6802, 0.9823], [-6.533, -2.212, 3.911, -0.7332]]
out['taken'] = float32[3, 4] [[0.4439, 2.599, 0.2523, 0.117], [0.9033, -0.5206, 0.3761, -0.8219], [-0.4307, 0.1749,
    1.005, -0.214]]
""")


@clause("T17", "randomness.draws", modes=("train", "no_grad"))
def test_permutation_before_other_draws(check: Check) -> None:
    """A permutation whose beginning tells rows is drawn where it is written, before a mask and another permutation."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, ...]:
        order, other = torch.randperm(a.shape[0], device=a.device), torch.randperm(a.shape[0], device=a.device)
        return torch.index_add(a, 0, order[:3], torch.nn.functional.dropout(rows, 0.5)), a[other[:2]], other

    check(program, tensor(6, 4), tensor(3, 4)).drew_random().gradient(0, 1)


@clause("T17", "randomness.draws", modes="train")
def test_draw_after_rows_are_added_at_drawn_places(check: Check) -> None:
    """Backward of rows that were added at drawn places draws nothing: the generator stays where forward has left it."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        places = torch.randperm(a.shape[0], device=a.device)[: rows.shape[0]]
        return torch.index_add(a, 0, places, rows), torch.rand(3, device=a.device)

    check(program, tensor(6, 4), tensor(3, 4)).drew_random().gradient(0, 1)


@clause("T17", "randomness.draws", modes="train")
def test_rows_added_in_the_order_of_a_permutation(check: Check) -> None:
    """Where a whole permutation tells rows, gradients are taken from those places."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return torch.index_add(a, 0, torch.randperm(a.shape[0], device=a.device), rows * a)

    check(program, tensor(6, 4), tensor(6, 4)).drew_random().gradient(0, 1)


@clause("T17")
def test_multinomial_with_and_without_replacement(check: Check) -> None:
    """`multinomial` picks eager's indices, with replacement and without."""

    def program(weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        probabilities = weights.abs() + 0.1
        return torch.multinomial(probabilities, 4), torch.multinomial(probabilities, 12, replacement=True)

    check(program, tensor(3, 6)).drew_random()


@clause("T17")
def test_bernoulli_of_given_probabilities(check: Check) -> None:
    """`bernoulli` of a tensor of probabilities, and `bernoulli_` by another one in place, draw eager's coins."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        probabilities = a.sigmoid()
        coins = torch.bernoulli(probabilities)
        return coins, torch.empty(4, 5, dtype=torch.int64).bernoulli_(probabilities)

    check(program, tensor(4, 5)).drew_random()


@clause("T17")
def test_bernoulli_of_one_chance(check: Check) -> None:
    """`bernoulli` with one chance for all tosses a coin for each element, and reads and writes none of them."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return torch.bernoulli(a, 0.25), whole.bernoulli(0.5), torch.bernoulli(a.t() * 2, 0.75)

    check(program, tensor(4, 5), tensor(6, dtype=torch.int64)).drew_random()


@clause("T17")
def test_normal_of_given_means_and_deviations(check: Check) -> None:
    """`torch.normal` in its three forms takes means and deviations from where eager takes them."""

    def program(mean: torch.Tensor, deviation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        spread = deviation.abs()
        return torch.normal(mean, spread), torch.normal(mean, 0.5), torch.normal(2.0, spread)

    check(program, tensor(4, 3), tensor(4, 3)).drew_random()


@clause("T17", "numbers.promotion")
def test_normal_of_means_and_deviations_of_two_dtypes(check: Check) -> None:
    """Normal numbers have the dtype of their means, be it wider or narrower than that of their deviations."""

    def program(a: torch.Tensor, low: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.dtype]]:
        pairs = [(a, a.double()), (a.double(), a), (low, a), (a, low)]
        drawn = [torch.normal(mean, deviation.abs()) for mean, deviation in pairs]
        return drawn, [each.dtype for each in drawn]

    result = check(program, tensor(4), tensor(4, dtype=torch.bfloat16)).drew_random()
    result.holds("out[1][0]", torch.float32).holds("out[1][2]", torch.bfloat16)


@clause("T17", "numbers.promotion", on=("aot_eager_decomp_partition",), devices="cpu")
def test_dtypes_told_of_draws(check: Check) -> None:
    """Of numbers that are drawn in a dtype that is asked for, or in the argument's, a program is told the dtype."""

    def program(a: torch.Tensor, low: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.dtype]]:
        wide, half, whole = torch.float64, torch.float16, torch.int32
        drawn = [torch.normal(0.0, 1.0, (4,), dtype=wide), torch.normal(1.0, 2.0, (3,)), torch.normal(low, 0.5)]
        drawn += [torch.normal(a, a.abs()), torch.normal(2.0, low.abs()), torch.rand(2, dtype=wide)]
        drawn += [
            torch.randn(2, dtype=half),
            torch.rand(2),
            torch.randint(9, (3,)),
            torch.randint(9, (3,), dtype=whole),
        ]
        drawn += [torch.rand_like(low), torch.randn_like(low, dtype=wide), torch.randint_like(a, 5)]
        drawn += [torch.randint_like(a, 5, dtype=whole), torch.randperm(4), torch.randperm(4, dtype=whole)]
        drawn += [torch.bernoulli(low.sigmoid()), torch.bernoulli(low, 0.5), torch.multinomial(a.abs(), 2)]
        drawn += [torch.poisson(low.abs()), low.clone().uniform_(), torch.empty(3, dtype=wide).cauchy_()]
        drawn += [torch.rand_like(a.int(), dtype=wide), torch.randint_like(a, 2, 9, dtype=whole)]
        drawn += [torch.randint_like(low, 2, 9), torch.randn_like(a.long(), dtype=half)]
        drawn += [torch.nn.functional.dropout(low, 0.5), torch.nn.functional.dropout(a.double(), 0.25)]
        return drawn, [each.dtype for each in drawn]

    result = check(program, tensor(4), tensor(3, dtype=torch.bfloat16)).drew_random()
    result.holds("out[1][0]", torch.float64)


@clause("T17")
def test_continuous_distributions_in_place(check: Check) -> None:
    """The in-place distributions draw one after the other, each with its parameters."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        return [
            torch.empty_like(a).exponential_(2.0),
            torch.empty_like(a).cauchy_(1.0, 0.5),
            torch.empty_like(a).log_normal_(0.5, 0.25),
            torch.empty_like(a).geometric_(0.3),
            torch.empty_like(a).uniform_(-3, 2),
        ]

    check(program, tensor(5)).drew_random()


@clause("T17", fullgraph=False)
def test_integers_drawn_in_place(check: Check) -> None:
    """`random_` fills an input between bounds, and up to all that its dtype holds, with eager's integers."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        scaled = a * 2
        a.random_(10, 90)
        b.random_()
        return scaled + torch.rand(4, device=a.device)

    check(program, tensor(4), tensor(6, dtype=torch.int8)).mutated(0, 1).drew_random()


@clause("T17")
def test_counting_distributions(check: Check) -> None:
    """`poisson` and `binomial` draw eager's counts from tensors of rates."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rates = a.abs() * 4 + 1
        return torch.poisson(rates), torch.binomial(rates.floor() + 5, a.sigmoid())

    check(program, tensor(4, 3)).drew_random()


@clause("T17", modes="train")
def test_gumbel_softmax(check: Check) -> None:
    """`gumbel_softmax` adds eager's noise to the logits, and a hard sample is one-hot with the soft one's gradient."""

    def program(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        soft = torch.nn.functional.gumbel_softmax(logits, tau=0.7)
        return soft, torch.nn.functional.gumbel_softmax(logits * 2, hard=True)

    check(program, tensor(4, 5)).drew_random().gradient(0)


@clause("T17")
def test_reparameterised_sample(check: Check) -> None:
    """A sample of a `torch.distributions` object is eager's, and so is its log-probability."""

    def program(mean: torch.Tensor, raw: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        normal = torch.distributions.Normal(mean, raw.exp(), validate_args=False)
        sample = normal.rsample()
        return sample, normal.log_prob(sample)

    check(program, tensor(3, 4), tensor(3, 4)).drew_random()


@clause("T17", fullgraph=False)
def test_draws_on_either_side_of_a_graph_break(check: Check) -> None:
    """A graph break between two draws changes neither of them."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first = torch.rand_like(a)
        torch._dynamo.graph_break()
        return first * a + torch.rand_like(a)

    check(program, tensor(4, 2)).drew_random()


@clause("T17")
def test_draws_under_vmap(check: Check) -> None:
    """Under ``vmap`` each row draws for itself, or all rows share one draw, as the call says."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def noisy(row: torch.Tensor) -> torch.Tensor:
            return row + torch.randn(4)

        return torch.vmap(noisy, randomness="different")(a), torch.vmap(noisy, randomness="same")(a)

    check(program, tensor(3, 4)).drew_random()


@clause("randomness.draws", modes=("no_grad", "train"))
def test_draws_in_branches(check: Check) -> None:
    """A branch that draws takes its numbers when it is taken, between the draws before and after it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = a * torch.rand(4)
        chosen = torch.cond(a.sum() > 0, lambda x: x * torch.rand(4), lambda x: x + torch.randn(4), (before,))
        return chosen, torch.rand(2)

    check(program, calls=[(tensor(4, values=[sign] * 4),) for sign in (1.0, -1.0)]).drew_random()


@clause("randomness.draws")
def test_draws_in_the_turns_of_a_loop(check: Check) -> None:
    """A loop whose body draws takes other numbers in every turn, and no more than there are turns."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def body(turn: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return turn + 1, b + torch.rand(4, device=a.device)

        start = torch.zeros((), dtype=torch.int64, device=a.device)
        drawn = torch.while_loop(lambda turn, b: turn < 3, body, (start, a * 1))[1]
        return drawn, torch.rand(2, device=a.device)

    check(program, tensor(4)).drew_random()


@clause("T17", "randomness.draws", devices="cpu")
def test_initial_values_of_layers(check: Check) -> None:
    """Each of torch's ways to begin fills what a program makes with the values that it has in eager."""
    # On a GPU what is taken apart into uniform numbers is drawn by another kernel than eager's.

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        init = torch.nn.init
        matrix, kernel = a.new_zeros(3, 4), a.new_zeros(4, 2, 3, 3)
        return {
            "uniform": init.uniform_(matrix.clone(), -1.0, 3.0),
            "normal": init.normal_(matrix.clone(), 1.0, 0.5),
            "by both sides": init.xavier_uniform_(kernel.clone(), gain=2.0),
            "by both sides, normal": init.xavier_normal_(matrix.clone()),
            "by one side": init.kaiming_uniform_(kernel.clone(), a=0.25),
            "by the other side": init.kaiming_normal_(kernel.clone(), mode="fan_out", nonlinearity="relu"),
            "at right angles": init.orthogonal_(matrix.clone(), gain=0.5),
            "few": init.sparse_(matrix.clone(), 0.4, std=2.0),
            "one number": init.constant_(matrix.clone(), 0.25)
            + init.ones_(matrix.clone())
            - init.zeros_(a[0].clone()).sum(),
            "as it is": init.eye_(matrix.clone()) + a[:, :1],
            "pixel by pixel": init.dirac_(kernel.clone(), groups=2),
        }

    result = check(program, tensor(3, 4), exact=False).drew_random()
    result.shape("out['few']", 3, 4).computed()


@clause("T17", "randomness.draws", fullgraph=False, devices="cpu")
def test_initial_values_that_are_cut_off(check: Check) -> None:
    """Normal numbers are drawn until all lie between the bounds, near the mean and far from it, around graph breaks."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        near, far = a.new_zeros(3, 4), a.new_zeros(3, 4)
        torch.nn.init.trunc_normal_(near, 0.5, 2.0, -1.0, 1.5)
        torch.nn.init.trunc_normal_(far, 0.0, 1.0, 2.0, 3.0)
        return near * a, far + a, near, far

    result = check(program, tensor(3, 4), exact=False).drew_random()
    near, far = result.value("out[2]"), result.value("out[3]")
    result.happened(bool((near.abs() <= 1.5).all() and near.std() > 0.2), "numbers near the mean")
    result.happened(bool(((far >= 2) & (far <= 3)).all() and far.std() > 0.05), "numbers far from the mean")
