"""Pieces that are joined: what is taken of all of them, a function, a view or parts, is that of what they became."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, leaf, tensor


@clause("inductor.fusion", "numbers.near-misses")
def test_functions_of_the_bits_of_joined_pieces(check: Check) -> None:
    """A function of joined pieces that are seen as another dtype takes what is seen, not the pieces."""

    def program(a: torch.Tensor, b: torch.Tensor, bits: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "signed": torch.cat([a, b]).view(torch.int8).relu(),
            "by name": torch.relu(torch.cat([b, a]).view(dtype=torch.int8)),
            "wider": torch.cat([a, b], 1).view(torch.int16).relu(),
            "after a view": torch.cat([a, a]).view(-1).view(torch.int8).relu(),
            "floats": torch.cat([bits, bits + 1]).view(torch.float32).tanh(),
        }

    one, other = (tensor(1, 2, dtype=torch.uint8, values=[values]) for values in ([1, 200], [255, 3]))
    bits = tensor(2, dtype=torch.int32, values=[0x3F000000, -0x41800000])  # 0.5 and -0.25.
    check(program, one, other, bits).values().expect("""\
out['signed'] = int8[2, 2] [[1, 0], [0, 3]]
out['by name'] = int8[2, 2] [[0, 3], [1, 0]]
out['wider'] = int16[1, 2] [[0, 1023]]
out['after a view'] = int8[4] [1, 0, 1, 0]
out['floats'] = float32[4] [0.4621, -0.2449, 0.4621, -0.2449]
""")


@clause("inductor.fusion", "numbers.near-misses")
def test_functions_of_joined_pieces(check: Check) -> None:
    """A function of joined pieces is that of the joint: in other shapes, along any dimension, of several dtypes."""

    def program(a: torch.Tensor, b: torch.Tensor, whole: torch.Tensor, small: torch.Tensor) -> dict[str, torch.Tensor]:
        twice = torch.cat([b, a])
        return {
            "seen otherwise": torch.cat([a, b]).view(3, 4).relu(),
            "seen twice": torch.cat([a, b], 1).view(-1).view(4, 3).tanh(),
            "from the end": torch.cat((a * 2, b), dim=-1).tanh(),
            "by names": torch.cat(tensors=[a * 3, b], dim=1).relu(),
            "used twice": twice.relu() + twice,
            "alone": torch.cat([a * 4]).tanh(),
            "with a whole": torch.cat([whole, a]).relu(),
            "whole numbers": torch.cat([small, whole.to(torch.int8)]).relu(),
            "halves": torch.cat([a.half(), b.bfloat16()]).tanh(),
            "another function": torch.cat([whole > 0, a.half()]).sigmoid(),
            "bits before": torch.cat([small.view(torch.int8), small.view(torch.int8) - 1]).relu(),
            "bits after": torch.cat([small, small]).relu().view(torch.int8),
            "bits of a stack": torch.stack([small, small]).view(torch.int8).relu(),
            "by another name": functional.relu(torch.cat([small, small]).view(torch.int8)),
        }

    inputs = (
        tensor(2, 3),
        tensor(2, 3),
        tensor(2, 3, dtype=torch.int64, values=[[-1, 0, 2], [3, -4, 5]]),
        tensor(2, 3, dtype=torch.uint8, values=[[200, 1, 255], [0, 7, 128]]),
    )
    check(program, *inputs).computed()


@clause("inductor.fusion", "numbers.promotion")
def test_functions_of_pieces_that_become_doubles(check: Check) -> None:
    """A function of whole numbers or single precision that were joined with doubles has all digits of doubles."""

    def program(a: torch.Tensor, whole: torch.Tensor, wide: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "with a wide": torch.cat([a, wide]).tanh(),
            "whole and wide": torch.cat([whole, wide]).tanh(),
            "in columns": torch.cat([wide, a], 1).view(-1).tanh(),
        }

    inputs = (
        tensor(2, 3),
        tensor(2, 3, dtype=torch.int64, values=[[-1, 0, 2], [3, -4, 5]]),
        tensor(2, 3, dtype=torch.float64),
    )
    check(program, *inputs).computed()


@clause("inductor.fusion", "numbers.promotion")
def test_functions_of_pieces_that_become_halves(check: Check) -> None:
    """A function of truths or whole numbers that were joined with numbers of sixteen bits has sixteen bits."""

    def program(truths: torch.Tensor, whole: torch.Tensor, small: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "truths": torch.cat([truths, small]).tanh(),
            "whole": torch.tanh(torch.cat([small, whole])),
            "in bfloat16": torch.cat([whole, small.bfloat16()], 0).tanh(),
        }

    inputs = (
        tensor(2, dtype=torch.bool, values=[True, False]),
        tensor(2, dtype=torch.int32, values=[1, -2]),
        tensor(2, dtype=torch.float16, grad=False, values=[0.5, -1.5]),
    )
    check(program, *inputs).values().expect("""\
