"""Loads the operator libraries once for every test in this folder: the one place that knows how."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[3]


def plugin_folder() -> Path:
    """MYOPS_TEST_PLUGINS, or the plugin folder of the build folder `build/ops` for the torch in use."""
    release = ".".join(torch.__version__.split(".")[:2])
    default = ROOT / "build" / "ops" / "lib" / "myops" / "plugins" / f"torch-{release}"
    return Path(os.environ.get("MYOPS_TEST_PLUGINS", default))


def load_libraries() -> None:
    """The schema library first; the order of the others does not matter."""
    folder = plugin_folder()
    schema = folder / "libmyops_schema.so"
    if not schema.exists():
        raise FileNotFoundError(f"no libmyops_schema.so in {folder}: build it, or set MYOPS_TEST_PLUGINS")
    for library in [schema, *sorted(set(folder.glob("libmyops_*.so")) - {schema})]:
        torch.ops.load_library(str(library))


@pytest.fixture(scope="session", autouse=True)
def libraries() -> None:
    load_libraries()
