"""Small projects with goldens, on which the golden editor is tried. They need no torch: graphs are canned texts."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from golden.editing.edits import EditSink
from golden.editing.locate import Place, constants, span_of
from golden.expectation import Visit

ROOT = Path(__file__).resolve().parents[3]

CONFTEST = """
import os
import pytest
from pathlib import Path
from golden.bands import is_baseline, load_bands
from golden.editing.edits import EditSink
from golden.expectation import Session, expect_text, use_session


class Graph:
    def __init__(self, text, stage="forward"):
        self.text, self.stage = text, stage

    def expect(self, literal):
        return expect_text(self.stage, self.text, literal, depth=2)


def text_of(number, variant=""):
    constant = f"{number}.5" if not variant else repr(variant)
    return (
        "def forward(self, primals_1):\\n"
        f"    mul = torch.ops.aten.mul.Tensor(primals_1, {constant})\\n"
        "    return (mul,)\\n"
    )


def pytest_addoption(parser):
    parser.addoption("--golden", default="strict")
    parser.addoption("--golden-edits")


class Plugin:
    def __init__(self, config):
        folder = config.option.golden_edits
        self.config = config
        self.sink = EditSink(folder, os.environ.get("PYTEST_XDIST_WORKER", "main")) if folder else None
        self.torch = os.environ.get("FAKE_TORCH", "2.13.0")
        self.bands = load_bands(Path(config.rootpath) / "bands")

    @pytest.fixture
    def graph(self, request):
        spec = getattr(request.node, "callspec", None)
        session = Session(
            mode=self.config.option.golden,
            cell=request.node.nodeid,
            sink=self.sink,
            root=Path(str(self.config.rootpath)),
            param_indices=dict(spec.indices) if spec else {},
            variant=os.environ.get("FAKE_VARIANT", ""),
            bands=self.bands,
            torch=self.torch,
            baseline=is_baseline(self.torch),
        )
        with use_session(session):
            yield lambda number, variant="": Graph(text_of(number, variant))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.when == "call" and self.sink is not None:
            waived = hasattr(report, "wasxfail")
            self.sink.outcome(item.nodeid, "xfail" if waived else report.outcome[:4], str(call.excinfo or ""))
        return report

    def pytest_sessionfinish(self, session, exitstatus):
        if self.sink is not None:
            self.sink.finish(full_run=True)


def pytest_configure(config):
    config.pluginmanager.register(Plugin(config))
"""


def write(root: Path, files: dict[str, str]) -> Path:
    """A project with the given files, its conftest and a pytest.ini of its own."""
    root.mkdir(exist_ok=True)
    (root / "pytest.ini").write_text("[pytest]\n")
    (root / "conftest.py").write_text(CONFTEST)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8"))
    return root


def right(numbers: Sequence[int]) -> str:
    """A test file with one golden a test, each as it should be."""
    return goldens(numbers, '"""\\\n{}"""')


def environment(**more: str) -> dict[str, str]:
    """The environment of a command in a project: our packages on the path, outside of CI and of any other pytest."""
    kept = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST_")}
    lean = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}
    return {**kept, **lean, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **more}


def regen_command(root: Path, *options: str) -> list[str]:
    """``parity regen`` on a project."""
    start = "import sys; from tools.verbs.regen import command; command(sys.argv[1:], prog_name='parity regen')"
    return [sys.executable, "-c", start, "--root", str(root), "--bands", str(root / "bands"), *options]


def regen(root: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run ``parity regen`` on a project, by default without workers of pytest-xdist."""
    workers = () if "-n" in options else ("-n", "0")
    command = regen_command(root, *workers, *options)
    return subprocess.run(command, cwd=root, env=environment(**variables), capture_output=True, text=True, check=False)


def plain(root: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the project's tests plainly."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=root, env=environment(**variables), capture_output=True, text=True, check=False)


def text_of(number: int) -> str:
    """The graph that the project's test of this number has."""
    return (
        "def forward(self, primals_1):\n"
        f"    mul = torch.ops.aten.mul.Tensor(primals_1, {number}.5)\n"
        "    return (mul,)\n"
    )


def record(root: Path, folder: Path, *, torch: str = "2.13.0", full_run: bool = False) -> Path:
    """What a run of the tests ``test_<number>`` in the project would record, without running pytest."""
    sink = EditSink(folder)
    for path in sorted(root.glob("test_*.py")):
        for function in ast.parse(path.read_bytes()).body:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                (literal,) = constants(function)
                old, new = str(literal.value), text_of(int(function.name.removeprefix("test_")))
                verdict = "created" if not old else "same" if old == new else "changed"
                test = f"{path.name}::{function.name}"
                place = Place(str(path), span_of(literal), old)
                baseline = torch.startswith("2.13")
                sink.visit(
                    Visit(
                        f"{test}#forward",
                        test,
                        "",
                        "forward",
                        1,
                        verdict,
                        "",
                        old,
                        new,
                        torch,
                        baseline,
                        place,
                        "",
                        test,
                    )
                )
                sink.outcome(test, "pass")
    sink.finish(full_run=full_run)
    return folder


def goldens(numbers: Sequence[int], literal: str = '"""wrong"""') -> str:
    """A test file with one golden a test; ``{}`` in the literal is the right text."""
    return "\n\n".join(
        f"def test_{number}(graph):\n    graph({number}).expect({literal.format(text_of(number))})\n"
        for number in numbers
    )
