"""Changes between two sets of goldens are put together by cause."""

from __future__ import annotations

from golden.graphs.drift import ONLY_NEW, ONLY_OLD, ORDER, PRINTING, drift

BASE = """\
def forward(self, primals_1, primals_2):
    {first} = torch.ops.aten.{first}.default(primals_1)
    mul = torch.ops.aten.mul.Tensor({first}, 2)
    neg = torch.ops.aten.neg.default(primals_2)
    return (mul, neg)
"""


def text(first: str) -> str:
    return BASE.format(first=first)


def test_changes_are_clustered_by_cause() -> None:
    old = {f"g{n}": text(op) for n, op in enumerate(["sin", "cos", "exp", "tan", "abs", "log", "relu"])}
    lines = text("exp").splitlines(keepends=True)
    clone = "    clone = torch.ops.aten.clone.default(primals_1)\n"
    new = {
        "g0": text("sin")
        .replace("    sin", clone + "    sin")
        .replace("default(primals_1)\n    mul", "default(clone)\n    mul"),
        "g1": text("cos")
        .replace("    cos", clone + "    cos")
        .replace("default(primals_1)\n    mul", "default(clone)\n    mul"),
        "g2": "".join([lines[0], lines[3], *lines[1:3], lines[4]]),
        "g3": text("tan").replace("mul =", "m =").replace("(mul,", "(m,"),
        "g4": text("abs"),
        "g6": text("relu").replace("aten.relu.default(primals_1)", "aten.relu.default(primals_1, 1)"),
        "extra": text("sin"),
    }
    found = drift(old, new)
    clusters = {cluster.cause: cluster.goldens for cluster in found.clusters}
    assert clusters == {
        "an extra aten.clone": ("g0", "g1"),
        "the number of arguments of aten.relu": ("g6",),
        ORDER: ("g2",),
        PRINTING: ("g3",),
        ONLY_OLD: ("g5",),
        ONLY_NEW: ("extra",),
    }
    assert found.same == 1
    assert found.changed == ("extra", "g0", "g1", "g5", "g6")
    assert found.clusters[0].line() == "   2  an extra aten.clone: g0, g1"
    assert [cluster.meaning for cluster in found.clusters][-2:] == [False, False]


def test_a_decomposition_that_changed_is_one_cause() -> None:
    old = text("gelu")
    new = old.replace(
        "    gelu = torch.ops.aten.gelu.default(primals_1)\n",
        "    erf = torch.ops.aten.erf.default(primals_1)\n    gelu = torch.ops.aten.add.Tensor(erf, 1)\n",
    )
    (cluster,) = drift({"g": old}, {"g": new}).clusters
    assert cluster.cause == "aten.gelu became aten.erf, aten.add"


def test_nothing_changed() -> None:
    assert drift({"g": text("sin")}, {"g": text("sin")}).clusters == ()
