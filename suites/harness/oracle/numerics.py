"""When are two tensors of one dtype and shape equal? Bitwise where the same kernels run; else by distance to fp64.

The second rule is the one that PyTorch's maintainers judge bug reports by (``torch._dynamo.utils.same``): values that
are close by torch's default tolerances are equal; else the compiled result may be no further from a double-precision
run of the same program than a small multiple of eager's own distance. A result more accurate than eager's is right.
Of double precision more is asked than by default: torch's 1e-7 lets a rounding to single precision pass.
"""

from __future__ import annotations

import dataclasses
import math

import torch

#: Relative and absolute tolerances of ``torch.testing.assert_close`` by dtype; of double precision a hundredth of the
#: relative and a thousandth of the absolute one, still millions of roundings.
_TOLERANCES = {
    torch.float64: (1e-9, 1e-10),
    torch.complex128: (1e-9, 1e-10),
    torch.float32: (1.3e-6, 1e-5),
    torch.complex64: (1.3e-6, 1e-5),
    torch.float16: (1e-3, 1e-5),
    torch.complex32: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
}
#: A larger move than this, relative to the values, is a jump and no rounding error.
_JUMP = 1e-3
#: `same`'s default relative tolerance for single precision.
_SAME_TOLERANCE = 1e-4
#: What `same` allows besides the multiple of eager's own error: a tenth of its tolerance; of double precision a
#: hundredth of that, as above.
_FLOORS = {torch.float32: 1e-5, torch.complex64: 1e-5, torch.float64: 1e-10, torch.complex128: 1e-10}
_LOW_PRECISION_FLOOR = 1e-4


@dataclasses.dataclass(frozen=True)
class Closeness:
    """The outcome of comparing values.

    ``used`` is the fraction of the allowed error that was used, the smallest over the rules that pass (0: bitwise
    equal; above 1: not equal). ``what`` describes the worst element: expected and seen.
    """

    equal: bool
    used: float
    expected: str = ""
    seen: str = ""


def bitwise(expected: torch.Tensor, seen: torch.Tensor) -> Closeness:
    """Equal to the last bit; all NaNs are one value."""
    different = _different_bits(expected, seen)
    if not bool(different.any()):
        return Closeness(True, 0.0)
    return _worst(expected, seen, different.to(torch.float64), math.inf)


def close(
    expected: torch.Tensor,
    seen: torch.Tensor,
    reference: torch.Tensor | None,
    *,
    of_any_program: bool = False,
    rounded: torch.Tensor | None = None,
) -> Closeness:
    """Equal within the tolerances of the dtype, or by ``same``'s rule against the fp64 ``reference``.

    Integers and booleans must be equal. ``reference`` has the same shape and any floating dtype; None: no second rule.
    ``of_any_program``: the values may be sums of thousands, in which single precision keeps four digits; ``same``'s
    own relative tolerance holds then, and not the one that torch's tests of single operators use. ``rounded`` is the
    reference with each operand off by a rounding: what that moves is no fault of a kernel's.
    """
    if not (expected.dtype.is_floating_point or expected.dtype.is_complex):
        return bitwise(expected, seen)
    if not bool(_different_bits(expected, seen).any()):
        return Closeness(True, 0.0)
    relative, absolute = _TOLERANCES.get(expected.dtype, (1.6e-2, 1e-2))
    if of_any_program and expected.dtype in (torch.float32, torch.complex64):
        relative = _SAME_TOLERANCE
    left, right = _double(expected), _double(seen)
    distance = _distance(left, right)
    allowed = (absolute + relative * left.abs()).nan_to_num(nan=1.0, posinf=1.0)
    fraction = torch.where(distance == 0, torch.zeros_like(distance), distance / allowed)
    worst = _maximum(fraction)
    if worst <= 1:
        return Closeness(True, worst)
    if reference is not None and reference.shape == expected.shape:
        noise = None if rounded is None or rounded.shape != expected.shape else _double(rounded)
        used = _used_against_reference(expected, left, right, _double(reference), noise)
        if used <= 1:
            return Closeness(True, used)
        worst = min(worst, used)
    return _worst(expected, seen, fraction, worst)


def close_numbers(expected: complex, seen: complex, reference: complex, rounded: complex) -> bool:
    """Whether two numbers are single values of tensors, equal by `same`'s rule.

    They are of tensors if single precision has moved eager's from the ``reference``, or the roundings of ``rounded``
    have; a number that nothing moves Python has computed, exactly.
    """
    moved = max(abs(expected - reference), abs(rounded - reference))
    return 0 < moved < math.inf and abs(seen - reference) <= 3 * moved + _FLOORS[torch.float32]


