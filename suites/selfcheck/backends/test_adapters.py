"""Backends of others: found by name, refused in a line, and taken by what they say of themselves."""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import suites
from suites.harness import torch_internals
from suites.harness.backends import adapters, names, registry
from suites.harness.backends.adapters import NoSuchBackend, WrongUse
from suites.harness.backends.backend import CompileCounter, CompileOptions
from tools import cli, forking
from tools.exits import CannotRun

SOURCE = """
__version__ = "1.2.3"

def compile_graph(module, example_inputs, options=None):
    handed.append(options)
    return module.forward

def helper(graph):
    return graph

def _own(module, example_inputs):
    return module.forward

class Made:
    def __init__(self, module, example_inputs):
        self.run = module.forward
    def __call__(self, *args):
        return self.run(*args)

class NotMade:
    pass

handed = []
number = 3
no_options = lambda module, example_inputs: module.forward
told = lambda module, example_inputs: module.forward
told.parity_modes = ["inference", "no_grad"]
told.parity_executed = "math:sqrt"
odd_mode = lambda module, example_inputs: module.forward
odd_mode.parity_modes = "eval"
odd_count = lambda module, example_inputs: module.forward
odd_count.parity_executed = "math:no_such_function"
uncounted = lambda module, example_inputs: module.forward
uncounted.parity_executed = lambda: None
unread = lambda module, example_inputs: module.forward
unread.parity_mode = "no_grad"
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Writes a module that a backend's name can name."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> Path:
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.mark.parametrize(
    ("attribute", "line"),
    [
        (
            "compile_graf",
            r"^backend 'adapter_1:compile_graf': .* does not exist; did you mean 'adapter_1:compile_graph'",
        ),
        ("nope", r"adapter_1.nope does not exist; there is 'adapter_1:compile_graph', 'adapter_1:no_options', '"),
        ("number", r"is of type int, which is not callable; a backend is called with \(graph_module, example_inputs\)"),
        ("helper", r"cannot be called as one: its arguments are \(graph\); a backend is called with"),
        ("NotMade", r"is a class whose instances cannot be called; a backend is called"),
        ("odd_mode", r"its parity_modes name 'eval'; known are train, no_grad, inference"),
        ("odd_count", r"its parity_executed is 'math:no_such_function': AttributeError"),
        ("uncounted", r"its parity_executed says no number: TypeError: 'NoneType' object"),
        ("unread", r"has parity_mode, which says nothing; did you mean parity_modes\?"),
        ('no_options?{"device": "CPU"}', r"takes no options: got an unexpected keyword argument 'options'"),
        ("compile_graph?{", r"what follows the \? is not JSON: Expecting property name"),
        ("compile_graph?[1]", r"what follows the \? must be a JSON object of options"),
    ],
)
def test_what_is_no_backend_is_one_line(write: Callable[[str, str], Path], attribute: str, line: str) -> None:
    write("adapter_1", SOURCE)
    with pytest.raises(WrongUse, match=line) as raised:
        registry.facts(f"adapter_1:{attribute}")
    assert "\n" not in str(raised.value)


OBJECTS = """
class Instances:
    def __call__(self, module, example_inputs):
        return module.forward

class Configured(Instances):
    def __init__(self, device):
        self.device = device

class Compiler:
    def compile(self, module, example_inputs):
        return module.forward

class Unmade:
    def __init__(self, device):
        self.device = device
    def compile(self, module, example_inputs):
        return module.forward

compiler = Compiler()

def keyword(module, example_inputs, *, level=1):
    return module.forward
