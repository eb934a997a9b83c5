"""The state that is global: modes and flags, random generators, the environment. Read, compared, put back."""

from __future__ import annotations

import array
import dataclasses
import functools
import hashlib
import os
import random
import re
from typing import Any

import numpy as np
import torch

from suites.harness import torch_internals

AUTOCAST_DEVICES = ("cpu", "cuda")

#: What torch itself puts into the environment of the process, for good, where it first compiles, looks for its caches,
#: or finds its tools: a caller of torch.compile has these whatever the backend. What pytest says there of a test, and
#: what a run decides on there for speed. Neither compared nor put back.
NOT_OF_PROGRAMS = re.compile(
    r"_?TORCHINDUCTOR_.*|TRITON_.*|TORCH_WARM_POOL|KMP_DUPLICATE_LIB_OK|CUBLAS_WORKSPACE_CONFIG|CUDA_HOME"
    r"|CUDA_MODULE_LOADING|PYTEST_.*|PARITY_ACCELERATIONS|COMPILER_PATH"
)
#: How the names of variables begin among the flags.
VARIABLE = "environment variable "
#: What `torch.initial_seed` says in a call: nobody seeds with it.
_OTHER_SEED = np.array([0x5EED5EED], dtype=np.uint64)
#: The generators that are not torch's.
NOT_OF_TORCH = _PYTHON, _NUMPY = "python random", "numpy random"


@dataclasses.dataclass(frozen=True)
class GlobalState:
    """Everything global that a call could leave changed, by name, as values that compare and print."""

    flags: dict[str, Any]
    environment: dict[str, str] = dataclasses.field(default_factory=dict, repr=False)

    @classmethod
    def read(cls) -> GlobalState:
        """Read the current thread's modes and the process's flags."""
        flags: dict[str, Any] = {
            "grad mode": torch.is_grad_enabled(),
            "inference mode": torch.is_inference_mode_enabled(),
            "autocast cache": torch.is_autocast_cache_enabled(),
            "default dtype": torch.get_default_dtype(),
            "default device": _default_device(),
            "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
            "deterministic warn only": torch.is_deterministic_algorithms_warn_only_enabled(),
            "fill uninitialized memory": torch_internals.fills_uninitialized_memory(),
            "anomaly mode": torch.is_anomaly_enabled(),
            "views replayed": torch_internals.views_are_replayed(),
            "dispatch mode stack": torch_internals.dispatch_mode_depth(),
            "function mode stack": torch_internals.function_mode_depth(),
            "float32 matmul precision": torch.get_float32_matmul_precision(),
            "cudnn deterministic": torch.backends.cudnn.deterministic,
            "cudnn benchmark": torch.backends.cudnn.benchmark,
            "threads": torch.get_num_threads(),
            "flash attention": torch.backends.cuda.flash_sdp_enabled(),
            "memory-efficient attention": torch.backends.cuda.mem_efficient_sdp_enabled(),
            "math attention": torch.backends.cuda.math_sdp_enabled(),
        }
        for device in AUTOCAST_DEVICES:
            flags[f"autocast {device}"] = torch.is_autocast_enabled(device)
            flags[f"autocast {device} dtype"] = torch.get_autocast_dtype(device)
        environment = {name: value for name, value in os.environ.items() if not NOT_OF_PROGRAMS.fullmatch(name)}
        # Values may be secrets, and ledgers are passed around.
        flags.update((VARIABLE + name, f"digest {_digest(os.fsencode(value))}") for name, value in environment.items())
        flags["working directory"] = _working_directory()
        return cls(flags, environment)

    def restore(self) -> None:
        """Put back what can be set. Mode stacks cannot: a mode that leaked stays until its owner leaves it."""
        flags = self.flags
        torch.set_grad_enabled(flags["grad mode"])
        torch.set_autocast_cache_enabled(flags["autocast cache"])
        torch.set_default_dtype(flags["default dtype"])
        if _default_device() != flags["default device"]:
            # Without a device of its own a process has no mode for it, either.
            torch.set_default_device(None)
            if _default_device() != flags["default device"]:
                torch.set_default_device(flags["default device"])
        torch.use_deterministic_algorithms(
            flags["deterministic algorithms"], warn_only=flags["deterministic warn only"]
        )
        torch_internals.fill_uninitialized_memory(flags["fill uninitialized memory"])
        torch.autograd.set_detect_anomaly(flags["anomaly mode"])
        torch_internals.replay_views(flags["views replayed"])
        torch.backends.cuda.enable_flash_sdp(flags["flash attention"])
        torch.backends.cuda.enable_mem_efficient_sdp(flags["memory-efficient attention"])
        torch.backends.cuda.enable_math_sdp(flags["math attention"])
        torch.set_float32_matmul_precision(flags["float32 matmul precision"])
        for name in ("deterministic", "benchmark"):
            # Where a test framework has frozen these flags, they cannot have changed.
            if getattr(torch.backends.cudnn, name) != flags[f"cudnn {name}"]:
                setattr(torch.backends.cudnn, name, flags[f"cudnn {name}"])
        if torch.get_num_threads() != flags["threads"]:
            torch.set_num_threads(flags["threads"])
        for device in AUTOCAST_DEVICES:
            torch.set_autocast_enabled(device, flags[f"autocast {device}"])
            torch.set_autocast_dtype(device, flags[f"autocast {device} dtype"])
        if _working_directory() != flags["working directory"] and flags["working directory"]:
            os.chdir(flags["working directory"])
        for name in [
            name for name in os.environ if name not in self.environment and not NOT_OF_PROGRAMS.fullmatch(name)
        ]:
            del os.environ[name]
        for name, value in self.environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value


