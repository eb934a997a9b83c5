"""Rewrites that a setting asks for: whatever is split, joined, batched or folded otherwise, the numbers are eager's."""

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor

#: Passes over what Dynamo captured. That which puts calls into one form comes first.
OF_PIECES: dict[str, object] = {
    "inductor.pre_grad_fusion_options": {
        "normalization_pass": {},
        "remove_split_with_size_one_pass": {},
        "merge_splits_pass": {},
        "split_cat_pass": {},
        "unbind_stack_pass": {},
        "einsum_to_pointwise_pass": {},
    }
}

#: Passes over the graph of forward or backward.
OF_OPERATORS: dict[str, object] = {
    "inductor.post_grad_fusion_options": {
        "normalization_aten_pass": {},
        "decompose_mm_pass": {},
        "split_cat_aten_pass": {},
        "select_cat_aten_pass": {},
        "unbind_stack_aten_pass": {},
        "move_view_after_cat_aten_pass": {},
    }
}

#: Operators of one kind become one of a batch, from two on.
OF_BATCHES: dict[str, object] = {
    "inductor.pre_grad_fusion_options": {
        name: {"min_fuse_set_size": 2}
        for name in (
            "batch_linear",
            "batch_linear_lhs",
            "batch_layernorm",
            "batch_tanh",
            "batch_sigmoid",
            "batch_relu",
            "batch_detach",
            "batch_nan_to_num",
            "batch_clamp",
            "batch_dropout",
        )
    }
}


