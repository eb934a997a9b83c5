"""Freezing: weights become constants of the code, and what is computed of them alone is computed once."""

import torch

from suites.harness import Check, built, clause, tensor
from suites.lowering.frozen import FREEZING


class Folded(torch.nn.Module):
    """A linear map whose weight is computed of a parameter and a buffer."""

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4) * scale)
        self.register_buffer("shift", torch.arange(4.0) * scale)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: [rows, 4]; so is the result."""
        return (a @ (self.weight.t() * 2 + 1) + torch.as_tensor(self.shift).exp()).relu()


class Normalized(torch.nn.Module):
    """A convolution and a batch norm in evaluation, which freezing makes one."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(2, 3, 3)
        self.norm = torch.nn.BatchNorm2d(3)
        self.norm.running_mean = torch.tensor([0.5, -1.0, 2.0])
        self.norm.running_var = torch.tensor([4.0, 0.25, 1.0])
        self.eval()

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: [batch, 2, height, width]."""
        return torch.as_tensor(self.norm(self.convolution(a)))


class Pair(torch.nn.Module):
    """Two modules of one class with weights of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = Folded(1.0).eval(), Folded(-3.0).eval()
        self.eval()

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``a``: [rows, 4]; so are both results."""
        return self.one(a), self.other(a) - a


@clause("inductor.freezing", shapes=("static", "dynamic"), on=("inductor",))
def test_weights_folded_into_constants(check: Check) -> None:
    """What is computed of weights alone is folded; results are eager's, parameters and buffers stay as they were."""
    result = check(built(lambda: Folded().eval()), tensor(3, 4), config=FREEZING)
    result.shape("out", 3, 4).happened(not any("weight" in path for path in result.call.changed), "weights kept")
    result.values().expect("""\
out = float32[3, 4] [[3.27, 2.676, 9.893, 10.32], [0, 0.4146, 3.848, 18.37], [5.381, 0, 8.975, 11.43]]
""")


@clause("inductor.freezing", on=("inductor",))
def test_convolution_and_batch_norm(check: Check) -> None:
    """A batch norm in evaluation is folded into the weights of the convolution before it."""
    check(built(Normalized), tensor(1, 2, 5, 5), config=FREEZING).values().expect("""\
out = float32[1, 3, 3, 3] [[[[-0.01934, 0.3161, -0.4684], [-0.1052, -0.1722, -0.1987], [-0.2212, 0.04524, -0.419]],
    [[3.766, 2.14, 4.267], [0.8617, 3.87, 1.373], [-0.2181, 2.369, 0.01147]], [[-2.909, -1.937, -2.096], [-2.024,
    -0.9945, -2.023], [-1.708, -1.644, -1.762]]]]
""")


@clause("inductor.freezing", on=("inductor",))
def test_two_modules_of_one_class(check: Check) -> None:
    """The constants of one module are not those of another of the same class."""
    result = check(built(Pair), tensor(2, 4), config=FREEZING).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[2, 4] [[3.27, 2.676, 9.893, 10.32], [0, 0.4146, 3.848, 18.37]]
out[1] = float32[2, 4] [[-0.6865, 2.63, 0.239, 11.49], [9.064, -1.015, 4.439, 6.68]]
""")


@clause("inductor.freezing", modes="train", on=("inductor",))
def test_nothing_is_frozen_where_gradients_are_wanted(check: Check) -> None:
    """With gradients on, freezing leaves a module its parameters: each gets its gradient."""
    result = check(built(Folded), tensor(3, 4), config=FREEZING)
    result.happened(len([leaf for leaf in result.call.gradients.values() if leaf is not None]) >= 2, "gradients")


class Returned(torch.nn.Module):
    """What is computed of a buffer alone is returned beside a product."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("shift", torch.arange(1.0, 41.0).view(10, 4))
        self.eval()

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``a``: [10, 4]; so are both results."""
        return a * torch.as_tensor(self.shift), torch.as_tensor(self.shift) * 2


@clause("inductor.freezing", on=("inductor",))
def test_result_of_constants_alone(check: Check) -> None:
    """What is computed of weights alone and returned is a tensor of its own: a write to it reaches no later call."""
    result = check(built(Returned), tensor(10, 4), config=FREEZING).shape("out[1]", 10, 4)
    result.happened(result.call.writes["out[1]"] == frozenset({"out[1]"}), "a write that stays where it is").computed()


class Convolutions(torch.nn.Module):
    """A dilated convolution, one that is turned round, and one of whose result a number a channel is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.dilated = torch.nn.Conv2d(2, 4, 3, dilation=2)
        self.turned = torch.nn.ConvTranspose2d(2, 3, 3, stride=2, padding=2, output_padding=1)
        self.plain = torch.nn.Conv2d(2, 3, 2)
        self.register_buffer("taken", torch.tensor([2.0, -3.0, 0.5]).view(3, 1, 1))
        self.eval()

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """``a``: [batch, 2, height, width]."""
        return self.dilated(a), self.turned(a), self.plain(a) - torch.as_tensor(self.taken)


