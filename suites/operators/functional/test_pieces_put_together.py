"""Pieces that are put together or repeated: of unlike dtypes, of one, of nothing, in which order."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_pieces_put_together(check: Check) -> None:
    """Joined along any dimension, of several dtypes, with pieces of nothing, or stacked along a new one."""

    def program(a: torch.Tensor, b: torch.Tensor, low: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "from the end": torch.cat([a, b], -1),
            "with nothing": torch.cat([a[:0], b * 2, a[:0]]),
            "with no shape": torch.cat([a.new_zeros(0), b * 3]),
            "dtypes": torch.cat([low, whole]),
            "wider": torch.cat([whole, a, low]),
            "twice": torch.cat([a, a]) * torch.cat([b, a], 0),
            "thrice from the end": torch.cat([a, a, a], -1) + 1,
            "twice before the end": torch.cat([a, a], -2) * 2,
            "with nothing wider": torch.cat([b[:0].double(), a]),
            "stacked": torch.stack([a, b], -1),
            "stacked dtypes": torch.stack([a[0], low[1]], 1),
            "side by side": torch.hstack([a[0], b[1]]),
            "rows": torch.vstack([a[0], b]),
            "deep": torch.dstack([a, b]),
            "columns": torch.column_stack([a[:, 0], b]),
        }

    parts = tensor(2, 3), tensor(2, 3), tensor(2, 3, dtype=torch.bfloat16), tensor(2, 3, dtype=torch.int32)
    check(program, *parts).gradient(0, 1, 2).values().expect("""\
out['from the end'] = float32[2, 6] [[0.6865, -2.63, -0.239, -1.587, 0.9008, -1.132], [-1.382, -0.4561, 1.015,
    -2.222, 0.1669, -0.1415]]
out['with nothing'] = float32[2, 3] [[-3.173, 1.802, -2.264], [-4.445, 0.3338, -0.2831]]
out['with no shape'] = float32[2, 3] [[-4.76, 2.702, -3.396], [-6.667, 0.5008, -0.4246]]
out['dtypes'] = bfloat16[4, 3] [[-2.312, -0.5859, -0.4805], [-0.416, -2.234, -0.6484], [6, 5, 6], [7, 1, 5]]
out['wider'] = float32[6, 3] [[6, 5, 6], [7, 1, 5], [0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015], [-2.312,
    -0.5859, -0.4805], [-0.416, -2.234, -0.6484]]
out['twice'] = float32[4, 3] [[-1.089, -2.369, 0.2705], [3.071, -0.07613, -0.1437], [0.4712, 6.917, 0.05712], [1.91,
    0.208, 1.031]]
out['thrice from the end'] = float32[2, 9] [[1.686, -1.63, 0.761, 1.686, -1.63, 0.761, 1.686, -1.63, 0.761],
    [-0.382, 0.5439, 2.015, -0.382, 0.5439, 2.015, -0.382, 0.5439, 2.015]]
out['twice before the end'] = float32[4, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03], [1.373, -5.26,
    -0.478], [-2.764, -0.9121, 2.03]]