def _used_against_reference(
    expected: torch.Tensor,
    left: torch.Tensor,
    right: torch.Tensor,
    reference: torch.Tensor,
    rounded: torch.Tensor | None,
) -> float:
    eager_error, seen_error = _distance(reference, left), _distance(reference, right)
    finite = torch.isfinite(eager_error) & torch.isfinite(seen_error)
    # Where fp64 and a narrower eager part company (overflow), eager is the reference.
    if bool((~finite & (_distance(left, right) > 0)).any()):
        return math.inf
    if not bool(finite.any()):
        return 0.0
    floor = _FLOORS.get(expected.dtype, _LOW_PRECISION_FLOOR)
    multiple = 3.0 if expected.numel() <= 10 or expected.dtype.itemsize <= 2 else 2.0
    eager_error, seen_error, size = eager_error[finite], seen_error[finite], reference[finite].abs()
    if rounded is not None:
        # Sums of thousands in another order: twenty roundings of what the values are typically of.
        floor = max(floor, 20 * torch.finfo(torch.float32).eps * float(size.median()))
        eager_error = torch.maximum(eager_error, _conditioning(rounded[finite], reference[finite], size))
    by_mean = _rms(seen_error) / (multiple * _rms(eager_error) + floor)
    # The mean forgives one wrong element among thousands, and one large element's error excuses any of a small one.
    allowed = 4 * multiple * _error_at_scale(eager_error, size) + 10 * floor
    return max(by_mean, _maximum(seen_error / allowed))


def _conditioning(rounded: torch.Tensor, reference: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """How far roundings move each element; where they make it jump (a floor, a comparison) that excuses nothing."""
    moved = _distance(rounded, reference)
    return torch.where(moved <= _JUMP * torch.maximum(size, size.median()), moved, torch.zeros_like(moved))


def _error_at_scale(error: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """For each element the largest error among those not much larger than it, or than the median."""
    order = size.argsort()
    scale = torch.maximum(16 * size, size.median())
    last = torch.searchsorted(size[order], scale, right=True) - 1
    largest: torch.Tensor = error[order].cummax(0).values
    return largest[last.clamp(min=0)]


def _different_bits(expected: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    if expected.dtype.is_complex:
        real = torch.view_as_real(expected), torch.view_as_real(seen)
        return _different_bits(*real).any(-1)
    if not expected.dtype.is_floating_point:
        return expected != seen
    left, right = (expected, seen) if expected.dtype.itemsize > 1 else (expected.float(), seen.float())
    differs = (left != right) | (torch.signbit(left) != torch.signbit(right))
    return differs & ~(left.isnan() & right.isnan())


def _double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.complex128 if tensor.dtype.is_complex else torch.float64)


def _distance(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Elementwise distance: 0 between equal infinities and between NaNs, infinite where only one is finite."""
    if left.dtype.is_complex or right.dtype.is_complex:
        left, right = left.to(torch.complex128), right.to(torch.complex128)
        return torch.maximum(_distance(left.real, right.real), _distance(left.imag, right.imag))
    distance = (left - right).abs()
    agree = (left == right) | (left.isnan() & right.isnan())
    distance = torch.where(agree, torch.zeros_like(distance), distance)
    return torch.where(distance.isnan(), torch.full_like(distance, math.inf), distance)


def _rms(error: torch.Tensor) -> float:
    return float(error.square().mean().sqrt()) if error.numel() else 0.0


def _maximum(values: torch.Tensor) -> float:
    return float(values.max()) if values.numel() else 0.0


def _worst(expected: torch.Tensor, seen: torch.Tensor, badness: torch.Tensor, used: float) -> Closeness:
    flat = int(badness.flatten().argmax())
    count = int((badness > 1).sum()) if used != math.inf or badness.max() > 1 else int((badness > 0).sum())
    position = (
        [int(index) for index in torch.unravel_index(torch.tensor(flat), expected.shape)] if expected.dim() else []
    )
    place = f" at {position}" if position else ""
    many = f" ({max(count, 1)} of {expected.numel()} elements differ)" if expected.numel() > 1 else ""
    return Closeness(
        False, used, f"{expected.flatten()[flat].item()!r}{place}{many}", f"{seen.flatten()[flat].item()!r}{place}"
    )
