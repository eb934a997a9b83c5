"""Tensors as Python objects: identity, truth, iteration, conversion to numbers, NumPy and copies."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: RUF015
# mypy: disable-error-code="comparison-overlap, index"

import copy
import math
from typing import Any

import numpy as np
import torch

from suites.harness import Check, built, clause, tensor


@clause("python.tensors")
def test_identity_of_tensors_is_that_of_their_objects(check: Check) -> None:
    """``is`` tells the same tensor, handed in twice or returned by an in-place op, from another view or copy of it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        facts = [a is b, a is not b, a[:] is a, a.view(3) is a, a.detach() is a, id(a) == id(b)]
        grown = a.add_(1)
        return b * 2, grown is a, facts

    same = tensor(3)
    result = check(program, calls=[(same, same), (tensor(3), tensor(3))])
    second = result.in_call(1).call.entries
    result.holds("out[1]", True).holds("out[2]", [True, False, False, False, False, True])
    result.happened(second["out[2][0]"].detail is False, "two tensors in the second call")


@clause("python.tensors")
def test_conversion_that_changes_nothing_gives_the_tensor_itself(check: Check) -> None:
    """`contiguous`, `to` and `float` of a tensor that is so already are that tensor; else another one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        kept = [
            a.contiguous() is a,
            a.float() is a,
            a.to(a.device) is a,
            a.to(a.dtype, copy=True) is a,
            a.requires_grad_ is a,
        ]
        other = [b.contiguous() is b, b.double() is b, b.expand(2, 3) is b, b.reshape(2, 3) is b, b.clone() is b]
        return a * 2 + b, kept, other

    result = check(program, tensor(2, 3, grad=False), tensor(2, 3, strides=(1, 2), grad=False))
    result.holds("out[1]", [True, True, True, False, False]).holds("out[2]", [False] * 5)


@clause("python.tensors")
def test_program_branches_on_what_is_the_same_tensor(check: Check) -> None:
    """A branch on ``is`` is taken anew in each call: the same objects, other ones, and None."""

    def program(a: torch.Tensor, b: torch.Tensor | None, c: torch.Tensor) -> torch.Tensor:
        if b is None:
            return a * 2
        if b is a:
            return a * 3
        return b - c if c is b else b * 5

    one, other = tensor(3), tensor(3)
    result = check(program, calls=[(one, one, other), (one, other, other), (one, None, other), (one, other, one)])
    result.values().expect("""\
out = float32[3] [2.059, -7.89, -0.717]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [0, 0, 0]
""")


@clause("python.tensors", shapes=("static", "dynamic"))
def test_tensor_is_iterated_by_rows(check: Check) -> None:
    """`len`, iteration, unpacking, `reversed` and `zip` of a tensor go over its first dimension."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        first, *rest = a
        total = first
        for place, (row, column) in enumerate(zip(a, b.t(), strict=True)):
            total = total * 2 + row * place - column[0]
        return total, len(a), len(rest), rest[-1], [*reversed(a)][0]

    result = check(program, tensor(3, 2), tensor(2, 3)).holds("out[1]", 3).holds("out[2]", 2)
    result.shape("out[3]", 2)


@clause("python.tensors", fullgraph=False)
def test_numbers_of_a_tensor_are_the_calls_own(check: Check) -> None:
    """`item`, `int`, `float`, `bool` and `tolist` give Python numbers of Python's types, in each call anew."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        doubled = a * 2
        value = doubled[0].item()
        numbers = [int(doubled[1]), float(doubled[1]), bool(doubled[2] > 0), b.tolist(), b[1].item()]
        return doubled + value, numbers

    first = tensor(3, values=(1.5, -2.75, 3.0)), tensor(2, dtype=torch.int64, values=(7, 2**40))
    second = tensor(3, values=(0.5, 9.5, -3.0)), tensor(2, dtype=torch.int64, values=(0, -(2**40)))
    result = check(program, calls=[first, second])
    result.holds("out[1]", [-5, -5.5, True, [7, 2**40], 2**40])


@clause("python.tensors", fullgraph=False)
def test_range_over_a_number_of_a_tensor(check: Check) -> None:
    """A loop whose length a tensor holds runs as often as this call's tensor says."""

    def program(a: torch.Tensor, count: torch.Tensor) -> Any:
        doubled = a * 2
        log = []
        for turn in range(count.item()):  # type: ignore[arg-type]
            doubled = doubled * 0.5 + turn
            log.append(turn)
        return doubled, log

    def of(count: int) -> tuple[Any, ...]:
        return tensor(3), built(lambda: torch.tensor(count))

    result = check(program, calls=[of(2), of(0), of(3)]).holds("out[1]", [0, 1])
    third = result.in_call(2).call.entries
    result.happened(third["out[1]"].detail == "3 elements", "another length")


