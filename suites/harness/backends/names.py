"""The backends that come with torch, by name, and which of them lie beneath which. Nothing here imports torch."""

from __future__ import annotations

from typing import Any

#: The backends that run when none is asked for.
DEFAULT = ("aot_eager", "aot_eager_decomp_partition", "inductor")
#: The layers of torch's own stack, from the program down. A candidate is bisected over these, then itself.
REFERENCE_BACKENDS = ("eager", "aot_eager", "aot_eager_decomp_partition")
#: Inductor and its named modes: the options that each adds.
INDUCTOR_MODES: dict[str, dict[str, Any] | None] = {
    "inductor": None,
    "inductor_cpp_wrapper": {"cpp_wrapper": True},
    "inductor_fx_wrapper": {"fx_wrapper": True},
}
#: Inductor with other settings: what Inductor does wrong, too, is no fault of the settings.
VARIANTS_OF_INDUCTOR = (*(name for name, options in INDUCTOR_MODES.items() if options), "inductor_cached")
#: Ways to compile that do not start at ``torch.compile``: modules of `entry_points`. Clauses name them.
ENTRY_POINTS: tuple[str, ...] = (
    "aot_inductor",
    "export",
    "export_joint",
    "functionalize",
    "functionalize_keeping_views",
    "inductor_cached",
    "make_fx",
    "make_fx_decomposed",
    "nnc",
    "without_dead_code",
    "without_functionalization",
    "standalone_compile",
    "standalone_compile_saved",
)
#: Backends that build no kernel, of their own or below them.
WITHOUT_KERNELS = (*REFERENCE_BACKENDS, "aot_function", "aot_function_keep_mutations")
#: What comes with torch and is known here.
BUILT_IN = (*WITHOUT_KERNELS, *INDUCTOR_MODES, *ENTRY_POINTS)
#: Of these, what every release of torch has.
ALWAYS_THERE = (*WITHOUT_KERNELS, "inductor")
#: Backends that torch registers besides, whose graphs torch itself executes: for debugging, mostly.
RUN_BY_TORCH = (
    "aot_eager_decomp_partition_crossref",
    "aot_eager_decomp_partition_with_mode",
    "aot_eager_default_partitioner",
    "aot_ts",
    "cudagraphs",
    "dynamo_accuracy_minifier_backend",
    "dynamo_minifier_backend",
    "eager_debug",
    "eager_noexcept",
    "invoke_subgraph",
    "non_leaf_compile_error_TESTING_ONLY",
    "pre_dispatch_eager",
    "relu_accuracy_error_TESTING_ONLY",
    "relu_compile_error_TESTING_ONLY",
    "relu_runtime_error_TESTING_ONLY",
    "ts",
)


def reference_backends(name: str) -> tuple[str, ...]:
    """The layers below a backend of that name that programs reach through torch.compile, topmost first."""
    if name in REFERENCE_BACKENDS:
        return REFERENCE_BACKENDS[: REFERENCE_BACKENDS.index(name)]
    of_inductor = name in VARIANTS_OF_INDUCTOR or (name.partition("?")[0] in INDUCTOR_MODES and name != "inductor")
    return (*REFERENCE_BACKENDS, "inductor") if of_inductor else REFERENCE_BACKENDS


def is_torchs_own(name: str) -> bool:
    """Whether a backend comes with torch and is known here: what it leaves in a process is torch's own, too."""
    return name.partition("?")[0] in BUILT_IN
