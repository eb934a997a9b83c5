"""What the table's clauses run: programs that call one operator on several samples, which torch's table draws."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import torch

from suites.harness import torch_internals
from suites.harness.observation.global_state import seed_everything
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.errors import NotHere, OtherRelease
from suites.harness.programs.upcasting import Upcaster
from suites.operators.table.choices import TOLD_OTHERWISE, Choice, is_differentiable, table
from suites.operators.table.samples import Sample, chosen, of_leaves, samples_of
from suites.operators.table.told import told_of

_Tree = TypeVar("_Tree")

#: How many inputs that an operator refuses are tried.
_REFUSED = 4

Call = tuple[tuple[Any, ...], dict[str, Any]]


@dataclasses.dataclass(frozen=True)
class OperatorProgram:
    """One function that calls an operator once for each sample of a choice, and is itself called twice.

    ``kind`` is what it does with its samples: `outputs_of`, `written_by`. ``dtype`` replaces the choice's.
    """

    choice: Choice
    device: str
    mode: str
    kind: Kind
    dtype: str = ""

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The function, with builders of fresh copies of its samples.

        Raises `OtherRelease` where this torch's table has not the operator, or not in that dtype, or none of its chosen
        samples; `NotHere` where eager has other values of it in every run.
        """
        made = _made(self)
        if not made.args:
            raise OtherRelease(
                f"torch {torch.__version__} has none of what is chosen of {self.choice.name} in its table"
            )
        return Instance(made.program, [functools.partial(self._inputs, call, upcast) for call in range(2)])

    def made(self) -> Made:
        """The program and its arguments. Raises what `instantiate` does."""
        info = torch_internals.operator_table().get(self.choice.name)
        if info is None:
            raise OtherRelease(f"torch {torch.__version__} has no operator {self.choice.name} in its table")
        dtype = self.dtype or self.choice.dtype
        if getattr(torch, dtype) not in info.supported_dtypes(self.device):
            raise OtherRelease(f"torch {torch.__version__} has no {self.choice.name} in {dtype} in its table")
        if self.device != "cpu" and (reason := table().not_on_gpu(self.choice.name, dtype)):
            raise NotHere(f"{self.choice.name} in {dtype} does not run on a GPU: {reason}")
        samples = _drawn(self.choice, self.device, dtype, self.mode == "train")
        if not samples:
            what = f"{self.choice.name} in {dtype}"
            raise OtherRelease(f"torch {torch.__version__} has none of the chosen samples of {what}")
        return self.kind(info, samples)

    def _inputs(self, call: int, upcast: bool) -> Inputs:
        # Copied as a whole, so that arguments which share memory still do.
        args = copy.deepcopy(_made(self).of_call(call))
        return Inputs(Upcaster()(args) if upcast else args)


