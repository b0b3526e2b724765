"""Every reason code is produced by a real file in some test, but for those listed here with why not."""

from __future__ import annotations

import re

# The modules that produce them: importing is what fills the set.
import test_lock  # noqa: F401
import test_missing_kernels  # noqa: F401
import test_reasons_of_files  # noqa: F401
import test_reasons_of_sets  # noqa: F401
import test_reasons_of_torch  # noqa: F401
from support.build_tree import ROOT
from support.reasons import PRODUCED

# Code → why no test produces it.
WITHOUT_A_FILE = {
    "internal-error": "no file can bring it about",
}


def codes_of_the_loader() -> set[str]:
    """The tokens of MYOPS_REASON_CODES, the one list that the loader is compiled from."""
    text = (ROOT / "loader" / "reason.h").read_text()
    return set(re.findall(r'^\s*X\(k\w+, "([a-z0-9-]+)"', text, re.MULTILINE))


def test_every_code_is_produced_by_a_file() -> None:
    codes = codes_of_the_loader()
    assert len(codes) > 40, "the list was found"
    assert PRODUCED.isdisjoint(WITHOUT_A_FILE)
    assert PRODUCED | set(WITHOUT_A_FILE) == codes
