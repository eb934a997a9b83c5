"""Tensors made like another one, or with strides of their own: how they lie in memory."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("layout.like", shapes=("static", "dynamic"), entry=ANY)
def test_like_of_a_permuted_tensor(check: Check) -> None:
    """zeros, ones and full like a permuted tensor have its permuted strides, with the values they are named for."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.permute(2, 0, 1)
        return torch.zeros_like(b), torch.ones_like(b), torch.full_like(b, 3) + b

    result = check(program, tensor(2, 3, 4))
    for place in range(3):
        result.strides(f"out[{place}]", 1, 12, 4)
    result.values().expect("""\
out[0] = float32[4, 2, 3] [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0,
    0, 0]]]
out[1] = float32[4, 2, 3] [[[1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1,
    1, 1]]]
out[2] = float32[4, 2, 3] [[[2.608, 2.61, 3.271], [1.647, 2.405, 4.294]], [[1.83, 3.888, 2.489], [2.896, 1.922,
    1.922]], [[4.512, 2.219, 1.506], [2.582, 1.653, 4.383]], [[2.173, 4.979, 4.5], [2.008, 2.807, 2.012]]]
""")


@clause("layout.like", entry=ANY)
def test_like_of_an_expanded_tensor(check: Check) -> None:
    """A tensor like an expanded one has memory for each element, and its own strides: no element is shared."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = torch.zeros_like(a.expand(3, 4))
        b[0] = a
        return b, torch.ones_like(a[:, None].expand(4, 3))

    result = check(program, tensor(4)).strides("out[0]", 4, 1)
    result.storage_bytes("out[0]", 48).storage_bytes("out[1]", 48)
    result.forward.expect("""\
def forward(self, arg0_1):
    expand = torch.ops.aten.expand.default(arg0_1, [3, 4])
    zeros_like = torch.ops.aten.zeros_like.default(expand)
    select = torch.ops.aten.select.int(zeros_like, 0, 0)
    copy = torch.ops.aten.copy.default(select, arg0_1)
    select_scatter = torch.ops.aten.select_scatter.default(zeros_like, copy, 0, 0)
    unsqueeze = torch.ops.aten.unsqueeze.default(arg0_1, 1)
    expand_1 = torch.ops.aten.expand.default(unsqueeze, [4, 3])
    ones_like = torch.ops.aten.ones_like.default(expand_1)
    return (select_scatter, ones_like)
""")


@clause("layout.like", entry=ANY)
def test_like_of_a_tensor_with_gaps(check: Check) -> None:
    """A tensor like one with gaps is dense, and keeps the order of the dimensions."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.zeros_like(a[:, ::2]), torch.ones_like(a.t()[::2])

    result = check(program, tensor(3, 4)).strides("out[0]", 2, 1).strides("out[1]", 1, 2).storage_bytes("out[1]", 24)
    result.values().expect("""\
out[0] = float32[3, 2] [[0, 0], [0, 0], [0, 0]]
out[1] = float32[2, 3] [[1, 1, 1], [1, 1, 1]]
""")


@clause("layout.like", entry=ANY)
def test_like_with_a_memory_format(check: Check) -> None:
    """A tensor like channels_last images is channels_last unless it is told otherwise, also in another dtype."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        plain = torch.zeros_like(a, memory_format=torch.contiguous_format)
        return (
            torch.ones_like(a, dtype=torch.int64),
            plain,
            torch.full_like(plain, 2, memory_format=torch.channels_last),
        )

    result = check(program, tensor(2, 3, 4, 5, strides=(60, 1, 15, 3)))
    result.strides("out[0]", 60, 1, 15, 3).strides("out[1]", 60, 20, 5, 1).strides("out[2]", 60, 1, 15, 3)
    result.values().expect("""\
out[0] = int64[2, 3, 4, 5] [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ..., 1, 1, 1, 1]
out[1] = float32[2, 3, 4, 5] [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ..., 0, 0, 0, 0]
out[2] = float32[2, 3, 4, 5] [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, ..., 2, 2, 2, 2]
""")


@clause("layout.like", entry=ANY)
def test_new_tensors_are_contiguous(check: Check) -> None:
    """A new tensor that takes shape and dtype of a permuted one is contiguous: `new_` operators copy no strides."""

    def program(a: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.t()
        turned = c.t()
        spread = turned.new_empty_strided((2, 3), (1, 2)).copy_(turned)
        return b.new_zeros(b.shape), b.new_full(b.shape, 2.0) + b, spread, turned.new_empty(2, 3).copy_(turned)

    result = check(program, tensor(3, 4), tensor(3, 2, dtype=torch.float64))
    result.strides("out[0]", 3, 1).strides("out[1]", 3, 1).strides("out[2]", 1, 2).strides("out[3]", 3, 1)
    result.values().expect("""\
