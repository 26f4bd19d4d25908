"""Measure how long a student waits for an answer, from the shell, and print medians of several gradings.

    python tests/benchmarks/at_once.py [ROUNDS] [--saves N]

For a build error and the first verdict, the wait ends when the line appears. For an endless loop and a whole grading,
it ends with the command. For each save of a watched file, it ends when the last case is shown. The goals apply to two
idle cores.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO

from grader.cli.exit_codes import FAILED, PASSED

ROOT = Path(__file__).parent.parent.parent
NAME = "coalsTransp"
MODEL = (ROOT / "reference" / NAME / "kernels.cl").read_text(encoding="utf-8")
ENDLESS = ROOT / "tests" / "submissions" / "optimProgram" / "endless-loop" / "kernels.cl"

CASE = re.compile(r"s \w+ +correctness: ")
LAST_CASE = "correctness: large"
"""The case that is shown last."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A wait with its goal in seconds on two idle cores. `line` is the line that ends the wait, or None if the
    command's end does.
    """

    what: str
    source: str
    assignment: str
    line: re.Pattern[str] | None
    goal: float


QUESTIONS = (
    Question(
        what="build error",
        source=f"{MODEL}\n__kernel void (",
        assignment=NAME,
        line=re.compile("failed  build"),
        goal=1,
    ),
    Question(what="first verdict", source=MODEL, assignment=NAME, line=CASE, goal=2),
    Question(
        what="endless loop", source=ENDLESS.read_text(encoding="utf-8"), assignment="optimProgram", line=None, goal=12
    ),
    Question(what="whole grading", source=MODEL, assignment=NAME, line=None, goal=5),
)
WATCHED = 1.5

GRADED = (PASSED, FAILED)

BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Allows bytecode files, as for an installed grader. Without them, each command compiles 170 modules, which takes 0.2
s.
"""


def main() -> None:
    """Measure the waits, and print one row for each question and one for the saves."""
    options = argparse.ArgumentParser()
    options.add_argument("rounds", type=int, nargs="?", default=5)
    options.add_argument("--saves", type=int, default=10)
    given = options.parse_args()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.cl"
        for question in QUESTIONS:
            file.write_text(question.source, encoding="utf-8")
            _print(question.what, [_asked(file, question) for _ in range(given.rounds)], question.goal)
        if given.saves:
            _print(f"{given.saves} saves", list(_saves(file, given.saves)), WATCHED)


def _print(what: str, seconds: list[float], goal: float) -> None:
    each = " ".join(f"{value:.2f}" for value in seconds)
    print(f"{what:<14} {median(seconds):6.2f} s, goal {goal:g} s  ({each})", flush=True)


def _asked(file: Path, question: Question) -> float:
    """Return the seconds from the start of the command to the line or to the end."""
    start = time.monotonic()
    with _grader(file, question.assignment) as process:
        assert process.stderr is not None
        told = [time.monotonic() for line in process.stderr if question.line and question.line.search(line)]
    if process.returncode not in GRADED or (question.line and not told):
        sys.exit(f"{question.what}: grader ended with exit code {process.returncode} without the expected line")
    return (told[0] if told else time.monotonic()) - start


def _saves(file: Path, number: int) -> Iterator[float]:
    """Yield the seconds from each save of the watched file until its last case is shown."""
    file.write_text(MODEL, encoding="utf-8")
    with _grader(file, NAME, "--watch") as process:
        assert process.stderr is not None
        _heard(process.stderr, "timing")
        for save in range(number):
            _heard(process.stderr, "performance")
            start = time.monotonic()
            file.write_text(f"{MODEL}\n// save {save}\n", encoding="utf-8")
            _heard(process.stderr, LAST_CASE)
            yield time.monotonic() - start
            _heard(process.stderr, "timing")
        process.send_signal(signal.SIGINT)


def _heard(lines: IO[str], words: str) -> None:
    if not any(words in line for line in lines):
        sys.exit(f"grader never printed {words!r}")


def _grader(file: Path, assignment: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "grader.cli.main", "grade", str(file), "--assignment", assignment, *options]
    chosen = {"GRADER_SANDBOX": os.environ.get("GRADER_SANDBOX", "process"), **BYTECODE}
    environment = {**os.environ, **chosen}
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )


if __name__ == "__main__":
    main()
