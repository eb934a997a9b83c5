"""What of torch's tables is not among the chosen, and runs all the same."""

from __future__ import annotations

import pytest
import torch

from suites.harness import torch_internals
from suites.harness.backends.registry import resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import Diverged
from suites.harness.clauses.scope import Scope
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.examine import left_undefined
from suites.harness.oracle.runs import Subject
from suites.harness.programs.errors import OtherRelease
from suites.harness.programs.specs import Variant
from suites.operators.table import choices, counting, modules
from suites.operators.table.counting import OneSample
from suites.operators.table.programs import Made
from suites.operators.table.remaining import LARGEST, RemainingProgram, keys_of, of_modules, remaining
from suites.operators.table.samples import part_of
from suites.selfcheck.mutants import MUTANTS


def _keys(operator: str, part: int) -> set[str]:
    program = RemainingProgram(choices.named(operator), "cpu", part).instantiate()
    return set(program.calls[0]().args[0])


def test_parts_together_are_what_is_not_chosen() -> None:
    choice, rest = choices.named("nn_functional_unfold"), remaining()["nn_functional_unfold"]
    each = [_keys("nn_functional_unfold", part) for part in range(rest.parts)]
    assert rest.parts > 1
    assert sum(map(len, each)) == len(set().union(*each))
    drawn = set(keys_of(choice, "cpu"))
    assert set().union(*each) == drawn - set(rest.left_out)
    assert not drawn & set(choice.samples)
    if choices.written_for() == torch.__version__.partition("+")[0]:
        assert len(drawn) == rest.count + len(rest.left_out)


def test_samples_that_are_large_stay_out() -> None:
    program = RemainingProgram(choices.named("grid_sampler_3d"), "cpu", 0).instantiate()
    sizes = [args[0].numel() for args, _ in program.calls[0]().args[0].values()]
    assert sizes
    assert max(sizes) <= LARGEST


def test_what_is_counted_again_is_what_is_written_down() -> None:
    assert counting.counted(choices.named("softmax")) == remaining()["softmax"]


def test_part_of_a_module_is_of_samples_that_are_not_chosen() -> None:
    choice = {each.name: each for each in choices.operators(modules.PLACE)}["nn_NLLLoss"]
    parts = of_modules()["nn_NLLLoss", "float32"].parts
    info = torch_internals.module_table()["nn_NLLLoss"]
    keys = {sample.key for sample in modules.samples_of(info, "cpu", torch.float32, training=True)}
    found = [modules.ModuleProgram(choice, "cpu", "train", "float32", (part, parts)) for part in range(parts)]
    assert sum(len(each.instantiate().calls[0]().args) for each in found) == len(keys - set(choice.samples))
    with pytest.raises(OtherRelease, match="none of the samples in part 0 of nn_NLLLoss"):
        modules.ModuleProgram(choice, "cpu", "train", "bfloat16", (0, 1)).instantiate()


def test_part_that_passes_fails_where_a_value_is_off() -> None:
    program = RemainingProgram(choices.named("add"), "cpu", 0)
    scope = Scope(modes=("train",))
    Check(resolve("aot_eager"), Variant("train"), scope).program(program).computed()
    with pytest.raises(Diverged):
        Check(resolve(MUTANTS["values:one_element_off"].backend), Variant("train"), scope).program(program)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda a: a * 2, ""),
        (lambda a: a.view(7), "eager raises RuntimeError: shape '[7]' is invalid for input of size 4"),
        (lambda a: torch.empty(100) + a.sum(), "eager disagrees with itself from run to run"),
        (
            lambda a: a.detach().scatter(0, torch.tensor([1, 1]), a[:2]),
            "scatter: duplicate indices without accumulation",
        ),
    ],
)
def test_what_means_nothing_is_told(function: object, said: str) -> None:
    made = Made(function, (torch.arange(4.0, requires_grad=True),))  # type: ignore[arg-type]
    assert left_undefined(Subject(OneSample(made), CallOptions("train"))) == said


def test_every_part_has_samples() -> None:
    for name in ("add", "nn_functional_pad_constant", "searchsorted"):
        rest = remaining()[name]
        keys = set(keys_of(choices.named(name), "cpu")) - set(rest.left_out)
        assert {part_of(key, rest.parts) for key in keys} == set(range(rest.parts))
