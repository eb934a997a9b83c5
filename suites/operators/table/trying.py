"""How the tensors of chosen samples can be changed, and of which a program can take gradients: tried in eager.

A change stays if eager takes it, forward and backward, and comes to the same twice, and not to noughts alone (of those
that leave few elements, not all do): what eager reads past the end of a tensor that is too small, without a word, is
something else each time, or ends the process, which is a fork. Anew::

    python -m suites.operators.table.trying              # every operator, some minutes
    python -m suites.operators.table.trying softmax      # these alone
"""

from __future__ import annotations

import copy
import functools
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import Crashed, Finished, run_forked
from suites.harness.observation.global_state import seed_everything
from suites.operators.table import choices
from suites.operators.table.asking import asked
from suites.operators.table.changes import (
    EXPANDED,
    FEW,
    GRADIENTS,
    KINDS,
    LARGER,
    WRITES,
    Change,
    changed,
    changes,
    dimensions_together,
    pairs,
    tensors_of,
    write,
)
from suites.operators.table.choices import NO_SIZES, Choice
from suites.operators.table.derivatives import gradient_of
from suites.operators.table.programs import outputs_of, sampled
from suites.operators.table.samples import Sample, is_float
from suites.operators.table.writes import written_elsewhere

#: How many samples of an operator are changed, and in how many ways each kind of change is made.
SAMPLES, MOST = 2, {LARGER: 1, FEW: 3, EXPANDED: 2}
#: How many ways to change the tensors of a sample together are tried.
TRIED = 48
#: Seconds that an operator may take.
LIMIT = 60.0


def found(choice: Choice) -> dict[str, list[Change]]:
    """Of each kind, the changes of an operator's samples that eager takes."""
    outcome = run_forked(functools.partial(_found, choice), LIMIT)
    if isinstance(outcome, Crashed):
        # Some change ends the process: each is tried in a process of its own.
        return _found(choice, lambda try_one: _finished(run_forked(try_one, LIMIT)))
    return outcome.value if isinstance(outcome, Finished) else {}


def _finished(outcome: object) -> bool:
    return isinstance(outcome, Finished) and bool(outcome.value)


def _found(choice: Choice, ask: Callable[[Callable[[], bool]], bool] = lambda try_one: try_one()) -> dict[str, Any]:
    info, samples = sampled(choice, "cpu", choice.dtype, train=True)
    largest = sorted(samples, key=Sample.dimensions, reverse=True)
    operator = torch_internals.without_seeding(info.get_op())
    result: dict[str, list[Change]] = {}
    for kind in (FEW,) if choices.table().reason(choice.name, NO_SIZES) else (LARGER, FEW, EXPANDED):
        each = (list(itertools.islice(_taken(info, sample, kind, ask), MOST[kind])) for sample in largest)
        result[kind] = list(itertools.chain.from_iterable(itertools.islice(filter(None, each), SAMPLES)))
    if not any(_takes(info, other, some=True) for _, other in pairs(result[FEW], samples)):
        result[FEW] = []
    floats = [sample for sample in samples if any(map(is_float, tensors_of(sample)))]
    with_gradients = (each for each in floats if ask(functools.partial(_has_gradients, operator, each)))
    result[GRADIENTS] = [Change(each.key) for each in itertools.islice(with_gradients, SAMPLES)]
    if choice.writes:
        result[WRITES] = [Change(each.key) for each in samples if ask(functools.partial(_writes, info, each))]
    return result


def _taken(info: Any, sample: Sample, kind: str, ask: Callable[[Callable[[], bool]], bool]) -> Iterator[Change]:
    """The changes of a sample that eager takes, likely ones first, each that differs from those before it.

    Of those that leave one element or none, as many of each.
    """
    tensors = tensors_of(sample)
    for way in KINDS[kind]:
        shapes = set()
        tried = itertools.islice(dict.fromkeys(dimensions_together(tensors)), TRIED)
        for dimensions in tried:
            other = changed(sample, way, dimensions)
            shape = other and tuple((*leaf.shape, *leaf.stride()) for leaf in tensors_of(other))
            some = kind != FEW  # What comes of nothing is nothing.
            if other is None or shape in shapes or not ask(functools.partial(_takes, info, other, some=some)):
                continue
            shapes.add(shape)
            yield Change(sample.key, way, dimensions)
            if kind == FEW and len(shapes) * len(KINDS[kind]) > MOST[kind]:
                break


def _takes(info: Any, sample: Sample, *, some: bool) -> bool:
    made = outputs_of(info, [sample])
    return _is_the_same_twice(lambda args, kwargs: made.program((args, kwargs)), sample, some=some)


def _has_gradients(operator: Callable[..., Any], sample: Sample) -> bool:
    return _is_the_same_twice(gradient_of(operator, sample), sample, some=True)


def _writes(info: Any, sample: Sample) -> bool:
    made = written_elsewhere(info, [sample])
    given = copy.deepcopy(made.args)
    made.program(*given)
    before, after = (torch_internals.pytree.tree_leaves([call[2] for call in each]) for each in (made.args, given))
    return any(not torch.equal(one, other) for one, other in zip(before, after, strict=True))


def _is_the_same_twice(call: Callable[..., Any], sample: Sample, *, some: bool) -> bool:
    """Whether a call comes to the same twice, and, if it is to be ``some``, not to noughts alone."""
    try:
        (some_of, one), (_, other) = (
            _results(call, copy.deepcopy((sample.args, dict(sample.kwargs)))) for _ in range(2)
        )
    except Exception:
        return False
    return (
        (not some or some_of)
        and len(one) == len(other)
        and all(
            torch.equal(left.nan_to_num(), right.nan_to_num())
            if left.dtype.is_floating_point
            else torch.equal(left, right)
            for left, right in zip(one, other, strict=True)
        )
    )


def _results(call: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, list[torch.Tensor]]:
    """What a call returns, with whether it is any number but nought, and the gradients of its arguments."""
    seed_everything()
    given = [leaf for leaf in torch_internals.pytree.tree_leaves(arguments) if isinstance(leaf, torch.Tensor)]
    out = [leaf for leaf in torch_internals.pytree.tree_leaves(call(*arguments)) if isinstance(leaf, torch.Tensor)]
    roots = [leaf for leaf in out if leaf.requires_grad]
    if roots:
        torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])
    gradients = (leaf.grad for leaf in given if leaf.grad is not None)
    return any(bool(leaf.count_nonzero()) for leaf in out), [leaf.detach() for leaf in (*out, *gradients)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try and write ``changes.json``. Returns 2 for an operator that is none."""
    these = asked(arguments, "trying", __doc__, "try these alone")
    if these is None:
        return 2
    known = {kind: dict(each) for kind, each in changes().items()} if these.named else {k: {} for k in KINDS}
    for name, choice in these.operators.items():
        of_operator = found(choice)
        for kind in KINDS:
            known[kind].pop(name, None)
            if of_operator.get(kind):
                known[kind][name] = tuple(of_operator[kind])
        print(f"{name}: {', '.join(f'{len(each)} {kind}' for kind, each in of_operator.items())}", flush=True)
    write(known, torch.__version__.partition("+")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
