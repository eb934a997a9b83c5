"""Many of Inductor's kernels by one run of the C++ compiler, which spends most of its time before the first kernel.

Each kernel keeps its source, its flags and its file in Inductor's cache; only the translation unit is shared. What the
compiler may do with a function does not depend on its neighbours here: none calls another, and the flags that Inductor
passes leave no liberty with floating-point results.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from suites.harness import torch_internals
from suites.harness.execution import accelerations
from suites.harness.torch_internals import CppBuild

#: What a library holds where its copies say which of the kernels they are; four digits follow.
_MARK = "parity: this copy is kernel number "
_ENTRY = re.compile(r"\bPyMODINIT_FUNC\s+PyInit_(\w+)\s*\(\s*void\s*\)")
#: Lines that must stay outside of a namespace, in their order.
_OUTSIDE = re.compile(r"\s*#\s*(include\b|define PY_SSIZE_T_CLEAN\b)")
_SECONDS = 300.0


def announce_builds(announce: Callable[[CppBuild], None]) -> None:
    """From now on, hand ``announce`` each kernel that Inductor is about to build, while kernels are built together."""
    torch_internals.announce_cpp_builds(
        lambda build: announce(build) if accelerations.on(accelerations.TOGETHER) else None
    )


#: What hears which kernels are about to be in their places, and how many seconds of the processor their build took.
Built = Callable[[Sequence[CppBuild], float], None]


def build_together(
    builds: Sequence[CppBuild],
    failed: Callable[[str], None] = lambda line: None,
    built: Built = lambda builds, seconds: None,
) -> int:
    """Build what can be built in one go, each library in its place. Returns how many are there now.

    The rest is left alone: builds that nothing else shares its flags with, and what does not compile. Of a group that
    does not, each half is tried again, and ``failed`` hears the compiler's telling line.
    """
    groups: dict[tuple[str, str], dict[str, CppBuild]] = {}
    for build in builds:
        entry = _entry(build)
        if entry:
            flags = build.command.replace(build.source, "").replace(build.target, "")
            groups.setdefault((flags, entry), {})[build.target] = build
    return sum(_in_parts(list(group.values()), entry, failed, built) for (_, entry), group in groups.items())


def _in_parts(builds: Sequence[CppBuild], entry: str, failed: Callable[[str], None], built: Built) -> int:
    if len(builds) < 2:
        return 0
    middle = len(builds) // 2
    parts = (builds[:middle], builds[middle:])
    return _build(builds, entry, failed, built) or sum(_in_parts(part, entry, failed, built) for part in parts)


def _entry(build: CppBuild) -> str:
    """The name that the library is loaded by; empty if its source is not of the shape that can be shared."""
    names: list[str] = _ENTRY.findall(Path(build.source).read_text(encoding="utf-8"))
    return names[0] if len(names) == 1 else ""


def _build(builds: Sequence[CppBuild], entry: str, failed: Callable[[str], None], built: Built) -> int:
    first, before = builds[0], _childrens_seconds()
    with tempfile.TemporaryDirectory(prefix="parity-kernels-") as folder:
        source, library = Path(folder) / "kernels.cpp", Path(folder) / "kernels.so"
        source.write_text(
            _unit([Path(build.source).read_text(encoding="utf-8") for build in builds], entry), encoding="utf-8"
        )
        command = first.command.replace(first.target, str(library)).replace(first.source, str(source))
        try:
            ended = subprocess.run(shlex.split(command), capture_output=True, cwd=folder, timeout=_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            failed(str(error))
            return 0
        if ended.returncode:
            failed(torch_internals.compiler_line(ended.stderr.decode(errors="replace")))
            return 0
        data = library.read_bytes()
        if data.count(_mark(0)) != 1:
            return 0
        built(builds, _childrens_seconds() - before)
        for number, build in enumerate(builds):
            copy = Path(f"{build.target}.{os.getpid()}.part")
            copy.write_bytes(data.replace(_mark(0), _mark(number)))
            shutil.copymode(library, copy)
            os.replace(copy, build.target)
    return len(builds)


def _childrens_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _mark(number: int) -> bytes:
    return f"{_MARK}{number:04}".encode()


def _unit(sources: Sequence[str], entry: str) -> str:
    """One translation unit: each source in a namespace of its own, behind one entry that asks the mark for a number."""
    outside: dict[str, None] = {}
    inside: list[str] = []
    for number, source in enumerate(sources):
        lines = source.splitlines()
        outside.update(dict.fromkeys(line.strip() for line in lines if _OUTSIDE.match(line)))
        names = {entry: f"{entry}_{number}", f"PyInit_{entry}": f"PyInit_{entry}_{number}"}
        inside += [f"#define {name} {other}" for name, other in names.items()]
        inside += [f"namespace parity_{number} {{", *(line for line in lines if not _OUTSIDE.match(line)), "}"]
        inside += [f"#undef {name}" for name in names]
    chosen = [
        f"        case {number}: return parity_{number}::PyInit_{entry}_{number}();" for number in range(len(sources))
    ]
    return "\n".join(
        [
            *outside,
            *inside,
            f'static volatile char parity_mark[] = "{_mark(0).decode()}";',
            f"PyMODINIT_FUNC PyInit_{entry}(void) {{",
            "    int number = 0;",
            f"    for (int i = {len(_MARK)}; i < {len(_mark(0))}; i++) number = number * 10 + (parity_mark[i] - '0');",
            "    switch (number) {",
            *chosen,
            "        default: return nullptr;",
            "    }",
            "}",
            "",
        ]
    )
