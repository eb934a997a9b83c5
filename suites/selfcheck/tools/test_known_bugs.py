"""Known bugs: read with clear errors, matched on cell, fingerprint and place, linted, rewritten and converted."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from suites.fuzz.campaigns import known
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import fell_back
from suites.harness.results import known_bugs, places, rewriting
from suites.harness.results.answering import Answering
from suites.harness.results.evidence import Evidence
from suites.harness.results.known_bugs import Bug, Cells, KnownBugsError, Registry
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.linting import HINTS, Facts, lint
from suites.harness.results.outcomes import Outcome
from suites.harness.results.places import Environment
from suites.selfcheck.tools import synthetic

HERE = Environment("2.13.0+cpu", "cpu", "Linux-6.1-x86_64")
TODAY = datetime.date(2026, 1, 1)
GOOD = """\
backend = "inductor"

[[bug]]
id = "detached-alias"
reason = "gradient lost"
link = "https://github.com/pytorch/pytorch/pull/195357"
seen = "torch>=2.13,<2.14"
expires = 2026-12-31

[[bug.cells]]
clause = "aliasing/outputs/*"
fingerprint = "inductor:autograd:gradient missing"

[[bug.finds]]
title = "A gradient is lost"
fingerprint = ["inductor:autograd:gradient missing", "inductor:autograd:gradient*"]
operators = ["detach"]
program = "detached.py"
"""
OLD = """\
backend = "inductor"

[[waiver]]
id = "lost-inductor"
clause = "aliasing/outputs/detached"
variant = "train-*"
facet = "autograd"
fingerprint = "inductor:autograd:gradient missing"
torch = ">=2.13,<2.14"
reason = "gradient lost"
link = "none known"
finding = "lost"
expires = 2026-12-31

[[waiver]]
id = "lost-inductor-2"
clause = "aliasing/outputs/detached"
variant = "train-*"
facet = "autograd"
fingerprint = "inductor:autograd:is_leaf differs"
torch = ">=2.13,<2.14"
reason = "gradient lost"
link = "none known"
finding = "lost"
expires = 2026-12-31

