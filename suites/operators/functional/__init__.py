"""Options: what ordinary operators do when they are not called by their defaults, at the edges of each option.

Losses of classes (`test_losses_of_classes`) and of numbers (`test_losses_of_numbers`), activations
(`test_activations`), normalisations (`test_normalisations`, `test_lengths_of_vectors`), embeddings (`test_embeddings`),
pooling (`test_pooling`, `test_average_pooling`, `test_pooled_shapes`), convolutions (`test_convolutions`), padding and
windows (`test_windows`), images of another size (`test_images_of_another_size`) and sampled at points
(`test_sampling`), attention, softmax and dropout (`test_attention`), attention with functions of its scores
(`test_flexible_attention`), elementwise operators (`test_elementwise`, `test_between_two_numbers`,
`test_powers_and_special_functions`), whole numbers and booleans (`test_whole_numbers`), reductions (`test_reductions`,
`test_variances_and_extremes`, `test_norms_and_distances`), products (`test_products`), order and membership
(`test_orders`), factors and solutions of matrices (`test_linear_algebra`), Fourier transforms (`test_fourier`), joining
and repeating (`test_pieces_put_together`), turning and taking apart (`test_pieces`), tensors made of numbers
(`test_ranges`), numbers as arguments and factors (`test_numbers_as_arguments`, `test_ends_of_arguments`), writes and
reads by index (`test_scatters`, `test_indices`, `test_one_place_and_none`) and into parts (`test_writes_into_parts`),
methods that write in place (`test_in_place`), many tensors in one call (`test_lists`, `test_lists_in_training`), few
bits (`test_quantisation`), what Inductor takes apart in a way of its own (`test_taken_apart`), functions by their less
usual names (`test_second_names`), and what a program is told of results before they are there (`test_told_results`,
`test_told_dtypes`, `test_told_of_images`, `test_told_of_matrices`, `test_told_of_each`).

A program calls one function in several ways and returns a dictionary: its key names the way, its value is a case. So a
clause costs one compilation, and a difference names the case. Most inputs require grad: cotangents differ by case, so a
gradient that is wrong in one of them is not made up for by another. A case that is known to differ has a program of its
own. Where a kernel and a decomposition add up in another order, numbers are such that no order rounds.

Not clauses, and why:

- ``ctc_loss``, ``linalg.lstsq``, and batch normalisation without a momentum: Dynamo has no graph of them.
- ``dropout`` with a probability of one: what it draws is said in ``fuzz/frozen``.
"""
