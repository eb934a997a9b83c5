"""The `clause` mark: where a clause applies, in which variants, and the cells that come of it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Sequence

import pytest
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from suites.harness.backends.registry import facts
from suites.harness.programs.specs import INPUTS, MODES, SHAPES, Variant

#: Where a clause applies: through Dynamo, to AOTAutograd alone, or to both.
DYNAMO, AOT_FUNCTION, ANY = "dynamo", "aot_function", "any"
#: The devices that cells run on.
DEVICES = ("cpu", "cuda")
#: How much of the suites runs, least first; each runs all that those before it do.
PROFILES = ("smoke", "default", "full")
#: The names under which AOTAutograd alone runs.
AOT_FUNCTIONS = ("aot_function", "aot_function_keep_mutations")
#: The layers that call the operators of a graph as eager does, none of them taken apart.
OPERATORS_AS_THEY_ARE = frozenset({"aot_eager", *AOT_FUNCTIONS})


@dataclasses.dataclass(frozen=True)
class Between:
    """A layer that is like its neighbours, the backends on either side, but for what it does in ``modes``."""

    neighbours: frozenset[str]
    modes: frozenset[str]


#: The partitioner and the decompositions are seen in training; input mutations that a graph keeps, without gradients.
BETWEEN = {
    "aot_eager_decomp_partition": Between(frozenset({"aot_eager", "inductor"}), frozenset({"train"})),
    "aot_function_keep_mutations": Between(
        frozenset({"aot_function", "aot_eager"}), frozenset({"no_grad", "inference"})
    ),
}


@dataclasses.dataclass(frozen=True)
class Scope:
    """Where a clause applies and what it covers. The first of each axis is the primary variant."""

    covers: tuple[str, ...] = ()
    modes: tuple[str, ...] = ("no_grad",)
    shapes: tuple[str, ...] = ("static",)
    inputs: tuple[str, ...] = ("plain",)
    entry: str = DYNAMO
    fullgraph: bool = True
    isolated: bool = False
    golden: str = ""
    on: tuple[str, ...] = ()
    ranks: int = 1
    #: These are not in the text of a scope, which says what a clause runs: nothing else runs where it does.
    asserts_on_device: bool = dataclasses.field(default=False, repr=False)
    of_formulas: bool = dataclasses.field(default=False, repr=False)
    by_default_on: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    devices: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    torch: str = dataclasses.field(default="", repr=False)
    needs: str = dataclasses.field(default="", repr=False)
    #: The first profile that runs the clause, and how many rows of a table stand for it among mutants.
    profile: str = dataclasses.field(default="smoke", repr=False)
    stand_for_all: int = dataclasses.field(default=0, repr=False)

    def is_on(self, device: str) -> bool:
        """Whether the clause has cells on a device."""
        return not self.devices or device in self.devices

    def stops(self, device: str) -> bool:
        """Whether what the clause runs stops the device for the process that it runs in."""
        return self.asserts_on_device and device != "cpu"

    def is_isolated_on(self, device: str) -> bool:
        """Whether each of its runs has a process of its own there."""
        return self.isolated or self.stops(device)

    def variants(self, profile: str, modes: Collection[str] = MODES) -> list[Variant]:
        """``smoke``: the primary variant; ``default``: it and each other value of one axis; ``full``: all of them.

        Those of ``modes`` alone: where the clause's first mode is none of them, its next is the primary one.
        """
        own = [mode for mode in self.modes if mode in modes]
        if not own:
            return []
        every = [Variant(*axes) for axes in itertools.product(own, self.shapes, self.inputs)]
        primary = every[0]
        if profile == "smoke":
            return [primary]
        if profile == "full":
            return every
        return [variant for variant in every if _axes_apart(primary, variant) <= 1]

    def backends(self, chosen: Sequence[str], *, by_default: bool) -> list[str]:
        """The chosen backends that the clause applies to; by default AOTAutograd alone too, where it does."""
        if self.on:
            return [name for name in self.on if by_default or name in chosen]
        names = [name for name in chosen if facts(name).dynamo == (self.entry != AOT_FUNCTION)]
        if self.entry == ANY:
            names = list(chosen)
        if by_default and self.entry != DYNAMO:
            names += [name for name in AOT_FUNCTIONS if name not in names]
        return names

    def cells(
        self,
        chosen: Sequence[str],
        profile: str,
        *,
        by_default: bool,
        device: str = "cpu",
        modes: Collection[str] | None = None,
    ) -> list[tuple[str, Variant]]:
        """The backends and variants of the clause's cells on a device, in ``modes`` (None: all that a backend claims).

        Where no backend was asked for, the default profile runs a layer between two others on one variant, of a mode in
        which it has something of its own to do: whatever else it does, its neighbours show too. A clause about several
        ranks leaves that layer out altogether, since each of its runs is several. The home of a clause's goldens stays.
        A clause about formulas leaves out the layers that have none, and one may name the only layers that run it then.
        """
        runs = self.is_on(device) and PROFILES.index(profile) >= PROFILES.index(self.profile)
        names = self.backends(chosen, by_default=by_default) if runs else []
        if by_default and profile == "default":
            if self.of_formulas:
                names = [name for name in names if name not in OPERATORS_AS_THEY_ARE]
            if self.by_default_on:
                names = [name for name in names if name in self.by_default_on]
        cells = []
        for name in names:
            variants = self.variants(profile, facts(name).modes if modes is None else modes)
            layer = BETWEEN.get(name) if by_default and profile == "default" else None
            if layer is not None and layer.neighbours <= set(names):
                own = [v for v in variants if v.mode in layer.modes or (name, v) == self.golden_home]
                cells += [(name, variant) for variant in own[: 1 if self.ranks == 1 else 0]]
            else:
                cells += [(name, variant) for variant in variants]
        return cells

    @property
    def golden_home(self) -> tuple[str, Variant]:
        """The backend and variant of the cell that the clause's goldens belong to."""
        backend = self.golden or (self.on[0] if self.on else None)
        backend = backend or ("aot_function" if self.entry == AOT_FUNCTION else "aot_eager")
        return backend, self.variants("smoke")[0]


