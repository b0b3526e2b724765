"""Makes small libraries with the compiler, and asks both our resolver and the real dynamic linker about them.

`link_check predict` says what would be missing, `link_check open` really opens the file: they must agree, and the
linker must complain of something that we report.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import manifest
from support.build_tree import BUILD, ROOT, fake

ORIGIN = "-Wl,-rpath,$ORIGIN"
# What a library that registers nothing has in its manifest.
NOTHING: manifest.Manifest = {"defines": [], "libraries": [], "kernels": {}, "fallbacks": []}
LINK_CHECK = BUILD / "tests" / "link_check"


@dataclass
class Outcome:
    missing: list[dict[str, Any]]
    opened: bool
    message: str  # the linker's, "" where it opened

    def names(self) -> list[str]:
        return [entry["name"] for entry in self.missing]


@dataclass
class Lab:
    """A folder in which libraries are made and opened."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    def library(
        self,
        path: str,
        code: str = "",
        *,
        needs: list[str] | None = None,
        flags: list[str] | None = None,
        versions: str = "",
    ) -> Path:
        """Compiles `code` to root/path, linked against `needs` (paths below root, or flags like -lm)."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        source = self.root / "source.c"
        source.write_text(code or f"int {target.stem.replace('.', '_')}_anchor;\n")
        command = ["gcc", "-shared", "-fPIC", "-O1", "-Wl,--no-as-needed", "-Wl,-z,now", f"-Wl,-soname,{target.name}"]
        if versions:
            script = self.root / "versions.map"
            script.write_text(versions)
            command.append(f"-Wl,--version-script={script}")
        command += [*(flags or []), "-o", str(target), str(source)]
        command += [need if need.startswith("-") else str(self.root / need) for need in needs or []]
        subprocess.run(command, check=True, timeout=60)
        return target

    def plugin(
        self,
        path: str,
        code: str = "",
        *,
        needs: list[str] | None = None,
        flags: list[str] | None = None,
        stamp: manifest.Manifest | None = None,
    ) -> Path:
        """A library with its folder as run path, and with a manifest: `stamp`, or one that promises nothing.

        That one vouches for no build of torch either, so that what the library needs is looked up.
        """
        room = (ROOT / "cmake" / "manifest_note.S.in").read_text().replace("@MYOPS_NOTE_BYTES@", "32768")
        (self.root / "note.S").write_text(room)
        target = self.library(path, code, needs=needs, flags=[str(self.root / "note.S"), ORIGIN, *(flags or [])])
        if stamp is None:
            stamp = {**manifest.read(fake("schema")), "name": target.stem.removeprefix("lib"), **NOTHING}
            stamp["torch"]["build_ids"] = {}
        return manifest.write(target, stamp)

    def _run(self, mode: str, target: Path, before: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self.environment}
        command = [LINK_CHECK, mode, *before, target]
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.root, timeout=60)

    def check(self, target: Path, *before: str) -> Outcome:
        """Predicts and opens `target`; `before` are --global/--local and paths. The two must agree."""
        predicted = self._run("predict", target, before)
        assert predicted.returncode == 0, predicted.stderr
        missing = json.loads(predicted.stdout)
        real = self._run("open", target, before)
        message = json.loads(real.stdout) if real.returncode == 0 else f"died: {real.stderr}"
        outcome = Outcome(missing, message is None, message or "")
        assert (not missing) == outcome.opened, f"we say {missing}, the linker {message}"
        if missing and real.returncode == 0:
            named = [Path(entry["name"]).name for entry in missing]
            assert any(name in outcome.message for name in named), (missing, message)
        return outcome
