"""Settings of the process: set by a program, they hold after the call; read by it, they are what holds now."""

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("state.settings", fullgraph=False)
def test_default_dtype_set_by_the_program(check: Check) -> None:
    """`set_default_dtype` makes the program's next fresh tensors double, and the caller's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = torch.ones(3, device=a.device) + a
        torch.set_default_dtype(torch.float64)
        return before, torch.ones(3, device=a.device) * 0.1

    result = check(program, tensor(3))
    result.happened(result.call.global_state["default dtype"] == torch.float64, "another default dtype")
    result.happened(result.call.tensors["out[1]"].dtype == "float64", "fresh tensors of that dtype")


@clause("state.settings", fullgraph=False)
def test_numbers_after_the_default_dtype_was_set(check: Check) -> None:
    """Under the default dtype that a program sets, quotients of whole numbers and new tensors of floats have it."""

    def program(whole: torch.Tensor) -> dict[str, torch.Tensor]:
        torch.set_default_dtype(torch.float64)
        found = {
            "quotient": whole / 3,
            "new": torch.tensor([0.1, 0.2], device=whole.device) * 3,
            "of whole numbers": torch.tensor([1, 2], device=whole.device) / 3,
            "with a float": whole * 0.1,
        }
        torch.set_default_dtype(torch.float32)
        return found

    result = check(program, tensor(3, dtype=torch.int64, values=[1, -2, 5])).computed()
    dtypes = {result.facts(f"out[{name!r}]").dtype for name in ("quotient", "new", "of whole numbers", "with a float")}
    result.happened(dtypes == {"float64"}, f"that dtype everywhere, not {dtypes}")


@clause("state.settings")
def test_default_dtype_of_the_caller(check: Check) -> None:
    """Under the default dtype that the caller has set, quotients of whole numbers and new tensors of floats have it."""

    def program(whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "quotient": whole / 3,
            "new": torch.tensor([0.1, 0.2], device=whole.device) * 3,
            "of whole numbers": torch.tensor([1, 2], device=whole.device) / 3,
            "with a float": whole * 0.1,
            "noughts": torch.zeros(2, device=whole.device),
            "as noughts": whole.to(torch.zeros(2, device=whole.device).dtype) / 3,
            "ones": torch.ones(2, device=whole.device) / 3,
            "filled": torch.full((2,), 0.1, device=whole.device),
            "empty": torch.empty(2, device=whole.device).fill_(0.1),
            "identity": torch.eye(2, 1, device=whole.device),
            "range": torch.arange(0.1, 1, 0.5, device=whole.device),
            "points": torch.linspace(0, 1, 4, device=whole.device),
            "scalar": torch.scalar_tensor(0.1, device=whole.device),
            "window": torch.hann_window(3, device=whole.device),
            "mean": whole.mean(dtype=torch.get_default_dtype()),
            "sine": whole.sin(),
            "product with a logarithm": torch.xlogy(whole, whole + 3),
            "filled with a complex number": torch.full((2,), 0.1j, device=whole.device),
            "times a complex number": whole * 0.1j,
            "choice": torch.where(whole > 0, 0.1, -0.1),
        }

    torch.set_default_dtype(torch.float64)
    try:
        result = check(program, tensor(3, dtype=torch.int64, values=[1, -2, 5]))
    finally:
        torch.set_default_dtype(torch.float32)
    result.values().expect("""\
out['quotient'] = float64[3] [0.3333, -0.6667, 1.667]
out['new'] = float64[2] [0.3, 0.6]
out['of whole numbers'] = float64[2] [0.3333, 0.6667]
out['with a float'] = float64[3] [0.1, -0.2, 0.5]
out['noughts'] = float64[2] [0, 0]
out['as noughts'] = float64[3] [0.3333, -0.6667, 1.667]
out['ones'] = float64[2] [0.3333, 0.3333]
out['filled'] = float64[2] [0.1, 0.1]
out['empty'] = float64[2] [0.1, 0.1]
out['identity'] = float64[2, 1] [[1], [0]]
out['range'] = float64[2] [0.1, 0.6]
out['points'] = float64[4] [0, 0.3333, 0.6667, 1]
out['scalar'] = float64[] 0.1
out['window'] = float64[3] [0, 0.75, 0.75]
out['mean'] = float64[] 1.333
out['sine'] = float64[3] [0.8415, -0.9093, -0.9589]
out['product with a logarithm'] = float64[3] [1.386, -0, 10.4]
out['filled with a complex number'] = complex128[2] [0+0.1j, 0+0.1j]
out['times a complex number'] = complex128[3] [0+0.1j, -0-0.2j, 0+0.5j]
out['choice'] = float64[3] [0.1, -0.1, 0.1]
""")


@contextlib.contextmanager
def _flushing_denormal_numbers() -> Iterator[None]:
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


@clause("state.settings", "numbers.special-values", devices="cpu")
def test_denormal_numbers_flushed_for_the_caller(check: Check) -> None:
    """Where the caller has denormal numbers flushed, what a program computes is nought in place of one, as in eager."""

    def program(a: torch.Tensor, double: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"half": a * 0.5, "doubles": double * 1e-8, "turned": -a / 4}

    values = [1.5e-38, 1e-36, -1.2e-38] * 6
    specs = (tensor(18, values=values), tensor(2, dtype=torch.float64, values=[1.5e-301, 1e-299]))
    hooks = [lambda program: _flushing_denormal_numbers()] * 2
    check(program, calls=[specs] * 2, before=hooks).values().expect("""\
