"""The recipes that others copy: the workflow parses, and the scripts run shards and judge them together."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools import cli
from tools.launch import ROOT
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


def test_shards_in_a_shell_come_to_the_verdict_of_the_whole_run(tmp_path: Path) -> None:
    done = run(tmp_path, str(RECIPES / "shards.sh"), "2", "run", *SHORT)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.findall(r"^CONFORMANT: (\d+) cells? on aot_eager", done.stdout, re.MULTILINE)
    first, second, whole = map(int, counts)
    assert first + second == whole
    assert min(first, second) > 0
    assert (tmp_path / "run" / "whole" / "index.html").is_file()


def test_job_array_without_its_last_task_is_not_conformant_and_says_so(tmp_path: Path) -> None:
    script = str(RECIPES / "slurm.sh")
    task = {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2", "TMPDIR": str(tmp_path)}
    done = run(tmp_path, script, *SHORT, **task)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(tmp_path, script)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "shard 2/2 is missing: " in done.stdout


def test_script_without_its_arguments_says_how(tmp_path: Path) -> None:
    done = run(tmp_path, str(RECIPES / "shards.sh"))
    assert (done.returncode, done.stderr) == (2, "usage: shards.sh N FOLDER [options of parity gate]\n")


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


@pytest.mark.parametrize("recipe", [WORKFLOW, *sorted(RECIPES.glob("*.sh"))], ids=lambda path: path.name)
def test_recipes_use_options_that_there_are(recipe: Path) -> None:
    known = {name for each in gate.params for name in each.opts}
    calls = re.findall(r"parity gate (.*(?:\\\n.*)*)", recipe.read_text(encoding="utf-8"))
    used = {option for call in calls for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", call)}
    assert calls
    assert used - {"-eq", "-le"} <= known


def test_command_line_finds_the_verb_that_recipes_call() -> None:
    assert "gate" in cli.VERBS
