"""What a call of eager's computed, as the text of a golden, and whether it computed anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from golden.values import Value, text_of
from suites.harness.observation.observe import Call
from suites.harness.observation.walk import BEFORE


def text_of_call(call: Call, paths: Sequence[str] = ()) -> str:
    """The canonical text of the values at ``paths``, and of what they hold.

    Without paths: of the outputs, and of the tensors among arguments and state that the call changed. Raises
    `LookupError` for a path at which there is no value.
    """
    chosen = paths or _outputs_and_changes(call)
    return text_of(value for path in chosen for value in _values(call, path))


def _outputs_and_changes(call: Call) -> list[str]:
    shown = (path for path in call.tensors if not path.endswith("._base") and BEFORE not in path)
    changed = (path for path in shown if path in call.changed)
    return ["out", *changed] if "out" in call.entries else list(changed)


def _values(call: Call, path: str) -> Iterator[Value]:
    """The values at a path and below it; of an object that was there before, where it was first."""
    entry = call.entries.get(path)
    if entry is None:
        raise LookupError(f"no value {path} in the observation; there are {', '.join(call.entries)}")
    if entry.kind == "same":
        yield from _values(call, entry.detail)
    for name, found in call.entries.items():
        if name != path and not name.startswith((f"{path}.", f"{path}[")):
            continue
        if BEFORE in name and BEFORE not in path:
            continue
        if name in call.tensors and (numbers := call.tensors[name].value) is not None:
            facts = call.tensors[name]
            yield Value(name, facts.dtype, facts.shape, _numbers(numbers))
        elif found.kind == "value" and "<" not in name:
            yield Value(name, found.type, None, found.detail)


def _numbers(tensor: torch.Tensor) -> list[complex]:
    wide = tensor.float() if tensor.dtype.is_floating_point and tensor.dtype.itemsize == 1 else tensor
    found: list[complex] = wide.flatten().tolist()
    return found


def did_something(call: Call) -> bool:
    """Whether a call left its caller with anything that one which returns zeros would not."""
    returned = [path for path in call.entries if path.startswith("out")]
    numbers = [call.tensors[path].value for path in returned if path in call.tensors]
    others = [entry for path in returned if (entry := call.entries[path]).kind in ("value", "same")]
    return (
        call.error is not None
        or bool(call.changed or call.spilled or call.drew_random)
        or any(number is not None and bool(number.any()) for number in numbers)
        or any(bool(entry.detail) and not str(entry.detail).startswith("out") for entry in others)
    )
