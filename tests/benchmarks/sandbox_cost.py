"""Compare the time of a grading under `process` and under `docker`, both for a single grading and in a batch.

    python tests/benchmarks/sandbox_cost.py [ROUNDS] [--only wrong|right]

The two sandboxes are measured alternately. `alone` is the duration of the whole command `grader grade`. In a batch, a
spare container starts while another one works, and the time is measured for a grading in the middle of the batch. The
submission is either wrong, so that it is not timed, or the model solution, with as many timed pairs as the settings
require.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import load_settings

ROOT = Path(__file__).parent.parent.parent
NAME = "coalsTransp"
KINDS = {
    "wrong": ("not timed", ROOT / "tests" / "submissions" / NAME / "block-not-moved"),
    "right": ("timed", ROOT / "reference" / NAME),
}
SANDBOXES = ("process", "docker")


def main() -> None:
    """Measure, and print one row for each kind of submission and way of grading."""
    options = argparse.ArgumentParser()
    options.add_argument("rounds", type=int, nargs="?", default=7)
    options.add_argument("--only", choices=KINDS)
    given = options.parse_args()
    rounds, kinds = given.rounds, [given.only] if given.only else [*KINDS]
    print(f"{'seconds, median of ' + str(rounds):<34}{'process':>10}{'docker':>10}{'docker adds':>14}")
    for kind in kinds:
        how, path = KINDS[kind]
        alone: dict[str, list[float]] = {name: [] for name in SANDBOXES}
        for _ in range(rounds):
            for name in SANDBOXES:
                alone[name].append(_alone(path, name))
        _print(f"{kind}, {how}: alone", alone)
        _print(f"{kind}, {how}: in a batch", _in_batch(path, rounds))


def _alone(path: Path, sandbox: str) -> float:
    start = time.perf_counter()
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "grader.cli.main",
        "grade",
        path,
        "--assignment",
        NAME,
        "--sandbox",
        sandbox,
    ]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _in_batch(path: Path, rounds: int) -> dict[str, list[float]]:
    settings = load_settings({})
    found: dict[str, list[float]] = {name: [] for name in SANDBOXES}
    with settings.open_batch("process") as process, settings.open_batch("docker") as container:
        for number in range(rounds + 1):
            for name, environment in (("process", process), ("docker", container)):
                seconds = _grade(path, environment)
                if number:  # the first grading has no spare container
                    found[name].append(seconds)
    return found


def _grade(path: Path, environment: GradingEnvironment) -> float:
    (assignment,) = load_settings({}).places.load(NAME).parts
    task = Task(assignment=assignment, submission=read_submission(path), seed=fresh_seed())
    start = time.perf_counter()
    grade_submission(task, environment, lambda _: None)
    return time.perf_counter() - start


def _print(what: str, seconds: dict[str, list[float]]) -> None:
    process, container = (median(seconds[name]) for name in SANDBOXES)
    print(f"{what:<34}{process:10.2f}{container:10.2f}{container - process:+14.2f}")


if __name__ == "__main__":
    main()
