"""What errors say: classes of messages that eager and compiled programs share, and texts for reports."""

from __future__ import annotations

import re

from suites.harness.observation.facts import ErrorFacts

#: Classes of messages that eager and compiled programs share. The first that matches is the message's class.
_MESSAGE_CLASSES: tuple[tuple[str, str], ...] = (
    ("in-place on a leaf", r"leaf variable that requires grad|leaf variable has been moved|view of a leaf"),
    ("in-place on a multi-output view", r"output of a function that returns multiple views|modified inplace.*multiple"),
    ("view across no_grad", r"is being modified inplace.*no_grad|no_grad mode and is being modified"),
    ("inference tensor", r"inference tensor|inference ?mode"),
    ("out= with grad", r"out=.*don't support automatic differentiation|functions with out="),
    ("second backward", r"backward through the graph a second time"),
    ("modified by an in-place operation", r"modified by an inplace operation"),
    ("memory overlap", r"single memory location|overlap"),
    ("device", r"same device|expected.*device"),
)


#: A line that names an error and leaves its reason to a later line.
_ONLY_A_NAME = re.compile(r"[\w.]*(Error|Exception|Failure):")
#: A line that says where in a program of Triton's an error is; the reason is below the program, which ends with a `^`.
_ONLY_A_PLACE = re.compile(r"(\w+: )?at \d+:\d+:")
#: What a C++ compiler says of a line of its source.
_OF_A_COMPILER = re.compile(r"^\S+:\d+:\d+: (?:fatal )?error: (.+)$", re.MULTILINE)
#: Lines that say where an error was raised or what to set to learn more, and not why.
_ABOUT_AN_ERROR = re.compile(r"Set TORCH|Traceback |File \"|from user code|While executing|Original traceback")


def message_class(error: ErrorFacts) -> str | None:
    """The class of an error's message, None for one that belongs to no class."""
    text = error.message.lower()
    for name, pattern in _MESSAGE_CLASSES:
        if re.search(pattern, text, re.DOTALL):
            return name
    return None


def same_message_class(expected: ErrorFacts, seen: ErrorFacts) -> bool:
    """Whether two errors are of one class. The type's name is not compared: tracing wraps what eager raises (D12).

    Only a candidate whose message is of another *known* class differs; compilers word their own refusals.
    """
    left, right = message_class(expected), message_class(seen)
    return left is None or right is None or left == right


def normalised(message: str) -> str:
    """The first telling line of a message with sizes, names and addresses taken out, for fingerprints."""
    line = _telling_line(message)
    line = re.sub(r"0x[0-9a-fA-F]+", "0x", line)
    # Where a kernel was compiled, alone or with others, is the run's own.
    line = re.sub(r"/[\w./+-]+(\.\w+)", r"file\1", line)
    line = re.sub(r"\bkernel_\d+\b", "kernel", line)
    # A set's order is chance, and so is what is left of it below.
    line = re.sub(r"(placeholders=\{).*", r"\1...", line)
    # What Python was at when its stack ended is chance.
    line = re.sub(r"(maximum recursion depth exceeded) .*", r"\1", line)
    line = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", line)
    line = re.sub(r"\d+(\.\d+)?", "N", line)
    return line[:120].strip()


def raised_kind(error: ErrorFacts) -> str:
    """The kind of a divergence in which only the candidate raises."""
    return f"raised {error.type}: {normalised(error.message)}"


def _telling_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    # "backend='inductor' raised:" is the wrapper's line; the next one says what.
    telling = [line for line in lines if not re.fullmatch(r"backend=.* raised:", line)]
    if not telling:
        return ""
    first, *rest = telling
    if _ONLY_A_PLACE.fullmatch(first) and "^" in rest:
        rest = rest[rest.index("^") + 1 :]
    elif not _ONLY_A_NAME.fullmatch(first):
        return first
    reason = next((line for line in rest if not _ABOUT_AN_ERROR.match(line)), "")
    return f"{first} {reason}".strip()


def headline(error: ErrorFacts) -> str:
    """An error in one line; of a compiler's, with the first that the compiler says."""
    line = _telling_line(error.message)
    if compiler := _OF_A_COMPILER.search(error.message):
        line = f"{line}: {compiler[1]}"
    return f"{error.type}: {line[:300]}"
