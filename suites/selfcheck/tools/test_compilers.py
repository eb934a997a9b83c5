"""C++ compilers that do not do what is asked of them: doctor and gate name them, and no backend is blamed."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path

import pytest

from suites.harness.execution import accelerations, environment, trials
from suites.harness.execution.accelerations import BUILDING, FAILED, GOLD, ON, TOGETHER, WAYS, Decision
from suites.harness.results.outcomes import Outcome
from suites.selfcheck.tools.test_accelerations import _parity, _pytest, _toolchain, needs_a_compiler, tiny  # noqa: F401
from suites.selfcheck.tools.test_environment import executable, without_inductor

#: One that does not know an option that Inductor gives.
OLD = 'case " $* " in *" -ffast-math "*|*" -fno-trapping-math "*) echo "g++: error: unrecognized" >&2; exit 1 ;; esac\n'
#: One that says something about every unit, on both streams.
TALKS = 'echo "g++: warning: deprecated" >&2; case " $* " in *" --version "*) ;; *) echo "note: hello" ;; esac\n'
#: One that links into each kernel what finds nobody to catch: whatever the kernel throws ends the process.
KEEPS_IN = """case " $* " in *" -shared "*)
    [ -f {folder}/throws.o ] || echo 'extern "C" __attribute__((visibility("hidden")))
        void __cxa_throw(void*, void*, void*) { __builtin_trap(); }' | {compiler} -x c++ -c -fPIC - -o {folder}/throws.o
    set -- "$@" {folder}/throws.o ;;
esac
"""
RAISING = """
import torch
from suites.harness import clause, tensor

def rows(*places):
    return tensor(2, dtype=torch.int64, values=places)

def program(a, places):
    return a[places] * 2

@clause(modes=("no_grad",), shapes=("static",))
def test_there(check):
    '''Rows that are there are read.'''
    check(program, tensor(5, 2), rows(4, 0)).unchanged(0)

@clause(modes=("no_grad",), shapes=("static",))
def test_not_there(check):
    '''A row that is not there raises.'''
    check(program, tensor(5, 2), rows(4, 5)).raised("out of bounds")
"""
#: One that knows no AVX-512.
NARROW = 'case " $* " in *avx512*) echo "g++: error: unrecognized option -mavx512f" >&2; exit 1 ;; esac\n'


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that Inductor is told to use; write what it does."""
    monkeypatch.setenv("CXX", str(tmp_path / "g++"))
    without_inductor(monkeypatch)
    return tmp_path / "g++"


@pytest.mark.parametrize(
    ("script", "version"),
    [
        (r"printf 'g++ (\304\260stanbul) 13.2.0\n'", "g++ (İstanbul) 13.2.0"),
        (r"printf 'g++ (D\351bian) 12.2.0\nLibre\n'", "g++ (D�bian) 12.2.0"),
        ("printf '\\n\\n  clang 19 of ours\\n'", "clang 19 of ours"),
        ("echo 'pgc++ 24.1' >&2", "pgc++ 24.1"),
        ("true", "of no named version"),
    ],
    ids=["utf-8", "latin-1", "empty lines", "other stream", "nothing"],
)
def test_compiler_may_name_itself_in_any_way(named: Path, script: str, version: str) -> None:
    executable(named, f"#!/bin/sh\n{script}\n")
    assert environment.compiler() == environment.Compiler(str(named), str(named), version)
    assert environment.header()["compiler"] == version


def test_compiler_that_does_not_answer_is_named(named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(named, "#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(environment, "_ANSWER", 0.2)
    assert f"{named} --version does not answer within 0.2 s; type: " in str(environment.why_not("inductor"))


def test_command_with_a_launcher_is_no_compiler_as_it_is_none_to_inductor(
    monkeypatch: pytest.MonkeyPatch, named: Path
) -> None:
    monkeypatch.setenv("CXX", "ccache g++")
    assert "'ccache g++' is not on PATH" in str(environment.why_not("inductor"))


def _hangs_at_once(*_: object) -> dict[str, str]:
    time.sleep(60)
    return {}


def _hangs_after_the_plain_way(folder: Path, *_: object) -> dict[str, str]:
    (folder / trials._PLAIN).write_text(json.dumps({"plain": "", "vector": "AVX2"}))
    return _hangs_at_once()


def test_compiler_that_hangs_is_one_that_builds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "LIMIT", 0.5)
    monkeypatch.setattr(trials, "trials", _hangs_at_once)
    if not environment.compiler().found or environment.python_headers() is None:
        pytest.skip("no C++ compiler here")
    with accelerations.plain():
        decision = accelerations.decide(["inductor"])
        assert decision.problem == "it did not end within 0.5 s"
        assert "does not build Inductor's kernels: it did not end within 0.5 s" in str(environment.why_not("inductor"))
        assert all(decision.ways[way].startswith("off: no kernel builds here") for way in BUILDING)


def test_error_of_python_is_not_the_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not environment.compiler().found or environment.python_headers() is None:
        pytest.skip("no C++ compiler here")
    problem = "ModuleNotFoundError: No module named 'html.entities'; 'html' is not a package"
    decision = Decision(dict.fromkeys(WAYS, ON), problem=problem)
    monkeypatch.setattr(accelerations, "current", lambda: decision)
    monkeypatch.setattr(type(decision), "fits", True)
    (tmp_path / "html.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert environment.why_not("inductor") == (
        f"backend 'inductor' raises here before it builds a kernel: {problem}; "
        f"{tmp_path / 'html.py'} hides the standard module of that name: rename it"
    )


def test_way_that_hangs_is_off_and_the_plain_one_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "LIMIT", 0.5)
    monkeypatch.setattr(trials, "trials", _hangs_after_the_plain_way)
    with accelerations.plain():
        decision = accelerations.decide(["inductor"])
        assert (decision.problem, decision.vector, decision.settings) == ("", "AVX2", {})
        assert decision.ways[TOGETHER] == f"{FAILED}it did not end within 0.5 s"


