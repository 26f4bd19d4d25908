"""Handmade gradebooks, for tests of the files that grader makes from a batch."""

import hashlib

from project import ROOT

from grader.course.rubric import Kind
from grader.course.submissions.handin import Student
from grader.results.gradebook import Grade, Gradebook, Mark, Speed, StudentRow
from grader.results.verdicts import Reason, Verdict

NAMES = ("coalsTransp", "blockMMM")
SKELETONS = {name: (ROOT / "assignments" / name / "kernels.cl").read_text() for name in NAMES}


def mark(name="correctness: one (n 1)", kind=Kind.CORRECTNESS, points=5.0, max_points=5.0, **changes):
    """Return the short form of a check, which has passed unless `changes` differ."""
    fields = {"verdict": Verdict.PASSED, "reason": None, "message": "", "cause": ""}
    return Mark(**{**fields, "name": name, "kind": kind, "points": points, "max_points": max_points, **changes})


def missed(name="correctness: one (n 1)", kind=Kind.CORRECTNESS, reason=Reason.WRONG_OUTPUT, **changes):
    """Return a short form of a failed check."""
    fields = {"verdict": Verdict.FAILED, "points": 0.0, "reason": reason, "message": "C[0] is wrong.", **changes}
    return mark(name, kind, **fields)


def speed(fraction=1.0, speed_up=2.0, of_copy=0.5):
    """Return a speed. Only the ratios in it matter."""
    return Speed(
        unit="GB/s",
        rate=30.0 * of_copy,
        fraction_of_reference=fraction,
        speed_up_over_baseline=speed_up,
        fraction_of_copy=of_copy,
    )


def grade(*marks, source="__kernel void k() {}\n", timed=None):
    """Return a grade whose points are the sum of the marks' points. `timed` is a speed, or a speed for each part."""
    return Grade(
        points=sum(each.points for each in marks),
        max_points=sum(each.max_points for each in marks),
        checks=marks,
        speeds={} if timed is None else timed if isinstance(timed, dict) else {"": timed},
        sha256=hashlib.sha256(source.encode()).hexdigest(),
        source=source,
        seconds=1.5,
    )


def row(label, graded=None, assignment=NAMES[0], **changes):
    """Return a row for the student with this label. Without a grade or a fault, the student did not submit."""
    student = Student(label=label, name=changes.pop("name", label.title()), key=changes.pop("key", None))
    return StudentRow(student=student, assignment=assignment, **{"grade": graded, "shown": graded, **changes})


def gradebook(*rows, **changes):
    """Return a gradebook with these rows, for the assignments that occur in them."""
    asked = tuple(name for name in NAMES if any(each.assignment == name for each in rows))
    fields = {
        "shape": "a folder of 3 submissions",
        "assignments": asked,
        "titles": {name: f"Title of {name}" for name in asked},
        "maxima": dict.fromkeys(asked, 100.0),
        "skeletons": {name: SKELETONS[name] for name in asked},
        "parts": dict.fromkeys(asked, ("",)),
        "rows": tuple(sorted(rows, key=lambda each: each.student.label)),
    }
    return Gradebook(**{**fields, **changes})
