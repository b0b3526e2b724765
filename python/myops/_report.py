"""What a run of the loader found, as an immutable value. Reads the loader's JSON; knows neither torch nor ctypes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final


@final
@dataclass(frozen=True)
class Reason:
    """One fault. `code` is a stable token (docs/reasons.md); any of the other fields may be empty."""

    code: str
    subject: str
    expected: str
    found: str
    hint: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reason:
        """Reads {"code", "subject", "expected", "found", "hint"}; absent fields are empty."""
        fields = ("code", "subject", "expected", "found", "hint")
        return cls(*(str(data.get(field, "")) for field in fields))

    def __str__(self) -> str:
        named = (("", self.subject), ("expected ", self.expected), ("found ", self.found), ("hint: ", self.hint))
        return f"{self.code}: " + ", ".join(word + value for word, value in named if value)


@final
@dataclass(frozen=True)
class FileVerdict:
    """One candidate file and what became of it.

    `verdict` is "usable", "rejected", "foreign", "superseded" or "disabled". `loads`: would the dynamic linker take it
    in a process with this torch? None where no torch was found. `real_path` has links resolved, "" where that failed.
    `harmless`: it is left out for reasons alone that a healthy machine shows too, such as "no-gpu". `opened`: a load
    had it in its plan, and it is in this process; any `reasons` are then what the load found wrong with it.
    """

    path: str
    real_path: str
    name: str
    verdict: str
    loads: bool | None
    reasons: tuple[Reason, ...]
    harmless: bool
    notes: tuple[str, ...]
    opened: bool

    @property
    def codes(self) -> tuple[str, ...]:
        """The tokens of the reasons."""
        return tuple(reason.code for reason in self.reasons)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FileVerdict:
        """Reads one element of the report's "files"."""
        return cls(
            path=str(data["path"]),
            real_path=str(data.get("real_path", "")),
            name=str(data.get("name", "")),
            verdict=str(data["verdict"]),
            loads=data.get("loads"),
            reasons=tuple(Reason.from_json(reason) for reason in data.get("reasons", ())),
            harmless=bool(data.get("harmless", False)),
            notes=tuple(str(note) for note in data.get("notes", ())),
            opened=bool(data.get("opened", False)),
        )


@dataclass(frozen=True)
class Answer:
    """What the loader said. `str(answer)` is for a person, `json` for a program; equal answers are equal values."""

    source: str = field(repr=False)
    """The JSON text as the loader wrote it."""

    @property
    def json(self) -> dict[str, Any]:
        """All of it (docs/design.md §6), parsed anew at each call, so that no caller can change another's answer."""
        parsed: dict[str, Any] = json.loads(self.source)
        return parsed

    @property
    def text(self) -> str:
        """The same for a terminal."""
        return str(self.json.get("text", ""))

    def __str__(self) -> str:
        return self.text


@final
@dataclass(frozen=True, repr=False)
class Report(Answer):
    """Candidate files, what became of each, and what was asked for and is missing."""

    def __repr__(self) -> str:
        return f"<Report: {len(self.files)} files, {len(self.opened)} opened, {len(self.missing)} missing>"

    @property
    def files(self) -> tuple[FileVerdict, ...]:
        """Every candidate, in the order of the search."""
        return tuple(FileVerdict.from_json(file) for file in self.json.get("files", ()))

    @property
    def opened(self) -> tuple[str, ...]:
        """Real paths of the planned libraries that are in this process, in the order they were opened in."""
        return tuple(str(path) for path in self.json.get("opened", ()))

    @property
    def missing(self) -> tuple[Reason, ...]:
        """What was required and is not there. Empty when the request was served."""
        return tuple(Reason.from_json(reason) for reason in self.json.get("missing", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Doubts about the set of libraries as a whole; what such a doubt is about still loads."""
        return tuple(str(note) for note in self.json.get("notes", ()))

    @property
    def tainted(self) -> bool:
        """Results cannot be vouched for; `notes` say why.

        `allow_incomplete` let something through that can give wrong gradients, `allow_unstamped` a library that nobody
        knows the content of, or what was opened could not be verified.
        """
        return bool(self.json.get("tainted", False))