out['half'] = float32[18] [0, 5e-37, -0, 0, 5e-37, -0, 0, 5e-37, -0, 0, 5e-37, -0, 0, 5e-37, -0, 0, 5e-37, -0]
out['doubles'] = float64[2] [0, 1e-307]
out['turned'] = float32[18] [-0, -2.5e-37, 0, -0, -2.5e-37, 0, -0, -2.5e-37, 0, -0, -2.5e-37, 0, -0, -2.5e-37, 0,
    -0, -2.5e-37, 0]
""")


@clause("state.settings", fullgraph=False)
def test_default_dtype_set_before_an_exception(check: Check) -> None:
    """A default dtype that is set before the program raises stays set."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.set_default_dtype(torch.float64)
        raise ValueError(f"after setting, {doubled.dim()}")

    result = check(program, tensor(3)).raised("after setting")
    result.happened(result.call.global_state["default dtype"] == torch.float64, "another default dtype")


@clause("state.settings", fullgraph=False)
def test_deterministic_algorithms_demanded_by_the_program(check: Check) -> None:
    """`use_deterministic_algorithms` in a program holds after it, with its warn-only flag."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.use_deterministic_algorithms(True, warn_only=True)
        return doubled + 1

    result = check(program, tensor(3))
    flags = result.call.global_state
    result.happened(flags["deterministic algorithms"] and flags["deterministic warn only"], "the demand being in force")


@clause("state.settings", modes="train")
def test_backward_under_deterministic_algorithms(check: Check) -> None:
    """Where deterministic algorithms are demanded, forward and backward alike, gradients are as in eager."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a.index_select(0, index).sin()

    index = tensor(4, dtype=torch.int64, values=[2, 0, 2, 2])
    torch.use_deterministic_algorithms(True)
    try:
        result = check(program, tensor(3, 2), index)
    finally:
        torch.use_deterministic_algorithms(False)
    result.gradient(0).happened(result.call.global_state["deterministic algorithms"], "the demand being in force")


@clause("state.settings", fullgraph=False)
def test_matmul_precision_set_by_the_program(check: Check) -> None:
    """`set_float32_matmul_precision` in a program holds after the call."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.set_float32_matmul_precision("medium")
        return doubled @ a

    result = check(program, tensor(3, 3))
    result.happened(result.call.global_state["float32 matmul precision"] == "medium", "another precision")


@clause("state.settings", fullgraph=False)
def test_attention_kernels_chosen_for_a_block(check: Check) -> None:
    """``sdpa_kernel`` restricts the kernels of attention inside of its block, and no longer."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool]:
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            chosen = torch.backends.cuda.flash_sdp_enabled()
            attended = torch.nn.functional.scaled_dot_product_attention(a, a * 2, a * 3)
        return attended * 2, chosen

    result = check(program, tensor(1, 2, 4, 8)).holds("out[1]", False)
    result.happened(result.call.global_state["flash attention"] is True, "the kernels being allowed again")
    result.values().expect("""\
out[0] = float32[1, 2, 4, 8] [-2.351, -7.016, 9.068, -4.961, -2.342, 5.326, -4.687, 11.87, 2.041, -1.58, -3.151,
    3.33, ..., -3.531, 1.468, -8.944, 3.891]
out[1] = bool False
""")


@clause("state.settings", fullgraph=False)
def test_default_device_set_for_a_block(check: Check) -> None:
    """``with torch.device("meta")`` makes tensors on meta inside of the block, and on the CPU after it."""

    def described() -> torch.Tensor:
        with torch.device("meta"):
            return torch.ones(2, 3)

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        doubled = a * 2
        return described(), torch.ones(3).to(a.device) + doubled

    result = check(program, tensor(3))
    devices = [result.call.tensors[path].device for path in ("out[0]", "out[1]")]
    result.happened(devices == ["meta", result.facts("arg[0]").device], f"two devices, not {devices}")
    result.values().expect("""\
out[1] = float32[3] [2.373, -4.26, 0.522]
""")


