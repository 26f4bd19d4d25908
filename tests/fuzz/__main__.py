"""Fuzz one target for a given time: python tests/fuzz TARGET [--seconds N] [--seed N] [--keep].

The command prints each finding with the recipe of its input, and then the number of inputs. The exit status is 1 if it
found anything. Explanations are fuzzed for a number of inputs instead of a time:

    python tests/fuzz explanations [--mutants N] [--results M] [--seed N]
"""

import argparse
import json
import resource
import sys
import time
from pathlib import Path
from random import SystemRandom

TESTS = Path(__file__).parent.parent
sys.path[:1] = [*map(str, (TESTS / "helpers").glob("**/")), str(TESTS)]

from fuzz.explanations import fuzz  # noqa: E402
from fuzz.search import Finding, keep, search  # noqa: E402
from fuzz.targets import TARGETS  # noqa: E402

EXPLANATIONS = "explanations"

MEMORY = 4 * 1024**3
"""Limit of the address space in bytes. An input that needs more raises a MemoryError, which is a finding."""


def main() -> int:
    """Run the search and print its findings."""
    parser = argparse.ArgumentParser(description="Fuzz everything that comes from outside.")
    parser.add_argument("target", choices=[*TARGETS, EXPLANATIONS])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="seed of the recipes; random if not given")
    parser.add_argument("--keep", action="store_true", help="write each finding to seeds/")
    parser.add_argument("--mutants", type=int, default=1000, help="number of mutants to explain")
    parser.add_argument("--results", type=int, default=200, help="number of invented results to explain")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed = SystemRandom().randrange(2**32) if given.seed is None else given.seed

    if given.target == EXPLANATIONS:
        return explanations(given.mutants, given.results, seed)

    def tell(recipe: object, finding: Finding) -> None:
        print(f"{given.target}: {finding.step}: {finding.what}\n{finding.words}\n{json.dumps(recipe)}", flush=True)
        if given.keep:
            print(f"kept in {keep(given.target, recipe, finding)}", flush=True)

    done = search(TARGETS[given.target], given.seconds, seed, tell)
    print(f"{given.target}: {done.cases} cases in {done.seconds:.0f} s, seed {seed}: {len(done.found)} found")
    return 1 if done.found else 0


def explanations(mutants: int, results: int, seed: int) -> int:
    """Fuzz explanations, and print each kind of exception with the first input that raised it."""
    start = time.monotonic()
    tally = fuzz(mutants, results, seed)
    for what, times in tally.found.most_common():
        print(f"{times} x {what}\n{tally.first[what]}", flush=True)
    print(", ".join(f"{name} {times:,}" for name, times in sorted(tally.done.items())))
    seconds, raised = time.monotonic() - start, sum(tally.found.values())
    print(f"explanations: {mutants} mutants, {results} results in {seconds:.0f} s, seed {seed}: {raised} exceptions")
    return 1 if raised else 0


if __name__ == "__main__":
    sys.exit(main())