@dataclasses.dataclass(frozen=True)
class OperatorsProgram:
    """One function that calls several operators, each as the program of its own does, and is itself called twice.

    It returns what it is told of their results, too, but for those of which that is known to be wrong.
    """

    programs: tuple[OperatorProgram, ...]

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The function, with builders of fresh copies of all samples.

        Operators that this torch's table has not, or none of whose chosen samples, are left out: `OtherRelease` is
        raised where none is left.
        """
        made = _made_of(self)
        functions = {name: each.program for name, (_, each) in made.items()}
        if not functions:
            names = ", ".join(each.choice.name for each in self.programs)
            raise OtherRelease(f"torch {torch.__version__} has none of {names} in its table")

        otherwise = {name for name, (choice, _) in made.items() if table().reason(choice.name, TOLD_OTHERWISE)}

        def program(*arguments: tuple[Any, ...]) -> dict[str, Any]:
            outputs = {name: functions[name](*args) for name, args in zip(functions, arguments, strict=True)}
            told = {name: told_of(output) for name, output in outputs.items() if name not in otherwise}
            return {**outputs, "told": told}

        return Instance(program, [functools.partial(self._inputs, call, upcast) for call in range(2)])

    def names(self) -> set[str]:
        """The operators that it calls."""
        return set(_made_of(self))

    def _inputs(self, call: int, upcast: bool) -> Inputs:
        args = copy.deepcopy(tuple(made.of_call(call) for _, made in _made_of(self).values()))
        return Inputs(Upcaster()(args) if upcast else args)


@functools.lru_cache(maxsize=2)
def _made(program: OperatorProgram) -> Made:
    """What is made of a program. Nothing is run on what it holds."""
    return program.made()


@functools.lru_cache(maxsize=2)
def _made_of(programs: OperatorsProgram) -> dict[str, tuple[Choice, Made]]:
    """By their operators' names, the programs that can be made and call anything, held as `_made` does.

    A second program of an operator says its dtype, too.
    """
    found: dict[str, tuple[Choice, Made]] = {}
    for each in programs.programs:
        with contextlib.suppress(NotHere):
            made = each.made()
            if made.args:
                name = each.choice.name
                found[f"{name} in {each.dtype}" if name in found else name] = each.choice, made
    return found


def sampled(choice: Choice, device: str, dtype: str, *, train: bool) -> tuple[Any, tuple[Sample, ...]]:
    """An operator as torch's table has it, and the samples of a choice. Raises `KeyError` if it has not."""
    return torch_internals.operator_table()[choice.name], _drawn(choice, device, dtype, train)


@functools.lru_cache(maxsize=4)
def _drawn(choice: Choice, device: str, dtype: str, train: bool) -> tuple[Sample, ...]:
    """The samples of a choice as they are drawn, without those that torch's table lacks. Nothing is run on them."""
    info = torch_internals.operator_table()[choice.name]
    grad = train and is_differentiable(info, dtype)
    # Asked for in the dtype of its indices, a sample does not say that dtype.
    keys = [key.replace(f"{dtype}[", "[") for key in choice.samples]
    samples, _ = chosen(samples_of(info, device, getattr(torch, dtype), requires_grad=grad), keys)
    # Drawn in one run of many, which finds its generators as every other does.
    seed_everything()
    return tuple(without_history(sample) for sample in samples)


def without_history(sample: Sample) -> Sample:
    """The sample, with the history of its tensors cut off."""
    args, kwargs = of_leaves((sample.args, dict(sample.kwargs)))
    return dataclasses.replace(sample, args=args, kwargs=kwargs)


@dataclasses.dataclass(frozen=True)
class Made:
    """A program and the arguments of a call of it; ``later`` are those of the next, where they are others."""

    program: Callable[..., Any]
    args: tuple[Any, ...]
    later: tuple[Any, ...] = ()

    def of_call(self, number: int) -> tuple[Any, ...]:
        """The arguments of its first call or, by 1, of its second."""
        return self.later if number and self.later else self.args


#: What makes a program of an operator, as torch's table has it, and some samples.
Kind = Callable[[Any, Sequence[Sample]], Made]