@clause("state.settings")
def test_random_numbers_of_python_with_keywords(check: Check) -> None:
    """Numbers that a program draws by `random`, with keywords as well, are the next ones of Python's own generator."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int, float]:
        whole = random.randrange(1, 900, step=13)
        fraction = random.uniform(a=2.0, b=6.0)
        return a * 2, whole, fraction

    result = check(program, calls=[(tensor(3),), (tensor(3),)], probe=False).computed()
    result.happened(result.call.entries["out[1]"].detail % 13 == 1, "a step")


@clause("state.settings", fullgraph=False, devices="cpu")
def test_default_device_set_by_the_program(check: Check) -> None:
    """`set_default_device` moves what a program makes after it, and the caller, whatever the default was before."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = torch.ones(3) + a
        torch.set_default_device("meta")
        return before, torch.ones(2)

    def start(device: str | None) -> Callable[[Any], None]:
        return lambda program: torch.set_default_device(device)

    result = check(program, calls=[(tensor(3),)] * 2, before=[start("cpu"), start(None)], probe=False)
    result.happened(result.call.global_state["default device"] == torch.device("meta"), "another default device")


@clause("state.settings", modes="train")
def test_new_memory_under_deterministic_algorithms(check: Check) -> None:
    """Where deterministic algorithms are demanded, memory that nobody has written to holds what torch says."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "floats": torch.empty(3, device=a.device),
            "like": torch.empty_like(a),
            "strided": torch.empty_strided((2, 2), (1, 2), device=a.device),
            "whole": a.new_empty(2, dtype=torch.int64),
            "computed": a.sin() * torch.empty_like(a).isnan(),
        }

    torch.use_deterministic_algorithms(True)
    try:
        result = check(program, tensor(3))
    finally:
        torch.use_deterministic_algorithms(False)
    result.gradient(0).happened(bool(result.value("out['floats']").isnan().all()), "memory that is filled")


@clause("state.settings")
def test_what_the_compiler_says_of_itself(check: Check) -> None:
    """A program that is compiled is not exported, and is told so."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool]:
        return a * (3 if torch.compiler.is_exporting() else 2), torch.compiler.is_exporting()

    check(program, tensor(3)).computed().holds("out[1]", False)


@clause("state.settings", fullgraph=False)
def test_random_numbers_in_a_forked_generator(check: Check) -> None:
    """What is drawn in a block of `fork_rng`, seeded anew or not, does not move the generator behind it."""

    def computed(a: torch.Tensor) -> torch.Tensor:
        return a * 2 + 1

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        with torch.random.fork_rng(devices=[]):
            inner = torch.rand(3)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(5)
            seeded = torch.rand(3)
        return inner, seeded, torch.rand(3), computed(a)

    check(program, tensor(3)).drew_random()


@clause("state.settings", fullgraph=False)
def test_deterministic_algorithms_asked_for_by_their_debug_mode(check: Check) -> None:
    """`set_deterministic_debug_mode` in a program demands deterministic algorithms after it, with a warning."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.set_deterministic_debug_mode("warn")
        return doubled + 1

    result = check(program, tensor(3)).computed()
    flags = result.call.global_state
    result.happened(flags["deterministic algorithms"] and flags["deterministic warn only"], "the demand being in force")


@clause("state.settings", fullgraph=False)
def test_settings_of_products_and_kernels_read_by_the_program(check: Check) -> None:
    """What a program asks of the precision of products, and of oneDNN, is what holds where it is called."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, str, bool]:
        precision = torch.get_float32_matmul_precision()
        scaled = a * 2 if precision == "highest" else a * 3
        enabled = bool(torch.backends.mkldnn.enabled)
        return (scaled + 1 if enabled else scaled - 1), precision, enabled

    def precision(name: str) -> Callable[[Any], None]:
        return lambda program: torch.set_float32_matmul_precision(name)

    def without_onednn(program: Any) -> Any:
        torch.set_float32_matmul_precision("highest")
        return torch.backends.mkldnn.flags(enabled=False)

    hooks = [precision("highest"), precision("medium"), without_onednn, precision("highest")]
    result = check(program, calls=[(tensor(3),)] * 4, before=hooks, probe=False)
    for number, name in enumerate(("highest", "medium", "highest", "highest")):
        result.in_call(number).holds("out[1]", name)
    result.in_call(2).holds("out[2]", False).values().expect("""\
out[0] = float32[3] [-1.872, -0.7114, 2.36]
out[1] = str 'highest'
out[2] = bool False
""")


@clause("state.settings", fullgraph=False, devices="cpu")
def test_kernels_of_onednn_switched_off_for_a_block(check: Check) -> None:
    """Without oneDNN in a block of the program, its products are the same numbers, and it is on again behind it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool, bool]:
        with torch.backends.mkldnn.flags(enabled=False):
            inner, inside = _product(a), bool(torch.backends.mkldnn.enabled)
        return inner * 2, inside, bool(torch.backends.mkldnn.enabled)

    result = check(program, tensor(3, 3)).computed()
    result.holds("out[1]", False).holds("out[2]", True)


def _product(a: torch.Tensor) -> torch.Tensor:
    return a @ a + 1
