"""``parity regen`` from end to end, on small projects: safe under any number of workers, and whenever it is killed."""

from __future__ import annotations

import ast
import itertools
import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from golden.editing import journal
from suites.harness.execution import environment
from suites.selfcheck.golden import project
from tools import pytest_run
from tools.verbs import regen
from tools.verbs.regen import command

#: How often a regeneration is killed at a random moment, and with which seed.
KILLS = int(os.environ.get("PARITY_REGEN_KILLS", "4"))
#: Whether the killed regenerations run the tests too (slower), or apply what was recorded before.
KILLED_WHILE_TESTS_RUN = "PARITY_REGEN_KILLS" in os.environ
SEED = 20

TABLES = '''\
# -*- coding: utf-8 -*-
import pytest
from shared import MORE, check_shared, passed_on


@pytest.mark.parametrize("number, golden", [
    (1, """wrong"""),
    pytest.param(2, """wrong""", id="zwei → é"),
])
def test_table(graph, number, golden):
    graph(number).expect(golden)


@pytest.mark.parametrize("number", range(2))
def test_other_module(graph, number):
    graph(number).expect(MORE[number])


class TestInside:
    def test_one_line(self, graph):
        "é"; graph(3).expect("wrong"); graph(4).expect("wrong"); keep = "wrong"
        assert keep == "wrong"


def test_helpers(graph):
    passed_on(graph(5), golden="wrong")
    check_shared(graph)


def test_text_that_needs_care(graph):
    graph(6, variant="é → 𝄞 \\\\ \\"\\"\\" \\n").expect("")
'''

SHARED = '''\
MORE = {0: """wrong 0""", 1: """wrong 1"""}


def passed_on(graph, golden):
    graph.expect(golden)


def check_shared(graph):
    graph(7).expect("""wrong""")
'''

OTHER_USER = "from shared import check_shared\n\n\ndef test_other_user(graph):\n    check_shared(graph)\n"


def big(root: Path) -> Path:
    """200 goldens in 10 files, every literal wrong."""
    numbers = [range(20 * n, 20 * n + 20) for n in range(10)]
    return project.write(root, {f"test_file_{n}.py": project.goldens(mine) for n, mine in enumerate(numbers)})


def shape(source: str) -> str:
    """The syntax tree with every golden taken out."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value[:4] in ("wron", "def ", ""):
            node.value = "golden"
    return ast.dump(tree)


def literals(root: Path) -> dict[str, list[str]]:
    return {
        path.name: [
            str(node.args[0].value)
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
            and getattr(node.func, "attr", "") == "expect"
            and isinstance(node.args[0], ast.Constant)
        ]
        for path in sorted(root.glob("test_*.py"))
    }


def test_two_hundred_wrong_literals_at_once(tmp_path: Path) -> None:
    before = {path.name: path.read_text() for path in big(tmp_path).glob("test_*.py")}
    result = project.regen(tmp_path, "--accept", "-n", "2", "--dist", "worksteal")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "200 applied in 10 files" in result.stdout
    assert "the touched tests pass" in result.stdout
    found = literals(tmp_path)
    for number, name in enumerate(f"test_file_{n}.py" for n in range(10)):
        assert shape(before[name]) == shape((tmp_path / name).read_text())
        constants = [re.search(r"primals_1, (\d+)\.5", text) for text in found[name]]
        assert [int(match[1]) for match in constants if match] == list(range(20 * number, 20 * number + 20))


def test_tables_helpers_one_line_and_text_that_needs_care(tmp_path: Path) -> None:
    project.write(
        tmp_path,
        {
            "test_tables.py": TABLES,
            "test_other_user.py": OTHER_USER.replace("\n", "\r\n"),
            "shared.py": SHARED.replace("\n", "\r\n"),
        },
    )
    result = project.regen(tmp_path, "--accept")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "9 applied in 2 files" in result.stdout
    text = (tmp_path / "test_tables.py").read_text()
    assert shape(text) == shape(TABLES)
    assert 'keep = "wrong"' in text
    assert "é → 𝄞" in text
    assert b"\n" not in (tmp_path / "shared.py").read_bytes().replace(b"\r\n", b"")


def _state(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(root.glob("test_*.py"))}


def test_killed_at_random_moments_the_tree_is_old_or_new(tmp_path: Path) -> None:
    root = project.write(tmp_path / "root", {f"test_{n}.py": project.goldens([n, n + 1]) for n in range(6)})
    old = _state(root)
    options = ["--accept", "--no-verify", "-n", "0"]
    if not KILLED_WHILE_TESTS_RUN:
        options += ["--from", str(project.record(root, tmp_path / "records"))]
    started = time.monotonic()
    assert project.regen(root, *options).returncode == 0
    took = time.monotonic() - started
    new = _state(root)
    assert new != old
    moments = random.Random(SEED)
    for _ in range(KILLS):
        for name, content in old.items():
            (root / name).write_bytes(content)
        process = subprocess.Popen(
            project.regen_command(root, *options),
            cwd=root,
            env=project.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(moments.uniform(0.4, 1.05) * took)
        process.send_signal(signal.SIGKILL)
        process.wait()
        journal.recover(root)
        assert _state(root) in (old, new)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """``parity regen`` in this process, on what the tests of a project would record."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    counter = itertools.count()

    def run(*options: str, answers: str = "", **recorded: Any) -> Result:
        folder = project.record(tmp_path, tmp_path / f"records{next(counter)}", **recorded)
        words = ["--root", str(tmp_path), "--bands", str(tmp_path / "bands"), "--from", str(folder), "--no-verify"]
        return CliRunner().invoke(command, [*words, *options], input=answers)

    return run


