"""A golden's literal is found by its syntax-tree node, however it reached ``expect``."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from golden.editing import locate
from golden.editing.locate import NotFound, Place, normalised, placed
from golden.expectation import Session, Visit, expect_text, use_session

PREAMBLE = "from suites.selfcheck.golden.test_locate import graph, placed\n"


class Graph:
    """What the example modules compare: every text differs from every golden."""

    def expect(self, literal: str) -> Any:
        return expect_text("forward", "def forward(self):\n    return ()\n", literal, depth=2)


graph = Graph()


class Sink:
    def __init__(self) -> None:
        self.visits: list[Visit] = []

    def visit(self, visit: Visit) -> None:
        self.visits.append(visit)


@pytest.fixture(params=["positions", "no-positions"])
def positions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Python 3.10 has no positions of instructions: statements are all that can be told apart."""
    if request.param == "no-positions":
        monkeypatch.setattr(locate, "_running_span", lambda code, instruction: None)
    elif sys.version_info < (3, 11):
        pytest.skip("this Python does not tell positions")
    return str(request.param)


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[Any]:
    """Make modules from sources below one root."""
    made = []

    def make(name: str, source: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(PREAMBLE + textwrap.dedent(source))
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        made.append(name)
        spec.loader.exec_module(module)
        return module

    yield make
    for name in made:
        del sys.modules[name]


def recorded(call: Any, root: Path, **indices: int) -> list[Visit]:
    sink = Sink()
    with use_session(Session("record", "cell", sink=sink, root=root, param_indices=indices)):
        call()
    return sink.visits


def marker(place: Place | None) -> str:
    """The comment behind a literal, to see that it is the right one."""
    assert place is not None
    lines = Path(place.file).read_bytes().split(b"\n")
    return lines[place.span[2] - 1][place.span[3] :].split(b"#")[-1].decode().strip()


@pytest.mark.usefixtures("positions")
def test_a_literal_at_the_call(modules: Any, tmp_path: Path) -> None:
    module = modules("at_call", 'def run():\n    graph.expect("a")\n    graph.expect("a")  # second\n')
    first, second = recorded(module.run, tmp_path)
    assert marker(second.place) == "second"
    assert first.place != second.place


def test_equal_literals_in_one_line(modules: Any, tmp_path: Path) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("this Python does not tell positions")
    module = modules("one_line", 'def run():\n    é = [graph.expect("é"), graph.expect("é")]; graph.expect("é")\n')
    places = [visit.place for visit in recorded(module.run, tmp_path)]
    assert None not in places
    assert len({place.span for place in places if place}) == 3


def test_different_literals_in_one_line_without_positions(
    modules: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locate, "_running_span", lambda code, instruction: None)
    module = modules("older", 'def run():\n    graph.expect("a"); graph.expect("b")\n')
    assert [visit.place and visit.place.value for visit in recorded(module.run, tmp_path)] == ["a", "b"]


@pytest.mark.usefixtures("positions")
def test_through_helpers_of_another_module(modules: Any, tmp_path: Path) -> None:
    modules("helper", "def inner(golden):\n    graph.expect(golden)\n\ndef outer(*, golden):\n    inner(golden)\n")
    module = modules(
        "user", 'import helper\n\ndef run():\n    helper.outer(golden="""\\\n        x\n    """)  # here\n'
    )
    (visit,) = recorded(module.run, tmp_path)
    assert marker(visit.place) == "here"
    assert visit.place is not None
    assert Path(visit.place.file).name == "user.py"


@pytest.mark.usefixtures("positions")
def test_a_literal_inside_a_shared_helper(modules: Any, tmp_path: Path) -> None:
    helper = modules("shared", 'def both():\n    graph.expect("""shared""")  # here\n')
    (visit,) = recorded(helper.both, tmp_path)
    assert marker(visit.place) == "here"


TABLE = """\
    import pytest

    MORE = [(1, "wrong"), (2, "wrong")]  # more

    @pytest.mark.parametrize("number, golden", [
        (1, "wrong"),  # row 0
        pytest.param(2, "wrong", id="two"),  # row 1
    ])
    def direct(number, golden):
        graph.expect(golden)

    @pytest.mark.parametrize(("number", "golden"), MORE)
    def named(number, golden):
        graph.expect(golden)
"""


@pytest.mark.usefixtures("positions")
@pytest.mark.parametrize("row", [0, 1])
def test_equal_literals_in_a_parametrize_table(modules: Any, tmp_path: Path, row: int) -> None:
    module = modules("table", TABLE)
    (visit,) = recorded(lambda: module.direct(row + 1, "wrong"), tmp_path, number=row, golden=row)
    assert marker(visit.place) == f"row {row}"
    (visit,) = recorded(lambda: module.named(row + 1, "wrong"), tmp_path, number=row, golden=row)
    assert marker(visit.place) == "more"


@pytest.mark.usefixtures("positions")
def test_a_table_in_another_module(modules: Any, tmp_path: Path) -> None:
    modules("tables", 'CASES = {"a": "first", "b": "second"}  # here\nWRAPPED = [placed(""), placed("")]  # wrapped\n')
    module = modules(
        "loop", "import tables\n\ndef run(cases):\n    for golden in cases:\n        graph.expect(golden)\n"
    )
    tables = sys.modules["tables"]
    first, second = recorded(lambda: module.run(tables.CASES.values()), tmp_path)
    assert marker(first.place) == marker(second.place) == "here"
    assert first.place != second.place


def test_wrapped_literals_know_their_places(modules: Any, tmp_path: Path) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("equal literals in one statement need positions")
    modules("wrapped", 'TABLE = [placed("wrong"), placed("wrong")]\n')
    module = modules(
        "loop2", "import wrapped\n\ndef run():\n    for golden in wrapped.TABLE:\n        graph.expect(golden)\n"
    )
    first, second = recorded(module.run, tmp_path)
    assert first.place is not None
    assert second.place is not None
    assert first.place.span != second.place.span


def test_equal_literals_of_a_table_are_refused_with_a_way_out(modules: Any, tmp_path: Path) -> None:
    module = modules(
        "loop3", 'TABLE = ["x", "x"]\n\ndef run():\n    for golden in TABLE:\n        graph.expect(golden)\n'
    )
    visits = recorded(module.run, tmp_path)
    assert all(visit.place is None for visit in visits)
    assert "2 equal literals" in visits[0].problem
    assert "placed(" in visits[0].problem


def test_a_computed_golden_is_refused(modules: Any, tmp_path: Path) -> None:
    module = modules("computed", 'def run():\n    graph.expect("a" + str(1))\n')
    (visit,) = recorded(module.run, tmp_path)
    assert "is computed at" in visit.problem
    module = modules("joined", "def run(texts):\n    for text in texts:\n        graph.expect(text)\n")
    (visit,) = recorded(lambda: module.run(["nowhere"]), tmp_path)
    assert "not a string literal" in visit.problem


def test_files_outside_the_root_are_not_found(tmp_path: Path, modules: Any) -> None:
    module = modules("outside", 'def run():\n    graph.expect("a")\n')
    below = tmp_path / "below"
    below.mkdir()
    (visit,) = recorded(module.run, below)
    assert visit.place is None


def test_placed_is_a_text() -> None:
    assert placed("abc") == "abc"
    assert normalised(placed("\n    a\n    b  \n")) == "a\nb"


def test_locate_without_any_frame() -> None:
    with pytest.raises(NotFound):
        locate.locate("nowhere", None, Path("/nonexistent"))
