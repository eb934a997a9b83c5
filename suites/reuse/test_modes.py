"""The caller's modes and flags, changed between two calls of one compiled program."""

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch

from suites.harness import Check, clause, leaf, tensor

During = Callable[[Any], contextlib.AbstractContextManager[Any]]


def autocast(check: Check, dtype: torch.dtype | None) -> During:
    """A hook: the call is made under autocast to ``dtype`` on the cell's device, or with autocast off."""
    device = torch.device(check.device).type
    return lambda program: torch.autocast(device, dtype=dtype, enabled=dtype is not None)


def grad(enabled: bool) -> During:
    """A hook: the call is made with gradients recorded, or not."""
    return lambda program: torch.enable_grad() if enabled else torch.no_grad()


@contextlib.contextmanager
def _held(get: Callable[[], Any], put: Callable[[Any], None], value: Any) -> Iterator[None]:
    before = get()
    put(value)
    try:
        yield
    finally:
        put(before)


def default_dtype(dtype: torch.dtype) -> During:
    """A hook: the call is made with another default dtype."""
    return lambda program: _held(torch.get_default_dtype, torch.set_default_dtype, dtype)


def autocast_by_default(check: Check, dtype: torch.dtype) -> During:
    """A hook: in the call, autocast on the cell's device computes in ``dtype`` where nobody says in which."""
    device = torch.device(check.device).type
    get, put = functools.partial(torch.get_autocast_dtype, device), functools.partial(torch.set_autocast_dtype, device)
    return lambda program: _held(get, put, dtype)


def variable(name: str, text: str) -> During:
    """A hook: the call is made with a variable of the environment set."""
    return lambda program: mock.patch.dict(os.environ, {name: text})


@clause("reuse.modes", "A5", modes="train")
def test_grad_mode_off_and_on(check: Check) -> None:
    """A call under no_grad records nothing, and the calls before and after it record."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    hooks = [grad(True), grad(False), grad(True)]
    result = check(program, calls=[(leaf(3),)] * 3, before=hooks, probe=False)
    flags = [call.tensors["out"].requires_grad for call in result.expected.calls]
    result.gradient(0).recompiled(1).happened(flags == [True, False, True], "a call that records nothing")


@clause("reuse.modes", "A5", modes="train")
def test_grad_mode_on_after_off(check: Check) -> None:
    """A program compiled under no_grad records once it is called with gradients on, a write to an input too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        b.add_(a)
        return b * 3

    calls = [(tensor(3), tensor(3)), (tensor(3), tensor(3))]
    result = check(program, calls=calls, before=[grad(False), grad(True)], probe=False)
    second = result.in_call(1).call
    result.mutated(1).recompiled(1).happened(all(second.gradients.values()), "gradients of the second call")


@clause("reuse.modes")
def test_inference_mode_on_and_off(check: Check) -> None:
    """Outputs of a call in inference mode are inference tensors; those of the calls around it are not."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * 2, a[1:]

    hooks: list[During] = [
        lambda program: contextlib.nullcontext(),
        lambda program: torch.inference_mode(),
        lambda program: contextlib.nullcontext(),
    ]
    result = check(program, calls=[(tensor(3),)] * 3, before=hooks, probe=False)
    flags = [call.tensors["out[0]"].inference for call in result.expected.calls]
    result.recompiled(1).happened(flags == [False, True, False], "a call in inference mode")
    result.values().expect("""\
out[0] = float32[3] [1.373, -5.26, -0.478]
out[1] = float32[2] [-2.63, -0.239]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-1.006, -0.5458, -0.1361]
out[1] = float32[2] [-0.2729, -0.06803]
""")


@clause("reuse.modes", modes="train")
def test_autocast_on_and_off(check: Check) -> None:
    """A product is of the autocast dtype in the call under autocast, and in no other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a @ b, a.sum() + 1

    hooks = [autocast(check, None), autocast(check, torch.bfloat16), autocast(check, None)]
    result = check(program, calls=[(tensor(2, 3), tensor(3, 2))] * 3, before=hooks, probe=False)
    dtypes = [call.tensors["out[0]"].dtype for call in result.expected.calls]
    result.gradient(0, 1).recompiled(1).happened(dtypes[0] == dtypes[2] != dtypes[1], "another dtype")


