"""A program as a file that ``parity check`` takes, in plain and short Python."""

from __future__ import annotations

from collections.abc import Sequence

from .scope import Statement

#: What programs may use besides torch, by the word that shows that they do.
_HELPERS = {
    "memory[": "memory = {'calls': 0}",
    "buffer": "buffer = torch.zeros(())",
    "log.append": "log = []",
    "Double.": (
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n"
        "        return x * 2\n"
        "\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g * 2 + ctx.saved_tensors[0] * 0"
    ),
    "Same.": (
        "class Same(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x\n"
        "\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g * 3"
    ),
}

#: Everything that a program can lean on, to run its statements while it is drawn.
PREAMBLE = ("import torch", "import torch.nn.functional as F", *_HELPERS.values())


def file_text(
    arguments: Sequence[str],
    inputs: Sequence[str],
    statements: Sequence[Statement],
    returned: Sequence[str],
    *,
    train: bool,
    dynamic: bool,
) -> str:
    """The file: imports, helpers, ``program``, ``inputs`` and what is asked for."""
    body = [line for statement in statements for line in statement.lines]
    inner = "\n".join(body)
    head = ["import torch"]
    if "F." in inner:
        head.append("import torch.nn.functional as F")
    blocks = ["\n".join(head)]
    flags = ["TRAIN = True"] * train + ["DYNAMIC = True"] * dynamic
    if flags:
        blocks.append("\n".join(flags))
    helpers = [text for word, text in _HELPERS.items() if word in inner]
    histories = any(line.startswith("made[") for line in inputs)
    blocks += helpers + ["made = {}"] * histories
    ending = [f"return {', '.join(returned)}"] if returned else []
    blocks.append(_function("program", ", ".join(arguments), body + ending))
    made = f"({arguments[0]},)" if len(arguments) == 1 else ", ".join(arguments)
    blocks.append(_function("inputs", "", [*inputs, f"return {made}"]))
    if histories:
        blocks.append(_function("leaves", "", ["return made"]))
    return "\n\n\n".join(blocks) + "\n"


def _function(name: str, arguments: str, lines: Sequence[str]) -> str:
    return "\n".join([f"def {name}({arguments}):", *(f"    {line}" for line in lines)])
