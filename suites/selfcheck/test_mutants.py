"""Each mutant is caught by the oracle in the facet that it breaks; its honest twin never is."""

from __future__ import annotations

import dataclasses
import os
import signal

import pytest
import torch

from suites.harness.backends.registry import NoSuchBackend, resolve
from suites.harness.execution.runners import forked
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import in_process
from suites.selfcheck.examples import EXAMPLES, Example
from suites.selfcheck.mutants import HONEST, MUTANTS, PACKAGE
from suites.selfcheck.remembering import Memory, remembering


@dataclasses.dataclass(frozen=True)
class Case:
    """What a mutant does: seen on ``example`` as ``facet`` and ``kind``, and not at all on ``spares``."""

    example: str
    facet: str
    kind: str
    spares: str = ""


EXAMPLES_OF: dict[str, Case] = {
    "aliasing:clones_aliasing_outputs": Case("a view of an argument", "alias", "aliasing lost", "siblings"),
    "aliasing:clones_sibling_outputs": Case("siblings", "alias", "aliasing lost", "a view of an argument"),
    "aliasing:forgets_that_two_outputs_are_one": Case("one output twice", "alias", "identity lost", "two new tensors"),
    "aliasing:forgets_which_output_is_an_argument": Case(
        "an output that is an argument", "alias", "identity lost", "a view of an argument"
    ),
    "aliasing:loses_the_base": Case("a view of an argument", "alias", "base differs", "siblings"),
    "aliasing:packs_outputs_in_one_buffer": Case("two new tensors", "alias", "aliased by mistake", "siblings"),
    "aliasing:returns_one_buffer_for_equal_outputs": Case(
        "two equal tensors", "alias", "aliased by mistake", "two new tensors"
    ),
    "aliasing:returns_the_argument_for_its_copy": Case(
        "a copy of an argument", "alias", "aliased by mistake", "one new tensor"
    ),
    "aliasing:view_at_the_wrong_offset": Case(
        "a view of an argument", "alias", "storage offset differs", "one new tensor"
    ),
    "alone:clones_aliasing_outputs": Case("a view of an argument", "alias", "aliasing lost", "one new tensor"),
    "alone:detaches_outputs": Case("one new tensor", "autograd", "requires_grad differs", "no_grad"),
    "alone:drops_a_new_storage": Case("the storage of an argument", "alias", "aliasing lost", "mutation"),
    "alone:drops_the_copy_back": Case("mutation", "mutation", "mutation lost", "one new tensor"),
    "alone:drops_the_mutation_of_metadata": Case("metadata of an argument", "mutation", "shape differs", "mutation"),
    "alone:one_element_off": Case("one new tensor", "value", "value differs", "a view of an argument"),
    "autograd:assumes_dense_cotangents": Case("two leaves", "reuse", "gradient's value differs", "no_grad"),
    "autograd:detaches_outputs": Case("one new tensor", "autograd", "requires_grad differs", "no_grad"),
    "autograd:doubles_one_gradient": Case("two leaves", "autograd", "gradient's value differs", "no_grad"),
    "autograd:drops_gradients_that_are_zero": Case("a gradient of zero", "autograd", "gradient lost", "two leaves"),
    "autograd:loses_one_gradient": Case("two leaves", "autograd", "gradient lost", "no_grad"),
    "autograd:makes_detached_outputs_differentiable": Case(
        "a detached output", "autograd", "requires_grad differs", "one new tensor"
    ),
    "autograd:right_only_once": Case("backward twice", "autograd", "gradient's value differs", "two leaves"),
    "autograd:sparse_gradient": Case("two leaves", "autograd", "gradient's layout differs", "no_grad"),
    "autograd:wrong_under_no_grad": Case("no_grad", "autograd", "requires_grad differs", "two leaves"),
    "autograd:zero_instead_of_no_gradient": Case(
        "a leaf without a gradient", "autograd", "gradient invented", "two leaves"
    ),
    "backwards:draws_in_backward": Case("two leaves", "random", "after backward generator advanced", "no_grad"),
    "backwards:forgets_the_hooks_of_arguments": Case(
        "a hook on a leaf", "autograd", "gradient's value differs", "two leaves"
    ),
    "backwards:loses_what_backward_writes": Case(
        "a buffer that backward raises", "mutation", "mutation in backward lost", "two leaves"
    ),
    "backwards:scribbles_on_what_was_saved": Case(
        "two leaves", "mutation", "mutated in backward by mistake", "no_grad"
    ),
    "caching:keys_without_constants": Case("another number", "reuse", "value differs", "another dtype"),
    "caching:keys_without_inputs": Case(
        "gradients from the second call on", "reuse", "requires_grad differs", "another number"
    ),
    "captured:drops_the_mutation_of_sets_and_queues": Case("a set", "mutation", "contents differ", "a container"),
    "captured:exhausts_iterators": Case("an iterator", "structure", "contents differ", "a bool"),
    "captured:forgets_names_that_were_bound": Case("a name bound anew", "mutation", "value differs", "an attribute"),
    "captured:ignores_grad_modes_within": Case(
        "a part without gradients", "autograd", "gradient's value differs", "two leaves"
    ),
    "captured:numbers_for_bools": Case("a bool", "structure", "type differs", "another number"),
    "captured:tuples_for_named_tuples": Case("a named tuple", "structure", "type differs", "two new tensors"),
    "captured:undoes_attributes": Case("an attribute", "mutation", "contents differ", "a set"),
    "errors:exits_when_called": Case("one new tensor", "error", "raised SystemExit: no licence for this kernel"),
    "errors:interrupts_backward": Case("two leaves", "error", "raised KeyboardInterrupt", "no_grad"),
    "errors:interrupts_compilation": Case("one new tensor", "error", "raised KeyboardInterrupt"),
    "errors:forbids_writing_to_outputs": Case(
        "a view of an argument", "probe", "in-place op on an output raises", "siblings"
    ),
    "errors:refuses_expanded_arguments": Case("expanded", "error", "raised RuntimeError", "one new tensor"),
    "errors:says_something_else": Case("an error", "error", "another error", "one new tensor"),
    "errors:swallows_errors": Case("an error", "error", "missing error", "one new tensor"),
    "graphs:drops_assertions": Case("an assertion", "error", "missing error", "mutation"),
    "graphs:drops_operators_that_write": Case("an operator that writes", "mutation", "mutation lost", "mutation"),
    "graphs:loses_writes_through_views": Case("a write through a view", "value", "value differs", "mutation"),
    "layout:contiguous_strides": Case("a transposed copy", "layout", "strides differ", "one new tensor"),
    "layout:in_a_larger_buffer": Case("one new tensor", "alias", "storage offset differs", "a view of an argument"),
    "layout:lays_gradients_out_in_reverse": Case(
        "noted strides", "mutation", "contents differ after backward", "two leaves"
    ),
    "layout:reads_tangents_with_the_outputs_strides": Case(
        "a strided tangent", "autograd", "gradient's value differs", "two leaves"
    ),
    "layout:transposed_strides": Case("one new tensor", "layout", "strides differ", "two leaves"),
    "mutation:copies_back_to_the_wrong_argument": Case(
        "mutation without gradients", "mutation", "mutation lost", "two leaves"
    ),
    "mutation:drops_a_new_storage": Case("storage between graphs", "alias", "aliasing lost", "mutation"),
    "mutation:drops_the_copy_back": Case("mutation", "mutation", "mutation lost", "two leaves"),
    "mutation:drops_the_mutation_of_containers": Case("a container", "mutation", "contents differ", "mutation"),
    "mutation:drops_the_mutation_of_metadata": Case("metadata between graphs", "mutation", "shape differs", "mutation"),
    "mutation:drops_the_mutation_of_requires_grad": Case(
        "detaching an argument", "autograd", "requires_grad differs", "mutation"
    ),
    "mutation:hides_mutations_from_autograd": Case("an older use", "error", "missing error", "two leaves"),
    "mutation:mutates_twice": Case("mutation without gradients", "mutation", "mutated to another value", "randomness"),
    "mutation:mutates_what_is_only_read": Case("mutation without gradients", "mutation", "mutated by mistake"),
    "mutation:undoes_resizing": Case("resizing", "mutation", "storage size differs", "mutation"),
    "mutation:writes_outside_of_the_view": Case(
        "mutation of memory with gaps", "mutation", "storage outside of the view changed differently", "mutation"
    ),
    "reuse:ignores_guards_on_values": Case("another number", "reuse", "value differs", "another size"),
    "reuse:ignores_guards_on_tensors": Case("another alias pattern", "reuse", "mutated to another value", "mutation"),
    "reuse:divides_towards_zero": Case("a negative size divided", "reuse", "value differs", "sizes returned"),
    "reuse:ignores_guards_on_modes": Case("another grad mode", "reuse", "requires_grad differs", "another number"),
    "reuse:ignores_guards_on_sizes": Case("a branch on a size", "reuse", "value differs", "another number"),
    "reuse:repeats_the_first_sizes": Case("sizes returned", "reuse", "value differs", "a branch on a size"),
    "reuse:ignores_every_guard": Case("another size", "reuse", "value differs", "mutation"),
    "reuse:keeps_a_constant": Case("a constant", "reuse", "value differs", "one new tensor"),
    "reuse:mutates_only_in_the_first_call": Case("mutation", "reuse", "mutation lost", "one new tensor"),
    "reuse:repeats_the_first_result": Case("one new tensor", "reuse", "value differs", "a view of an argument"),
    "options:exchanges_branches_that_are_spread": Case(
        "one of two branches", "value", "value differs", "a number between bounds"
    ),
    "options:folds_products_with_one": Case("a whole number times one", "dtype", "dtype differs", "padding"),
    "options:forgets_factors_of_products": Case(
        "a product with factors", "value", "value differs", "a sum with a factor"
    ),
    "options:forgets_factors_of_sums": Case("a sum with a factor", "value", "value differs", "a product with factors"),
    "options:forgets_lower_bounds": Case("a number between bounds", "value", "value differs", "padding"),
    "options:forgets_the_correction": Case("a variance of all", "value", "value differs", "padding"),
    "options:pads_with_nought": Case("padding", "value", "value differs", "one new tensor"),
    "options:rounds_every_quotient_down": Case(
        "a quotient cut to a whole number", "value", "value differs", "a floored quotient"
    ),
    "options:writes_once_by_equal_indices": Case("numbers for one place", "value", "value differs", "padding"),
    "reuse:reuses_its_output_buffers": Case("one new tensor", "reuse", "earlier", "a view of an argument"),
    "state:changes_the_directory": Case("one new tensor", "state", "working directory left changed"),
    "state:deletes_environment_variables": Case("one new tensor", "state", "environment variable PATH left changed"),
    "state:does_not_advance_the_generator": Case("randomness", "random", "generator advanced", "mutation"),
    "state:draws_in_another_order": Case("randomness", "value", "value differs", "mutation"),
    "state:draws_too_often": Case("randomness", "random", "generator advanced", "mutation"),
    "state:leaks_autocast": Case("one new tensor", "state", "autocast cpu left changed"),
    "state:leaks_default_dtype": Case("one new tensor", "state", "default dtype left changed"),
    "state:leaks_deterministic_algorithms": Case("one new tensor", "state", "deterministic algorithms left changed"),
    "state:leaks_deterministic_algorithms_in_backward": Case(
        "two leaves", "state", "deterministic algorithms left changed by backward", "no_grad"
    ),
    "state:seeds_in_each_call": Case("one new tensor", "random", "torch cpu generator generator advanced differently"),
    "state:seeds_numpy": Case("one new tensor", "random", "numpy random generator advanced"),
    "state:seeds_when_compiling": Case("one new tensor", "random", "torch cpu generator left changed by"),
    "state:sets_the_default_dtype_when_compiling": Case(
        "one new tensor", "state", "default dtype left changed by compiling"
    ),
    "state:leaks_grad_mode": Case("one new tensor", "state", "grad mode left changed"),
    "structure:drops_none": Case("a tuple with None", "structure", "contents differ", "a number"),
    "structure:returns_another_container": Case("two new tensors", "structure", "type differs", "a dict"),
    "structure:reverses_dicts": Case("a dict", "structure", "contents differ", "two new tensors"),
    "structure:swaps_outputs": Case("two new tensors", "value", "value differs", "one new tensor"),
    "structure:unwraps_subclasses": Case("a subclass", "structure", "type differs", "one new tensor"),
    "structure:wrong_numbers": Case("a number", "structure", "value differs", "a tuple with None"),
    "subclasses:exchanges_the_sides": Case("a subclass", "value", "value differs", "one new tensor"),
    "subclasses:exchanges_two_gradients": Case(
        "a differentiable subclass", "autograd", "gradient's value differs", "no_grad"
    ),
    "subclasses:forgets_constant_metadata": Case("a tagged subclass", "structure", "value differs", "a subclass"),
    "subclasses:halves_a_nested_side": Case("a nested subclass", "value", "value differs", "a subclass"),
    "subclasses:moves_ragged_rows": Case("a jagged tensor", "value", "value differs", "a subclass"),
    "subclasses:writes_one_side_only": Case("a mutated subclass", "mutation", "mutation lost", "a subclass"),
    "traced:bakes_in_the_first_result": Case("one new tensor", "reuse", "value differs", "a view of an argument"),
    "traced:clones_aliasing_outputs": Case("a view of an argument", "alias", "aliasing lost", "one new tensor"),
    "traced:detaches_outputs": Case("one new tensor", "autograd", "requires_grad differs", "no_grad"),
    "traced:drops_every_node_without_a_reader": Case("mutation", "mutation", "mutation lost", "one new tensor"),
    "traced:drops_the_copy_back": Case("mutation", "mutation", "mutation lost", "one new tensor"),
    "traced:one_element_off": Case("one new tensor", "value", "value differs", "a view of an argument"),
    "traced:reverses_dicts": Case("a dict", "structure", "contents differ", "two new tensors"),
    "traced:swallows_errors": Case("an assertion", "error", "missing error", "one new tensor"),
    "numbers:cancels_what_looks_equal": Case("infinity times zero", "value", "value differs", "one new tensor"),
    "numbers:draws_once_for_equal_calls": Case("two equal draws", "random", "generator advanced", "one new tensor"),
    "numbers:drops_dead_draws": Case("a dead draw", "value", "value differs", "two equal draws"),
    "numbers:elides_low_precision": Case("a low-precision round trip", "value", "value differs", "one new tensor"),
    "numbers:finds_positions_in_memory": Case("a position", "value", "value differs", "one new tensor"),
    "numbers:long_integers_lose_their_upper_half": Case("a long integer", "value", "value differs", "one new tensor"),
    "numbers:multiplies_by_the_inverse": Case("a floored quotient", "value", "value differs", "one new tensor"),
    "numbers:nans_come_out_as_zero": Case("not a number", "value", "value differs", "one new tensor"),
    "numbers:takes_every_softmax_for_attentions": Case(
        "a softmax of columns", "value", "value differs", "one new tensor"
    ),
    "numbers:widens_before_it_counts": Case("a narrow integer", "value", "value differs", "a long integer"),
    "state:forgets_to_restore_after_an_exception": Case("an exception", "state", "", "one new tensor"),
    "state:undoes_what_the_program_sets": Case("a grad mode set for good", "state", "", "one new tensor"),
    "values:another_device": Case("without gradients", "device", "device differs", "a view of an argument"),
    "values:doubles_in_single_precision": Case("doubles", "value", "value differs", "one new tensor"),
    "values:half_precision_round_trip": Case("one new tensor", "value", "value differs", "an exact result"),
    "values:last_bit": Case("one new tensor", "value", "value differs", "a view of an argument"),
    "values:loses_the_sign_of_zero": Case("negative zero", "value", "value differs", "one new tensor"),
    "values:one_element_off": Case("one new tensor", "value", "value differs", "a view of an argument"),
    "values:other_width": Case("one new tensor", "dtype", "dtype differs", "a view of an argument"),
    "values:squeezed": Case("a dimension of one", "shape", "shape differs", "one new tensor"),
}

