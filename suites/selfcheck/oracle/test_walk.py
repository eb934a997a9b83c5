"""What a walk makes of a value: entries by path, identity, and an end to cycles."""

from __future__ import annotations

import collections
import dataclasses
import enum
import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.multiprocessing.reductions import StorageWeakRef

from suites.harness.observation.walk import Entry, equal_values, walk
from suites.harness.torch_internals import TwoTensor

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value


@settings(deadline=None)
@given(PLAIN)
def test_equal_structures_have_equal_entries(value: Any) -> None:
    left, right = walk({"v": value}).entries, walk({"v": _copied(value)}).entries
    assert left.keys() == right.keys()
    for path, entry in left.items():
        if entry.kind == "value":
            assert equal_values(entry.detail, right[path].detail)
        else:
            assert entry == right[path]


@settings(deadline=None)
@given(PLAIN)
def test_a_walk_reaches_every_leaf(value: Any) -> None:
    def leaves(item: Any) -> int:
        if isinstance(item, (list, dict)):
            return sum(map(leaves, item.values() if isinstance(item, dict) else item))
        return 1

    assert sum(entry.kind == "value" for entry in walk({"v": value}).entries.values()) == leaves(value)


def test_cycles_end() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert walk({"v": loop}).entries["v[1]"] == Entry("same", "list", "v")


def test_one_object_twice_names_its_first_place() -> None:
    tensor = torch.ones(2)
    walked = walk({"arg": [tensor], "out": {"x": tensor}})
    assert walked.entries["out['x']"] == Entry("same", "Tensor", "arg[0]")
    assert list(walked.tensors) == ["arg[0]"]


def test_equal_objects_are_not_one() -> None:
    assert walk({"v": ([1], [1])}).entries["v[1]"].kind == "container"


def test_a_later_walk_knows_what_an_earlier_one_saw() -> None:
    tensor = torch.ones(2)
    walked = walk({"arg": tensor})
    walk({"out": tensor}, walked)
    assert walked.entries["out"].detail == "arg"


def test_dataclass_is_walked_by_attribute() -> None:
    @dataclasses.dataclass
    class State:
        cache: torch.Tensor
        step: int

    walked = walk({"v": State(torch.ones(1), 3)})
    assert list(walked.entries) == ["v", "v.cache", "v.step"]


def test_named_tuple_is_walked_by_field() -> None:
    class Pair(NamedTuple):
        left: int
        right: int

    assert list(walk({"v": Pair(1, 2)}).entries) == ["v", "v.left", "v.right"]


def test_slots_are_walked() -> None:
    class Slotted:
        __slots__ = ("unset", "value")

        def __init__(self) -> None:
            self.value = 1

    assert walk({"v": Slotted()}).entries["v.value"].detail == 1


def test_order_of_keys_counts() -> None:
    assert walk({"v": {"a": 1, "b": 2}}).entries["v"] != walk({"v": {"b": 2, "a": 1}}).entries["v"]


def test_default_factory_counts() -> None:
    factories: tuple[Any, ...] = (int, list, None)
    values = [collections.defaultdict(factory, a=1) for factory in factories]
    seen = [walk({"v": value}).entries["v.default_factory"] for value in values]
    assert seen == [Entry("opaque", "int"), Entry("opaque", "list"), Entry("value", "NoneType", None)]


def test_defaultdict_of_an_own_class_has_its_attributes() -> None:
    class Counts(collections.defaultdict[str, int]):
        unit = "words"

    counts = Counts(int)
    counts.unit = "lines"
    assert walk({"v": counts}).entries["v.unit"] == Entry("value", "str", "lines")


def test_each_object_among_keys_has_a_path_of_its_own() -> None:
    """An optimizer's state is by parameter, a registry by class or function."""
    one, other = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    moments = {one: torch.zeros(1), "a": torch.zeros(1), other: torch.ones(1), int: 1, len: 2, frozenset((1,)): 3}
    walked = walk({"v": moments})
    assert list(walked.tensors) == ["v[Parameter]", "v['a']", "v[Parameter#2]"]
    assert list(walked.entries)[4:] == ["v[type]", "v[builtin_function_or_method]", "v[frozenset]"]


def test_keys_that_are_tuples_are_told_by_what_is_in_them() -> None:
    objects = [object() for _ in range(3)]
    walked = walk({"v": {(1, "a"): 1, (objects[0], 2): 2, (objects[1], 2): 3, (objects[2],): 4, (): 5}})
    assert list(walked.entries)[1:] == ["v[(1, 'a')]", "v[(object, 2)]", "v[(object#2, 2)]", "v[(object#3,)]", "v[()]"]


