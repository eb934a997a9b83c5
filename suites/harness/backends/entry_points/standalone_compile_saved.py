"""``torch._inductor.standalone_compile``, saved and loaded: what runs is what a file on disk holds."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suites.harness import torch_internals
from suites.harness.backends.entry_points.standalone_compile import through


def _brought_back(artifact: Any) -> Any:
    with tempfile.TemporaryDirectory(prefix="parity-artifact-") as place:
        path = str(Path(place, "artifact"))
        artifact.save(path=path, format="binary")
        return torch_internals.load_artifact(path)


@contextlib.contextmanager
def _cached() -> Iterator[None]:
    """An artifact is made of what the caches hold: they are on while it is made, and hold nothing that is older."""
    with (
        tempfile.TemporaryDirectory(prefix="parity-caches-") as folder,
        torch_internals.compilation_caches(folder),
    ):
        yield


BACKEND = through(_brought_back, _cached)
