"""The page of `myops doctor --html`: what is in it, that its filter works, and that nothing in a report becomes code.

What it shows is asked of a headless Chromium; what is in the file, of the file.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import damage, manifest
from support.browser import Element, listening, parsed, rendered
from support.build_tree import BUILD, fake, torch_lib
from support.loading import SEARCHED_ALONE
from support.process import Outcome, run, run_myops


@dataclass
class Machine:
    """A folder of plugins, and what the doctor says of it."""

    folder: Path
    variables: dict[str, str]

    def ask(self, *arguments: object) -> Outcome:
        return run_myops("doctor", "--torch", torch_lib(), *arguments, env=self.variables)

    def report(self) -> Any:
        outcome = self.ask("--json")
        assert (outcome.returncode, outcome.stderr) == (0, "")
        return outcome.json

    def page(self, path: Path) -> Path:
        outcome = self.ask("--html", path)
        expected = f"{path}: the report as a page, to be opened in a browser\n"
        assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, expected, "")
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Good plugins, and one of each trouble that makes a column of its own."""
    folder = tmp_path / "plugins"
    for case in ("schema", "cpu", "missing_library"):
        manifest.copied(fake(case), folder)
    manifest.rewritten(fake("cpu"), folder, lambda of: of["torch"].update(version="1.13.0", build_ids={}), "old_torch")
    manifest.rewritten(fake("cpu"), folder, lambda of: of["cpu"].update(level="x86-64-v9"), "wide")
    damage.cut_to(manifest.copied(fake("cpu"), folder, "cut"), 60)
    damage.for_aarch64(manifest.copied(fake("cpu"), folder, "arm"))
    manifest.copied(fake("schema"), folder, "open_to_all").chmod(0o666)
    return Machine(folder, {SEARCHED_ALONE: str(folder)})


def rows(root: Element, label: str) -> dict[str, Element]:
    """The rows of a table by what stands first in them."""
    table = root.one("table", **{"aria-labelledby": label})
    body = [row for row in table.one("tbody").all("tr") if row.all("th")]
    assert all(cell.attributes["scope"] == "col" for cell in table.one("thead").all("th"))
    assert all(row.one("th").attributes["scope"] == "row" for row in body)
    return {row.one("th").all("div")[0].text: row for row in body}


def entries(root: Element) -> dict[str, Element]:
    return {entry.all("div")[0].text: entry for entry in root.all("article")}


def test_page_shows_each_library_reason_and_operator(machine: Machine, tmp_path: Path) -> None:
    shown = rendered(machine.page(tmp_path / "page.html"), tmp_path)
    assert shown.console == []
    assert "open" not in shown.root.one("details", id="text").attributes, "the script did not come to its end"
    report = machine.report()
    libraries, reasons = rows(shown.root, "libraries"), entries(shown.root)
    assert len(libraries) == len(report["files"]) == 8
    for file in report["files"]:
        row = libraries[Path(file["path"]).name]
        state = "planned" if file["path"] in report["order"] else file["verdict"]
        assert row.one("span", **{"class": row_mark(row)}).text == state
        for reason in file["reasons"]:
            assert reason["code"] in row.text
            for part in ("code", "subject", "expected", "found", "hint"):
                assert reason[part] in reasons[file["path"]].text
    operators = rows(shown.root, "operators")
    assert operators.keys() == report["table"]["operators"].keys() != set()
    for name, operator in report["table"]["operators"].items():
        for key, cell in operator["kernels"].items():
            assert key in shown.root.one("table", **{"aria-labelledby": "operators"}).one("thead").text
            assert cell["library"] in operators[name].text