def test_views_of_a_dict_are_what_is_in_them() -> None:
    held = {"a": torch.ones(1)}
    for view, path in ((held.values(), "v[0]"), (held.items(), "v[0][1]")):
        assert list(walk({"v": view}).tensors) == [path]
    assert walk({"v": held.keys()}).entries["v[0]"].detail == "a"
    assert list(walk({"v": collections.OrderedDict(held).values()}).tensors) == ["v[0]"]


def test_order_of_the_tensors_of_a_set_is_not_chance() -> None:
    numbers = [[2.0, 3.0], [2.0000002, 1.0], [float("nan"), 0.0], [1.0, 7.0]]
    orders = []
    for _ in range(8):
        walked = walk({"v": set(map(torch.tensor, numbers))})
        orders.append([tensor.tolist()[1] for tensor in walked.tensors.values()])
        numbers.append(numbers.pop(0))
    assert orders == [[7.0, 1.0, 3.0, 0.0]] * 8


def test_member_of_a_set_that_was_seen_before_is_that_one() -> None:
    tensor = torch.ones(2)
    walked = walk({"arg": tensor, "out": {tensor, 3}})
    assert walked.entries["out.<member 0>"] == Entry("same", "Tensor", "arg")


def test_iterator_of_an_argument_shows_how_far_it_is_and_is_left_there() -> None:
    def entry(iterator: Any, path: str = "v") -> Entry:
        return walk({"v": iterator}).entries[path]

    iterator = iter([1, 2, 3])
    next(iterator)
    assert entry(iterator) == entry(iterator) == Entry("container", "list_iterator", "2 left")
    assert entry(itertools.count(3)).detail == "count(3)"
    zipped = zip([1, 2], [3, 4], strict=True)
    next(zipped)
    assert entry(zipped, "v.<of>[1]").detail == "1 left"
    assert next(zipped) == (2, 4)


def test_container_types_are_told_apart() -> None:
    values: list[Any] = [(), [], {}, collections.OrderedDict(), collections.deque(), set(), frozenset()]
    entries = [walk({"v": value}).entries["v"] for value in values]
    assert len({(entry.type, entry.detail) for entry in entries}) == len(values)


def test_enumeration_is_its_name() -> None:
    class Colour(enum.Enum):
        RED = 1

    assert walk({"v": Colour.RED}).entries["v"].detail == "RED"


def test_module_is_its_parameters_buffers_and_attributes() -> None:
    module = torch.nn.BatchNorm1d(2)
    walked = walk({"m": module})
    assert {"m.weight", "m.running_mean", "m.num_batches_tracked"} <= set(walked.tensors)
    assert walked.entries["m.training"].detail is True
    assert not any("hook" in path for path in walked.entries)


def test_wrapper_subclass_has_inner_tensors() -> None:
    walked = walk({"v": TwoTensor(torch.ones(2), torch.zeros(2))})
    assert walked.inner == {"v.a", "v.b"}
    assert walked.entries["v"].type == "TwoTensor"


def test_array_is_walked_by_element() -> None:
    assert walk({"v": np.array([1, 2])}).entries["v.flat[1]"].detail == 2


def test_function_is_opaque() -> None:
    assert walk({"v": len}).entries["v"] == Entry("opaque", "len")


@settings(deadline=None)
@given(st.floats(), st.floats())
def test_equality_of_values_is_symmetric(left: float, right: float) -> None:
    assert equal_values(left, right) == equal_values(right, left)


def test_sign_of_zero_and_nan_count() -> None:
    assert not equal_values(0.0, -0.0)
    assert equal_values(float("nan"), float("nan"))
    assert equal_values(complex(1, float("nan")), complex(1, float("nan")))
    assert not equal_values(1.0, 1.0 + 1e-9)
    assert equal_values(1.0, 1.0 + 1e-9, 1e-5)
    assert not equal_values(0.0, -0.0, 1e-5)
    assert not equal_values(1e-5, 1e-6, 1e-5)
    assert not equal_values(0.0, 1e-9, 1e-5)
    assert not equal_values(math.inf, 1.0, 1e-5)


def test_weak_reference_to_memory_is_opaque() -> None:
    """What it holds is an address, which is another one in every run."""
    entries = walk({"v": [StorageWeakRef(torch.zeros(3).untyped_storage()) for _ in range(2)]}).entries
    assert [entry.kind for path, entry in entries.items() if path != "v"] == ["opaque", "opaque"]
