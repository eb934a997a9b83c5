"""Input specs become the tensors that they describe, afresh for every run."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple, cast

import pytest
import torch

from suites.harness import built, clause, leaf, tensor, torch_internals, view_of
from suites.harness.backends.names import DEFAULT
from suites.harness.clauses.scope import PROFILES, Scope
from suites.harness.execution import environment
from suites.harness.programs.specs import Builder, Variant
from suites.harness.torch_internals import TwoTensor


def _builder(mode: str = "train", inputs: str = "plain", *, upcast: bool = False) -> Builder:
    return Builder(Variant(mode, "static", inputs), upcast=upcast)


def test_input_requires_grad_and_may_be_mutated() -> None:
    built_tensor = _builder().build(tensor(2, 3))
    assert built_tensor.requires_grad
    assert not built_tensor.is_leaf
    built_tensor.mul_(2)


def test_leaf_is_a_leaf_and_a_constant_is_neither() -> None:
    assert _builder().build(leaf(3)).is_leaf
    assert _builder().build(leaf(3)).requires_grad
    assert not _builder().build(tensor(3, grad=False)).requires_grad
    assert not _builder().build(tensor(3, dtype=torch.int64)).requires_grad


def test_inference_inputs_require_no_grad() -> None:
    assert not _builder("inference").build(tensor(3)).requires_grad


def test_leaves_are_where_gradients_arrive() -> None:
    builder = _builder()
    value = builder.build(tensor(3))
    (value * 2).sum().backward()
    assert [one.grad.tolist() for one in builder.leaves.values() if one.grad is not None] == [[2.0, 2.0, 2.0]]


def test_layout_is_what_was_asked_for() -> None:
    value = _builder().build(tensor(3, 2, strides=(1, 4), offset=5, grad=False))
    assert (value.stride(), value.storage_offset()) == ((1, 4), 5)


def test_strided_variant_leaves_room_around() -> None:
    value = _builder(inputs="strided").build(tensor(2, 3, grad=False))
    assert (value.shape, value.stride(), value.storage_offset()) == ((2, 3), (6, 2), 1)
    assert torch.equal(value, _builder().build(tensor(2, 3, grad=False)))


def test_subclass_variant_wraps_floating_tensors() -> None:
    builder = _builder(inputs="subclass")
    assert isinstance(builder.build(tensor(2)), TwoTensor)
    assert type(builder.build(tensor(2, dtype=torch.int64))) is torch.Tensor


def test_views_of_one_base_share_memory() -> None:
    base = tensor(4)
    builder = _builder()
    whole, rest = builder.build((base, view_of(base, lambda t: t[1:])))
    assert torch_internals.storage_key(whole) == torch_internals.storage_key(rest)
    assert rest.storage_offset() == 1
    assert torch_internals.view_base(rest) is whole


def test_one_spec_twice_is_one_tensor_twice() -> None:
    spec = tensor(2)
    first, second, other = _builder().build([spec, spec, tensor(2)])
    assert first is second
    assert first is not other


def test_two_builders_share_nothing_but_values() -> None:
    spec = tensor(3, grad=False)
    one, other = _builder().build(spec), _builder().build(spec)
    assert torch.equal(one, other)
    one.add_(1)
    assert not torch.equal(one, other)


def test_containers_are_kept() -> None:
    class Pair(NamedTuple):
        left: object
        right: object

    value = _builder().build({"a": [tensor(1), None, 3], "b": Pair(tensor(2), "text")})
    assert list(value) == ["a", "b"]
    assert value["a"][1:] == [None, 3]
    assert isinstance(value["b"], Pair)


def test_built_is_called_afresh_with_built_parts() -> None:
    spec = built(lambda part: [part], tensor(2))
    one, other = _builder().build(spec), _builder().build(spec)
    assert one is not other
    assert isinstance(one[0], torch.Tensor)


def test_values_replace_random_data() -> None:
    assert _builder().build(tensor(2, 2, values=((1, 2), (3, 4)), grad=False)).tolist() == [[1, 2], [3, 4]]


def test_seeds_give_other_data() -> None:
    spec = tensor(8, grad=False)
    one, other = (Builder(Variant(), seed=seed).build(spec) for seed in (0, 1))
    assert not torch.equal(one, other)


def test_upcast_builds_doubles_of_the_same_numbers() -> None:
    spec = tensor(3, grad=False)
    narrow, wide = _builder().build(spec), _builder(upcast=True).build(spec)
    assert wide.dtype == torch.float64
    assert torch.equal(narrow.double(), wide)


def test_variant_reads_what_it_writes() -> None:
    variant = Variant("no_grad", "dynamic", "strided")
    assert Variant.parse(str(variant)) == variant
    with pytest.raises(ValueError, match="'often' is none of static, dynamic"):
        Variant.parse("train-often-plain")


@pytest.mark.parametrize(("ranks", "between"), [(1, 1), (2, 0)])
def test_layer_in_the_middle_has_fewer_cells_by_default(ranks: int, between: int) -> None:
    scope = Scope(modes=("train", "no_grad"), shapes=("static", "dynamic"), ranks=ranks)
    counted = Counter(name for name, _ in scope.cells(DEFAULT, "default", by_default=True))
    assert counted == Counter({"aot_eager": 3, "aot_eager_decomp_partition": between, "inductor": 3})
    asked_for = Counter(name for name, _ in scope.cells(DEFAULT, "default", by_default=False))
    assert set(asked_for.values()) == {3}


@pytest.mark.parametrize(("first", "ran_in"), [("smoke", [1, 1, 1]), ("default", [0, 1, 1]), ("full", [0, 0, 1])])
def test_clause_runs_from_a_profile_on(first: str, ran_in: list[int]) -> None:
    scope = Scope(profile=first)
    assert [len(scope.cells(("aot_eager",), each, by_default=False)) for each in PROFILES] == ran_in


@pytest.mark.parametrize(
    ("scope", "between"),
    [
        (Scope(modes=("no_grad", "train")), "train"),
        (Scope(modes=("no_grad",)), None),
        (Scope(modes=("no_grad",), golden="aot_eager_decomp_partition"), "no_grad"),
    ],
)
def test_layer_in_the_middle_runs_where_it_has_something_of_its_own_to_do(scope: Scope, between: str | None) -> None:
    cells = scope.cells(DEFAULT, "default", by_default=True)
    assert [v.mode for name, v in cells if name == "aot_eager_decomp_partition"] == ([between] if between else [])


@pytest.mark.parametrize(
    ("profile", "by_default", "leaves_out"),
    [("default", True, {"aot_eager"}), ("default", False, set()), ("full", True, set())],
)
def test_clause_about_formulas_runs_by_default_where_there_are_any(
    profile: str, by_default: bool, leaves_out: set[str]
) -> None:
    scope = _scope("T1.1", modes="train", of_formulas=True)
    names = {name for name, _ in scope.cells(DEFAULT, profile, by_default=by_default)}
    assert names == {*DEFAULT} - leaves_out


@pytest.mark.parametrize(
    ("profile", "by_default", "on"),
    [("default", True, {"aot_eager"}), ("default", False, {*DEFAULT}), ("full", True, {*DEFAULT})],
)
def test_clause_says_where_it_runs_by_default(profile: str, by_default: bool, on: set[str]) -> None:
    scope = _scope("T1.1", modes="train", by_default_on=("aot_eager",))
    assert {name for name, _ in scope.cells(DEFAULT, profile, by_default=by_default)} == on


def test_clause_about_some_devices_has_cells_on_those_alone() -> None:
    scope = _scope("T1.1", devices="cuda")
    assert scope.cells(DEFAULT, "default", by_default=True, device="cuda") == Scope().cells(
        DEFAULT, "default", by_default=True
    )
    assert not scope.cells(DEFAULT, "full", by_default=True)
    with pytest.raises(ValueError, match="'tpu' is none of cpu, cuda"):
        _scope("T1.1", devices=("cpu", "tpu"))


def test_a_range_of_releases_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"torch='2\.13 or so' is no range of releases"):
        _scope("T1.1", torch="2.13 or so")


def test_a_package_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"needs='two words' is no package"):
        _scope("T1.1", needs="two words")


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        ("", None),
        ("pytest>=7", None),
        ("pytest<2", "and {} is installed; type: pip install 'pytest<2'"),
        ("no-such-package>=5", "which is not installed; type: pip install 'no-such-package>=5'"),
    ],
)
def test_package_that_is_not_here_is_named_with_what_to_type(needed: str, said: str | None) -> None:
    lacking = environment.missing_package(needed)
    assert lacking == (said and f"it needs {needed}, {said.format(pytest.__version__)}")


def _scope(*covers: str, **options: Any) -> Scope:
    return cast(Scope, clause(*covers, **options).args[0])


def test_mark_of_a_clause_takes_one_value_or_several() -> None:
    assert list(map(str, _scope("T1.1").variants("full"))) == ["no_grad-static-plain"]
    assert _scope("T1.1", modes="train", shapes=("dynamic",)) == _scope("T1.1", modes=("train",), shapes="dynamic")
    several = _scope(modes=("train", "no_grad"), inputs=("plain", "strided")).variants("smoke")
    assert list(map(str, several)) == ["train-static-plain"]


def test_mark_with_an_unknown_value_is_refused() -> None:
    with pytest.raises(ValueError, match="'trian' is none of"):
        clause("T1.1", modes="trian")
