"""What a caller can see of a call is observed: a candidate that does otherwise there is told apart."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from suites.harness import built, leaf, tensor
from suites.harness.observation.global_state import VARIABLE, GlobalState, draw_once, seed_everything
from suites.harness.observation.observe import CallOptions, observe
from suites.harness.observation.probes import probe_writes
from suites.harness.observation.walk import walk
from suites.harness.oracle.compare import compare
from suites.harness.oracle.facets.pair import Rules
from suites.harness.programs.clause_programs import ClauseProgram
from suites.mutation.test_storage_resize import without_memory


def _found(
    program: Callable[..., Any], candidate: Callable[..., Any], *specs: Any, calls: int = 1
) -> list[tuple[str, str, str]]:
    """How the candidate differs from the program; both are functions of the same arguments."""
    subjects = [ClauseProgram(function, (specs,) * calls) for function in (program, program, candidate)]
    expected, again, seen = (observe(subject, lambda run: run, CallOptions()) for subject in subjects)
    assert compare(expected, again, Rules(bitwise=True)).divergences == []
    found = compare(expected, seen, Rules(bitwise=True)).divergences
    return [(item.facet, item.kind, item.where) for item in found]


def _resized(memory: torch.Tensor, size: int) -> torch.Tensor:
    memory.untyped_storage().resize_(size)
    return memory


EMPTY = built(without_memory, tensor(4, grad=False))


def test_what_fills_memory_that_the_call_brings() -> None:
    def program(empty: torch.Tensor, full: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return _resized(empty, 16).copy_(full) + 1

    def candidate(empty: torch.Tensor, full: torch.Tensor) -> torch.Tensor:
        _resized(empty, 16).zero_()
        return full + 1

    specs = (EMPTY, tensor(4, grad=False))
    assert _found(program, candidate, *specs) == [("mutation", "mutated to another value", "arg[0]")]


def _with_backward(a: torch.Tensor, effect: Callable[[], object]) -> torch.Tensor:
    """Twice the tensor, and an effect of backward."""

    def hook(gradient: torch.Tensor) -> None:
        effect()

    doubled = a * 2
    doubled.register_hook(hook)
    return doubled


def test_memory_that_backward_brings_or_frees() -> None:
    def fills(a: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return _with_backward(a, lambda: _resized(memory, 16).fill_(1))

    def fills_with_another(a: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return _with_backward(a, lambda: _resized(memory, 16).fill_(2))

    def frees(a: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return _with_backward(a, lambda: _resized(memory, 0))

    def does_nothing(a: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return a * 2

    where, full = "arg[1] after backward", tensor(4, grad=False)
    assert _found(fills, does_nothing, leaf(4), EMPTY) == [("mutation", "mutation in backward lost", where)]
    assert _found(frees, does_nothing, leaf(4), full) == [("mutation", "mutation in backward lost", where)]
    assert _found(fills, fills_with_another, leaf(4), EMPTY) == [
        ("mutation", "mutated in backward to another value", where)
    ]


def test_how_much_memory_backward_brings_where_it_does_not_suffice() -> None:
    def program(a: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return _with_backward(a, lambda: _resized(memory, 8))

    def candidate(a: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return _with_backward(a, lambda: _resized(memory, 4))

    found = _found(program, candidate, leaf(4), EMPTY)
    assert found == [("mutation", "storage size differs", "arg[1] after backward")]


def _one(value: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"x": value}


def _list(value: torch.Tensor) -> list[torch.Tensor]:
    return [value]


IN_DICT, IN_LIST = built(_one, tensor(4, grad=False)), built(_list, tensor(4, grad=False))
TAKEN = "arg[0]['x'].<before>"


def test_what_is_written_to_a_tensor_that_is_then_taken_from_its_place() -> None:
    def program(d: dict[str, torch.Tensor]) -> None:
        d["x"].add_(1)
        d["x"] = d["x"] * 2

    def candidate(d: dict[str, torch.Tensor]) -> None:
        d["x"] = (d["x"] + 1) * 2

    assert _found(program, candidate, IN_DICT) == [("mutation", "mutation lost", TAKEN)]


def test_returned_tensor_is_the_one_that_was_in_the_list() -> None:
    def program(kept: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return kept.pop(0)

    def candidate(kept: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return kept.pop(0).clone()

    def apart(kept: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        kept.append(x)
        return kept.pop(0).detach()

    where = "arg[0][0].<before>"
    assert _found(program, candidate, IN_LIST, leaf(4)) == [("mutation", "identity lost", where)]
    assert _found(program, apart, IN_LIST, leaf(4)) == [("mutation", "identity lost", where)]
    assert ("alias", "aliasing lost", where) in _found(apart, candidate, IN_LIST, leaf(4))


def test_whether_a_tensor_is_written_to_or_another_put_in_its_place() -> None:
    def program(d: dict[str, torch.Tensor]) -> None:
        d["x"].add_(1)

    def candidate(d: dict[str, torch.Tensor]) -> None:
        d["x"] = d["x"] + 1

    where = "arg[0]['x']"
    assert _found(program, candidate, IN_DICT) == [("mutation", "identity lost", where)]
    assert _found(candidate, program, IN_DICT) == [("mutation", "identity invented", where)]


def test_another_container_is_one_difference_whatever_was_in_it() -> None:
    def program(d: dict[str, torch.Tensor]) -> None:
        del d["x"]

    def candidate(d: dict[str, torch.Tensor]) -> None:
        return None

    assert _found(program, candidate, IN_DICT) == [("mutation", "contents differ", "arg[0]")]


def test_history_of_what_is_taken_from_its_place_is_not_gone_through_again() -> None:
    """The state of a recurrence is taken from its place by each call, after the backward of the call before."""

    def program(a: torch.Tensor, state: list[torch.Tensor]) -> torch.Tensor:
        state[0] = a * state[0].detach()
        return state[0]

    shared: list[torch.Tensor] = [torch.ones(4)]

    def keeps_it(a: torch.Tensor) -> torch.Tensor:
        shared[0] = a * shared[0].detach()
        return shared[0]

    def keeps_another(a: torch.Tensor) -> torch.Tensor:
        shared[0] = a * shared[0].detach()
        return shared[0] * 1

    assert _found(program, program, leaf(4), IN_LIST) == []
    assert _found(keeps_it, keeps_it, leaf(4), calls=3) == []
    assert ("alias", "identity lost", "call 1: out") in _found(keeps_it, keeps_another, leaf(4), calls=3)


def _moments(value: torch.Tensor) -> dict[torch.Tensor, torch.Tensor]:
    another = (value.detach() * 2).requires_grad_(value.requires_grad)
    return {torch.ones(1): value, torch.ones(1): another}


def test_what_is_kept_by_an_object_that_is_not_the_last() -> None:
    def program(moments: dict[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        first, second = moments.values()
        return first.mul_(2) + second

    def candidate(moments: dict[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        first, second = moments.values()
        return first * 2 + second

    moments = built(_moments, tensor(4, grad=False))
    assert _found(program, candidate, moments) == [("mutation", "mutation lost", "arg[0][Tensor]")]


def test_gradients_of_leaves_that_objects_keep() -> None:
    def program(moments: dict[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        first, second = moments.values()
        return first * second

    def candidate(moments: dict[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        first, second = moments.values()
        return first.detach() * second

    found = _found(program, candidate, built(lambda: _moments(torch.ones(4, requires_grad=True))))
    assert found == [("autograd", "gradient lost", "gradient of arg[0][Tensor]")]


def test_what_is_in_a_returned_set_or_view() -> None:
    def members(x: torch.Tensor) -> set[torch.Tensor]:
        return {x * 2, x + 1}

    def other_members(x: torch.Tensor) -> set[torch.Tensor]:
        return {x * 2, x + 2}

    def values(x: torch.Tensor) -> Any:
        return {"a": x * 2}.values()

    def other_values(x: torch.Tensor) -> Any:
        return {"a": x * 3}.values()

    assert ("value", "value differs") in [found[:2] for found in _found(members, other_members, leaf(4))]
    assert ("value", "value differs", "out[0]") in _found(values, other_values, leaf(4))


def test_how_far_the_callers_iterator_is() -> None:
    def program(a: torch.Tensor, numbers: Any) -> torch.Tensor:
        return a * next(numbers)

    def candidate(a: torch.Tensor, numbers: Any) -> torch.Tensor:
        return a * 5

    found = _found(program, candidate, leaf(4), built(lambda: iter([5, 6])))
    assert found == [("mutation", "contents differ", "arg[1]")]


class _Counter:
    def __init__(self) -> None:
        self.count = 0

    def tick(self) -> None:
        self.count += 1


def test_variable_of_the_environment_may_be_any_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_ANOTHER_LANGUAGE", os.fsdecode(b"caf\xe9"))
    before = GlobalState.read()
    os.environ["OF_ANOTHER_LANGUAGE"] = os.fsdecode(b"caf\xe8")
    name = f"{VARIABLE}OF_ANOTHER_LANGUAGE"
    assert before.flags[name] != GlobalState.read().flags[name]
    before.restore()
    assert os.environb[b"OF_ANOTHER_LANGUAGE"] == b"caf\xe9"


def test_state_behind_functions_and_methods_that_are_closed_over() -> None:
    lines: list[int] = []
    tick = _Counter().tick

    def log(number: int) -> None:
        lines.append(number)

    def log_once_more(number: int) -> None:
        log(number)

    def program(a: torch.Tensor) -> torch.Tensor:
        log_once_more(1)
        tick()
        return a * 2

    def candidate(a: torch.Tensor) -> torch.Tensor:
        assert log_once_more is not None
        assert tick is not None
        return a * 2

    assert _found(program, candidate, leaf(4)) == [
        ("mutation", "contents differ", "closure log_once_more: closure log: closure lines"),
        ("mutation", "value differs", "closure tick.__self__.count"),
    ]


def test_state_behind_a_function_that_torch_has_wrapped() -> None:
    lines: list[int] = []

    @torch.compiler.disable
    def log(number: int) -> None:
        lines.append(number)

    def program(a: torch.Tensor) -> torch.Tensor:
        log(1)
        return a * 2

    def candidate(a: torch.Tensor) -> torch.Tensor:
        assert log is not None
        return a * 2

    ((facet, kind, where),) = _found(program, candidate, leaf(4))
    assert (facet, kind, where.rpartition(": ")[2]) == ("mutation", "contents differ", "closure lines")


def test_elements_of_long_containers_are_compared_to_the_last() -> None:
    makers: list[Callable[[int], Any]] = [
        lambda last: [*range(5000), last],
        lambda last: dict.fromkeys(range(5000)) | {5000: [last, "text"]},
        lambda last: np.array([*range(5000), last]),
        lambda last: {*range(5000), 5000 + last},
    ]
    for make in makers:
        found = _found(lambda a: (a + 1, make(0)), lambda a: (a + 1, make(1)), tensor(3))
        assert [(facet, where.partition("[")[0]) for facet, _, where in found] == [("structure", "out")], make(0)


def test_what_is_left_out_is_told() -> None:
    deep: list[Any] = []
    for _ in range(30):
        deep = [deep]

    def program(a: torch.Tensor) -> Any:
        return (number for number in range(5000)), deep, [object()] * 5000, [a + number for number in range(13)]

    subject = ClauseProgram(program, ((tensor(3),),))
    (call,) = observe(subject, lambda run: run, CallOptions()).calls
    told = [line.partition(": ")[2] or line for line in call.cut]
    assert told == [
        "nested deeper than 24, compared by type alone",
        "of what it yields the first 4095 were compared",
        "904 of 904 elements were compared by type alone",
        "12 of 14 tensors were written to, to see which others change",
    ]


def test_large_parameter_is_put_back_after_it_was_written_to() -> None:
    module = torch.nn.Linear(1, (1 << 22) + 1, bias=False)
    subject = ClauseProgram(lambda a: a + module.weight.detach().sum(), ((tensor(1),),) * 2)
    written = observe(subject, lambda run: run, CallOptions()).calls[1].tensors["out"].value
    left_alone = observe(subject, lambda run: run, CallOptions(probe=False)).calls[1].tensors["out"].value
    assert written is not None
    assert left_alone is not None
    assert torch.equal(written, left_alone)


def test_calls_draw_what_their_seed_has_them_draw() -> None:
    """What is set before a call, for a seed that is set anew to show, is in no number that is drawn."""

    def drawn() -> list[torch.Tensor]:
        ones = torch.ones(40)
        return [torch.rand(3), torch.randn(1), torch.randn(40), torch.randperm(5), torch.dropout(ones, 0.5, True)]

    seed_everything()
    expected = drawn()
    seed_everything()
    before = torch.get_rng_state()
    draw_once()
    assert torch.equal(torch.get_rng_state()[8:], before[8:])
    assert torch.initial_seed() != 0
    assert all(map(torch.equal, drawn(), expected))
    draw_once()
    seed_everything()
    assert torch.equal(torch.get_rng_state(), before)


def test_writes_are_seen_in_every_tensor_of_the_same_memory(tmp_path: Path) -> None:
    array = np.zeros(4, dtype=np.float32)
    (tmp_path / "memory").write_bytes(bytes(16))
    mapped = [torch.from_file(str(tmp_path / "memory"), shared=True, size=4) for _ in range(2)]
    tensors = {
        "all": torch.from_numpy(array),
        "end": torch.from_numpy(array[3:]),
        "begin": torch.from_numpy(array[:2]),
        "by itself": torch.zeros(4),
        "mapped": mapped[0],
        "mapped again": mapped[1],
    }
    effects, _ = probe_writes(walk(tensors))
    assert {path: set(changed) for path, changed in effects.items()} == {
        "all": {"all", "end", "begin"},
        "end": {"all", "end"},
        "begin": {"all", "begin"},
        "by itself": {"by itself"},
        "mapped": {"mapped", "mapped again"},
        "mapped again": {"mapped", "mapped again"},
    }