@clause("reuse.modes")
def test_another_autocast_dtype(check: Check) -> None:
    """Under autocast to another dtype, a product is of that dtype."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b

    hooks = [autocast(check, torch.bfloat16), autocast(check, torch.float16), autocast(check, torch.bfloat16)]
    result = check(program, calls=[(tensor(2, 3), tensor(3, 2))] * 3, before=hooks)
    dtypes = [call.tensors["out"].dtype for call in result.expected.calls]
    result.recompiled(1).happened(dtypes[0] == dtypes[2] != dtypes[1], "another dtype")
    result.values().expect("""\
out = bfloat16[2, 2] [[1.844, 6.469], [2.875, -0.377]]
""")
    result.in_call(1).values().expect("""\
out = float16[2, 2] [[-1.093, -0.3022], [1.511, -0.5347]]
""")


@clause("reuse.modes")
def test_another_default_dtype(check: Check) -> None:
    """Fresh tensors of floats, and integers divided, are of the default dtype at the time of the call."""

    def program(counts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return torch.full((2,), 0.1), counts / 3, torch.tensor(0.1) + counts

    hooks = [default_dtype(torch.float32), default_dtype(torch.float64), default_dtype(torch.float32)]
    result = check(program, calls=[(tensor(3, dtype=torch.int64),)] * 3, before=hooks, probe=False)
    dtypes = [call.tensors["out[1]"].dtype for call in result.expected.calls]
    result.recompiled(1).happened(dtypes[0] == dtypes[2] != dtypes[1], "another dtype")
    result.values().expect("""\
out[0] = float32[2] [0.1, 0.1]
out[1] = float32[3] [2, 0.3333, 2]
out[2] = float32[3] [6.1, 1.1, 6.1]
""")
    result.in_call(1).values().expect("""\
out[0] = float64[2] [0.1, 0.1]
out[1] = float64[3] [2.333, 2.333, 0.6667]
out[2] = float64[3] [7.1, 7.1, 2.1]
""")


@clause("reuse.modes", "numbers.low-precision", modes=("train", "no_grad"))
def test_region_without_autocast_in_calls_under_autocast(check: Check) -> None:
    """In a call made under autocast, a product in a region without it is float32, and one after it is bfloat16."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast(a.device.type, enabled=False):
            exact = a @ b
        return exact, a @ b

    result = check(program, calls=[(tensor(3, 3), tensor(3, 3))] * 2, before=[autocast(check, torch.bfloat16)] * 2)
    dtypes = [result.call.tensors[path].dtype for path in ("out[0]", "out[1]")]
    result.recompiled(0).happened(dtypes == ["float32", "bfloat16"], f"two dtypes, not {dtypes}")
    result.values().expect("""\
out[0] = float32[3, 3] [[4.658, 2.192, 1.324], [3.705, -2.239, -0.242], [1.912, 1.745, 0.5237]]
out[1] = bfloat16[3, 3] [[4.656, 2.188, 1.32], [3.703, -2.234, -0.2432], [1.906, 1.734, 0.5273]]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3, 3] [[-0.03928, 0.0888, -0.5787], [1.266, 1.697, 0.4429], [0.888, 1.256, 2.096]]
out[1] = bfloat16[3, 3] [[-0.03955, 0.08887, -0.5781], [1.266, 1.703, 0.4434], [0.8906, 1.266, 2.094]]
""")