"""


@pytest.mark.parametrize(
    ("attribute", "line"),
    [
        ("Instances", r"its instances can: name it 'adapter_9:Instances\(\)'; a backend is called"),
        ("Configured", r"name it 'adapter_9:Configured\(\)', with its arguments as options after a '\?'; a backend"),
        ("Compiler", r"a method of its instances can: name it 'adapter_9:compiler.compile'; a backend is called"),
        ("Unmade", r"write INSTANCE = Unmade\(...\), and name it 'adapter_9:INSTANCE.compile'; a backend is called"),
        (
            'keyword?{"level": 3}',
            r"they arrive as options={'level': 3}; or as arguments of a factory, keyword\(level=3\), that returns the "
            r"""backend and is named 'adapter_9:keyword\(\)\?{"level":3}'; a backend is called""",
        ),
        (
            "compiler",
            r"is of type Compiler, which is not callable; its method can: name it 'adapter_9:compiler.compile'",
        ),
    ],
)
def test_what_compiles_in_another_way_is_told_what_to_type(
    write: Callable[[str, str], Path], attribute: str, line: str
) -> None:
    write("adapter_9", OBJECTS)
    with pytest.raises(WrongUse, match=line) as raised:
        registry.facts(f"adapter_9:{attribute}")
    assert "\n" not in str(raised.value)
    assert registry.facts("adapter_9:compiler.compile").modes == registry.facts("adapter_9:Instances()").modes


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (
            "adapter_2",
            "did you mean 'adapter_2:compile_graph', 'adapter_2:no_options', .* or 'adapter_2:told'? A backend",
        ),
        ("adapter_2.told", "did you mean 'adapter_2:told'? A backend"),
        ("adapter_2.compile_graf", "did you mean 'adapter_2:compile_graph'? A backend"),
        ("adapter_3", "did you mean 'adapter_3:made' or 'adapter_3:run'? A backend"),
        ("adapter_4", "did you mean 'adapter_4:NAME_OF_A_FUNCTION'? A backend"),
    ],
)
def test_name_of_a_module_is_answered_with_functions_in_it(
    write: Callable[[str, str], Path], name: str, answer: str
) -> None:
    write("adapter_2", SOURCE)
    made = "import functools\nmade = functools.partial(lambda options, module, example_inputs: module.forward, {})\n"
    write("adapter_3", f"{made}def run(module, example_inputs):\n    return module.forward\n")
    write("adapter_4", "def preload(cuda=True, cudnn=True):\n    pass\n")
    with pytest.raises(NoSuchBackend, match=answer.replace("?", r"\?")) as raised:
        registry.facts(name)
    assert "aot_eager" not in str(raised.value)


def test_backend_that_its_package_registers_as_it_is_imported_goes_by_the_name_of_both(
    write: Callable[[str, str], Path],
) -> None:
    registers = "import torch\n\n\n@torch._dynamo.register_backend\ndef adapter_13(module, example_inputs):\n"
    write("adapter_13", f"{registers}    return module.forward\n")
    assert registry.facts("adapter_13").name == "adapter_13"


def test_name_that_is_like_none_is_answered_with_a_few_and_how_to_name_ones_own() -> None:
    with pytest.raises(NoSuchBackend) as raised:
        registry.facts("xyzzy")
    said = str(raised.value)
    assert said.startswith("no backend 'xyzzy': there is no module of that name, and of the ")
    assert said.endswith(
        "A backend of your own is named module:attribute, as my_backend:compile_graph of ./my_backend.py."
    )
    assert 2 < said.count("'") / 2 <= 6
    for name in ("..", ".x", "a..b", "adapter_of_nobody.compile_graph", ""):
        with pytest.raises(NoSuchBackend, match="no backend "):
            registry.facts(name)


def test_module_that_is_named_alone_and_does_not_import_says_why(write: Callable[[str, str], Path]) -> None:
    write("adapter_10", "import sys\n\nnumber = undefined\n")
    write("adapter_11", "raise SystemExit(3)\n")
    write("adapter_12", "import package_of_nobody\n")
    for name, why in (
        (
            "adapter_10",
            r"importing adapter_10 failed: NameError: name 'undefined' is not defined \(.*adapter_10.py:3\)",
        ),
        ("adapter_10.run", "importing adapter_10.run failed: NameError"),
        ("adapter_11", "importing adapter_11 failed: SystemExit: 3"),
        ("adapter_12", "importing adapter_12 failed: ModuleNotFoundError: No module named 'package_of_nobody'"),
    ):
        with pytest.raises(NoSuchBackend, match=f"^backend {name!r}: {why}"):
            registry.facts(name)


def test_module_without_a_function_that_could_be_one_says_so(write: Callable[[str, str], Path]) -> None:
    write("adapter_5", "number = 3\n")
    with pytest.raises(NoSuchBackend, match=r"adapter_5.nope does not exist; nothing in adapter_5 could be a"):
        registry.facts("adapter_5:nope")


def test_version_of_a_registered_backend_is_that_of_the_package_that_registers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function that is registered may be torch's own way to make one, which no package of its maker's holds."""
    folder = tmp_path / "engine_of_mine-3.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: engine-of-mine\nVersion: 3.1\n")
    (folder / "entry_points.txt").write_text("[torch_dynamo_backends]\nengine_cpu = engine.backends:base\n")
    monkeypatch.syspath_prepend(tmp_path)
    registered = torch_internals.aot_autograd(fw_compiler=lambda graph, _: graph.forward)
    monkeypatch.setattr(torch_internals, "backend_names", lambda: ["engine_cpu"])
    monkeypatch.setattr(torch_internals, "lookup_backend", lambda name: registered)
    assert registry.resolve("engine_cpu").version == "3.1"