@clause("python.tensors")
def test_tensor_compared_with_what_is_no_tensor(check: Check) -> None:
    """A tensor is unequal to None and to a string, and equal to a number element by element."""

    def program(a: torch.Tensor) -> Any:
        equal = a == 2
        return equal * a, a == None, a != None, a == "text", a is None  # noqa: E711

    result = check(program, tensor(3, values=(1.0, 2.0, 3.0)))
    result.holds("out[1]", False).holds("out[2]", True).holds("out[3]", False)


@clause("python.tensors", fullgraph=False)
def test_numpy_arrays_are_computed_with(check: Check) -> None:
    """NumPy functions on the array of a tensor give NumPy's results, dtypes and types, on the tensor's own memory."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        array = b.numpy()
        scaled = np.abs(array) * 2
        return torch.from_numpy(scaled) + 1, scaled, np.transpose(array.reshape(3, 2)), scaled.dtype == np.float32

    result = check(program, tensor(2, 3, grad=False)).holds("out[3]", True)
    result.happened(result.call.entries["out[1]"].type == "ndarray", "an array")


@clause("python.tensors")
def test_numpy_reductions_promote_as_numpy_does(check: Check) -> None:
    """Sums and means of NumPy's integers widen as NumPy's do, and a float scalar of Python does not widen an array."""

    def program(array: Any, a: torch.Tensor) -> Any:
        total = array.sum(axis=0)
        mean = array.mean(axis=1)
        return a + torch.from_numpy(mean).to(a.device), total, mean, array + np.float32(0.5), array / 2

    array = built(lambda: np.array([[1, -2, 3], [4, 5, 100]], dtype=np.int8))
    result = check(program, array, tensor(2, grad=False, dtype=torch.float64))
    result.happened(result.call.entries["out[1]"].detail == "dtype int64, shape (3,)", "a sum that is wider")


@clause("python.tensors")
def test_numpy_running_sums_widen(check: Check) -> None:
    """Running sums and products of NumPy's narrow integers are taken in wide ones, and do not wrap around."""

    def program(array: Any, a: torch.Tensor) -> Any:
        return a * 2, np.cumsum(array), np.cumprod(array)

    array = built(lambda: np.array([100, 100, 3], dtype=np.int8))
    result = check(program, array, tensor(2, grad=False))
    result.happened(result.call.entries["out[1]"].detail == "dtype int64, shape (3,)", "a running sum that is wider")


@clause("python.tensors")
def test_numpy_squares_of_integers_are_integers(check: Check) -> None:
    """`np.square` of integers is of their own dtype, as a product is."""

    def program(array: Any, a: torch.Tensor) -> Any:
        return a * 2, array * array, array**2, np.square(array)

    array = built(lambda: np.array([7, -3, 0], dtype=np.int64))
    result = check(program, array, tensor(2, grad=False))
    result.happened(result.call.entries["out[3]"].detail == "dtype int64, shape (3,)", "a square that is an integer")


@clause("python.tensors")
def test_numpy_integers_and_positions(check: Check) -> None:
    """Floor division and remainder of negative NumPy integers, their differences, shifts and places are NumPy's."""

    def program(array: Any, a: torch.Tensor) -> Any:
        found = np.argsort(array), array[::-1].copy(), np.where(array > 0, array, 0)
        return a * 2, array // 3, array % -3, np.diff(array), array << 2, np.fmod(array, 3), found

    array = built(lambda: np.array([7, -8, 1], dtype=np.int64))
    result = check(program, array, tensor(2, grad=False))
    result.happened(result.call.entries["out[1]"].detail == "dtype int64, shape (3,)", "integers")


