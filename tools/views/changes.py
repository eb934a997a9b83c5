"""What changed between two runs, as pages: Markdown, HTML, and the text of a report for each cause that is new."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from suites.harness.results import summary
from suites.harness.results.causes import deciding
from suites.harness.results.ledger import Ledger
from tools.comparing import Differences, Group, Kind, clusters
from tools.views import pages

#: Cells of a cause that pages and reports name.
_CELLS = 20
#: Characters that a cause gives to the name of its report.
_NAME = 60
#: Causes of a kind that pages show.
_CAUSES = 60


@dataclasses.dataclass(frozen=True)
class Runs:
    """The names of the two runs."""

    before: str
    after: str

    @classmethod
    def of(cls, before: Ledger, after: Ledger, backends: tuple[str, ...] = ()) -> Runs:
        """What tells the two runs apart: release, device and day, and the backend where these are two."""
        places = [pages.place_name(book) for book in (before, after)]
        asked = [backends[:1], backends[-1:]] if backends else [tuple(summary.asked(each)) for each in (before, after)]
        if asked[0] != asked[1]:
            places = [", ".join([*names[:3], place]) for names, place in zip(asked, places, strict=True)]
        return cls(*places)


def markdown(found: Differences, runs: Runs) -> str:
    """The page as Markdown."""
    text = pages.environment(markdown=True).get_template("changes.md.j2").render(_context(found, runs))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def html(found: Differences, runs: Runs) -> str:
    """The page as HTML that needs nothing else."""
    return pages.environment().get_template("changes.html.j2").render(_context(found, runs))


def _context(found: Differences, runs: Runs) -> dict[str, Any]:
    return {
        "found": found,
        "runs": runs,
        "kinds": [kind for kind in Kind if found.of(kind)],
        "clusters": clusters(found),
        "count": summary.count,
        "first_line": summary.first_line,
        "deciding": deciding,
        "families": families,
        "label_class": pages.embedded.label_class,
        "mark": pages.pictures.mark,
        "cells": _CELLS,
        "most": _CAUSES,
    }


def families(group: Group) -> str:
    """The families of a group's cells, with how many each has."""
    counted = Counter(change.cell.family for change in group.changes).most_common()
    more = f", and {len(counted) - 4} more" if len(counted) > 4 else ""
    return ", ".join(f"{family} {number}" for family, number in counted[:4]) + more


def issues(found: Differences, runs: Runs) -> Iterator[tuple[str, str]]:
    """For each cause that counts against in B and did not so in A: a file name, and the text of a report upstream."""
    news = [group for group in found.groups if group.against and group.kind not in (Kind.GONE, Kind.SEEN)]
    template = pages.environment(markdown=True).get_template("issue.md.j2")
    for number, group in enumerate(news, 1):
        assert group.after is not None
        words = re.sub(r"[^a-z0-9]+", "-", f"{group.after.label} {group.told}".lower()).strip("-")
        text = template.render(_context(found, runs), group=group, cell=group.example.cell)
        short = words if len(words) <= _NAME else words[:_NAME].rpartition("-")[0]
        yield f"{number:02d}-{short}.md", re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
