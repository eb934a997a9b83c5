"""The examples of CONTRIBUTING.md work as they stand: a clause, a backend it holds on, a mutant it fails."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from packaging.version import Version

from suites.harness.execution import environment
from suites.harness.results import known_bugs
from suites.harness.results.ledger import read
from suites.harness.results.linting import Facts, lint
from suites.harness.results.places import Environment
from suites.harness.torch_internals import BASELINE
from tools import launch

PAGE = launch.ROOT / "CONTRIBUTING.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="runs from a checkout")


def examples() -> dict[str, str]:
    """Each Python block of the page by the path in its first line."""
    blocks = re.findall(r"^```python\n# (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return dict(blocks)


def test_the_page_has_the_three_examples_and_names_files_that_exist() -> None:
    assert [Path(path).name for path in examples()] == ["test_in_place_products.py", "my_backend.py", "negated.py"]
    for path in re.findall(r"`((?:suites|golden|tools)/[\w/]+\.py)`", PAGE.read_text(encoding="utf-8")):
        assert (launch.ROOT / path).exists(), path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout in which the page has been followed: its examples are where it says."""
    copy = tmp_path_factory.mktemp("contributing") / "checkout"
    shutil.copytree(launch.ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "*report*", "*.egg-info"))
    for path, text in examples().items():
        (copy / path).write_text(text, encoding="utf-8")
    return copy


def run(command: Sequence[str], checkout: Path) -> str:
    """What a command says in that checkout, whose packages it finds, as in a shell of one who works there."""
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and Path(path) != launch.ROOT]
    environment = {
        **{name: value for name, value in launch.pytest_environment().items() if not name.startswith("PYTEST_")},
        "PYTHONPATH": os.pathsep.join([str(checkout), *others]),
    }
    ran = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    return f"{ran.stdout}{ran.stderr}\nexit code {ran.returncode}"


@pytest.mark.in_turn(0, 3)
def test_the_commands_beside_the_first_example_succeed(checkout: Path) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Add a clause")[2].partition("\n## ")[0]
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    # The scripts of this environment may be those of another checkout.
    programs = {"parity": "tools.cli", "pytest": "pytest"}
    shell = "".join(f'{name}() {{ "{sys.executable}" -m {module} "$@"; }}\n' for name, module in programs.items())
    said = run(["sh", "-e", "-c", shell + commands], checkout)
    assert said.endswith("exit code 0"), said
    listed = (checkout / "suites" / "CONTRACT.md").read_text(encoding="utf-8")
    assert "in_place_product_reaches_the_caller" in listed


@pytest.mark.in_turn(1, 3)
def test_the_clause_holds_on_the_backend_and_fails_on_the_mutant(checkout: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    mutant = "suites.selfcheck.mutants.negated:mutates_to_the_negative"
    backends = ("aot_eager", "my_backend:compile_graph", mutant)
    exact = Version(environment.torch_version()).base_version == BASELINE
    options = [f"--backend={name}" for name in backends] + ["--profile=smoke", f"--ledger={ledger}"]
    options += [f"--golden={'strict' if exact else 'drift'}", "-p", "no:cacheprovider"]
    clause = next(path for path in examples() if path.startswith("suites/mutation"))
    said = run([sys.executable, "-m", "pytest", *options, clause], checkout)
    assert ledger.exists(), said
    cells = {cell.backend: cell for cell in read([ledger]).cells.values()}
    assert {name: cells[name].outcome for name in backends} == dict(
        zip(backends, ("pass", "pass", "fail"), strict=True)
    )
    assert [each.facet for each in cells[mutant].divergences] == ["mutation"]


def test_the_known_bug_in_the_readme_can_be_loaded(tmp_path: Path) -> None:
    text = (launch.ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    file = tmp_path / "my_bugs.toml"
    file.write_text(block, encoding="utf-8")
    known = known_bugs.load([file])
    assert known.bugs
    assert lint(known, Facts(Environment("2.13.0")), datetime.date(2026, 1, 1)) == []


def test_the_readme_is_short_and_its_commands_exist() -> None:
    from tools import cli

    text = (launch.ROOT / "README.md").read_text(encoding="utf-8")
    verbs = set(re.findall(r"\bparity (?!gate`)([a-z]+)\b", "\n".join(re.findall(r"`+[^`]*`+", text))))
    assert verbs <= set(cli.VERBS), verbs
    assert len(text.splitlines()) < 175