@needs_a_compiler
def test_option_that_the_compiler_does_not_know_is_named(tiny: Path) -> None:  # noqa: F811
    ran = _parity(tiny, _toolchain(tiny, OLD), "gate", "--backend", "inductor")
    assert (ran.status, ran.ledger.cells) == (3, {})
    assert "g++: error: unrecognized" in ran.text


@needs_a_compiler
@pytest.mark.in_turn(1, 3)
def test_compiler_that_warns_is_one(tiny: Path) -> None:  # noqa: F811
    ran = _parity(tiny, _toolchain(tiny, TALKS), "check", "program.py", "--backend", "inductor", "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["outcome"], told["plain_retry"]) == (0, "pass", False)


@needs_a_compiler
@pytest.mark.skipif(environment.vector_instructions() != "AVX512", reason="no AVX-512 here")
def test_vector_instructions_that_the_compiler_does_not_know_are_named(tmp_path: Path) -> None:
    environ = _toolchain(tmp_path, NARROW)
    del environ["TORCHINDUCTOR_VEC_ISA_OK"]
    ran = _parity(tmp_path, environ, "doctor", "--json")
    findings = {each["name"]: each for each in json.loads(ran.out)["findings"]}
    assert (ran.status, findings["C++ compiler"]["state"]) == (0, "ok"), ran.text
    vector = findings["vector instructions"]
    assert vector["state"] == "note"
    assert vector["text"] == "AVX512 in torch's kernels, AVX2 in those that the C++ compiler builds"
    assert vector["loses"] == "Inductor's kernels for AVX512"
    assert findings["accelerations"]["text"].startswith(f"on: {GOLD}"), ran.text


@needs_a_compiler
@pytest.mark.in_turn(3, 3)
def test_errors_of_kernels_that_the_compiler_keeps_in_are_not_the_backends(tiny: Path) -> None:  # noqa: F811
    (tiny / "tiny" / "test_group.py").write_text(RAISING)
    script = KEEPS_IN.replace("{compiler}", environment.compiler().path)
    ran = _pytest(tiny, _toolchain(tiny, script), "--backend", "inductor", "-n", "1")
    outcomes = {cell.clause.rpartition("/")[2]: cell.outcome for cell in ran.ledger.cells.values()}
    assert outcomes == {"there": "pass", "not_there": "unsupported"}, ran.text
    (cell,) = (each for each in ran.ledger.cells.values() if each.outcome is not Outcome.PASS)
    assert cell.detail.startswith("a kernel that raises ends its process (SIG")
    assert not cell.divergences
    assert f"parity: {cell.detail}; cells that end so are unsupported" in ran.text


@pytest.mark.parametrize(
    ("how", "frame", "says"),
    [
        ("SIGSEGV", "/cache/ia/cia4t6ta36een7tp5czdiolnpznjyft6shg4q3iukfgax66oonp4.py", True),
        ("SIGABRT", "/cache/ia/cia4t6ta36een7tp5czdiolnpznjyft6shg4q3iukfgax66oonp4.py", False),
        ("SIGSEGV", "/site-packages/torch/_ops.py", False),
    ],
    ids=["in a kernel", "otherwise", "elsewhere"],
)
def test_death_in_a_kernel_says_nothing_only_where_errors_end_so(how: str, frame: str, says: bool) -> None:
    words = (
        f'{how}\nFile "{frame}", line 93 in call\nFile "/site-packages/torch/_inductor/output_code.py", line 7 in call'
    )
    here = dataclasses.replace(accelerations.all_off("a test"), raising="SIGSEGV")
    assert bool(here.says_of(how, words)) is says
    assert not accelerations.all_off("a test").says_of(how, words), "errors come through here"
