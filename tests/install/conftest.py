"""Both examples, built once for all tests and workers against an install that was moved."""

from __future__ import annotations

import fcntl
import os

import pytest
from prefixes import install, moved
from projects import Built, build_project
from support.build_tree import ROOT, torch_lib


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "examples"
    folder.mkdir(exist_ok=True)
    prefix = folder / "second"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            moved(install(folder / "first"), prefix)
            # The program stands in the bin folder of a prefix, wherever that is; torch perhaps beside the prefix.
            run_path = f"-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib;$ORIGIN/../../torch/lib;{torch_lib()}"
            options = [run_path, "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"]
            build_project(ROOT / "examples" / "cpp_host", folder / "cpp_host", prefix, *options)
            build_project(ROOT / "examples" / "third_party", folder / "third_party", prefix)
            (folder / "done").touch()
    return Built(prefix, folder / "cpp_host" / "myops_example_cpp", folder / "third_party" / "plugins")
