"""Drafted assignments that are quick to grade and can be spoiled, for tests of instructors' work with them."""

from dataclasses import replace

import pytest
from kernels import changed

from grader.authoring.drafting import draft
from grader.course.catalogue import Course
from grader.grading.rules import TimingRules

QUICK = TimingRules(warm_up_seconds=0, min_pairs=10, max_pairs=10, noise_limit=1000)
"""For tests that need figures of any value."""

N = 1_000_000
"""Elements that are timed."""


@pytest.fixture
def drafted(tmp_path):
    """A course with a draft that is timed at small sizes, and gives full points for almost any speed. Its handout says
    so.
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