def outputs_of(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for each sample, by its key: what differs is told by the call that it comes of."""
    operator = torch_internals.without_seeding(info.get_op())
    asked = tuple((sample.key, sample.process) for sample in samples)

    def program(*calls: Call) -> dict[str, Any]:
        outputs = {}
        for (args, kwargs), (key, process) in zip(calls, asked, strict=True):
            output = operator(*args, **kwargs)
            outputs[key] = output if process is None else process(output)
        return outputs

    return Made(program, tuple((sample.args, dict(sample.kwargs)) for sample in samples))


def outputs_of_two(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for its first two samples."""
    return outputs_of(info, samples[:2])


def outputs_of_first(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for the first of its samples."""
    return outputs_of(info, samples[:1])


def outputs_of_second(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for the second of its samples, if it has two."""
    return outputs_of(info, samples[1:2])


def written_by(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator writes into rows of larger tensors: in place, and as the memory of its result (``out=``).

    Samples for which it has no way to do so are left out.
    """
    operator = torch_internals.without_seeding(info.get_op())
    in_place = info.get_inplace()
    if in_place:
        in_place = torch_internals.without_seeding(in_place)
    has_out = bool(info.supports_out)

    def program(*calls: tuple[tuple[Any, ...], dict[str, Any], torch.Tensor | None, torch.Tensor | None]) -> list[Any]:
        outputs = []
        for args, kwargs, target, out in calls:
            if target is not None:
                outputs.append(in_place(target[1], *args[1:], **kwargs))
            if out is not None:
                outputs.append(operator(*args, **kwargs, out=out[1]))
        return outputs

    calls = []
    for sample in samples:
        args, kwargs = sample.args, dict(sample.kwargs)
        result = result_of(operator, sample)
        target = in_a_row(args[0]) if in_place is not None and is_like(result, args[0]) else None
        out = in_a_row(_other_than(result)) if has_out and isinstance(result, torch.Tensor) else None
        if target is not None or out is not None:
            calls.append((args, kwargs, target, out))
    return Made(program, tuple(calls))


def result_of(operator: Callable[..., Any], sample: Sample) -> Any:
    """What an operator returns for a sample, its own tensors left as they are."""
    return returned(operator, copied(sample.args), sample.kwargs)


def copied(arguments: _Tree) -> _Tree:
    """Arguments with copies of their tensors, each by itself and without a history."""
    made: _Tree = torch_internals.pytree.tree_map_only(torch.Tensor, lambda each: each.detach().clone(), arguments)
    return made


def returned(operator: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What an operator returns, the generator left as it was; None if it raises."""
    state = torch.get_rng_state()
    try:
        return operator(*args, **kwargs)
    except Exception:
        return None
    finally:
        torch.set_rng_state(state)


def is_like(result: Any, first: Any) -> bool:
    """Whether an operator's result can take the place of its first argument."""
    if not isinstance(result, torch.Tensor) or not isinstance(first, torch.Tensor):
        return False
    return result.shape == first.shape and result.dtype == first.dtype


def _other_than(result: torch.Tensor) -> torch.Tensor:
    """A tensor like a result, with other values."""
    return result.logical_not() if result.dtype == torch.bool else torch.full_like(result, 7)


def in_a_row(inner: torch.Tensor) -> torch.Tensor:
    """A tensor of three rows, of which the middle one holds the values of ``inner``."""
    return torch.stack([inner.detach()] * 3)


@dataclasses.dataclass(frozen=True)
class ErrorProgram:
    """An operator, called once on each of the first inputs that torch's table says it refuses."""

    choice: Choice
    device: str

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The operator, with builders that draw such inputs anew. Raises `OtherRelease` where there are none."""
        info = torch_internals.operator_table().get(self.choice.name)
        count = 0 if info is None else len(self._refused(info))
        if info is None or not count:
            raise OtherRelease(f"torch {torch.__version__} has no inputs that {self.choice.name} refuses")
        operator = torch_internals.without_seeding(info.get_op())

        def program(*args: Any, **kwargs: Any) -> Any:
            return operator(*args, **kwargs)

        return Instance(program, [functools.partial(self._inputs, info, number, upcast) for number in range(count)])

    def _refused(self, info: Any) -> list[Any]:
        seed_everything()
        errors = torch_internals.drawn_samples(functools.partial(info.error_inputs, self.device), seed_everything)
        operator = torch_internals.without_seeding(info.get_op())
        every = (error.sample_input for error in errors)
        # What the table says of some is of other devices, or of a time before.
        plain = (each for each in every if returned(operator, (each.input, *each.args), dict(each.kwargs)) is None)
        refused = list(itertools.islice(plain, _REFUSED))
        seed_everything()
        return refused

    def _inputs(self, info: Any, number: int, upcast: bool) -> Inputs:
        sample = self._refused(info)[number]
        args, kwargs = (sample.input, *sample.args), dict(sample.kwargs)
        return Inputs(*(Upcaster()((args, kwargs)) if upcast else (args, kwargs)))
