"""benchmarks/: each script runs to its end with its smallest arguments. Its figures and goals are not checked here."""

import os
import subprocess
import sys

import pytest
from batches import small_batch
from project import ROOT

pytestmark = pytest.mark.long

FOLDER = ROOT / "tests" / "benchmarks"

SMALLEST = {
    "at_once": ["1", "--saves", "1"],
    "busy_machine": ["--gradings", "2", "--burners", "1"],
    "cards": ["0:1", "--students", "1", "--assignment", "vectorAdd"],
    "copy_bandwidth": [],
    "course": ["1", "--jobs", "1"],
    "crowds": ["--students", "10", "--stations", "1", "--tries", "2"],
    "deadline": ["--students", "2", "--attempts", "3", "--seconds", "3", "--grading", "0.3", "--pages", "0.5"],
    "endurance": ["--gradings", "2", "--restart", "true"],
    "gpu_attacks": [],
    "kernel_work": ["vectorAdd", "--gradings", "1", "--busy"],
    "killing": ["--submissions", "1", "--kills", "1"],
    "killing_service": ["--attempts", "2", "--kills", "1", "--grading", "0.3"],
    "last_seconds": ["--students", "3", "--seconds", "0.3", "--burners", "1"],
    "lecture_room": ["--students", "3", "--guesses", "12", "--at-once", "2"],
    "model_solutions": ["--turns", "2", "--halvings", "5", "coalsTransp", "blockMMM"],
    "mutants": ["vectorAdd", "--count", "2"],
    "repeat_gradings": ["1", "vectorAdd"],
    "sandbox_cost": ["1", "--only", "wrong"],
    "scores": ["--scores", "40", "--kills", "2"],
    "simulator_cost": ["--rounds", "1", "vectorAdd"],
    "throughput": ["--students", "1", "--jobs", "1", "--assignments", "vectorAdd"],
    "two_workers": ["--submissions", "2"],
    "verdict_stability": ["coalsTransp", "2"],
    "where_time_goes": ["vectorAdd"],
}
"""Arguments of each benchmark. `true` replaces the command that restarts an engine, because other processes use the
engine.
"""

PRINTED = {
    "at_once": "1 saves",
    "busy_machine": "lost 0",
    "cards": "1 gradings of vectorAdd",
    "copy_bandwidth": "is no GPU of NVIDIA's",
    "course": "verdicts as expected 1",
    "crowds": "students stations pages/s processors",
    "deadline": "pages a second beside the stations",
    "endurance": "verdicts unlike those alone 0",
    "gpu_attacks": "is no GPU of NVIDIA's",
    "kernel_work": "gradings even one-sided worst verdicts vectorAdd 1",
    "killing": "different but for times 0",
    "killing_service": "used up by our faults 0",
    "last_seconds": "answers after",
    "lecture_room": "by link, after 3 of 3",
    "model_solutions": "| blockMMM | 128 x 128 x 128 |",
    "mutants": "2 mutants",
    "repeat_gradings": "vectorAdd",
    "sandbox_cost": "wrong, not timed: in a batch",
    "scores": "repeated without a reason 0 students with the last value 40 students without it 0",
    "simulator_cost": "vectorAdd",
    "throughput": "together",
    "two_workers": "one of two killed half way: 2 of 2 graded, the same results",
    "verdict_stability": "s for 2 gradings",
    "where_time_goes": "vectorAdd",
}
"""Text that each benchmark prints last, or its reason for stopping on a machine without a GPU."""

SMALL = {"sandbox_cost", "verdict_stability"}
"""Benchmarks that get a small course, because they take an assignment from a course."""

BRISK = {"GRADER_TIMING__MIN_PAIRS": "2", "GRADER_TIMING__MAX_PAIRS": "2", "GRADER_TIMING__NOISE_LIMIT": "1000"}
BRISK |= {"GRADER_TIMING__WARM_UP_SECONDS": "0", "GRADER_SEARCH__SECONDS": "0"}

ENDS = 600
"""Seconds within which a benchmark must end. The longest takes 40 s on two processors."""


def test_every_benchmark_is_run():
    """Every benchmark has arguments and an expected text here. A script that is not run would break unnoticed."""
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SMALLEST) == set(PRINTED)


@pytest.fixture(scope="session")
def images(worker_image, grader_image):
    """Names of the worker's and the grader's image."""
    return worker_image, grader_image


@pytest.mark.whole
@pytest.mark.parametrize("name", SMALLEST)
def test_a_benchmark_runs_to_its_end(name, tmp_path, locks, images, simulator):  # noqa: ARG001 - they are there
    """A benchmark prints its last line, raises no exception and ends by itself, with 1 if it misses a goal."""
    environment = {**os.environ, **BRISK, "GRADER_LOCKS": str(locks), "GRADER_PROFILES": str(tmp_path / "profiles")}
    if name in SMALL:
        environment["GRADER_COURSE"] = str(tmp_path / "course")
        small_batch(tmp_path, 0)
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *SMALLEST[name]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=ENDS,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in {0, 1}, done.stderr
    assert PRINTED[name] in " ".join((done.stdout + done.stderr).split()), done.stdout + done.stderr