[[waiver]]
id = "lost-aot-eager"
clause = "aliasing/outputs/other"
backend = "aot_eager"
facet = "error"
fingerprint = "*raised*Error"
torch = ">=2.11,<2.14"
reason = "gradient lost"
link = "none known"
finding = "lost"
expires = 2026-12-31
"""
MISSING = Divergence("autograd", "gradient missing", "call 0: grad[0]", "tensor", "None", layer="inductor")
WRONG = Divergence("value", "values differ", "call 0: out[0]", "1", "2", layer="inductor")
CRASH = Divergence("crash", "signal 11", "call 0", "a result", "SIGSEGV", silent=False, layer="inductor")
CELLS = Cells(("aliasing/outputs/*",), ("inductor:autograd:gradient missing",), backends=("inductor",), line=10)


def write(tmp_path: Path, text: str, name: str = "mine.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def bug(cells: Cells = CELLS, **changes: object) -> Bug:
    base = Bug(
        id="detached-alias",
        reason="gradient lost",
        links=("https://example.org/1",),
        seen=("torch>=2.13,<2.14",),
        expires=datetime.date(2026, 12, 31),
        cells=(cells,),
        source="mine.toml",
        line=3,
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def of_cells(**changes: object) -> Bug:
    return bug(dataclasses.replace(CELLS, **changes))  # type: ignore[arg-type]


def cell(
    outcome: str,
    *divergences: Divergence,
    clause: str = "aliasing/outputs/detached",
    backend: str = "inductor",
    variant: str = "train-static-plain",
) -> Cell:
    return synthetic.cell(outcome, clause, backend, divergences=list(divergences), variant=variant)


def judge(outcome: str, *divergences: Divergence, by: Bug | None = None) -> tuple[Outcome, list[str]]:
    judged = Registry([by or bug()]).judge(cell(outcome, *divergences), HERE)
    return judged.outcome, judged.bugs


def test_a_file_gives_its_backend_to_all_its_cells(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    (loaded,) = known_bugs.load([path]).bugs.values()
    (expected,) = loaded.expectations()
    assert (expected.backend, expected.variant, expected.place) == ("inductor", "*", f"{path}:10")
    assert (loaded.line, loaded.expires) == (3, datetime.date(2026, 12, 31))
    assert known_bugs.load([write(tmp_path, GOOD.replace("clause =", 'backend = "mine"\nclause ='))]).of_cell(
        "aliasing/outputs/x", "mine", "train", HERE
    )


def test_torchs_own_can_be_read_and_campaigns_have_their_finds() -> None:
    registry = known_bugs.load(known_bugs.default_files())
    assert sum(len(list(each.expectations())) for each in registry.bugs.values()) > len(registry.bugs)
    assert all(each.cells or each.finds for each in registry.bugs.values())
    found = known.load(registry)
    assert {entry.id for entry in found} <= set(registry.bugs)
    frozen = {name for each in registry.expectations() if (name := each.clause.partition("(program=")[2][:-1])}
    programs = {path.stem for path in known.PROGRAMS.glob("*.py")}
    assert frozen <= programs
    assert programs == {entry.program.removesuffix(".py") for entry in found}


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("reason =", "reson =", "mine.toml:3: bug 'detached-alias': unknown key 'reson'; did you mean 'reason'?"),
        ("clause =", "clase =", "bug 'detached-alias': cells in line 10: unknown key 'clase'; did you mean 'clause'?"),
        (":autograd:gradient missing", ":autogrd:gradient", "names no facet; did you mean 'autograd'?"),
        ('clause = "', 'facet = "valeu"\nclause = "', "unknown facet 'valeu'; did you mean 'value'?"),
        ("2026-12-31", '"soon"', "key 'expires' must be a date like 2027-06-30, not 'soon'"),
        ('"torch>=2.13,<2.14"', '"2.13-ish"', "key 'seen' must be like 'torch>=2.13,<2.15'"),
        ('"torch>=2.13,<2.14"', '"torch2.13"', "key 'seen' must be like 'torch>=2.13,<2.15'"),
        ('id = "detached-alias"\nreason = "gradient lost"\n', "", "bug number 1: keys 'id', 'reason' missing"),
        ('"gradient lost"', '" "', "key 'reason' must be text that is not empty"),
        ('"gradient lost"', "7", "key 'reason' must be text that is not empty, or a list of such, not 7"),
        ('"gradient lost"', '["a", "b"]', "key 'reason' must be one text"),
        ('"aliasing/outputs/*"', "[]", "key 'clause' must be text that is not empty, or a list"),
        ('backend = "inductor"', 'backends = "a"', "at the top: unknown key 'backends'; did you mean 'backend'?"),
        ("[[bug.cells]]", "[bug.cells]", "write each of 'cells' as a table [[...]] of its own"),
        ('reason = "gradient lost"', 'reason "gradient lost"', "mine.toml:5:8: not TOML:"),
        ('"https:', '"""https:', "mine.toml:19:1: not TOML:"),
    ],
)
def test_bad_input_is_one_line_that_says_where(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(KnownBugsError) as caught:
        known_bugs.load([path])
    message = str(caught.value)
    assert said in message
    assert message.startswith(str(path))
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "key"), [("bug = 3\n", "bug"), ('bug = "all"\n', "bug"), ('[[bug]]\nid = "a"\ncells = true\n', "cells")]
)
def test_tables_that_are_none_are_told_by_their_key(tmp_path: Path, text: str, key: str) -> None:
    more = 'reason = "r"\nlink = "none known"\nseen = "torch>=2.13"\nexpires = 2027-01-01\n' if key == "cells" else ""
    with pytest.raises(KnownBugsError, match=rf"write each of '{key}' as a table \[\[\.\.\.\]\] of its own, not as"):
        known_bugs.load([write(tmp_path, text + more)])


def test_id_of_a_new_bug_is_short_however_long_the_name_of_its_backend(tmp_path: Path) -> None:
    names = ("mine", "my_package.backends:compile_graph", "my_package:made()", 'mine?{"a":{"b":1},"c":2}')
    cells = [
        synthetic.cell("fail", backend=name, divergences=[synthetic.divergence(layer=name, kind="NaN: a:b")])
        for name in names
    ]
    about = Bug("", "r", ("none known",), (), datetime.date(2027, 1, 1))
    new = rewriting.missing(Registry([]), [synthetic.ledger(*cells)], about)
    ids = [bug.id for bug in new]
    assert ids[:3] == ["mine-value-NaN-a-b", "my_package-compile_graph-value-NaN-a-b", "my_package-made-value-NaN-a-b"]
    assert ids[3].startswith("mine-value-NaN-a-b-")


