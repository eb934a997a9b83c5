"""Strides and offsets of outputs: what eager's outputs have, whatever layout the compiler prefers inside."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T7.10", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_expanded_output(check: Check) -> None:
    """An expanded intermediate, returned, keeps stride 0 and its small memory: it is not materialised."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().expand(3, 4)

    result = check(program, tensor(4))
    result.strides("out", 0, 1).storage_bytes("out", 16)
    result.values().expect("""\
out = float32[3, 4] [[0.6338, -0.4895, -0.2367, -0.9822], [0.6338, -0.4895, -0.2367, -0.9822], [0.6338, -0.4895,
    -0.2367, -0.9822]]
""")


@clause("T7.10", "A17", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_gradient_of_windows_that_are_returned(check: Check) -> None:
    """Windows of an intermediate that overlap, returned as they are, take any gradient: shared elements add theirs."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (a * 2).unfold(0, 3, 2), (b * 3).as_strided((4, 3), (2, 1), 1)

    check(program, tensor(7), tensor(3, 4)).strides("out[0]", 2, 1).strides("out[1]", 2, 1).gradient(0, 1)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_permuted_output(check: Check) -> None:
    """A permuted intermediate, returned, keeps its permuted strides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().permute(2, 0, 1)

    result = check(program, tensor(2, 3, 4)).strides("out", 1, 12, 4)
    result.values().expect("""\
out = float32[4, 2, 3] [[[-0.3822, -0.3806, 0.268], [-0.9764, -0.5604, 0.9619]], [[-0.9206, 0.7758, -0.4893],
    [-0.1036, -0.8811, -0.8811]], [[0.9983, -0.7042, -0.997], [-0.4055, -0.9751, 0.9825]], [[-0.7358, 0.9178,
    0.9975], [-0.837, -0.1923, -0.8348]]]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_channels_last_output(check: Check) -> None:
    """A pointwise op on a channels_last input returns channels_last strides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.relu() + 1

    strides = (60, 1, 15, 3)
    result = check(program, tensor(2, 3, 4, 5, strides=strides)).strides("out", *strides)
    result.values().expect("""\
out = float32[2, 3, 4, 5] [1, 1, 2.512, 1, 1, 1.888, 1, 2.979, 1.233, 1, 1, 1.982, ..., 1.447, 1, 1, 1]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_output_made_channels_last(check: Check) -> None:
    """An output that the program itself converts to channels_last has these strides, and is no alias of its input."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).contiguous(memory_format=torch.channels_last)

    result = check(program, tensor(2, 3, 4, 5)).strides("out", 60, 1, 15, 3).distinct("out", 0)
    result.values().expect("""\
out = float32[2, 3, 4, 5] [-0.7843, -2.339, 3.023, -1.654, -0.7809, 1.776, -1.563, 3.958, 0.4662, -0.4096, -1.36,
    1.965, ..., 0.8949, -1.07, -0.3498, -1.838]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_output_of_a_transposed_operand(check: Check) -> None:
    """A pointwise op on a transposed input returns transposed strides; made contiguous, it returns contiguous ones."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.t().sin()
        return b, b.contiguous()

    result = check(program, tensor(3, 4)).strides("out[0]", 1, 4).strides("out[1]", 3, 1)
    result.values().expect("""\
out[0] = float32[4, 3] [[0.6338, -0.4404, -0.9053], [-0.4895, 0.8496, -0.7952], [-0.2367, -0.9999, 0.1661],
    [-0.9822, 0.7838, -0.1411]]
out[1] = float32[4, 3] [[0.6338, -0.4404, -0.9053], [-0.4895, 0.8496, -0.7952], [-0.2367, -0.9999, 0.1661],
    [-0.9822, 0.7838, -0.1411]]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_reshape_that_must_copy(check: Check) -> None:
    """reshape of a transposed input copies, reshape of a plain one is a view: memory is shared where eager's is."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t().reshape(-1), a.reshape(-1)

    check(program, tensor(2, 3)).distinct("out[0]", 0).aliases("out[1]", 0)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_strides_kept_by_clone(check: Check) -> None:
    """clone of a dense permuted tensor keeps its strides, clone of an expanded one is contiguous."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t().clone(), a[0].expand(2, 4).clone()

    result = check(program, tensor(3, 4)).strides("out[0]", 1, 4).strides("out[1]", 4, 1)
    result.values().expect("""\
out[0] = float32[4, 3] [[0.6865, -0.4561, -1.132], [-2.63, 1.015, -2.222], [-0.239, -1.587, 0.1669], [-1.382,
    0.9008, -0.1415]]
out[1] = float32[2, 4] [[0.6865, -2.63, -0.239, -1.382], [0.6865, -2.63, -0.239, -1.382]]
""")


@clause("T7.10", "T3.4", modes=("train", "no_grad"), entry=ANY)
def test_strides_kept_by_an_in_place_op(check: Check) -> None:
    """An in-place op on a permuted intermediate leaves its strides, whatever layout its other operand has."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a.sin().t()
        c.add_(b)
        return c

    result = check(program, tensor(3, 4), tensor(4, 3)).strides("out", 1, 4)
    result.values().expect("""\
out = float32[4, 3] [[-1.679, -1.027, -1.387], [-0.9048, -1.392, -1.442], [0.7147, -0.8284, -0.6043], [-2.841,
    0.4168, 0.01362]]
""")


@clause("T7.10", "T7.2", modes=("train", "no_grad"))
def test_strides_of_columns_as_another_dtype(check: Check) -> None:
    """Columns of an intermediate, viewed as numbers of another dtype as wide, keep the strides that they have."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        b = a * 2
        return {"first": b[:, :2].view(torch.int32), "last": (a * 3)[:, 1:].view(torch.int32)}

    result = check(program, tensor(3, 4)).strides("out['first']", 4, 1).strides("out['last']", 4, 1)
    result.computed()


@clause("T7.10", "T7.2", modes=("train", "no_grad"))
def test_strides_of_views_as_another_dtype(check: Check) -> None:
    """All columns of an intermediate, columns of it in another width, and columns of an argument have their strides."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "all": (a * 2).view(torch.int16),
            "narrower": (a * 3)[:, :2].view(torch.int16),
            "argument": a[:, :2].view(torch.int32),
        }

    result = check(program, tensor(3, 4)).strides("out['narrower']", 8, 1).strides("out['argument']", 4, 1)
    result.aliases("out['argument']", 0).computed()