@clause("python.tensors", fullgraph=False)
def test_number_of_numpy_has_numpys_type(check: Check) -> None:
    """A reduction of a whole NumPy array gives a scalar of NumPy's, not an array and not a Python number."""

    def program(a: torch.Tensor) -> Any:
        doubled = a * 2
        array = doubled.cpu().numpy()
        return doubled + 1, array.max(), np.float64(0.5) * 3

    result = check(program, tensor(3, grad=False, values=(1.0, 4.0, 2.0)))
    result.holds("out[1]", np.float32(8.0)).holds("out[2]", np.float64(1.5))


@clause("python.tensors", fullgraph=False)
def test_deep_copies_share_nothing_and_copies_share_all(check: Check) -> None:
    """`copy.deepcopy` of a structure copies each tensor once, shared ones too; `copy.copy` copies no tensor."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        items = {"x": [b, b], "n": 3}
        shallow, deep = copy.copy(items), copy.deepcopy(items)
        deep["x"][0].add_(1)
        shallow["n"] = 4
        return items, shallow, deep

    result = check(program, tensor(3)).same_object("out[1]['x']", "out[0]['x']").holds("out[0]['n']", 3)
    result.distinct("out[2]['x'][0]", "out[0]['x'][0]").same_object("out[2]['x'][1]", "out[2]['x'][0]")


@clause("python.tensors")
def test_attribute_of_a_tensor_stays_with_the_object(check: Check) -> None:
    """An attribute that the program sets on an argument is on the caller's tensor afterwards, and on no view of it."""

    def program(a: torch.Tensor) -> Any:
        a.label = "seen"  # type: ignore[attr-defined]
        view = a[1:]
        return view * 2, hasattr(view, "label"), getattr(a, "label", None)

    result = check(program, tensor(3)).holds("arg[0].label", "seen").holds("out[1]", False)
    result.holds("out[2]", "seen")


@clause("python.tensors")
def test_attribute_of_what_an_in_place_operator_returns(check: Check) -> None:
    """What an in-place operator returns is the tensor itself, with the attributes that the program has set on it."""

    def program(a: torch.Tensor) -> Any:
        b = a * 1
        b.label = "seen"  # type: ignore[attr-defined]
        c = b.mul_(2)
        same = b
        same += 1
        return c, c is b, same is b, getattr(c, "label", None), getattr(same, "label", None)

    result = check(program, tensor(3, values=[1.0, -2.0, 0.5])).holds("out[1]", True).holds("out[2]", True)
    result.holds("out[3]", "seen").holds("out[4]", "seen").computed()


@clause("python.tensors")
def test_attributes_beside_an_in_place_operator(check: Check) -> None:
    """An attribute of a tensor stays while it is written to, under each of its names, and another tensor has none."""

    def program(a: torch.Tensor) -> Any:
        b = a * 1
        b.label = "seen"  # type: ignore[attr-defined]
        same = b
        b.mul_(2)
        b[1:].add_(1)
        other = b * 3
        return (
            other,
            same is b,
            getattr(b, "label", None),
            getattr(same, "label", None),
            hasattr(other, "label"),
            hasattr(b.t(), "label"),
        )

    result = check(program, tensor(3, values=[1.0, -2.0, 0.5])).holds("out[1]", True).computed()
    result.holds("out[2]", "seen").holds("out[3]", "seen").holds("out[4]", False).holds("out[5]", False)


@clause("python.tensors", fullgraph=False)
def test_angle_of_a_tensor_in_python(check: Check) -> None:
    """`math.radians` and `math.degrees` of a tensor of one number are floats of Python."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        return b + 1, math.radians(b[0]), math.degrees(b[1])

    result = check(program, tensor(2, values=[45.0, 0.25]))
    result.holds("out[1]", math.radians(90.0)).holds("out[2]", math.degrees(0.5))


@clause("python.tensors", fullgraph=False)
def test_functions_of_math_of_a_tensor(check: Check) -> None:
    """Functions of `math` of a tensor of one number are numbers of Python, whole ones where `math` rounds."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        numbers = [math.sqrt(b[0]), math.hypot(b[0], b[1]), math.copysign(2.0, b[1]), math.isnan(b[1])]
        return b + 1, numbers, math.floor(b[0]), math.radians(float(b[1]))

    result = check(program, tensor(2, values=[2.0, -1.5]))
    result.holds("out[1]", [2.0, 5.0, -2.0, False]).holds("out[2]", 4).holds("out[3]", math.radians(-3.0))


