"""Buffers of modules: state that a forward pass updates in place."""

import torch

from suites.harness import Check, built, clause, leaf, tensor


class _BatchNorm(torch.nn.Module):
    """Batch normalisation followed by something that is differentiated."""

    def __init__(self, training: bool) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.train(training)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x).sin()


@clause("T13", modes=("train", "no_grad"), shapes=("static", "dynamic"))
def test_batch_norm_in_training_updates_its_statistics(check: Check) -> None:
    """Running mean, running variance and the counter of batches move as in eager, over two calls."""
    result = check(built(lambda: _BatchNorm(training=True)), tensor(5, 3))
    result.mutated("module.norm.running_mean", "module.norm.running_var", "module.norm.num_batches_tracked")
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4, primals_5, primals_6):
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    _native_batch_norm_legit_functional = torch.ops.aten._native_batch_norm_legit_functional.default(
        primals_1, primals_5, primals_6, primals_3, primals_4, True, 0.1, 1e-05,
    )
    getitem = operator.getitem(_native_batch_norm_legit_functional, 0)
    getitem_1 = operator.getitem(_native_batch_norm_legit_functional, 1)
    getitem_2 = operator.getitem(_native_batch_norm_legit_functional, 2)
    getitem_3 = operator.getitem(_native_batch_norm_legit_functional, 3)
    getitem_4 = operator.getitem(_native_batch_norm_legit_functional, 4)
    sin = torch.ops.aten.sin.default(getitem)
    cos = torch.ops.aten.cos.default(getitem)
    copy_ = torch.ops.aten.copy_.default(primals_2, add)
    copy__1 = torch.ops.aten.copy_.default(primals_3, getitem_3)
    copy__2 = torch.ops.aten.copy_.default(primals_4, getitem_4)
    return (sin, primals_1, primals_5, getitem_1, getitem_2, getitem_3, getitem_4, cos)
""")


@clause("T13", modes=("train", "no_grad"))
def test_batch_norm_in_evaluation_leaves_its_statistics(check: Check) -> None:
    """In evaluation mode the statistics are read and not written: no `copy_` is in the graph."""
    result = check(built(lambda: _BatchNorm(training=False)), tensor(5, 3))
    result.unchanged("module.norm.running_mean", "module.norm.num_batches_tracked").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4, primals_5):
    _native_batch_norm_legit_no_training = torch.ops.aten._native_batch_norm_legit_no_training.default(
        primals_1, primals_4, primals_5, primals_2, primals_3, 0.1, 1e-05,
    )
    getitem = operator.getitem(_native_batch_norm_legit_no_training, 0)
    getitem_1 = operator.getitem(_native_batch_norm_legit_no_training, 1)
    getitem_2 = operator.getitem(_native_batch_norm_legit_no_training, 2)
    sin = torch.ops.aten.sin.default(getitem)
    cos = torch.ops.aten.cos.default(getitem)
    return (sin, primals_1, primals_2, primals_3, primals_4, getitem_1, getitem_2, cos)
""")


class _Counting(torch.nn.Module):
    """Counts its calls and scales by the count."""

    calls: torch.Tensor

    def __init__(self, device: str = "cpu") -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1)
        return x * self.calls


@clause("T13", modes=("train", "no_grad"))
def test_integer_buffer_counts_the_calls(check: Check) -> None:
    """A counter is raised once a call, and the call sees the raised value: one in the first, two in the second."""
    check(built(_Counting), tensor(3)).mutated("module.calls").gradient(0)


class _Average(torch.nn.Module):
    """Keeps a moving average of what it is given, in a buffer that is smaller than the input."""

    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean


@clause("T13", "T4.2", modes=("train", "no_grad"), shapes=("static", "dynamic"))
def test_moving_average_over_inputs_of_different_sizes(check: Check) -> None:
    """A buffer updated under no_grad goes on from its last value when the next input has another size."""
    result = check(built(_Average), calls=[(tensor(4, 3),), (tensor(6, 3),), (tensor(2, 3),)])
    result.mutated("module.mean").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, 0.9)
    mean = torch.ops.aten.mean.dim(primals_2, [0])
    add = torch.ops.aten.add.Tensor(mul, mean, alpha=0.1)
    sub = torch.ops.aten.sub.Tensor(primals_2, add)
    copy_ = torch.ops.aten.copy_.default(primals_1, add)
    return (sub,)