def test_files_that_were_written_for_two_backends_are_read_together(tmp_path: Path) -> None:
    about = Bug("", "r", ("none known",), ("torch>=2.13",), datetime.date(2027, 1, 1))
    files = []
    for package in ("theirs", "ours"):
        name = f"{package}.backend:compile_graph"
        failed = synthetic.cell("fail", backend=name, divergences=[synthetic.divergence(layer=name)])
        (new,) = rewriting.missing(Registry([]), [synthetic.ledger(failed)], about)
        files.append(tmp_path / f"{package}.toml")
        files[-1].write_text(rewriting.text_of(new))
    assert len(known_bugs.load(files).bugs) == 2


def test_every_faulty_entry_of_a_file_is_told_at_once_by_its_line(tmp_path: Path) -> None:
    head = '[[bug]]\nid = "{}"\nreason = "r"\nlink = "none known"\nseen = "torch>=2.13"\nexpires = 2027-01-01\n'
    cells = '[[bug.cells]]\nclause = "a/b/c"\nfingerprint = "x:value:y"\n'
    texts = [head.format("fine") + cells, '[[bug]]\nid = "bare"\n' + cells, head.format("cells") + "[[bug.cells]]\n"]
    file = tmp_path / "mine.toml"
    file.write_text("".join(texts))
    with pytest.raises(KnownBugsError) as raised:
        known_bugs.load([file])
    assert str(raised.value).splitlines() == [
        f"{file}:10: bug 'bare': keys 'reason', 'link', 'seen', 'expires' missing",
        f"{file}:15: bug 'cells': cells in line 21: keys 'clause', 'fingerprint' missing",
    ]
    file.write_text(texts[0] + "[[bug]]\n" * (known_bugs.TOLD + 2))
    with pytest.raises(KnownBugsError) as raised:
        known_bugs.load([file])
    assert len(str(raised.value).splitlines()) == known_bugs.TOLD + 1
    assert str(raised.value).endswith(f"{file}: 2 more like these")


def test_a_missing_file_the_old_form_and_an_id_used_twice_are_errors(tmp_path: Path) -> None:
    with pytest.raises(KnownBugsError, match="cannot read this file of known bugs: No such file"):
        known_bugs.load([tmp_path / "none.toml"])
    with pytest.raises(KnownBugsError, match=r"the old form; type: parity waivers convert .*old.toml >"):
        known_bugs.load([write(tmp_path, OLD, "old.toml")])
    with pytest.raises(KnownBugsError, match=r"other.toml:3: .* id already used at .*mine.toml:3"):
        known_bugs.load([write(tmp_path, GOOD), write(tmp_path, GOOD, "other.toml")])


@pytest.mark.parametrize(
    "torch, applies",
    [
        ("2.13.0+cpu", True),
        ("2.13.1", True),
        ("2.14.0a0+git1234", False),
        ("2.12.0", False),
        ("2.13.0.dev20260101", True),
        ("", False),
    ],
)
def test_the_release_is_held_against_the_base_version(torch: str, applies: bool) -> None:
    found = Registry([bug()]).of_cell("aliasing/outputs/x", "inductor", "train", Environment(torch))
    assert bool(found) is applies


@pytest.mark.parametrize(
    "seen, applies",
    [
        (("torch on cpu",), True),
        (("torch on cuda",), False),
        (("torch>=2.13 on cuda", "torch>=2.13 on Linux*"), True),
        (("torch>=2.14 on cpu",), False),
    ],
)
def test_a_place_may_name_a_device_or_a_platform(seen: tuple[str, ...], applies: bool) -> None:
    assert (judge("pass", by=bug(seen=seen))[0] is Outcome.UNEXPECTED_PASS) is applies
    assert (judge("pass", by=of_cells(seen=seen))[0] is Outcome.UNEXPECTED_PASS) is applies


def test_brackets_in_patterns_stand_for_themselves() -> None:
    named = of_cells(fingerprints=("inductor:autograd:gradient of [0] *",))
    assert judge("fail", dataclasses.replace(MISSING, kind="gradient of [0] missing"), by=named)[0] is Outcome.KNOWN
    assert judge("fail", dataclasses.replace(MISSING, kind="gradient of 0 missing"), by=named)[0] is Outcome.FAIL


def test_only_a_cell_whose_every_divergence_is_known_is_known() -> None:
    assert judge("fail", MISSING) == (Outcome.KNOWN, ["detached-alias"])
    assert judge("fail", MISSING, WRONG) == (Outcome.FAIL, ["detached-alias"])
    assert judge("fail", WRONG) == (Outcome.FAIL, [])
    assert judge("fail") == (Outcome.FAIL, [])
    assert judge("error", MISSING) == (Outcome.ERROR, [])