out['with nothing wider'] = float64[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['stacked'] = float32[2, 3, 2] [[[0.6865, -1.587], [-2.63, 0.9008], [-0.239, -1.132]], [[-1.382, -2.222],
    [-0.4561, 0.1669], [1.015, -0.1415]]]
out['stacked dtypes'] = float32[3, 2] [[0.6865, -0.416], [-2.63, -2.234], [-0.239, -0.6484]]
out['side by side'] = float32[6] [0.6865, -2.63, -0.239, -2.222, 0.1669, -0.1415]
out['rows'] = float32[3, 3] [[0.6865, -2.63, -0.239], [-1.587, 0.9008, -1.132], [-2.222, 0.1669, -0.1415]]
out['deep'] = float32[2, 3, 2] [[[0.6865, -1.587], [-2.63, 0.9008], [-0.239, -1.132]], [[-1.382, -2.222], [-0.4561,
    0.1669], [1.015, -0.1415]]]
out['columns'] = float32[2, 4] [[0.6865, -1.587, 0.9008, -1.132], [-1.382, -2.222, 0.1669, -0.1415]]
""")


@clause("numbers.options")
def test_pieces_repeated(check: Check) -> None:
    """Repeated with new dimensions, not at all, or by expansion."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "repeated": a.repeat(2, 1) * 2,
            "one row": a[:1].repeat(3, 1),
            "with a new dimension": a.repeat(2, 1, 3) * 1,
            "not at all": a.repeat(0, 2),
            "tiled": a.tile(2) + 1,
            "expanded": a[:, :1].expand(2, 2, -1) * 3,
            "along": a.repeat_interleave(3, dim=-1),
            "flat": a.repeat_interleave(2) - 1,
            "broadcast": a[:1].broadcast_to(3, 3).cumsum(0),
        }

    check(program, tensor(2, 3)).values().expect("""\
out['repeated'] = float32[4, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03], [1.373, -5.26, -0.478], [-2.764,
    -0.9121, 2.03]]
out['one row'] = float32[3, 3] [[0.6865, -2.63, -0.239], [0.6865, -2.63, -0.239], [0.6865, -2.63, -0.239]]
out['with a new dimension'] = float32[2, 2, 9] [[[0.6865, -2.63, -0.239, 0.6865, -2.63, -0.239, 0.6865, -2.63,
    -0.239], [-1.382, -0.4561, 1.015, -1.382, -0.4561, 1.015, -1.382, -0.4561, 1.015]], [[0.6865, -2.63, -0.239,
    0.6865, -2.63, -0.239, 0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015, -1.382, -0.4561, 1.015, -1.382, -0.4561,
    1.015]]]
out['not at all'] = float32[0, 6] []
out['tiled'] = float32[2, 6] [[1.686, -1.63, 0.761, 1.686, -1.63, 0.761], [-0.382, 0.5439, 2.015, -0.382, 0.5439,
    2.015]]
out['expanded'] = float32[2, 2, 1] [[[2.059], [-4.146]], [[2.059], [-4.146]]]
out['along'] = float32[2, 9] [[0.6865, 0.6865, 0.6865, -2.63, -2.63, -2.63, -0.239, -0.239, -0.239], [-1.382,
    -1.382, -1.382, -0.4561, -0.4561, -0.4561, 1.015, 1.015, 1.015]]
out['flat'] = float32[12] [-0.3135, -0.3135, -3.63, -3.63, -1.239, -1.239, -2.382, -2.382, -1.456, -1.456, 0.01519,
    0.01519]
out['broadcast'] = float32[3, 3] [[0.6865, -2.63, -0.239], [1.373, -5.26, -0.478], [2.059, -7.89, -0.717]]
""")


@clause("numbers.options", "numbers.promotion")
def test_two_pieces_of_unlike_dtypes(check: Check) -> None:
    """A piece of whole numbers beside one of fractions is of fractions, whichever is first; narrow ones are wider."""

    def program(whole: torch.Tensor, parts: torch.Tensor, byte: torch.Tensor, true: torch.Tensor) -> list[torch.Tensor]:
        signed, low = (byte.int() - 100).to(torch.int8), parts.bfloat16()
        return [
            torch.cat([whole, parts], 1),
            torch.cat([parts, whole], -1),
            torch.cat([byte, signed], 1),
            torch.cat([true, parts.double()], 1),
            torch.cat([whole, low], 1),
            torch.cat([low, parts.half()], 1),
            torch.cat([true, byte], 1),
            torch.stack([whole[:, 0], parts[:, 0]]),
        ]

    whole = tensor(2, 3, dtype=torch.int32)
    byte = tensor(2, 2, dtype=torch.uint8, values=[[200, 3], [90, 120]])
    check(program, whole, tensor(2, 1, values=[[0.5], [1.25]]), byte, tensor(2, 1, dtype=torch.bool)).computed()


@clause("numbers.options")
def test_order_of_what_is_put_together_of_one(check: Check) -> None:
    """What is put together of one tensor alone, or several times, lies in memory as what is put together of others."""

    def program(a: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        last = image.to(memory_format=torch.channels_last)
        return {
            "alone": torch.cat([a.t()]),
            "with nothing": torch.cat([a.t(), a.new_zeros(0)]),
            "twice": torch.cat([last, last], 1),
        }

    result = check(program, tensor(2, 3), tensor(2, 3, 2, 2))
    result.strides("out['alone']", 2, 1).strides("out['with nothing']", 2, 1).strides("out['twice']", 24, 1, 12, 6)
    result.computed()


@clause("numbers.options", modes="train")
def test_one_tensor_put_together_along_the_last_dimensions(check: Check) -> None:
    """One tensor, put together or stacked several times, is repeated along the dimension counted from the last."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "last": torch.cat([a, a], -1),
            "middle": torch.cat([a, a, a], -2),
            "first": torch.cat([a, a], -3),
            "beside nothing": torch.cat([a[:, :, :0], a], -1),
            "stacked": torch.stack([a, a], -1),
            "stacked before the last": torch.stack([a, a, a], -2),
            "stacked first": torch.stack([a, a], -4),
        }

    check(program, tensor(1, 2, 3)).gradient(0).computed()


@clause("numbers.options")
def test_dtype_of_pieces_of_nothing(check: Check) -> None:
    """A piece without elements is one of those whose dtypes decide that of the whole."""

    def program(a: torch.Tensor, whole: torch.Tensor, none: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "last": torch.cat([a, whole, none]),
            "first": torch.cat([none[:0], whole, whole + 1]),
        }

    whole = tensor(2, dtype=torch.int64, values=[3, -4])
    check(program, tensor(2, values=[0.5, 1.25]), whole, tensor(0, dtype=torch.float64)).values().expect("""\
out['last'] = float64[4] [0.5, 1.25, 3, -4]
out['first'] = float64[4] [3, -4, 4, -3]
""")


@clause("numbers.options")
def test_pieces_of_nothing_keep_their_dtype(check: Check) -> None:
    """What is repeated no time, spread over nothing or cut out of nothing has the dtype of what it is made of."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "repeated": whole.repeat(0, 2),
            "tiled": whole.tile((2, 0)),
            "expanded": whole.expand(0, 3).clone(),
            "cut": whole[3:] + 1,
            "half": a.half().repeat(2, 0),
            "joined": torch.cat([whole[:0], whole[:0]]),
            "some": whole + 1,
        }

    check(program, tensor(3), tensor(3, dtype=torch.int64)).computed()


