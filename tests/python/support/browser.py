"""Renders a page in a headless Chromium, and reads what came of it: elements, the console, what was fetched.

A test that needs it skips where there is none.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .process import run

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WITHOUT_END = {"meta", "input", "wbr", "img", "br", "link", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    @property
    def is_hidden(self) -> bool:
        return "hidden" in self.attributes

    def all(self, tag: str) -> list[Element]:
        found = []
        for child in self.children:
            if isinstance(child, Element):
                found += ([child] if child.tag == tag else []) + child.all(tag)
        return found

    def one(self, tag: str, **attributes: str) -> Element:
        found = [each for each in self.all(tag) if attributes.items() <= each.attributes.items()]
        assert len(found) == 1, f"{len(found)} elements {tag} with {attributes}"
        return found[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in WITHOUT_END:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> within {self.open[-1].tag}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


@dataclass(frozen=True)
class Rendered:
    root: Element
    console: list[str]


def rendered(page: Path, folder: Path, fragment: str = "") -> Rendered:
    """The page as its script leaves it; `folder` takes the browser's own files."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(PROGRAMS)} is on PATH: ./dev setup installs chromium where it runs as root")
    profile = folder / "browser"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
    watched = ["--virtual-time-budget=5000", "--enable-logging=stderr", "--v=0", "--dump-dom"]
    outcome = run([program, *options, *watched, page.as_uri() + fragment], {"HOME": str(folder)}, timeout=120)
    assert outcome.returncode == 0, outcome
    console = [line for line in outcome.stderr.splitlines() if ":CONSOLE" in line]
    return Rendered(parsed(outcome.stdout), console)


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A server on this machine: its address, and the paths that were asked for so far."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
