"""Lowering: what Inductor does with memory, order and code must not change what the program means.

Memory (`test_memory_planning`, `test_buffer_reuse`, `test_peak_memory`), operators in one kernel (`test_fusion`), loops
over rows and columns (`test_rows_and_columns`), options of operators in patterns that become another operator
(`test_options_in_patterns`), functions, views and parts of what is joined (`test_joined_pieces`), layers of few bits
(`test_quantised_numbers`, `test_frozen_quantisation`), asserts that Inductor can put into its code (`test_asserts`),
the wrappers around its kernels (`test_cpp_wrapper`, `test_fx_wrapper`), whole programs that leave the process
(`test_aot_inductor`, `test_standalone_compile`), weights folded into the code (`test_freezing`,
`test_frozen_convolutions`), candidates for products (`test_autotuned_products`), graphs cut in parts
(`test_graph_partition`), kernels of several threads (`test_threads`), rewrites that a setting asks for
(`test_optional_passes`, `test_batched_operators`, `test_norms_in_weights`), the settings that choose between equivalent
code (`test_settings`) and torch.compile's own modes and options (`test_modes`). The custom operators that Inductor
falls back to are in `operators`, modules that are frozen in `frozen`, quantised numbers in `quantised`.

Not clauses, and why:

- T16.1, how many parts a graph is cut into: on CPU none is ever cut off, since only what a CUDA graph can hold is.
- T16.5, T16.9, T16.14 and what T16.8 and T16.13 say of Triton kernels: nothing of it runs without a GPU.
- T16.3, the lifetime tracker with buffers reused or written in place: it counts a buffer that lives on under another
  name as alive, by design, and raises; it is defined without reuse only.
- T16.10, delayed code generation of a fallback's arguments: it has no other sign than the code; values are compared.
"""
