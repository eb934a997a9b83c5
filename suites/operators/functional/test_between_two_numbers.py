"""Interpolation between two numbers, by tensors and by numbers, near and beyond both ends."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_linear_interpolation(check: Check) -> None:
    """From the start or from the end, by whichever is nearer; with a weight of one the end is met exactly."""
    weights = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5]

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        last = image.to(memory_format=torch.channels_last)
        return {
            "below half": torch.lerp(a, b, 0.3),
            "above half": torch.lerp(a, b, 0.7),
            "beyond": torch.lerp(a, b, -1.5),
            "end": torch.lerp(a * 1e8, b, 1.0),
            "weights": torch.lerp(a, b, weight),
            "broadcast": torch.lerp(a[:1], b, weight),
            "in the order of the start": torch.lerp(last, image.flip(1), 0.25),
            "near the end, in the order of the start": torch.lerp(last, image.flip(1), 0.75),
        }

    check(program, tensor(7), tensor(7), tensor(7, values=weights), tensor(1, 2, 2, 2)).values().expect("""\
out['below half'] = float32[7] [0.7508, -2.181, -0.834, -0.9173, -0.3617, 0.01664, -1.287]
out['above half'] = float32[7] [0.8365, -1.581, -1.627, -0.2978, -0.2359, -1.315, -0.8864]
out['beyond'] = float32[7] [0.365, -4.877, 2.736, -3.705, -0.9278, 6.008, -3.087]
out['end'] = float32[7] [0.9008, -1.132, -2.222, 0.1669, -0.1415, -2.313, -0.5863]
out['weights'] = float32[7] [0.5793, -2.63, -0.7348, -0.6075, -0.2202, -2.313, -0.08619]
out['broadcast'] = float32[7] [0.5793, 0.6865, -0.04073, 0.4267, 0.06545, -2.313, -1.223]
out['in the order of the start'] = float32[1, 2, 2, 2] [[[[-0.1232, -0.2686], [-1.874, -0.9501]], [[0.5932, 0.0248],
    [-1.138, -1.556]]]]
out['near the end, in the order of the start'] = float32[1, 2, 2, 2] [[[[0.5932, 0.0248], [-1.138, -1.556]],
    [[-0.1232, -0.2686], [-1.874, -0.9501]]]]
""")


@clause("numbers.options", modes="train")
def test_interpolation_in_the_order_of_its_start(check: Check) -> None:
    """With weights that lie otherwise in memory, what comes between lies as the start does."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.lerp(a.to(memory_format=torch.channels_last), b, b.abs())

    check(program, tensor(1, 2, 2, 2), tensor(1, 2, 2, 2)).gradient(0, 1).strides("out", 8, 1, 4, 2)


@clause("numbers.options", modes="train")
def test_interpolation_by_a_number_in_the_order_of_its_start(check: Check) -> None:
    """What comes between by a number lies as the start does, near it, near the end and beyond both."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        start = a.to(memory_format=torch.channels_last)
        return tuple(torch.lerp(start, b, weight) for weight in (0.25, 0.75, 1.5, -0.5))

    result = check(program, tensor(1, 2, 2, 2), tensor(1, 2, 2, 2)).gradient(0, 1)
    for number in range(4):
        result.strides(f"out[{number}]", 8, 1, 4, 2)


@clause("numbers.options", modes="train")
def test_interpolation_towards_an_end_in_another_order(check: Check) -> None:
    """What is interpolated lies in memory as the start does, also where it is nearer to an end that lies otherwise."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.lerp(a, b.to(memory_format=torch.channels_last), 0.75)

    check(program, tensor(1, 2, 2, 2), tensor(1, 2, 2, 2)).gradient(0, 1).strides("out", 8, 4, 2, 1)


@clause("numbers.options", modes="train")
def test_interpolation_by_a_complex_weight(check: Check) -> None:
    """A complex weight leads from one complex number towards another, and beyond, also where it is a number."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"number": torch.lerp(a, b, 0.3 + 1j), "weights": torch.lerp(a, b, weight)}

    given = [tensor(3, dtype=torch.complex64, values=values) for values in ([1, 2j, -1 + 1j], [2, 1, 4j], [1j, 1, 2])]
    check(program, *given).gradient(0, 1, 2).values().expect("""\
out['number'] = complex64[3] [1.3+1j, 2.3+2.4j, -3.7+2.9j]
out['weights'] = complex64[3] [1+1j, 1+0j, 1+7j]
""")
