"""`myops check` on real PyTorch extensions, of this torch and of another one, against what happens on opening them."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.build_tree import OTHER_TORCHS_EXTENSION, torch_lib, wheel
from support.process import run_myops, run_python

# Larger ones are CUDA's, and take seconds each to open.
LARGE = 2_000_000

# Opens each file as torch.ops.load_library would, in a fork of a process with torch each: one must not help the next.
OPEN = """
import ctypes, json, os, sys
import torch
told = {}
for path in sys.argv[1:]:
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            ctypes.CDLL(path, mode=os.RTLD_NOW)
        except OSError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        told[path] = pipe.read()
    _, status = os.wait()
    assert status == 0, (path, status)
print(json.dumps(told))
"""


@pytest.fixture(scope="module", params=["torchvision-0.26.0", "torchvision-0.29.2"])
def libraries(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The shared objects of a wheel, unpacked as an installer would."""
    folder = tmp_path_factory.mktemp(request.param)
    with zipfile.ZipFile(wheel(request.param)) as archive:
        archive.extractall(folder)
    found = sorted(path for path in folder.rglob("*") if re.search(r"\.so(\.\d+)*$", path.name))
    assert any(path.parent.name == "torchvision" for path in found)
    return found


def what_happens(libraries: list[Path]) -> dict[str, str]:
    """What the dynamic linker says of each file in a process that has torch; "" where it opens."""
    outcome = run_python(OPEN, *libraries, timeout=300)
    assert outcome.returncode == 0, outcome
    told: dict[str, str] = outcome.json
    return told


def test_verdict_is_what_happens(libraries: list[Path]) -> None:
    outcome = run_myops("check", *libraries, "--torch", torch_lib(), "--json")
    assert outcome.stderr == ""
    files: dict[str, Any] = {file["path"]: file for file in outcome.json["files"]}
    assert set(files) == {str(path) for path in libraries}
    told = what_happens(libraries)
    assert outcome.returncode == (1 if any(told.values()) else 0)
    for path, said in told.items():
        file = files[path]
        assert file["verdict"] == "foreign"
        assert file["loads"] is (said == ""), (path, said, file["reasons"])
        missing = [reason for reason in file["reasons"] if reason["code"] == "symbol-missing"]
        assert bool(missing) is bool(said)
        if said:
            symbol = said.split("undefined symbol: ")[1].split(",")[0]
            assert demangled(symbol) in [reason["subject"] for reason in missing], (said, missing)


def demangled(symbol: str) -> str:
    """As c++filt would, by the C++ library that torch has loaded."""
    code = """
    import ctypes, sys
    demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    demangle.restype = ctypes.c_char_p
    print(demangle(sys.argv[1].encode(), None, None, ctypes.byref(ctypes.c_int())).decode())
    """
    outcome = run_python(code, symbol)
    assert outcome.returncode == 0, outcome
    return outcome.stdout.strip()


def test_extension_of_another_torch_is_told_in_words(tmp_path: Path) -> None:
    """What a person reads: the function by its C++ name, the library that should have it, and what to do."""
    name, member, symbol = OTHER_TORCHS_EXTENSION
    with zipfile.ZipFile(wheel(name)) as archive:
        extension = Path(archive.extract(member, tmp_path))
    outcome = run_myops("check", extension, "--torch", torch_lib())
    assert (outcome.returncode, outcome.stderr) == (1, "")
    line = next(line for line in outcome.stdout.splitlines() if symbol in line)
    # Nothing says in which library a function of the stable ABI, which is C, should be.
    place, cure = (" of libtorch_cpu.so", "rebuild it for torch") if "::" in symbol else ("", "rebuild it against")
    assert f"symbol-missing: needs {symbol}{place}, not defined" in line and cure in line
    assert outcome.stdout.endswith(f"\nwould not load:\n  {extension}\n")


def test_verdict_on_the_installed_packages_is_what_happens() -> None:
    """Extension modules and bundled libraries of torch, numpy and what else is there: what people really check."""
    packages = torch_lib().parents[1]
    libraries = sorted(
        path
        for path in packages.rglob("*.so*")
        if re.search(r"\.so(\.\d+)*$", path.name) and path.stat().st_size < LARGE and not path.is_symlink()
    )
    assert len(libraries) > 20
    outcome = run_myops("check", *libraries, "--torch", torch_lib(), "--json", timeout=300)
    assert outcome.stderr == ""
    told = what_happens(libraries)
    differing = [
        (file["path"], file["loads"], told[file["path"]], file["reasons"])
        for file in outcome.json["files"]
        if file["loads"] is not (told[file["path"]] == "")
    ]
    assert differing == []
