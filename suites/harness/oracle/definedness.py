"""Programs that eager itself leaves undefined are rejected, not tolerated.

Ways of finding out, all on eager alone: a dispatch mode that looks at each operator's operands (writes through a
view that overlaps itself, duplicate indices of a scatter that does not accumulate, float-to-integer conversions out of
range, ties where an index is returned), and a run in which fresh memory is poisoned, which shows reads of memory that
nothing has written. Whether anybody reads a number that was converted out of range, another run tells, in which any
integer stands for it; and what comes of a tie, one in which another of the equal values is picked.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.torch_internals import TorchDispatchMode

#: Writing one value everywhere means the same in every order.
_UNIFORM_WRITES = {"fill_", "zero_", "detach_", "requires_grad_", "set_", "resize_", "resize_as_", "_unsafe_view"}
_SCATTERS = {"scatter", "scatter_", "index_copy", "index_copy_", "put", "put_", "index_put", "index_put_"}
#: Operators that convert, and which argument.
_CONVERSIONS = {"_to_copy": 0, "to": 0, "copy_": 1}
#: Operators that return the index of one of several equal values.
_PICKS = {"argmax", "argmin", "max", "min", "sort", "topk", "kthvalue", "median", "nanmedian", "mode"}
#: Of these, operators that pick among the values up to each place.
_RUNNING_PICKS = {"cummax", "cummin"}


class HazardMode(TorchDispatchMode):
    """Notes, for each operator that runs, what makes its result undefined. Inputs of subclasses are not looked into."""

    def __init__(self) -> None:
        super().__init__()
        #: What makes the program undefined whatever a candidate does.
        self.hazards: list[str] = []
        #: Those of them that are conversions, which are none where the program leaves the numbers aside.
        self.casts: list[str] = []
        #: Equal values among which an index was picked: any pick is right, so a difference may mean nothing.
        self.ties: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = _name(func)
        plain = _plain(types)
        before = _operand_hazard(func, name, args) if plain else None
        # Whatever eager refuses is defined: it is an error.
        result = func(*args, **(kwargs or {}))
        if plain:
            if before:
                _note(self.hazards, f"{name}: {before}")
            if _out_of_range(name, args, result) is not None:
                cast = f"{name}: a float out of range converted to {str(result.dtype).removeprefix('torch.')}"
                _note(self.hazards, cast)
                _note(self.casts, cast)
            if _picked_otherwise(func, args, kwargs or {}, result) is not None:
                _note(self.ties, name)
        return result


def _plain(types: Any) -> bool:
    return all(issubclass(kind, torch.Tensor) and kind.__module__.startswith("torch") for kind in types)


def _note(lines: list[str], line: str) -> None:
    if line not in lines:
        lines.append(line)


def _name(func: Any) -> str:
    """The name of an operator without its namespace and overload."""
    return torch_internals.schema(func).name.partition("::")[2]


def _operand_hazard(func: Any, name: str, args: Sequence[Any]) -> str | None:
    if func.namespace == "aten" and name not in _UNIFORM_WRITES:
        for position, argument in enumerate(torch_internals.schema(func).arguments):
            if argument.is_write and position < len(args) and _overlaps_itself(args[position]):
                return "writes through a view that overlaps itself"
    if name in _SCATTERS and _has_duplicate_indices(name, args):
        return "duplicate indices without accumulation"
    return None


def _picked_otherwise(
    func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any
) -> tuple[torch.Tensor, ...] | None:
    """What an operator that returns indices may have returned as well: other ones, and the values that lie there.

    None where it had no equal values to pick from, or where which of them it picks is defined.
    """
    name = _name(func)
    if name not in _PICKS | _RUNNING_PICKS:
        return None
    *values, indices = (result,) if isinstance(result, torch.Tensor) else result
    arguments = torch_internals.schema(func).arguments
    given = {argument.name: argument.default_value for argument in arguments}
    given |= {argument.name: value for argument, value in zip(arguments, args, strict=False)} | dict(kwargs)
    source, dim = given["self"], given.get("dim")
    if not (values or name.startswith("arg")) or given.get("stable") or not _strided(source) or source.numel() < 2:
        return None
    source = source.detach()
    if dim is None or source.dim() == 0:
        source, dim = source.flatten(), 0
    shape = list(source.shape)
    shape[dim] = -1
    picked = indices.reshape(shape)
    if name in _RUNNING_PICKS:
        others = _first_places(source, values[0], picked, dim)
    else:
        others = _next_places(source, dim).gather(dim, picked)
    if torch.equal(others, picked):
        return None
    return *(source.gather(dim, others).reshape(made.shape) for made in values), others.reshape(indices.shape)


def _next_places(source: torch.Tensor, dim: int) -> torch.Tensor:
    """For each number the next place along ``dim`` with an equal one; after the last of them the first."""
    order = source.sort(dim=dim, stable=True).indices
    ordered, places = source.gather(dim, order), _places(source, dim)
    first = ordered != ordered.roll(1, dim)
    first.select(dim, 0).fill_(True)
    start = torch.where(first, places, 0).cummax(dim).values
    following = torch.where(first.roll(-1, dim), start, places + 1)
    return torch.empty_like(order).scatter(dim, order, order.gather(dim, following))


def _first_places(source: torch.Tensor, extremes: torch.Tensor, picked: torch.Tensor, dim: int) -> torch.Tensor:
    """Where the extreme of the numbers up to each place comes first."""
    first = (source == extremes) & (extremes != extremes.roll(1, dim))
    first.select(dim, 0).fill_(True)
    return torch.where(extremes.isnan(), picked, torch.where(first, _places(source, dim), 0).cummax(dim).values)


def _places(source: torch.Tensor, dim: int) -> torch.Tensor:
    along = [1] * source.dim()
    along[dim] = -1
    return torch.arange(source.size(dim), device=source.device).reshape(along).expand(source.shape)


def _strided(value: Any) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.layout == torch.strided
        and not value.is_meta
        and value.numel() < 1 << 16
    )


def _overlaps_itself(value: Any) -> bool:
    if not _strided(value) or value.numel() < 2:
        return False
    span = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
    if value.is_non_overlapping_and_dense() if hasattr(value, "is_non_overlapping_and_dense") else False:
        return False
    places = torch.arange(span).as_strided(value.shape, value.stride(), 0)
    return places.unique().numel() < value.numel()


def _has_duplicate_indices(name: str, args: Sequence[Any]) -> bool:
    base = name.rstrip("_")
    if base == "index_put":
        return _index_put_duplicates(args)
    if base == "put":
        index = args[1]
        accumulate = args[3] if len(args) > 3 else False
        return bool(not accumulate and _strided(index) and index.unique().numel() < index.numel())
    dim, index = args[1], args[2]
    if not _strided(index) or not index.dim():
        return False
    if base == "index_copy":
        return bool(index.unique().numel() < index.numel())
    if not isinstance(args[3], torch.Tensor):
        return False  # A scattered scalar is the same in every order.
    ordered = index.sort(dim).values
    dim = dim % index.dim()
    return bool((ordered.narrow(dim, 1, ordered.size(dim) - 1) == ordered.narrow(dim, 0, ordered.size(dim) - 1)).any())


def _index_put_duplicates(args: Sequence[Any]) -> bool:
    target, indices, values = args[0], args[1], args[2]
    accumulate = args[3] if len(args) > 3 else False
    if accumulate or not _strided(target) or (isinstance(values, torch.Tensor) and values.numel() == 1):
        return False
    if any(isinstance(index, torch.Tensor) and index.dtype == torch.bool for index in indices):
        return False
    places = torch.arange(target.numel()).reshape(target.shape)
    picked = places[tuple(slice(None) if index is None else index.cpu() for index in indices)]
    return bool(picked.unique().numel() < picked.numel())


def _out_of_range(name: str, args: Sequence[Any], result: Any) -> torch.Tensor | None:
    """Where an operator converted numbers that the integers of ``result`` do not have; None if it did nowhere."""
    place = _CONVERSIONS.get(name, len(args))
    if place >= len(args) or not isinstance(result, torch.Tensor):
        return None
    source, dtype = args[place], result.dtype
    if not _strided(source) or not source.numel() or not source.dtype.is_floating_point:
        return None
    if dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
        return None
    limits = torch.iinfo(dtype)
    values = source.detach().double().trunc()
    places = (values < limits.min) | (values > limits.max) | values.isnan()
    return places if bool(places.any()) else None


class AnyInteger(TorchDispatchMode):
    """Puts any integer where a float is converted to one that is out of range: whoever reads it shows."""

    def __init__(self) -> None:
        super().__init__()
        self._generator = torch.Generator().manual_seed(0)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        places = _out_of_range(_name(func), args, result)
        if places is not None:
            size = result.numel() * result.element_size()
            drawn = torch.randint(256, (size,), dtype=torch.uint8, generator=self._generator).view(result.dtype)
            result.copy_(torch.where(places, drawn.view(result.shape).to(result.device), result))
        return result


class AnyPick(TorchDispatchMode):
    """Picks another one of several equal values wherever an operator returns its index: whoever reads it shows."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        others = _picked_otherwise(func, args, kwargs or {}, result) if _plain(types) else None
        if others is not None:
            for made, other in zip((result,) if isinstance(result, torch.Tensor) else result, others, strict=True):
                made.copy_(other)
        return result


