"""Models: steps of training of small networks as they are written in practice, and what they leave behind.

Every other family states one thing a clause. Here the parts meet: feedforward, convolutional and recurrent networks,
mixtures, graphs, scans and noise (`test_networks`), transformers in training and in generation (`test_transformers`),
optimizers in the compiled program and beside it (`test_optimizers`; their settings between steps, and steps within
backward, in `test_settings_of_optimizers`), and what training loops add: accumulation, clipping, schedules,
checkpoints, averages, parametrizations, mixed precision (`test_recipes`; scaled losses, and where autocast is entered,
are in `test_mixed_precision`). Torch's own layers are in `test_recurrent` and `test_attention_layers`, small ones by
their options in `test_layers`, those without sizes in `test_lazy_modules`, what larger networks are made of in
`test_pieces`, the distributions that they end in in `test_distributions` (many of them in the full profile). What
happens to a module after it was compiled is in `test_compiled_modules`, what training code changes of it in
`test_changed_in_training`, and of its parametrizations in `test_parametrized`. `training` makes the steps. Where
transformers is installed, networks of Hugging Face's train and generate, too (`test_hugging_face`, of `hugging_face`;
in the full profile).

A clause compares losses, parameters, buffers, gradients and the state of the generator after them. Networks are as
small as they can be, and each has what its kind is known for: a program that leaves a part out trains to other numbers.
"""