#: What differs in no facet, or in no process of ours; each has a test of its own below,
#: in ``oracle/test_ranks``, or is shown by the clauses that it is for.
#: What a graph keeps alive shows to operators within it alone: the clauses of boxed calls have some. Wrapped operators
#: and effects are those of the clauses of custom operators; what a call of one is handed is that of
#: ``fuzz/generators/schemas/test_mutants``.
ELSEWHERE = {
    "lowering:leaks_a_result_a_call",
    "lowering:leaves_out_asserts",
    "lowering:takes_any_mode_and_option",
    "graphs:keeps_every_intermediate",
    "operators:drops_effects",
    "operators:exchanges_effects",
    "operators:reinplaces_what_is_read_later",
    "operators:repeats_effects",
    "process:compiles_nothing",
    "process:exits",
    "process:hangs",
    "process:rank_one_dies",
    "process:rank_one_hangs",
    "process:segfaults",
    "ranks:exchanges_two_collectives",
    "ranks:is_a_micro_batch_behind",
    "ranks:keeps_the_first_parameters",
    "ranks:loses_a_wait",
    "ranks:returns_the_gradients_of_the_backward_before",
    "ranks:saves_in_the_same_memory",
    "ranks:wrong_on_rank_one",
    "reuse:compiles_every_call",
    "reuse:compiles_every_size",
    "schemas:copies_what_is_passed_twice",
    "schemas:forgets_optional_tensors",
    "schemas:reverses_lists",
    "schemas:spoils_second_results",
}

