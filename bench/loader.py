"""What judging libraries costs: against opening them, for each file that is refused, and with their number."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FEW, MANY = 10, 1000
MEASURED = 100  # refused candidates, over which calls and bytes are averaged
LINE = re.compile(r"(?:\d+ +)?(\w+)\(.*?\) += (-?\d+)")

# Of one process each: milliseconds of `import torch` and of `import myops` after it.
IMPORTS = """
import time
start = time.perf_counter()
import torch
middle = time.perf_counter()
import myops
print(middle - start, time.perf_counter() - middle)
"""


def for_another_torch(source: Path, target: Path) -> None:
    """A copy whose manifest names a release of torch that is not this one."""
    content = source.read_bytes()
    pattern = rb'("torch":\{"version":"\d\.)(\d+)'
    changed = re.sub(pattern, lambda match: match[1] + b"9" * len(match[2]), content)
    assert changed != content, source
    target.write_bytes(changed)
    target.chmod(0o644)


def refused_libraries(plugins: Path, folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        for_another_torch(plugins / "libmyops_meta.so", folder / f"librefused_{number:04}.so")
    return folder


def copies_that_lack_others(plugins: Path, folder: Path, count: int) -> Path:
    """The schema library, and copies that are refused since nobody guards what they write to."""
    folder.mkdir()
    shutil.copy2(plugins / "libmyops_schema.so", folder)
    content = (plugins / "libmyops_meta.so").read_bytes()
    for number in range(count - 1):
        # Another build-id, or they are one library: the note of type NT_GNU_BUILD_ID, 20 bytes.
        at = content.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
        (folder / f"libcopy_{number:04}.so").write_bytes(
            content[:at] + number.to_bytes(20, "little") + content[at + 20 :]
        )
    return folder


def calls_and_bytes(command: list[str], folder: Path, trace: Path, variables: dict[str, str]) -> tuple[int, int]:
    """System calls of a command, and the bytes that it read."""
    trace.mkdir()
    # A file for each thread: in one for all, calls that overlap are cut in two.
    subprocess.run(
        ["strace", "-ff", "-qq", "-o", trace / "of", *command], check=True, capture_output=True, env=variables
    )
    lines = [line for file in trace.iterdir() for line in file.read_text().splitlines()]
    found = [match for line in lines if (match := LINE.match(line))]
    read = sum(int(result) for name, result in (match.groups() for match in found) if name in ("read", "pread64"))
    return len(found), read


def per_refused(
    plan: list[str], plugins: Path, folder: Path, variables: dict[str, str], searched: str
) -> dict[str, float]:
    counts = []
    for number in (FEW, FEW + MEASURED):
        place = refused_libraries(plugins, folder / f"refused_{number}", number)
        counts.append(calls_and_bytes(plan, place, folder / f"trace_{number}", {**variables, searched: str(place)}))
    (few_calls, few_bytes), (calls, read) = counts
    return {"calls": (calls - few_calls) / MEASURED, "kib": (read - few_bytes) / MEASURED / 1024}


def growth(timed: Callable[[Path], float], plugins: Path, folder: Path, rounds: int) -> dict[str, Any]:
    """Of the time of a plan, from ten libraries to a thousand: of those refused one by one, and as a set."""
    found = {}
    for name, make in (("refused", refused_libraries), ("lacking", copies_that_lack_others)):
        places = [make(plugins, folder / f"{name}_{count}_libraries", count) for count in (FEW, MANY)]
        times = [min(timed(place) for _ in range(rounds)) for place in places]
        found[name] = {"few_ms": times[0], "many_ms": times[1], "ratio": times[1] / times[0]}
    return found


def import_shares(rounds: int, variables: dict[str, str]) -> list[float]:
    """What `import myops` adds to `import torch`, one value for each process."""
    shares = []
    for _ in range(rounds):
        output = subprocess.run([sys.executable, "-c", IMPORTS], check=True, capture_output=True, env=variables).stdout
        of_torch, of_myops = map(float, output.split())
        shares.append(of_myops / of_torch)
    return shares


def with_package(variables: dict[str, str], build: Path) -> dict[str, str]:
    path = os.pathsep.join([str(build / "lib" / "python"), *filter(None, [variables.get("PYTHONPATH")])])
    return {**variables, "PYTHONPATH": path}
