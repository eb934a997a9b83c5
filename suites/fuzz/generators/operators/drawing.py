"""Programs about operators: up to three ordinary ones in a row, each by options that are drawn.

The operators of models are tested one by one wherever they are tested; what a compiler makes of them, it makes of what
stands before and behind them. Numbers are moderate here, and no element lies where an operator jumps: the kind
``numbers`` is about those. Inputs may lie in channels last, transposed, or with gaps, a size may be one, and where
sizes are symbols a second call is of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ..choices import Choices
from ..programs.drawing import Drawn, is_sound
from ..programs.scope import Rejected
from ..programs.text import file_text
from .chains import Chain, Root

#: How often a family is tried; each is a table of ``calls.toml``.
FAMILIES: Mapping[str, int] = {
    "convolutions": 5,
    "pooling": 6,
    "resampling": 6,
    "padding": 4,
    "normalisations": 6,
    "activations": 5,
    "elementwise": 7,
    "reductions": 6,
    "scans": 3,
    "order": 3,
    "indices": 7,
    "pieces": 8,
    "losses": 5,
    "attention": 4,
    "products": 4,
}
#: What is to be seen of a program.
FEATURES = (
    *("gradients", "symbolic sizes", "another size", "channels_last", "transposed", "strided", "dense"),
    *("double precision", "low precision", "a size of one", "two statements or more"),
)
#: Most statements, and how often one is drawn anew that does not fit.
_MOST, _TRIES = 3, 12
_DTYPES = ("float32",) * 8 + ("float64", "bfloat16", "float16")
_LAYOUTS = ("", "", "", "transposed", "strided")
#: Sizes of batches, numbers of channels, and all other sizes: the shorter, the more dimensions there are.
_BATCHES, _CHANNELS, _LENGTHS = (2, 1, 3), (4, 2, 3, 6, 1), (6, 5, 4, 3, 7, 8, 9, 2, 16, 17, 1, 33)
_SHORTEST: Mapping[int, int] = {2: 8, 3: 12, 4: 9, 5: 5}


def draw_program(choices: Choices, weights: Mapping[str, int] | None = None) -> Drawn:
    """A program about operators that eager runs. Raises `Rejected` where nothing that was drawn could be run."""
    train, dynamic = choices.chance(60), choices.chance(25)
    torch.default_generator.manual_seed(0)
    chain = Chain(choices, _root(choices), train=train)
    wanted = choices.integer(1, _MOST)
    for _ in range(_TRIES):
        if len(chain.statements) == wanted:
            break
        try:
            chain.draw(weights or FAMILIES)
        except Rejected:
            continue
    if not chain.statements:
        raise Rejected("no operator fits")
    body, calls = chain.body(), [chain.builder()] * 2
    if dynamic:
        try:
            calls[1] = chain.of_another_size(_larger(choices, chain.root)).builder()
        except Rejected:
            dynamic = False
    text = file_text(list(chain.made), body, calls, [""] * 2, {}, train=train, dynamic=dynamic)
    if not is_sound(text) or not is_sound(text, looked=False):
        raise Rejected("undefined")
    if train and chain.gradients_cancel():
        raise Rejected("of rounding alone")
    families = tuple(statement.family for statement in chain.statements)
    return Drawn(text, families, _features(chain, calls, dynamic=dynamic))


def _root(choices: Choices) -> Root:
    dimensions = choices.one_of([4, 2, 3, 4, 3, 2, 4, 5])
    channels = choices.one_of(_CHANNELS)
    lengths = _LENGTHS[: _SHORTEST[dimensions]]
    batch = choices.one_of(lengths if dimensions == 2 else _BATCHES)
    layout = choices.one_of([*_LAYOUTS, *["channels_last"] * (4 if dimensions == 4 else 0)])
    others = [choices.one_of(lengths) for _ in range(dimensions - 2)]
    return Root((batch, channels, *others), choices.one_of(_DTYPES), layout)


def _larger(choices: Choices, root: Root) -> tuple[int, ...]:
    """The shape of a later call: all but the number of channels may be another, and those of one stay one."""
    return tuple(
        size if place == 1 or size == 1 or choices.chance(40) else size + choices.integer(1, 3)
        for place, size in enumerate(root.shape)
    )


def _features(chain: Chain, calls: Sequence[Sequence[str]], *, dynamic: bool) -> tuple[str, ...]:
    root = chain.root
    seen = {
        "gradients": chain.train,
        "symbolic sizes": dynamic,
        "another size": calls[0] != calls[1],
        root.layout or "dense": True,
        "double precision": root.dtype == "float64",
        "low precision": root.dtype in ("bfloat16", "float16"),
        "a size of one": 1 in root.shape,
        "two statements or more": len(chain.statements) > 1,
    }
    return tuple(sorted(name for name, there in seen.items() if there))