_memories: dict[str, Memory] = {}


def verdict_of(backend: str, example: str) -> Examination:
    """Examine an example on a backend, remembering what other mutants have had it run already."""
    subject = EXAMPLES[example].subject()
    runner = remembering(backend, in_process(subject), _memories.setdefault(example, {}))
    return examine(subject, resolve(backend), runner)


def test_every_mutant_has_an_example() -> None:
    assert set(MUTANTS) == set(EXAMPLES_OF) | ELSEWHERE


def test_every_mutant_says_what_it_does() -> None:
    assert all(mutant.about.endswith(".") and mutant.facets for mutant in MUTANTS.values())


@pytest.mark.parametrize("name", EXAMPLES_OF)
def test_mutant_is_caught_in_its_facet(name: str) -> None:
    caught, mutant = EXAMPLES_OF[name], MUTANTS[name]
    verdict = verdict_of(mutant.backend, caught.example)
    found = [(divergence.facet, divergence.kind) for divergence in verdict.divergences]
    assert verdict.outcome == "fail", f"{name} is not caught: {verdict.outcome} {verdict.detail}"
    assert any(facet == caught.facet and caught.kind in kind for facet, kind in found), found
    assert {divergence.layer for divergence in verdict.divergences} == {mutant.backend}


@pytest.mark.parametrize("name", [name for name, caught in EXAMPLES_OF.items() if caught.spares])
def test_mutant_leaves_other_programs_alone(name: str) -> None:
    verdict = verdict_of(MUTANTS[name].backend, EXAMPLES_OF[name].spares)
    assert verdict.outcome == "pass", verdict.detail