def test_a_machine_with_nothing_on_it_has_a_page_too(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    nothing = {SEARCHED_ALONE: str(tmp_path / "none"), "VIRTUAL_ENV": "", "PATH": "/no/such/folder", "PYTHONPATH": ""}
    assert run_myops("doctor", "--html", page, env=nothing).returncode == 0
    shown = rendered(page, tmp_path)
    assert shown.console == []
    assert "0 libraries were found, 0 would be loaded" in shown.root.one("p", id="summary").text
    for name in ("libraries", "operators"):
        table = shown.root.one("table", **{"aria-labelledby": name})
        assert [row.text for row in table.one("tbody").all("tr")] == ["None was found."]


def row_mark(row: Element) -> str:
    (mark,) = [span.attributes["class"] for span in row.all("span") if "mark" in span.classes]
    return mark


def test_page_shows_machine_torch_folders_and_environment(machine: Machine, tmp_path: Path) -> None:
    machine.variables |= {"CUDA_DEVICE_ORDER": "any order", "MYOPS_REQUIRE": "XLA"}
    shown = rendered(machine.page(tmp_path / "page.html"), tmp_path)
    text, report = shown.root.one("main").text, machine.report()
    host, torch = report["host"], report["torch"]
    for fact in (
        host["cpu_name"],
        host["cpu_level"],
        *host["cpu_features"],
        host["libc"],
        f"{host['page_size']} bytes",
    ):
        assert fact in text
    for fact in (torch["version"], torch["git"], torch["lib_dir"], torch["cxx11_abi"], report["bridge"]):
        assert fact in text
    for fact in (*report["folders"], *report["environment"], *report["environment"].values()):
        assert fact in text
    alerts = shown.root.one("ul", id="alerts").text
    assert "key-not-served" in alerts and "about: XLA" in alerts


def test_no_mark_is_a_colour_alone_and_no_text_on_hover_alone(machine: Machine, tmp_path: Path) -> None:
    shown = rendered(machine.page(tmp_path / "page.html"), tmp_path)
    written = shown.root.one("main").text
    for cell in shown.root.one("main").all("td"):
        if {"good", "bad", "mild", "none"} & set(cell.classes):
            signs = [span.text for span in cell.all("span") if "sign" in span.classes]
            assert signs and all(signs), cell
            assert cell.text.strip("✓✕–·") != "", "words for who sees no sign"
    for reason in (reason for file in machine.report()["files"] for reason in file["reasons"]):
        assert all(part in written for part in reason.values())
    addresses = [link.attributes["href"] for link in shown.root.all("a")]
    links = [address for address in addresses if not address.startswith("#filter=")]
    targets = {
        element.attributes["id"] for tag in ("article", "h2") for element in shown.root.all(tag) if element.attributes
    }
    assert links and {link.removeprefix("#") for link in links} <= targets


@pytest.mark.parametrize(
    ("fragment", "left"),
    [
        ("", {"schema", "cpu", "missing_library", "old_torch", "wide", "cut", "arm", "open_to_all"}),
        ("#filter=torch-version-mismatch", {"old_torch"}),
        ("#filter=libOLD_%20rejected", {"old_torch"}),
        ("#filter=planned", {"schema", "cpu"}),
        ("#filter=nothing%20of%20the%20kind", set()),
        ("#filter=%zz", set()),
        ("#reasons", {"schema", "cpu", "missing_library", "old_torch", "wide", "cut", "arm", "open_to_all"}),
    ],
)
def test_a_link_carries_the_filter(machine: Machine, tmp_path: Path, fragment: str, left: set[str]) -> None:
    shown = rendered(machine.page(tmp_path / "page.html"), tmp_path, fragment)
    assert shown.console == []
    libraries = rows(shown.root, "libraries")
    names = {name.removeprefix("lib").removeprefix("myops_fake_").removesuffix(".so") for name in visible(libraries)}
    assert names == left
    assert visible(entries(shown.root)) <= {str(machine.folder / name) for name in visible(libraries)}
    operators = rows(shown.root, "operators")
    if not left:
        assert visible(operators) == set()
    table = shown.root.one("table", **{"aria-labelledby": "libraries"})
    assert table.one("tr", **{"class": "empty"}).is_hidden == bool(left)
    told = f"{len(left)} of 8 libraries, {len(visible(operators))} of {len(operators)} operators"
    assert shown.root.one("output").text == (told if fragment.startswith("#filter=") else "")


def visible(elements: dict[str, Element]) -> set[str]:
    return {name for name, element in elements.items() if not element.is_hidden}


def test_an_operator_is_filtered_by_name_and_by_its_libraries(machine: Machine, tmp_path: Path) -> None:
    page = machine.page(tmp_path / "page.html")
    operators = set(machine.report()["table"]["operators"])
    name = sorted(operators)[0]
    assert visible(rows(rendered(page, tmp_path, f"#filter={name}").root, "operators")) == {name}


ATTACK = "</script><script>document.title='mine'</script><img src={0}/x onerror=\"document.title='mine'\"><!--<script>"


def test_hostile_names_stay_text(machine: Machine, tmp_path: Path) -> None:
    with listening() as (address, asked):
        names = [b"lib'\"><b>&amp;.so", b"lib<!--<script>.so", b"lib\n\x1b[2J\xff\xfe.so", "lib\u202egnp.so".encode()]
        folder = tmp_path / "a<" / "script><img src=x onerror=document.title='mine'>"  # with its "/": </script>
        folder.mkdir(parents=True)
        for name in names:
            shutil.copy(fake("cpu"), os.fsencode(folder) + b"/" + name)
        odd_keys = dict.fromkeys(("constructor", "__proto__", "toString"), manifest.read(fake("cpu"))["kernels"]["CPU"])
        lies = ATTACK.format(address)
        manifest.rewritten(fake("cpu"), folder, lambda of: of.update(version=lies, kernels=odd_keys), "lies")
        machine.variables |= {SEARCHED_ALONE: str(folder), "CUDA_DEVICE_ORDER": ATTACK.format(address)}
        page = machine.page(tmp_path / "page.html")
        shown = rendered(page, tmp_path)
        assert asked == []
    assert shown.console == []
    assert shown.root.one("title").text == "myops doctor"
    assert len(shown.root.all("script")) == 2 and shown.root.all("img") == []
    libraries = rows(shown.root, "libraries")
    assert {
        "lib'\"><b>&amp;.so",
        "lib<!--<script>.so",
        "lib\\x0a\\x1b[2J\ufffd\ufffd.so",
        "lib\\xe2\\x80\\xaegnp.so",
    } < set(libraries)
    assert ATTACK.format(address) in shown.root.one("main").text
    assert all(f"{folder}/" in row.text for row in libraries.values())


def test_what_gets_in_all_the_same_neither_runs_nor_fetches(machine: Machine, tmp_path: Path) -> None:
    """The page's policy alone: markup put into the file by hand, with it and without."""
    text = machine.page(tmp_path / "page.html").read_text()
    with listening() as (address, asked):
        added = (
            f"<img src={address}/image><link rel=stylesheet href={address}/style><script>document.title='mine'</script>"
        )
        attacked, unguarded = tmp_path / "attacked.html", tmp_path / "unguarded.html"
        attacked.write_text(text.replace("<main", f"{added}<main"))
        unguarded.write_text(re.sub("<meta http-equiv[^>]*>", "", attacked.read_text()))
        guarded = rendered(attacked, tmp_path)
        assert guarded.root.one("title").text == "myops doctor" and guarded.console != [], (
            "the browser tells its faults"
        )
        assert asked == []
        assert rendered(unguarded, tmp_path).root.one("title").text == "mine"
        assert sorted(path for path in asked if path != "/favicon.ico") == ["/image", "/style"]


def test_file_is_whole_without_a_browser(machine: Machine, tmp_path: Path) -> None:
    text = machine.page(tmp_path / "page.html").read_text()
    root = parsed(text)
    said, data = machine.ask().stdout, root.one("script", id="data").text
    assert json.loads(data) == machine.report()
    assert root.one("details", id="text").attributes.keys() >= {"open"}, "shown where no script runs"
    assert root.one("pre").text.removeprefix("\n") == said
    template = text.replace(html.escape(said, quote=False), "").replace(data, "")
    assert not re.search(r"https?:|\bsrc=|url\(|@import", template)


def test_policy_names_the_style_and_the_script_of_the_page(machine: Machine, tmp_path: Path) -> None:
    root = parsed(machine.page(tmp_path / "page.html").read_text())
    policy = root.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    (script,) = [script.text for script in root.all("script") if "type" not in script.attributes]
    sources = {
        f"{kind} 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for kind, text in (("style-src", root.one("style").text), ("script-src", script))
    }
    others = {"default-src 'none'", "base-uri 'none'", "form-action 'none'"}
    assert {part.strip() for part in policy.split(";")} == sources | others


def test_page_replaces_a_file_as_a_whole(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    page = folder / "page.html"
    page.write_text("old")
    page.chmod(0o600)
    machine.page(page)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert page.stat().st_mode & 0o777 == 0o600
    assert list(folder.iterdir()) == [page]


def test_page_goes_to_standard_output(machine: Machine, tmp_path: Path) -> None:
    written = machine.page(tmp_path / "page.html").read_text()
    assert machine.ask("--html", "-") == Outcome(0, written, "")


def test_a_file_that_cannot_be_written_is_a_failure(machine: Machine, tmp_path: Path) -> None:
    for path, error in (
        (tmp_path / "none" / "page.html", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (Path("/dev/full"), "No space left on device"),
    ):
        outcome = machine.ask("--html", path)
        assert (outcome.returncode, outcome.stdout) == (1, "")
        assert outcome.stderr == f"myops: {path} cannot be written: {error}\n"


def test_no_page_is_written_where_the_question_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    outcome = run([str(BUILD / "bin" / "myops"), "doctor", "--torch", str(tmp_path), "--html", str(page)])
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("myops: torch-not-found: ")
    assert not page.exists()
