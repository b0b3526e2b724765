"""Whether importing the package loads the libraries."""

from __future__ import annotations

import logging
import os


def wanted() -> bool:
    """MYOPS_AUTOLOAD: 0 is no; 1, empty or unset is yes, and so is anything else, with a warning."""
    value = os.environ.get("MYOPS_AUTOLOAD", "")
    if value not in ("", "0", "1"):
        logging.getLogger("myops").warning("MYOPS_AUTOLOAD=%s is neither 0 nor 1: libraries are loaded", value)
    return value != "0"