@clause("python.tensors")
def test_name_of_the_type_of_complex_and_unsigned_tensors(check: Check) -> None:
    """`type` of a tensor is the name of its kind, also where its dtype is complex or of sixteen unsigned bits."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return a * 2, a.type(), b.type()

    result = check(program, tensor(2, dtype=torch.complex64), tensor(2, dtype=torch.uint16, values=[1, 65535]))
    result.holds("out[1]", "torch.ComplexFloatTensor").holds("out[2]", "torch.UInt16Tensor").computed()


@clause("python.tensors")
def test_name_of_the_type_of_a_tensor(check: Check) -> None:
    """`type` of a tensor is the name of its kind, and with another kind it is a conversion."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        names = [a.type(), b.type(), (a > 0).type(), a.half().type(), a.to(torch.bfloat16).type(), b.double().type()]
        return a.type(torch.int64), b.type("torch.FloatTensor"), names

    kinds = ["Float", "Long", "Bool", "Half", "BFloat16", "Double"]
    result = check(program, tensor(2, values=[1.5, -2.5]), tensor(2, dtype=torch.int64, values=[1, -2]))
    home = "torch.cuda" if check.device == "cuda" else "torch"
    result.holds("out[2]", [f"{home}.{kind}Tensor" for kind in kinds]).computed()


@clause("python.tensors", fullgraph=False)
def test_whole_tensor_of_tensors_of_floats(check: Check) -> None:
    """`torch.tensor` of tensors of floats refuses to make whole numbers of them, as `data` by name too."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a * 2
        return torch.tensor(data=[b[0], b[1]], dtype=torch.int64)

    check(program, tensor(2, values=[1.25, 2.75])).raised("integer")


@clause("python.tensors", fullgraph=False)
def test_tensor_of_tensors(check: Check) -> None:
    """`torch.tensor` of tensors of one number each holds these numbers, in the dtype that is asked for."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> list[torch.Tensor]:
        b = a * 2
        return [
            torch.tensor([b[0], b[1]]),
            torch.tensor(data=[b[1], 2.5], dtype=torch.float64),
            torch.tensor([[whole[1]], [7]], dtype=torch.int64),
            torch.tensor([whole[0], b[0]], dtype=torch.float32),
        ]

    whole = tensor(2, dtype=torch.int64, values=[3, -4])
    check(program, tensor(2, values=[1.25, 2.75]), whole).values().expect("""\
out[0] = float32[2] [2.5, 5.5]
out[1] = float64[2] [5.5, 2.5]
out[2] = int64[2, 1] [[-4], [7]]
out[3] = float32[2] [3, 2.5]
""")


@clause("python.tensors", modes=("train", "no_grad"))
def test_matrix_product_in_place_makes_another_tensor(check: Check) -> None:
    """``a @= b`` gives the name another tensor, as tensors have no such operator: other names keep the old one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        c = a * 2
        before = c
        c @= b
        return c + before, before * 3, c is before

    result = check(program, tensor(2, 2), tensor(2, 2)).holds("out[2]", False)
    result.values().expect("""\
out[0] = float32[2, 2] [[9.092, -8.605], [4.125, -5.739]]
out[1] = float32[2, 2] [[4.119, -15.78], [-1.434, -8.292]]
out[2] = bool False
""")


@clause("python.tensors", modes="train")
def test_greatest_of_tensors_is_one_of_them(check: Check) -> None:
    """The builtins `max` and `min` hand back one of their arguments as it is, the first of equal."""

    def program(a: torch.Tensor) -> Any:
        c, d = a[0] * 2, a[1] * 2
        return max(c, d), min(d, c), max(c, d) is c, max(c.double(), d), min(c, 7)

    check(program, tensor(2, values=[1.5, 1.5])).gradient(0).holds("out[2]", True).computed()


@clause("python.tensors", devices="cpu")
def test_numpy_copies_are_not_the_argument(check: Check) -> None:
    """`astype`, `flatten` and `copy` of an array are copies, also where there is nothing to change."""

    def program(a: torch.Tensor) -> Any:
        array = a.numpy()
        same, flat, other = array.astype(np.float32), array.flatten(), array.copy()
        same += 1
        flat[0] = 7
        other *= 2
        return torch.from_numpy(same), torch.from_numpy(flat), torch.from_numpy(other)

    check(program, tensor(2, 3, grad=False)).unchanged(0).computed()


@clause("python.tensors", devices="cpu")
def test_numpy_array_backwards_is_a_view(check: Check) -> None:
    """A slice with a negative step and `np.flip` see the array's own memory: writes go either way."""

    def program(a: torch.Tensor) -> Any:
        array = a.numpy() * 1
        last, turned = array[::-1], np.flip(array)
        array[0] = 10
        last[0] = 20
        return torch.from_numpy(array * 1), torch.from_numpy(turned * 1)

    check(program, tensor(4, grad=False)).computed()


