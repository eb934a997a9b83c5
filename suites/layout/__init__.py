"""Layout: how outputs and gradients lie in memory, and inputs and tangents of every layout.

Memory formats through whole operators (`test_memory_formats`) and through operators of operands that lie differently
(`test_operands`), images in two formats at once (`test_ambiguous_formats`), tensors made like another one
(`test_like`), reductions, indexing and sorting of inputs that are permuted in memory (`test_indexing`), offsets,
expanded and empty tensors and as_strided (`test_strided_views`), which elements kernels reach through views
(`test_views_in_kernels`), what lies around a tensor in its memory (`test_surroundings`), tangents of other layouts than
the outputs had, and the layout of gradients (`test_gradients`), also of images whose results lie otherwise
(`test_results_that_lie_otherwise`).
Strides of returned views and of simple pointwise outputs are in `suites.aliasing.test_output_strides`. `outside` holds
the eager code that clauses here and in other families put around a graph.

Not clauses, and why:

- A17, the strides of gradients at leaves: `AccumulateGrad` lays every gradient out as its leaf lies, so nothing shows
  there. What a compiled backward hands on is looked at on its way, by eager code around the graph.
- A17, the layout of a gradient that follows its tangent's: AOTAutograd lays every tangent out as the output lies, so
  that a pointwise gradient lies as the output did, where eager's lies as the tangent did.
- A17, whether the gradient of a sum is expanded or dense, and the layout of a sum of gradients: eager's own depends on
  the order in which its nodes run, and nobody can rely on it.
- layout.memory-formats, floor division and copysign of odd layouts: their values are families numerics' and operators';
  the layouts of pointwise operators are here.
"""
