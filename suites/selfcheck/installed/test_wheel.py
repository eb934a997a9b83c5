"""A wheel of Parity in the environment of somebody else's project: his clauses, his bugs, and everybody's pytest."""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from suites.harness.results.ledger import read
from suites.selfcheck.installed import project
from tools import launch

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("pip", "setuptools")),
    reason="pip cannot build a wheel here: pip or setuptools is missing",
)
ON = ("--backend", "my_backend:compile_graph")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        str(launch.ROOT),
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project.environment(tmp_path_factory.mktemp("environment"), wheel)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return project.write(tmp_path)


def test_a_wheel_holds_one_package_and_all_its_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"parity"}
    kept = {path.suffix for name in ("golden", "suites", "tools") for path in (launch.ROOT / name).rglob("*.*")}
    assert {Path(name).suffix for name in names} >= kept - {".pyc"}
    assert "parity/suites/known_bugs/mutation.toml" in names
    assert not [name for name in names if "/selfcheck/" in name and "/test_" in name]


def test_no_loose_name_is_importable_and_help_needs_no_torch(python: Path, tmp_path: Path) -> None:
    program = (
        "import importlib.util, sys, parity.plugin, parity.tools.cli\n"
        "loose = [name for name in ('golden', 'suites', 'tools') if importlib.util.find_spec(name)]\n"
        "print(loose, 'torch' in sys.modules)"
    )
    assert project.typed(tmp_path, python, "-c", program) == (0, "[] False\n")


def test_a_program_is_checked_from_python(python: Path, folder: Path) -> None:
    program = (
        "import torch, my_backend\n"
        "from parity import check\n"
        "for function in (torch.cos, torch.sin):\n"
        "    print(check(function, torch.ones(3), backend='my_backend:compile_graph').outcome)"
    )
    (folder / "checks.py").write_text(program, encoding="utf-8")
    assert project.typed(folder, python, "checks.py") == (0, "pass\nfail\n")


def test_other_peoples_runs_of_pytest_are_as_they_were(python: Path, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import sys\n\n"
        "def pytest_addoption(parser):\n    parser.addoption('--device')\n    parser.addoption('--backend')\n\n"
        "def pytest_unconfigure(config):\n    print('torch' in sys.modules, config.option.numprocesses)\n"
    )
    (tmp_path / "test_theirs.py").write_text("def test_it(request):\n    assert request.config.option.backend\n")
    code, said = project.typed(tmp_path, python, "-m", "pytest", "-q", "--backend", "theirs")
    assert code == 0, said
    assert said.endswith("False None\n")
    _, said = project.typed(tmp_path, python, "-m", "pytest", "--help")
    assert "parity" not in said.lower()


def test_clauses_in_a_run_of_other_tests_are_skipped_and_told_in_a_line(python: Path, folder: Path) -> None:
    code, said = project.typed(folder, python, "-m", "pytest", "-q", "--strict-markers", "tests")
    assert code == 0, said
    assert "3 clauses of Parity's were skipped: give --backend NAME" in said
    assert "1 passed, 3 skipped" in said


def test_clauses_of_ones_own_run_beside_known_bugs_of_ones_own(python: Path, folder: Path) -> None:
    run = ("-m", "pytest", "-q", "tests", *ON, "--ledger", "mine.jsonl", "--waivers", "my_bugs.toml")
    code, said = project.typed(folder, python, *run)
    assert code == 0, said
    assert "4 passed, 1 xfailed" in said
    assert {cell.clause for cell in read([folder / "mine.jsonl"]).cells.values()} == {
        "tests/mine/addition_in_place_reaches_the_caller",
        "tests/mine/sine",
        "tests/adding/number_is_added_to_every_element",
    }
    (folder / "none.toml").write_text("")
    code, said = project.typed(folder, python, "-m", "parity", "gate", "--from", "mine.jsonl", "--waivers", "none.toml")
    assert code == 1, said
    assert "silent 1 cell: value: value differs" in said


def test_the_suites_in_the_wheel_run_on_a_backend_of_ones_own(python: Path, folder: Path) -> None:
    narrowed = ("--profile", "smoke", "--family", "mutation", "--clause", "mutation/copy_back/*", "-n", "1")
    code, said = project.typed(folder, python, "-m", "parity", "gate", *ON, *narrowed, "--waivers", "my_bugs.toml")
    assert code == 0, said
    assert "CONFORMANT" in said
    book = read([folder / "parity-report" / "ledger.jsonl"])
    assert {cell.nodeid.partition("::")[0] for cell in book.cells.values()} == {"suites/mutation/test_copy_back.py"}
    first = next(iter(book.cells.values()))
    again = shlex.split(first.reproduce)
    assert again[:2] == ["pytest", "--pyargs"]
    assert again[2].startswith("parity.suites.mutation.test_copy_back::test_")
    assert again[3:] == [*ON, "--profile", "smoke"]
    code, said = project.typed(folder, python, "-m", *again, "-q", "--ledger", "again.jsonl")
    assert code == 0, said
    repeated = read([folder / "again.jsonl"])
    assert list(repeated.cells) == [first.id]
    assert repeated.cells[first.id].reproduce == first.reproduce
    assert repeated.header["configuration"]["named"]
