#!/usr/bin/env python3
"""Checks the shape of the tree: READMEs, layers and what they include, one registration block per library, size.

Prints each fault; exit 1 where there is one. Example: tools/check_tree.py
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEY_LIBRARIES = [
    "backend_cpu",
    "backend_cuda",
    "backend_meta",
    "composite",
    "autograd",
    "inplace_or_view",
    "functionalize",
    "autocast",
]
FOLDERS_WITH_README = [
    "schema",
    *KEY_LIBRARIES,
    "loader",
    "loader/elf",
    "loader/link",
    "loader/rules",
    "loader/system",
    "loader/bridge",
    "loader/cli",
    "python",
    "cmake",
    "tests",
    "examples",
    "docs",
    "tools",
]
MAX_LINES = 300

# Which includes a pure layer may not have: torch, the dynamic linker, the filesystem, the environment, the clock.
PURE = ["loader/elf", "loader/link", "loader/rules"]
IMPURE_INCLUDE = re.compile(
    r'#\s*include\s*[<"]((torch|ATen|c10)/|dlfcn\.h|filesystem|fstream|chrono|ctime|unistd\.h|fcntl\.h|sys/|boost/dll)'
)
IMPURE_CALL = re.compile(r"\b(getenv|secure_getenv|fopen|std::ifstream)\s*\(")
TORCH_INCLUDE = re.compile(r'#\s*include\s*[<"](torch|ATen|c10)/')
QUOTED_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# What a layer of the loader may include of the others: itself and what stands left of it.
LAYERS = ["elf", "link", "rules", "system", "cli"]
LOADER_INCLUDE = re.compile(r'#\s*include\s*"loader/(\w+)/')
REGISTRATION = re.compile(r"^\s*TORCH_LIBRARY(_IMPL|_FRAGMENT)?\s*\(", re.MULTILINE)


def tracked(*patterns: str) -> list[Path]:
    output = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / line for line in output.splitlines()]


def matches(pattern: re.Pattern[str], path: Path) -> list[str]:
    return [line.strip() for line in path.read_text().splitlines() if pattern.search(line)]


def missing_readmes() -> list[str]:
    return [f"{folder}: no README.md" for folder in FOLDERS_WITH_README if not (ROOT / folder / "README.md").is_file()]


def forbidden_includes() -> list[str]:
    faults = []
    for path in tracked("loader/*.h", "loader/*.cpp"):
        name = path.relative_to(ROOT).as_posix()
        layer = name.split("/")[1]
        if any(name.startswith(folder + "/") for folder in PURE):
            faults += [f"{name}: a pure layer may not have: {line}" for line in matches(IMPURE_INCLUDE, path)]
            faults += [f"{name}: a pure layer may not have: {line}" for line in matches(IMPURE_CALL, path)]
        if layer != "bridge":
            faults += [f"{name}: only the bridge sees torch: {line}" for line in matches(TORCH_INCLUDE, path)]
        if layer in LAYERS:
            allowed = [*LAYERS[: LAYERS.index(layer) + 1], "include"]
            for other in LOADER_INCLUDE.findall(path.read_text()):
                if other not in allowed and not (layer == "system" and other == "bridge"):
                    faults.append(f"{name}: {layer} may not include loader/{other}")
    return faults


def registrations() -> list[str]:
    faults = []
    for library in KEY_LIBRARIES:
        holders = [p.relative_to(ROOT).as_posix() for p in tracked(f"{library}/*.cpp") if matches(REGISTRATION, p)]
        if holders != [f"{library}/register.cpp"]:
            faults.append(f"{library}: kernels are registered in register.cpp alone, found {holders}")
    schema = [p.relative_to(ROOT).as_posix() for p in tracked("schema/*.cpp") if matches(REGISTRATION, p)]
    if schema != ["schema/schema.cpp"]:
        faults.append(f"schema: one TORCH_LIBRARY block, in schema.cpp, found {schema}")
    return faults


def key_libraries_apart() -> list[str]:
    """Key libraries meet in the dispatcher: none includes another's headers."""
    faults = []
    for library in ["schema", *KEY_LIBRARIES]:
        others = "|".join(k for k in [*KEY_LIBRARIES, "loader"] if k != library)
        pattern = re.compile(rf'#\s*include\s*"({others})/')
        for path in tracked(*(f"{library}/*.{ending}" for ending in ("h", "cpp", "cu", "cuh"))):
            faults += [f"{path.relative_to(ROOT)}: {line}" for line in matches(pattern, path)]
    return faults


def cuda_code() -> list[Path]:
    """What nvcc compiles: these files, and each header of the tree that they lead to."""
    paths = tracked("backend_cuda/*.cu", "backend_cuda/*.cuh", "backend_cuda/*_math.h")
    for path in paths:
        headers = [ROOT / name for name in QUOTED_INCLUDE.findall(path.read_text())]
        paths += [header for header in headers if header.is_file() and header not in paths]
    return paths


def torch_in_cuda_code() -> list[str]:
    """nvcc takes a minute for torch's headers, and *_math.h is tested without torch."""
    return [
        f"{path.relative_to(ROOT)}: CUDA code may not have: {line}"
        for path in cuda_code()
        for line in matches(TORCH_INCLUDE, path)
    ]


def long_files() -> list[str]:
    files = tracked("*.h", "*.cpp", "*.cu", "*.cuh", "*.py", "*.cmake", "dev")
    lengths = [(len(path.read_text().splitlines()), path.relative_to(ROOT)) for path in files]
    return [f"{name}: {length} lines, more than {MAX_LINES}" for length, name in lengths if length > MAX_LINES]


def main() -> int:
    faults = (
        missing_readmes()
        + forbidden_includes()
        + registrations()
        + key_libraries_apart()
        + torch_in_cuda_code()
        + long_files()
    )
    for fault in faults:
        print(fault)
    print(f"tree: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
