"""Fuzzes a target for some time: python tests/fuzz TARGET [--seconds N] [--seed N] [--keep].

Prints each finding with the recipe of the input, and how much was tried; ends with status 1 if anything was found.
"""

import argparse
import json
import resource
import sys
from pathlib import Path
from random import SystemRandom

sys.path[:1] = [str(Path(__file__).parent.parent / "helpers"), str(Path(__file__).parent.parent)]

from fuzz.search import Finding, keep, search  # noqa: E402
from fuzz.targets import TARGETS  # noqa: E402

MEMORY = 4 * 1024**3
"""Bytes of address space: an input that takes more ends in a MemoryError, which is a finding."""


def main() -> int:
    """Search, and tell."""
    parser = argparse.ArgumentParser(description="Fuzz what comes from outside.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of what is tried; a new one each time if not given")
    parser.add_argument("--keep", action="store_true", help="write what is found into seeds/")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed = SystemRandom().randrange(2**32) if given.seed is None else given.seed

    def tell(recipe: object, finding: Finding) -> None:
        print(f"{given.target}: {finding.step}: {finding.what}\n{finding.words}\n{json.dumps(recipe)}", flush=True)
        if given.keep:
            print(f"kept in {keep(given.target, recipe, finding)}", flush=True)

    done = search(TARGETS[given.target], given.seconds, seed, tell)
    print(f"{given.target}: {done.cases} cases in {done.seconds:.0f} s, seed {seed}: {len(done.found)} found")
    return 1 if done.found else 0


if __name__ == "__main__":
    sys.exit(main())
