"""A small assignment of which something is hidden, and hand-made results for it."""

import copy

from courses import ADDITION, KERNEL, course_of
from samples import PROFILE, SPILLING, performance, result

from grader.cases import unrun_cases
from grader.performance import unmeasured
from grader.result import Check, Kind, Reason, Verdict
from grader.watching import unwatched_checks

SECRET = "it-is-a-secret"
"""Stands in every text that nobody may see."""

CASES = [
    {"name": "one", "sizes": {"n": 1}},
    {"name": "ragged", "sizes": {"n": 1000}},
    {"name": "large", "sizes": {"n": 5000}, "practice": True},
]
FIELDS = {
    **ADDITION,
    "correctness": {**ADDITION["correctness"], "cases": CASES},
    "sanitizer": {"sizes": {"n": 70}, "points": 3},
    "memory": {
        "sizes": {"n": 128},
        "checks": [
            {"name": "reads", "measure": "words read", "at_most": "2*n", "points": 2},
            {"name": "coalesced", "measure": "coalescing", "at_most": 1.1, "points": 4},
        ],
    },
}
PLACES = {
    "case": ("correctness", "cases", 1),
    "practice": ("correctness", "cases", 2),
    "sanitizer": ("sanitizer",),
    "memory": ("memory", "checks", 0),
    "performance": ("performance",),
}
"""Where an assignment may say that something is hidden."""

HIDDEN = {"case": 2, "practice": 3, "sanitizer": 4, "memory": 5, "performance": 7}
"""The place of the check that is hidden then."""


WRONG_WHEN_RAGGED = KERNEL.replace("x[i] + y[i];", "x[i] + y[i] + (n == 1000 && i == 7);")
"""A submission that fails the case that may be hidden."""

WRONG_FOR_PRACTICE = KERNEL.replace("x[i] + y[i];", "x[i] + y[i] + (n == 5000 && i == 7);")
"""One that fails the case for practice."""


def hiding_course(folder, *hidden):
    """A course with the assignment; these places of it are hidden."""
    fields = copy.deepcopy(FIELDS)
    for name in hidden:
        place = fields
        for step in PLACES[name]:
            place = place[step]
        place["hidden"] = True
    return course_of(folder, fields)


def right(assignment):
    """The result of a submission that passes everything, in hand-made figures."""
    build = Check(name="build", kind=Kind.BUILD, verdict=Verdict.PASSED, points=0, max_points=0, seconds=0.5)
    device = result().provenance.device
    speed = unmeasured(assignment, device)
    speed = speed.model_copy(
        update={
            "verdict": Verdict.PASSED,
            "points": speed.max_points,
            "performance": performance(),
            "usage": (SPILLING,),
        }
    )
    checks = (build, *unrun_cases(assignment, assignment.correctness.cases), *unwatched_checks(assignment), speed)
    timed = (each.model_copy(update={"seconds": 0.25}) for each in checks)
    return result(*timed, profiles={"": PROFILE}, seconds=9.0)


def changed(whole, *changes):
    """The result with other checks in places of its own, and sums to match."""
    checks = list(whole.checks)
    for number, check in changes:
        checks[number] = check
    return whole.model_copy(
        update={
            "checks": tuple(checks),
            "points": sum(each.points for each in checks),
            "max_points": sum(each.max_points for each in checks),
        }
    )


def failing(whole, number, **more):
    """The same with a check that failed for a reason of its own."""
    words = {field: f"{SECRET} {field}" for field in ("message", "detail", "cause")}
    told = {"reason": Reason.WRONG_OUTPUT, **words}
    old = whole.checks[number]
    return changed(whole, (number, old.model_copy(update={"verdict": Verdict.FAILED, "points": 0.0, **told, **more})))
