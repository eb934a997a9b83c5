"""What ``parity regen`` shows, and the questions that ``--review`` asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click
from rich.console import Console
from rich.text import Text

from golden.editing.edits import CATEGORIES, BandEdit, Edit, Plan

AnyEdit: TypeAlias = Edit | BandEdit

#: Keys of the review and what they do.
ANSWERS = {
    "a": "accept",
    "r": "reject",
    "s": "skip for now",
    "A": "accept all of this kind",
    "R": "reject all of this kind",
    "q": "quit; what was accepted so far is applied",
}
_COLOURS = {"create": "cyan", "fix": "red", "update": "green", "trim": "yellow"}


def listing(console: Console, plan: Plan) -> None:
    """Every pending edit, by category, then every refusal, a line each."""
    edits: list[AnyEdit] = [*plan.edits, *plan.bands]
    for category, meaning in CATEGORIES.items():
        mine = [edit for edit in edits if edit.category == category]
        if mine:
            console.print(Text.assemble((category, f"bold {_COLOURS[category]}"), f"  {len(mine)}: {meaning}"))
            for edit in mine:
                console.print(Text(f"  {edit.where}  {edit.explanation}"), soft_wrap=True)
    for refusal in plan.refusals:
        console.print(Text(refusal.line, style="yellow"), soft_wrap=True)
    if plan.unreferenced:
        console.print(
            f"{len(plan.unreferenced)} literals that no test reaches (--only trim empties them):", highlight=False
        )
        for edit in plan.unreferenced:
            console.print(Text(f"  {edit.where}"), soft_wrap=True)
    console.print(summary(plan), highlight=False)


def summary(plan: Plan) -> str:
    """One line: how many edits are pending, how many were refused."""
    refused = f", {len(plan.refusals)} refused" if plan.refusals else ""
    return f"{plan.pending} pending{refused}" if plan.pending or refused else "nothing pending"


def shown(console: Console, edit: AnyEdit, number: int, total: int) -> None:
    """One edit with its diff in colour."""
    console.print()
    console.print(
        Text.assemble(
            f"[{number}/{total}] ",
            (edit.category, f"bold {_COLOURS[edit.category]}"),
            f" {edit.where}: {CATEGORIES[edit.category]}",
        ),
        soft_wrap=True,
    )
    if edit.explanation:
        console.print(Text(f"  {edit.explanation}"), soft_wrap=True)
    for line in edit.diff.splitlines():
        console.print(Text(f"  {line}", style=_diff_style(line)), soft_wrap=True)


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "dim"
    return "green" if line.startswith("+") else "red" if line.startswith("-") else ""


def ask() -> str:
    """One answer, a key of `ANSWERS`; asks again until it is one."""
    while True:
        answer: str = click.prompt("accept? [a/r/s/A/R/q/?]", default="s", show_default=False)
        if answer in ANSWERS:
            return answer
        click.echo("; ".join(f"{key}: {meaning}" for key, meaning in ANSWERS.items()))


def review(console: Console, edits: Sequence[AnyEdit], answer: Callable[[], str] = ask) -> tuple[list[AnyEdit], int]:
    """Walk through the edits; gives those that were accepted and how many were rejected."""
    accepted: list[AnyEdit] = []
    rejected = 0
    for_kind: dict[str, str] = {}
    for number, edit in enumerate(edits, 1):
        given = for_kind.get(edit.category)
        if given is None:
            shown(console, edit, number, len(edits))
            given = answer()
        if given == "q":
            break
        if given in ("A", "R"):
            for_kind[edit.category] = given = given.lower()
        if given == "a":
            accepted.append(edit)
        rejected += given == "r"
    return accepted, rejected


def as_json(plan: Plan) -> dict[str, Any]:
    """The plan for machines."""
    pending: list[AnyEdit] = [*plan.edits, *plan.bands]
    return {
        "pending": [_edit_json(edit) for edit in pending],
        "refusals": [{"line": refusal.line, "expected": refusal.expected} for refusal in plan.refusals],
    }


def _edit_json(edit: AnyEdit) -> dict[str, Any]:
    shared = {"category": edit.category, "explanation": edit.explanation, "old": edit.old, "new": edit.new}
    if isinstance(edit, Edit):
        return {"file": edit.file, "line": edit.span[0], "goldens": list(edit.goldens), **shared}
    return {"band": edit.torch, "goldens": [edit.golden], **shared}