def test_listing_changes_nothing_and_check_fails(tmp_path: Path, small: Callable[..., Result]) -> None:
    project.write(tmp_path, {"test_a.py": project.goldens([1]) + project.goldens([2], '""')})
    before = _state(tmp_path)
    result = small("--check", "--json")
    assert result.exit_code == 1
    pending = json.loads(result.stdout)["pending"]
    assert [(edit["category"], edit["line"]) for edit in pending] == [("fix", 2), ("create", 4)]
    assert "2 pending" in result.stderr
    assert small().exit_code == 0
    assert _state(tmp_path) == before


REFUSED = """\
import pytest


@pytest.mark.parametrize("number", [1, 2])
def test_two_values(graph, number):
    graph(number).expect("wrong")


def test_fails_for_another_reason(graph):
    graph(3).expect("wrong")
    assert False, "something else"


@pytest.mark.xfail(reason="a known divergence", strict=True)
def test_waived(graph):
    graph(4).expect("wrong")
    assert False


def test_computed(graph):
    graph(5).expect("wro" + str("ng"))


def test_good(graph):
    graph(6).expect("wrong")
"""


def test_what_is_unsafe_is_refused_in_a_line_each(tmp_path: Path) -> None:
    project.write(tmp_path, {"test_a.py": REFUSED})
    result = project.regen(tmp_path, "--accept")
    assert result.returncode == 1
    assert "1 applied in 1 file, 4 refused" in result.stdout
    lines = [line for line in result.stdout.splitlines() if "refused," in line and "applied" not in line]
    assert len(lines) == 4
    told = "\n".join(lines)
    assert "test_two_values[1] and test_a.py::test_two_values[2] disagree" in told
    assert "test_fails_for_another_reason is fail" in told
    assert "test_waived is xfail" in told
    assert "is computed at" in told
    text = (tmp_path / "test_a.py").read_text()
    assert text.count('"wrong"') == 3
    assert "primals_1, 6.5" in text


def test_what_pytest_says_of_tests_that_fail_is_told_word_for_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids of cells, and folders, stand in brackets as a terminal's markup does."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(tmp_path)
    project.write(tmp_path, {"test_a.py": project.goldens([1], '""')})
    folder = project.record(tmp_path, tmp_path / "records")
    said = "FAILED test_a.py::test_one[aot_eager-train] - no file in [/tmp/cache]"
    monkeypatch.setattr(regen, "_pytest", lambda *words: (1, said))
    words = ["--root", str(tmp_path), "--bands", str(tmp_path / "bands"), "--from", str(folder), "--accept"]
    result = CliRunner().invoke(command, [*words, "--allow-dirty"])
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, said), result.output


def test_ci_is_refused(tmp_path: Path, small: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(tmp_path, {"test_a.py": project.goldens([1])})
    monkeypatch.setenv("CI", "true")
    result = small("--accept")
    assert result.exit_code == 2
    assert "refused in CI" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert small("--check").exit_code == 1


def test_uncommitted_changes_are_refused_unless_told(tmp_path: Path, small: Callable[..., Result]) -> None:
    project.write(tmp_path, {"test_a.py": project.goldens([1]), "test_b.py": project.goldens([2])})
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env=project.environment())
    (tmp_path / "test_b.py").write_text("# edited\n" + project.goldens([2]))
    result = small("--accept")
    assert result.exit_code == 1
    assert "test_b.py: refused, it has uncommitted changes; commit, or --allow-dirty" in result.stdout
    assert "primals_1, 1.5" in (tmp_path / "test_a.py").read_text()
    assert "wrong" in (tmp_path / "test_b.py").read_text()
    assert small("--accept", "--allow-dirty").exit_code == 0
    assert "primals_1, 2.5" in (tmp_path / "test_b.py").read_text()


def test_a_file_that_changed_after_recording_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    project.write(tmp_path, {"test_a.py": project.goldens([1])})
    folder = project.record(tmp_path, tmp_path / "records")
    (tmp_path / "test_a.py").write_text("# one more line\n" + project.goldens([1]))
    result = CliRunner().invoke(command, ["--root", str(tmp_path), "--from", str(folder), "--accept"])
    assert result.exit_code == 1
    assert "the literal is not there any more; record again" in result.stdout.replace("\n", " ")


