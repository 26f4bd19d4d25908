"""Drafted assignments that are quick to grade and easy to damage, for tests of how instructors work with drafts."""

from dataclasses import replace

import pytest
from kernels import changed

from grader.authoring.drafting import draft
from grader.course.catalogue import Course
from grader.grading.rules import TimingRules

QUICK = TimingRules(warm_up_seconds=0, min_pairs=10, max_pairs=10, noise_limit=1000)
"""Timing rules for tests in which the measured values do not matter."""

N = 1_000_000
"""Number of elements in timed runs."""


@pytest.fixture
def drafted(tmp_path):
    """A course with a draft that is timed at small sizes and gives full points for almost any speed, as its handout
    states.
    """
    draft("scaling", tmp_path)
    spoil(tmp_path, "assignments/scaling/assignment.yaml", "sizes: {n: 4000000}", f"sizes: {{n: {N}}}")
    spoil(tmp_path, "assignments/scaling/assignment.yaml", "fraction: 0.50", "fraction: 0.01")
    spoil(tmp_path, "assignments/scaling/README.md", "CPU: 4,000,000 elements | 50 %", f"CPU: {N:,} elements | 1 %")
    return tmp_path


@pytest.fixture
def quick(environment):
    """An environment with ten pairs per measurement and no limit on noise."""
    return replace(environment, timing=QUICK)


def spoil(course, path, old, new):
    """Replace a text in a file of a course."""
    file = course / path
    file.write_text(changed(file.read_text(), old, new))


def course_in(folder):
    """Return the course in a folder."""
    return Course(assignments=folder / "assignments", reference=folder / "reference")
