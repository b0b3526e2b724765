"""The documented shape of a report: which members its JSON has, and of which type."""

from __future__ import annotations

from typing import Any

REASON = {"code": str, "subject": str, "expected": str, "found": str, "hint": str}
FILE = {
    "path": str,
    "real_path": str,
    "name": str,
    "verdict": str,
    "loads": (bool, type(None)),
    "registers": (bool, type(None)),
    "reasons": list,
    "harmless": bool,
    "notes": list,
    "manifest": (dict, type(None)),
}
REPORT = {
    "format": int,
    "host": dict,
    "torch": (dict, type(None)),
    "folders": list,
    "folder_notes": list,
    "files": list,
    "order": list,
    "missing": list,
    "notes": list,
}


def assert_shape(value: dict[str, Any], shape: dict[str, Any]) -> None:
    for name, kind in shape.items():
        assert name in value, f"{name} is not in {sorted(value)}"
        assert isinstance(value[name], kind), f"{name} is {value[name]!r}"


def assert_report(report: dict[str, Any]) -> None:
    assert_shape(report, REPORT)
    for file in report["files"]:
        assert_shape(file, FILE)
        assert file["verdict"] in {"usable", "rejected", "foreign", "superseded", "disabled"}
        for reason in file["reasons"]:
            assert_shape(reason, REASON)
    for reason in report["folder_notes"] + report["missing"]:
        assert_shape(reason, REASON)
