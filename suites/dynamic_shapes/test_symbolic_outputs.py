"""Sizes that leave the program: the caller gets Python numbers, of the call at hand, and they are no tangents."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T2.4", modes="train", shapes="dynamic", entry=ANY)
def test_returned_sizes_are_integers_of_the_call(check: Check) -> None:
    """A size returned is an `int`, the call's own, and takes no place among the gradients' tangents."""

    def program(a: torch.Tensor) -> tuple[int, torch.Tensor, int]:
        return a.size(0), a * a.size(1), a.numel()

    result = check(program, calls=[(tensor(3, 4),), (tensor(5, 2),), (tensor(2, 6),)])
    result.holds("out[0]", 3).holds("out[2]", 12).gradient(0)


@clause("T2.4", "A6", modes="train", shapes="dynamic")
def test_returned_sizes_are_no_tangents(check: Check) -> None:
    """Backward is handed the symbolic sizes that it needs, and one tangent: the tensor's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[int, torch.Tensor]:
        return a.size(0) + b.size(0), a.sum() * b.mean()

    result = check(program, calls=[(tensor(3), tensor(5)), (tensor(4), tensor(2))])
    result.holds("out[0]", 8).gradient(0, 1).recompiled(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4):
    add = operator.add(primals_1, primals_3)
    sum_1 = torch.ops.aten.sum.default(primals_2)
    mean = torch.ops.aten.mean.default(primals_4)
    mul = torch.ops.aten.mul.Tensor(sum_1, mean)
    return (add, mul, sum_1, mean, primals_1, primals_3)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_3, sum_1, mean, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, sum_1)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, mean)
    expand = torch.ops.aten.expand.default(mul, [primals_3])
    div = torch.ops.aten.div.Scalar(expand, primals_3)
    expand_1 = torch.ops.aten.expand.default(mul_1, [primals_1])
    return (None, expand_1, None, div)
""")


@clause("T2.4", shapes="dynamic")
def test_returned_shapes_keep_their_type(check: Check) -> None:
    """`torch.Size`, a stride and a slice of a shape come back as the types that eager returns, filled with ints."""

    def program(a: torch.Tensor) -> tuple[torch.Size, tuple[int, ...], torch.Size, torch.Tensor]:
        return a.shape, a.t().stride(), a.unsqueeze(0).shape[:2], a + 1

    result = check(program, calls=[(tensor(3, 4),), (tensor(5, 2),)])
    result.happened(result.call.entries["out[0]"].type == "Size", "a Size")
    result.happened(result.call.entries["out[1][1]"].detail == 4, "a stride")


@clause("T2.4", shapes="dynamic")
def test_shape_of_a_result_is_returned(check: Check) -> None:
    """The shape of something computed, an expression of the input's sizes, is that of the call at hand."""

    def program(a: torch.Tensor) -> dict[str, object]:
        pooled = torch.nn.functional.avg_pool1d(a, 3, stride=2)
        return {"length": pooled.shape[-1], "doubled": torch.cat([a, a], -1).shape, "pooled": pooled}

    result = check(program, calls=[(tensor(1, 2, 9),), (tensor(1, 2, 14),), (tensor(3, 2, 7),)])
    result.holds("out['length']", 4)


