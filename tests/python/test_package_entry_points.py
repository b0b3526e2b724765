"""Plugin folders that installed packages announce: read from metadata, never imported, searched last."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.build_tree import fake, library
from support.process import run_python

REPORT = """
import json, logging, sys
sys.path.insert(0, sys.argv[1])
logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s %(message)s", level=logging.WARNING)
import torch, myops
print(json.dumps({
    "files": [file.real_path for file in myops.report().files],
    "opened": myops.report().opened,
    "imported": [name for name in sys.modules if name.startswith("announced")],
    "scale": hasattr(torch.ops.myops_fakes, "scale"),
}))
"""


def announce(site: Path, value: str, package: str = "announced") -> Path:
    """A package with an entry point in `site`; importing it fails. Gives its folder."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[myops.plugins]\n{package}-plugins = {value}\n")
    folder = site / package
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('the package was imported')\n")
    return folder


def put(folder: Path, *cases: str) -> list[str]:
    """Copies fakes into a plugin folder; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    return [shutil.copy2(fake(case), folder) for case in cases]


@pytest.mark.parametrize("value", ["announced:plugins.cpu", "announced:plugins/cpu", "announced : plugins.cpu"])
def test_announced_folder_is_searched_after_the_default_ones(tmp_path: Path, value: str) -> None:
    plugins = put(announce(tmp_path, value) / "plugins" / "cpu", "schema", "cpu")
    outcome = run_python(REPORT, tmp_path)
    answer = outcome.json
    assert answer["imported"] == []
    assert answer["scale"] and set(plugins) <= set(answer["opened"])
    ours = str(library("schema"))
    assert answer["files"].index(ours) < min(map(answer["files"].index, plugins))
    assert "entry point" not in outcome.stderr


@pytest.mark.parametrize("text", [b"[console_scripts]\njunk\n", b"[console_scripts]\n\xff = a:b\n"])
def test_damaged_entry_points_of_another_package_are_a_line(tmp_path: Path, text: bytes) -> None:
    plugins = put(announce(tmp_path, "announced:plugins") / "plugins", "schema", "cpu")
    announce(tmp_path, "x", package="damaged")
    (tmp_path / "damaged-1.0.dist-info" / "entry_points.txt").write_bytes(text)
    outcome = run_python(REPORT, tmp_path, env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})  # torch itself would not start
    assert set(plugins) <= set(outcome.json["opened"])
    (line,) = [line for line in outcome.stderr.splitlines() if "entry points of a package cannot be read" in line]
    assert line.startswith("WARNING myops ")


def test_table_knows_the_plugins_of_packages_and_of_paths(tmp_path: Path) -> None:
    put(announce(tmp_path, "announced:plugins") / "plugins", "schema", "cpu")
    code = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch, myops
tables = [myops.table(), myops.table("myops_fakes::scale")]
print(json.dumps([table.json["operators"]["myops_fakes::scale"]["kernels"]["CPU"]["library"] for table in tables]))
"""
    outcome = run_python(code, tmp_path)
    assert outcome.json == ["myops_fake_cpu", "myops_fake_cpu"], outcome
    elsewhere = put(tmp_path / "elsewhere", "schema", "cpu")
    by_paths = """
import json, sys, os, torch, myops
paths = [os.path.dirname(sys.argv[1])]
myops.load(paths=paths)
tables = [myops.table(paths=paths).json["operators"], myops.table().json["operators"]]
print(json.dumps([tables[0]["myops_fakes::scale"]["kernels"]["CPU"]["path"], "myops_fakes::scale" in tables[1]]))
"""
    assert run_python(by_paths, elsewhere[1]).json == [elsewhere[1], False]


def test_package_alone_stands_for_its_folder(tmp_path: Path) -> None:
    plugins = put(announce(tmp_path, "announced"), "schema")
    assert set(plugins) <= set(run_python(REPORT, tmp_path).json["files"])


def test_namespace_package_gives_each_of_its_parts(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (announce(first, "announced:plugins") / "__init__.py").unlink()
    plugins = put(first / "announced" / "plugins", "schema") + put(second / "announced" / "plugins", "cpu")
    outcome = run_python(f"import sys; sys.path.insert(0, {str(second)!r})\n{REPORT}", first)
    assert set(plugins) <= set(outcome.json["files"]), outcome


@pytest.mark.parametrize("value", ["nobody_installed_this:plugins", "announced:../elsewhere", "announced.sub:plugins"])
def test_value_that_names_no_folder_is_one_line(tmp_path: Path, value: str) -> None:
    announce(tmp_path, value)
    outcome = run_python(REPORT, tmp_path)
    assert outcome.json["imported"] == []
    assert outcome.stderr.splitlines() == [
        f"WARNING myops entry point announced-plugins = {value!r} names no folder of an installed package"
    ]


def test_folder_whose_name_is_no_utf8_is_one_line(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"odd\xff")
    put(announce(odd, "announced:plugins") / "plugins", "schema")
    outcome = run_python(REPORT, odd)
    assert not outcome.json["scale"]
    assert outcome.stderr.splitlines() == [
        "WARNING myops entry point announced-plugins = 'announced:plugins' names no folder of an installed package"
    ]


def test_folder_that_is_not_there_stops_nothing(tmp_path: Path) -> None:
    announce(tmp_path, "announced:gone")
    outcome = run_python(REPORT, tmp_path)
    assert str(library("schema")) in outcome.json["opened"], outcome


def test_order_does_not_depend_on_installation(tmp_path: Path) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1])\nimport json\nimport os; os.environ['MYOPS_AUTOLOAD'] = '0'\n"
    code += "from myops._entry_points import plugin_folders; print(json.dumps(plugin_folders()))"
    orders = []
    for site, packages in ((tmp_path / "a", ("one", "two")), (tmp_path / "b", ("two", "one"))):
        for package in packages:
            announce(site, f"{package}:plugins", package)
        orders.append([Path(path).relative_to(site) for path in json.loads(run_python(code, site).stdout)])
    assert orders[0] == orders[1] == [Path("one/plugins"), Path("two/plugins")]
