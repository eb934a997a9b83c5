"""The command line's options that concern a run of the suites."""

from __future__ import annotations

import argparse
import os

import pytest

from suites.harness import torch_internals
from suites.harness.backends.names import DEFAULT
from suites.harness.clauses import scope
from suites.harness.programs.specs import MODES, modes

#: ``quick`` is chosen cells of the default profile.
PROFILES = ("quick", *scope.PROFILES)
GOLDEN_MODES = ("strict", "drift", "off", "record")


def add_options(parser: pytest.Parser) -> None:
    """The options of the design's command line that concern a run of the suites."""
    group = parser.getgroup("parity", "Parity: conformance of torch.compile backends")
    group.addoption(
        "--backend",
        action="append",
        metavar="NAME",
        help="backend to run on: a name that torch lists, or "
        f"module:attribute (repeatable; default: {', '.join(DEFAULT)})",
    )
    group.addoption(
        "--modes",
        type=_modes,
        metavar="MODE,...",
        help=f"grad modes to be judged in: some of {', '.join(MODES)} (default: those that the backend claims)",
    )
    group.addoption(
        "--clause",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only clauses of such an id, FAMILY/GROUP/NAME; `*` is any text, `?` one character (repeatable)",
    )
    group.addoption("--device", default="cpu", choices=("cpu", "cuda"), help="device of all tensors")
    group.addoption("--profile", default="default", choices=PROFILES, help="how many variants of each clause run")
    group.addoption(
        "--at-once",
        type=_positive,
        default=0,
        metavar="N",
        help="run N cells at once, in forks of one process; not with xdist's -n (default: one)",
    )
    group.addoption("--shard", metavar="I/N", help="run one of N parts that take about as long each")
    group.addoption("--costs", metavar="FILE", help="a ledger that says what cells cost, for --shard")
    group.addoption(
        "--order", metavar="ORDER", help="`reversed`, or `random:SEED`: run cells in another order than the usual one"
    )
    group.addoption("--waivers", action="append", default=[], metavar="FILE", help="more known bugs (repeatable)")
    group.addoption("--ledger", metavar="FILE", help="where the record of every cell is written")
    group.addoption(
        "--golden",
        choices=GOLDEN_MODES,
        help=f"what a changed graph means (default: strict on torch {torch_internals.BASELINE}, drift on any other)",
    )
    group.addoption("--golden-edits", metavar="DIR", help="where --golden record writes pending edits")
    group.addoption(
        "--repeat", type=_count, default=0, metavar="N", help="run what failed N more times: a flake is told as one"
    )
    group.addoption("--plain", action="store_true", help="do nothing for speed that a user would not do")
    group.addoption("--max-examples", type=_positive, metavar="N", help="examples of each property (default: 100)")
    group.addoption("--cell-timeout", type=_seconds, default=300.0, metavar="SECONDS", help="time limit of one cell")


def _modes(text: str) -> tuple[str, ...]:
    """Grad modes, in their usual order. Raises `argparse.ArgumentTypeError` for a word that is none."""
    try:
        return modes(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _count(text: str) -> int:
    """A number of things, which may be none. Raises `argparse.ArgumentTypeError` for what is no number of any."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return int(text)


def _seconds(text: str) -> float:
    """A time limit. Raises `argparse.ArgumentTypeError` for what is none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:  # Nor is `nan`.
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _positive(text: str) -> int:
    """A number of things. Raises `argparse.ArgumentTypeError` for what is none."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def use_examples(number: int) -> None:
    """Have hypothesis try ``number`` examples of each property that does not ask for a number of its own."""
    import hypothesis

    hypothesis.settings.register_profile("parity", max_examples=number)
    hypothesis.settings.load_profile("parity")


def refuse_to_accept_in_workers(config: pytest.Config) -> None:
    """Raise `pytest.UsageError` where several workers would write accepted texts into the same test file at once."""
    workers = len(getattr(config.option, "tx", None) or ())
    if os.environ.get("EXPECTTEST_ACCEPT") and workers > 1:
        raise pytest.UsageError(
            f"EXPECTTEST_ACCEPT rewrites test files, and {workers} workers would at once: give -n 1"
        )
