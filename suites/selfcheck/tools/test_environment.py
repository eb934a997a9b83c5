"""The environment says what is here, and in one line what is missing and what to type."""

from __future__ import annotations

import dataclasses
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suites.harness.execution import accelerations, environment
from suites.harness.results.places import Environment, hold


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return path


def without_inductor(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has not imported Inductor: the environment says which compiler it would use."""
    monkeypatch.delitem(sys.modules, "torch._inductor.config", raising=False)
    environment._ask.cache_clear()


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A PATH of one empty folder, and none of Inductor's own configuration. What is asked there is not remembered."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(accelerations._VARIABLE, "")
    monkeypatch.delenv("CXX", raising=False)
    without_inductor(monkeypatch)
    environment._ask.cache_clear()
    yield tmp_path
    environment._ask.cache_clear()


def test_header_has_what_a_report_needs() -> None:
    header = environment.header()
    assert header["kind"] == "header"
    assert header["schema"] >= 1
    assert header["torch"]
    assert header["cores"] >= 1
    assert 0 < header["memory_available_gib"] <= header["memory_gib"]


def test_known_bugs_are_applied_in_a_run_as_where_its_ledger_is_read() -> None:
    here = Environment.of(environment.place("cpu"))
    assert here == Environment.of(environment.header("cpu"))
    assert here.torch
    assert here.vector
    assert here.compiler == (environment.compiler().version or environment.compiler().problem)


def test_vector_instructions_of_a_place_are_those_of_the_kernels_that_are_built() -> None:
    header = {"torch": "2.13.0", "device": "cpu", "vector": "AVX512"}
    assert Environment.of(header).vector == "AVX512"
    fewer = Environment.of({**header, "kernel_vector": "AVX2"})
    assert hold(["torch>=2.13 on avx2"], fewer)
    assert hold(["torch>=2.13 on avx*"], fewer)
    assert not hold(["torch>=2.13 on avx512"], fewer)
    none = Environment.of({**header, "kernel_vector": "DEFAULT"})
    assert hold(["torch>=2.13 on default"], none)
    assert not hold(["torch>=2.13 on avx*"], none)


def test_without_a_compiler_inductor_alone_is_refused(bare_path: Path) -> None:
    reason = environment.why_not("inductor")
    assert reason is not None
    assert reason.startswith("backend 'inductor' needs a C++ compiler: 'g++' is not on PATH; type: ")
    assert environment.why_not("inductor_cpp_wrapper") is not None
    assert environment.why_not("aot_eager") is None
    assert environment.why_not("mine:backend") is None
    assert environment.prove_compiler() is not None


def test_kernel_that_was_not_built_says_nothing_of_another_compiler(
    bare_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable(bare_path / "g++", "#!/bin/sh\necho g++ 99\n")
    failed = dataclasses.replace(accelerations.all_off("its trial"), problem="ld: not found")
    accelerations.settle(failed)
    assert "ld: not found" in str(environment.why_not("inductor"))
    monkeypatch.setenv("CXX", str(bare_path / "g++"))
    assert environment.why_not("inductor") is None


def test_another_compiler_on_the_path_is_advised(bare_path: Path) -> None:
    executable(bare_path / "clang++", "#!/bin/sh\necho clang 99\n")
    assert "type: export CXX=clang++" in str(environment.why_not("inductor"))


def test_a_compiler_that_does_not_answer_is_not_one(bare_path: Path) -> None:
    executable(bare_path / "g++", "#!/bin/sh\necho broken >&2\nexit 1\n")
    assert "--version fails: broken" in str(environment.why_not("inductor"))


def test_a_wrong_CXX_is_named(bare_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/g++-99")
    assert "'/nowhere/g++-99' is not on PATH" in str(environment.why_not("inductor"))


def test_compiler_that_does_not_answer_is_not_what_is_advised(bare_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(bare_path / "g++", "#!/bin/sh\nexit 1\n")
    executable(bare_path / "clang++", "#!/bin/sh\necho clang 99\n")
    assert "type: export CXX=clang++" in str(environment.why_not("inductor"))
    monkeypatch.setenv("CXX", str(bare_path / "clang++-7"))
    assert "type: unset CXX  (g++ is on PATH)" in str(environment.why_not("inductor"))


def test_on_a_mac_the_compiler_comes_with_the_developer_tools(bare_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment.sys, "platform", "darwin")
    assert str(environment.why_not("inductor")).endswith("'clang++' is not on PATH; type: xcode-select --install")
    for name in ("clang++", "g++"):
        executable(
            bare_path / name, "#!/bin/sh\necho 'xcode-select: note: No developer tools were found' >&2\nexit 1\n"
        )
    environment._ask.cache_clear()
    reason = str(environment.why_not("inductor"))
    assert "--version fails: xcode-select: note: No developer tools were found" in reason
    assert reason.endswith("type: xcode-select --install")
    for problem in ("fatal error: 'omp.h' file not found", "ld: library not found for -lomp"):
        assert environment.compiler_advice(problem=problem) == "brew install libomp"


def test_headers_of_python_that_are_not_whole_are_what_to_install() -> None:
    problem = "pyconfig.h:3:12: fatal error: x86_64-linux-gnu/python3.14/pyconfig.h: No such file or directory"
    assert environment.compiler_advice(problem=problem) == environment.headers_advice()
    assert environment.compiler_advice(problem="ld: cannot find -lgomp") != environment.headers_advice()


def test_compiler_without_a_shared_runtime_is_named_where_packages_are_loaded(
    bare_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints the name of a library as it was asked for where it has none."""
    monkeypatch.setattr(environment.sys, "platform", "linux")
    script = "#!/bin/sh\ncase $1 in --version) echo g++ 13;; *) echo %s;; esac\n"
    executable(bare_path / "g++", script % "libstdc++.so")
    environment._ask.cache_clear()
    reason = str(environment.why_not("aot_inductor"))
    assert "finds no shared libstdc++.so and links a static one" in reason
    executable(bare_path / "g++", script % "/usr/lib/libstdc++.so")
    environment._runtime_of_its_own.cache_clear()
    assert environment.why_not("aot_inductor") is None


def test_missing_python_headers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "compiler", lambda: environment.Compiler("g++", "/usr/bin/g++", "g++ 12"))
    monkeypatch.setattr(environment, "python_headers", lambda: None)
    assert "no Python.h in" in str(environment.why_not("inductor"))


@pytest.mark.skipif(not environment.compiler().found, reason="no C++ compiler here")
def test_the_proof_compiles_here() -> None:
    assert environment.prove_compiler() is None or environment.python_headers() is None


def test_cuda_without_a_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "cuda", lambda: "")
    assert "sees no CUDA device; use --device cpu" in str(environment.why_not("aot_eager", "cuda"))


def test_workers_are_limited_by_memory_as_well_as_by_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "cores", lambda: 8)
    for available, workers in ((64.0, 8), (4.6, 3), (0.5, 1)):
        monkeypatch.setattr(environment, "memory_gib", lambda available=available: (64.0, available))
        assert environment.worker_limit() == workers


def test_runs_that_wait_for_kernels_have_more_workers_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "cores", lambda: 2)
    for available, workers in ((64.0, 2 + environment.WAITING), (4.6, 3), (0.5, 1)):
        monkeypatch.setattr(environment, "memory_gib", lambda available=available: (64.0, available))
        assert environment.worker_limit(kernels=True) == workers


def test_cores_are_those_that_this_process_may_use() -> None:
    assert 1 <= environment.cores() <= (os.cpu_count() or 1)
