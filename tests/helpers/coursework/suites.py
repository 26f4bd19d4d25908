"""A small suite for tests, made from blockMMM: one kernel computes one element of the product per work-item, the other
uses tiles.
"""

from dataclasses import replace

import pytest
import yaml
from courses import any_speed, course_of
from pools import with_timeouts
from project import ROOT

from grader.course.submissions.submission import parse_submission
from grader.grading.grade import grade_coursework
from grader.grading.rules import TimingRules

NAME, SHIPPED = "ladder", "blockMMM"
FIRST, LAST = "oneEach", "blockMMM"

CASES = ("one element", "one more than a tile", "primes")

FIELDS = {
    "title": "The product, twice",
    "parts": [
        {
            "kernel": FIRST,
            "launches": [
                {
                    "kernel": FIRST,
                    "args": ["A", "B", "C", "heightA", "widthB", "widthA"],
                    "global": ["ceil_to(widthB, TILE)", "ceil_to(heightA, TILE)"],
                    "local": ["TILE", "TILE"],
                }
            ],
            "correctness": {"points": 24},
            "sanitizer": {"points": 6},
            "memory": {"checks": [{"name": "coalesced", "measure": "coalescing", "at_most": 1.1, "points": 5}]},
        },
        {"kernel": LAST},
    ],
}
"""Fields that replace those of blockMMM."""


def small_fields():
    """Return blockMMM's fields changed for quick tests: few cases, small launches, and full points for any speed."""
    fields = yaml.safe_load((ROOT / "assignments" / SHIPPED / "assignment.yaml").read_text(encoding="utf-8"))
    fields["correctness"]["cases"] = [case for case in fields["correctness"]["cases"] if case["name"] in CASES]
    fields["sanitizer"]["sizes"] = {"heightA": 18, "widthB": 20, "widthA": 17}
    fields["memory"]["sizes"] = {"heightA": 32, "widthB": 32, "widthA": 32}
    for each in fields["performance"]["classes"].values():
        each.update(any_speed(20))
        each["sizes"] = {"heightA": 64, "widthB": 128, "widthA": 64}
    del fields["performance"]["requires"]
    fields["baseline"][0]["kernel"] = FIRST
    return fields


def model():
    """Return the source of both kernels."""
    naive, tiled = ((ROOT / "reference" / SHIPPED / name).read_text() for name in ("baseline.cl", "kernels.cl"))
    return naive.replace("naiveMMM", FIRST) + "\n" + tiled


def oracle():
    """Return the source of the oracle, which computes the product."""
    return (ROOT / "reference" / SHIPPED / "oracle.py").read_text()


def missing():
    """Return the source of the first kernel only."""
    return model().partition("// Model")[0]


SUBMISSIONS = {"right": model, "missing": missing, "broken": lambda: model() + "x"}
"""Submissions in which both kernels are right, in which the second kernel is missing, and which does not build."""


def suite_course(folder):
    """Return the course with the suite."""
    return course_of(folder, {**small_fields(), **FIELDS}, model(), oracle(), NAME)


def quick(environment):
    """Return the environment with short timing, and with deadlines that are long enough on a busy processor."""
    timing = TimingRules(warm_up_seconds=0, min_pairs=9, max_pairs=9, noise_limit=100)
    return with_timeouts(replace(environment, timing=timing), first_launch=30, launch=30)


def graded(coursework, source, environment, seed=7):
    """Return the result of grading a source text."""
    submission = parse_submission("kernels.cl", source.encode())
    return grade_coursework(coursework, submission, seed, quick(environment), lambda _: None)


@pytest.fixture(scope="session")
def ladder(tmp_path_factory):
    """The small suite."""
    return suite_course(tmp_path_factory.mktemp("ladder")).load(NAME)


@pytest.fixture(scope="session")
def climbed(ladder, environment):
    """Results of the suite's submissions by name. They are graded once for all tests."""
    return {name: graded(ladder, source(), environment) for name, source in SUBMISSIONS.items()}