def test_a_test_that_gives_another_graph_each_time_is_refused(tmp_path: Path) -> None:
    source = "import os\n\n\ndef test_unstable(graph):\n    graph(os.getpid()).expect('wrong')\n"
    project.write(tmp_path, {"test_a.py": source})
    result = project.regen(tmp_path, "--accept")
    assert result.returncode == 1
    assert "two graphs in two runs of test_a.py::test_unstable" in result.stderr


def test_review_asks_for_every_edit(tmp_path: Path, small: Callable[..., Result]) -> None:
    project.write(tmp_path, {"test_a.py": project.goldens([1, 2, 3, 4])})
    result = small("--review", answers="a\n?\nr\ns\nq\n")
    assert "1 applied in 1 file, 1 rejected" in result.stdout
    assert "[1/4] fix test_a.py:2" in result.stdout
    assert "+    mul = torch.ops.aten.mul.Tensor(primals_1, 1.5)" in result.stdout
    assert "reject all of this kind" in result.stdout
    text = (tmp_path / "test_a.py").read_text()
    assert [f"primals_1, {n}.5" in text for n in (1, 2, 3, 4)] == [True, False, False, False]
    assert "3 applied in 1 file" in small("--review", answers="A\n").stdout


def test_end_of_input_in_a_review_changes_nothing(tmp_path: Path, small: Callable[..., Result]) -> None:
    project.write(tmp_path, {"test_a.py": project.goldens([1, 2])})
    before = _state(tmp_path)
    assert small("--review", answers="a\n").exit_code != 0
    assert _state(tmp_path) == before


def test_bands_hold_what_another_torch_gives(tmp_path: Path) -> None:
    text = project.right([1, 2])
    other = text.replace("graph(1)", "graph(9)")
    project.write(tmp_path, {"test_a.py": other})
    newer = {"FAKE_TORCH": "2.15.0"}
    result = project.regen(tmp_path, "--accept", **newer)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "test_a.py").read_text() == other, "off the baseline literals stay"
    (band,) = (tmp_path / "bands").glob("*.toml")
    assert 'torch = ">=2.15,<2.16"' in band.read_text()
    (tmp_path / "test_a.py").write_text(text)
    assert project.regen(tmp_path, "--accept", "--no-verify", **newer).returncode == 0
    assert not band.exists(), "the literal says it all again"


def test_goldens_that_nothing_reaches_are_found_on_full_runs(tmp_path: Path, small: Callable[..., Result]) -> None:
    source = project.right([1, 2]).replace("def test_2", "def not_a_test_2")
    project.write(tmp_path, {"test_a.py": source})
    assert "no test reaches" not in small("--accept").stdout
    assert "1 literals that no test reaches" in small(full_run=True).stdout
    assert small("--accept", full_run=True).exit_code == 0
    assert (tmp_path / "test_a.py").read_text() == source
    assert small("--accept", "--only", "trim", full_run=True).exit_code == 0
    assert 'graph(2).expect("")' in (tmp_path / "test_a.py").read_text()


def test_bands_of_goldens_that_are_gone_are_dropped_on_full_runs(tmp_path: Path, small: Callable[..., Result]) -> None:
    project.write(tmp_path, {"test_a.py": project.goldens([1, 2])})
    assert small("--accept", torch="2.15.0").exit_code == 0
    (band,) = (tmp_path / "bands").glob("*.toml")
    assert band.read_text().count("[[band]]") == 2
    (tmp_path / "test_a.py").write_text(project.goldens([1]))
    assert "trim  1" in small(torch="2.15.1", full_run=True).stdout
    assert small("--accept", torch="2.15.1", full_run=True).exit_code == 0
    assert band.read_text().count("[[band]]") == 1


@pytest.mark.parametrize(
    "options, message",
    [(["--root", "/nonexistent"], "does not exist"), (["nowhere.py"], "nowhere.py"), (["--only", "x"], "--only")],
)
def test_wrong_usage_is_told(options: list[str], message: str) -> None:
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_cells_run_in_forks_of_one_process_unless_workers_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: list[list[str]] = []

    def run(line: list[str], log: object) -> int:
        typed.append(line)
        return 0

    monkeypatch.setattr(pytest_run, "run", run)
    monkeypatch.setattr(environment, "worker_limit", lambda: 3)
    for options in ([], ["-n", "2"]):
        CliRunner().invoke(command, ["--root", str(tmp_path), "--bands", str(tmp_path / "bands"), *options])
    forks, workers = typed
    assert {"-n0", "--at-once=3"} <= set(forks)
    assert "--dist" not in forks
    assert workers[workers.index("-n") + 1] == "2"
    assert "--at-once=3" not in workers
