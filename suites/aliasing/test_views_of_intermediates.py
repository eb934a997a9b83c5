"""Outputs that are views of a tensor made in the program: they share its memory, and autograd knows it."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_single_view_of_an_intermediate(check: Check) -> None:
    """One view of an intermediate, returned alone, has eager's shape, strides, offset and gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.exp()[1:]

    result = check(program, tensor(4))
    result.distinct("out", 0).shape("out", 3).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    slice_1 = torch.ops.aten.slice.Tensor(exp, 0, 1, 9223372036854775807)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (slice_1, detach_1)
""")


@clause("T7.2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_two_views_of_one_intermediate(check: Check) -> None:
    """Two views of one intermediate share memory: the graph returns their base, from which both are made again."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b.view(-1), b.t()

    result = check(program, tensor(2, 3))
    result.aliases("out[0]", "out[1]").distinct("out[0]", 0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    view = torch.ops.aten.view.default(exp, [-1])
    t = torch.ops.aten.t.default(exp)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (view, t, exp, detach_1)
""")


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_base_before_its_view(check: Check) -> None:
    """An intermediate returned with a view of it after: the view's base is the returned tensor itself."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b, b[1:]

    result = check(program, tensor(4))
    result.aliases("out[0]", "out[1]")
    result.happened(result.facts("out[1]").base == "out[0]", "the second being a view of the first")
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    slice_1 = torch.ops.aten.slice.Tensor(exp, 0, 1, 9223372036854775807)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (exp, slice_1, detach_1)
""")


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_view_before_its_base(check: Check) -> None:
    """An intermediate returned with a view of it before: the view's base is the returned tensor itself."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b[1:], b

    result = check(program, tensor(4))
    result.aliases("out[0]", "out[1]")
    result.happened(result.facts("out[0]").base == "out[1]", "the first being a view of the second")
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    slice_1 = torch.ops.aten.slice.Tensor(exp, 0, 1, 9223372036854775807)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (slice_1, exp, detach_1)
""")


@clause("T7.2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_views_of_several_intermediates(check: Check) -> None:
    """Views of two intermediates, interleaved, share memory in pairs: no view is regenerated from the wrong base."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b, c = a.exp(), a.sin()
        return b[:2], c[:2], b[2:], c.view(2, 2)

    result = check(program, tensor(4))
    result.aliases("out[0]", "out[2]").aliases("out[1]", "out[3]").distinct("out[0]", "out[1]")
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    sin = torch.ops.aten.sin.default(primals_1)
    slice_1 = torch.ops.aten.slice.Tensor(exp, 0, 0, 2)
    slice_2 = torch.ops.aten.slice.Tensor(sin, 0, 0, 2)
    slice_3 = torch.ops.aten.slice.Tensor(exp, 0, 2, 9223372036854775807)
    view = torch.ops.aten.view.default(sin, [2, 2])
    detach_1 = torch.ops.aten.detach.default(detach)
    return (slice_1, slice_2, slice_3, view, exp, sin, primals_1, detach_1)
""")


@clause("T7.2", "T7.10", modes=("train", "no_grad"), entry=ANY)
def test_view_returned_twice(check: Check) -> None:
    """One view of an intermediate returned twice is one object twice, not two views."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        view = a.exp().view(-1)
        return view, view

    result = check(program, tensor(2, 2)).same_object("out[1]", "out[0]")
    result.values().expect("""\
out[0] = float32[4] [1.987, 0.07207, 0.7874, 0.2511]
""")


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_equal_views_stay_two_objects(check: Check) -> None:
    """The same view taken twice is two tensors over one memory: they must not become one object."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b.view(-1), b.view(-1)

    result = check(program, tensor(2, 2))
    result.aliases("out[0]", "out[1]")
    result.happened(result.call.entries["out[1]"].kind == "tensor", "two tensor objects")


@clause("T7.2", "T7.10", modes=("train", "no_grad"), entry=ANY)
def test_view_of_the_whole_of_an_intermediate_beside_it(check: Check) -> None:
    """A view that shows all of an intermediate as it lies, handed out beside it, is an object of its own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a * 2
        return b, b[:]

    result = check(program, tensor(2, 2))
    result.aliases("out[0]", "out[1]")
    result.happened(result.call.entries["out[1]"].kind == "tensor", "two tensor objects")
    result.values("out[1]").expect("""\
out[1] = float32[2, 2] [[1.373, -5.26], [-0.478, -2.764]]
""")


@clause("T7.2", "T7.10", modes=("train", "no_grad"), entry=ANY)
def test_two_views_of_the_whole_of_an_intermediate(check: Check) -> None:
    """Two views, each of all of an intermediate that is not handed out itself, are two objects over one memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b.view_as(b), b[:]

    result = check(program, tensor(2, 2))
    result.aliases("out[0]", "out[1]")
    result.happened(result.call.entries["out[1]"].kind == "tensor", "two tensor objects")


@clause("T7.2", "T7.10", modes=("train", "no_grad"))
def test_views_that_change_nothing_beside_what_they_view(check: Check) -> None:
    """Views of every kind that leave shape and place as they are, beside their intermediate, are objects over it."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        b = a * 2
        return {
            "base": b,
            "transposed": b.transpose(1, 1),
            "permuted": b.permute(0, 1),
            "moved": b.movedim(0, 0),
            "expanded": b.expand(2, 3),
            "squeezed": b.squeeze(0),
            "shaped": b.view(2, 3),
            "unflattened": b.unflatten(0, (2,)),
            "narrowed": b.narrow(0, 0, 2),
            "there and back": b.t().t(),
            "selected": b.unsqueeze(0)[0],
            "by strides": b.as_strided((2, 3), (3, 1)),
        }

    result = check(program, tensor(2, 3))
    names = [name for name in result.call.entries if name.startswith("out[") and name != "out['base']"]
    result.happened(len(names) == 11, "eleven views")
    for name in names:
        result.aliases(name, "out['base']")
        result.happened(result.call.entries[name].kind == "tensor", "an object of its own")
    result.values("out['transposed']").expect("""\
out['transposed'] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
""")


@clause("T7.2", "T7.10", modes=("train", "no_grad"))
def test_view_that_changes_nothing_beside_another(check: Check) -> None:
    """A view of the size that an intermediate has, and another view, share memory, though neither is the base."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b, c, d = a * 2, a.exp(), a + 1
        return b.expand(2, 3), b[0], c.squeeze(0), c.t(), d.broadcast_to(2, 3), d.view(-1)

    result = check(program, tensor(2, 3))
    for place in (0, 2, 4):
        result.aliases(f"out[{place}]", f"out[{place + 1}]")
    result.values("out[0]", "out[2]", "out[4]").expect("""\
out[0] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
out[2] = float32[2, 3] [[1.987, 0.07207, 0.7874], [0.2511, 0.6338, 2.76]]
out[4] = float32[2, 3] [[1.686, -1.63, 0.761], [-0.382, 0.5439, 2.015]]
""")


@clause("T7.2", "T7.4", modes="no_grad")
def test_only_piece_of_an_intermediate_beside_a_view(check: Check) -> None:
    """The one piece that an intermediate is split into, and a view of the intermediate, share memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b, c = a * 2, a.exp()
        return b.split(2)[0], b[1], c.chunk(1)[0], c.t()

    result = check(program, tensor(2, 3)).aliases("out[0]", "out[1]").aliases("out[2]", "out[3]")
    result.values("out[0]", "out[2]").expect("""\
out[0] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
out[2] = float32[2, 3] [[1.987, 0.07207, 0.7874], [0.2511, 0.6338, 2.76]]
""")


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_view_of_an_intermediate_written_after_it_was_taken(check: Check) -> None:
    """A write to an intermediate after a view of it was taken shows in the returned view."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        view = b[1:]
        b.mul_(2)
        return view, b

    check(program, tensor(4)).aliases("out[0]", "out[1]").gradient(0)


@clause("T7.6", modes=("train", "no_grad"), entry=ANY)
def test_write_through_a_view_of_an_intermediate(check: Check) -> None:
    """A write through a view of an intermediate shows in the intermediate, and its gradient takes it into account."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        b[0].mul_(3)
        return b.t()

    result = check(program, tensor(2, 3))
    result.gradient(0).strides("out", 1, 3)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    select = torch.ops.aten.select.int(sin, 0, 0)
    mul = torch.ops.aten.mul.Tensor(select, 3)
    select_scatter = torch.ops.aten.select_scatter.default(sin, mul, 0, 0)
    t = torch.ops.aten.t.default(select_scatter)
    return (t, primals_1)
""")


@clause("T7.3", modes="train", entry=ANY)
def test_base_of_views_without_grad_is_not_returned(check: Check) -> None:
    """Views of an intermediate that needs no grad still share memory, and the graph has no output for their base."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        c = b.exp()
        return a * 2, c[:2], c[2:]

    result = check(program, tensor(4), tensor(4, grad=False))
    result.aliases("out[1]", "out[2]").no_grad("out[1]", "out[2]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    exp = torch.ops.aten.exp.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(primals_2, 2)
    slice_1 = torch.ops.aten.slice.Tensor(exp, 0, 0, 2)
    slice_2 = torch.ops.aten.slice.Tensor(exp, 0, 2, 9223372036854775807)
    return (mul, slice_1, slice_2)
""")


@clause("T7.3", modes="train", entry=ANY)
def test_view_of_an_intermediate_made_under_no_grad(check: Check) -> None:
    """A view of a differentiable intermediate taken under no_grad shares its memory and hands no gradient on."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        with torch.no_grad():
            view = b.view(-1)
        return b, view

    check(program, tensor(2, 2)).aliases("out[0]", "out[1]").requires_grad("out[0]").gradient(0)


@clause("T7.2", "T7.8", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_as_strided_view_of_an_intermediate(check: Check) -> None:
    """An as_strided view of an intermediate shares its memory at the size, strides and offset that were asked for."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b.as_strided((2, 2), (2, 1), 1), b

    result = check(program, tensor(6))
    result.aliases("out[0]", "out[1]").strides("out[0]", 2, 1)
    result.happened(result.facts("out[0]").offset == 1, "an offset of one element")


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_view_of_an_intermediate_with_another_dtype(check: Check) -> None:
    """Pairs of reals viewed as complex numbers share the memory of the reals returned beside them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return torch.view_as_complex(b), b

    check(program, tensor(3, 2)).aliases("out[0]", "out[1]").gradient(0)


@clause("T7.2", modes=("train", "no_grad"), entry=ANY)
def test_views_of_an_input_and_of_an_intermediate(check: Check) -> None:
    """With a mutated input, a view of it and two views of an intermediate, each output lies in the right memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        a.mul_(2)
        b = a + 1
        return a.view(-1), b.view(-1), b.t()

    result = check(program, tensor(2, 3))
    result.mutated(0).aliases("out[0]", 0).aliases("out[1]", "out[2]").distinct("out[1]", 0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    view = torch.ops.aten.view.default(add, [-1])
    t = torch.ops.aten.t.default(add)
    view_1 = torch.ops.aten.view.default(mul, [-1])
    return (mul, view_1, view, t, add)
""")


@clause("T7.2", modes=("train", "no_grad"))
def test_columns_of_an_intermediate_in_another_width(check: Check) -> None:
    """Columns of an intermediate, viewed as narrower numbers, share the memory of the intermediate returned beside."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a * 2
        return b[:, :2].view(torch.int16), b

    check(program, tensor(3, 4)).aliases("out[0]", "out[1]")


@clause("T7.2", modes=("train", "no_grad"))
def test_columns_of_an_intermediate_as_wider_numbers(check: Check) -> None:
    """Columns of an intermediate, viewed as wider numbers, share the memory of the intermediate returned beside."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a * 2
        return b[:, :2].view(torch.int64), b

    check(program, tensor(3, 4)).aliases("out[0]", "out[1]")


@clause("T7.2", modes=("train", "no_grad"))
def test_rows_of_an_intermediate_as_another_dtype(check: Check) -> None:
    """Rows of an intermediate, viewed as other numbers as wide or narrower, share its memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b, c = a * 2, a * 3
        return b[1:].view(torch.int32), b, c.view(torch.int16), c

    check(program, tensor(3, 4)).aliases("out[0]", "out[1]").aliases("out[2]", "out[3]")
