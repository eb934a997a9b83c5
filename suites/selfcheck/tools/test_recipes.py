"""The recipes that others copy: the workflow parses, and the scripts run shards and judge them together."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import yaml

from suites.harness.results import ledger
from tools import cli
from tools.launch import ROOT
from tools.verbs.doctor import command as doctor
from tools.verbs.gate import command as gate

RECIPES = ROOT / "tools" / "recipes"
WORKFLOW = ROOT / ".github" / "workflows" / "conformance.yml"
#: A run that is short: the 16 clauses of a family, a variant each.
SHORT = ("--family", "side_effects", "--backend", "aot_eager", "--profile", "smoke", "-n", "1")


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script of the recipes, with a `parity` that is this checkout's."""
    there = folder / "bin"
    there.mkdir(exist_ok=True)
    shim = there / "parity"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tools.cli "$@"\n')
    shim.chmod(0o755)
    path = f"{there}{os.pathsep}{os.environ['PATH']}"
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "SLURM_"))}
    return subprocess.run(
        words,
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(ROOT), "PATH": path, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.mark.in_turn(2, 3)
def test_shards_in_a_shell_come_to_the_verdict_of_the_whole_run(tmp_path: Path) -> None:
    done = run(tmp_path, str(RECIPES / "shards.sh"), "2", "run", *SHORT)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = re.findall(
        r"^CONFORMANT in (\d+) of .* cells of \w+ \(shard [12]/2\) on aot_eager", done.stdout, re.MULTILINE
    )
    wholes = re.findall(r"^CONFORMANT in (?:\d+ of )?the .* (\d+) cells of \w+ on aot_eager", done.stdout, re.MULTILINE)
    first, second, whole = map(int, [*parts, *wholes])
    assert first + second == whole
    assert min(first, second) > 0
    assert (tmp_path / "run" / "whole" / "index.html").is_file()


@pytest.mark.in_turn(1, 3)
def test_job_array_without_its_last_task_is_not_conformant_and_says_so(tmp_path: Path) -> None:
    script = str(RECIPES / "slurm.sh")
    task = {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2", "TMPDIR": str(tmp_path)}
    done = run(tmp_path, script, *SHORT, **task)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(tmp_path, script)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "shard 2/2 is missing: " in done.stdout


@pytest.mark.in_turn(0, 3)
def test_releases_run_in_turn_and_each_refreshes_its_record(tmp_path: Path) -> None:
    """Of three environments one has another release of torch, and one none: that is told, and the others run."""
    said = "import importlib.metadata as m, torch; m.version = lambda name: '2.99.0'; torch.__version__ = '2.99.0+cpu'"
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(said)
    pythons = {
        "one": f'exec "{sys.executable}" "$@"',
        "none": "exit 1",
        "newest": f'export PYTHONPATH="{site}:$PYTHONPATH"; exec "{sys.executable}" "$@"',
    }
    for name, line in pythons.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    kept = tmp_path / "kept"
    names = [str(tmp_path / name) for name in pythons]
    done = run(tmp_path, str(RECIPES / "releases.sh"), "runs", *names, "--", *SHORT, PARITY_RECORDS=str(kept))
    version = importlib.metadata.version("torch")
    assert done.stdout.splitlines()[-3:] == [
        f"torch {version}: conformant",
        f"{tmp_path / 'none'}: no Python with torch in it",
        "torch 2.99.0: conformant",
    ], done.stdout + done.stderr
    assert done.returncode == 3
    assert "torch 2.99.0+cpu is newer than all that Parity has run on" in done.stdout
    books = [ledger.read([path]) for path in sorted(kept.iterdir())]
    assert [book.header["torch"] for book in books] == [torch.__version__, "2.99.0+cpu"]
    assert {each.family for book in books for each in book.cells.values()} == {"side_effects"}


@pytest.mark.parametrize(
    "script, usage",
    [
        ("shards.sh", "N FOLDER [options of parity gate]"),
        ("releases.sh", "FOLDER PYTHON... [-- options of parity gate]"),
    ],
)
def test_script_without_its_arguments_says_how(script: str, usage: str, tmp_path: Path) -> None:
    done = run(tmp_path, str(RECIPES / script))
    assert (done.returncode, done.stderr) == (2, f"usage: {script} {usage}\n")


def test_workflow_parses_and_its_jobs_stand_on_each_other() -> None:
    data = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    # YAML 1.1 reads the key `on` as a truth value.
    inputs = data[True]["workflow_call"]["inputs"]
    assert [data["jobs"][name].get("needs") for name in ("plan", "shard", "verdict")] == [None, "plan", "shard"]
    text = WORKFLOW.read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(inputs)
    artifacts = [
        step["with"] for job in data["jobs"].values() for step in job["steps"] if "artifact" in step.get("uses", "")
    ]
    assert [each.get("name", each.get("pattern")) for each in artifacts] == [
        "parity-shard-${{ matrix.number }}",
        "parity-shard-*",
        "parity-report",
    ]


def test_workflow_keeps_kernels_where_and_for_what_the_doctor_says() -> None:
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["shard"]["steps"]
    (cache,) = (step for step in steps if step.get("uses", "").startswith("actions/cache"))
    asked = steps[steps.index(cache) - 1]
    used = re.fullmatch(r'parity doctor (--\w+) >> "\$GITHUB_OUTPUT"', asked["run"])
    assert used is not None
    assert used[1] in {name for each in doctor.params for name in each.opts}
    told = {name for text in cache["with"].values() for name in re.findall(r"steps\.kernels\.outputs\.(\w+)", text)}
    assert (asked["id"], told) == ("kernels", {"path", "key"})
    assert cache["with"]["key"].startswith(cache["with"]["restore-keys"])


@pytest.mark.parametrize("recipe", [WORKFLOW, *sorted(RECIPES.glob("*.sh"))], ids=lambda path: path.name)
def test_recipes_use_options_that_there_are(recipe: Path) -> None:
    known = {name for each in gate.params for name in each.opts}
    calls = re.findall(r"parity gate (.*(?:\\\n.*)*)", recipe.read_text(encoding="utf-8"))
    used = {option for call in calls for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", call)}
    assert calls
    assert used - {"-eq", "-le"} <= known


def test_command_line_finds_the_verb_that_recipes_call() -> None:
    assert "gate" in cli.VERBS