@clause("inductor.optional-passes", modes="train", on=("inductor",))
def test_pieces_split_joined_and_stacked(check: Check) -> None:
    """Pieces that are split, some again, and joined, stacked or summed: in order, out of it, not all, along another."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        first, second, third = torch.split(a, [2, 3, 4], 1)
        one, two = torch.split(second, [1, 2], dim=1)
        halves = torch.split(b, 2, dim=0)
        rows = torch.unbind(b, dim=1)
        chunks = a.split(3, dim=-1)
        (whole,) = torch.split(a, [9], 1)
        return {
            "in order": torch.cat([first, second, third], 1) * 2,
            "out of order": torch.cat([third, first, second], dim=1) * 3,
            "some": torch.cat([first, third], dim=-1) * 4,
            "beside another": torch.cat([first, second, b[:4, :2]], 1) * 5,
            "along the other": torch.cat([chunks[0], chunks[1], chunks[2]], 0) * 6,
            "split again": torch.cat([one, third, two], 1) * 7,
            "stacked": torch.stack([chunks[0], chunks[2], chunks[1]], dim=1) * 8,
            "stacked last": torch.stack(chunks, -1) * 9,
            "rows": torch.stack(rows, dim=0) * 10,
            "rows in place": torch.stack(rows, 1) * 11,
            "some rows": torch.stack([rows[2], rows[0]], 0) * 12,
            "rows joined": torch.cat([rows[0], rows[1], rows[2]], 0) * 13,
            "squeezed": torch.cat([piece.squeeze(0) for piece in torch.split(b[:3], 1, 0)]) * 14,
            "of halves": torch.cat([halves[1], halves[0]], 0) * 15 + torch.cat(list(halves), 0),
            "whole": whole.clamp(-1, max=0.5) * 17,
            "summed": torch.einsum("ij,ij->i", a, a) + torch.einsum("bi,bj->bj", a[:, :2], a).sum(1),
        }

    check(program, tensor(4, 9), tensor(4, 3), config=OF_PIECES).gradient(0, 1).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_stack_of_unbound_rows_as_slices(check: Check) -> None:
    """Rows that are unbound along one dimension and stacked along another are where they are without slices of them."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.stack(torch.unbind(a, dim=1), dim=0) * 2

    passes: dict[str, object] = {"normalization_pass": {}, "unbind_stack_to_slices_pass": {}}
    check(program, tensor(3, 4), config={"inductor.pre_grad_fusion_options": passes}).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_stack_of_reshaped_pieces(check: Check) -> None:
    """Pieces that are given another shape each, and stacked, are what one of all of them is."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.stack([torch.reshape(piece, (2, 6)) for piece in a.split(3, dim=-1)], 0) * 2

    passes: dict[str, object] = {"normalization_pass": {}, "move_reshape_out_of_split_stack_pass": {}}
    check(program, tensor(4, 9), config={"inductor.pre_grad_fusion_options": passes}).computed()


def of_pieces(name: str) -> dict[str, object]:
    """The settings for one pass over pieces, after that which puts calls into one form."""
    return {"inductor.pre_grad_fusion_options": {"normalization_pass": {}, name: {}}}


@clause("inductor.optional-passes", "T3.5", on=("inductor",))
def test_joint_of_pieces_that_is_written_to(check: Check) -> None:
    """A joint of pieces that lay beside each other is a copy: what is written to it is not written to them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        whole = a * 2
        first, second, _ = whole.split([3, 2, 4], 1)
        joint = torch.cat([first, second], 1)
        joint.add_(1)
        return joint, whole

    check(program, tensor(4, 9), config=of_pieces("merge_getitem_cat_pass")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_joint_beside_a_piece_of_nothing(check: Check) -> None:
    """A piece of no elements counts among the pieces: those after it are joined, and not those before them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        _, first, second, third = a.split([0, 3, 2, 4], 1)
        return torch.cat([first, second], 1) + 1, third * 2

    check(program, tensor(4, 9), config=of_pieces("merge_getitem_cat_pass")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_joint_of_pieces_of_two_tensors(check: Check) -> None:
    """Pieces of two tensors that are joined are of both, though one of them has as many."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a.split([4, 5], 1)[0], b.split([4, 5], 1)[1]], 1) * 2

    check(program, tensor(4, 9), tensor(4, 9), config=of_pieces("split_cat_to_slices_pass")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_joint_of_pieces_along_another_dimension(check: Check) -> None:
    """All pieces in their order are what was split only if they are joined along the dimension that it was split in."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.cat(a.split(3, 1), 0) * 2

    check(program, tensor(4, 9), config=of_pieces("split_cat_to_slices_pass")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_joint_of_rows_backwards(check: Check) -> None:
    """All rows that are joined in another order than theirs are in that one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.cat(torch.unbind(a)[::-1]) * 2

    check(program, tensor(4, 9), config=of_pieces("unbind_cat_to_view_pass")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_stack_of_pieces_of_two_tensors(check: Check) -> None:
    """Pieces of two tensors that are stacked are of both."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        first, second, _ = a.split(3, 1)
        return torch.stack([first, second, b.split(3, 1)[2]], 1) * 2

    check(program, tensor(4, 9), tensor(4, 9), config=of_pieces("split_stack_to_cats_pass")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_stack_of_pieces_along_a_later_dimension(check: Check) -> None:
    """Pieces of rows that are stacked along a new last dimension are columns there."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.stack(a.split(2), 2) * 2

    check(program, tensor(4, 9), config=of_pieces("split_stack_to_cats_pass")).computed()


@clause("inductor.optional-passes", "T3.5", on=("inductor",))
def test_writes_between_pieces_and_their_joints(check: Check) -> None:
    """What is written to a tensor or to its pieces after they are taken and before they are joined is in the joint."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        whole, other = a * 2, b * 3
        first, second, third = torch.split(whole, [2, 3, 4], 1)
        second.add_(1)
        joint = torch.cat([first, second, third], 1)
        whole.mul_(2)
        rows = torch.unbind(other, dim=1)
        rows[1].neg_()
        stacked = torch.stack(rows, dim=1)
        other[0] = 5.0
        return {"joint": joint, "pieces": torch.cat([third, first, second], 1) + 1, "rows": stacked, "other": other}

    check(program, tensor(4, 9), tensor(4, 3), config=OF_PIECES).computed()


@clause("inductor.optional-passes", modes="train", on=("inductor",))
def test_operators_in_other_operators(check: Check) -> None:
    """Small products become sums of products, and pieces of the graphs are joined by slices."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, batch: torch.Tensor) -> dict[str, torch.Tensor]:
        first, second, third = (a * 2).split([1, 2, 1], 1)
        return {
            "product": a[:1] @ b,
            "with a sum": torch.addmm(c, a[:1] * 2, b),
            "batched": torch.bmm(batch[:1], batch[:1].transpose(1, 2)),
            "larger": a @ b * 3,
            "joined": torch.cat([first, second, third], 1) * 4,
            "some": torch.cat([third, first], 1) * 5,
            "selected": torch.cat([a.select(0, 1), a.select(0, 0)], 0) * 6,
            "unbound": torch.stack((a + 1).unbind(0), 0) * 7,
            "turned": torch.stack((a + 2).unbind(0)[::-1], 1) * 8,
            "viewed": torch.cat([(a + 3).view(4, 3), (a + 4).view(4, 3)], 1) * 9,
        }

    check(program, tensor(3, 4), tensor(4, 5), tensor(5), tensor(3, 2, 4), config=OF_OPERATORS).gradient(
        0, 1, 2, 3
    ).computed()


@clause("inductor.optional-passes", modes="train", on=("inductor",))
def test_operators_of_one_kind_in_a_batch(check: Check) -> None:
    """Linear maps with and without a bias, norms and activations in a batch keep their own operands and options."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor, other: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "linear": functional.linear(a, weight, other[0]) - functional.linear(b, other, weight[1]),
            "without a bias": functional.linear(a * 2, other) * functional.linear(b * 2, weight),
            "of one input": functional.linear(a, weight * 2) + functional.linear(a, other * 3) * 2,
            "normalised": functional.layer_norm(a, (4,), weight[0], other[1], 1e-2)
            + functional.layer_norm(b, (4,), other[2], weight[3], 1e-2) * 2,
            "other eps": functional.layer_norm(a * 3, (4,), eps=0.5) - functional.layer_norm(b * 3, (4,), eps=0.25),
            "tanh": torch.tanh(a) - torch.tanh(b) * 2,
            "sigmoid": torch.sigmoid(a) - torch.sigmoid(b) * 3,
            "relu": functional.relu(a) - functional.relu(b) * 4,
            "bounded": torch.clamp(a, min=-0.5, max=0.5) - torch.clamp(b, min=-0.5, max=0.5) * 5,
            "other bounds": torch.clamp(a, min=0.1) - torch.clamp(b, max=0.2) * 6,
            "numbers": torch.nan_to_num(a / 0.0, nan=1.0) - torch.nan_to_num(b / 0.0, posinf=2.0, neginf=-3.0),
        }

    parts = (tensor(3, 4), tensor(3, 4), tensor(4, 4), tensor(4, 4))
    check(program, *parts, config=OF_BATCHES).gradient(0, 1, 2, 3).computed()


class Folding(torch.nn.Module):
    """Linear maps and convolutions, and constants that can be folded into their weights, or not."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.ModuleList(torch.nn.Linear(4, 3, bias=number % 2 == 0) for number in range(8))
        self.convolution = torch.nn.ModuleList(torch.nn.Conv2d(2, 3, 2, bias=number % 2 == 0) for number in range(8))
        self.register_buffer("row", torch.tensor([2.0, -1.0, 0.5]))
        self.register_buffer("column", torch.tensor([[3.0], [-2.0]]))
        self.register_buffer("channels", torch.tensor([4.0, 0.25, -3.0]).view(3, 1, 1))
        self.register_buffer("pixels", torch.arange(9.0).view(3, 3) - 4)
        self.eval()

    def forward(self, a: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        """``a``: [2, 4]; ``image``: [1, 2, 4, 4]."""
        row, column = torch.as_tensor(self.row), torch.as_tensor(self.column)
        channels, pixels = torch.as_tensor(self.channels), torch.as_tensor(self.pixels)
        linear, convolution = list(self.linear), list(self.convolution)
        return {
            "added": linear[0](a) + row,
            "taken off": linear[1](a) - row,
            "times": linear[2](a) * row * 2.5,
            "divided": linear[3](a) / row,
            "of a column": linear[4](a) * column,
            "turned": row - linear[5](a),
            "over": row / linear[6](a).exp(),
            "twice": linear[7](a) * row + linear[7](a + 1),
            "channels added": convolution[0](image) + channels,
            "channels off": convolution[1](image) - channels - 2.5,
            "channels times": convolution[2](image) * channels,
            "channels divided": convolution[3](image) / channels,
            "both": (convolution[4](image) * channels + channels) / 2.5,
            "pixels": convolution[5](image) * pixels,
            "from the left": channels - convolution[6](image),
            "rows of pixels": convolution[7](image) + pixels[0],
        }


@clause("inductor.freezing", on=("inductor",))
def test_constants_folded_into_weights(check: Check) -> None:
    """Constants added to, taken off, times and under linear maps and convolutions, of each channel or of each pixel."""
    settings = {"inductor.freezing": True, "inductor.enable_linear_binary_folding": True}
    check(built(Folding), tensor(2, 4), tensor(1, 2, 4, 4), config=settings).computed()


class Shifted(torch.nn.Module):
    """Two convolutions, and a number added to each."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = torch.nn.Conv2d(2, 2, 2), torch.nn.Conv2d(2, 2, 2)
        self.eval()

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``image``: [1, 2, 3, 3]."""
        return self.one(image) + 1.5, self.other(image) * 0.25


@clause("inductor.freezing", on=("inductor",))
def test_two_numbers_folded_into_weights(check: Check) -> None:
    """The number that is folded into one convolution's weights is not that of another's."""
    check(built(Shifted), tensor(1, 2, 3, 3), config={"inductor.freezing": True}).computed()


class Joining(torch.nn.Module):
    """Products of one operand with two and with three weights, with and without sums."""

    def __init__(self) -> None:
        super().__init__()
        self.two = torch.nn.ModuleList(torch.nn.Linear(4, width, bias=False) for width in (3, 5))
        self.three = torch.nn.ModuleList(torch.nn.Linear(4, width, bias=False) for width in (2, 4, 6))
        self.sums = torch.nn.ModuleList(torch.nn.Linear(4, 3) for _ in range(3))
        self.convolution = torch.nn.Conv1d(2, 3, 2)
        self.norm = torch.nn.BatchNorm1d(3, eps=0.3)
        self.norm.running_mean = torch.tensor([0.5, -1.0, 2.0])
        self.norm.running_var = torch.tensor([4.0, 0.25, 1.0])
        self.eval()

    def forward(self, a: torch.Tensor, image: torch.Tensor) -> list[torch.Tensor]:
        """``a``: [2, 4]; ``image``: [1, 2, 5]."""
        parts = [linear(a) for linear in self.two]
        parts += [linear(a * 2) for linear in self.three]
        parts += [linear(a * 3) for linear in self.sums]
        return [part.relu() - 1 for part in parts] + [self.norm(self.convolution(image)) * 2]


@clause("inductor.freezing", on=("inductor",))
def test_weights_joined_for_one_operand(check: Check) -> None:
    """Weights of linear maps of one operand may be joined: each result is its own map's."""
    settings = {"inductor.freezing": True, "inductor.cpp.enable_concat_linear": True}
    check(built(Joining), tensor(2, 4), tensor(1, 2, 5), config=settings).computed()


@clause("inductor.optional-passes", modes=("train", "no_grad"), on=("inductor",))
def test_convolutions_with_one_point_as_products(check: Check) -> None:
    """A convolution whose kernel is one point may become a product: not where it strides, pads or has groups."""

    def program(image: torch.Tensor, signal: torch.Tensor, *weights: torch.Tensor) -> dict[str, torch.Tensor]:
        whole, half, row, biases = weights
        last = image.contiguous(memory_format=torch.channels_last)
        return {
            "plain": functional.conv2d(image, whole),
            "with a bias": functional.conv2d(image, whole, biases),
            "channels last": functional.conv2d(last, whole, biases),
            "strides": functional.conv2d(image, whole, biases, stride=2),
            "pads": functional.conv2d(image, whole, biases, padding=1),
            "pads and dilates": functional.conv2d(image, whole, padding=(1, 0), dilation=2),
            "in groups": functional.conv2d(image, half, biases, groups=2),
            "without a batch": functional.conv2d(image[0], whole, biases),
            "signal": functional.conv1d(signal, row, biases),
            "signal that strides": functional.conv1d(signal, row, biases, stride=3),
            "turned": functional.conv_transpose2d(image, whole.transpose(0, 1), biases),
            "turned, of as many channels": functional.conv_transpose2d(image, whole[:2]),
            "two points": functional.conv2d(image, whole.repeat(1, 1, 2, 1), biases),
            "to one channel": functional.conv2d(image, whole[:1]),
            "of one channel": functional.conv2d(image[:, 1:], half, biases),
        }

    parts = tensor(2, 2, 4, 3), tensor(1, 3, 5), tensor(4, 2, 1, 1), tensor(4, 1, 1, 1), tensor(4, 3, 1), tensor(4)
    check(program, *parts, config={"inductor.conv_1x1_as_mm": True}, exact=False).computed()
