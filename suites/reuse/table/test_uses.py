"""Values that change where a program finds them, in one place after another, and uses that some release gets wrong."""

import pytest

from suites.harness import Check, clause
from suites.reuse.table.places import Place
from suites.reuse.table.uses import Kind, UsesProgram, kinds, rows, rows_apart

KINDS = kinds()
APART = [f"{kind.name}-{name}" for kind in KINDS.values() for name in kind.apart]
#: What guards are made of is Dynamo's: other backends come after it.
LAYERS = ("aot_eager",)
#: The turns of the default profile, of what some release gets wrong, and of the full profile, by its parts.
FIRST, APARTS, OTHERS = (0,), (0, 3, 6, 9), ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11))


def _run(check: Check, kind: Kind, asked: tuple[tuple[str, Place], ...]) -> None:
    """Each use as a program of its own, and that each was told something."""
    program = UsesProgram(kind, asked, check.device)
    result = check.program(program, in_parts=True).computed()
    paths = [path for call in result.expected.calls for path in call.entries]
    told = all(any(path.startswith(f"out[{program.told(row)!r}]") for path in paths) for row in asked)
    result.happened(told, "a value of each use")


@clause("reuse.uses", fullgraph=False, on=LAYERS, stand_for_all=2)
@pytest.mark.parametrize("kind", KINDS)
def test_value_that_changes(check: Check, kind: str) -> None:
    """What a program asks of a value is asked of the one that lies there now, wherever that is."""
    _run(check, KINDS[kind], rows(KINDS[kind], KINDS[kind].uses, FIRST))


@clause("reuse.uses", fullgraph=False, on=LAYERS, profile="full", stand_for_all=1)
@pytest.mark.parametrize("part", range(len(OTHERS)))
@pytest.mark.parametrize("kind", KINDS)
def test_value_that_changes_elsewhere(check: Check, kind: str, part: int) -> None:
    """So it is in all other places."""
    _run(check, KINDS[kind], rows(KINDS[kind], KINDS[kind].uses, OTHERS[part]))


@clause("reuse.uses", fullgraph=False, on=LAYERS, stand_for_all=1)
@pytest.mark.parametrize("use", APART)
def test_use_of_a_value_that_changes(check: Check, use: str) -> None:
    """So are uses that some release of torch gets wrong."""
    kind = next(each for each in KINDS.values() if use.removeprefix(f"{each.name}-") in each.apart)
    _run(check, kind, rows(kind, [kind.apart[use.removeprefix(f"{kind.name}-")]], APARTS))


@clause("reuse.uses", fullgraph=False, on=LAYERS, stand_for_all=1)
@pytest.mark.parametrize("kind", [kind.name for kind in KINDS.values() if kind.apart_in])
def test_place_of_a_value_that_changes(check: Check, kind: str) -> None:
    """So are all uses of a kind in a place where some release of torch gets them wrong."""
    _run(check, KINDS[kind], rows_apart(KINDS[kind]))