@contextlib.contextmanager
def poisoned_memory(*, filled: bool = True) -> Iterator[None]:
    """Fresh memory holds NaN or the largest integer instead of what happens to lie there.

    Torch fills it where it is asked for deterministic algorithms, which may round otherwise than those of any other
    run: not ``filled``, that is all that is asked for.
    """
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    filled_before = torch_internals.fills_uninitialized_memory()
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch_internals.fill_uninitialized_memory(filled)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        torch_internals.fill_uninitialized_memory(filled_before)


class ExactArithmetic(TorchDispatchMode):
    """Keeps double precision where the program narrows: the reference of a rounded result is the one nobody rounded."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        narrowed = kwargs.get("dtype")
        widened = func is torch_internals.to_copy() and args[0].dtype == torch.float64
        if widened and narrowed is not None and narrowed.is_floating_point:
            kwargs["dtype"] = torch.float64
        return func(*args, **kwargs)


class RoundedArithmetic(ExactArithmetic):
    """`ExactArithmetic` in which every operator sees its operands off by a rounding of single precision.

    How far that moves a result is how far any single-precision program may be off: a sum of thousands, a recurrence.
    """

    def __init__(self) -> None:
        super().__init__()
        self._generator = torch.Generator().manual_seed(0)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if not torch_internals.schema(func).is_mutable and not func.is_view:
            args = torch_internals.pytree.tree_map_only(torch.Tensor, self._rounded, args)
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _rounded(self, operand: torch.Tensor) -> torch.Tensor:
        if operand.dtype != torch.float64 or operand.layout != torch.strided or operand.is_meta:
            return operand
        signs = torch.randint(0, 2, operand.shape, generator=self._generator).to(operand) * 2 - 1
        return operand * (1 + signs * torch.finfo(torch.float32).eps / 2)


def within(mode: TorchDispatchMode) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A way to "compile" a program: run it eagerly inside ``mode``."""

    def compile_program(program: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            with mode:
                return program(*args, **kwargs)

        return run

    return compile_program


def with_poison(program: Callable[..., Any], *, filled: bool = True) -> Callable[..., Any]:
    """A way to "compile" a program: run it eagerly on poisoned memory, or as that is and not ``filled``."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with poisoned_memory(filled=filled):
            return program(*args, **kwargs)

    return run