@pytest.mark.parametrize("verb", [["check", "mine.py"], ["gate", "--profile", "smoke"]])
def test_misspelt_attribute_is_wrong_usage_and_answered(
    write: Callable[[str, str], Path], verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write("adapter_6", SOURCE)
    write("mine", "def program(): ...\ndef inputs(): return ()\n")
    assert cli.run([*verb, "--backend", "adapter_6:compile_graf"]) == 2
    assert "did you mean 'adapter_6:compile_graph'?" in capsys.readouterr().err
    assert cli.run([*verb, "--backend", "inductr"]) == 2
    assert "did you mean 'inductor'?" in capsys.readouterr().err
    assert cli.run([*verb, "--backend", "no_such_adapter:compile_graph"]) == 3


def test_name_that_is_nothing_is_answered_with_what_is_like_it() -> None:
    with pytest.raises(NoSuchBackend, match="did you mean 'inductor'"):
        registry.facts("inductr")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import math\n\nmath.no_such_name\n", "broken_1.py:3"),
        ("def f(:\n    pass\n", "broken_1.py:1"),
        ("import no_such_module_of_anybody\n", "broken_1.py:1"),
        ("import ctypes\nctypes.CDLL('libno_such_engine.so')\n", "broken_1.py:2"),
        ("import torch\ntorch.ops.load_library('libno_such_engine.so')\n", "broken_1.py:2"),
    ],
    ids=["raises", "syntax", "missing", "library", "operators"],
)
def test_import_that_fails_tells_its_file_and_line(
    write: Callable[[str, str], Path], text: str, line: str, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    write("broken_1", text)
    registry.facts.cache_clear()
    with pytest.raises(NoSuchBackend, match=rf"importing broken_1 failed: .*\({line}\)|\(.*/{line}\)"):
        registry.facts("broken_1:backend")
    assert "Traceback" not in capfd.readouterr().err
    monkeypatch.setenv("PARITY_TRACEBACK", "1")
    with pytest.raises(NoSuchBackend):
        registry.facts("broken_1:backend")
    assert "Traceback" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "def h():\n    raise ValueError('license\\n\\n  expired')\nh()\n",
            "ValueError: license; expired (broken_2.py:2)",
        ),
        ("def f(:\n", "SyntaxError: invalid syntax (broken_2.py:1)"),
        ("import sys\nsys.exit(0)\n", "SystemExit: 0 (broken_2.py:2)"),
        ("class Ends(BaseException): ...\nraise Ends\n", "Ends (broken_2.py:2)"),
    ],
    ids=["several lines", "syntax", "exits", "no exception"],
)
def test_import_that_fails_tells_its_whole_message_and_its_place_once(
    write: Callable[[str, str], Path], text: str, line: str
) -> None:
    write("broken_2", text)
    registry.facts.cache_clear()
    with pytest.raises(NoSuchBackend) as raised:
        registry.facts("broken_2:backend")
    assert str(raised.value) == f"backend 'broken_2:backend': importing broken_2 failed: {line}"


@pytest.mark.parametrize(("attribute", "what"), [("backend", ""), ("made()", ", or calling made(),")])
def test_import_that_ends_the_process_says_so(write: Callable[[str, str], Path], attribute: str, what: str) -> None:
    write("broken_3", "import os\nos._exit(0)\n")
    with pytest.raises(NoSuchBackend) as raised:
        registry.facts(f"broken_3:{attribute}")
    line = f"importing broken_3{what} ended the process (exit status 0)"
    assert str(raised.value) == f"backend 'broken_3:{attribute}': {line}"


@pytest.mark.parametrize(
    ("name", "installed"),
    [
        ("tools.clients.onnx_runtime", "parity.tools.clients.onnx_runtime"),
        ("suites.selfcheck.mutants.mutation", "parity.suites.selfcheck.mutants.mutation"),
        ("tools.of_somebody", "tools.of_somebody"),
        ("clients.onnx_runtime", "clients.onnx_runtime"),
        ("suites", "suites"),
    ],
)
def test_backends_of_a_checkout_have_its_names_where_parity_is_installed(
    name: str, installed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert adapters._installed(name) == name
    monkeypatch.setattr(suites, "__name__", "parity.suites")
    assert adapters._installed(name) == installed


def test_versions_are_those_of_distributions_or_of_modules(
    write: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("adapter_3", SOURCE)
    assert registry.facts("adapter_3:compile_graph").version == "1.2.3"
    assert adapters.version_of("pytest.anything") == pytest.__version__
    bridge = types.ModuleType("pytest.bridge")
    bridge.__version__ = "3.2.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pytest.bridge", bridge)
    assert adapters.version_of("pytest.bridge") == "3.2.1"
    assert adapters.version_of("no_such_module_of_anybody") == ""


def test_class_whose_instances_run_is_a_backend(write: Callable[[str, str], Path]) -> None:
    write("adapter_4", SOURCE)
    backend = registry.resolve("adapter_4:Made")
    compiled = backend.compile(lambda a: a + 1, CompileOptions(), CompileCounter())
    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 2.0))