class Scaled(torch.nn.Module):
    """Numbers of a fraction that are held as buffers and parameters of no dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(2.5))
        self.register_buffer("shift", torch.tensor(-0.75))
        self.register_buffer("wide", torch.tensor(0.125, dtype=torch.float64))
        self.register_buffer("truth", torch.tensor(True))
        self.eval()

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``a``: [rows, columns]; so are both results."""
        shift, wide, truth = (torch.as_tensor(each) for each in (self.shift, self.wide, self.truth))
        return a * self.scale + shift, torch.where(truth, a * wide, a)


@clause("inductor.freezing", on=("inductor",))
def test_numbers_that_a_module_holds(check: Check) -> None:
    """A number that a module holds is in the code as it is, with all of its places."""
    check(built(Scaled), tensor(2, 3), config=FREEZING).values().expect("""\
out[0] = float32[2, 3] [[0.9662, -7.325, -1.347], [-4.205, -1.89, 1.788]]
out[1] = float32[2, 3] [[0.08581, -0.3288, -0.02987], [-0.1727, -0.05701, 0.1269]]
""")


@clause("inductor.freezing", on=("inductor",))
def test_convolutions_with_options(check: Check) -> None:
    """Dilation, padding on either side, and what is taken of a result are kept where weights are laid out anew."""
    result = check(built(Convolutions), tensor(2, 2, 6, 7), config=FREEZING)
    result.shape("out[0]", 2, 4, 2, 3).shape("out[1]", 2, 3, 10, 12).shape("out[2]", 2, 3, 5, 6).computed()


@clause("inductor.freezing", "T3.5", on=("inductor",))
def test_written_buffer_that_shares_memory_with_another(check: Check) -> None:
    """A buffer that is written to beside one of the same memory leaves the argument, and the weights, what they are."""

    class Sharing(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            whole = torch.arange(8.0)
            self.register_buffer("weight", torch.full((4,), 3.0))
            self.register_buffer("written", whole[:4])
            self.register_buffer("read", whole[2:6])
            self.eval()

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            """``a``: [4]; so is the result."""
            torch.as_tensor(self.written).add_(1)
            return a * torch.as_tensor(self.read) + torch.as_tensor(self.weight)

    result = check(built(Sharing), calls=[(tensor(4),), (tensor(4),)], config=FREEZING)
    result.happened(any("written" in path for path in result.call.changed), "a write").computed()


@clause("inductor.freezing", on=("inductor",))
def test_written_buffer_beside_one_of_its_own_memory(check: Check) -> None:
    """A buffer that is written to, beside weights and buffers of other memory, is what it was left in each call."""

    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.full((4,), 3.0))
            self.register_buffer("written", torch.arange(4.0))
            self.register_buffer("read", torch.arange(4.0) * 2)
            self.eval()

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            """``a``: [4]; so is the result."""
            torch.as_tensor(self.written).add_(1)
            return a * torch.as_tensor(self.read) + self.weight * torch.as_tensor(self.written)

    result = check(built(Counting), calls=[(tensor(4),), (tensor(4),)], config=FREEZING)
    result.happened(any("written" in path for path in result.call.changed), "a write").computed()
