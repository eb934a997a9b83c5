"""What ``parity fuzz`` shows: a campaign under way, and what came of it."""

from __future__ import annotations

import ast
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from suites.fuzz.campaigns.coverage import Reached
    from suites.fuzz.campaigns.finds import Find
    from suites.fuzz.campaigns.known import Known
    from suites.fuzz.campaigns.log import Summary
    from suites.fuzz.campaigns.results import Sorted
    from suites.fuzz.kinds import Kind

#: The rate is that of the last so many seconds.
_WINDOW = 30.0
#: How many of the rarest features, and of the latest finds, are named.
_RAREST, _LATEST = 6, 6
#: Of a find so many lines are shown.
_LINES = 14


# While it runs --------------------------------------------------------------------------------------------------------


class Pace:
    """How many programs a second, over the last half minute."""

    def __init__(self, programs: int) -> None:
        self.started = time.monotonic()
        self._points = deque([(self.started, programs)])

    def rate(self, programs: int) -> float:
        """The rate now that there are so many."""
        now = time.monotonic()
        self._points.append((now, programs))
        while len(self._points) > 2 and now - self._points[0][0] > _WINDOW:
            self._points.popleft()
        then, before = self._points[0]
        return (programs - before) / max(now - then, 1e-9)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started


def line(summary: Summary, kind: Kind, pace: Pace, entries: tuple[Known, ...]) -> Text:
    """The state on one line."""
    from suites.fuzz.campaigns.results import sort_finds

    found = sort_finds(summary, entries)
    silent = sum(find.divergence.silent for find in found.new)
    covered = sum(name in summary.families for name in kind.families)
    text = Text()
    text.append(f"{summary.programs} programs", "bold")
    text.append(f"  {pace.rate(summary.programs):.1f}/s  {pace.seconds:.0f} s  ")
    text.append(f"{silent} silent", "bold magenta" if silent else "dim")
    text.append("  ")
    text.append(f"{len(found.new) - silent} loud", "yellow" if len(found.new) > silent else "dim")
    text.append(f"  {sum(map(len, found.known.values()))} known  ", "dim")
    text.append(f"families {covered}/{len(kind.families)}", "" if covered == len(kind.families) else "dim")
    if small := list(summary.reducing.values()):
        more = f" and {len(small) - 1} more" if len(small) > 1 else ""
        text.append(f"  making small: {small[0][:60]}{more}", "cyan")
    return text


def status(summary: Summary, kind: Kind, pace: Pace, entries: tuple[Known, ...]) -> RenderableType:
    """The state on a terminal: the line, what was not drawn yet, the finds by what differs."""
    from suites.fuzz.campaigns.results import sort_finds

    lines = [line(summary, kind, pace, entries)]
    never = [*_absent(kind.families, summary.families), *_absent(kind.features, summary.features)]
    if never:
        lines.append(Text(f"not drawn yet: {_shortened(never)}", "dim"))
    new = sort_finds(summary, entries).new
    counted = Counter(find.fingerprint for find in new)
    for find in sorted(new, key=lambda find: -find.number)[:_LATEST]:
        style = "magenta" if find.divergence.silent else "yellow"
        times = f"{counted[find.fingerprint]} kinds of " if counted[find.fingerprint] > 1 else ""
        lines.append(Text(f"  {times}{find.fingerprint[:90]}  [{' '.join(find.operators)[:60]}]", style))
    return Group(*lines)


def _absent(wanted: Sequence[str] | Mapping[str, int], seen: Mapping[str, int]) -> Iterator[str]:
    return (name for name in wanted if not seen.get(name))


def _shortened(names: Sequence[str], most: int = 8) -> str:
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


# At the end -----------------------------------------------------------------------------------------------------------


def picture(
    summary: Summary, found: Sorted, kind: Kind, reached: Sequence[Reached], files: Mapping[str, Path]
) -> Group:
    """What a campaign came to. ``files``: the scripts of the new finds, by bucket."""
    outcomes = ", ".join(f"{count} {name}" for name, count in summary.outcomes.most_common())
    parts: list[RenderableType] = [Text.assemble((f"{summary.programs} programs", "bold"), f": {outcomes}")]
    parts += [Text(said, "dim") for said in _remarks(summary, kind)]
    parts += [Text(said, "dim") for said in _reached(reached)]
    counts = {name: len(finds) for name, finds in found.known.items()}
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        parts.append(Text(f"known: {count} times {name}"))
    for name, count in summary.taken_for.most_common():
        parts.append(Text(f"taken for more of the same, not reduced: {count} times {name}", "dim"))
    if found.new:
        parts += _told(found.new, files)
    else:
        parts.append(Text("no new find", "green"))
    if found.unsure:
        parts.append(_table(f"{len(found.unsure)} not confirmed: they do not count", found.unsure))
    return Group(*parts)


