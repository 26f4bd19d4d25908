"""Grade with two graders at the same time while other programs use the machine. One grader runs in a container, so the
two share no lock.

    python tests/benchmarks/busy_machine.py [--gradings 20] [--burners 8] [--image grader]

Both grade the model solution, a slow submission and a wrong submission of vectorAdd in containers. Each kind is first
graded alone. A grading is `lost` if it has no result, `as alone` if its verdicts equal the verdicts of the grading
alone, and `not timed` if it differs only in speeds that were not measured. Prints a table. The exit code is 1 if a
grading is lost or has other verdicts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from pydantic import TypeAdapter

from grader.results.result import Result, Ungraded
from grader.results.verdicts import Reason

ROOT = Path(__file__).parent.parent.parent
NAME = "vectorAdd"
KINDS = {
    "slow": ROOT / "tests" / "submissions" / NAME / "steps-as-long-as-the-launch",
    "wrong": ROOT / "tests" / "submissions" / NAME / "rounded-down",
    "model solution": ROOT / "reference" / NAME,
}

GRADER = (sys.executable, "-m", "grader.cli.main")
MOUNTED = ("/var/run/docker.sock", "/dev/shm")
"""Paths that the container shares with this host: the engine's socket and the folder of arrays, but not the folder of
locks.
"""

OUTCOME: TypeAdapter[Result | Ungraded] = TypeAdapter(Result | Ungraded)

Verdicts = dict[str, str]
"""Maps the name of each check to its reason or, if it has none, to its verdict."""


def main() -> int:
    """Grade each kind alone, then all of them at the same time."""
    options = argparse.ArgumentParser()
    options.add_argument("--gradings", type=int, default=20)
    options.add_argument("--burners", type=int, default=8)
    options.add_argument("--image", default="grader")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="busy-machine-") as name:
        here = (*GRADER, "grade")
        volumes = [f"--volume={path}:{path}" for path in (*MOUNTED, name, ROOT)]
        rules = [f"--env={name}" for name in os.environ if name.startswith("GRADER_TIMING")]
        there = ("docker", "run", "--rm", *volumes, *rules, given.image, "grade")
        folder = Path(name)
        kinds = list(islice(cycle(KINDS), given.gradings))
        alone = {kind: grade(here, kind, folder / f"{kind}.json") for kind in sorted({*kinds})}
        begin = time.monotonic()
        with burning(given.burners), ThreadPoolExecutor(2) as graders:
            halves = graders.map(
                grade_all, (here, there), (kinds[::2], kinds[1::2]), (folder / "here", folder / "there")
            )
            seen = [each for half in halves for each in half]
        outcomes = Counter(compared(found, alone[kind], kind) for kind, found in seen)
    print(f"{'gradings':<16}{len(seen):>4}   {(time.monotonic() - begin) / max(1, len(seen)):.1f} s each")
    print("\n".join(f"{what:<16}{outcomes[what]:>4}" for what in ("as alone", "not timed", "lost", "other verdicts")))
    return int(outcomes["lost"] + outcomes["other verdicts"] > 0)


def grade_all(command: tuple[str, ...], kinds: list[str], folder: Path) -> list[tuple[str, Verdicts | None]]:
    """Grade these submissions one after the other with one grader."""
    folder.mkdir()
    return [(kind, grade(command, kind, folder / f"{number}.json")) for number, kind in enumerate(kinds)]


def grade(command: tuple[str, ...], kind: str, path: Path) -> Verdicts | None:
    """Return the verdicts of a submission, or None if its grading has no result."""
    asked = (str(KINDS[kind]), "--assignment", NAME, "--course", str(ROOT), "--sandbox", "docker", "--json", str(path))
    done = subprocess.run([*command, *asked], capture_output=True, text=True, check=False)
    outcome = OUTCOME.validate_json(path.read_bytes()) if path.exists() else None
    if isinstance(outcome, Result):
        return {check.name: str(check.reason or check.verdict) for check in outcome.checks}
    print(f"{kind}: lost: {done.stderr.strip()}", file=sys.stderr)
    return None


def compared(found: Verdicts | None, alone: Verdicts | None, kind: str) -> str:
    """Classify a grading by how it differs from the grading of the same kind alone."""
    if found is None or alone is None:
        return "lost"
    others = {name: (word, alone[name]) for name, word in found.items() if word != alone[name]}
    if not others:
        return "as alone"
    if all(Reason.NOT_MEASURED in both for both in others.values()):
        return "not timed"
    print(f"{kind}: {others}", file=sys.stderr)
    return "other verdicts"


@contextmanager
def burning(number: int) -> Iterator[None]:
    """Run programs that only compute until the end of the block."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


if __name__ == "__main__":
    sys.exit(main())
