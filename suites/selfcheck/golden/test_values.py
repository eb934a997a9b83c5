"""The text of small values: what is written, what is read, and which differences count."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from golden.editing.edits import EditSink, plan, read_records, unreferenced
from golden.expectation import GraphChanged, Session, Values, use_session
from golden.graphs.compare import compare_texts
from golden.graphs.drift import EAGER, drift
from golden.values import Value, are_values, difference, text_of
from suites.selfcheck.golden import project

INF, NAN = math.inf, math.nan
TEXT = "out = float32[3] [1, nan, 0.3333]\n"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (Value("out", "float32", (3,), [1.0, -0.0, 1 / 3]), "out = float32[3] [1, -0, 0.3333]"),
        (
            Value("out[0]", "float64", (2, 2), [INF, -INF, NAN, 2e-38]),
            "out[0] = float64[2, 2] [[inf, -inf], [nan, 2e-38]]",
        ),
        (Value("out", "int64", (), [12345678901]), "out = int64[] 12345678901"),
        (Value("arg[0].a", "bool", (2,), [True, False]), "arg[0].a = bool[2] [True, False]"),
        (Value("out", "complex64", (2,), [1 + 2j, complex(NAN, -0.0)]), "out = complex64[2] [1+2j, nan-0j]"),
        (Value("out", "float32", (0, 3), []), "out = float32[0, 3] []"),
        (Value("out", "float32", (2, 0), []), "out = float32[2, 0] [[], []]"),
        (Value("out['k']", "str", None, "a = b\nc"), "out['k'] = str 'a = b\\nc'"),
        (Value("out", "NoneType", None, None), "out = NoneType"),
        (Value("out", "float", None, 0.1 + 0.2), "out = float 0.3"),
    ],
)
def test_value_is_a_line(value: Value, line: str) -> None:
    text = text_of([value])
    assert text == f"{line}\n"
    assert are_values(text)
    assert difference(text, text) == ""


def test_large_tensor_is_shown_by_its_ends() -> None:
    text = text_of([Value("out", "int64", (10, 10), list(range(100)))])
    assert text == "out = int64[10, 10] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..., 96, 97, 98, 99]\n"


def test_long_line_goes_on_below() -> None:
    text = text_of([Value("out", "float32", (6, 6), [1 / (7 + i) for i in range(36)]), Value("b", "int", None, 1)])
    lines = text.splitlines()
    assert max(map(len, lines)) <= 116
    assert [line.startswith("    ") for line in lines] == [False, *[True] * (len(lines) - 2), False]
    assert difference(text, text) == ""


def test_graph_is_no_text_of_values() -> None:
    assert not are_values(project.text_of(1))
    assert not are_values("def call(args):\n    buf0 = empty_strided((2, 3), (3, 1), float32)\n    return (buf0,)")
    assert not are_values("")


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ("out = float32[2] [0.3333, 2]", "out = float32[2] [0.3334, 2]"),
        ("out = float32[2] [1000, 0]", "out = float32[2] [1000, -4.1e-05]"),
        ("out = bfloat16[1] [1]", "out = bfloat16[1] [1.008]"),
        ("out = complex64[1] [1+2j]", "out = complex64[1] [1.0004+2j]"),
        ("out = float 0.3333", "out = float 0.3334"),
        ("out = float32[2] [1,\n    2]", "out = float32[2] [1, 2]"),
        ("out = float32[2] [nan, -inf]", "out = float32[2] [nan, -inf]"),
    ],
)
def test_last_digits_play_no_part(expected: str, seen: str) -> None:
    assert compare_texts(expected, seen).verdict == "same"


@pytest.mark.parametrize(
    ("expected", "seen", "told"),
    [
        ("out = float32[2] [0.3333, 2]", "out = float32[2] [0.335, 2]", "out has 0.335 where it had 0.3333"),
        ("out = float32[1] [0]", "out = float32[1] [-0]", "out has -0 where it had 0"),
        ("out = float32[1] [nan]", "out = float32[1] [0]", "out has 0 where it had nan"),
        ("out = float32[1] [inf]", "out = float32[1] [-inf]", "out has -inf where it had inf"),
        ("out = float32[1] [1]", "out = float64[1] [1]", "out is float64[1], it was float32[1]"),
        ("out = int64[1] [10000]", "out = int64[1] [10001]", "out has 10001 where it had 10000"),
        ("out = bool[1] [True]", "out = bool[1] [False]", "out has False where it had True"),
        ("out = str 'a'", "out = str 'b'", "out has 'b' where it had 'a'"),
        ("out = int 1", "out = int 1\narg[0] = int64[] 1", "arg[0] is new"),
        ("out[0] = int 1\nout[1] = int 1", "out[0] = int 1", "out[1] is gone"),
        ("a = int 1\nb = int 1", "b = int 1\na = int 1", "the values come in another order"),
        ("nonsense", "out = int 1", "is new"),
    ],
)
def test_difference_is_told(expected: str, seen: str, told: str) -> None:
    comparison = compare_texts(expected, seen)
    assert comparison.verdict == "changed"
    assert told in comparison.explanation or "nonsense is gone" in comparison.explanation


def test_strict_raises_and_drift_reports() -> None:
    other = TEXT.replace("nan", "0")
    with (
        use_session(Session("strict", "c[x]")),
        pytest.raises(GraphChanged, match="eager's values are changed: out has"),
    ):
        Values(TEXT).expect(other)
    with use_session(Session("drift", "c[x]")) as session:
        assert Values(TEXT).expect(other).verdict == "changed"
    assert [verdict.golden for verdict in session.verdicts] == ["c#values"]
    with use_session(Session("off", "c[x]")):
        assert Values(TEXT).expect(other).ok


def test_recorded_values_are_an_edit(tmp_path: Path) -> None:
    sink = EditSink(tmp_path)
    with use_session(Session("record", "c[x]", sink=sink)):
        Values(TEXT).expect("")
        Values(TEXT).expect("out = float32[3] [1, nan, 0.3334]")
    sink.outcome("c[x]", "pass")
    (edit,) = plan(read_records(tmp_path)).edits
    assert (edit.new, edit.category, edit.goldens) == (TEXT, "create", ("c#values",))


def test_drift_of_values_is_a_cause_of_its_own() -> None:
    (cluster,) = drift({"c#values": TEXT}, {"c#values": TEXT.replace("nan", "0")}).clusters
    assert (cluster.cause, cluster.meaning) == (EAGER, True)


def test_values_that_no_test_reaches_are_found(tmp_path: Path) -> None:
    path = tmp_path / "test_a.py"
    path.write_text(f'result.values().expect("""\\\n{TEXT}""")\nother.expect("a sentence")\n')
    (edit,) = unreferenced([path], [])
    assert edit.old == TEXT


TESTS = """from golden.expectation import Values


def test_values(graph):
    Values("out = float32[3] [1, nan, 0.3333]\\n").expect({literal})
"""


def test_regen_writes_values_and_leaves_last_digits_alone(tmp_path: Path) -> None:
    root = project.write(tmp_path / "p", {"test_a.py": TESTS.format(literal='""')})
    done = project.regen(root, "--accept", "--allow-dirty")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root / "test_a.py").read_text() == TESTS.format(literal=f'"""\\\n{TEXT}"""')
    (root / "test_a.py").write_text(TESTS.format(literal=repr(TEXT.replace("0.3333", "0.3334"))))
    assert project.regen(root, "--check").returncode == 0
    (root / "test_a.py").write_text(TESTS.format(literal=repr(TEXT.replace("0.3333", "0.5"))))
    assert project.regen(root, "--check").returncode == 1