out['truths'] = float16[4] [0.7617, 0, 0.4622, -0.9053]
out['whole'] = float16[4] [0.4622, -0.9053, 0.7617, -0.9639]
out['in bfloat16'] = bfloat16[4] [0.7617, -0.9648, 0.4629, -0.9062]
""")


@clause("inductor.fusion", "numbers.promotion")
def test_positive_part_of_truths_that_become_numbers(check: Check) -> None:
    """Truths that are joined with numbers are numbers, and have a positive part."""

    def program(truths: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return torch.cat([truths, a]).relu()

    truths = tensor(16, dtype=torch.bool, values=[True, False, True, True] * 4)
    check(program, truths, tensor(16)).values().expect("""\
out = float32[32] [1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1.512, 0, 0, 0.8879, 0, 1.979, 0.2331, 0,
    0, 0.9823, 0.1921, 0, 1.057, 0]
""")


@clause("inductor.fusion", "T3.5")
def test_function_of_joined_pieces_that_is_written_to_a_place(check: Check) -> None:
    """A function of joined pieces with `out` writes all of the joint to its place."""

    def program(a: torch.Tensor, b: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        torch.tanh(torch.cat([a, b]), out=place)
        return place * 2

    check(program, tensor(1), tensor(1), tensor(2)).mutated(2).values().expect("""\
out = float32[2] [1.191, -1.979]
arg[2] = float32[2] [0.5957, -0.9897]
""")


@clause("inductor.fusion", "T3.5")
def test_joined_pieces_that_are_written_to_a_place(check: Check) -> None:
    """A joint with `out`, and other functions of joints with it, write all of it to their place."""

    def program(a: torch.Tensor, b: torch.Tensor, place: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        torch.cat([a, b], out=place)
        torch.sigmoid(torch.cat([b, a]), out=other)
        return place.tanh() + other

    check(program, tensor(2), tensor(1), tensor(3), tensor(3)).mutated(2).mutated(3).computed()


@clause("inductor.fusion", "numbers.near-misses", modes="train")
def test_function_of_joined_pieces_under_no_grad(check: Check) -> None:
    """Joined with gradients on and taken under `no_grad`, a function hands none to the pieces."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        joined = torch.cat([a, b])
        with torch.no_grad():
            gate = torch.tanh(joined)
        return gate * a.sum()

    check(program, leaf(1, values=[0.5]), leaf(1, values=[0.25])).gradient(0).computed()


@clause("inductor.fusion", "numbers.near-misses", modes="train")
def test_result_under_no_grad_of_joined_pieces(check: Check) -> None:
    """A function that is taken under `no_grad` of joined pieces requires no gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        joined = torch.cat([a, b])
        with torch.no_grad():
            positive = joined.relu()
        return positive, a * 2

    check(program, tensor(3), tensor(3)).gradient(0).computed()


@clause("inductor.fusion", "numbers.near-misses", modes="train")
def test_pieces_and_functions_on_both_sides_of_no_grad(check: Check) -> None:
    """What is joined under `no_grad` has no gradient whatever is made of it, and other functions there have none."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        joined, stacked, used = torch.cat([a, b]), torch.stack([a, b]), torch.cat([b, a])
        with torch.no_grad():
            found = {"another": joined.sigmoid(), "stacked": stacked.tanh(), "used": used.tanh()}
            inner = torch.cat([a, b * 2])
            with torch.enable_grad():
                found["with gradients"] = torch.cat([a * 2, b]).tanh()
        return {**found, "joined there": inner.tanh() * a.sum(), "of both": used * 2}

    check(program, tensor(3), tensor(3)).gradient(0, 1).computed()


