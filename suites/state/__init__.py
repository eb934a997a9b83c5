"""The state of the caller's process: a call leaves every global mode and flag as eager leaves it, also when it raises.

What a program changes for good has to arrive, what it changes for a while has to be undone, and what it reads has to be
what holds at this call: autograd's modes (`test_grad_modes`), autocast (`test_autocast`), the process's settings
(`test_settings`) and the stacks of dispatch and function modes (`test_mode_stacks`).

Every clause of every family compares these flags after each call; here they are what the program is about.

Not clauses, and why:

- Warnings, and the options of printing: a compiled program warns while it is traced, or not at all; what tensors look
  like when printed is nobody's contract.
- The number of threads, set inside a program: a process may have it set before its first parallel region only.
"""