def _remarks(summary: Summary, kind: Kind) -> Iterator[str]:
    families, features = list(_absent(kind.families, summary.families)), list(_absent(kind.features, summary.features))
    if families:
        yield f"families never drawn: {', '.join(families)}"
    if features:
        yield f"features never drawn: {', '.join(features)}"
    if rarest := rarest_features(summary, kind):
        yield f"rarest features: {', '.join(f'{share:.1f} % {name}' for name, share in rarest.items())}"
    if summary.audited:
        others = f", {len(summary.disagreed)} came to something else: {summary.disagreed}" if summary.disagreed else ""
        yield f"judged again alone: {summary.audited}{others or ', all came to the same'}"
    if summary.plain_retries:
        yield f"run again the plain way, as a kernel was not built whole the quick way: {summary.plain_retries}"
    if len(summary.torch) > 1:
        yield f"logs of several versions of torch: {', '.join(sorted(summary.torch))}"


def _reached(rows: Sequence[Reached]) -> Iterator[str]:
    from suites.fuzz.campaigns.coverage import overall

    if rows:
        whole = overall(rows)
        yield f"branches of torch reached: {whole.taken} of {whole.branches} ({whole.percent:.1f} %)"
        yield from (f"  {row.percent:5.1f} %  {row.taken:>5} of {row.branches:<5} {row.module}" for row in rows)


def rarest_features(summary: Summary, kind: Kind) -> dict[str, float]:
    """The features that are to be seen and are seen least, with how many of a hundred programs have each."""
    drawn = max(sum(count for outcome, count in summary.outcomes.items() if outcome != "rejected"), 1)
    shares = sorted((100 * summary.features[name] / drawn, name) for name in kind.features if summary.features[name])
    return {name: share for share, name in shares[:_RAREST]}


def _told(finds: Sequence[Find], files: Mapping[str, Path]) -> Iterator[RenderableType]:
    """New finds by what differs: of each kind the first is shown whole, and the others by their scripts.

    Finds that differ alike are often one bug, and never counted as one before somebody has looked.
    """
    kinds: dict[str, list[Find]] = {}
    for find in finds:
        kinds.setdefault(find.fingerprint, []).append(find)
    ways = f", in {len(kinds)} ways" if 1 < len(kinds) < len(finds) else ""
    yield Text(
        f"{len(finds)} new find{'s' * (len(finds) > 1)}{ways}; each script exits with 1 while its bug lives", "bold"
    )
    for first, *others in kinds.values():
        yield from _shown(first, files[first.bucket])
        if others:
            yield Text(f"  {len(others)} more that differ{'s' * (len(others) == 1)} like this:")
        yield from (_script(files[find.bucket]) for find in others)


def _shown(find: Find, script: Path) -> Iterator[Text]:
    """A find in the fewest lines that somebody can judge it by."""
    seen = find.divergence
    shown = ("silent", "bold magenta") if seen.silent else ("loud", "bold yellow")
    yield Text.assemble("\n", shown, f"  {seen.facet}: {seen.kind[:160]}", f"; first at {seen.layer}")
    lines = _body(find.text)
    yield from (Text(f"  | {line}", no_wrap=True, overflow="ellipsis") for line in lines[:_LINES])
    if len(lines) > _LINES:
        yield Text(f"  | and {len(lines) - _LINES} lines more", "dim")
    yield Text(f"  {seen.where}: expected {seen.expected[:100]}, seen {seen.seen[:100]}")
    yield _script(script)


def _script(path: Path) -> Text:
    return Text(f"  python {path}", "dim", no_wrap=True, overflow="ignore")


def _body(text: str) -> list[str]:
    """A program and its first inputs, without what they lean on."""
    tree = ast.parse(text)
    wanted = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in ("program", "inputs")]
    flags = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node).endswith("= True")]
    return [line for node in (*flags, *wanted) for line in ast.unparse(node).splitlines()]


def _table(title: str, finds: Sequence[Find]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for column in ("", "what differs", "first at", "operators", "statements", "standing"):
        table.add_column(column)
    for find in finds:
        table.add_row(
            Text("silent", "magenta") if find.divergence.silent else Text("loud", "yellow"),
            Text(find.fingerprint.partition(":")[2][:60]),
            find.divergence.layer,
            Text(" ".join(find.operators)),
            str(find.statements),
            find.standing,
        )
    return table


def described(
    summary: Summary, found: Sorted, kind: Kind, reached: Sequence[Reached], seconds: float
) -> dict[str, Any]:
    """What a campaign came to, for machines."""
    return {
        "programs": summary.programs,
        "outcomes": dict(summary.outcomes),
        "families": dict(summary.families),
        "features": dict(summary.features),
        "never_drawn": list(_absent(kind.families, summary.families)),
        "features_never_drawn": list(_absent(kind.features, summary.features)),
        "new": [_said(find) for find in found.new],
        "not_confirmed": [_said(find) for find in found.unsure],
        "known": {name: len(finds) for name, finds in found.known.items()},
        "taken_for": dict(summary.taken_for),
        "audited": summary.audited,
        "disagreed": summary.disagreed,
        "branches": {row.module: [row.taken, row.branches] for row in reached},
        "seconds": round(seconds, 1),
    }


def _said(find: Find) -> dict[str, Any]:
    return {
        "bucket": find.bucket,
        "silent": find.divergence.silent,
        "statements": find.statements,
        "standing": find.standing,
        "number": find.number,
    }
