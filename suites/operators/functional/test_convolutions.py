"""Convolutions: groups, dilation, strides, padding of each kind, and transposed ones."""

from typing import Literal

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor


@clause("numbers.options", modes="train")
def test_convolutions_of_images(check: Check) -> None:
    """Groups, strides, dilation and padding that differ by dimension, with a bias or without."""

    def program(
        a: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, grouped: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        conv = functional.conv2d
        return {
            "plain": conv(a, weight, bias, stride=(2, 1), padding=(1, 0)),
            "dilated": conv(a, weight, dilation=(1, 2), padding=(0, 2)),
            "same": conv(a, weight, bias, padding="same", dilation=(2, 1)),
            "valid": conv(a, weight, padding="valid"),
            "groups": conv(a, grouped, bias, groups=2, stride=2),
            "unbatched": conv(a[0], weight, bias),
        }

    check(program, tensor(1, 4, 5, 6), tensor(2, 4, 3, 2), tensor(2), tensor(2, 2, 2, 3)).values().expect("""\
out['plain'] = float32[1, 2, 3, 5] [[[[8.551, 1.325, 6.812, -0.674, -6.788], [-4.065, 5.715, 7.289, 0.02473,
    -4.401], [3.463, -4.018, 2.353, -3.016, 0.9669]], [[0.1576, -1.253, 0.619, -1.538, -1.863], [-3.086, 1.378,
    -1.995, -1.402, 0.523], [1.315, -0.8723, -2.779, -3.1, -5.061]]]]
out['dilated'] = float32[1, 2, 3, 8] [-0.7622, 2.929, -1.78, 2.148, 0.8055, -9.234, -0.6392, 4.782, -1.294, -7.151,
    5.035, 2.209, ..., 1.207, -3.357, 0.2186, -1.924]
out['same'] = float32[1, 2, 5, 6] [3.021, -1.28, 4.487, -2.617, 4.652, 4.713, 5.396, 5.875, 4.432, 2.499, -4.891,
    2.366, ..., -1.552, -1.995, -3.585, 1.359]
out['valid'] = float32[1, 2, 3, 5] [[[[4.481, -1.729, 2.083, -4.991, -5.614], [-5.529, 4.251, 5.824, -1.44, -5.866],
    [-7.435, -8.973, 6.271, 0.1426, 2.431]], [[-4.304, 1.675, 2.168, 0.8887, -1.066], [-2.25, 2.214, -1.16, -0.5667,
    1.359], [-1.037, 3.131, 1.845, -4.708, 0.9471]]]]
out['groups'] = float32[1, 2, 2, 2] [[[[-2.596, 3.954], [5.286, 1.678]], [[-0.1706, 1.325], [3.191, 1.094]]]]
out['unbatched'] = float32[2, 3, 5] [[[5.945, -0.2649, 3.548, -3.526, -4.15], [-4.065, 5.715, 7.289, 0.02473,
    -4.401], [-5.97, -7.508, 7.736, 1.607, 3.895]], [[-5.14, 0.8396, 1.333, 0.05302, -1.902], [-3.086, 1.378,
    -1.995, -1.402, 0.523], [-1.873, 2.295, 1.009, -5.544, 0.1115]]]
""")


@clause("numbers.options", modes="train")
def test_convolutions_by_channel(check: Check) -> None:
    """As many groups as channels, with one filter each or several, and filters of one element."""

    def program(a: torch.Tensor, each: torch.Tensor, several: torch.Tensor, one: torch.Tensor) -> list[torch.Tensor]:
        return [
            functional.conv2d(a, each, groups=3, padding=1),
            functional.conv2d(a, several, groups=3, stride=(1, 2)),
            functional.conv2d(a, one, stride=2),
            functional.conv2d(a, one, padding=1),
        ]

    parts = tensor(1, 3, 4, 5), tensor(3, 1, 3, 3), tensor(6, 1, 2, 2), tensor(2, 3, 1, 1)
    check(program, *parts).values().expect("""\
out[0] = float32[1, 3, 4, 5] [-0.3343, -1.036, 1.878, 1.311, -1.285, 0.8353, -0.6862, 3.316, 2.566, 0.06985,
    -0.3416, -0.9971, ..., -0.3033, 1.173, 1.632, 0.7419]
out[1] = float32[1, 6, 3, 2] [[[[1.17, -3.912], [-3.412, -2.824], [1.183, -1.362]], [[-1.545, -2.998], [1.452,
    0.7487], [1.789, 1.414]], [[1.215, 4.687], [2.534, 1.871], [2.406, -5.458]], [[-1.015, 0.04915], [-1.476,
    2.542], [2.051, 1.117]], [[-2.057, 0.9611], [-0.1096, 0.1942], [-0.7958, 0.03542]], [[-1.26, 2.767], [2.891,
    1.158], [-0.06502, -0.6356]]]]
out[2] = float32[1, 2, 2, 3] [[[[1.53, -0.8274, -0.8531], [-0.318, -0.382, -0.3721]], [[0.171, -1.854, 0.9234],
    [0.9649, -0.2054, -1.312]]]]
out[3] = float32[1, 2, 6, 7] [0, 0, 0, 0, 0, 0, 0, 0, 1.53, -1.268, -0.8274, -0.8045, ..., 0, 0, 0, 0]
""")


@clause("numbers.options", modes="train")
def test_convolutions_of_signals_and_volumes(check: Check) -> None:
    """In one and three dimensions strides, dilation and groups mean what they mean in two."""

    def program(a: torch.Tensor, weight: torch.Tensor, b: torch.Tensor, cube: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "signal": functional.conv1d(a, weight, stride=2, padding=2, dilation=2),
            "same": functional.conv1d(a, weight, padding="same"),
            "even same": functional.conv1d(a, weight[..., :2], padding="same"),
            "groups": functional.conv1d(a, weight[:2, :1], groups=2),
            "volume": functional.conv3d(b, cube, stride=(1, 2, 1), padding=(0, 1, 1)),
            "dilated": functional.conv3d(b, cube, dilation=(1, 1, 2)),
        }

    check(program, tensor(2, 2, 7), tensor(3, 2, 3), tensor(1, 2, 3, 3, 4), tensor(2, 2, 2, 2, 2)).values().expect("""\
out['signal'] = float32[2, 3, 4] [[[1.889, 1.693, -0.1369, -0.3644], [1.322, 1.134, 0.1772, -1.821], [-0.7526,
    -0.2858, 1.739, -0.1131]], [[-1.957, 0.2301, 1.404, 1.262], [-0.9024, -2.215, 1.49, 2.21], [-0.01466, -0.0777,
    -0.9343, -0.3586]]]
out['same'] = float32[2, 3, 7] [-1.504, 1.81, -2.018, 1.192, -1.246, -0.796, -0.196, 0.4698, -2.099, 2.87, -2.785,
    1.493, ..., -0.7104, 3.727, -0.06579, -1.707]
out['even same'] = float32[2, 3, 7] [-0.1468, -0.1332, 0.7407, -1.126, 0.4308, -0.196, -0.7184, -2.545, 2.461,
    -1.904, 0.215, 0.2309, ..., 0.9341, 1.04, -1.707, 0.5605]
out['groups'] = float32[2, 2, 5] [[[1.208, -1.398, 0.3116, 0.3501, -0.9879], [0.521, -0.4845, -1.08, 1.507,
    -2.433]], [[-1.53, 0.3906, 0.3666, -3.017, 0.5049], [2.282, -2.047, -3.146, 2.141, 2.629]]]
out['volume'] = float32[1, 2, 2, 2, 5] [0.2667, 0.3414, -2.824, -2.129, -0.6034, -0.8347, 0.3425, 1.005, -5.182,
    -0.9503, -0.0367, 0.7506, ..., -3.248, -3.504, 2.657, 5.038]
out['dilated'] = float32[1, 2, 2, 2, 2] [[[[[-2.126, 1.826], [0.743, 0.1086]], [[-3.787, 0.7445], [-0.8636,
    1.637]]], [[[5.044, -3.952], [-4.169, -3.963]], [[-1.211, -6.54], [0.3674, 3.901]]]]]
""")


@clause("numbers.options", modes="train")
def test_transposed_convolutions(check: Check) -> None:
    """What is added to the size of the result, strides, dilation and groups of the transposed kind."""

    def program(a: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        conv = functional.conv_transpose2d
        return {
            "plain": conv(a, weight, bias),
            "strided": conv(a, weight, stride=(2, 3), padding=1, output_padding=(1, 2)),
            "dilated": conv(a, weight, bias, dilation=2, padding=(1, 0)),
            "groups": conv(a, weight[:, :1], groups=2, stride=2),
            "signal": functional.conv_transpose1d(b, weight[:, :, 0], stride=3, output_padding=1),
        }

    check(program, tensor(1, 2, 3, 4), tensor(2, 2, 2, 3), tensor(2), tensor(2, 2, 5)).values().expect("""\
out['plain'] = float32[1, 2, 4, 6] [-0.127, 1.063, -0.7059, 0.1103, 0.6042, 0.1101, 2.797, -0.4906, -0.9499, 2.493,
    -0.06768, 0.07593, ..., -0.3502, 1.955, -2.275, 4.293]
out['strided'] = float32[1, 2, 5, 12] [-0.9473, 0.1491, 1.241, -1.059, -0.592, -0.6124, 1.122, 0.9107, 2.529,
    -1.162, -0.1763, 0, ..., 1.311, 0.03304, 3.213, 0]
out['dilated'] = float32[1, 2, 3, 8] [0.01086, -0.9806, 0.3448, -1.342, 0.4579, 0.3516, 0.2622, 0.2522, 2.677,
    1.249, -0.7939, 0.4151, ..., 0.5012, 3.332, 0.2815, 4.797]
out['groups'] = float32[1, 2, 6, 9] [0.2769, 0.02659, 0.7607, 0.0793, -1.262, -0.1025, 0.8354, 0.05606, -0.1376,
    0.3537, -0.3396, 0.847, ..., 0.6213, 1.411, -0.4437, 0.2605]
out['signal'] = float32[2, 2, 16] [-0.2005, 0.4764, 0.6431, 1.443, -0.044, -0.5595, 0.03917, 0.4219, 0.4935, -1.47,
    -0.0939, 0.4031, ..., 1.043, 0.1102, -0.4149, 0]
""")


def _padded(mode: Literal["reflect", "replicate", "circular"]) -> torch.nn.Conv2d:
    """A convolution with such a padding, and parameters of a fixed seed."""
    convolution = torch.nn.Conv2d(2, 2, (3, 2), padding=(2, 1), padding_mode=mode)
    generator = torch.Generator().manual_seed(0)
    for parameter in convolution.parameters():
        torch.nn.init.normal_(parameter, generator=generator)
    return convolution


@clause("numbers.options", modes="train")
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_convolution_of_a_padded_image(check: Check, mode: Literal["reflect", "replicate", "circular"]) -> None:
    """A convolution that pads by reflection, by the border or around takes its padding from the image."""
    check(built(lambda: _padded(mode)), tensor(1, 2, 4, 3)).shape("out", 1, 2, 6, 4).gradient(0)


@clause("numbers.options", modes="train")
def test_bilinear_and_linear_layers(check: Check) -> None:
    """A form of two inputs, with and without a bias, over any number of leading dimensions."""

    def program(
        a: torch.Tensor, b: torch.Tensor, form: torch.Tensor, bias: torch.Tensor, matrix: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "form": functional.bilinear(a, b, form, bias),
            "without bias": functional.bilinear(a[0, 0], b[0, 0], form),
            "linear": functional.linear(a, matrix, bias),
            "of a vector": functional.linear(a[0, 0], matrix),
            "to a number": functional.linear(a, matrix[0], bias[0]),
        }

    check(program, tensor(2, 2, 3), tensor(2, 2, 4), tensor(2, 3, 4), tensor(2), tensor(2, 3)).values().expect("""\
out['form'] = float32[2, 2, 2] [[[-1.971, -3.711], [-4.147, -1.225]], [[0.009595, 0.9242], [-0.3099, -2.96]]]
out['without bias'] = float32[2] [-1.815, -4.791]
out['linear'] = float32[2, 2, 2] [[[-4.712, 4.191], [2.531, 0.6]], [[1.567, 0.7818], [2.862, 0.7187]]]
out['of a vector'] = float32[2] [-4.556, 3.111]
out['to a number'] = float32[2, 2] [[-4.712, 2.531], [1.567, 2.862]]
""")