@clause("T2.4", "numbers.promotion", shapes="dynamic", on=("aot_eager_decomp_partition",))
def test_dtypes_told_of_results(check: Check) -> None:
    """Of tensors of two dtypes, and of one, the program is told the dtype of each result."""

    def program(a: torch.Tensor, whole: torch.Tensor, low: torch.Tensor, true: torch.Tensor) -> dict[str, object]:
        a, low = a.abs() + 1, low.abs() + 1
        pairs = [(a, whole), (whole, a), (whole, whole), (low, a), (low, whole), (true, whole), (a, low.sum())]
        results = [whole - a, whole // whole, whole % a, a > whole, torch.where(true, low, whole), low * 2, low**2]
        results += [torch.cat([whole, low]), torch.maximum(whole, a), whole.sqrt(), whole.cumsum(0), true.sum()]
        for left, right in pairs:
            results += [left + right, left * right, left / right, torch.pow(left, right)]
        return {
            "told": [result.dtype for result in results],
            "whole": [result.long() for result in results],
            "float": [result.to(torch.float32) for result in results],
        }

    calls = []
    for size in (3, 5):
        whole, low = tensor(size, dtype=torch.int64, values=range(1, size + 1)), tensor(size, dtype=torch.bfloat16)
        calls.append((tensor(size), whole, low, tensor(size, dtype=torch.bool)))
    check(program, calls=calls).holds("out['told'][0]", torch.float32)


@clause("T2.4", shapes=("dynamic", "static"), on=("aot_eager_decomp_partition",))
def test_sizes_told_of_reductions(check: Check) -> None:
    """Of reductions of one dimension, several or all, kept or not, the program is told the sizes that they have."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[list[torch.Size]]]:
        pairs = (torch.max, torch.min, torch.median, torch.mode)
        found: list[torch.Tensor] = []
        for kept in (False, True):
            for dim in (0, -1):
                found += [place(a, dim, keepdim=kept) for place in (torch.argmax, torch.argmin)]
                found += [each for pair in pairs for each in pair(a, dim, keepdim=kept)]
                found += [*torch.kthvalue(a, 2, dim, keepdim=kept), *torch.aminmax(a, dim=dim, keepdim=kept)]
                found += [torch.logsumexp(a, dim, keepdim=kept), a.prod(dim, keepdim=kept)]
                found += [a.nanmedian(dim, keepdim=kept)[1], *a.topk(2, dim)]
            for dims in ((0, 2), (-1, 1), (0, 1, 2)):
                found += [a.sum(dims, keepdim=kept), a.mean(dims, keepdim=kept), a.amax(dims, keepdim=kept)]
                found += [*torch.var_mean(a, dims, keepdim=kept), torch.linalg.vector_norm(a, 3, dims, keepdim=kept)]
                found += [a.any(dims, keepdim=kept), a.std(dims, keepdim=kept), a.nansum(dims, keepdim=kept)]
            found += [torch.argmax(a, None, keepdim=kept), torch.linalg.vector_norm(a, keepdim=kept)]
        found += [a.count_nonzero((0, 2)), a.argmax(), a.max(), a.sum()]
        return torch.stack([each.sum() for each in found]), [[each.shape for each in found]]

    check(program, calls=[(tensor(3, 4, 2),), (tensor(2, 3, 5),)]).shape("out[0]", 138).computed()


@clause("T2.4", shapes="dynamic")
def test_floats_and_bools_of_sizes_are_returned(check: Check) -> None:
    """A quotient of sizes is returned as a `float`, a comparison as a `bool`, a text of a size as its digits."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, float, bool, str]:
        n = a.size(0)
        return a * 2, n / 4, n > 4, f"{n} rows"

    result = check(program, calls=[(tensor(3),), (tensor(6),), (tensor(5),)])
    result.holds("out[1]", 0.75).holds("out[2]", False).holds("out[3]", "3 rows")


@clause("T2.4", shapes="dynamic")
def test_sizes_as_keys_and_lengths_of_containers(check: Check) -> None:
    """A dict keyed by sizes and a list as long as a size are the call's own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, dict[int, str], list[int]]:
        rows, columns = a.shape
        return a + 1, {rows: "rows", columns: "columns"}, [number * columns for number in range(rows)]

    result = check(program, calls=[(tensor(2, 3),), (tensor(4, 2),)])
    result.holds("out[1]", {2: "rows", 3: "columns"}).holds("out[2]", [0, 3])


@clause("T2.4", "T3.1", shapes="dynamic")
def test_sizes_are_stored_where_the_program_puts_them(check: Check) -> None:
    """Sizes written into a list of the caller's are ints of the call at hand."""

    def program(a: torch.Tensor, seen: list[int]) -> torch.Tensor:
        seen.append(a.size(0) * 10)
        seen[0] = a.size(1)
        return a * len(seen)

    result = check(program, calls=[(tensor(3, 4), [0]), (tensor(5, 2), [0]), (tensor(2, 6), [0, 1])])
    result.holds(1, [4, 30])


@clause("T2.4", modes="train", shapes="dynamic", fullgraph=False)
def test_sizes_across_a_graph_break(check: Check) -> None:
    """A size computed before a graph break, and the tensor shaped by it, are the call's own after the break."""

    def program(a: torch.Tensor) -> torch.Tensor:
        half = (a.size(0) + 1) // 2
        head = a[:half] * half
        torch._dynamo.graph_break()
        return torch.cat([head, a[half:]]).view(-1, 2).sum(1) * half

    result = check(program, calls=[(tensor(6),), (tensor(8),), (tensor(4),), (tensor(5),)])
    result.gradient(0).shape("out", 3)
    result.in_call(3).raised()


@clause("T2.4", "numbers.promotion", shapes="dynamic")
def test_tensors_of_sizes_and_fractions(check: Check) -> None:
    """A tensor made of sizes is of whole numbers; made of a fraction before or after them, of fractions."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows, columns = a.shape
        return (
            torch.tensor([1.5, rows], device=a.device),
            torch.tensor([columns, 0.25, rows], device=a.device),
            torch.tensor([[rows, 2], [columns, rows * 2]], device=a.device),
            torch.tensor([True, rows], device=a.device),
            torch.tensor(columns, device=a.device) + a,
        )

    result = check(program, calls=[(tensor(3, 4),), (tensor(5, 2),), (tensor(2, 6),)])
    result.computed().happened(result.facts("out[0]").dtype == "float32", "a fraction")