""")


class _Assigned(torch.nn.Module):
    """Replaces its buffer by a new tensor instead of changing it."""

    state: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.state = self.state + x.detach()
        return x * self.state


@clause("T13", modes=("train", "no_grad"))
def test_buffer_is_replaced_by_a_new_tensor(check: Check) -> None:
    """A buffer that is assigned holds the new tensor after the call, and the next call starts from it."""
    result = check(built(_Assigned), tensor(3))
    result.happened(
        result.value("module.state").tolist() != result.in_call(1).value("module.state").tolist(),
        "a buffer that moved on from call to call",
    )


class _Cache(torch.nn.Module):
    """Writes each input into the next row of a table."""

    table: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(4, 3))
        self.position = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.table[self.position] = x
        self.position += 1
        return self.table[: self.position].sum(0)


@clause("T13", shapes=("static", "dynamic"))
def test_rows_of_a_buffer_are_written_one_a_call(check: Check) -> None:
    """Each call writes the row after the last call's, and the Python position moves with it."""
    result = check(built(_Cache), calls=[(tensor(3),), (tensor(3),), (tensor(3),)])
    result.mutated("module.table")


class _Shared(torch.nn.Module):
    """Two submodules that hold one buffer."""

    def __init__(self, device: str) -> None:
        super().__init__()
        # Made where it runs: to move a module makes two of a buffer that is there twice.
        self.first, self.second = _Counting(device), _Counting(device)
        self.second.calls = self.first.calls

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.first(x) + 10 * self.second(x)


@clause("T13")
def test_buffer_shared_by_two_modules_is_one(check: Check) -> None:
    """A buffer that two submodules hold is changed by both, and stays one tensor."""
    result = check(built(_Shared, check.device), tensor(3))
    result.mutated("module.first.calls").same_object("module.second.calls", "module.first.calls")


class _Shadow(torch.nn.Module):
    """Follows its parameter with a slower copy of it."""

    shadow: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("shadow", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.shadow.lerp_(self.weight.detach(), 0.5)
        return x * self.weight + self.shadow


@clause("T13", "T4.1", modes=("train", "no_grad"))
def test_buffer_follows_a_detached_parameter(check: Check) -> None:
    """A buffer updated from a detached parameter takes no part in the gradient, in either call."""
    result = check(built(_Shadow), tensor(3))
    result.mutated("module.shadow").no_grad("module.shadow").gradient(0)


class _Accumulating(torch.nn.Module):
    """Adds its parameter to a buffer, with history."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total.add_(self.weight)
        return x + self.total


@clause("T13", "D9", modes=("train", "no_grad"))
def test_buffer_with_history_is_differentiated_in_each_of_two_calls(check: Check) -> None:
    """A buffer that a parameter is added to carries history from call to call, and each call's backward works."""
    result = check(built(_Accumulating), tensor(3))
    result.mutated("module.total").requires_grad("module.total").gradient(0)


class _Centred(torch.nn.Module):
    """Keeps its weight centred, in place."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(weight.detach().clone())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.weight.sub_(self.weight.mean())
        return x @ self.weight


@clause("T13", "T4.2", modes=("train", "no_grad"))
def test_parameter_is_changed_under_no_grad_by_its_own_forward(check: Check) -> None:
    """A parameter that forward changes under no_grad stays the same leaf, with the new data and a gradient."""
    result = check(built(_Centred, leaf(3, 2)), tensor(4, 3))
    result.mutated("module.weight").requires_grad("module.weight").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mean = torch.ops.aten.mean.default(primals_1)
    sub = torch.ops.aten.sub.Tensor(primals_1, mean)
    mm = torch.ops.aten.mm.default(primals_2, sub)
    t = torch.ops.aten.t.default(primals_2)
    t_1 = torch.ops.aten.t.default(sub)
    copy_ = torch.ops.aten.copy_.default(primals_1, sub)
    return (mm, t, t_1)
""")
