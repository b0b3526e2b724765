#!/usr/bin/env python3
"""Holds `myops check` against the dynamic linker over wheels that people install, file by file.

Each wheel is fetched (kept in .cache/real-wheels), unpacked by itself, and every shared object in it judged by
`myops check --json` for the torch of this environment; then each is opened with RTLD_NOW in a child process that has
imported torch, which is what `loads` speaks of. A file that opens and was refused is the worse of the two mistakes.

  ./dev exec python tools/real_wheels.py                       all wheels below, as a table
  ./dev --torch 2.11.0 exec python tools/real_wheels.py        under the older torch
  ./dev exec python tools/real_wheels.py torchvision==0.29.2   named ones
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".cache" / "real-wheels"

# Extensions of torch first, of releases that fit the torches here and of others; then extensions of Python with
# libraries of their own.
WHEELS = {
    "torchvision": ["0.29.2", "0.28.0", "0.26.0", "0.25.0", "0.24.1", "0.22.1", "0.20.1"],
    "torchaudio": ["2.11.1", "2.11.0", "2.10.0", "2.9.1", "2.8.0", "2.6.0"],
    "torchcodec": ["0.17.0", "0.16.0", "0.11.1", "0.10.0", "0.8.1", "0.5"],
    "torchao": ["0.18.0", "0.17.0", "0.16.0", "0.14.1", "0.11.0", "0.9.0"],
    "xformers": ["0.0.35", "0.0.34", "0.0.33.post2", "0.0.31", "0.0.29.post3"],
    "bitsandbytes": ["0.50.2", "0.49.2", "0.48.2", "0.46.1", "0.44.1"],
    "sentencepiece": ["0.2.1"],
    "tokenizers": ["0.22.2"],
    "numpy": ["2.3.5"],
    "scipy": ["1.16.3"],
    "av": ["16.0.1"],
    "onnxruntime": ["1.23.2"],
    "opencv-python-headless": ["4.12.0.88"],
}

# Opens each file in a fork of a process that has torch: one must not help the next.
OPEN = """
import ctypes, json, os, signal, sys
import torch
for path in json.load(sys.stdin):
    reader, writer = os.pipe()
    if os.fork() == 0:
        signal.alarm(120)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1), os.dup2(sink, 2)
        said = ""
        try:
            ctypes.CDLL(path, mode=os.RTLD_NOW)
        except OSError as error:
            said = str(error)
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.wait()[1])
    print(json.dumps([path, said if status == 0 else f"the process ended: {status}"]), flush=True)
"""


@dataclass
class File:
    name: str
    loads: bool | None  # what check says
    reasons: list[str]
    said: str  # by the dynamic linker; "" where it opens

    @property
    def opens(self) -> bool:
        return not self.said

    @property
    def disagrees(self) -> bool:
        return self.loads is not None and self.loads != self.opens


@dataclass
class Wheel:
    name: str
    files: list[File] = field(default_factory=list)
    error: str = ""

    def count(self, **wanted: bool | None) -> int:
        return sum(all(getattr(file, name) is value for name, value in wanted.items()) for file in self.files)

    def row(self) -> list[str | int]:
        return [
            self.name,
            len(self.files),
            self.count(loads=True, opens=True),
            self.count(loads=False, opens=False),
            self.count(loads=False, opens=True),
            self.count(loads=True, opens=False),
            self.count(loads=None),
        ]


COLUMNS = ["wheel", "files", "open", "refused", "refused, but opens", "taken, but does not open", "not told"]


def fetch(name: str, folder: Path) -> Path:
    """The wheel's file, for this Python and machine. RuntimeError with pip's own words where it is not to be had."""
    project, version = name.split("==")
    pattern = f"{re.sub('[-_.]+', '_', project)}-{version}-*.whl"
    if not (present := list(folder.glob(pattern))):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        done = subprocess.run([*command, "--dest", str(folder), name], capture_output=True, text=True)
        present = list(folder.glob(pattern))
        if done.returncode != 0 or not present:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "pip brought nothing")
    return present[0]


def shared_objects(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and re.search(r"\.so(\.[\w.]+)?$", path.name))
    return sorted(str(path) for path in found)


def judged(paths: list[str]) -> dict[str, Any]:
    done = subprocess.run(["myops", "check", "--json", *paths], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"myops check ended with {done.returncode}: {done.stderr}")
    return {file["path"]: file for file in json.loads(done.stdout)["files"]}


def opened(paths: list[str]) -> dict[str, str]:
    """What the dynamic linker says of each; "" where it opens."""
    command = [sys.executable, "-c", OPEN]
    done = subprocess.run(command, input=json.dumps(paths), capture_output=True, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def examine(name: str, folder: Path) -> Wheel:
    wheel = Wheel(name)
    try:
        source = fetch(name, folder)
    except RuntimeError as error:
        wheel.error = str(error)
        return wheel
    with tempfile.TemporaryDirectory() as unpacked:
        with zipfile.ZipFile(source) as archive:
            archive.extractall(unpacked)
        if paths := shared_objects(Path(unpacked)):
            verdicts, said = judged(paths), opened(paths)
            for path in paths:
                reasons = [f"{reason['code']} {reason['subject']}" for reason in verdicts[path]["reasons"]]
                short = str(Path(path).relative_to(unpacked))
                words = said[path].replace(unpacked + "/", "")
                wheel.files.append(File(short, verdicts[path]["loads"], reasons, words))
    return wheel


def table(wheels: list[Wheel]) -> str:
    """In Markdown, which a terminal shows well enough."""
    rows = [COLUMNS] + [[str(cell) for cell in wheel.row()] for wheel in wheels if not wheel.error]
    total = [str(sum(int(row[i]) for row in rows[1:])) for i in range(1, len(COLUMNS))]
    rows.append(["all", *total])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---|" + "---:|" * (len(COLUMNS) - 1))
    return "\n".join(lines)


def as_json(wheels: list[Wheel]) -> str:
    import torch

    return json.dumps({"torch": torch.__version__, "wheels": [wheel_json(wheel) for wheel in wheels]}, indent=1)


def wheel_json(wheel: Wheel) -> dict[str, Any]:
    return {"name": wheel.name, "error": wheel.error, "files": [vars(file) for file in wheel.files]}


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("wheels", nargs="*", metavar="NAME==VERSION", help="instead of the list in this file")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where wheels are kept")
    parser.add_argument("--json", action="store_true", help="every file, in place of the table")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    names = arguments.wheels or [f"{name}=={version}" for name, versions in WHEELS.items() for version in versions]
    if wrong := [name for name in names if not re.fullmatch(r"[\w.-]+==[\w.]+", name)]:
        parser.error(f"{wrong[0]!r} is no NAME==VERSION")

    wheels = []
    for number, name in enumerate(names, 1):
        print(f"[{number}/{len(names)}] {name}", file=sys.stderr, flush=True)
        wheels.append(examine(name, arguments.folder))
    print(as_json(wheels) if arguments.json else table(wheels))
    for wheel in wheels:
        if wheel.error:
            print(f"{wheel.name} was not to be had: {wheel.error}", file=sys.stderr)
        for file in wheel.files:
            if file.disagrees:
                verdict = "opens" if file.opens else f"does not open: {file.said}"
                print(
                    f"{wheel.name} {file.name}: check says {file.reasons or 'loads'}, and it {verdict}", file=sys.stderr
                )
    return int(any(wheel.error or any(file.disagrees for file in wheel.files) for wheel in wheels))


if __name__ == "__main__":
    sys.exit(main())