def test_what_comes_from_a_layer_below_needs_no_entry_beside_a_known_bug() -> None:
    below = dataclasses.replace(WRONG, layer="aot_eager")
    assert judge("fail", MISSING, below) == (Outcome.KNOWN, ["detached-alias"])
    assert judge("fail", MISSING, below, WRONG) == (Outcome.FAIL, ["detached-alias"])
    assert judge("fail", WRONG, below) == (Outcome.FAIL, [])
    assert judge("inherited", below) == (Outcome.INHERITED, [])


def test_what_is_known_of_a_layer_explains_what_a_cell_has_from_there_and_no_pass_of_it() -> None:
    of_dynamo = dataclasses.replace(MISSING, layer="eager")
    known = Registry([of_cells(backends=("eager",), fingerprints=("eager:autograd:gradient missing",))])
    answering = Answering(frozenset(["aot_eager", "inductor"]), frozenset([cell("pass", backend="aot_eager").id]))

    def found(outcome: str, backend: str, *divergences: Divergence) -> Outcome:
        return known.judge(cell(outcome, *divergences, backend=backend), HERE, answering).outcome

    assert found("inherited", "aot_eager", of_dynamo) is Outcome.KNOWN
    assert found("inherited", "aot_eager", of_dynamo, dataclasses.replace(WRONG, layer="eager")) is Outcome.FAIL
    assert found("inherited", "inductor", of_dynamo) is Outcome.INHERITED
    assert found("pass", "aot_eager") is Outcome.PASS
    lost = dataclasses.replace(CRASH, layer="eager")
    assert found("inherited", "aot_eager", lost) is Outcome.CRASH


def test_a_known_failure_that_fails_differently_is_new() -> None:
    assert judge("fail", dataclasses.replace(MISSING, kind="gradient doubled"))[0] is Outcome.FAIL
    assert judge("fail", MISSING, by=of_cells(facets=("value",)))[0] is Outcome.FAIL


def test_a_pass_where_a_bug_is_known_is_counted() -> None:
    assert judge("pass") == (Outcome.UNEXPECTED_PASS, ["detached-alias"])
    assert judge("pass", by=of_cells(variants=("no_grad*",))) == (Outcome.PASS, [])


def test_nothing_follows_from_a_bug_of_chance_that_does_not_show(tmp_path: Path) -> None:
    chance = bug(by_chance="Which kernel runs is chosen by timing.")
    assert judge("pass", by=chance) == (Outcome.PASS, [])
    assert judge("fail", MISSING, by=chance) == (Outcome.KNOWN, ["detached-alias"])
    assert judge("fail", WRONG, by=chance) == (Outcome.FAIL, [])
    assert kinds([chance], Facts(HERE, runs=(Evidence(HERE, [cell("pass")]),))) == []
    assert seen_again(chance, [ran(cell("pass"))]) is chance
    (read,) = known_bugs.load([write(tmp_path, rewriting.text_of(chance))]).bugs.values()
    assert read.by_chance == chance.by_chance


def test_a_crash_can_be_known() -> None:
    lost = of_cells(fingerprints=("inductor:crash:signal 11",))
    assert judge("crash", CRASH, by=lost) == (Outcome.KNOWN, ["detached-alias"])
    assert judge("crash", CRASH) == (Outcome.CRASH, [])
    assert [each.expects_a_loss for each in (*lost.expectations(), *bug().expectations())] == [True, False]


def kinds(bugs: list[Bug], facts: Facts, today: datetime.date = TODAY) -> list[str]:
    return [problem.kind for problem in lint(Registry(bugs), facts, today)]


def test_lint_names_what_matches_no_clause_only_when_all_are_known() -> None:
    facts = Facts(HERE, frozenset({"aliasing/output/detached"}), whole=True)
    (problem,) = lint(Registry([of_cells(clauses=("aliasing/outputs/detached",))]), facts, TODAY)
    assert problem.kind == "unmatched"
    assert "did you mean 'aliasing/output/detached'?" in problem.message
    assert str(problem).startswith("mine.toml:10: bug 'detached-alias': ")
    assert kinds([bug()], dataclasses.replace(facts, whole=False)) == []
    assert kinds([bug(seen=("torch>=3",))], facts) == []
    for pattern in ("*/detached", "aliasing/output/de?ached", "*"):
        assert kinds([of_cells(clauses=(pattern,))], facts) == []


