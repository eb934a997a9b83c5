"""``parity check``: what can be named beside a file, and the one line for what cannot."""

from __future__ import annotations

import io
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from suites.harness.programs.targets import ImportedProgram
from tools import cli, forking

OFF = "suites.selfcheck.mutants.values:one_element_off"
LOSES = "suites.selfcheck.mutants.autograd:loses_one_gradient"
Said = tuple[int, list[dict[str, Any]], str]
Parity = Callable[..., Said]

PACKAGE = """
import torch

factor = torch.ones(3)
written = []

def scaled(a, by=2):
    return a * by + factor

def remembers(a):
    written.append(1)
    return a + len(written)

def inputs():
    return (torch.ones(3),)

class Net(torch.nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.linear = torch.nn.Linear(width, 2)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, a, scale=None):
        self.calls += 1
        return self.linear(a) if scale is None else self.linear(a) * scale

net = Net()
number = 3
"""

_numbers = itertools.count()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that no other test has imported."""
    name = f"package_to_check_{next(_numbers)}"
    (tmp_path / f"{name}.py").write_text(PACKAGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.fixture
def parity(capsys: pytest.CaptureFixture[str]) -> Parity:
    """Run ``parity check --json``: the exit code, the objects, and what was said on standard error."""

    def run(*arguments: str, backend: str = "aot_eager") -> Said:
        capsys.readouterr()
        code = cli.run(["check", *arguments, "--backend", backend, "--json"])
        said = capsys.readouterr()
        return code, [json.loads(line) for line in said.out.splitlines()], said.err

    return run


def test_function_of_a_module_is_called_with_expressions(package: str, parity: Parity) -> None:
    code, (told,), _ = parity(f"{package}:scaled", "--input", "torch.randn(3)", "--input", "by=factor")
    assert (code, told["outcome"], told["program"]) == (0, "pass", f"{package}:scaled")
    assert told["graphs"] >= 1


def test_function_of_a_module_has_the_inputs_beside_it(package: str, parity: Parity) -> None:
    assert parity(f"{package}:scaled")[0] == 0


def test_globals_that_a_function_names_are_its_state(package: str, parity: Parity) -> None:
    program = ImportedProgram(Path(), module=package, attribute="remembers")
    assert set(program.instantiate().state()) == {"global written"}
    code, (told,), _ = parity(f"{package}:remembers")
    assert (code, told["outcome"]) == (0, "pass"), told
    assert parity(f"{package}:remembers", backend=OFF)[0] == 1


@pytest.mark.parametrize("attribute", ["Net", "net", "Net(3)", "Net(width=3)", "net.forward"])
def test_module_is_compared_with_its_parameters_and_buffers(package: str, parity: Parity, attribute: str) -> None:
    given = ("--input", "torch.randn(1, 3)", "--train")
    code, (told,), _ = parity(f"{package}:{attribute}", *given)
    assert (code, told["outcome"]) == (0, "pass"), told
    code, (told,), _ = parity(f"{package}:{attribute}", *given, backend=LOSES)
    assert code == 1
    assert any("linear" in item["where"] and item["facet"] == "autograd" for item in told["divergences"]), told


def test_gradients_of_a_call_without_them_are_told(package: str, parity: Parity) -> None:
    _, (told,), _ = parity(f"{package}:net", "--input", "torch.randn(1, 3)", "--train", "--modes", "no_grad")
    (note,) = told["notes"]
    assert note.startswith("no gradient was compared: called in no_grad, as asked for")


def test_flags_win_over_the_file(package: str, parity: Parity) -> None:
    Path("mine.py").write_text(f"TRAIN = True\n{PACKAGE}\nprogram = net\ndef inputs(): return (torch.ones(1, 3),)\n")
    assert parity("mine.py", backend=LOSES)[0] == 1
    assert parity("mine.py", "--no-train", backend=LOSES)[0] == 0


def test_saved_program_has_its_example_inputs(package: str, parity: Parity) -> None:
    names: dict[str, Any] = {"__name__": package}
    exec(PACKAGE, names)
    saved = torch.export.export(names["Net"](), (torch.ones(1, 3),), {"scale": torch.ones(())})
    torch.export.save(saved, "model.pt2")
    code, (told,), _ = parity("model.pt2")
    assert (code, told["outcome"], told["program"]) == (0, "pass", "model.pt2"), told
    assert parity("model.pt2", backend=OFF)[0] == 1


def test_program_on_standard_input(parity: Parity, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import torch\ndef program(a): return a + 1\ndef inputs(): return (torch.ones(2),)\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, (told,), _ = parity("-")
    assert (code, told["outcome"], told["program"]) == (0, "pass", "<stdin>")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"def program(:\n")))
    assert parity("-")[1][0]["detail"] == "<stdin>:1: invalid syntax"


def test_mistake_in_a_file_that_is_named_from_its_folder_has_its_line(package: str, parity: Parity) -> None:
    Path("mine.py").write_text("import sys\n\nsys.exit(0)\n")
    assert parity("mine.py")[1][0]["detail"].startswith("mine.py:3: sys.exit(0) while")


def test_function_of_a_file_without_a_program(package: str, parity: Parity) -> None:
    code, (told,), _ = parity(f"{package}.py:scaled")
    assert (code, told["outcome"], told["program"]) == (0, "pass", f"{package}.py:scaled")


MISTAKES = {
    "no such attribute": ("{}:scald", (), "has no attribute 'scald'; did you mean 'scaled'?"),
    "not callable": ("{}:number", (), ":number: of type int, which cannot be called"),
    "no such module": ("{}_not:scaled", (), "no module "),
    "inputs that do not fit": (
        "{}:scaled",
        ("torch.ones(1)",) * 3,
        "too many positional arguments; it takes (a, by",
    ),
    "expression that raises": ("{}:scaled", ("torch.ones(-1)",), "--input 'torch.ones(-1)': raised RuntimeError: "),
    "expression that ends": ("{}:scaled", ("exit(0)",), "--input 'exit(0)': raised SystemExit: 0"),
    "class with arguments": ("{}:Needs", (), "write the call, Needs(...), or name an instance"),
    "async function": ("{}:waits", ("torch.ones(1)",), ":waits: an async function, which nobody awaits here"),
    "async module": ("{}:Waits()", ("torch.ones(1)",), ":Waits(): an async function, which nobody awaits here"),
    "inputs missing": ("torch.nn.functional:relu", (), "no inputs: give --input EXPRESSION for each argument"),
}


@pytest.mark.parametrize("case", list(MISTAKES))
def test_mistake_is_one_line_before_anything_warms_up(
    package: str, parity: Parity, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    target, expressions, line = MISTAKES[case]
    with open(f"{package}.py", "a") as file:
        file.write("class Needs(torch.nn.Module):\n    def __init__(self, width): super().__init__()\n")
        file.write("async def waits(a): yield a\nclass Waits(torch.nn.Module):\n    async def forward(self, a): ...\n")
    monkeypatch.setattr(forking, "settle", lambda *_, **__: pytest.fail("something warms up"))
    given = [word for expression in expressions for word in ("--input", expression)]
    code, (told,), _ = parity(target.format(package), *given)
    assert (code, told["outcome"]) == (2, "error")
    assert line in told["detail"]
    assert "\n" not in told["detail"]


FILES = {
    "syntax": (b"def program(:\n", "mine.py:1: invalid syntax"),
    "NUL": (b"import torch\n\0", "mine.py:2: a NUL byte, which no Python source holds"),
    "encoding": (b"x = '\xff'\n", "mine.py"),
    "exit": (b"import sys\nsys.exit(0)\n", "mine.py:2: sys.exit(0) while the file is executed"),
    "async": (
        b"async def program(a): ...\ndef inputs(): ...\n",
        "mine.py: an async function, which nobody awaits here",
    ),
    "exit in inputs": (b"def program(): ...\ndef inputs(): exit(3)\n", "mine.py:2: inputs() raised SystemExit: 3"),
}


@pytest.mark.parametrize("case", list(FILES))
def test_file_with_a_mistake_is_one_line(tmp_path: Path, parity: Parity, case: str) -> None:
    source, line = FILES[case]
    (tmp_path / "mine.py").write_bytes(source)
    code, (told,), _ = parity(str(tmp_path / "mine.py"), backend="eager")
    assert (code, told["outcome"]) == (2, "error")
    assert line in told["detail"]
    assert "\n" not in told["detail"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("nothing.py",), "nothing.py: no such file"),
        (("nothing",), "nothing: no such file; a function is named package.module:function"),
        (("a.b:c d",), "'c d' is no name, and no call of one"),
        (("a.b:c", "--input", "torch.ones(3"), "--input 'torch.ones(3': not an expression: "),
        (("a.b:c", "--repro", "no/such/folder/out.py"), "no folder "),
    ],
)
def test_wrong_word_is_wrong_usage(parity: Parity, arguments: tuple[str, ...], line: str) -> None:
    code, (told,), said = parity(*arguments)
    assert (code, told["exit"]) == (2, 2)
    assert line in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("columns", [110, 40])
def test_several_end_in_one_table_where_it_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    good = "import torch\ndef program(a): return a + 1\ndef inputs(): return (torch.ones(2),)\n"
    (tmp_path / "good.py").write_text(good)
    (tmp_path / "bad.py").write_text("def program(:\n")
    monkeypatch.chdir(tmp_path)
    assert cli.run(["check", "good.py", "bad.py", "--backend", "eager", "--backend", "aot_eager"]) == 2
    said = capsys.readouterr().out
    details, _, table = said.partition("\n\n")
    assert details.count("bad.py") == 2  # Once, with its line.
    if columns == 40:  # No name in pieces: the lines above have said it all.
        assert not table
        return
    rows = [line.split() for line in table.splitlines()]
    assert rows[0] == ["program", "backend", "outcome", "first", "layer", "seconds"]
    assert [row[-3] for row in rows[1:]] == ["same", "same", "error", "error"]