def _default_device() -> torch.device | str:
    """The default device; what torch raises where a compiled program has left none that can be asked for."""
    try:
        return torch.get_default_device()
    except AttributeError as error:
        return str(error)


def by_every_name(left: dict[str, Any], right: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two states with each environment variable of either in both, as ``unset`` where it is not there."""
    unset = {name: "unset" for name in (*left, *right) if name.startswith(VARIABLE)}
    return {**unset, **left}, {**unset, **right}


def _working_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def seed_everything(seed: int = 0) -> None:
    """Seed torch (every device), Python's ``random`` and numpy's global generator."""
    # What torch.manual_seed does, without the stack traces that it keeps for devices that are not there.
    torch.default_generator.manual_seed(seed)
    if _sees_cuda():
        # Also before CUDA is initialised, which the first program's inputs may do: it is seeded then.
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    np.random.seed(seed)


def draw_once(*, torch_too: bool = False) -> None:
    """Move the generators of Python and numpy, and torch's if asked, on from where seeding leaves them.

    Seeding anew, with the same number even, is seen then. Before a call, torch's generator, which programs draw from,
    draws what its seed has it draw, but says that it was seeded with another number: `_OTHER_SEED`.
    """
    random.random()
    np.random.random()
    if torch_too:
        torch.rand((), device="cpu")
    else:
        state = torch.default_generator.get_state()
        # The seed, which is only kept to be told, stands before the state of what draws. A GPU's generator draws by it.
        state[: _OTHER_SEED.nbytes] = torch.from_numpy(_OTHER_SEED.view(np.uint8))
        torch.default_generator.set_state(state)


@functools.cache
def _sees_cuda() -> bool:
    return torch.cuda.is_available()


def generator_states() -> dict[str, str]:
    """A digest of each global random generator's state."""
    digests = {
        "torch cpu generator": _digest(torch.get_rng_state().numpy().tobytes()),
        _PYTHON: _digest(array.array("Q", random.getstate()[1]).tobytes()),
        _NUMPY: _numpy_state(),
    }
    if _sees_cuda() and torch.cuda.is_initialized():
        # Where a kernel has failed an assertion, nothing of the device can be read any more.
        state = torch.cuda.get_rng_state() if torch_internals.device_works() else None
        digests["torch cuda generator"] = _digest(state.numpy().tobytes()) if state is not None else "lost"
    return digests


def _numpy_state() -> str:
    _, words, position, has_gauss, gauss = np.random.get_state(legacy=True)
    return _digest(np.asarray(words).tobytes() + repr((position, has_gauss, gauss)).encode())


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=6).hexdigest()
