"""The generators of Python and numpy: a program that draws from them draws anew in each call."""

import random
from typing import Any

import numpy as np
import torch

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import built


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_python_random_number_in_a_program(check: Check) -> None:
    """`random.random` and its kin are drawn at each call, from the caller's stream, and never frozen into the graph."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        return a * random.random() + random.uniform(2.0, 3.0), random.randint(0, 1000)

    check(program, tensor(4)).drew_random()


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_python_draw_that_nobody_uses(check: Check) -> None:
    """A Python draw that is thrown away advances Python's generator all the same."""

    def program(a: torch.Tensor) -> torch.Tensor:
        random.random()
        return a * random.random()

    check(program, tensor(4)).drew_random()


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_python_seed_set_by_the_program(check: Check) -> None:
    """`random.seed` in the program holds for its next draw and for the caller's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        random.seed(42)
        return a * random.random()

    check(program, tensor(4)).drew_random()


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_random_object_handed_to_the_program(check: Check) -> None:
    """A `random.Random` of one's own goes on where its last draw ended, and the module's generator is left alone."""

    def program(a: torch.Tensor, own: random.Random, drawn: list[float]) -> torch.Tensor:
        first = own.random()
        drawn.append(own.uniform(0, 10))
        return a * first

    result = check(program, tensor(4), built(lambda: random.Random(9)), built(list))
    result.happened(not result.call.drew_random, "the module's generator staying as it was")
    result.values().expect("""\
out = float32[4] [0.3178, -1.218, -0.1107, -0.6399]
""")


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_choice_and_shuffle(check: Check) -> None:
    """`random.shuffle` orders a list of tensors, and `random.choice` picks one, as eager does at this call."""

    def program(a: torch.Tensor, order: list[int]) -> torch.Tensor:
        random.shuffle(order)
        return a[order] * random.choice([2.0, 3.0, 5.0, 7.0])

    result = check(program, tensor(5), built(lambda: [0, 1, 2, 3, 4])).drew_random()
    result.happened(result.call.entries["arg[1][0]"].detail != 0, "a shuffled list")


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_numpy_random_numbers_in_a_program(check: Check) -> None:
    """numpy's global generator gives a program the numbers that it gives eager."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        noise = torch.from_numpy(np.random.rand(4)) * float(np.random.uniform(1, 2))
        return a + noise, a * 2

    check(program, tensor(4)).drew_random()


@clause("T17", fullgraph=False)
def test_numpy_random_numbers_from_numpys_own_stream(check: Check) -> None:
    """With Dynamo's ``use_numpy_random_stream`` numpy's draws in a program come from numpy's own generator."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a + torch.from_numpy(np.random.rand(4)) * float(np.random.uniform(1, 2))

    check(program, tensor(4), config={"dynamo.use_numpy_random_stream": True}).drew_random()


@clause("T17", "randomness.python-and-numpy", fullgraph=False)
def test_branch_on_a_python_draw(check: Check) -> None:
    """A program that branches on Python's draw takes at each call the branch that eager takes."""

    def program(a: torch.Tensor, draws: int) -> torch.Tensor:
        for _ in range(draws):
            random.random()
        return a + 1 if random.random() < 0.6 else a * 2

    check(program, calls=[(tensor(4), draws) for draws in range(4)]).drew_random()


def drawing() -> Any:
    """A program that draws from a `random.Random` of its own."""
    own = random.Random(3)

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * own.randint(1, 1000)

    return program


@clause("T17", "randomness.python-and-numpy", shapes=("static", "dynamic"), fullgraph=False)
def test_random_object_of_ones_own_under_changing_sizes(check: Check) -> None:
    """A `random.Random` of one's own draws the next number in every call, whatever had to be compiled anew."""
    result = check(built(drawing), calls=[(tensor(*shape),) for shape in ((1,), (1, 5), (2, 2), (2, 3))])
    result.happened(not result.call.drew_random, "the module's generator staying as it was")
    result.values().expect("""\
out = float32[1] [167.5]
""")
    result.in_call(1).values().expect("""\
out = float32[1, 5] [[-305.2, -165.6, -41.3, 552.1, -290.5]]
""")
