"""Programs that run rows of a sheet, on values that they make themselves or on those that a caller hands in."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable
from typing import Any

import torch

from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.texts import three_numbers
from suites.python.table.sheets import CALLS, Row, Sheet


@dataclasses.dataclass(frozen=True)
class RowsProgram:
    """Rows of a sheet in one function, whose values are ``handed_in``, others in each call, or made in the rows."""

    sheet: Sheet
    rows: tuple[Row, ...]
    device: str
    handed_in: bool

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The function in a module of its own, with builders of a tensor (float32, of three) and of values."""
        module = self.sheet.module(self.rows, handed_in=self.handed_in)
        calls = range(CALLS if self.handed_in else 2)
        return Instance(module.program, [functools.partial(self._inputs, module, call, upcast) for call in calls])

    def _inputs(self, module: types.ModuleType, call: int, upcast: bool) -> Inputs:
        a = three_numbers(self.device, upcast=upcast) + call
        return Inputs((a, self.sheet.values(module, self.rows, call)) if self.handed_in else (a,))


@dataclasses.dataclass(frozen=True)
class RowByRowProgram:
    """Rows of a sheet, each a function that is compiled by itself, on what the caller hands in, others in each call.

    What Dynamo leaves to the interpreter in one row makes numbers constants again for those after it in one function.
    """

    sheet: Sheet
    rows: tuple[Row, ...]
    device: str

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A function of what compiles, a tensor (float32, of three) and values, and builders of the latter."""
        modules = [self.sheet.module((row,), handed_in=True) for row in self.rows]

        def program(compiled: Callable[..., Any], a: torch.Tensor, values: dict[str, Any]) -> dict[str, Any]:
            out = {}
            for row, module in zip(self.rows, modules, strict=True):
                out[row.text] = compiled(module.program)(a, {row.text: values[row.text]})
            return out

        return Instance(program, [functools.partial(self._inputs, modules, call, upcast) for call in range(CALLS)])

    def _inputs(self, modules: list[types.ModuleType], call: int, upcast: bool) -> Inputs:
        values: dict[str, Any] = {}
        for row, module in zip(self.rows, modules, strict=True):
            values.update(self.sheet.values(module, (row,), call))
        return Inputs((three_numbers(self.device, upcast=upcast) + call, values))
