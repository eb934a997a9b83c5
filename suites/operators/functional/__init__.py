"""Options: what ordinary operators do when they are not called by their defaults, at the edges of each option.

Losses of classes (`test_losses_of_classes`) and of numbers (`test_losses_of_numbers`), activations
(`test_activations`), normalisations (`test_normalisations`), embeddings (`test_embeddings`), pooling (`test_pooling`),
convolutions (`test_convolutions`), padding and windows (`test_windows`), resampling (`test_sampling`), attention,
softmax and dropout (`test_attention`), attention with functions of its scores (`test_flexible_attention`), elementwise
operators (`test_elementwise`), whole numbers and booleans (`test_whole_numbers`), reductions, norms and distances
(`test_reductions`), products (`test_products`), order and membership (`test_orders`), factors and solutions of matrices
(`test_linear_algebra`), Fourier transforms (`test_fourier`), joining, repeating and turning (`test_pieces`), tensors
made of numbers (`test_ranges`), numbers as arguments and factors (`test_numbers_as_arguments`), writes and reads by
index (`test_scatters`, `test_indices`), methods that write in place (`test_in_place`), many tensors in one call
(`test_lists`), few bits (`test_quantisation`), what Inductor takes apart in a way of its own (`test_taken_apart`), and
functions by their less usual names (`test_second_names`).

A program calls one function in several ways and returns a dictionary: its key names the way, its value is a case. So a
clause costs one compilation, and a difference names the case. Most inputs require grad: cotangents differ by case, so a
gradient that is wrong in one of them is not made up for by another. A case that is known to differ has a program of its
own. Where a kernel and a decomposition add up in another order, numbers are such that no order rounds.

Not clauses, and why:

- ``ctc_loss``, ``linalg.lstsq``, and batch normalisation without a momentum: Dynamo has no graph of them.
- ``dropout`` with a probability of one: what it draws is said in ``fuzz/frozen``.
"""
