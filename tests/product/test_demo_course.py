"""tools/demo-course: the course of `make serve` shows dates, and grades as the repository's course does."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

from project import ROOT

from grader.course.catalogue import Course
from grader.course.policies.rules import LateRule


def test_one_assignment_is_due_tomorrow_and_one_is_past(tmp_path, course):
    """One assignment is due within two days, and one is past with a deduction for late work. All others are as in the
    repository, and results of the repository's course are valid for all of them. A second start replaces the course.
    """
    for _ in range(2):
        subprocess.run([sys.executable, ROOT / "tools" / "demo-course", tmp_path / "demo"], check=True)
    demo = Course(assignments=tmp_path / "demo" / "assignments", reference=tmp_path / "demo" / "reference")
    demo.require_solutions()
    works = {name: demo.load(name) for name in demo.names()}
    assert {name: each.scored_sha256 for name, each in works.items()} == {
        name: course.load(name).scored_sha256 for name in course.names()
    }
    now = datetime.now(UTC)
    soon, past = sorted((each for each in works.values() if each.due is not None), key=lambda each: each.due)[::-1]
    assert timedelta() < soon.due - now < timedelta(days=2)
    assert timedelta(days=2) < now - past.due < timedelta(days=4)
    assert isinstance(past.late, LateRule)
