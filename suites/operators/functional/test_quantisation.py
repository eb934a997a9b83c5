"""Quantisation in steps that graphs hold: to whole numbers of few bits and back, by one scale or one a channel."""

import struct
from typing import Any

import pytest
import torch
import torch.ao.quantization.quantize_fx  # Registers the operators.

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of

INF = float("inf")
#: Halves of a step, what saturates on either side, and what is near nought.
GIVEN = (-40.0, -3.25, -1.75, -1.25, -0.75, -0.25, -0.0, 0.125, 0.25, 0.75, 1.25, 2.5, 7.75, 31.75, 40.0, 63.0, 65.0)


@clause("numbers.options")
def test_quantisation_by_one_scale(check: Check) -> None:
    """Halves are rounded to even before the zero point is added, and what is beyond the bounds is at the bounds."""
    ops = torch.ops.quantized_decomposed

    def program(a: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        small = ops.quantize_per_tensor(a, 0.5, -3, -128, 127, torch.int8)
        bytes_ = ops.quantize_per_tensor(a * 2, 0.5, 7, 0, 255, torch.uint8)
        narrow = ops.quantize_per_tensor(a, 0.5, 2, -5, 9, torch.int8)
        return {
            "small": small,
            "bytes": bytes_,
            "narrow": narrow,
            "low": ops.quantize_per_tensor(low, 0.25, 1, -128, 127, torch.int8),
            "small back": ops.dequantize_per_tensor(small, 0.5, -3, -128, 127, torch.int8),
            "bytes back": ops.dequantize_per_tensor(bytes_, 0.5, 7, 0, 255, torch.uint8) + 1,
            "other scale": ops.dequantize_per_tensor(narrow, 0.75, 2, -5, 9, torch.int8) * a,
            "low back": ops.dequantize_per_tensor(small, 0.5, -3, -128, 127, torch.int8, out_dtype=torch.bfloat16),
        }

    low = tensor(6, dtype=torch.bfloat16, values=[-1.5, 0.375, 0.125, 40.0, -60.0, 3.0])
    check(program, tensor(17, values=GIVEN), low).values().expect("""\
out['small'] = int8[17] [-83, -9, -7, -5, -5, -3, -3, -3, -3, -1, -1, 2, 13, 61, 77, 123, 127]
out['bytes'] = uint8[17] [0, 0, 0, 2, 4, 6, 7, 7, 8, 10, 12, 17, 38, 134, 167, 255, 255]
out['narrow'] = int8[17] [-5, -4, -2, 0, 0, 2, 2, 2, 2, 4, 4, 7, 9, 9, 9, 9, 9]
out['low'] = int8[6] [-5, 3, 1, 127, -128, 13]
out['small back'] = float32[17] [-40, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 8, 32, 40, 63, 65]
out['bytes back'] = float32[17] [-2.5, -2.5, -2.5, -1.5, -0.5, 0.5, 1, 1, 1.5, 2.5, 3.5, 6, 16.5, 64.5, 81, 125,
    125]
out['other scale'] = float32[17] [210, 14.62, 5.25, 1.875, 1.125, -0, -0, 0, 0, 1.125, 1.875, 9.375, 40.69, 166.7,
    210, 330.8, 341.2]
out['low back'] = bfloat16[17] [-40, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 8, 32, 40, 63, 65]
""")


@clause("numbers.options")
def test_quantisation_by_a_scale_for_each_channel(check: Check) -> None:
    """Each channel has a scale and a zero point, along whichever dimension the channels are."""
    ops = torch.ops.quantized_decomposed

    def program(
        a: torch.Tensor, scales: torch.Tensor, points: torch.Tensor, low: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        rows = ops.quantize_per_channel(a, scales[:2], points[:2], 0, -128, 127, torch.int8)
        columns = ops.quantize_per_channel(a * 3, scales, points, 1, 0, 20, torch.uint8)
        between = a.new_tensor([[0.25, 0.75, -0.25], [0.0625, -0.0625, 0.1875], [1.0, 3.0, -1.0]])
        return {
            "halfway": ops.quantize_per_channel(between, scales, points, 0, -128, 127, torch.int8),
            "rows": rows,
            "columns": columns,
            "low": ops.quantize_per_channel(low, scales, points, 1, -128, 127, torch.int8),
            "rows back": ops.dequantize_per_channel(rows, scales[:2], points[:2], 0, -128, 127, torch.int8),
            "columns back": ops.dequantize_per_channel(columns, scales, points, 1, 0, 20, torch.uint8) * 2,
            "low back": ops.dequantize_per_channel(
                columns, scales, points, 1, 0, 20, torch.uint8, out_dtype=torch.bfloat16
            ),
        }

    scales = tensor(3, grad=False, values=[0.5, 0.125, 2.0])
    points = tensor(3, dtype=torch.int64, values=[-2, 5, 1])
    low = tensor(2, 3, dtype=torch.bfloat16, grad=False, values=[[-1.25, 0.375, 1.0], [40.0, -0.0625, 5.0]])
    check(program, tensor(2, 3, 3), scales, points, low).values().expect("""\
out['halfway'] = int8[3, 3] [[-2, 0, -2], [5, 5, 7], [1, 3, 1]]
out['rows'] = int8[2, 3, 3] [[[-3, -4, -1], [-4, -1, -2], [-3, -6, -1]], [[1, -1, -9], [-5, 6, 2], [-12, 0, -4]]]
out['columns'] = uint8[2, 3, 3] [[[0, 0, 2], [0, 20, 0], [1, 0, 1]], [[0, 0, 0], [0, 7, 0], [0, 0, 0]]]
out['low'] = int8[2, 3] [[-4, 8, 1], [78, 5, 3]]
out['rows back'] = float32[2, 3, 3] [[[-0.5, -1, 0.5], [-1, 0.5, 0], [-0.5, -2, 0.5]], [[-0.5, -0.75, -1.75],
    [-1.25, 0.125, -0.375], [-2.125, -0.625, -1.125]]]
out['columns back'] = float32[2, 3, 3] [[[2, 2, 4], [-1.25, 3.75, -1.25], [0, -4, 0]], [[2, 2, 2], [-1.25, 0.5,
    -1.25], [-4, -4, -4]]]
out['low back'] = bfloat16[2, 3, 3] [[[1, 1, 2], [-0.625, 1.875, -0.625], [0, -2, 0]], [[1, 1, 1], [-0.625, 0.25,
    -0.625], [-2, -2, -2]]]
""")


@clause("numbers.options")
def test_scales_that_numbers_ask_for(check: Check) -> None:
    """Numbers around nought and near it have a scale and a zero point; on one side of it, the latter is at a bound."""
    ops = torch.ops.quantized_decomposed

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "above": ops.choose_qparams.tensor(a.abs() + 20, -128, 127, 1e-6, torch.int8)[1],
            "below": ops.choose_qparams.tensor(-a.abs() - 3, 0, 255, 1e-6, torch.uint8)[1],
            "around": ops.choose_qparams.tensor(a, -128, 127, 1e-6, torch.int8),
            "near nought": ops.choose_qparams.tensor(a * 1e-9, -128, 127, 1e-3, torch.int8),
            "evenly": ops.choose_qparams_symmetric.tensor(a, -127, 127, 1e-6, torch.int8),
        }

    check(program, tensor(6, grad=False, values=[-1.5, 0.375, 0.125, 4.0, -6.0, 3.0])).computed()


@clause("numbers.options")
def test_zero_points_between_two_steps(check: Check) -> None:
    """Where nought lies between two steps of those that numbers ask for, its place is the nearer one."""
    ops = torch.ops.quantized_decomposed

    def program(*rows: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        return {
            "small": [ops.choose_qparams.tensor(row, -128, 127, 1e-6, torch.int8)[1] for row in rows],
            "bytes": [ops.choose_qparams.tensor(row * 2, 0, 255, 1e-6, torch.uint8)[1] for row in rows],
            "few": [ops.choose_qparams.tensor(row * 0.5, 0, 15, 1e-6, torch.uint8)[1] for row in rows],
        }

    ends = ([-1.25, 3.25], [-2.0, 3.125], [-0.3125, 5.0], [-7.75, 0.25], [-1.0, 1.0], [-5.5, 2.25], [-0.5, 254.5])
    check(program, *(tensor(2, grad=False, values=end) for end in ends)).values().expect("""\
out['small'][0] = int64[1] [-57]
out['small'][1] = int64[1] [-28]
out['small'][2] = int64[1] [-113]
out['small'][3] = int64[1] [119]
out['small'][4] = int64[1] [-1]
out['small'][5] = int64[1] [53]
out['small'][6] = int64[1] [-128]
out['bytes'][0] = int64[1] [71]
out['bytes'][1] = int64[1] [100]
out['bytes'][2] = int64[1] [15]
out['bytes'][3] = int64[1] [247]
out['bytes'][4] = int64[1] [127]
out['bytes'][5] = int64[1] [181]
out['bytes'][6] = int64[1] [0]
out['few'][0] = int64[1] [4]
out['few'][1] = int64[1] [6]
out['few'][2] = int64[1] [1]
out['few'][3] = int64[1] [15]
out['few'][4] = int64[1] [7]
out['few'][5] = int64[1] [11]
out['few'][6] = int64[1] [0]
""")


@clause("numbers.options")
def test_scales_of_numbers_on_one_side_of_nought(check: Check) -> None:
    """The scale of numbers that are all on one side of nought reaches it, which quantised numbers have to have."""
    ops = torch.ops.quantized_decomposed

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        above, _ = ops.choose_qparams.tensor(a.abs() + 20, -128, 127, 1e-6, torch.int8)
        below, _ = ops.choose_qparams.tensor(-a.abs() - 3, 0, 255, 1e-6, torch.uint8)
        return above, below

    check(program, tensor(6, grad=False, values=[-1.5, 0.375, 0.125, 4.0, -6.0, 3.0])).computed()


@clause("numbers.options")
def test_quantisation_by_a_scale_that_is_computed(check: Check) -> None:
    """With a scale that is a tensor, too, halves are rounded before the zero point is added, and bounds are kept."""
    ops = torch.ops.quantized_decomposed

    def program(a: torch.Tensor, scale: torch.Tensor, point: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "small": ops.quantize_per_tensor.tensor(a, scale, point, -128, 127, torch.int8),
            "bytes": ops.quantize_per_tensor.tensor(a * 2, scale[0] * 2, point[0], 0, 255, torch.uint8),
            "narrow": ops.quantize_per_tensor.tensor(a, scale, point, -5, 9, torch.int8),
        }

    scale, point = tensor(1, grad=False, values=[0.5]), tensor(1, dtype=torch.int64, values=[3])
    check(program, tensor(17, values=GIVEN), scale, point).values().expect("""\
out['small'] = int8[17] [-77, -3, -1, 1, 1, 3, 3, 3, 3, 5, 5, 8, 19, 67, 83, 127, 127]
out['bytes'] = uint8[17] [0, 0, 0, 1, 1, 3, 3, 3, 3, 5, 5, 8, 19, 67, 83, 129, 133]
out['narrow'] = int8[17] [-5, -3, -1, 1, 1, 3, 3, 3, 3, 5, 5, 8, 9, 9, 9, 9, 9]
""")


@clause("numbers.options")
def test_numbers_of_few_bits_by_a_scale_that_is_computed(check: Check) -> None:
    """Quantised by a scale and a zero point that are tensors, away from halves, and back by others."""
    ops = torch.ops.quantized_decomposed

    def program(a: torch.Tensor, scale: torch.Tensor, point: torch.Tensor) -> dict[str, torch.Tensor]:
        small = ops.quantize_per_tensor.tensor(a, scale, point, -128, 127, torch.int8)
        return {
            "small": small,
            "bytes": ops.quantize_per_tensor.tensor(a.bfloat16(), scale[0] * 2, point[0] + 1, 0, 255, torch.uint8),
            "back": ops.dequantize_per_tensor.tensor(small, scale, point, -128, 127, torch.int8),
            "back by others": ops.dequantize_per_tensor.tensor(
                small, scale[0] / 2, point[0].int() - 2, -128, 127, torch.int8, out_dtype=torch.bfloat16
            ),
            "back by a double": ops.dequantize_per_tensor.tensor(small, scale.double(), point, -128, 127, torch.int8),
            "bytes back": ops.dequantize_per_tensor.tensor(
                small.view(torch.uint8), scale[0], point[0] + 200, 0, 255, torch.uint8
            ),
        }

    given = [-90.0, -3.2, -0.7, 0.1, 0.6, 1.3, 2.9, 8.2, 40.0, 90.0]
    scale, point = tensor(1, grad=False, values=[0.5]), tensor(1, dtype=torch.int64, values=[3])
    check(program, tensor(10, values=given), scale, point).values().expect("""\
out['small'] = int8[10] [-128, -3, 2, 3, 4, 6, 9, 19, 83, 127]
out['bytes'] = uint8[10] [0, 1, 3, 4, 5, 5, 7, 12, 44, 94]
out['back'] = float32[10] [-65.5, -3, -0.5, 0, 0.5, 1.5, 3, 8, 40, 62]
out['back by others'] = bfloat16[10] [-32.25, -1, 0.25, 0.5, 0.75, 1.25, 2, 4.5, 20.5, 31.5]
out['back by a double'] = float32[10] [-65.5, -3, -0.5, 0, 0.5, 1.5, 3, 8, 40, 62]
out['bytes back'] = float32[10] [-37.5, 25, -100.5, -100, -99.5, -98.5, -97, -92, -60, -38]
""")


@clause("numbers.options", devices="cpu")
def test_products_with_weights_of_few_bits(check: Check) -> None:
    """Weights of eight bits have a scale a row, those of four bits one a group of columns."""

    def program(
        a: torch.Tensor, whole: torch.Tensor, scales: torch.Tensor, few: torch.Tensor, groups: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(few, 2)
        four_bits = torch.ops.aten._weight_int4pack_mm_for_cpu(a, packed, 32, groups)
        return torch.ops.aten._weight_int8pack_mm(a, whole, scales), four_bits

    low = torch.bfloat16
    numbers = [place % 5 - 2.0 for place in range(4 * 64)]
    whole = tensor(32, 64, dtype=torch.int8, values=[7 * place % 9 - 4 for place in range(32 * 64)])
    scales = tensor(32, dtype=low, values=[2.0 ** -(place % 3) for place in range(32)])
    few = tensor(32, 64, dtype=torch.int32, values=[5 * place % 16 for place in range(32 * 64)])
    groups = tensor(2, 32, 2, dtype=low, values=[2.0 ** -(place % 5) for place in range(2 * 32 * 2)])
    check(program, tensor(4, 64, dtype=low, values=numbers), whole, scales, few, groups).computed()


#: Scales, zero points and bounds: within, at either end, and of one side.
STEPS = {
    "evenly": (0.5, 0, -128, 127),
    "bytes": (0.5, 7, 0, 255),
    "least": (0.25, 0, 0, 15),
    "largest": (0.25, 15, 0, 15),
    "unlike": (0.3125, 2, -5, 9),
}


@clause("numbers.options", modes="train")
def test_fake_quantisation_by_one_scale(check: Check) -> None:
    """Numbers go to the nearest step and back, halves to an even one; beyond the bounds there is no slope."""

    def program(a: torch.Tensor, scales: torch.Tensor, points: torch.Tensor) -> dict[str, torch.Tensor]:
        found: dict[str, torch.Tensor] = {}
        quantise = torch.fake_quantize_per_tensor_affine
        for place, (name, (scale, point, least, largest)) in enumerate(STEPS.items()):
            found[name] = quantise(a, scale, point, least, largest)
            found[f"{name} by tensors"] = quantise(a, scales[place], points[place], least, largest)
        return found | {
            "low": quantise(a.bfloat16(), 0.5, 1, -8, 7),
            "half": quantise(a.half(), 0.5, 1, -8, 7),
            "none": quantise(a[:0], 0.5, 1, -8, 7).sum() + a,
        }

    scales = tensor(5, grad=False, values=[step[0] for step in STEPS.values()])
    points = tensor(5, dtype=torch.int32, values=[step[1] for step in STEPS.values()])
    check(program, tensor(17, values=GIVEN), scales, points).gradient(0).values().expect("""\
out['evenly'] = float32[17] [-40, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 8, 32, 40, 63, 63.5]
out['evenly by tensors'] = float32[17] [-40, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 8, 32, 40, 63, 63.5]
out['bytes'] = float32[17] [-3.5, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 8, 32, 40, 63, 65]
out['bytes by tensors'] = float32[17] [-3.5, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 8, 32, 40, 63, 65]
out['least'] = float32[17] [0, 0, 0, 0, 0, 0, 0, 0, 0.25, 0.75, 1.25, 2.5, 3.75, 3.75, 3.75, 3.75, 3.75]
out['least by tensors'] = float32[17] [0, 0, 0, 0, 0, 0, 0, 0, 0.25, 0.75, 1.25, 2.5, 3.75, 3.75, 3.75, 3.75, 3.75]
out['largest'] = float32[17] [-3.75, -3.25, -1.75, -1.25, -0.75, -0.25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
out['largest by tensors'] = float32[17] [-3.75, -3.25, -1.75, -1.25, -0.75, -0.25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
out['unlike'] = float32[17] [-2.188, -2.188, -1.875, -1.25, -0.625, -0.3125, 0, 0, 0.3125, 0.625, 1.25, 2.188,
    2.188, 2.188, 2.188, 2.188, 2.188]
out['unlike by tensors'] = float32[17] [-2.188, -2.188, -1.875, -1.25, -0.625, -0.3125, 0, 0, 0.3125, 0.625, 1.25,
    2.188, 2.188, 2.188, 2.188, 2.188, 2.188]
out['low'] = bfloat16[17] [-4.5, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 3, 3, 3, 3, 3]
out['half'] = float16[17] [-4.5, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 3, 3, 3, 3, 3]
out['none'] = float32[17] [-40, -3.25, -1.75, -1.25, -0.75, -0.25, 0, 0.125, 0.25, 0.75, 1.25, 2.5, 7.75, 31.75, 40,
    63, 65]
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_fake_quantisation_of_no_numbers(check: Check) -> None:
    """An infinity goes to a bound, and has no slope."""

    def program(a: torch.Tensor, scale: torch.Tensor, point: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        quantise = torch.fake_quantize_per_tensor_affine
        return quantise(a, 0.5, 1, -8, 7), quantise(a, scale, point, -8, 7)

    scale, point = tensor(1, grad=False, values=[0.5]), tensor(1, dtype=torch.int32, values=[1])
    given = [INF, 1.3, -INF, 0.2]
    check(program, tensor(4, values=given), scale, point).gradient(0).computed()


@clause("numbers.options", modes="train")
def test_fake_quantisation_by_a_scale_for_each_channel(check: Check) -> None:
    """Each channel has its scale and its zero point, whole or a number, of whichever dimension."""

    def program(
        a: torch.Tensor, scales: torch.Tensor, points: torch.Tensor, parts: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        quantise = torch.fake_quantize_per_channel_affine
        return {
            "middle": quantise(a, scales, points, 1, -128, 127),
            "narrow": quantise(a * 3, scales, points, 1, -5, 9),
            "first": quantise(a, scales[:2], points[1:], 0, 0, 15),
            "by numbers": quantise(a, scales, points.float(), 1, -128, 127),
            "by fractions": quantise(a * 3, scales, parts, 1, -5, 9),
            "turned": quantise(a.transpose(0, 1), scales, points, 0, -5, 9),
        }

    scales = tensor(3, grad=False, values=[0.5, 0.125, 2.0])
    points = tensor(3, dtype=torch.int32, values=[-2, 5, 1])
    parts = tensor(3, grad=False, values=[1.5, 2.5, -1.25])
    check(program, tensor(2, 3, 3), scales, points, parts).gradient(0).values().expect("""\
out['middle'] = float32[2, 3, 3] [[[-0.5, -1, 0.5], [-0.75, 0.625, -0.25], [0, -2, 0]], [[-0.5, -0.5, -1.5], [-1.25,
    0.125, -0.375], [-2, 0, -2]]]
out['narrow'] = float32[2, 3, 3] [[[-1, -1.5, 2], [-1.25, 0.5, -0.75], [0, -6, 0]], [[-1.5, -1.5, -1.5], [-1.25,
    0.25, -1.25], [-6, -2, -4]]]
out['first'] = float32[2, 3, 3] [[[-0.5, -1, 0.5], [-1, 0.5, 0], [-0.5, -2, 0.5]], [[-0.125, -0.125, -0.125],
    [-0.125, 0.125, -0.125], [-0.125, -0.125, -0.125]]]
out['by numbers'] = float32[2, 3, 3] [[[-0.5, -1, 0.5], [-0.75, 0.625, -0.25], [0, -2, 0]], [[-0.5, -0.5, -1.5],
    [-1.25, 0.125, -0.375], [-2, 0, -2]]]
out['by fractions'] = float32[2, 3, 3] [[[-1.25, -3.25, 1.75], [-0.9375, 0.8125, -0.6875], [-1.5, -5.5, 0.5]],
    [[-1.75, -2.25, -3.25], [-0.9375, 0.3125, -0.9375], [-5.5, -1.5, -3.5]]]
out['turned'] = float32[3, 2, 3] [[[-0.5, -1, 0.5], [-0.5, -0.5, -1.5]], [[-0.75, 0.5, -0.25], [-1.25, 0.125,
    -0.375]], [[0, -2, 0], [-2, 0, -2]]]
""")


@clause("numbers.options", modes="train")
def test_fake_quantisation_that_is_learnt(check: Check) -> None:
    """Scales and zero points have gradients, by a factor; a zero point is rounded, and within the bounds."""

    def program(
        a: torch.Tensor, scale: torch.Tensor, point: torch.Tensor, scales: torch.Tensor, points: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        whole, channels = (
            torch._fake_quantize_learnable_per_tensor_affine,
            torch._fake_quantize_learnable_per_channel_affine,
        )
        matrix = a.view(3, 6)
        return {
            "all": whole(a, scale, point, -8, 7, 1.0),
            "by a factor": whole(a, scale * 2, point + 4, 0, 15, 0.5),
            "beyond": whole(a, scale, point * 0 + 12, -8, 7, 1.0),
            "rows": channels(matrix, scales, points, 0, -8, 7, 0.5),
            "columns": channels(matrix.t().reshape(6, 3), scales, points, 1, -128, 127),
        }

    parts = tensor(1, values=[0.5]), tensor(1, values=[1.5]), tensor(3, values=[0.5, 0.25, 1.0])
    given = tensor(18, values=[*GIVEN, 3.3])
    result = check(program, given, *parts, tensor(3, values=[1.5, 2.5, 12.0]))
    result.gradient(0, 1, 2, 3, 4).values().expect("""\
out['all'] = float32[18] [-5, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]
out['by a factor'] = float32[18] [-6, -3, -2, -1, -1, 0, 0, 0, 0, 1, 1, 2, 8, 9, 9, 9, 9, 3]
out['beyond'] = float32[18] [-7.5, -3, -2, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
out['rows'] = float32[3, 6] [[-5, -3, -2, -1, -1, 0], [0, 0, 0.25, 0.75, 1.25, 1.25], [0, 0, 0, 0, 0, 0]]
out['columns'] = float32[6, 3] [[-40, 0, 8], [-3, 0, 32], [-2, 0.25, 40], [-1, 0.75, 63], [-1, 1.25, 65], [0, 2.5,
    3]]
""")


@clause("numbers.options", modes="train")
@pytest.mark.parametrize("channels", [False, True], ids=["one scale", "scale a row"])
def test_fake_quantisation_by_what_was_seen(check: Check, channels: bool) -> None:
    """Bounds that are observed move towards what is seen, scales follow; either may be off, and what is off is left."""
    rows = 3 if channels else 1

    def program(a: torch.Tensor, on: torch.Tensor, states: list[list[torch.Tensor]]) -> list[torch.Tensor]:
        found = []
        for number, (least, largest, scale, point) in enumerate(states):
            observes, quantises = on[number % 2], on[number // 2 % 2]
            evenly = number >= 4
            found.append(
                torch.fused_moving_avg_obs_fake_quant(
                    a, observes[None], quantises[None], least, largest, scale, point, 0.25, -8, 7,
                    0 if channels else -1, channels, evenly,
                )
            )  # fmt: skip
        return found

    def state(number: int) -> list[Any]:
        first = number != 3
        return [
            tensor(rows, grad=False, values=[INF if first else -0.5] * rows),
            tensor(rows, grad=False, values=[-INF if first else 0.5] * rows),
            tensor(rows, grad=False, values=[0.5] * rows),
            tensor(rows, dtype=torch.int32, values=[1] * rows),
        ]

    on = tensor(2, dtype=torch.int64, values=[0, 1])
    check(program, tensor(3, 4), on, [state(number) for number in range(8)]).gradient(0).computed()


def _packed(numbers: list[int], form: str, *held: float) -> list[int]:
    """A row of an embedding in bytes, with the scale and the least number that it holds after them."""
    return [*numbers, *struct.pack(form, *held)]


@clause("numbers.options", devices="cpu")
def test_packed_rows_of_embeddings(check: Check) -> None:
    """Rows of numbers of eight, four or two bits come back by the scale and the least number at their own ends."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        ops = torch.ops.quantized
        return {
            "bytes": ops.embedding_bag_byte_unpack(a),
            "turned": ops.embedding_bag_byte_unpack(a.flip(0)) + 1,
            "some": ops.embedding_bag_byte_unpack(a[1:]),
            "batch": ops.embedding_bag_byte_unpack(a.view(3, 1, -1)),
            "halves of bytes": ops.embedding_bag_4bit_unpack(b),
            "quarters of bytes": ops.embedding_bag_2bit_unpack(b),
        }

    rows = [([0, 1, 128, 255, 7], 0.5, -3.0), ([255, 200, 3, 2, 1], -0.25, 100.0), ([9, 8, 7, 6, 5], 2.0**-9, 0.0)]
    few = [([0x10, 0xF3, 0x5A], 0.5, -2.0), ([0xFF, 0x01, 0x80], -1.5, 0.25)]
    bytes_ = tensor(3, 13, dtype=torch.uint8, values=[_packed(row, "<ff", *held) for row, *held in rows])
    bits = tensor(2, 7, dtype=torch.uint8, values=[_packed(row, "<ee", *held) for row, *held in few])
    check(program, bytes_, bits).values().expect("""\
out['bytes'] = float32[3, 5] [[-3, -2.5, 61, 124.5, 0.5], [36.25, 50, 99.25, 99.5, 99.75], [0.01758, 0.01562,
    0.01367, 0.01172, 0.009766]]
out['turned'] = float32[3, 5] [[1.018, 1.016, 1.014, 1.012, 1.01], [37.25, 51, 100.2, 100.5, 100.8], [-2, -1.5, 62,
    125.5, 1.5]]
out['some'] = float32[2, 5] [[36.25, 50, 99.25, 99.5, 99.75], [0.01758, 0.01562, 0.01367, 0.01172, 0.009766]]
out['batch'] = float32[3, 1, 5] [[[-3, -2.5, 61, 124.5, 0.5]], [[36.25, 50, 99.25, 99.5, 99.75]], [[0.01758,
    0.01562, 0.01367, 0.01172, 0.009766]]]
out['halves of bytes'] = float32[2, 6] [[-2, -1.5, -0.5, 5.5, 3, 0.5], [-22.25, -22.25, -1.25, 0.25, 0.25, -11.75]]
out['quarters of bytes'] = float32[2, 12] [[-2, -2, -1.5, -2, -0.5, -2, -0.5, -0.5, -1, -1, -1.5, -1.5], [-4.25,
    -4.25, -4.25, -4.25, -1.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, -2.75]]
""")


@clause("numbers.options", devices="cpu")
def test_rows_of_embeddings_that_are_packed_and_read(check: Check) -> None:
    """Rows that are packed into bytes, and read in the program that packed them, are what they were, to a step."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        ops = torch.ops.quantized
        packed = ops.embedding_bag_byte_prepack(a)
        return {"packed": packed, "back": ops.embedding_bag_byte_unpack(packed)}

    # Both ends of each row are of use, and its steps are whole: nothing rounds.
    rows = [[0.0, 255.0, 3.0, 100.0], [-128.0, 127.0, 0.0, 5.0], [510.0, 0.0, 2.0, 4.0]]
    check(program, tensor(3, 4, values=rows)).values().expect("""\
out['packed'] = uint8[3, 12] [[0, 255, 3, 100, 0, 0, 128, 63, 0, 0, 0, 0], [0, 255, 128, 133, 0, 0, 128, 63, 0, 0,
    0, 195], [255, 0, 1, 2, 0, 0, 0, 64, 0, 0, 0, 0]]
out['back'] = float32[3, 4] [[0, 255, 3, 100], [-128, 127, 0, 5], [510, 0, 2, 4]]
""")


@clause("T7.10", "numbers.options", devices="cpu")
def test_told_results_of_packed_rows(check: Check) -> None:
    """A program is told truly what rows that are packed into fewer bits are, and what is read from them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[object, object]:
        ops = torch.ops.quantized
        found = {
            "halves of bytes": ops.embedding_bag_4bit_prepack(a),
            "quarters of bytes": ops.embedding_bag_2bit_prepack(a),
            "read": ops.embedding_bag_byte_unpack(b),
            "halves read": ops.embedding_bag_4bit_unpack(b),
            "quarters read": ops.embedding_bag_2bit_unpack(b),
        }
        return found, told_of(found)

    bits = tensor(2, 12, dtype=torch.uint8, values=[_packed([1, 2, 3, 4], "<ff", 0.5, 1.0)] * 2)
    check(program, tensor(3, 8), bits).computed()


@clause("T7.10", "numbers.options", devices="cpu")
def test_told_dtype_of_rows_packed_into_bytes(check: Check) -> None:
    """A program is told that rows packed into bytes are bytes."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.dtype, tuple[int, ...]]:
        packed = torch.ops.quantized.embedding_bag_byte_prepack(a)
        return packed, packed.dtype, packed.shape

    check(program, tensor(3, 8)).holds("out[1]", torch.uint8)


@clause("numbers.options", devices="cpu")
def test_maps_by_weights_cut_to_half_precision(check: Check) -> None:
    """A map by weights in half precision adds what it is told to add, to each row of each batch, or nothing."""

    def program(a: torch.Tensor, weight: torch.Tensor, added: torch.Tensor) -> dict[str, torch.Tensor]:
        mapped, ops = torch.ops.quantized.linear_dynamic_fp16_unpacked_weight, torch.ops._quantized
        packed = ops.wrapped_fbgemm_pack_gemm_matrix_fp16(weight)
        return {
            "rows": mapped(a[0], weight, added),
            "nothing added": mapped(a[1], weight, None),
            "batches": mapped(a, weight, added * 2) * 0.5,
            "turned": mapped(a.mT, weight[:2, :2] + 0, added[:2]),
            "packed": ops.wrapped_fbgemm_linear_fp16_weight(a[0], packed, added, 3),
        }

    weight = tensor(3, 4, values=[[2049.0, 0.5, -1.0, 0.25], [4099.0, 1.0, 2.0, -0.5], [-0.125, 8.0, 0.0, 1.5]])
    check(program, tensor(2, 2, 4), weight, tensor(3)).values().expect("""\
out['rows'] = float32[2, 3] [[-806.6, -1608, -10.38], [-799.1, -1605, 10.29]]
out['nothing added'] = float32[2, 3] [[478.2, 953.6, -0.194], [392, 790.2, -4.057]]
out['batches'] = float32[2, 2, 3] [[[-403.9, -805, -5.107], [-400.1, -803.5, 5.227]], [[238, 474.6, 0.06991],
    [194.8, 392.9, -1.861]]]
out['turned'] = float32[2, 4, 2] [[[-804.5, -1610], [-2396, -4796], [3094, 6195], [-1693, -3390]], [[476.3, 953.6],
    [-420.7, -842.2], [-1394, -2790], [2010, 4024]]]
out['packed'] = float32[2, 3] [[-806.6, -1608, -10.38], [-799.1, -1605, 10.29]]
""")


@clause("numbers.options", devices="cpu")
def test_maps_of_numbers_quantised_on_the_way(check: Check) -> None:
    """A map quantises its weights, what it maps and what it returns, each by a scale and a zero point of its own."""

    def program(a: torch.Tensor, weight: torch.Tensor, added: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        zero = torch.full((), 3)
        return torch.ops._quantized.wrapped_quantized_linear(
            a, scale, zero, weight, scale * 0.5, zero - 2, added, scale * 2, zero + 29, 3
        )

    weight = tensor(3, 4, values=[[1.0, 0.5, -1.0, 0.25], [2.0, 1.0, 2.0, -0.5], [-0.5, 1.5, 0.0, 1.5]])
    check(program, tensor(2, 4), weight, tensor(3), tensor(values=[0.125])).values().expect("""\
out = float32[2, 3] [[-0.5, -1.75, -1.25], [-0.5, -3.25, 3.25]]
""")
