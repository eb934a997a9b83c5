"""Questions that several forks of this process share: they run what it holds, which need not pickle."""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")
#: What the forks are asked, by number.
_ASKED: list[Callable[[], Any]] = []


def in_forks(
    ask: Callable[[_Question], _Answer], questions: Sequence[_Question], jobs: int
) -> Iterator[tuple[int, _Answer]]:
    """The number of each question and its answer, once there is one, of so many forks. Answers must pickle."""
    _ASKED[:] = [functools.partial(ask, question) for question in questions]
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(_asked, range(len(questions)))


def _asked(number: int) -> tuple[int, Any]:
    return number, _ASKED[number]()
