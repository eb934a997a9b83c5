"""A clause's program: a function, or a module that is built, with the specs of each call's inputs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from suites.harness.observation.global_state import seed_everything
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.copying import fresh, reachable_state
from suites.harness.programs.specs import Builder, BuiltSpec, Variant

# A clause's program ---------------------------------------------------------------------------------------------------


#: Called with the program before the inputs of a call are built. A context manager that it returns is entered for the
#: call; anything else that it returns is ignored.
BeforeCall = Callable[[Any], object]


@dataclasses.dataclass(frozen=True)
class ClauseProgram:
    """A function (or a spec that builds a module) with the specs of each call's inputs, under a variant."""

    function: Callable[..., Any] | BuiltSpec
    scripts: tuple[tuple[Any, ...], ...]
    variant: Variant = dataclasses.field(default_factory=Variant)
    device: str = "cpu"
    #: A hook a call, or None: see `Check`.
    before: tuple[BeforeCall | None, ...] = ()

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A fresh function (closures copied, modules built anew); inputs are seeded by their call's number."""
        if isinstance(self.function, BuiltSpec):
            # A module is built in normal mode, as users build theirs, whatever mode its calls are made in.
            seed_everything()
            function = Builder(Variant(), device=self.device, upcast=upcast).build(self.function)
        else:
            function = fresh(self.function)
        numbered = enumerate(self.scripts)
        calls = [functools.partial(self._inputs, function, script, number, upcast) for number, script in numbered]
        return Instance(function, calls, lambda: dict(reachable_state(function)))

    def _inputs(self, function: Callable[..., Any], script: tuple[Any, ...], seed: int, upcast: bool) -> Inputs:
        hook = self.before[seed] if seed < len(self.before) else None
        entered = hook(function) if hook is not None else None
        during = entered if isinstance(entered, contextlib.AbstractContextManager) else contextlib.nullcontext()
        builder = Builder(self.variant, seed=seed, device=self.device, upcast=upcast)
        args = tuple(builder.build(spec) for spec in script)
        return Inputs(args, {}, builder.leaves, during)