def test_lint_leaves_alone_what_only_a_later_profile_runs() -> None:
    facts = Facts(HERE, frozenset({"aliasing/output/detached"}), whole=True, later=frozenset({"operators/table/row"}))
    assert kinds([of_cells(clauses=("operators/table/row(operator=add)",))], facts) == []
    assert kinds([of_cells(clauses=("operators/table/*",))], facts) == []
    assert kinds([of_cells(clauses=("operators/table/other(operator=add)",))], facts) == ["unmatched"]
    assert kinds([of_cells(clauses=("operators/tables/*",))], facts) == ["unmatched"]


def test_lint_leaves_alone_what_only_another_device_runs() -> None:
    there = {"on_other_devices": {"errors": ["errors/values/halves"], "gpu": 52}}
    book = synthetic.ledger(synthetic.cell(clause="aliasing/output/detached"), configuration=there)
    facts = Facts.of(book, whole=True)
    assert kinds([of_cells(clauses=("errors/values/halves",))], facts) == []
    assert kinds([of_cells(clauses=("errors/values/thirds",))], facts) == ["unmatched"]


def test_lint_leaves_alone_what_only_a_backend_has_that_did_not_run() -> None:
    """A gate on one backend collects no clause that is for others alone."""
    there = synthetic.ledger(synthetic.cell(clause="aliasing/output/detached", backend="inductor"))
    facts = Facts.of(there, whole=True)
    assert kinds([of_cells(clauses=("aliasing/keys/number",), backends=("inductor_cached",))], facts) == []
    assert kinds([of_cells(clauses=("aliasing/keys/number",), backends=("ind*",))], facts) == ["unmatched"]


def test_lint_names_a_link_that_is_none_and_a_date_gone_by() -> None:
    facts = Facts(HERE)
    assert kinds([bug(links=("see Slack",))], facts) == ["link"]
    assert kinds([bug(links=("none known",))], facts) == []
    assert kinds([bug(expires=TODAY)], facts) == []
    assert kinds([bug(expires=TODAY - datetime.timedelta(days=1))], facts) == ["expired"]


@pytest.mark.parametrize(
    ("fingerprint", "wrong"),
    [
        ("*:alais:view lost*", "has no facet 'alais'; did you mean 'alias'?"),
        ("*:alais:*", "has no facet 'alais'; did you mean 'alias'?"),
        ("my_backend:compile_graph:valeu:*", "has no facet 'valeu'; did you mean 'value'?"),
        ("inductor:nonsense:values*", "has no facet 'nonsense'; known: value, "),
        ("inductor:autograd:*", ""),
        ("inductor:reuse:alais:*", ""),
        ("my_backend:compile_graph:*", ""),
        ("*raised*AssertionError: Encountered a set_: x", ""),
        ("inductor:*RuntimeError: *tensor*", ""),
        ("inductor:*", ""),
        ("*", ""),
    ],
)
def test_lint_names_a_facet_that_there_is_not(fingerprint: str, wrong: str) -> None:
    about = of_cells(fingerprints=(fingerprint,), backends=("my_backend:compile_graph",))
    told = list(map(str, lint(Registry([about]), Facts(HERE), TODAY)))
    assert len(told) == bool(wrong)
    assert all(f"mine.toml:10: bug 'detached-alias': fingerprint {fingerprint!r} {wrong}" in line for line in told)


def test_lint_names_cells_of_no_backend(tmp_path: Path) -> None:
    def told(text: str) -> list[str]:
        known = known_bugs.load([write(tmp_path, text)])
        return [f"{problem.kind} {problem.source}" for problem in lint(known, Facts(HERE), TODAY)]

    nowhere = GOOD.replace('backend = "inductor"\n', "")
    assert told(GOOD) == []
    assert told(nowhere) == [f"backend {tmp_path / 'mine.toml'}:9"]
    assert told(nowhere.replace("[[bug.cells]]\n", '[[bug.cells]]\nbackend = "*"\n')) == []
    (of_all,) = known_bugs.load([write(tmp_path, nowhere)]).bugs.values()
    assert told(rewriting.text_of(of_all)) == []


