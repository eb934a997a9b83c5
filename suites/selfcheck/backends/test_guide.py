"""The guide for authors of backends works as it stands: its files, its commands, and what it says they come to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from suites.harness.backends import adapters
from suites.harness.results.ledger import read
from tools import launch

PAGE = (Path(adapters.__file__).parent / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder in which the page was followed, and what each of its commands said."""
    folder = tmp_path_factory.mktemp("guide")
    for name, text in re.findall(r"^```python\n# (\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PARITY_"))}
    environment |= {"PYTHONPATH": str(launch.ROOT), "COLUMNS": "160"}
    shell = f'parity() {{ "{sys.executable}" -m tools.cli "$@"; }}\n'
    said = []
    for command in "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)).splitlines():
        ran = subprocess.run(
            ["sh", "-c", shell + command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        said.append(f"{ran.stdout}{ran.stderr}\nexit code {ran.returncode}")
    return folder, said


def test_each_command_comes_to_what_the_page_says(followed: tuple[Path, list[str]]) -> None:
    _, (checked, gate, update, again) = followed
    assert checked.endswith("exit code 0"), checked
    assert "no_grad" in checked
    assert gate.endswith("exit code 1"), gate
    fallback = re.search(r"executed by the backend: 0 of (\d+) cells in which (\S+) is equal to eager", gate)
    assert fallback, gate
    assert fallback[0] in PAGE
    matrix = re.search(r"^ backend .*fallback$\n.*\n^ adding:compile_graph .*$", PAGE, re.MULTILINE)
    assert matrix, PAGE
    assert matrix[0] in "\n".join(map(str.rstrip, gate.splitlines())), gate
    assert "claims no other" in gate
    assert update.endswith("exit code 0"), update
    assert "fallback:torch executed the whole graph" in update
    assert again.endswith("exit code 0"), again
    assert "CONFORMANT, with nothing executed by the backend, in 5 of" in again


def test_the_header_names_version_and_what_was_asked(followed: tuple[Path, list[str]]) -> None:
    folder, _ = followed
    book = read([folder / "parity-report" / "ledger.jsonl"])
    assert book.header["backends"] == {"adding:compile_graph": "0.1"}
    assert "executions watched" in json.dumps(book.header)
    assert {cell.executed for cell in book.cells.values()} == {False}
    assert {cell.outcome for cell in book.cells.values()} == {"fallback"}


def test_every_attribute_that_is_read_is_on_the_page() -> None:
    source = Path(adapters.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r"parity_\w+", source)) == set(re.findall(r"parity_\w+", PAGE))