@clause("numbers.options", "numbers.integers")
def test_bytes_put_together(check: Check) -> None:
    """Bytes, with and without a sign, are put together along any dimension, from the end too, and stacked."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "along rows": torch.cat([a, b]),
            "along columns": torch.cat([a, b, a * 2], 1),
            "from the end": torch.cat([c, c + 1, c], -1),
            "of two signs": torch.cat([a, c], 1),
            "stacked": torch.stack([a, b], 1),
            "stacked from the end": torch.stack([c, c * 3], -1),
            "beside": torch.hstack([a + 1, b]),
            "parts": torch.cat([a[:, 1:], b[:, :1]], 1),
            "volumes": torch.cat([a[None], b[None]], 2),
        }

    bytes_ = tensor(2, 3, dtype=torch.uint8, values=[[1, 2, 3], [4, 5, 255]])
    others = tensor(2, 3, dtype=torch.uint8, values=[[6, 7, 8], [9, 128, 10]])
    signed = tensor(2, 3, dtype=torch.int8, values=[[-1, 2, -3], [4, -128, 127]])
    check(program, bytes_, others, signed).values().expect("""\
out['along rows'] = uint8[4, 3] [[1, 2, 3], [4, 5, 255], [6, 7, 8], [9, 128, 10]]
out['along columns'] = uint8[2, 9] [[1, 2, 3, 6, 7, 8, 2, 4, 6], [4, 5, 255, 9, 128, 10, 8, 10, 254]]
out['from the end'] = int8[2, 9] [[-1, 2, -3, 0, 3, -2, -1, 2, -3], [4, -128, 127, 5, -127, -128, 4, -128, 127]]
out['of two signs'] = int16[2, 6] [[1, 2, 3, -1, 2, -3], [4, 5, 255, 4, -128, 127]]
out['stacked'] = uint8[2, 2, 3] [[[1, 2, 3], [6, 7, 8]], [[4, 5, 255], [9, 128, 10]]]
out['stacked from the end'] = int8[2, 3, 2] [[[-1, -3], [2, 6], [-3, -9]], [[4, 12], [-128, -128], [127, 125]]]
out['beside'] = uint8[2, 6] [[2, 3, 4, 6, 7, 8], [5, 6, 0, 9, 128, 10]]
out['parts'] = uint8[2, 3] [[2, 3, 6], [5, 255, 9]]
out['volumes'] = uint8[1, 2, 6] [[[1, 2, 3, 6, 7, 8], [4, 5, 255, 9, 128, 10]]]
""")


@clause("numbers.options", "numbers.integers")
def test_images_of_bytes_put_together(check: Check) -> None:
    """Images of bytes that are put together lie in memory as they did: by channels, or by pixels."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        last, other = (each.contiguous(memory_format=torch.channels_last) for each in (a, b))
        return {
            "channels": torch.cat([a, b], 1),
            "rows from the end": torch.cat([a, b], -2),
            "channels of pixels": torch.cat([last, other], 1),
            "columns of pixels": torch.cat([last, other], 3),
        }

    result = check(program, *(tensor(2, 2, 3, 4, dtype=torch.uint8) for _ in range(2)))
    result.strides("out['channels']", 48, 12, 4, 1).strides("out['rows from the end']", 48, 24, 4, 1)
    result.strides("out['channels of pixels']", 48, 1, 16, 4).computed()