def test_lint_names_each_part_that_nothing_shows_any_more() -> None:
    def facts(*cells: Cell) -> Facts:
        return Facts(HERE, runs=(Evidence(HERE, cells),))

    assert kinds([bug()], facts(cell("pass"), cell("fail", WRONG))) == ["passes"]
    assert kinds([bug()], facts(cell("pass"), cell("fail", MISSING))) == []
    assert kinds([bug()], facts(cell("skip"), cell("error"))) == []
    assert kinds([bug()], facts(cell("pass", clause="mutation/inputs/add_"))) == []
    two = of_cells(fingerprints=(MISSING.fingerprint, WRONG.fingerprint))
    (problem,) = lint(Registry([two]), facts(cell("fail", MISSING)), TODAY)
    assert "expects 'inductor:value:values differ' of 'aliasing/outputs/*' on inductor, which the one" in str(problem)


def test_sixty_thousand_entries_are_linted_in_seconds() -> None:
    many = [bug(Cells((f"operators/ops/{n}",), ("*:value:*",)), id=str(n)) for n in range(60_000)]
    cells = tuple(cell("fail", WRONG, clause=f"operators/ops/{number}") for number in range(0, 60_000, 10))
    facts = Facts(
        HERE, frozenset(f"operators/ops/{number}" for number in range(59_000)), True, (Evidence(HERE, cells),)
    )
    started = time.process_time()
    problems = lint(Registry(many), facts, TODAY)
    assert time.process_time() - started < 10
    assert len(problems) == 1000
    assert sum("did you mean" in problem.message for problem in problems) == HINTS


def test_text_of_a_bug_reads_as_the_bug(tmp_path: Path) -> None:
    def plain(bugs: Registry) -> list[Bug]:
        cut = (dataclasses.replace(each, cells=rewriting.together(each.cells)) for each in bugs.bugs.values())
        return [dataclasses.replace(each, source="", line=0) for each in cut]

    first = known_bugs.load([write(tmp_path, GOOD), *known_bugs.default_files()])
    again = write(tmp_path, "\n\n".join(map(rewriting.text_of, first.bugs.values())), "again.toml")
    assert plain(known_bugs.load([again])) == plain(first)


def test_converting_loses_nothing(tmp_path: Path) -> None:
    (converted,) = rewriting.converted([write(tmp_path, OLD, "old.toml")])
    assert (converted.id, converted.seen, len(converted.cells)) == ("lost", ("torch>=2.13,<2.14",), 2)
    expected = {
        (each.clause, each.backend, each.variant, each.facet, each.fingerprint, each.cells.seen or each.bug.seen)
        for each in converted.expectations()
    }
    here, clause = ("torch>=2.13,<2.14",), "aliasing/outputs/detached"
    assert expected == {
        (clause, "inductor", "train-*", "*", "inductor:autograd:gradient missing", here),
        (clause, "inductor", "train-*", "*", "inductor:autograd:is_leaf differs", here),
        ("aliasing/outputs/other", "aot_eager", "*", "error", "*raised*Error", ("torch>=2.11,<2.14",)),
    }
    bad = write(tmp_path, OLD.replace('facet = "autograd"\n', "").replace('reason = "gradient lost"\n', ""), "bad.toml")
    with pytest.raises(KnownBugsError, match="waiver number 1: keys missing: facet, reason"):
        rewriting.converted([bad])


def test_a_part_that_is_gone_is_taken_out_of_its_table_and_the_rest_stays(tmp_path: Path) -> None:
    text = GOOD.replace('"inductor:autograd:gradient missing"\n', '["*:value:a", "*:value:b"] # why\n', 1)
    text = text.replace("[[bug.finds]]", "# about the find\n[[bug.finds]]")
    (loaded,) = known_bugs.load([write(tmp_path, text)]).bugs.values()
    (table,) = loaded.cells
    one = dataclasses.replace(loaded, cells=(dataclasses.replace(table, fingerprints=("*:value:b",), line=0),))
    changed = rewriting.rewritten(text, {loaded.id: (loaded, one)}, [])
    assert 'fingerprint = "*:value:b"' in changed
    assert "*:value:a" not in changed
    none = dataclasses.replace(loaded, cells=())
    left = rewriting.rewritten(text, {loaded.id: (loaded, none)}, [bug(id="new")])
    assert "[[bug.cells]]\nclause" in left
    assert left.count("[[bug.cells]]") == 1
    assert "\n\n# about the find\n[[bug.finds]]" in left
    (tmp_path / "mine.toml").write_text(left)
    assert list(known_bugs.load([tmp_path / "mine.toml"]).bugs) == ["detached-alias", "new"]


GCC12, GCC13 = "g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "g++-real (Ubuntu 13.3.0-6ubuntu2) 13.3.0"


