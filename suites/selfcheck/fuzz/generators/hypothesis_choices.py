"""Random programs whose decisions Hypothesis makes, and unmakes when it shrinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from suites.fuzz.generators.schemas.schema import Schema
from suites.fuzz.generators.schemas.schema_drawing import draw_schema

T = TypeVar("T")


class FromHypothesis:
    """Decisions that Hypothesis makes, and unmakes when it shrinks."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        """See `suites.fuzz.generators.choices.Choices`."""
        return int(self._draw(st.integers(low, high)))

    def one_of(self, items: Sequence[T]) -> T:
        """See `suites.fuzz.generators.choices.Choices`."""
        return items[self.integer(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        """See `suites.fuzz.generators.choices.Choices`."""
        return self.integer(0, 99) >= 100 - percent


@st.composite
def schemas(draw: Callable[[st.SearchStrategy[Any]], Any], api: str) -> Schema:
    """Schemas that can be registered with ``api``, as a strategy of Hypothesis; shrinks to the shortest."""
    return draw_schema(FromHypothesis(draw), api)
