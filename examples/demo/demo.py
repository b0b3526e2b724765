"""The main job on real input: a sentence-embedding model with real weights, on myops and beside the unmodified model.

Prints this machine and the load plan, loads what fits, compares speed, embeddings and one fine-tuning step, and shows
three libraries being refused. Exit 0 only if every comparison held. Example: ./dev demo --sentences 1000
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence

DEFAULT_SENTENCES = 512


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line; a wrong one exits with 2."""
    parser = argparse.ArgumentParser(prog="./dev demo", description="The main job on a real model and real text.")
    add = parser.add_argument
    add(
        "--sentences", type=int, default=DEFAULT_SENTENCES, metavar="N", help="how many to embed (default: %(default)s)"
    )
    add("--path", action="append", default=[], metavar="DIR", help="search DIR before the default folders")
    add("--require", action="append", default=[], metavar="KEY", help="fail where no library serves KEY")
    options = parser.parse_args(arguments)
    if options.sentences < 1:
        parser.error("--sentences needs a number above 0")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the demo; the exit status."""
    options = parse(arguments)
    os.environ["MYOPS_AUTOLOAD"] = "0"  # the plan is to be shown before anything is loaded
    logging.basicConfig(stream=sys.stdout, format="  %(name)s says: %(message)s")
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # torch's profiler else reports its own starts on stderr
    # Only now: these take seconds to import, and a wrong option is told at once.
    import sections
    from compare import ComparisonError
    from myops import LoadError

    try:
        report = sections.load(options.path, options.require)
        pair = sections.compare_embeddings(options.sentences)
        sections.compare_fine_tuning(pair, options.sentences)
        sections.show_refusals(report)
    except (ComparisonError, LoadError, OSError, ValueError) as error:
        print(f"\nFAILED: {error}")
        return 1
    print("\nEvery comparison held.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
