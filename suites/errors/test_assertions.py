"""Assertions inside a program: Python's, torch's, and those about values that only a run knows."""

from collections.abc import Callable

import torch

from suites.harness import Check, clause, tensor


@clause("errors.assertions", fullgraph=False)
def test_python_assertion_about_a_shape(check: Check) -> None:
    """An ``assert`` that does not hold raises with its message."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        assert a.shape[0] == 4, f"{a.shape[0]} rows"
        return doubled

    check(program, tensor(3)).raised("3 rows")


@clause("errors.assertions", fullgraph=False)
def test_python_assertion_about_values(check: Check) -> None:
    """An ``assert`` about the values of a tensor is looked at in every call, not only while tracing."""

    def program(a: torch.Tensor) -> torch.Tensor:
        assert (a > 0).all(), "not all positive"
        return a.log()

    result = check(
        program,
        calls=[(tensor(2, values=[1.0, 2.0]),), (tensor(2, values=[1.0, -2.0]),), (tensor(2, values=[3.0, 2.0]),)],
    )
    second = result.in_call(1).call.error
    result.happened(second is not None and "not all positive" in second.message, "an error in the second call")


@clause("errors.assertions")
def test_torch_assertion_about_values(check: Check) -> None:
    """`torch._assert` of a tensor raises with its message, though nothing reads what it returns."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch._assert((a >= 0).all(), "a number below zero")
        return a.sqrt() + 1

    check(program, tensor(2, values=[1.0, -2.0])).raised("a number below zero")


@clause("errors.assertions")
def test_asynchronous_assertion(check: Check) -> None:
    """`torch._assert_async` is no dead code: on the CPU it raises at once, with its message."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch._assert_async((a < 10).all(), "a number of ten or more")
        return a * 2

    result = check(program, tensor(2, values=[1.0, 12.0])).raised("a number of ten or more")
    result.forward.expect("""\
def forward(self, arg0_1):
    lt = torch.ops.aten.lt.Scalar(arg0_1, 10)
    all_1 = torch.ops.aten.all.default(lt)
    _assert_async = torch.ops.aten._assert_async.msg(all_1, 'a number of ten or more')
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    return (mul,)
""")


@clause("errors.assertions", devices="cpu")
def test_asynchronous_assertion_that_holds_later(check: Check) -> None:
    """What is asserted is asserted of each call's own values: of three calls only the bad one in between raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch._assert_async(a.sum() < 10, "ten or more")
        return a * 2

    calls = [(tensor(2, values=values),) for values in ([1.0, 2.0], [8.0, 9.0], [3.0, 1.0])]
    result = check(program, calls=calls)
    second = result.in_call(1).call.error
    result.happened(second is not None and "ten or more" in second.message, "an error in the second call")


@clause("errors.assertions", "dynamic-shapes.arithmetic", shapes=("static", "dynamic"))
def test_check_of_a_size(check: Check) -> None:
    """`torch._check` of a size raises with its message in the call in which it does not hold."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch._check(a.shape[0] > 3, lambda: "more than three rows wanted")
        return a * a.shape[0]

    result = check(program, calls=[(tensor(5),), (tensor(3),)])
    second = result.in_call(1).call.error
    result.happened(second is not None and "more than three" in second.message, "an error in the second call")


@clause("errors.assertions", "dynamic-shapes.arithmetic")
def test_check_of_an_item(check: Check) -> None:
    """`torch._check` of a number read from a tensor holds at run time, too: a later call with a bad number raises."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        number = int(count.item())
        torch._check(number >= 2)
        torch._check(number <= 6)
        return a.new_ones(number).sum() + a

    calls = [(tensor(3), tensor(1, dtype=torch.int64, values=[number])) for number in (4, 9, 5)]
    result = check(program, calls=calls, config={"dynamo.capture_scalar_outputs": True})
    result.in_call(1).raised()


@clause("errors.assertions", fullgraph=False)
def test_checks_raise_errors_of_their_kinds(check: Check) -> None:
    """`torch._check_value`, `_index` and `_type` of what a program knows raise each its kind, which it may catch."""

    def kind_of(holds: Callable[..., None], dimensions: int) -> str:
        try:
            holds(dimensions == 2, lambda: "a matrix wanted")
        except (ValueError, IndexError, TypeError, NotImplementedError) as error:
            return type(error).__name__
        return "none"

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
        doubled = a * 2
        kinds = [
            kind_of(torch._check_value, a.dim()),
            kind_of(torch._check_index, a.dim()),
            kind_of(torch._check_type, a.dim()),
            kind_of(torch._check_not_implemented, a.dim()),
        ]
        return doubled + len(kinds), kinds

    result = check(program, calls=[(tensor(3),), (tensor(2, 3),)])
    result.values().expect("""\
out[0] = float32[3] [5.373, -1.26, 3.522]
out[1][0] = str 'ValueError'
out[1][1] = str 'IndexError'
out[1][2] = str 'TypeError'
out[1][3] = str 'NotImplementedError'
""")
    result.in_call(1).values().expect("""\
out[0] = float32[2, 3] [[2.994, 3.454, 3.864], [5.819, 3.043, 2.954]]
out[1][0] = str 'none'
out[1][1] = str 'none'
out[1][2] = str 'none'
out[1][3] = str 'none'
""")