@clause("reuse.modes")
def test_deterministic_algorithms_asked_for_later(check: Check) -> None:
    """An operator without a deterministic implementation is refused in the call that asks for one, and in no other."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.put(index, b) * 2

    def deterministic(enabled: bool) -> Callable[[Any], None]:
        return lambda program: torch.use_deterministic_algorithms(enabled)

    hooks = [deterministic(False), deterministic(True), deterministic(False)]
    inputs = tensor(4), tensor(2, dtype=torch.int64, values=[2, 0]), tensor(2)
    result = check(program, calls=[inputs] * 3, before=hooks, probe=False)
    errors = [call.error is not None for call in result.expected.calls]
    result.happened(errors == [False, True, False], "a refused call")


@clause("reuse.modes")
def test_program_that_asks_for_the_grad_mode(check: Check) -> None:
    """A branch on whether gradients are recorded is decided by the call at hand."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() if torch.is_grad_enabled() else a.cos()

    hooks = [grad(False), grad(True), grad(False)]
    result = check(program, calls=[(tensor(3, values=[0, 1, 2], grad=False),)] * 3, before=hooks)
    first = [call.tensors["out"].value.tolist()[0] for call in result.expected.calls]  # type: ignore[union-attr]
    result.recompiled(1).happened(first == [1, 0, 1], "both branches")


@clause("reuse.graph-breaks", "reuse.modes", modes="train", fullgraph=False)
def test_modes_after_a_graph_break(check: Check) -> None:
    """Behind a graph break inside of no_grad, the mode is still off there, on after it, and as the caller has it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            before = a * 2
            torch._dynamo.graph_break()
            inside = before + a
        return inside, a.sin() * inside

    result = check(program, calls=[(leaf(3),)] * 3, before=[grad(True), grad(False), grad(True)], probe=False)
    result.no_grad("out[0]").requires_grad("out[1]").gradient(0)


@clause("reuse.modes", "A6")
def test_another_dtype_for_autocast_without_one(check: Check) -> None:
    """Autocast in the program, without a dtype, computes in the one that holds where the call is made."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.autocast(a.device.type):
            return a @ a

    hooks = [autocast_by_default(check, torch.bfloat16), autocast_by_default(check, torch.float16)]
    result = check(program, calls=[(tensor(2, 2),)] * 2, before=hooks, probe=False)
    seen = [call.tensors["out"].dtype for call in result.expected.calls]
    result.happened(seen == ["bfloat16", "float16"], "a product in float16")
    result.values().expect("""\
out = bfloat16[2, 2] [[1.102, 1.828], [0.166, 2.547]]
""")
    result.in_call(1).values().expect("""\
out = float16[2, 2] [[0.2715, -0.111], [-0.02768, 0.8462]]
""")


@clause("reuse.modes", fullgraph=False)
def test_another_environment(check: Check) -> None:
    """A variable of the environment that the program reads, in either way, is read in every call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * int(os.environ["PARITY_NUMBER"]), a + int(os.getenv("PARITY_NUMBER", "0"))

    hooks = [variable("PARITY_NUMBER", text) for text in "253"]
    result = check(program, calls=[(tensor(3),)] * 3, before=hooks, probe=False)
    result.values().expect("""\
out[0] = float32[3] [1.373, -5.26, -0.478]
out[1] = float32[3] [2.686, -0.6301, 1.761]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-2.514, -1.364, -0.3402]
out[1] = float32[3] [4.497, 4.727, 4.932]
""")


@clause("reuse.modes", devices="cpu")
def test_kernels_of_attention_allowed_later(check: Check) -> None:
    """Attention for which no kernel is allowed in a call is refused in that call, and in no other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(a, a * 2, a * 3)

    def allowed(*kernels: torch.nn.attention.SDPBackend) -> During:
        return lambda program: torch.nn.attention.sdpa_kernel(list(kernels))

    every = (torch.nn.attention.SDPBackend.FLASH_ATTENTION, torch.nn.attention.SDPBackend.MATH)
    hooks = [allowed(*every), allowed(torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION), allowed(*every)]
    result = check(program, calls=[(tensor(1, 2, 4, 8),)] * 3, before=hooks, probe=False)
    errors = [call.error is not None for call in result.expected.calls]
    result.happened(errors == [False, True, False], "a refused call")


