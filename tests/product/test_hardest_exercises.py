"""The course in tests/exercises, with exercises of public courses that are hard to state in assignment.yaml.

They use 64-bit integers, bytes, double, several kernels, programs with loops and swaps, and several right answers.
"""

import pytest
from commandline import grader
from gradings import grade
from project import ROOT

from grader.course.catalogue import Course

FOLDER = ROOT / "tests" / "exercises"
EXERCISES = Course(assignments=FOLDER / "assignments", reference=FOLDER / "reference")


@pytest.mark.whole
@pytest.mark.parametrize("name", EXERCISES.names())
def test_a_hard_exercise_can_be_stated(tmp_path, name, simulator):  # noqa: ARG001 - it is installed
    """`grader validate --quick` finds no broken claim. The model solution, the skeleton, the naive kernels and the
    golden submissions all get the expected verdicts.
    """
    done = grader(tmp_path, "validate", name, "--course", FOLDER, "--quick")
    assert done.returncode == 0, done.stdout
    assert f"{name}: all statements are true" in done.stdout


def test_the_hard_exercises_can_be_read_and_one_is_graded(environment, simulator):  # noqa: ARG001 - it is installed
    """Each assignment.yaml can be read, and the model solution of knapsack, with a launch for each item, passes every
    check.
    """
    coursework = {name: EXERCISES.load(name) for name in EXERCISES.names()}
    result = grade(coursework["knapsack"], FOLDER / "reference" / "knapsack", environment, seed=4)
    assert result.passed
