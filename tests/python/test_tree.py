"""The tree keeps its shape: tools/check_tree.py finds no fault, and finds the faults it is there for."""

from __future__ import annotations

import importlib.util
import re
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_tree", ROOT / "tools" / "check_tree.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tree_has_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert load_checker().main() == 0, capsys.readouterr().out


def well_kept(folder: Path, checker: ModuleType) -> None:
    """The least tree that has no fault."""
    for name in checker.FOLDERS_WITH_README:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "README.md").touch()
    for library in checker.KEY_LIBRARIES:
        (folder / library / "register.cpp").write_text("TORCH_LIBRARY_IMPL(myops, CPU, m) {}\n")
    (folder / "schema" / "schema.cpp").write_text("TORCH_LIBRARY(myops, m) {}\n")


def matching(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    """As `git ls-files` does: `*` stands for `/` too."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [f for f in files if any(fnmatch(f.relative_to(folder).as_posix(), p) for p in patterns)]


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = load_checker()
    well_kept(tmp_path, module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "tracked", lambda *patterns: matching(tmp_path, patterns))
    return module


def test_cmake_builds_the_libraries_that_are_checked() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    listed = re.findall(r"foreach\(library IN ITEMS (.*)\)", text)[0].split()
    apart = re.findall(r"^  add_subdirectory\((backend_\w+)\)", text, re.M)
    assert sorted(listed + apart) == sorted(["schema", *load_checker().KEY_LIBRARIES])


def test_well_kept_tree_has_no_faults(checker: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert checker.main() == 0, capsys.readouterr().out


FAULTS = {
    "a file of a pure layer that sees torch": ("loader/rules/a.h", "#include <torch/library.h>"),
    "one that sees the dynamic linker": ("loader/elf/a.cpp", "#include <dlfcn.h>"),
    "one that sees files": ("loader/link/a.cpp", "#include <filesystem>"),
    "one that asks the environment": ("loader/rules/a.cpp", 'auto path = getenv("PATH");'),
    "a loader file that sees torch": ("loader/system/a.cpp", '#include "c10/core/Device.h"'),
    "a layer that sees a later one": ("loader/elf/a.h", '#include "loader/rules/plan.h"'),
    "a second file that registers": ("backend_cpu/a.cpp", "TORCH_LIBRARY_IMPL(myops, CPU, m) {}"),
    "a schema library with two blocks": ("schema/a.cpp", "TORCH_LIBRARY(other, m) {}"),
    "a key library that sees another": ("autograd/a.cpp", '#include "backend_cpu/kernels.h"'),
    "a key library that sees the loader": ("schema/a.h", '#include "loader/reason.h"'),
    "a long file": ("tools/a.py", "\n" * 301),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(fault: str, checker: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, text = FAULTS[fault]
    (tmp_path / name).write_text(text)
    assert checker.main() == 1
    assert Path(name).parts[0] in capsys.readouterr().out


def test_torch_behind_headers_of_cuda_code_is_found(
    checker: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "backend_cuda"
    (folder / "a.cu").write_text('#include <cuda_runtime_api.h>\n#include "backend_cuda/first.h"\n')
    (folder / "first.h").write_text('#pragma once\n#include "backend_cuda/second.h"\n')
    (folder / "second.h").write_text('#include "backend_cuda/first.h"\n#include <ATen/core/Tensor.h>\n')
    (folder / "of_tensors.h").write_text("#include <ATen/core/Tensor.h>\n")  # nobody's that nvcc compiles
    assert checker.main() == 1
    faults = capsys.readouterr().out.splitlines()
    assert faults[:-1] == ["backend_cuda/second.h: CUDA code may not have: #include <ATen/core/Tensor.h>"]


def test_missing_readme_is_found(checker: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loader/elf/README.md").unlink()
    assert checker.main() == 1
    assert "loader/elf: no README.md" in capsys.readouterr().out