def _axes_apart(left: Variant, right: Variant) -> int:
    return sum(a != b for a, b in zip(dataclasses.astuple(left), dataclasses.astuple(right), strict=True))


def clause(
    *covers: str,
    modes: str | Sequence[str] = "no_grad",
    shapes: str | Sequence[str] = "static",
    inputs: str | Sequence[str] = "plain",
    entry: str = DYNAMO,
    fullgraph: bool = True,
    isolated: bool = False,
    asserts_on_device: bool = False,
    golden: str = "",
    on: Sequence[str] = (),
    ranks: int = 1,
    of_formulas: bool = False,
    by_default_on: Sequence[str] = (),
    devices: str | Sequence[str] = (),
    torch: str = "",
    needs: str = "",
    profile: str = "smoke",
    stand_for_all: int = 0,
) -> pytest.MarkDecorator:
    """Mark a test as a clause: the lines of the behaviour map it covers and the variants in which it must hold.

    ``modes``, ``shapes`` and ``inputs`` are one value each or several, the primary one first: without them the clause
    is one variant, without gradients and with static shapes. Raises `ValueError` for a value that is not known.
    ``entry`` is `DYNAMO`, `AOT_FUNCTION` (a contract of AOTAutograd that Dynamo refuses) or `ANY`. ``fullgraph``: a
    graph break is a failure. ``isolated``: every run in a process of its own, for programs known to crash or hang.
    ``asserts_on_device``: an assertion fails on a GPU, after which its process cannot use it: isolated there, after all
    other cells and few beside each other, so that a GPU that does not come back takes no other cell with it.
    ``golden``: the backend whose graphs the goldens are, where it is not ``aot_eager`` (or ``aot_function``).
    ``on``: the only backends that the clause is about (a mode of Inductor, make_fx); on others it has no cell.
    ``ranks``: the program runs on so many processes of one process group at once; claims are about rank 0.
    ``of_formulas``: what it holds is how operators are taken apart. By default it runs where they are; a layer that
    calls eager's own kernels for them runs it where it is asked for by name, and in the full profile.
    ``by_default_on``: the only backends that run it by default: what it shows of others, other clauses show. Those run
    it where they are asked for by name, and in the full profile.
    ``devices``: the only devices that the clause is about; on others it has no cell.
    ``torch``: the releases that have what the clause is about, ``">=2.13"``; on others its cells are unsupported.
    ``needs``: a package that its programs are made with, ``"transformers>=5"``; without it its cells are unsupported.
    ``profile``: the first that the clause runs in; ``default`` and ``full`` are for what costs more than it tells.
    ``stand_for_all``: of a clause over the rows of a long table, how many rows mutants are tried on; 0: on each.
    """
    scope = Scope(
        covers=covers,
        modes=_axis(modes, MODES),
        shapes=_axis(shapes, SHAPES),
        inputs=_axis(inputs, INPUTS),
        entry=entry,
        fullgraph=fullgraph,
        isolated=isolated,
        asserts_on_device=asserts_on_device,
        golden=golden,
        on=tuple(on),
        ranks=ranks,
        of_formulas=of_formulas,
        by_default_on=tuple(by_default_on),
        devices=_axis(devices, DEVICES),
        torch=_releases(torch),
        needs=_package(needs),
        profile=_axis(profile, PROFILES)[0],
        stand_for_all=stand_for_all,
    )
    return pytest.mark.clause(scope)


def _releases(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        raise ValueError(f"clause: torch={text!r} is no range of releases like '>=2.13'") from None
    return text


def _package(text: str) -> str:
    try:
        return str(Requirement(text)) if text else ""
    except InvalidRequirement:
        raise ValueError(f"clause: needs={text!r} is no package like 'numpy>=2'") from None


def _axis(given: str | Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    values = (given,) if isinstance(given, str) else tuple(given)
    for value in values:
        if value not in known:
            raise ValueError(f"clause: {value!r} is none of {', '.join(known)}")
    return values