@clause("reuse.modes", "state.settings")
def test_another_default_device(check: Check) -> None:
    """New tensors are on the device that is the default where the call is made, whatever makes them."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "ones": torch.ones(2),
            "of numbers": torch.tensor([1.0, 2.0]),
            "range": torch.arange(3),
            "scalar": torch.tensor(3),
            "random": torch.rand(2),
            "as given": a * 2,
        }

    hooks: list[During] = [lambda program: torch.device("cpu"), lambda program: torch.device("meta")]
    result = check(program, calls=[(tensor(3),)] * 3, before=[*hooks, hooks[0]], probe=False)
    names = ("ones", "of numbers", "range", "scalar", "random")
    devices = [{call.tensors[f"out[{name!r}]"].device for name in names} for call in result.expected.calls]
    result.happened(devices == [{"cpu"}, {"meta"}, {"cpu"}], f"two devices, not {devices}")
    result.computed()


@clause("T7.10", "reuse.modes")
def test_dtypes_told_under_another_default_dtype(check: Check) -> None:
    """A program is told truly the dtypes of new floats, of complex ones and of quotients under each default dtype."""

    def program(counts: torch.Tensor, numbers: torch.Tensor) -> tuple[object, list[str]]:
        made = {
            "range": torch.arange(0.0, 1.0, 0.25),
            "steps": torch.linspace(0, 1, 3),
            "complex steps": torch.linspace(0, 1j, 3),
            "complex powers": torch.logspace(0, 1j, 2),
            "powers": torch.logspace(0, 1, 2),
            "full": torch.full((2,), 1.5),
            "full of complex": torch.full((2,), 1j),
            "unit": torch.eye(2),
            "window": torch.hann_window(4),
            "number": torch.scalar_tensor(2),
            "as a list": torch.tensor([1.5, 2.0]),
            "as a complex list": torch.tensor([1j]),
            "frequencies": torch.fft.fftfreq(3),
            "mean": torch.sqrt(counts),
            "angle": torch.angle(counts),
            "times a number": counts * 1.5,
            "times an imaginary one": counts * 1j,
            "quotient": counts / counts,
            "as many": numbers + counts,
            "power": torch.pow(counts, 0.5),
            "chosen": torch.where(counts > 1, 0.5, 1.0),
            "like": torch.zeros_like(numbers),
            "new": numbers.new_full((2,), 3),
            "product with a logarithm": torch.special.xlogy(counts, counts),
            "truth": torch.sigmoid(counts > 1),
        }
        return made, [str(each.dtype) for each in made.values()]

    hooks = [default_dtype(torch.float32), default_dtype(torch.float64), default_dtype(torch.float32)]
    inputs = tensor(3, dtype=torch.int64, values=[1, 2, 3]), tensor(3, dtype=torch.float32)
    result = check(program, calls=[inputs] * 3, before=hooks, probe=False)
    dtypes = [call.tensors["out[0]['complex steps']"].dtype for call in result.expected.calls]
    result.recompiled(1).happened(dtypes == ["complex64", "complex128", "complex64"], f"two dtypes, not {dtypes}")
    result.computed()


@clause("T7.10", "reuse.modes")
def test_dtypes_told_of_whole_numbers_times_powers_of_two(check: Check) -> None:
    """A program is told truly that whole numbers times powers of two are of the default dtype of each call."""

    def program(counts: torch.Tensor) -> tuple[torch.Tensor, str]:
        made = torch.ldexp(counts, counts)
        return made, str(made.dtype)

    hooks = [default_dtype(torch.float32), default_dtype(torch.float64), default_dtype(torch.float32)]
    result = check(program, calls=[(tensor(3, dtype=torch.int64, values=[1, 2, 3]),)] * 3, before=hooks, probe=False)
    dtypes = [call.tensors["out[0]"].dtype for call in result.expected.calls]
    result.recompiled(1).happened(dtypes == ["float32", "float64", "float32"], f"two dtypes, not {dtypes}")
    result.computed()