out[0] = float32[4, 3] [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
out[1] = float32[4, 3] [[2.686, 1.544, 0.868], [-0.6301, 3.015, -0.2223], [1.761, 0.4134, 2.167], [0.618, 2.901,
    1.858]]
out[2] = float64[2, 3] [[-2.313, -0.4814, -2.242], [-0.5863, -0.4153, -0.6473]]
out[3] = float64[2, 3] [[-2.313, -0.4814, -2.242], [-0.5863, -0.4153, -0.6473]]
""")


@clause("T7.10", entry=ANY)
def test_empty_strided_filled(check: Check) -> None:
    """A tensor made with strides of the program's own has them, gaps included, after its elements were written."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        turned = torch.empty_strided((3, 4), (1, 3)).copy_(a)
        gaps = a.new_empty_strided((3, 2), (8, 2))
        gaps.copy_(a[:, 1:3])
        return turned, gaps

    result = check(program, tensor(3, 4)).strides("out[0]", 1, 3).strides("out[1]", 8, 2)
    result.forward.expect("""\
def forward(self, arg0_1):
    empty_strided = torch.ops.aten.empty_strided.default([3, 4], [1, 3])
    copy = torch.ops.aten.copy.default(empty_strided, arg0_1)
    new_empty_strided = torch.ops.aten.new_empty_strided.default(arg0_1, [3, 2], [8, 2])
    slice_1 = torch.ops.aten.slice.Tensor(arg0_1, 1, 1, 3)
    copy_1 = torch.ops.aten.copy.default(new_empty_strided, slice_1)
    return (copy, copy_1)
""")


@clause("T7.10", entry=ANY)
def test_empty_permuted_filled(check: Check) -> None:
    """A tensor whose dimensions lie in an order of the program's own, from the outermost, has the strides of it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        forth = torch.empty_permuted((2, 3, 4), (1, 2, 0), device=a.device)
        back = torch.empty_permuted((2, 3, 4), (2, 0, 1), dtype=torch.int32, device=a.device)
        as_it_is = torch.empty_permuted((2, 3, 4), (0, 1, 2), device=a.device)
        images = torch.empty_permuted((1, 2, 3, 4), (0, 2, 3, 1), dtype=torch.float64, device=a.device)
        return forth.copy_(a), back.copy_(a * 2), as_it_is.copy_(a - 1), images.copy_(a), torch.ones_like(forth) + a

    result = check(program, tensor(2, 3, 4))
    result.strides("out[0]", 1, 8, 2).strides("out[1]", 3, 1, 6).strides("out[2]", 12, 4, 1)
    result.strides("out[3]", 24, 1, 8, 2).strides("out[4]", 1, 8, 2).computed()


@clause("layout.like", entry=ANY)
def test_like_of_one_row_and_of_nothing(check: Check) -> None:
    """A tensor like one with a dimension of size 1 or 0 has its shape, and can be told from neither by its strides."""

    def program(a: torch.Tensor, empty: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, bool]:
        row = torch.zeros_like(a.t())
        return row, torch.ones_like(empty.permute(2, 0, 1)), row.is_contiguous()

    result = check(program, tensor(4, 1), tensor(2, 0, 3))
    result.shape("out[0]", 1, 4).shape("out[1]", 3, 2, 0).holds("out[2]", True)


@clause("layout.like", entry=ANY)
def test_operators_that_preserve_strides(check: Check) -> None:
    """flip and where keep the strides of a permuted tensor; masked_fill and roll of it are contiguous."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.permute(1, 2, 0)
        return b.flip(0), torch.where(b > 0, b, -b), b.masked_fill(b < 0, 7), b.roll(1, 1)

    result = check(program, tensor(2, 3, 4))
    for place, strides in enumerate([(4, 1, 12), (4, 1, 12), (8, 2, 1), (8, 2, 1)]):
        result.strides(f"out[{place}]", *strides)
    result.values().expect("""\
out[0] = float32[3, 4, 2] [[[0.2713, 1.294], [-0.5113, -1.078], [-1.494, 1.383], [1.5, -0.9878]], [[-0.3905,
    -0.5949], [0.8879, -1.078], [-0.7813, -1.347], [1.979, -0.1935]], [[-0.3922, -1.353], [-1.17, -0.1038], [1.512,
    -0.4176], [-0.8268, -0.9918]]]
out[1] = float32[3, 4, 2] [[[0.3922, 1.353], [1.17, 0.1038], [1.512, 0.4176], [0.8268, 0.9918]], [[0.3905, 0.5949],
    [0.8879, 1.078], [0.7813, 1.347], [1.979, 0.1935]], [[0.2713, 1.294], [0.5113, 1.078], [1.494, 1.383], [1.5,
    0.9878]]]
out[2] = float32[3, 4, 2] [[[7, 7], [7, 7], [1.512, 7], [7, 7]], [[7, 7], [0.8879, 7], [7, 7], [1.979, 7]],
    [[0.2713, 1.294], [7, 7], [7, 1.383], [1.5, 7]]]
out[3] = float32[3, 4, 2] [[[-0.8268, -0.9918], [-0.3922, -1.353], [-1.17, -0.1038], [1.512, -0.4176]], [[1.979,
    -0.1935], [-0.3905, -0.5949], [0.8879, -1.078], [-0.7813, -1.347]], [[1.5, -0.9878], [0.2713, 1.294], [-0.5113,
    -1.078], [-1.494, 1.383]]]
""")


@clause("layout.like", "layout.memory-formats")
def test_what_one_number_is_written_to_lies_as_it_did(check: Check) -> None:
    """Whatever fills a tensor with one number, in place or not, what is turned or in channels last stays so."""

    def program(a: torch.Tensor, image: torch.Tensor, number: torch.Tensor) -> dict[str, object]:
        found: dict[str, torch.Tensor] = {}
        for name, b in {"turned": a.t(), "image": image, "planes": a[None].expand(2, 3, 4).permute(2, 0, 1)}.items():
            found[f"{name}, filled"] = (b + 1).fill_(2)
            found[f"{name}, filled by a tensor"] = (b + 1).fill_(number)
            found[f"{name}, nought"] = (b + 1).zero_()
            found[f"{name}, another"] = torch.fill(b + 1, 3.0)
            found[f"{name}, another by a tensor"] = torch.fill(b + 1, number)
            found[f"{name}, copied into"] = (b + 1).copy_(number)
            whole = b + 1
            whole[...] = 5
            found[f"{name}, assigned"] = whole
        return {name: (each, each.stride()) for name, each in found.items()}

    image = tensor(2, 3, 2, 2, strides=(12, 1, 6, 3), grad=False)
    check(program, tensor(3, 4, grad=False), image, tensor(values=[2.5])).values().expect("""\
out['turned, filled'][0] = float32[4, 3] [[2, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2]]
out['turned, filled'][1][0] = int 1
out['turned, filled'][1][1] = int 4
out['turned, filled by a tensor'][0] = float32[4, 3] [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5,
    2.5]]
out['turned, filled by a tensor'][1][0] = int 1
out['turned, filled by a tensor'][1][1] = int 4
out['turned, nought'][0] = float32[4, 3] [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
out['turned, nought'][1][0] = int 1
out['turned, nought'][1][1] = int 4
out['turned, another'][0] = float32[4, 3] [[3, 3, 3], [3, 3, 3], [3, 3, 3], [3, 3, 3]]
out['turned, another'][1][0] = int 1
out['turned, another'][1][1] = int 4
out['turned, another by a tensor'][0] = float32[4, 3] [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5,
    2.5]]
out['turned, another by a tensor'][1][0] = int 1
out['turned, another by a tensor'][1][1] = int 4
out['turned, copied into'][0] = float32[4, 3] [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5, 2.5], [2.5, 2.5, 2.5]]
out['turned, copied into'][1][0] = int 1
out['turned, copied into'][1][1] = int 4
out['turned, assigned'][0] = float32[4, 3] [[5, 5, 5], [5, 5, 5], [5, 5, 5], [5, 5, 5]]
out['turned, assigned'][1][0] = int 1
out['turned, assigned'][1][1] = int 4
out['image, filled'][0] = float32[2, 3, 2, 2] [[[[2, 2], [2, 2]], [[2, 2], [2, 2]], [[2, 2], [2, 2]]], [[[2, 2], [2,
    2]], [[2, 2], [2, 2]], [[2, 2], [2, 2]]]]
out['image, filled'][1][0] = int 12
out['image, filled'][1][1] = int 1
out['image, filled'][1][2] = int 6
out['image, filled'][1][3] = int 3
out['image, filled by a tensor'][0] = float32[2, 3, 2, 2] [[[[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]],
    [[2.5, 2.5], [2.5, 2.5]]], [[[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]]]]
out['image, filled by a tensor'][1][0] = int 12
out['image, filled by a tensor'][1][1] = int 1
out['image, filled by a tensor'][1][2] = int 6
out['image, filled by a tensor'][1][3] = int 3
out['image, nought'][0] = float32[2, 3, 2, 2] [[[[0, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]], [[[0, 0], [0,
    0]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]]]
out['image, nought'][1][0] = int 12
out['image, nought'][1][1] = int 1
out['image, nought'][1][2] = int 6
out['image, nought'][1][3] = int 3
out['image, another'][0] = float32[2, 3, 2, 2] [[[[3, 3], [3, 3]], [[3, 3], [3, 3]], [[3, 3], [3, 3]]], [[[3, 3],
    [3, 3]], [[3, 3], [3, 3]], [[3, 3], [3, 3]]]]
out['image, another'][1][0] = int 12
out['image, another'][1][1] = int 1
out['image, another'][1][2] = int 6
out['image, another'][1][3] = int 3
out['image, another by a tensor'][0] = float32[2, 3, 2, 2] [[[[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]],
    [[2.5, 2.5], [2.5, 2.5]]], [[[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]]]]
out['image, another by a tensor'][1][0] = int 12
out['image, another by a tensor'][1][1] = int 1
out['image, another by a tensor'][1][2] = int 6
out['image, another by a tensor'][1][3] = int 3
out['image, copied into'][0] = float32[2, 3, 2, 2] [[[[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]], [[2.5,
    2.5], [2.5, 2.5]]], [[[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]], [[2.5, 2.5], [2.5, 2.5]]]]
out['image, copied into'][1][0] = int 12
out['image, copied into'][1][1] = int 1
out['image, copied into'][1][2] = int 6
out['image, copied into'][1][3] = int 3
out['image, assigned'][0] = float32[2, 3, 2, 2] [[[[5, 5], [5, 5]], [[5, 5], [5, 5]], [[5, 5], [5, 5]]], [[[5, 5],
    [5, 5]], [[5, 5], [5, 5]], [[5, 5], [5, 5]]]]
out['image, assigned'][1][0] = int 12
out['image, assigned'][1][1] = int 1
out['image, assigned'][1][2] = int 6
out['image, assigned'][1][3] = int 3
out['planes, filled'][0] = float32[4, 2, 3] [[[2, 2, 2], [2, 2, 2]], [[2, 2, 2], [2, 2, 2]], [[2, 2, 2], [2, 2, 2]],
    [[2, 2, 2], [2, 2, 2]]]
out['planes, filled'][1][0] = int 1
out['planes, filled'][1][1] = int 4
out['planes, filled'][1][2] = int 8
out['planes, filled by a tensor'][0] = float32[4, 2, 3] [[[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5,
    2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]]]
out['planes, filled by a tensor'][1][0] = int 1
out['planes, filled by a tensor'][1][1] = int 4
out['planes, filled by a tensor'][1][2] = int 8
out['planes, nought'][0] = float32[4, 2, 3] [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 0, 0]]]
out['planes, nought'][1][0] = int 1
out['planes, nought'][1][1] = int 4
out['planes, nought'][1][2] = int 8
out['planes, another'][0] = float32[4, 2, 3] [[[3, 3, 3], [3, 3, 3]], [[3, 3, 3], [3, 3, 3]], [[3, 3, 3], [3, 3,
    3]], [[3, 3, 3], [3, 3, 3]]]
out['planes, another'][1][0] = int 1
out['planes, another'][1][1] = int 4
out['planes, another'][1][2] = int 8
out['planes, another by a tensor'][0] = float32[4, 2, 3] [[[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5],
    [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]]]
out['planes, another by a tensor'][1][0] = int 1
out['planes, another by a tensor'][1][1] = int 4
out['planes, another by a tensor'][1][2] = int 8
out['planes, copied into'][0] = float32[4, 2, 3] [[[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5,
    2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], [[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]]]
out['planes, copied into'][1][0] = int 1
out['planes, copied into'][1][1] = int 4
out['planes, copied into'][1][2] = int 8
out['planes, assigned'][0] = float32[4, 2, 3] [[[5, 5, 5], [5, 5, 5]], [[5, 5, 5], [5, 5, 5]], [[5, 5, 5], [5, 5,
    5]], [[5, 5, 5], [5, 5, 5]]]
out['planes, assigned'][1][0] = int 1
out['planes, assigned'][1][1] = int 4
out['planes, assigned'][1][2] = int 8
""")