def ran(
    *cells: Cell, torch: str = "2.13.0", device: str = "cpu", vector: str = "AVX512", compiler: str = GCC12
) -> Ledger:
    header = {"torch": torch, "device": device, "platform": "Linux", "vector": vector, "compiler": compiler}
    return Ledger(headers=[header], cells={each.id: each for each in cells})


@pytest.mark.parametrize(
    "asked",
    [
        {"clauses": ["aliasing/outputs/one"]},
        {"shard": {"number": 1}},
        {"missing_shards": {"numbers": [2]}},
        {"quick": {}, "profile": "quick"},
        {"named": True},
        {"profile": "smoke", "whole": True},
        {"modes": ["no_grad"]},
        {"every_family": False},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_nothing_is_gone_from_what_a_run_left_out(asked: dict[str, object]) -> None:
    """Of the cells that an entry is about those that show it may not have run: neither lint nor the tool drops it."""
    clause = "*" if "every_family" in asked else "aliasing/*"
    entry = bug(Cells((clause,), (MISSING.fingerprint, WRONG.fingerprint), backends=("inductor",)))
    book = ran(cell("fail", MISSING, clause="aliasing/outputs/one"))
    book.headers[0]["configuration"] = asked
    assert seen_again(entry, [book]) is entry
    assert lint(Registry([entry]), Facts.of(book), TODAY) == []
    book.headers[0]["configuration"] = {"whole": True, "every_family": True}
    assert [each.fingerprint for each in rewriting.dropped(entry, seen_again(entry, [book]))] == [WRONG.fingerprint]
    assert len(lint(Registry([entry]), Facts.of(book), TODAY)) == 1


def test_clause_that_other_backends_alone_have_is_known_to_be_there() -> None:
    book = ran(cell("pass", clause="aliasing/outputs/one"))
    book.clauses = {"aliasing/outputs/one": {}}
    about = bug(Cells(("aliasing/values/two",), ("*:value:*",), backends=("*",)))
    (problem,) = lint(Registry([about]), Facts.of(book, whole=True), TODAY)
    assert "matches no clause" in problem.message
    book.headers[0]["configuration"] = {"of_other_backends": ["aliasing/values/two"]}
    assert lint(Registry([about]), Facts.of(book, whole=True), TODAY) == []


def seen_again(bug: Bug, books: Sequence[Ledger]) -> Bug:
    return rewriting.seen_again(bug, [run for book in books for run in Evidence.of(book)])


def test_ledgers_of_several_places_give_the_least_conditions(tmp_path: Path) -> None:
    (loaded,) = known_bugs.load([write(tmp_path, GOOD)]).bugs.values()
    shows, passes = cell("fail", MISSING, clause="aliasing/outputs/one"), cell("pass", clause="aliasing/outputs/one")
    older = ran(shows, torch="2.11.0")
    assert seen_again(loaded, [ran(shows)]) is loaded
    assert seen_again(loaded, [ran(passes), older]).places == ("torch>=2.11,<2.12",)
    wider = seen_again(loaded, [ran(shows), older])
    assert wider.places == ("torch>=2.11,<2.14",)
    assert wider.not_run_in([HERE, Environment("2.11.1", "cpu")]) == ["2.12"]
    there = seen_again(loaded, [ran(shows), ran(passes, device="cuda")])
    assert there.places == ("torch>=2.13,<2.14 on cpu",)
    wide = seen_again(loaded, [ran(shows), ran(passes, vector="AVX2")])
    assert wide.places == ("torch>=2.13,<2.14 on avx512",)
    none = ran(passes, vector="DEFAULT")
    vectors = seen_again(loaded, [ran(shows), ran(shows, vector="AVX2"), none])
    assert vectors.places == ("torch>=2.13,<2.14 on avx*",)
    scalar = seen_again(loaded, [ran(passes), ran(passes, vector="AVX2"), ran(shows, vector="DEFAULT")])
    assert scalar.places == ("torch>=2.13,<2.14 on default",)
    assert seen_again(loaded, [ran(passes)]).cells == ()


def test_ledgers_of_one_place_but_for_the_compiler_give_the_compiler(tmp_path: Path) -> None:
    (loaded,) = known_bugs.load([write(tmp_path, GOOD)]).bugs.values()
    shows, passes = cell("fail", MISSING, clause="aliasing/outputs/one"), cell("pass", clause="aliasing/outputs/one")
    by_one = seen_again(loaded, [ran(shows, compiler=GCC13), ran(passes)])
    assert by_one.places == ("torch>=2.13,<2.14 on cpu and g++-real*13.3.*",)
    newer = [ran(passes, compiler=GCC13, torch="2.14.0"), ran(shows, torch="2.14.0")]
    by_other = seen_again(loaded, [ran(shows), *newer])
    assert by_other.places == ("torch>=2.13,<2.15 on cpu and g++*12.2.*",)
    assert seen_again(loaded, [ran(shows), ran(shows, compiler=GCC13)]) is loaded
    newest = seen_again(loaded, [ran(shows), ran(passes, compiler=GCC13, torch="2.14.0")])
    assert newest is loaded


def test_variants_that_part_on_a_release_have_places_of_their_own(tmp_path: Path) -> None:
    text = GOOD.replace("outputs/*", "outputs/one")
    (loaded,) = known_bugs.load([write(tmp_path, text)]).bugs.values()
    static, dynamic = "train-static-plain", "train-dynamic-plain"

    def both(seen: str, torch: str) -> Ledger:
        shows = cell("fail", MISSING, clause="aliasing/outputs/one", variant=dynamic)
        other = cell(seen, *[MISSING][: seen == "fail"], clause="aliasing/outputs/one", variant=static)
        return ran(shows, other, torch=torch)

    older, newer = both("fail", "2.13.0"), both("pass", "2.14.0")
    now = seen_again(loaded, [older, newer])
    assert {each.variant: each.cells.seen or now.seen for each in now.expectations()} == {
        dynamic: ("torch>=2.13,<2.15",),
        static: ("torch>=2.13,<2.14",),
    }
    judged = [Registry([now]).judged(book).cells.values() for book in (older, newer)]
    assert [[each.outcome for each in cells] for cells in judged] == [
        [Outcome.KNOWN, Outcome.KNOWN],
        [Outcome.KNOWN, Outcome.PASS],
    ]
    assert seen_again(loaded, [older]) is loaded


def test_new_bugs_of_several_ledgers_name_where_they_were_seen() -> None:
    books = [ran(cell("fail", WRONG), device="cuda"), ran(cell("pass")), ran(cell("fail", MISSING), torch="2.15.1")]
    about = dataclasses.replace(bug(), seen=(), cells=())
    assert [(each.cells[0].fingerprints[0], each.places) for each in rewriting.missing(Registry(), books, about)] == [
        (WRONG.fingerprint, ("torch>=2.13,<2.14 on cuda",)),
        (MISSING.fingerprint, ("torch>=2.15,<2.16",)),
    ]


def test_vector_instructions_are_those_of_code_for_the_cpu() -> None:
    assert places.hold(["torch>=2.13 on avx512"], Environment("2.13", "cpu", "Linux", "AVX512"))
    assert not places.hold(["torch>=2.13 on avx512"], Environment("2.13", "cuda", "Linux", "AVX512"))


def test_conditions_of_a_place_hold_together() -> None:
    place = "torch>=2.13 on cpu and g++*13.3.*"
    here = Environment("2.13", "cpu", "Linux", "AVX2", "g++-real (Ubuntu) 13.3.0")
    assert places.hold([place], here)
    assert not places.hold([place], dataclasses.replace(here, device="cuda"))
    assert not places.hold([place], dataclasses.replace(here, compiler="g++ (Debian) 12.2.0"))


def test_fallback_can_be_a_known_one_and_is_stale_only_where_it_was_asked_for() -> None:
    back = synthetic.cell("fallback", divergences=[fell_back("inductor")], executed=False)
    about = dataclasses.replace(bug(), seen=(), cells=())
    (found,) = rewriting.missing(Registry(), [ran(back)], about)
    assert found.cells[0].fingerprints == ("inductor:fallback:torch executed the whole graph",)
    known = Registry([found])
    assert known.judge(back, HERE).outcome == "xfail"
    assert known.judge(dataclasses.replace(back, outcome=Outcome.FAIL, divergences=[WRONG]), HERE).outcome == "fail"
    by_itself, not_asked = (synthetic.cell("pass", executed=executed) for executed in (True, None))
    assert known.judge(by_itself, HERE).outcome == "xpass"
    assert known.judge(not_asked, HERE).outcome == "pass"
    facts = [Facts(HERE, runs=(Evidence(HERE, [each]),)) for each in (back, by_itself, not_asked)]
    told = [[problem.kind for problem in lint(known, each, datetime.date(2026, 1, 1))] for each in facts]
    assert [kinds.count("passes") for kinds in told] == [0, 1, 0]
