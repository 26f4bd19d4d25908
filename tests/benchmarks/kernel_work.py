"""Count the timed rounds of right kernels in which the operating system works more for one side than for the other.

    python tests/benchmarks/kernel_work.py [ASSIGNMENT ...] [--gradings 20] [--sandbox docker] [--busy]

A grading consists of one case and the whole performance check of the model solution. --busy runs four programs that
compute, and one that repeatedly writes a file and waits for the disk. `even` and `one-sided` are numbers of rounds.
`worst` is the largest share of one-sided rounds in a grading. The first line shows how long it takes to read the
processor times of all threads (median), measured alternately in two ways: with descriptors that stay open, as grader
does it, and with files that are opened each time.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median

from grader.course.assignment import Assignment
from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.execution.kernel_threads import kernel_threads
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.settings import load_settings
from grader.grading.timing import measurement
from grader.grading.timing.rounds import Round

LOOKS = 200

BURNERS = 4
BURN = "while True: pass"
WRITE = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
while True:
    os.pwrite(file, bytes(1 << 20), 0)
    os.fsync(file)
"""


def main() -> None:
    """Print one line for each kernel."""
    options = argparse.ArgumentParser()
    options.add_argument("names", metavar="ASSIGNMENT", nargs="*", default=["vectorAdd"])
    options.add_argument("--gradings", type=int, default=20)
    options.add_argument("--sandbox")
    options.add_argument("--busy", action="store_true")
    given = options.parse_args()
    settings = load_settings({"sandbox": given.sandbox})
    seen = recording()
    with busy() if given.busy else nullcontext():
        load = os.getloadavg()[0]
        print(f"{'busy' if given.busy else 'idle'}, load {load:.1f} before; {looks()}")
        print(f"{'':<16} gradings   even  one-sided  worst  verdicts", flush=True)
        for name in given.names:
            for part in settings.places.load(name).parts:
                gradings = []
                for _ in range(given.gradings):
                    with settings.open_environment(settings.sandbox_for_ours()) as environment:
                        gradings.append((verdict(quick(part), environment), seen.copy()))
                    seen.clear()
                print(f"{part.kernel:<16} {told(gradings)}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} after")


def recording() -> list[Round]:
    """Return a list that collects the rounds of all following gradings."""
    seen: list[Round] = []
    rounds = measurement._rounds

    def recorded(*given: object) -> list[Round]:
        seen.extend(found := rounds(*given))  # type: ignore[arg-type]
        return found

    measurement._rounds = recorded  # type: ignore[assignment]
    return seen


def quick(assignment: Assignment) -> Assignment:
    """Return the assignment with only one case and the performance check."""
    correctness = assignment.correctness.model_copy(update={"cases": assignment.correctness.shown[:1]})
    return assignment.model_copy(update={"correctness": correctness, "sanitizer": None, "memory": None})


def verdict(assignment: Assignment, environment: GradingEnvironment) -> str:
    """Return the reason or the verdict of the model solution's performance check."""
    task = Task(assignment=assignment, submission=read_submission(assignment.reference), seed=fresh_seed())
    *_, check = grade_submission(task, environment, lambda _: None).checks
    return str(check.reason or check.verdict)


def told(gradings: list[tuple[str, list[Round]]]) -> str:
    """Return the columns of a line after the kernel's name."""
    rounds = [each for _, found in gradings for each in found]
    one_sided = sum(each.is_one_sided for each in rounds)
    worst = max(sum(each.is_one_sided for each in found) / len(found) for _, found in gradings if found)
    verdicts = ", ".join(f"{count} {what}" for what, count in Counter(what for what, _ in gradings).items())
    return f"{len(gradings):8} {len(rounds) - one_sided:6} {one_sided:10} {worst:6.0%}  {verdicts}"


def looks() -> str:
    """Return the number of threads, and the time that reading their processor times takes."""
    with kernel_threads() as kept:
        number = kept.number
        times = [(seconds(kept.seconds), seconds(look_by_opening)) for _ in range(LOOKS)]
    open_ones, opened = (median(each) * 1e6 for each in zip(*times, strict=True))
    return f"{number} threads, a look takes {open_ones:.0f} µs, by opening {opened:.0f} µs"


def look_by_opening() -> None:
    """Read the processor times of all threads, and open their files for this purpose."""
    with kernel_threads():
        pass


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that a function takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@contextmanager
def busy() -> Iterator[None]:
    """Run other programs that compute and write until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="kernel-work-") as folder:
        python = (sys.executable, "-c")
        programs = [subprocess.Popen([*python, BURN]) for _ in range(BURNERS)]
        programs.append(subprocess.Popen([*python, WRITE, str(Path(folder) / "file")]))
        try:
            yield
        finally:
            for program in programs:
                program.kill()
                program.wait()


if __name__ == "__main__":
    main()
