"""The caller's global_state: global modes and flags, random generators. Read, compared, put back."""

from __future__ import annotations

import array
import dataclasses
import functools
import hashlib
import random
from typing import Any

import numpy as np
import torch

from suites.harness import torch_internals

AUTOCAST_DEVICES = ("cpu", "cuda")


@dataclasses.dataclass(frozen=True)
class GlobalState:
    """Everything global that a call could leave changed, by name, as values that compare and print."""

    flags: dict[str, Any]

    @classmethod
    def read(cls) -> GlobalState:
        """Read the current thread's modes and the process's flags."""
        flags: dict[str, Any] = {
            "grad mode": torch.is_grad_enabled(),
            "inference mode": torch.is_inference_mode_enabled(),
            "autocast cache": torch.is_autocast_cache_enabled(),
            "default dtype": torch.get_default_dtype(),
            "default device": torch.get_default_device(),
            "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
            "deterministic warn only": torch.is_deterministic_algorithms_warn_only_enabled(),
            "fill uninitialized memory": torch_internals.fills_uninitialized_memory(),
            "anomaly mode": torch.is_anomaly_enabled(),
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
        return cls(flags)

    def restore(self) -> None:
        """Put back what can be set. Mode stacks cannot: a mode that leaked stays until its owner leaves it."""
        flags = self.flags
        torch.set_grad_enabled(flags["grad mode"])
        torch.set_autocast_cache_enabled(flags["autocast cache"])
        torch.set_default_dtype(flags["default dtype"])
        if torch.get_default_device() != flags["default device"]:
            torch.set_default_device(flags["default device"])
        torch.use_deterministic_algorithms(
            flags["deterministic algorithms"], warn_only=flags["deterministic warn only"]
        )
        torch_internals.fill_uninitialized_memory(flags["fill uninitialized memory"])
        torch.autograd.set_detect_anomaly(flags["anomaly mode"])
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


def seed_everything(seed: int = 0) -> None:
    """Seed torch (every device), Python's ``random`` and numpy's global generator."""
    # What torch.manual_seed does, without the stack traces that it keeps for devices that are not there.
    torch.default_generator.manual_seed(seed)
    if _sees_cuda():
        # Also before CUDA is initialised, which the first program's inputs may do: it is seeded then.
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    np.random.seed(seed)


@functools.cache
def _sees_cuda() -> bool:
    return torch.cuda.is_available()


def generator_states() -> dict[str, str]:
    """A digest of each global random generator's state."""
    digests = {
        "torch cpu generator": _digest(torch.get_rng_state().numpy().tobytes()),
        "python random": _digest(array.array("Q", random.getstate()[1]).tobytes()),
        "numpy random": _numpy_state(),
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
