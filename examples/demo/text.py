"""Real text: sentences from the licence and readme files that came with the installed Python packages.

The order depends on the installed packages alone, so every run on one environment reads the same sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from itertools import chain, islice, pairwise, zip_longest
from typing import TypeVar

Item = TypeVar("Item")

_DOCUMENT = re.compile(r"(licen[cs]e|copying|notice|readme|authors)", re.IGNORECASE)
_TEXT_SUFFIXES = ("", ".txt", ".md", ".rst")
_MARKUP = re.compile(r"\[([^\[\]]*)\]\([^()]*\)|<[^<>]*>|[`*#|=~>]+|https?://[^\s)]+")
_END = re.compile(r"(?<=[.!?;:])\s+")
_WORDS = range(5, 80)  # shorter ones are headings and table cells, longer ones lists that the pattern could not part


def documents(distribution: Distribution) -> Iterator[str]:
    """The long description of a package, then its licence and readme files in the order of their paths."""
    yield from distribution.metadata.get_all("Description", ())  # importlib gives the body of METADATA this name
    for file in sorted(distribution.files or (), key=str):
        if ".dist-info" in str(file) and _DOCUMENT.match(file.name) and file.suffix in _TEXT_SUFFIXES:
            path = file.locate()
            try:
                with open(path, encoding="utf-8", errors="replace") as stream:
                    yield stream.read()
            except OSError:  # removed after the installation
                continue


def split(text: str) -> Iterator[str]:
    """The sentences of a text, without markup."""
    for paragraph in re.split(r"\n\s*\n", text):
        plain = " ".join(_MARKUP.sub(r"\1 ", paragraph).split())
        for sentence in _END.split(plain):
            prose = "](" not in sentence and sum(map(str.isalpha, sentence)) > len(sentence) * 2 / 3
            if prose and len(sentence.split()) in _WORDS:
                yield sentence.lstrip("- ")


def sentences(count: int) -> list[str]:
    """`count` different sentences, from the packages in turn. ValueError where the environment has fewer."""
    return _first(count, "sentences", (_sentences_of(package) for package in _packages()))


def neighbours(count: int) -> list[tuple[str, str]]:
    """`count` different pairs of sentences that follow each other, from the packages in turn. ValueError as above."""
    return _first(count, "pairs", (pairwise(_sentences_of(package)) for package in _packages()))


def _packages() -> list[Distribution]:
    named = [package for package in distributions() if package.metadata["Name"]]  # a half-removed package has none
    return sorted(named, key=lambda package: package.metadata["Name"].lower())


def _sentences_of(package: Distribution) -> Iterator[str]:
    return chain.from_iterable(map(split, documents(package)))


def _first(count: int, what: str, sources: Iterable[Iterator[Item]]) -> list[Item]:
    in_turn = chain.from_iterable(zip_longest(*sources))
    found = list(islice(dict.fromkeys(item for item in in_turn if item is not None), count))
    if len(found) < count:
        raise ValueError(f"{count} {what} asked for, and the installed packages' texts have {len(found)}")
    return found
