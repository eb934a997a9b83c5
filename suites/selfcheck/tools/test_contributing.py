"""The examples of CONTRIBUTING.md work as they stand: a clause, a backend it holds on, a mutant it fails."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from golden import waivers
from suites.harness.execution import environment
from suites.harness.oracle.divergence import FACETS
from suites.harness.results.ledger import read
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


def test_the_clause_holds_on_the_backend_and_fails_on_the_mutant(tmp_path: Path) -> None:
    (tmp_path / "mutation").mkdir()
    for path, text in examples().items():
        folder = tmp_path / "mutation" if path.startswith("suites/mutation") else tmp_path
        (folder / Path(path).name).write_text(text, encoding="utf-8")
    ledger = tmp_path / "ledger.jsonl"
    backends = ("aot_eager", "my_backend:compile_graph", "negated:mutates_to_the_negative")
    exact = Version(environment.torch_version()).base_version == BASELINE
    options = [f"--backend={name}" for name in backends] + ["--profile=smoke", f"--ledger={ledger}"]
    options += [f"--golden={'strict' if exact else 'drift'}", f"--rootdir={tmp_path}", f"--config-file={os.devnull}"]
    plugin = ["-p", "suites.harness.plugin", "-p", "no:cacheprovider", "-n", "0"]
    paths = [str(launch.ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *options, str(tmp_path / "mutation")],
        cwd=tmp_path,
        env={**launch.pytest_environment(), "PYTHONPATH": os.pathsep.join(path for path in paths if path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ledger.exists(), ran.stdout + ran.stderr
    cells = {cell.backend: cell for cell in read([ledger]).cells.values()}
    assert {name: cells[name].outcome for name in backends} == dict(
        zip(backends, ("pass", "pass", "fail"), strict=True)
    )
    assert [each.facet for each in cells[backends[2]].divergences] == ["mutation"]


def test_the_waiver_in_the_readme_can_be_loaded(tmp_path: Path) -> None:
    text = (launch.ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    file = tmp_path / "my_waivers.toml"
    file.write_text(block, encoding="utf-8")
    (loaded,) = waivers.load([file], facets=FACETS)
    assert waivers.lint([loaded], waivers.Facts("2.13.0"), datetime.date(2026, 1, 1)) == []


def test_the_readme_is_short_and_its_commands_exist() -> None:
    from tools import cli

    text = (launch.ROOT / "README.md").read_text(encoding="utf-8")
    verbs = set(re.findall(r"\bparity (?!gate`)([a-z]+)\b", "\n".join(re.findall(r"`+[^`]*`+", text))))
    assert verbs <= set(cli.VERBS), verbs
    assert len(text.splitlines()) < 170