@clause("python.tensors", devices="cpu")
def test_numpy_numbers_are_cut_towards_nought(check: Check) -> None:
    """`np.fix` cuts off what is behind the point, and a median along an axis keeps the others."""

    def program(a: torch.Tensor) -> Any:
        array = a.numpy()
        return torch.from_numpy(np.fix(array) * 1), torch.from_numpy(np.median(array, axis=0) * 1)

    check(program, tensor(2, 2, grad=False, values=[[-2.75, -0.75], [0.5, 1.5]])).computed()


@clause("python.tensors", devices="cpu")
def test_numpy_places_above_a_diagonal(check: Check) -> None:
    """`np.triu_indices` and `np.tril_indices` are arrays of rows and columns, with which an array is indexed."""

    def program(a: torch.Tensor) -> Any:
        array = a.numpy()
        return torch.from_numpy(array[np.triu_indices(3)] * 2), torch.from_numpy(array[np.tril_indices(3, -1)] * 2)

    check(program, tensor(3, 3, grad=False)).computed()


@clause("python.tensors", devices="cpu", torch=">=2.12")
def test_numpy_medians_of_all_numbers(check: Check) -> None:
    """A median of all numbers is one number, and what several percentiles are is an array in double precision."""

    def program(a: torch.Tensor) -> Any:
        array = a.numpy()
        middle, quarters = np.median(array), np.percentile(array, [25, 75])
        return torch.from_numpy(array - middle), middle.shape, torch.from_numpy(quarters * 1)

    check(program, tensor(2, 3, grad=False)).computed()


@clause("python.tensors", devices="cpu")
def test_numpy_parts_of_numbers(check: Check) -> None:
    """`np.modf` and `np.divmod` by a number of Python keep the array's precision."""

    def program(a: torch.Tensor) -> Any:
        array = a.numpy()
        parts = [*np.modf(array), *np.divmod(array, 2)]
        return [torch.from_numpy(part) for part in parts]

    check(program, tensor(4, grad=False, values=[-2.8, -0.7, 0.6, 1.5])).computed()


@clause("python.tensors", fullgraph=False)
def test_tensor_says_where_how_and_what_it_is(check: Check) -> None:
    """The number of its device, its memory format and its kind are asked of a tensor, and the answers are its own."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> Any:
        last = a.to(memory_format=torch.channels_last)
        formats = [
            value.is_contiguous(memory_format=layout)
            for value in (a, last)
            for layout in (torch.contiguous_format, torch.channels_last)
        ]
        where = [a.get_device(), (a.get_device() < 0) is a.is_cpu]
        floats = (torch.FloatTensor, torch.DoubleTensor, torch.cuda.FloatTensor)  # type: ignore[attr-defined]
        kinds = [isinstance(a, floats), isinstance(whole, floats)]
        return a * 2, formats, where[1], kinds, where[0]

    result = check(program, tensor(2, 3, 4, 4), tensor(3, dtype=torch.int64))
    result.holds("out[1]", [True, False, False, True]).holds("out[2]", True).holds("out[3]", [True, False])


@clause("python.tensors")
def test_tensor_that_is_filled_with_a_tensor(check: Check) -> None:
    """`torch.full` of a tensor's number has the type that it is told, and that of the number otherwise."""

    def program(value: Any) -> Any:
        return torch.full((2, 3), value, dtype=torch.float64, device=value.device), value + 1

    check(program, tensor(grad=False, values=[2.5])).computed()


@clause("python.tensors", fullgraph=False)
def test_device_that_other_libraries_are_told(check: Check) -> None:
    """`__dlpack_device__` is a kind of device and a number: what the program does by them is done."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        kind, number = a.__dlpack_device__()
        return a * int(kind), number

    check(program, tensor(3)).computed()
