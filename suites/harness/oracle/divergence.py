"""One typed difference between what eager does and what the compiled program does."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

#: Every facet of an observation, in the order in which reports list them. `crash` and `timeout` are the facets of a
#: cell whose process did not come back, `fallback` that of one in which torch did the backend's work.
FACETS = (
    "value",
    "dtype",
    "shape",
    "device",
    "layout",
    "structure",
    "alias",
    "mutation",
    "autograd",
    "probe",
    "random",
    "error",
    "state",
    "reuse",
    "crash",
    "timeout",
    "fallback",
)


@dataclasses.dataclass(frozen=True)
class Divergence:
    """One typed difference between the eager observation and the compiled one.

    ``kind`` says what differs in words that do not depend on sizes or positions, so that it can be part of the
    fingerprint; ``where`` says which call and which tensor or value (``call 1: out[0]``); ``expected`` is eager's.
    ``silent``: the compiled program ran and differs; not silent: it raised, crashed or hung.
    ``layer`` is the first of the reference backends that shows it, empty until they have been asked.
    """

    facet: str
    kind: str
    where: str
    expected: str
    seen: str
    silent: bool = True
    layer: str = ""
    #: Of a candidate that raises: the innermost places of the backend that its stack goes through, and the whole stack
    #: where the environment asks for it. They are told, and are no part of what the divergence is.
    raised_in: str = dataclasses.field(default="", compare=False)
    stack: str = dataclasses.field(default="", compare=False)

    @property
    def fingerprint(self) -> str:
        """Layer, facet and kind: stable across sizes, seeds and positions."""
        return f"{self.layer or '?'}:{self.facet}:{self.kind}"

    def to_json(self) -> dict[str, Any]:
        """The divergence as a ledger holds it, with its fingerprint spelled out."""
        told = dataclasses.asdict(self)
        for name in ("raised_in", "stack"):
            if not told[name]:
                del told[name]
        return {**told, "fingerprint": self.fingerprint}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Divergence:
        """Read what `to_json` wrote; unknown keys are ignored."""
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in names})