@clause("inductor.fusion", "numbers.promotion")
def test_parts_of_joined_pieces_of_several_dtypes(check: Check) -> None:
    """Pieces of several dtypes that are joined have one, and so has each part when they are split again."""

    def program(small: torch.Tensor, a: torch.Tensor, wide: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        return {
            "floats": [part * 2 for part in torch.cat([small * 2, a * 2], 1).split([2, 3], 1)],
            "whole": [part * 3 for part in torch.cat([small * 3, wide * 2], 1).split([2, 3], 1)],
            "three": [part * 4 for part in torch.cat([a, wide * 3, small], 1).split([3, 3, 2], 1)],
        }

    inputs = (
        tensor(1, 2, dtype=torch.uint8, values=[[70, 90]]),
        tensor(1, 3, values=[[1.0, -2.0, 0.5]]),
        tensor(1, 3, dtype=torch.int64, values=[[7, 8, 9]]),
    )
    check(program, *inputs).values().expect("""\
out['floats'][0] = float32[1, 2] [[280, 360]]
out['floats'][1] = float32[1, 3] [[4, -8, 2]]
out['whole'][0] = int64[1, 2] [[630, 42]]
out['whole'][1] = int64[1, 3] [[42, 48, 54]]
out['three'][0] = float32[1, 3] [[4, -8, 2]]
out['three'][1] = float32[1, 3] [[84, 96, 108]]
out['three'][2] = float32[1, 2] [[280, 360]]
""")


@clause("inductor.fusion", "numbers.promotion")
def test_other_parts_of_joined_pieces(check: Check) -> None:
    """Parts of joined pieces along another dimension, of other sizes, in pairs or one by one have the joint's dtype."""

    def program(small: torch.Tensor, a: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        return {
            "other sizes": [part * 2 for part in torch.cat([small * 2, a * 2], 1).split([1, 3], 1)],
            "rows": [part * 3 for part in torch.cat([small * 3, a * 3], 0).split([1, 1], 0)],
            "in two": [part * 4 for part in torch.cat([small * 4, a * 4], 1).chunk(2, 1)],
            "one by one": [part * 5 for part in torch.stack([small * 5, a * 5], 1).unbind(1)],
            "one dtype": [part * 6 for part in torch.cat([a * 6, a * 7], 1).split([2, 2], 1)],
        }

    small, a = tensor(1, 2, dtype=torch.uint8, values=[[70, 90]]), tensor(1, 2, values=[[1.0, -2.0]])
    check(program, small, a).values().expect("""\
out['other sizes'][0] = float32[1, 1] [[280]]
out['other sizes'][1] = float32[1, 3] [[360, 4, -8]]
out['rows'][0] = float32[1, 2] [[630, 42]]
out['rows'][1] = float32[1, 2] [[9, -18]]
out['in two'][0] = float32[1, 2] [[96, 416]]
out['in two'][1] = float32[1, 2] [[16, -32]]
out['one by one'][0] = float32[1, 2] [[470, 970]]
out['one by one'][1] = float32[1, 2] [[25, -50]]
out['one dtype'][0] = float32[1, 2] [[36, -72]]
out['one dtype'][1] = float32[1, 2] [[42, -84]]
""")


@clause("inductor.fusion", "T7.9")
def test_parts_of_a_joint_share_its_memory(check: Check) -> None:
    """Parts that are split off a joint are views of it: all of one memory, and none of it an argument's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.cat([a, b], 1).split([2, 3], 1)

    check(program, tensor(2, 2), tensor(2, 3)).distinct("out[0]", 0).distinct("out[1]", 1).computed()


@clause("inductor.fusion", "T7.9")
def test_joint_of_all_parts_is_no_argument(check: Check) -> None:
    """All parts of an argument that are joined again are a tensor of its own memory, along each dimension."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = torch.cat(b.chunk(2))
        return torch.cat(a.split([2, 3], 1), 1), rows, torch.cat(torch.split(c, 1, 1), 1), rows.t()

    found = check(program, tensor(2, 5), tensor(4, 2), tensor(2, 3))
    found.distinct("out[0]", 0).distinct("out[1]", 1).distinct("out[2]", 2).computed()


@clause("inductor.fusion", "T3.5")
def test_writes_to_parts_of_joined_arguments(check: Check) -> None:
    """What is written to parts of a joint reaches the joint, and none of the arguments that were joined."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        joined = torch.cat([a, b], 1)
        left, right = joined.split([2, 3], 1)
        left.mul_(3)
        right[:, 1:].add_(left)
        first, last = torch.cat([b, a], 1).split([3, 2], 1)
        return joined * 2, first.sub_(1) * 2, last.neg_() * 3

    check(program, tensor(2, 2), tensor(2, 3)).unchanged(0).unchanged(1).computed()
