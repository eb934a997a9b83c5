"""Memory formats through convolutions, normalisation, pooling, resampling, joining and conversion."""

import pytest
import torch
from torch.nn import functional

from suites.harness import ANY, Check, clause, leaf, tensor

#: Strides of a channels_last tensor of 2 images, 3 channels, 4 rows, 5 columns.
LAST = (60, 1, 15, 3)
IMAGES = tensor(2, 3, 4, 5, strides=LAST)

#: Images of one channel, which are in plain order and channels_last at once, with the strides of the latter.
ONE_CHANNEL = tensor(2, 1, 4, 8, strides=(32, 1, 8, 1))


@clause("A17", "layout.memory-formats", modes=("train", "no_grad"))
def test_convolution_of_channels_last_images(check: Check) -> None:
    """A convolution of channels_last images returns channels_last, for a plain weight and bias."""

    def program(a: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(a, weight, bias, padding=1)

    result = check(program, IMAGES, leaf(2, 3, 3, 3), leaf(2)).gradient(0, 1, 2)
    result.strides("out", 40, 1, 10, 2)


@clause("A17", "layout.memory-formats", modes="train")
def test_convolution_with_a_channels_last_weight(check: Check) -> None:
    """A convolution of plain images with a channels_last weight returns channels_last."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(a, weight, padding=1)

    result = check(program, tensor(2, 3, 4, 5), tensor(2, 3, 3, 3, strides=(27, 1, 9, 3))).gradient(0, 1)
    result.strides("out", 40, 1, 10, 2)


@clause("A17", "T13", modes="train")
def test_batch_norm_of_channels_last_images(check: Check) -> None:
    """Batch normalisation in training returns channels_last for channels_last and updates its running statistics."""

    def program(a: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
        return functional.batch_norm(a, mean, variance, training=True)

    statistics = tensor(3, grad=False), tensor(3, grad=False, values=[1.0, 2.0, 3.0])
    check(program, IMAGES, *statistics).strides("out", *LAST).mutated(1, 2).gradient(0)


@clause("A17", "layout.memory-formats", modes="train")
def test_pooling_of_channels_last_images(check: Check) -> None:
    """Average and maximum pooling return channels_last for channels_last, the indices of the maxima too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return functional.avg_pool2d(a, 2), *functional.max_pool2d_with_indices(a, [2, 2])

    result = check(program, IMAGES).gradient(0)
    result.strides("out[0]", 12, 1, 6, 3).strides("out[1]", 12, 1, 6, 3).strides("out[2]", 12, 1, 6, 3)


@clause("A17", "layout.memory-formats", modes="train")
def test_channels_last_volumes(check: Check) -> None:
    """channels_last_3d is kept by pointwise operators and resampling, and pooling of it has eager's strides."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.sin() + 1
        return b, functional.avg_pool3d(b, 2), functional.interpolate(whole, scale_factor=2.0, mode="trilinear")

    strides = 32, 1, 16, 4, 2
    # Small whole numbers: the weights are eighths, so that no order of the sum rounds.
    whole = tensor(1, 2, 2, 4, 2, strides=strides, grad=False, values=[number * 37 % 101 for number in range(32)])
    result = check(program, tensor(1, 2, 2, 4, 2, strides=strides), whole).gradient(0)
    result.strides("out[0]", 32, 1, 16, 4, 2).strides("out[1]", 4, 2, 2, 1, 1)
    result.strides("out[2]", 256, 1, 64, 8, 2)


@clause("T7.10", "layout.memory-formats", entry=ANY)
def test_first_operands_format_decides(check: Check) -> None:
    """Of a plain and a channels_last operand the first one's format is the result's, in both orders."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a + b * 2, b - a

    plain = tensor(2, 3, 4, 5)
    result = check(program, plain, IMAGES).strides("out[0]", 60, 20, 5, 1).strides("out[1]", *LAST)
    result.values().expect("""\
out[0] = float32[2, 3, 4, 5] [1.542, -3.66, 4.576, 0.4614, 1.467, 0.9227, -1.155, 2.827, 0.1214, -1.227, 3.667,
    -0.7786, ..., 1.651, 3.078, 1.288, -0.2988]
out[1] = float32[2, 3, 4, 5] [1.359, -0.07558, 0.02056, 1.471, 1.319, -0.8705, 0.5945, -1.555, -0.2889, -0.3064,
    2.854, -1.863, ..., 0.1542, 2.342, 0.9066, 1.229]
""")


@clause("T7.10", "layout.memory-formats", modes="train", entry=ANY)
def test_broadcast_operand_leaves_the_format(check: Check) -> None:
    """A per-channel factor of another shape, first or second, leaves channels_last images channels_last."""

    def program(a: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * scale, scale - a

    result = check(program, IMAGES, tensor(3, 1, 1)).gradient(0, 1)
    result.strides("out[0]", *LAST).strides("out[1]", *LAST)


@clause("T7.10", "layout.memory-formats", entry=ANY)
def test_join_of_channels_last_images(check: Check) -> None:
    """cat of channels_last images is channels_last, and cat with a plain one first or second is what eager makes it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.cat([a, a * 2], 1), torch.cat([a, b]), torch.cat([b, a])

    result = check(program, IMAGES, tensor(2, 3, 4, 5)).strides("out[0]", 120, 1, 30, 6)
    result.strides("out[1]", 60, 20, 5, 1).strides("out[2]", 60, 20, 5, 1)
    result.values().expect("""\
out[0] = float32[2, 6, 4, 5] [-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    -0.6802, 0.9823, ..., 0.8949, -1.07, -0.3498, -1.838]
out[1] = float32[4, 3, 4, 5] [-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    -0.6802, 0.9823, ..., 0.6017, 1.807, 0.7317, 0.3101]
out[2] = float32[4, 3, 4, 5] [0.9671, -1.245, 1.532, 0.6441, 0.9287, 0.01738, -0.1867, 0.4238, -0.05586, -0.5112,
    2.174, -0.8805, ..., 0.4474, -0.5351, -0.1749, -0.9189]
""")


@clause("T7.10", "layout.memory-formats", entry=ANY)
def test_stack_of_channels_last_images(check: Check) -> None:
    """stack of channels_last images keeps channels innermost, with the new dimension just outside of them."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.stack([a, a.neg()], 1)

    result = check(program, IMAGES).strides("out", 120, 3, 1, 30, 6)
    result.values().expect("""\
out = float32[2, 2, 3, 4, 5] [-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    -0.6802, 0.9823, ..., -0.4474, 0.5351, 0.1749, 0.9189]
""")


@clause("A17", "layout.memory-formats", modes="train")
def test_interpolation_of_channels_last_images(check: Check) -> None:
    """Nearest and bilinear interpolation return channels_last for channels_last."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        nearest = functional.interpolate(a, size=(3, 7), mode="nearest")
        return nearest, functional.interpolate(a, scale_factor=2.0, mode="bilinear")

    # Small whole numbers: the bilinear weights are quarters, so that no order of the sum rounds.
    whole = tensor(2, 3, 4, 5, strides=LAST, values=[number * 37 % 101 for number in range(120)])
    result = check(program, whole).gradient(0)
    result.strides("out[0]", 63, 1, 21, 3).strides("out[1]", 240, 1, 30, 3)


@clause("layout.memory-formats", modes="train")
def test_interpolation_of_transposed_images(check: Check) -> None:
    """Interpolation of images whose rows and columns are exchanged in memory has eager's strides and values."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(a.transpose(2, 3), scale_factor=2.0, mode="nearest")

    check(program, tensor(1, 2, 3, 2)).shape("out", 1, 2, 4, 6).strides("out", 48, 24, 6, 1).gradient(0)


@clause("layout.memory-formats")
def test_padding_of_channels_last_images(check: Check) -> None:
    """Padding with a constant, with the border and with the reflection has eager's strides for channels_last."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        modes = ("constant", "replicate", "reflect")
        return tuple(functional.pad(a, (1, 2, 0, 1), mode=mode) for mode in modes)

    result = check(program, IMAGES)
    for place in range(3):
        result.shape(f"out[{place}]", 2, 3, 5, 8)
        # CUDA's kernels for borders and reflections give contiguous images.
        if place == 0 or check.device == "cpu":
            result.strides(f"out[{place}]", 120, 1, 24, 3)
    result.values().expect("""\
out[0] = float32[2, 3, 5, 8] [0, -0.3922, -1.17, 1.512, -0.8268, -0.3905, 0, 0, 0, 0.8879, -0.7813, 1.979, ..., 0,
    0, 0, 0]
out[1] = float32[2, 3, 5, 8] [-0.3922, -0.3922, -1.17, 1.512, -0.8268, -0.3905, -0.3905, -0.3905, 0.8879, 0.8879,
    -0.7813, 1.979, ..., -0.1749, -0.9189, -0.9189, -0.9189]
out[2] = float32[2, 3, 5, 8] [-1.17, -0.3922, -1.17, 1.512, -0.8268, -0.3905, -0.8268, 1.512, -0.7813, 0.8879,
    -0.7813, 1.979, ..., -0.3297, 0.7289, -0.3297, -1.213]
""")


@clause("layout.memory-formats", "A17", modes="train")
@pytest.mark.parametrize("mode", ["constant", "replicate", "reflect"])
def test_gradient_of_padded_channels_last_images(check: Check, mode: str) -> None:
    """The gradient of padded channels_last images adds up what the padding repeated, and leaves out what it added."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.pad(a * 2, (1, 2, 0, 1), mode=mode)

    result = check(program, IMAGES).gradient(0)
    if mode == "constant" or check.device == "cpu":
        result.strides("out", 120, 1, 24, 3)


@clause("T7.10", "layout.memory-formats", entry=ANY)
def test_clone_with_a_memory_format(check: Check) -> None:
    """clone keeps the format, or takes the one that it is told, and is a copy in each case."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.clone(), a.clone(memory_format=torch.contiguous_format), a[..., 0].clone()

    result = check(program, IMAGES).strides("out[0]", *LAST).strides("out[1]", 60, 20, 5, 1)
    result.strides("out[2]", 12, 1, 3).distinct("out[0]", 0)
    result.forward.expect("""\
def forward(self, arg0_1):
    clone = torch.ops.aten.clone.default(arg0_1)
    clone_1 = torch.ops.aten.clone.default(arg0_1, memory_format=torch.contiguous_format)
    select = torch.ops.aten.select.int(arg0_1, 3, 0)
    clone_2 = torch.ops.aten.clone.default(select)
    return (clone, clone_1, clone_2)
""")


@clause("T7.10", "layout.memory-formats", shapes=("static", "dynamic"), entry=ANY)
def test_conversion_to_the_format_that_it_has(check: Check) -> None:
    """contiguous and to return their input itself where it has the format already, and a copy where it has not."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        same = a.contiguous(memory_format=torch.channels_last)
        return same, a.to(memory_format=torch.channels_last), a.contiguous()

    result = check(program, IMAGES)
    result.same_object("out[0]", "arg[0]").same_object("out[1]", "arg[0]").distinct("out[2]", 0)


@clause("T7.10", "layout.memory-formats", modes="train", entry=ANY)
def test_conversion_of_dtype_and_format_at_once(check: Check) -> None:
    """`to` with a dtype keeps a permuted layout, closes gaps, and takes the memory format that it is told."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        permuted = a.permute(0, 3, 1, 2)
        last = a.to(torch.float64, memory_format=torch.channels_last)
        return permuted.to(torch.float64), last, a[..., ::2].to(torch.float64)

    result = check(program, tensor(2, 3, 4, 5)).gradient(0)
    result.strides("out[0]", 60, 1, 20, 5).strides("out[1]", *LAST).strides("out[2]", 36, 12, 3, 1)


@clause("T7.10", entry=ANY)
def test_flattening_channels_last_images(check: Check) -> None:
    """Flattening channels and pixels copies, flattening pixels alone is a view: memory is shared where eager's is."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.flatten(1), a.flatten(2)

    check(program, IMAGES).distinct("out[0]", 0).aliases("out[1]", 0).strides("out[1]", 60, 1, 3)


@clause("T7.10", "layout.memory-formats", modes="train")
def test_normalisation_and_scans_of_permuted_inputs(check: Check) -> None:
    """softmax, a running sum and layer normalisation of a permuted input are contiguous."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.permute(2, 0, 1)
        return b.softmax(1), b.cumsum(0), functional.layer_norm(b, (3,))

    result = check(program, tensor(2, 3, 4)).gradient(0)
    result.strides("out[0]", 6, 3, 1).strides("out[1]", 6, 3, 1).strides("out[2]", 6, 3, 1)


@clause("T7.10", "layout.memory-formats")
def test_contiguity_asked_by_the_program(check: Check) -> None:
    """What the program is told of the contiguity of intermediates, in either format, is what eager tells it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool, bool, bool]:
        b = a.sin()
        kept = b.is_contiguous(memory_format=torch.channels_last)
        result = b * 2 if kept else b * 3
        return result, kept, b.mean(1).is_contiguous(), b.contiguous().is_contiguous()

    calls = [(IMAGES,), (tensor(2, 3, 4, 5),)]
    result = check(program, calls=calls).holds("out[1]", True).holds("out[2]", True).holds("out[3]", True)
    result.in_call(1).holds("out[1]", False)


@clause("layout.memory-formats", devices="cpu")
def test_strides_told_of_padded_volumes(check: Check) -> None:
    """Of volumes in channels last, padded by their border or their reflection, the program is told the strides."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[tuple[int, ...]]]:
        padded = [functional.pad(a, (1, 1, 0, 1, 1, 0), mode=mode) for mode in ("replicate", "reflect")]
        return padded[0] * padded[1], [each.stride() for each in padded]

    result = check(program, tensor(2, 3, 2, 4, 3, strides=(72, 1, 36, 9, 3)))
    result.holds("out[1][0][1]", 1).holds("out[1][1][1]", 1)


@clause("layout.memory-formats")
def test_strides_told_of_random_numbers(check: Check) -> None:
    """Numbers drawn around transposed means lie as the program is told."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, tuple[int, ...]]:
        drawn = torch.normal(a.t(), a.t().abs() + 1)
        return drawn, drawn.stride()

    check(program, tensor(3, 4)).shape("out[0]", 4, 3).drew_random()


@clause("A17", "T7.10", modes="train")
def test_one_channel_and_one_pixel(check: Check) -> None:
    """Images of one channel or one pixel, whose format is ambiguous, come out of a convolution in eager's format."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.conv2d(a, weight), functional.conv2d(b, weight).relu()

    result = check(program, tensor(2, 1, 3, 4), tensor(2, 1, 2, 2), tensor(3, 1, 2, 2)).gradient(0, 1, 2)
    result.shape("out[0]", 2, 3, 2, 3).shape("out[1]", 2, 3, 1, 1)


@clause(
    "A17", "T7.10", "layout.memory-formats", modes=("train", "no_grad"), shapes=("static", "dynamic"), devices="cpu"
)
def test_convolution_of_functions_of_one_channel(check: Check) -> None:
    """Images of one channel come out of a convolution in the format in which the function before it left them."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.conv2d(a.sin(), weight), functional.conv2d(a * 2, weight)

    result = check(program, ONE_CHANNEL, tensor(4, 1, 3, 2)).gradient(0, 1)
    result.strides("out[0]", 56, 14, 7, 1).strides("out[1]", 56, 1, 28, 4)


@clause("A17", "T7.10", "layout.memory-formats", modes="train", shapes=("static", "dynamic"), devices="cpu")
def test_functions_of_one_channel_that_become_several(check: Check) -> None:
    """Pixels of one channel that become channels, and channels beside it, lie as the function before left that one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        sine, double = a.sin(), a * 2
        beside = functional.pad(sine, (0, 0, 0, 0, 0, 1)), functional.pad(double, (0, 0, 0, 0, 0, 1))
        return functional.pixel_unshuffle(sine, 2), functional.pixel_unshuffle(double, 2), *beside

    result = check(program, ONE_CHANNEL).strides("out[0]", 32, 8, 4, 1).strides("out[1]", 32, 1, 16, 4)
    result.strides("out[2]", 64, 32, 8, 1).strides("out[3]", 64, 1, 16, 2).gradient(0)


@clause("T7.10", "layout.memory-formats", modes="train", shapes=("static", "dynamic"), devices="cpu")
def test_join_of_functions_of_one_channel(check: Check) -> None:
    """Images of one channel are joined as the functions before left them: sines in plain order, doubles otherwise."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        sine, cosine, double, treble = a.sin(), a.cos(), a * 2, a * 3
        stacked = torch.stack([sine, cosine], 1), torch.stack([double, treble], 1)
        return torch.cat([sine, cosine], 1), torch.cat([double, treble], 1), *stacked

    result = check(program, ONE_CHANNEL).strides("out[0]", 64, 32, 8, 1).strides("out[1]", 64, 1, 16, 2)
    result.strides("out[2]", 64, 32, 32, 8, 1).strides("out[3]", 64, 1, 64, 16, 2).gradient(0)


@clause("T7.10", "layout.indexing", "layout.memory-formats", modes="train", shapes=("static", "dynamic"), devices="cpu")
def test_selected_images_of_one_channel(check: Check) -> None:
    """index_select of images of one channel that are channels_last is in plain order, along each dimension."""

    def program(a: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.index_select(1, index), a.index_select(0, index), (a * 2).index_select(1, index)

    result = check(program, ONE_CHANNEL, tensor(3, dtype=torch.int64, values=[0, 0, 0])).gradient(0)
    result.strides("out[0]", 96, 32, 8, 1).strides("out[1]", 32, 32, 8, 1).strides("out[2]", 96, 32, 8, 1)


@clause("dynamic-shapes.strides", isolated=True)
def test_product_of_padded_images_in_two_orders(check: Check) -> None:
    """A product of two padded permutations of a channels_last image reads and writes within each row's end."""

    def program(x: torch.Tensor) -> torch.Tensor:
        gate = (x * 0.5) * (torch.erf(x * 0.7) + 1)
        turned = gate.permute(3, 2, 1, 0)
        left = functional.pad(gate, (0, 0, 0, 0, 0, 10), value=0.5)
        return torch.matmul(left, functional.pad(turned, (0, 0, 0, 10), value=0.5))

    check(program, tensor(1, 8, 18, 18, strides=(2592, 1, 144, 8))).values().expect("""\
out = float32[18, 18, 18, 1] [1.896, 0.151, 1.357, 2.831, 2.871, 0.8946, 1.65, 3.656, 1.311, 2.01, 2.533, 1.24, ...,
    3.583, 3.583, 3.583, 3.583]
""")


@clause("T7.10", "layout.memory-formats", modes=("train", "no_grad"), devices="cpu")
def test_batch_norm_of_permuted_inputs(check: Check) -> None:
    """Batch normalisation of rows or images whose channels were moved is contiguous."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = functional.batch_norm(a.transpose(1, 2), None, None, weight, weight, training=True)
        return rows, functional.batch_norm(b.permute(0, 3, 2, 1), None, None, training=True)

    parts = tensor(2, 4, 3), tensor(2, 5, 4, 3), tensor(3)
    result = check(program, *parts).gradient(0, 1, 2)
    result.strides("out[0]", 12, 4, 1).strides("out[1]", 60, 20, 5, 1)


@clause("T7.10", "layout.memory-formats", devices="cpu")
def test_losses_of_pixels_with_permuted_classes(check: Check) -> None:
    """The loss of each pixel is contiguous, though the classes that it has been told lie otherwise in memory."""

    def program(a: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(a, classes.transpose(1, 2), reduction="none")

    classes = tensor(2, 5, 4, dtype=torch.int64, values=[number * 7 % 3 for number in range(40)])
    check(program, tensor(2, 3, 4, 5), classes).strides("out", 20, 5, 1).computed()


@clause("layout.memory-formats", modes="train")
def test_rearranged_channels_last_images(check: Check) -> None:
    """Pixels that become channels and images that are mirrored, moved and turned lie in memory as in eager."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "channels": functional.pixel_unshuffle(a, 2),
            "mirrored": a.flip(1),
            "moved": a.roll(1, 2),
            "turned": a.rot90(1, (2, 3)),
            "gated": functional.glu(a, 1),
            "repeated": a.repeat(1, 2, 1, 1),
        }

    result = check(program, tensor(2, 8, 4, 6, strides=(192, 1, 48, 8))).gradient(0).computed()
    # CUDA's kernels give contiguous images.
    if check.device == "cpu":
        result.strides("out['channels']", 192, 1, 96, 32)


@clause("layout.memory-formats", modes="train")
def test_resampled_channels_last_images(check: Check) -> None:
    """Images resampled to the nearest or to a size, and pooled, lie in memory as in eager."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "exact up": functional.interpolate(a, scale_factor=2, mode="nearest-exact"),
            "exact down": functional.interpolate(a, size=(2, 3), mode="nearest-exact"),
            "nearest": functional.interpolate(a, scale_factor=(2, 0.5)),
            "average": functional.adaptive_avg_pool2d(a, (2, 3)),
            "extremes": functional.adaptive_max_pool2d(a, (2, 3)),
            "powers": functional.lp_pool2d(a.abs() + 1, 2, 2),
        }

    result = check(program, tensor(2, 4, 4, 6, strides=(96, 1, 24, 4))).gradient(0)
    result.strides("out['exact up']", 384, 1, 48, 4).strides("out['exact down']", 24, 1, 12, 4)
    result.strides("out['nearest']", 96, 1, 12, 4).computed()


@clause("layout.memory-formats", modes="train")
def test_resampled_channels_last_volumes(check: Check) -> None:
    """Volumes resampled to the nearest, by a factor or to a size, and smoothed, lie in memory as in eager."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "nearest": functional.interpolate(a, scale_factor=2),
            "nearest down": functional.interpolate(a, size=(2, 3, 2)),
            "exact": functional.interpolate(a, scale_factor=(0.5, 2, 1), mode="nearest-exact"),
            "aligned": functional.interpolate(whole, size=(3, 7, 5), mode="trilinear", align_corners=True),
        }

    strides = 72, 1, 36, 9, 3
    # Small whole numbers, and weights that are halves: no order of the sum rounds.
    whole = tensor(2, 3, 2, 4, 3, strides=strides, grad=False, values=[number * 37 % 101 for number in range(144)])
    result = check(program, tensor(2, 3, 2, 4, 3, strides=strides), whole).gradient(0)
    result.strides("out['nearest']", 576, 1, 144, 18, 3).strides("out['nearest down']", 36, 1, 18, 6, 3)
    result.strides("out['exact']", 72, 1, 72, 9, 3).strides("out['aligned']", 315, 1, 105, 15, 3).computed()


@clause("layout.memory-formats", modes="train")
def test_normalised_channels_last_images(check: Check) -> None:
    """Images that are normalised, over channels, places or groups, and summed up along channels lie as in eager."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "shares": a.softmax(1),
            "logarithms": a.log_softmax(-1),
            "groups": functional.group_norm(a, 2),
            "instances": functional.instance_norm(a),
            "responses": functional.local_response_norm(a, 2),
            "lengths": functional.normalize(a),
            "sums": a.cumsum(1),
            "slopes": functional.prelu(a, a[0, :, 0, 0]),
        }

    result = check(program, tensor(2, 4, 4, 6, strides=(96, 1, 24, 4))).gradient(0)
    result.strides("out['shares']", 96, 24, 6, 1).computed()
    # CUDA's kernel gives contiguous images.
    if check.device == "cpu":
        result.strides("out['groups']", 96, 1, 24, 4)
