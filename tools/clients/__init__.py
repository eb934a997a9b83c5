"""Backends of others as clients: what each is called, its record, its known bugs, and the matrix of all of them.

A client is run as it comes, by one `parity gate`; ``python -m tools.clients NAME`` types it and keeps what came of
it: a record in ``golden/records/clients``, known bugs in ``suites/known_bugs/clients``, which nobody's gate reads
unasked, and ``.github/clients.svg``, the picture of all records.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from golden.toml import tomllib
from suites.harness.results import known_bugs, records, summary
from suites.harness.results import ledger as ledgers
from suites.harness.results.ledger import Ledger
from suites.harness.results.outcomes import Outcome

PLACE = Path(__file__).with_name("clients.toml")
RECORDS = records.DIRECTORY / "clients"
KNOWN_BUGS = known_bugs.DIRECTORY / "clients"
#: The profile that a row of the matrix is of.
PROFILE = "quick"


@dataclasses.dataclass(frozen=True)
class Client:
    """A backend to run as it comes.

    ``modes``: the grad modes that it is judged in, empty for all; ``install``: the requirement that pip is given beside
    torch; ``note``: what a reader of its row must know; ``not_run``: why it does not run at all, empty if it does.
    """

    name: str
    backend: str
    modes: str = ""
    install: str = ""
    note: str = ""
    not_run: str = ""

    @property
    def record(self) -> Path:
        """Where the record of its run is kept."""
        return RECORDS / f"{self.name}.jsonl.gz"

    @property
    def known_bugs(self) -> Path:
        """Where its known bugs are kept."""
        return KNOWN_BUGS / f"{self.name}.toml"

    @property
    def arguments(self) -> list[str]:
        """The arguments of `parity gate` that a row of the matrix comes from."""
        modes = ["--modes", self.modes] if self.modes else []
        return ["--backend", self.backend, "--profile", PROFILE, *modes]


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the matrix: a client, and what its record comes to, with torch's own known bugs.

    ``torchs``: cells that diverge as a known bug of torch says, or as a lower layer does; ``fallback``: torch executed
    the whole graph; ``crash``: or did not come back; ``rest``: vacuous, unsupported, or a clause that did not run.
    ``executed``: in how many of its passes the client executed something, and of how many that is known; ``None`` where
    torch executes by design.
    """

    client: Client
    version: str = ""
    torch: str = ""
    cells: int = 0
    passed: int = 0
    torchs: int = 0
    fallback: int = 0
    silent: int = 0
    loud: int = 0
    crash: int = 0
    rest: int = 0
    executed: tuple[int, int] | None = None

    @property
    def share(self) -> float | None:
        """The part that passed, of the cells that say something of the client; ``None`` without any."""
        of = self.passed + self.fallback + self.silent + self.loud + self.crash
        return self.passed / of if of else None


def clients(path: Path = PLACE) -> list[Client]:
    """The clients, in the order of the matrix."""
    return [Client(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["client"]]


def row(client: Client, book: Ledger | None) -> Row:
    """The line of a client, from its judged record; ``None`` where there is none."""
    if book is None:
        return Row(client)
    cells = [cell for cell in book.cells.values() if cell.backend == client.backend]
    counts = Counter(summary.standing(cell) for cell in cells)
    told = {
        "passed": (Outcome.PASS, Outcome.CHANGED),
        "torchs": (Outcome.KNOWN, Outcome.INHERITED),
        "fallback": (Outcome.FALLBACK,),
        "silent": (Outcome.SILENT,),
        "loud": (Outcome.LOUD,),
        "crash": (Outcome.CRASH, Outcome.TIMEOUT),
    }
    numbers = {name: sum(counts[each] for each in outcomes) for name, outcomes in told.items()}
    return Row(
        client,
        version=str((book.header.get("backends") or {}).get(client.backend) or ""),
        torch=str(book.header.get("torch", "")),
        cells=len(cells),
        rest=len(cells) - sum(numbers.values()),
        executed=summary.executed(book).get(client.backend),
        **numbers,
    )


def matrix(asked: Iterable[Client]) -> list[Row]:
    """The lines of clients that have a record, and of those that do not run."""
    known = known_bugs.load(known_bugs.default_files())
    rows = []
    for client in asked:
        if client.record.is_file():
            rows.append(row(client, known.judged(ledgers.read([client.record]))))
        elif client.not_run:
            rows.append(row(client, None))
    return rows