#: Dynamo refuses these; AOTAutograd alone stands in for the twin.
_REFUSED = {
    "metadata of an argument": "aot_function",
    "the storage of an argument": "aot_function_keep_mutations",
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_honest_twin_is_never_caught(example: str) -> None:
    subject = EXAMPLES[example].subject()
    backend = resolve(_REFUSED.get(example, HONEST))
    verdict = examine(subject, backend)
    assert verdict.outcome == "pass", verdict.detail
    assert verdict.facets["error"] == "same"


def _forked(name: str, seconds: float) -> Examination:
    subject = Example(lambda a: a + 1, EXAMPLES["without gradients"].calls).subject()
    backend = MUTANTS[name].backend
    runner = remembering(backend, forked(subject, seconds), _memories.setdefault("forked", {}))
    return examine(subject, resolve(backend), runner)


@pytest.mark.parametrize(("name", "how"), [("process:segfaults", "SIGSEGV"), ("process:exits", "exit status 3")])
def test_dying_process_is_a_crash(name: str, how: str) -> None:
    verdict = _forked(name, 60)
    assert (verdict.outcome, [d.kind for d in verdict.divergences]) == ("crash", [how])


def test_process_that_never_returns_is_a_timeout() -> None:
    verdict = _forked("process:hangs", 2)
    assert verdict.outcome == "timeout"
    assert not verdict.divergences[0].silent


def test_backend_that_compiles_nothing_is_vacuous() -> None:
    assert verdict_of(MUTANTS["process:compiles_nothing"].backend, "one new tensor").outcome == "vacuous"


def test_backend_that_supports_nothing_is_unsupported() -> None:
    verdict = verdict_of(f"{PACKAGE}.process:supports_nothing", "one new tensor")
    assert (verdict.outcome, "no kernel for this program" in verdict.detail) == ("unsupported", True)


def test_backend_that_fails_to_compile_is_loud() -> None:
    verdict = verdict_of(f"{PACKAGE}.process:fails_to_compile", "one new tensor")
    assert verdict.outcome == "fail"
    assert [(d.facet, d.silent) for d in verdict.divergences] == [("error", False)]


def test_module_that_does_not_import_is_one_line() -> None:
    with pytest.raises(NoSuchBackend, match=r"importing .* failed: OSError: libcompiler\.so"):
        resolve(f"{PACKAGE}.does_not_import:backend")


def test_compilation_on_every_call_is_counted() -> None:
    honest = verdict_of(HONEST, "one new tensor").counter.recompilations
    wasteful = verdict_of(MUTANTS["reuse:compiles_every_call"].backend, "one new tensor").counter.recompilations
    assert (honest, wasteful) == (0, 1)


def test_compilation_of_every_size_is_counted() -> None:
    honest = verdict_of(HONEST, "sizes returned").counter.recompilations
    wasteful = verdict_of(MUTANTS["reuse:compiles_every_size"].backend, "sizes returned").counter.recompilations
    assert (honest, wasteful) == (1, 2)


@pytest.mark.parametrize("name", ["state:changes_the_directory", "state:deletes_environment_variables"])
def test_what_a_backend_does_to_the_process_ends_with_its_run(name: str) -> None:
    before = os.getcwd(), dict(os.environ)
    verdict_of(MUTANTS[name].backend, "one new tensor")
    assert (os.getcwd(), dict(os.environ)) == before


def test_the_users_interrupt_is_not_taken_for_the_programs() -> None:
    def interrupted(a: torch.Tensor) -> torch.Tensor:
        signal.raise_signal(signal.SIGINT)
        return a

    subject = Example(interrupted, EXAMPLES["without gradients"].calls).subject()
    with pytest.raises(KeyboardInterrupt):
        examine(subject, resolve("eager"))
