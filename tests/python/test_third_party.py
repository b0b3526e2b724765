"""examples/third_party: another party's plugins are found, judged and loaded as ours are."""

from __future__ import annotations

from support.build_tree import BUILD
from support.process import run_myops, run_python

FOLDER = BUILD / "examples" / "third_party" / "plugins"
PLUGINS = [str(FOLDER / f"libacme_{part}.so") for part in ("schema", "cpu")]

CALL = """
import json, sys, torch, myops
report = myops.load(paths=sys.argv[1:])
x = torch.arange(3.0)
print(json.dumps([torch.ops.acme.scale(x, 2.0).tolist(), report.opened]))
"""


def test_it_is_planned_schema_first() -> None:
    order = run_myops("plan", "--path", FOLDER, "--json").json["order"]
    assert [path for path in order if path.startswith(str(FOLDER))] == PLUGINS


def test_its_operator_works() -> None:
    values, opened = run_python(CALL, FOLDER).json
    assert values == [0.0, 2.0, 4.0]
    assert set(PLUGINS) < set(opened)