def test_options_are_handed_over_as_torch_compiles(write: Callable[[str, str], Path]) -> None:
    write("adapter_5", SOURCE)
    backend = registry.resolve('adapter_5:compile_graph?{"b": 1, "a": {"c": true}}')
    assert backend.name == 'adapter_5:compile_graph?{"a":{"c":true},"b":1}'
    backend.compile(lambda a: a + 1, CompileOptions(), CompileCounter())(torch.ones(3))
    assert __import__("adapter_5").handed == [{"a": {"c": True}, "b": 1}]


def test_options_of_inductor_make_a_variant_of_it() -> None:
    backend = registry.resolve('inductor?{"max_autotune": false}')
    assert backend.references[-1] == "inductor"
    assert names.is_torchs_own(backend.name)
    with pytest.raises(NoSuchBackend, match="no_such_setting"):
        registry.resolve('inductor?{"no_such_setting": 1}')
    with pytest.raises(NoSuchBackend, match="aot_eager takes no options"):
        registry.resolve('aot_eager?{"a": 1}')


def test_names_with_options_are_written_in_one_way() -> None:
    assert adapters.canonical('x?{ "b": 1,"a":2 }') == adapters.canonical('x?{"a": 2, "b": 1}') == 'x?{"a":2,"b":1}'
    assert [adapters.canonical(name) for name in ("x", "x?{}", "x?{")] == ["x", "x", "x?{"]


def test_backend_says_in_which_modes_it_is_to_be_judged(write: Callable[[str, str], Path]) -> None:
    write("adapter_6", SOURCE)
    assert registry.facts("adapter_6:told").modes == ("no_grad", "inference")
    assert registry.resolve("adapter_6:told").engine_call == "math:sqrt"
    assert registry.facts("adapter_6:no_options").modes == ("train", "no_grad", "inference")


@pytest.mark.parametrize("name", sorted(names.RUN_BY_TORCH))
def test_torchs_lesser_backends_are_torchs_own_work(name: str) -> None:
    backend = registry.resolve(name)
    assert backend.runs_torch
    assert backend.version == torch.__version__


def test_engine_that_is_not_installed_is_told_before_anything_runs(write: Callable[[str, str], Path]) -> None:
    write(
        "adapter_7",
        "def backend(module, inputs):\n    import no_such_engine\n"
        "def breaks(module, inputs):\n    raise KeyError('engine')\n"
        "def ends(module, inputs):\n    raise SystemExit(3)\n",
    )
    line = "backend 'adapter_7:backend' cannot compile here: ModuleNotFoundError: No module named 'no_such_engine'"
    assert registry.lacks("adapter_7:backend") == line
    assert [registry.lacks(name) for name in ("adapter_7:breaks", "adapter_7:ends", "inductor")] == ["", "", ""]
    with pytest.raises(CannotRun, match="cannot compile here"):
        forking.available(["adapter_7:backend"])


def test_backend_that_hangs_is_left_to_the_cells_within_their_limit(write: Callable[[str, str], Path]) -> None:
    write("adapter_8", "import time\n\ndef hangs(module, inputs):\n    time.sleep(1000)\n")
    started = time.monotonic()
    assert registry.lacks("adapter_8:hangs", 1.0) == ""
    assert time.monotonic() - started < registry._SUM_SECONDS


FACTORY = """
def made(scale=1):
    def compile_graph(module, example_inputs):
        return lambda *args: tuple(scale * each for each in module.forward(*args))
    compile_graph.parity_modes = "inference"
    return compile_graph

def not_made():
    raise RuntimeError("no such device")

def number():
    return 3
"""


def test_factory_makes_the_backend_and_is_called_with_the_options(write: Callable[[str, str], Path]) -> None:
    write("factory_1", FACTORY)
    backend = registry.resolve('factory_1:made()?{"scale": 3}')
    assert (backend.name, backend.modes) == ('factory_1:made()?{"scale":3}', ("inference",))
    compiled = backend.compile(lambda a: a + 1, CompileOptions(), CompileCounter())
    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 6.0))


@pytest.mark.parametrize(
    ("attribute", "line"),
    [
        ("not_made()", r"'factory_2:not_made\(\)' is not made: RuntimeError: no such device \(factory_2.py:9\)"),
        ("number()", r"'factory_2:number\(\)' is of type int, which is not callable"),
        ('made()?{"a": 1}', r"'factory_2:made\(\)' is not made: TypeError: .*unexpected keyword argument 'a'"),
        ("made", r"its arguments are \(scale=1\); if it makes one, name it 'factory_2:made\(\)'; a backend is called"),
        ("no_such_name()", r"factory_2.no_such_name does not exist"),
    ],
)
def test_what_makes_no_backend_is_one_line(write: Callable[[str, str], Path], attribute: str, line: str) -> None:
    write("factory_2", FACTORY)
    with pytest.raises(NoSuchBackend, match=line):
        registry.facts(f"factory_2:{attribute}")
