"""Every command and snippet in README.md, CONTRIBUTING.md and docs/ runs, or stands in a file that is built.

bash    each command runs in the built environment; `./dev exec CMD` runs CMD (the suite itself runs inside ./dev test).
        The pages are written for the default torch: folders in build/ are those of the torch in use.
python  the blocks of one page run in order, in one process
cpp, cmake  stand word for word (white space apart) in a tracked source file, which the build compiles
json    parses
text    output or pictures: not run
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass

import pytest
from support import torches
from support.build_tree import BUILD, ROOT
from support.installing import alone

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"bash", "python", "cpp", "cmake", "json", "text"}
# Commands of ./dev that this suite runs inside of, or that have a test of their own (demo: tests/python/test_demo.py).
DEV_COMMANDS = {"setup", "build", "test", "demo", "fmt", "lint", "clean", "help"}


@dataclass(frozen=True)
class Snippet:
    page: str
    number: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.number}:{self.language}"


def snippets() -> list[Snippet]:
    found = []
    for page in PAGES:
        name = page.relative_to(ROOT).as_posix()
        blocks = FENCE.findall(page.read_text()) if page.is_file() else []
        found += [Snippet(name, number, language, text) for number, (language, text) in enumerate(blocks, 1)]
    return found


ALL = snippets()


def of(*languages: str) -> list[Snippet]:
    return [snippet for snippet in ALL if snippet.language in languages]


def commands(snippet: Snippet) -> list[str]:
    joined = snippet.text.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def here(command: str) -> str:
    """build/cpu and build/alone are build/cpu-torch-2.11 and build/alone-torch-2.11 in a run with that torch."""
    return re.sub(r"\bbuild/(\w+)(?![\w-])", rf"build/\1{BUILD.name.removeprefix('cpu')}", command)


def run(arguments: list[str], timeout: int = 300) -> None:
    result = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=timeout)
    assert result.returncode == 0, f"exit {result.returncode}\n{result.stdout}\n{result.stderr}"


def check_nothing_to_build(command: str) -> None:
    """A build beside the tests of other workers would take the files away that they look at."""
    target = re.fullmatch(r"cmake --build (build/\S+) --target (\S+)", command)
    if target and (ROOT / target[1]).resolve() == BUILD:
        left = subprocess.run(
            ["ninja", "-C", BUILD, "-n", target[2]], check=True, capture_output=True, text=True
        ).stdout
        assert "no work to do" in left, f"./dev build comes first, {target[1]} is out of date:\n{left}"


def test_pages_have_snippets_of_known_languages() -> None:
    assert len(of("bash")) >= 1 and len(of("python")) >= 1 and len(of("cpp")) >= 1
    assert {snippet.language for snippet in ALL} <= LANGUAGES


@pytest.mark.parametrize("snippet", of("bash"), ids=str)
def test_command_runs(snippet: Snippet) -> None:
    if re.search(r"--torch |cpu-torch-", snippet.text):
        torches.builds()  # or a skip
    for command in map(here, commands(snippet)):
        dev = re.match(r"\./dev (\w+)(.*)$", command)
        if dev and dev[1] != "exec":
            assert dev[1] in DEV_COMMANDS, command
            continue
        check_nothing_to_build(command)
        inside = dev is not None and not dev[2].startswith(" --torch ")
        with alone() if "cmake --install" in command else nullcontext():
            run(["bash", "-euo", "pipefail", "-c", dev[2] if inside else command])


PYTHON_PAGES = sorted({snippet.page for snippet in of("python")})


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_python_runs(page: str) -> None:
    blocks = [snippet.text for snippet in of("python") if snippet.page == page]
    run([sys.executable, "-W", "error", "-c", "\n".join(blocks)])


def folded(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    patterns = ["*.cpp", "*.h", "*.cmake", "*CMakeLists.txt", "*.in"]
    listing = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return {name: folded((ROOT / name).read_text()) for name in listing.splitlines()}


@pytest.mark.parametrize("snippet", of("cpp", "cmake"), ids=str)
def test_snippet_stands_in_a_source_file(snippet: Snippet, sources: dict[str, str]) -> None:
    wanted = folded(snippet.text)
    assert any(wanted in text for text in sources.values()), f"in no tracked source file:\n{snippet.text}"


@pytest.mark.parametrize("snippet", of("json"), ids=str)
def test_json_parses(snippet: Snippet) -> None:
    json.loads(snippet.text)


def test_readme_lists_every_reason_code() -> None:
    declared = re.findall(r'X\(k\w+, "([a-z0-9-]+)"', (ROOT / "loader" / "reason.h").read_text())
    table = (ROOT / "README.md").read_text().split("## Reason codes")[1]
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE) == declared
